"""Whether a pattern that fits can fail at all: what its preconditions ask for, as far as facts answer it.

Facts say "cannot" and "must"; whether ordinary data makes it happen is what a trial finds out.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tfnanlint.facts import TRAINABLE_OPS, Facts, Reach
from tfnanlint.facts.eager_mode import eagerly, is_kept_by_training
from tfnanlint.facts.kinds import knows
from tfnanlint.facts.refined import refined
from tfnanlint.flow import DYNAMIC, Node, Root, ancestors, behind
from tfnanlint.interval import INF, Interval
from tfnanlint.match.captures import Binding, Match, Static
from tfnanlint.ranges import Range, weakest
from tfnanlint.ruleset.pattern import Pattern
from tfnanlint.ruleset.rule import Rule
from tfnanlint.template import Precondition

CASTING = frozenset({"cast", "constant", "convert_to_tensor"})
"""Ops that make a tensor of a number."""

WORDS = {
    **dict.fromkeys(("divide", "divide_no_nan"), ("dividend", "divisor")),
    "pow": ("base", "exponent"),
}
"""What the operands of an op are called, where `argument` would not tell them apart."""


def judge(rule: Rule, pattern: Pattern, node: Node, binding: Binding, facts: Facts) -> Match | None:
    """The match, if no precondition is known to fail; its reach is certain only where ranges prove it."""
    if not _of_its_kind(pattern, binding, facts):
        return None
    of_optimiser = "graph" in rule.modes and "eager" not in rule.modes
    if ("eager" not in rule.modes and eagerly(facts, node)) or (of_optimiser and is_kept_by_training(facts, node)):
        return None
    answers: list[Reach] = []
    evidence = ""
    root: Root | None = None
    for name, condition in pattern.preconditions.items():
        captured = binding.captured.get(name)
        if captured is None or isinstance(captured, Static):
            continue
        value = captured[0]
        if condition.apart and any(at in binding.matched for at in ancestors(value)):
            return None
        if not all(knows(facts, value, kind) for kind in condition.kinds):
            return None
        held = facts.range(value)
        if any(held.reach(region) is Reach.NO for region in condition.possible):
            return None
        if condition.inside is not None and not held.outer.within(condition.inside):
            return None
        for region in condition.regions:
            answers.append(_reach(value, region, node, facts))
            if held.reason or not held.outer.unknown:
                evidence = f"its {_role(pattern, name, node)} is {held.told}"
            elif value in node.operands:
                evidence = f"its {_role(pattern, name, node)} {_met(region)}"
        if condition.differentiated:
            root = facts.differentiated(node)
            if root is None or (not facts.carries(value) and not any(n.op in TRAINABLE_OPS for n in binding.matched)):
                return None
        if condition.literal:  # the casts of a number are a part of it
            binding.matched.update(dict.fromkeys(_casts_of(value)))
    reach = weakest([*answers, Reach.CERTAIN if answers else Reach.UNKNOWN])
    if reach is Reach.NO:
        return None
    return Match(
        rule,
        pattern,
        node,
        binding.captured,
        binding.matched,
        reach,
        evidence,
        root,
        other_dtype=_other_dtype(rule, binding, facts),
        places=binding.places,
        compiled=node in facts.flow.compiled,
        branches=binding.branches,
    )


def _of_its_kind(pattern: Pattern, binding: Binding, facts: Facts) -> bool:
    """Whether static parameters, literals and element types are those that the preconditions ask for."""
    for name, condition in pattern.preconditions.items():
        captured = binding.captured.get(name)
        if isinstance(captured, Static):
            if not _fits(condition, captured.value):
                return False
        elif captured is not None:
            value = captured[0]
            if condition.literal and (literal_in(value) is None or not _numbers_fit(condition, value, facts)):
                return False
            if condition.dtypes and (facts.dtype(value) or "float32") not in condition.dtypes:
                return False
    return True


def literal_in(value: Node) -> Node | None:
    """The number that the program writes for a value, also where it casts that number to the type of a tensor."""
    number = behind(value, CASTING)
    return number if number.op == "const" else None


def _casts_of(value: Node) -> Iterator[Node]:
    """The casts through which a value is a number that the program writes."""
    while value.op in CASTING and value.operands:
        yield value
        value = value.operands[0]


def _numbers_fit(condition: Precondition, literal: Node, facts: Facts) -> bool:
    """Whether a literal lies where a precondition wants it."""
    return condition.inside is None or facts.range(literal).outer.within(condition.inside)


def _reach(value: Node, region: Interval, node: Node, facts: Facts) -> Reach:
    """Whether ranges keep a value out of a region where a node is computed, or prove that it lies in it."""
    if any(refined(facts, condition, holds, value).reach(region) is Reach.NO for condition, holds in node.under):
        return Reach.NO
    return facts.range(value).reach(region)


def _fits(condition: Precondition, value: Any) -> bool:
    """Whether a static parameter is what a precondition asks for."""
    if condition.inside is None and not condition.regions:
        return not (condition.literal and value is DYNAMIC)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    point = Interval.point(float(value))
    return (condition.inside is None or point.within(condition.inside)) and all(
        Range(point).reach(region) is not Reach.NO for region in condition.regions
    )


def _other_dtype(rule: Rule, binding: Binding, facts: Facts) -> str | None:
    """The floating-point type of an operand that the rule makes no claim for."""
    for captured in binding.captured.values():
        if isinstance(captured, tuple):
            dtype = facts.dtype(captured[0])
            if dtype is not None and ("float" in dtype or "complex" in dtype) and dtype not in rule.dtypes:
                return dtype
    return None


def _met(region: Interval) -> str:
    """The words for a value that reaches a region, if nothing else is known of it."""
    if region.lo == region.hi:
        return f"reaches {region.lo:g}"
    if region.lo == -INF:
        return f"falls below {region.hi:g}"
    return f"exceeds {region.lo:g}" if region.hi == INF else f"lies in {region}"


def _role(pattern: Pattern, name: str, node: Node) -> str:
    """What the captured value is to the root: the word the evidence uses for it."""
    for place, operand in enumerate(pattern.root.operands):
        if operand.op == "input" and operand.attrs["name"] == name:
            return operand_word(node.op, place)
    return "argument"


def operand_word(op: str, place: int) -> str:
    """What the evidence calls an operand of an op."""
    return WORDS.get(op, ("argument",) * (place + 1))[place]
