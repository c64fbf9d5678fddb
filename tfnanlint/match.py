"""A rule against a flow: which nodes are matched, with what evidence, or why not."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from tfnanlint.facts import TRAINABLE_OPS, Facts, Reach
from tfnanlint.facts.absorption import absorbed, infinity_of
from tfnanlint.facts.ranges import Range, weakest
from tfnanlint.facts.relations import refined
from tfnanlint.flow import DYNAMIC, Flow, Node, Root
from tfnanlint.interval import Interval
from tfnanlint.ops import OPS
from tfnanlint.template import Pattern, Precondition, Rule

COMMUTATIVE = frozenset({"add", "multiply", "maximum", "minimum", "squared_difference", "equal", "not_equal", "logical_and"})
TRANSPARENT = frozenset(name for name, row in OPS.items() if row.transparent)
NARROW = frozenset({"float16", "bfloat16"})
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
    other_dtype: str | None = None
    """The element type of an operand, where the rule claims nothing for that type."""


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
        return list(_outermost(found, facts))


def _outermost(matches: list[Match], facts: Facts) -> Iterator[Match]:
    """The matches that no other match speaks for."""
    holding: dict[Node, list[Match]] = {}
    for match in matches:
        for node in match.matched:
            holding.setdefault(node, []).append(match)
    for match in matches:
        over = [m for m in holding[match.root] if m.pattern.size > match.pattern.size]
        if any(_covers(larger, match, facts) for larger in over):
            continue
        within = [m for node in match.matched if node is not match.root for m in holding[node] if m.root is node]
        if any(not _covers(match, m, facts) and set(m.rule.modes) > set(match.rule.modes) for m in within):
            continue  # what is wrong in more modes inside it goes first
        yield match


def _covers(larger: Match, smaller: Match, facts: Facts) -> bool:
    """Whether a larger match speaks for a smaller one: nothing outside it uses the smaller one's value."""
    root = smaller.root
    if root is larger.root:
        return True
    if smaller.differentiated is None:
        return root in larger.matched
    if any(r.node is root for r in facts.flow.roots):
        return False
    return all(user in larger.matched or facts.differentiated(user) is None for user in root.users)


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
            yield from _unify(pattern, wanted.operands[0], ancestor, ancestor, binding.copy())
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
    if wanted in pattern.named:
        binding.captured.setdefault(pattern.named[wanted], (node, user))
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
    """A node and all that it is computed from and hands its gradient back to."""
    seen: set[Node] = set()
    stack = [node]
    while stack and len(seen) < DOWNSTREAM_LIMIT:
        at = stack.pop()
        if at not in seen and at.op != "gradient":
            seen.add(at)
            yield at
            row = OPS.get(at.op)
            stack.extend(o for place, o in enumerate(at.operands) if row is None or not row.blocks(place))


def _equal(wanted: Any, given: Any) -> bool:
    if isinstance(wanted, bool) or isinstance(given, bool):
        return wanted is given
    if isinstance(wanted, (int, float)) and isinstance(given, (int, float)):
        return wanted == given or (wanted != wanted and given != given)
    return type(wanted) is type(given) and wanted == given


def _attributes(pattern: Pattern, wanted: Node, node: Node, binding: _Binding) -> bool:
    """Whether the static parameters fit: equal, captured, or left at their default by both."""
    names = {*wanted.attrs, *node.attrs, *(k for k in wanted.origin.keywords)} - {"name"}
    if wanted.op == "layer":  # in a template, one layer with weights stands for all of them
        return True
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
    conditions = _conditions(node, facts)
    asks = any(p.regions for p in pattern.preconditions.values())  # for evidence of its own
    if not asks and _harmless(binding, conditions, facts):
        return None
    answers: list[Reach] = [] if asks else [Reach.LIKELY]
    evidence = ""
    root: Root | None = None
    for name, condition in pattern.preconditions.items():
        captured = binding.captured.get(name)
        if isinstance(captured, Static):
            if not _fits(condition, captured.value):
                return None
            continue
        if captured is None:
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
            answers.append(_reach(value, region, conditions, facts))
            evidence = f"its {_role(pattern, name, node)} is in {held}"
        if condition.differentiated:
            root = facts.differentiated(node)
            if root is None:
                answers.append(Reach.UNKNOWN)
            elif not facts.carries(value) and not any(n.op in TRAINABLE_OPS for n in binding.matched):
                return None
    reach = weakest(answers)
    if reach is Reach.NO:
        return None
    if facts.differentiated(node) is None:
        infinity = infinity_of(facts, node)
        if infinity is not None and absorbed(facts, node, infinity):
            return None
    other = _other_dtype(rule, binding, facts)
    return Match(rule, pattern, node, binding.captured, binding.matched, reach, evidence, root, other)


Conditions = tuple[tuple[Node, bool], ...]


def _conditions(node: Node, facts: Facts) -> Conditions:
    """Under which conditions it matters what a node gives.

    A value that `where` does not choose does no harm, but its gradient does: 0 times infinity, unless
    the op's own gradient is 0 wherever the gradient that comes in is.
    """
    row = OPS.get(node.op)
    idle = facts.differentiated(node) is None or not any(facts.carries(operand) for operand in node.operands)
    if idle or (row is not None and row.keeps_zero):
        return facts.chosen_under(node)
    return ()


def _reach(value: Node, region: Interval, conditions: Conditions, facts: Facts) -> Reach:
    """Whether a value reaches a region where it matters."""
    reach = facts.range(value).reach(region)
    for condition, holds in conditions:
        if refined(facts, condition, holds, value).reach(region) is Reach.NO:
            return Reach.NO
        if reach is Reach.LIKELY and _asks_about(condition, value):
            reach = Reach.UNKNOWN  # the program asks about this value before it takes the result
    return reach


def _asks_about(condition: Node, value: Node) -> bool:
    """Whether a condition and a value are made of the same thing, or one of the other."""
    made = {a.value for a in _ancestors_of(value) if a.op != "const"}
    return any(a.value in made for a in _ancestors_of(condition))


def _ancestors_of(node: Node) -> Iterator[Node]:
    seen: set[Node] = set()
    stack = [node]
    while stack and len(seen) < 100:
        at = stack.pop()
        if at not in seen:
            seen.add(at)
            yield at
            stack.extend(at.operands)


def _harmless(binding: _Binding, conditions: Conditions, facts: Facts) -> bool:
    """Whether the matched ops are all known to keep away from every point at which they break."""
    found = False
    for node in binding.matched:
        row = OPS.get(node.op)
        if facts.dtype(node) in NARROW:
            return False  # where an op breaks is stated for float32 and wider
        for broken in row.breaks if row is not None else ():
            found = True
            place = row.operands.index(broken.operand) if row is not None else 0
            if place >= len(node.operands) or _reach(node.operands[place], broken.region, conditions, facts) is not Reach.NO:
                return False
    return found


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


def _other_dtype(rule: Rule, binding: _Binding, facts: Facts) -> str | None:
    """The floating-point type of an operand that the rule makes no claim for."""
    for captured in binding.captured.values():
        if isinstance(captured, tuple):
            dtype = facts.dtype(captured[0])
            if dtype is not None and ("float" in dtype or "complex" in dtype) and dtype not in rule.dtypes:
                return dtype
    return None


def _role(pattern: Pattern, name: str, node: Node) -> str:
    """What the captured value is to the root: the word the evidence uses for it."""
    row = OPS.get(node.op)
    for place, operand in enumerate(pattern.root.operands):
        if operand.op == "input" and operand.attrs["name"] == name and row is not None and len(row.operands) > 1:
            if node.op in ("divide", "divide_no_nan"):
                return ("dividend", "divisor")[place]
    return "argument"
