"""A rule against a flow: which nodes are matched, with what evidence, or why not."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from tfnanlint.facts import Facts, Reach
from tfnanlint.facts.ranges import weakest
from tfnanlint.flow import DYNAMIC, Flow, Node, Root
from tfnanlint.ops import OPS
from tfnanlint.template import Pattern, Rule

COMMUTATIVE = frozenset({"add", "multiply", "maximum", "minimum", "squared_difference", "equal", "not_equal", "logical_and"})
TRANSPARENT = frozenset(name for name, row in OPS.items() if row.transparent)
DOWNSTREAM_LIMIT = 4000
"""How many ancestors of a node are looked at for "anything downstream of"."""


class _Absent:
    """A static parameter that the call does not give."""

    def __repr__(self) -> str:
        return "ABSENT"


ABSENT: Any = _Absent()


@dataclass(frozen=True)
class Static:
    """A captured static parameter: its value, and the node whose call gives it."""

    value: Any
    node: Node
    attribute: str


@dataclass
class Match:
    """A pattern found at a node.

    `captured` holds what the variables stand for: values as (node, user), the user being the matched
    node that takes it as operand, and static parameters. `matched` are the op nodes of the pattern.
    """

    rule: Rule
    pattern: Pattern
    root: Node
    captured: dict[str, tuple[Node, Node] | Static]
    matched: dict[Node, None]
    reach: Reach
    evidence: str
    differentiated: Root | None = None


@dataclass
class _Binding:
    captured: dict[str, tuple[Node, Node] | Static] = field(default_factory=dict)
    matched: dict[Node, None] = field(default_factory=dict)

    def copy(self) -> _Binding:
        return _Binding(dict(self.captured), dict(self.matched))


class Matcher:
    """The rules' patterns, indexed by the op at their root."""

    def __init__(self, rules: Iterable[Rule]) -> None:
        self.by_root: dict[str, list[tuple[Rule, Pattern]]] = {}
        for rule in rules:
            for pattern in rule.patterns:
                self.by_root.setdefault(pattern.root.op, []).append((rule, pattern))

    def matches(self, flow: Flow, facts: Facts, pedantic: bool = False) -> list[Match]:
        """All matches, each hazard once: a match within a larger one is left out."""
        found: list[Match] = []
        for node in flow:
            best: dict[str, Match] = {}
            for rule, pattern in self.by_root.get(node.op, ()):
                match = match_at(rule, pattern, node, facts)
                if match is None or not (match.reach.evident or (pedantic and match.reach is Reach.UNKNOWN)):
                    continue
                held = best.get(rule.name)
                if held is None or (held.pattern.repair is None and pattern.repair is not None):
                    best[rule.name] = match
            found.extend(best.values())
        return list(_outermost(found))


def _outermost(matches: list[Match]) -> Iterator[Match]:
    """The matches that no larger match covers."""
    inside: dict[Node, int] = {}
    for match in matches:
        for node in match.matched:
            inside[node] = max(inside.get(node, 0), match.pattern.size)
    for match in matches:
        larger = any(
            other.pattern.size > match.pattern.size and match.root in other.matched
            for other in matches
            if other is not match
        ) if inside[match.root] > match.pattern.size else False
        if not larger:
            yield match


def match_at(rule: Rule, pattern: Pattern, node: Node, facts: Facts) -> Match | None:
    """The pattern at one node, or None."""
    for binding in _unify(pattern, pattern.root, node, node, _Binding()):
        match = _judge(rule, pattern, node, binding, facts)
        if match is not None:
            return match
    return None


def _unify(pattern: Pattern, wanted: Node, node: Node, user: Node, binding: _Binding) -> Iterator[_Binding]:
    """All ways in which `wanted` of the pattern is `node` of the flow."""
    if wanted.op == "input":
        yield from _capture(wanted.attrs["name"], node, user, binding)
        return
    if wanted.op == "downstream":
        for ancestor in _ancestors(node):
            for found in _unify(pattern, wanted.operands[0], ancestor, ancestor, binding.copy()):
                yield found
                return
        return
    if wanted.op != node.op:
        node = _behind(node)
    if wanted.op == "const":
        if node.op == "const" and _equal(wanted.constant, node.constant):
            yield binding
        return
    if wanted.op != node.op or not _attributes(pattern, wanted, node, binding):
        return
    binding.matched[node] = None
    if OPS.get(node.op) is None or OPS[node.op].operands[-1:] == ("*xs",):
        if len(wanted.operands) == 1 and node.operands:
            yield from _operands(pattern, wanted.operands, node.operands[:1], node, binding)
        elif not wanted.operands:
            yield binding
        return
    count = len(wanted.operands)
    if len(node.operands) < count:
        return
    if node.op in COMMUTATIVE and count == 2:
        yield from _operands(pattern, wanted.operands, node.operands[:2], node, binding.copy())
        yield from _operands(pattern, wanted.operands, node.operands[1::-1], node, binding.copy())
    else:
        yield from _operands(pattern, wanted.operands, node.operands[:count], node, binding)


def _operands(
    pattern: Pattern, wanted: tuple[Node, ...], given: tuple[Node, ...], user: Node, binding: _Binding
) -> Iterator[_Binding]:
    if not wanted:
        yield binding
        return
    for found in _unify(pattern, wanted[0], given[0], user, binding.copy()):
        yield from _operands(pattern, wanted[1:], given[1:], user, found)


def _capture(name: str, node: Node, user: Node, binding: _Binding) -> Iterator[_Binding]:
    held = binding.captured.get(name)
    if held is None:
        binding.captured[name] = (node, user)
        yield binding
    elif isinstance(held, tuple) and held[0].value == node.value:
        yield binding


def _behind(node: Node) -> Node:
    """The value that transparent ops hand on."""
    while node.op in TRANSPARENT and node.operands:
        node = node.operands[0]
    return node


def _ancestors(node: Node) -> Iterator[Node]:
    seen: set[Node] = set()
    stack = [node]
    while stack and len(seen) < DOWNSTREAM_LIMIT:
        at = stack.pop()
        if at not in seen:
            seen.add(at)
            yield at
            stack.extend(at.operands)


def _equal(wanted: Any, given: Any) -> bool:
    if isinstance(wanted, bool) or isinstance(given, bool):
        return wanted is given
    if isinstance(wanted, (int, float)) and isinstance(given, (int, float)):
        return wanted == given or (wanted != wanted and given != given)
    return type(wanted) is type(given) and wanted == given


def _attributes(pattern: Pattern, wanted: Node, node: Node, binding: _Binding) -> bool:
    """Whether the static parameters fit: equal, captured, or left at their default by both."""
    names = {*wanted.attrs, *node.attrs, *(k for k in wanted.origin.keywords)} - {"name"}
    for name in names:
        variable = pattern.static_variable(wanted, name)
        given = node.attrs.get(name, ABSENT)
        if variable is not None:
            held = binding.captured.get(variable)
            if held is None:
                binding.captured[variable] = Static(given, node, name)
            elif not isinstance(held, Static) or not _same_static(held.value, given):
                return False
        elif name in wanted.attrs:
            if given is ABSENT or not _equal(wanted.attrs[name], given):
                return False
        elif given is not ABSENT:
            return False
    return True


def _same_static(a: Any, b: Any) -> bool:
    return a is b or (a is not DYNAMIC and b is not DYNAMIC and a == b)


# Preconditions.


def _judge(rule: Rule, pattern: Pattern, node: Node, binding: _Binding, facts: Facts) -> Match | None:
    """The match, if no precondition is known to fail."""
    answers: list[Reach] = [Reach.LIKELY] if not any(p.regions for p in pattern.preconditions.values()) else []
    evidence = ""
    root: Root | None = None
    for name, condition in pattern.preconditions.items():
        captured = binding.captured.get(name)
        if not isinstance(captured, tuple):
            continue
        value = captured[0]
        if condition.literal and value.op != "const":
            return None
        if condition.dtypes and (facts.dtype(value) or "float32") not in condition.dtypes:
            return None
        held = facts.range(value)
        if condition.inside is not None and not held.outer.within(condition.inside):
            return None
        for region in condition.regions:
            answers.append(held.reach(region))
            evidence = f"its {_role(pattern, name, node)} is in {held}"
        if condition.differentiated:
            root = facts.differentiated(node)
            if root is None:
                answers.append(Reach.UNKNOWN)
            elif not facts.carries(value):
                return None
    reach = weakest(answers)
    if reach is Reach.NO:
        return None
    return Match(rule, pattern, node, binding.captured, binding.matched, reach, evidence, root)


def _role(pattern: Pattern, name: str, node: Node) -> str:
    """What the captured value is to the root: the word the evidence uses for it."""
    row = OPS.get(node.op)
    for place, operand in enumerate(pattern.root.operands):
        if operand.op == "input" and operand.attrs["name"] == name and row is not None and len(row.operands) > 1:
            if node.op in ("divide", "divide_no_nan"):
                return ("dividend", "divisor")[place]
    return "argument"
