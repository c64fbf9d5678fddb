"""The verdict on a pattern that fits: whether its preconditions hold, on what evidence, and whether it does harm."""

from __future__ import annotations

from typing import Any

from tfnanlint.facts import TRAINABLE_OPS, Facts, Reach
from tfnanlint.facts.absorption import (
    absorbed,
    ancestors,
    infinities_of,
    keeps_zero,
    outdone,
    read_by_members,
    related,
    zeroed,
)
from tfnanlint.facts.draws import configured, drawn_to_zero
from tfnanlint.facts.eagerly import eagerly
from tfnanlint.facts.kinds import knows, single_along
from tfnanlint.facts.meant import looked_for, meant, provoked
from tfnanlint.facts.muted import muted, shielded
from tfnanlint.facts.refined import compares, refined
from tfnanlint.facts.rows import kept_off_zero
from tfnanlint.flow import DYNAMIC, Conditions, Node, Root
from tfnanlint.interval import Interval
from tfnanlint.match.captures import Binding, Match, Static
from tfnanlint.ops import OPS
from tfnanlint.ops.row import EMPTY, EVERY
from tfnanlint.ranges import Range, weakest
from tfnanlint.ruleset.pattern import Pattern
from tfnanlint.ruleset.rule import Rule
from tfnanlint.template import Precondition

COUNTING = frozenset("add subtract multiply neg phi loop stack getitem".split())
"""Ops that keep numbers what they are."""
FILLED = frozenset({"zeros", "ones"})
"""Ops that repeat a number."""
KNOWING = frozenset({"data", "told"})
"""Kinds that say how much is known of a value, and not what else it is."""
ZERO = Interval.point(0.0)
NARROW = frozenset({"float16", "bfloat16"})


def judge(rule: Rule, pattern: Pattern, node: Node, binding: Binding, facts: Facts) -> Match | None:
    """The match, if no precondition is known to fail."""
    if not _of_its_kind(pattern, binding, facts):
        return None
    conditions = _conditions(node, facts)
    asks = any(p.regions for p in pattern.preconditions.values())  # for evidence of its own
    # A rule that asks for something else of its operands is not about where an op breaks.
    other = any(set(p.kinds) - KNOWING or p.apart or p.possible for p in pattern.preconditions.values())
    # Ranges are of the program as it is written; they do not tell what a graph optimiser makes of it.
    as_written = "eager" in rule.modes or "graph" not in rule.modes
    if "eager" not in rule.modes and eagerly(facts, node):
        return None
    if not asks and not other and as_written and _harmless(binding, conditions, facts):
        return None
    values = [held[0] for held in binding.captured.values() if not isinstance(held, Static)]
    if not asks and values and all(configured(facts, value) for value in values):
        return None
    answers: list[Reach] = []
    if not asks:
        answers.append(Reach.UNKNOWN if _handled(binding, conditions, facts) else Reach.LIKELY)
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
        if condition.regions and not condition.literal and _only_numbers(value, facts):
            return None  # a number that stands there, or the default of a parameter, is no data
        held = facts.range(value)
        if any(held.reach(region) is Reach.NO for region in condition.possible):
            return None
        if condition.inside is not None and not held.outer.within(condition.inside):
            return None
        for region in condition.regions:
            answers.append(_reach(value, region, conditions, facts))
            evidence = f"its {_role(pattern, name, node)} is {held.told}"
        if condition.differentiated:
            root = facts.differentiated(node)
            if root is None:
                answers.append(Reach.UNKNOWN)
            elif not facts.carries(value) and not any(n.op in TRAINABLE_OPS for n in binding.matched):
                return None
    reach = weakest(answers)
    if reach is Reach.NO:
        return None
    # Where an infinity ends, the gradient that comes back is 0, and some ops hand that on as 0 (not under XLA).
    idle = _idle(node, facts)
    if provoked(facts, node) or (
        idle
        and (
            looked_for(facts, node)
            or facts.flow.only_described(node)
            or any(meant(facts, one) for one in binding.matched)
        )
    ):
        return None
    breaking = [one for one in binding.matched if (row := OPS.get(one.op)) is not None and row.breaks]
    kept = bool(breaking) and all(map(keeps_zero, breaking)) and "eager" in rule.modes
    if kept and root is not None and outdone(facts, node):
        return None
    if idle or kept:
        for one in binding.matched:
            infinities = infinities_of(facts, one)
            if infinities and absorbed(facts, one, infinities):
                return None
        if node.op == "divide" and (zeroed(node, node.operands[1]) or read_by_members(node, node.operands[1])):
            return None
    unclaimed = _other_dtype(rule, binding, facts)
    compiled_only = kept and root is not None and "xla" in rule.modes and muted(facts, node)
    if compiled_only and shielded(node):
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
        [],
        unclaimed,
        binding.places,
        compiled_only,
        node in facts.flow.compiled,
    )


def _of_its_kind(pattern: Pattern, binding: Binding, facts: Facts) -> bool:
    """Whether static parameters, literals and element types are those that the preconditions ask for: soon told."""
    for name, condition in pattern.preconditions.items():
        captured = binding.captured.get(name)
        if isinstance(captured, Static):
            if not _fits(condition, captured.value):
                return False
        elif captured is not None:
            value = captured[0]
            if condition.literal and (value.op != "const" or not _numbers_fit(condition, value, facts)):
                return False
            if condition.dtypes and (facts.dtype(value) or "float32") not in condition.dtypes:
                return False
    return True


def _numbers_fit(condition: Precondition, literal: Node, facts: Facts) -> bool:
    """Whether a literal lies where a precondition wants it."""
    return condition.inside is None or facts.range(literal).outer.within(condition.inside)


def _conditions(node: Node, facts: Facts) -> Conditions:
    """Under which conditions it matters what a node gives.

    A value that `where` does not choose does no harm, but its gradient does: 0 times infinity, unless
    the op's own gradient is 0 wherever the gradient that comes in is, or there is no element to take it.
    """
    row = OPS.get(node.op)
    of_nothing = row is not None and bool(row.breaks) and all(broken.of == EMPTY for broken in row.breaks)
    if of_nothing or _idle(node, facts) or keeps_zero(node):
        return (*node.under, *facts.chosen_under(node))
    return node.under


def _idle(node: Node, facts: Facts) -> bool:
    """Whether no gradient that anyone uses passes through a node."""
    return facts.differentiated(node) is None or not any(facts.carries(operand) for operand in node.operands)


def _reach(value: Node, region: Interval, conditions: Conditions, facts: Facts) -> Reach:
    """Whether a value reaches a region where it matters."""
    reach = facts.range(value).reach(region)
    for condition, holds in conditions:
        left = refined(facts, condition, holds, value).reach(region)
        if left is Reach.NO:
            return Reach.NO
        if reach is Reach.LIKELY and not compares(facts, condition, value) and _concerns(condition, value, facts):
            reach = Reach.UNKNOWN  # the program asks about this value before it takes the result
    return reach


def _only_numbers(value: Node, facts: Facts) -> bool:
    """Whether all that is seen of a value are numbers written in the program: itself one, a count, one on some path."""
    stack, met = [value], set()
    while stack:
        at = stack.pop()
        if at in met or at.op == "const" or (at is not value and (at.op in FILLED or not facts.range(at).shown)):
            continue
        met.add(at)
        made_of = at.operands[:1] if at.op == "getitem" else at.operands
        if at.op not in COUNTING or not any(facts.range(o).shown for o in made_of):
            return False
        stack += made_of
    return True


def _harmless(binding: Binding, conditions: Conditions, facts: Facts) -> bool:
    """Whether the matched ops are all known to keep away from every point at which they break."""
    found = False
    for node in binding.matched:
        row = OPS.get(node.op)
        if facts.dtype(node) in NARROW:
            return False  # where an op breaks is stated for float32 and wider
        for broken in row.breaks if row is not None else ():
            if broken.of == EMPTY:
                continue  # ranges are of elements: they do not tell whether there are any
            found = True
            place = row.operands.index(broken.operand) if row is not None else 0
            if place >= len(node.operands):
                return False
            taken = node.operands[place]
            size = node if broken.of == EVERY else taken
            if (
                broken.region.meet(facts.range(taken).outer) == ZERO
                and facts.no_data(taken)
                and not drawn_to_zero(size)
            ):
                continue  # with probability 0
            reach = _reach(taken, broken.region, conditions, facts)
            if broken.of == EVERY and 0.0 not in facts.range(node).outer:
                continue  # a magnitude that is never 0 is not of zeros alone
            if broken.of == EVERY and not reach.evident and single_along(facts, taken, node.attrs.get("axis")):
                continue  # one number is 0 by chance only, a row of them is not
            if broken.of == EVERY and not reach.evident and kept_off_zero(taken):
                continue  # what ordinary rows of zeros become is not 0
            if reach is Reach.NO or (reach is Reach.UNKNOWN and facts.range(taken).seen is not None):
                continue
            return False
    return found


def _concerns(condition: Node, value: Node, facts: Facts) -> bool:
    """Whether a condition may tell something of a value: a sum of numbers of either sign tells nothing of them."""

    def onward(node: Node) -> tuple[Node, ...]:
        total = node.op in ("reduce_sum", "reduce_mean")
        return () if total and facts.range(node.operands[0]).outer == Interval() else node.operands

    made = {node.value for node in ancestors(value) if node.op != "const"}
    return any(node.value in made for node in ancestors(condition, onward) if node.op != "const")


def _handled(binding: Binding, conditions: Conditions, facts: Facts) -> bool:
    """Whether the program chooses by the very values it computes with: there is no knowing what is left."""
    for captured in binding.captured.values():
        if not isinstance(captured, tuple):
            continue
        value = captured[0]
        if any(_concerns(condition, value, facts) for condition, _ in conditions):
            return True
        if value.op == "clip" and facts.range(value).outer.unknown:
            return True  # between bounds that are not known
        if value.op == "where" and any(related(value.operands[0], branch) for branch in value.operands[1:]):
            return True
    return False


def _fits(condition: Precondition, value: Any) -> bool:
    """Whether a static parameter is what a precondition asks for."""
    if condition.inside is None and not condition.regions:
        return not (condition.literal and value is DYNAMIC)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    point = Interval.point(float(value))
    return (condition.inside is None or point.within(condition.inside)) and all(
        Range(point, point).reach(region) is not Reach.NO for region in condition.regions
    )


def _other_dtype(rule: Rule, binding: Binding, facts: Facts) -> str | None:
    """The floating-point type of an operand that the rule makes no claim for."""
    for captured in binding.captured.values():
        if isinstance(captured, tuple):
            dtype = facts.dtype(captured[0])
            if dtype is not None and ("float" in dtype or "complex" in dtype) and dtype not in rule.dtypes:
                return dtype
    return None


def _role(pattern: Pattern, name: str, node: Node) -> str:
    """What the captured value is to the root: the word the evidence uses for it."""
    if node.op in ("divide", "divide_no_nan"):
        for place, operand in enumerate(pattern.root.operands):
            if operand.op == "input" and operand.attrs["name"] == name:
                return ("dividend", "divisor")[place]
    return "argument"
