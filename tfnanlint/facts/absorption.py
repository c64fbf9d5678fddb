"""Where an infinity ends: an infinite value does no harm if all that takes it makes something finite of it.

The log of a probability that is exactly 0 is -inf, which is the right thing to hand to a sampler or to a maximum.
This is about values only; a gradient passes all of these the other way, and is lost.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from tfnanlint.facts.bounded import bounded, no
from tfnanlint.flow import Node, behind
from tfnanlint.interval import Interval
from tfnanlint.ops import OPS
from tfnanlint.ops.row import EMPTY

if TYPE_CHECKING:
    from tfnanlint.facts.known import Known

GATHERING = frozenset({"stack", "concat", "reshape", "transpose", "expand_dims", "squeeze", "loop", "phi", "getitem"})
"""Ops that hand on each element as it is."""
STEPS = 8
"""How far an infinity is followed."""
BOUNDS = frozenset({"maximum", "minimum", "clip"})
SUMS = frozenset({"add", "subtract"})
LARGEST = frozenset({"top_k"})
"""Ops that give the largest elements of a row."""
LOOKING = frozenset({"unknown", "getitem", "phi", "loop"})
"""What a function looks at its arguments by, besides ops: functions that are not known, and parts."""
MOST_LOOKS = 50
"""Over so many of these it is not followed what becomes of a value."""
BOTH = (-math.inf, math.inf)
"""An infinity whose sign is not known."""


@dataclass(frozen=True)
class _Way:
    """How far an infinity may still be followed, and where it has come from.

    `scattered`: it is of single elements, made by rounding, so that the largest of many elements is not infinite.
    `out`: an infinity that leaves what is seen of the program, on its own, has come to an end as well.
    """

    scattered: bool
    out: bool = False
    steps: int = STEPS
    met: frozenset[Node] = frozenset()

    def past(self, node: Node) -> _Way:
        return replace(self, steps=self.steps - 1, met=self.met | {node})


def handed_out(facts: Known, node: Node, values: tuple[float, ...]) -> bool:
    """Whether the infinity of an element is handed out as one, or made finite, wherever it goes: it makes no NaN, and
    no other element is lost with it.
    """
    return _absorbed(facts, node, values, _Way(_is_scattered(facts, node), out=True))


def _is_scattered(facts: Known, node: Node) -> bool:
    return node.op != "divide" and any(facts.range(operand).saturated for operand in node.operands)


@bounded(no)
def _absorbed(facts: Known, node: Node, values: tuple[float, ...], way: _Way) -> bool:
    users = {user: None for user in node.users if user.op != "gradient"}
    leaves = node in facts.flow.kept
    if not users or way.steps == 0 or (leaves and not way.out):
        return node in way.met or (leaves and way.out and not users)
    return all(
        user in way.met or all(_taken(facts, user, node, value, way.past(node)) for value in values) for user in users
    )


@bounded(no)
def _taken(facts: Known, user: Node, node: Node, value: float, way: _Way) -> bool:
    if _swallows(user, node, value) or (way.scattered and user.op in LARGEST and value < 0):
        return True
    if user.op == "unknown":
        return way.out or _forgotten(facts, user, node)
    row = OPS.get(user.op)
    if way.out and row is not None and "keepdims" in row.attrs:
        return False
    if user.op == "where" and len(user.operands) == 3 and user.operands[0] is not node:
        chosen = _chosen_at(facts, user.operands[0], node, value)
        if chosen is not None and user.operands[1 if chosen else 2] is not node:
            return True
        if way.out:
            return _absorbed(facts, user, (value,), way)
    if (user.op in GATHERING and user.operands[0] is node) or user.op in ("stack", "concat", "loop", "phi"):
        return _absorbed(facts, user, (value,), way)
    if row is None or row.transfer is None or row.operands[-1:] == ("*xs",) or len(user.operands) > len(row.operands):
        return False
    if "*" in row.blocked and not row.same_dtype:
        return True  # a choice, a comparison, a draw
    if user.op in SUMS and len(user.operands) == 2 and user.operands[0] is not user.operands[1]:
        # an infinity less or more anything finite stays what it is
        sign = -value if user.op == "subtract" and user.operands[1] is node else value
        return _absorbed(facts, user, (sign,), way)
    others = [o for o in user.operands if o is not node]
    if user.op not in BOUNDS | SUMS and any(_spoils(facts, user, node, o) for o in others):
        return False
    given = [Interval.point(value) if o is node else facts.range(o).outer for o in user.operands]
    given += [Interval()] * (len(row.operands) - len(given))
    result = row.transfer(*given, attrs=user.attrs)
    if result.lo == result.hi:
        return math.isfinite(result.lo) or _absorbed(facts, user, (result.lo,), way)
    if user.op in ("multiply", "divide") and user.operands[0] is not user.operands[1]:
        signs = (math.inf,) if result.lo >= 0 else (-math.inf,) if result.hi <= 0 else BOTH
        return _absorbed(facts, user, signs, way)
    return False  # nothing certain: a sine of infinity is no number


def _chosen_at(facts: Known, condition: Node, node: Node, value: float) -> bool | None:
    """Whether a comparison of a node with something finite holds where the node is infinite; None if it is no such."""
    op = condition.op.removesuffix("_equal")
    if op not in ("greater", "less") or node not in condition.operands:
        return None
    first = condition.operands[0] is node
    other = facts.range(condition.operands[1 if first else 0]).outer
    if not (math.isfinite(other.lo) and math.isfinite(other.hi)):
        return None
    return (value > 0) == ((op == "greater") == first)


def _forgotten(facts: Known, user: Node, node: Node) -> bool:
    """Whether a function that is called for its result makes nothing of a node in it: it asks for its type, say."""
    depth = len(_calls(node))
    roots = {root.node for root in facts.flow.roots}
    stack, met = [user], {user}
    while stack:
        at = stack.pop()
        calls = _calls(at)
        if at.op not in LOOKING or len(calls) <= depth or id(calls[depth].expr) in facts.flow.commands:
            return False
        if at in roots or at in facts.flow.kept or len(met) > MOST_LOOKS:
            return False
        onward = set(at.users) - met
        met |= onward
        stack += onward
    return True


def _calls(node: Node) -> tuple[Any, ...]:
    """The calls that were followed to where a node is made; none in a traced graph."""
    calls: tuple[Any, ...] = getattr(node.origin, "calls", ())
    return calls


def _spoils(facts: Known, user: Node, node: Node, other: Node) -> bool:
    """Whether another operand makes NaN of an infinity: a 0 that it is multiplied by, an infinity it divides."""
    held = facts.range(other)
    shown = held.outer if held.seen is None and held.outer.lo == held.outer.hi else held.seen
    if shown is None:
        return False  # nothing shows that it does
    if user.op == "divide" and user.operands[1] is node:
        return math.isinf(shown.lo) or math.isinf(shown.hi)
    return 0.0 in shown


def _swallows(user: Node, node: Node, value: float) -> bool:
    """Whether an op makes of an infinity what another operand is: the smaller one, the other term, what is bounded."""
    if user.op in ("reduce_logsumexp", "logaddexp", "maximum", "reduce_max"):
        return value < 0
    if user.op == "clip" and len(user.operands) == 3:
        x, low, high = user.operands
        end, other = (high, low) if value > 0 else (low, high)
        return x is node or (end is node and other is not node)
    return user.op in ("minimum", "reduce_min") and value > 0


def _unmoved(node: Node) -> Node:
    """The value behind an axis that was added, or a shape that was changed."""
    return behind(node, GATHERING | {"identity", "convert_to_tensor"})


@bounded(no)
def zeroed(node: Node, operand: Node, steps: int = STEPS) -> bool:
    """Whether what a node gives where `operand` is 0 is multiplied away by that very 0."""
    users = list(dict.fromkeys(node.users))
    if steps == 0 or not users:
        return False
    for user in users:
        row = OPS.get(user.op)
        if user.op == "multiply_no_nan" and user.operands[0] is node:
            if _unmoved(user.operands[1]).value != _unmoved(operand).value:
                return False
        elif row is None or not zeroed(user, operand, steps - 1):
            return False
    return True


def keeps_zero(node: Node) -> bool:
    """Whether an incoming gradient of 0 is handed on as 0 even where the gradient of a node breaks."""
    row = OPS.get(node.op)
    return row is not None and row.keeps_zero and "ord" not in node.attrs


@bounded(no)
def _bounded(facts: Known, node: Node, values: Interval, steps: int) -> bool:
    """Whether every user of a node takes another value instead of any of `values`."""
    users = {user: None for user in node.users if user.op != "gradient"}
    if not users or steps == 0 or node in facts.flow.kept:
        return False
    for user in users:
        others = [facts.range(other).outer for other in user.operands if other is not node]
        if user.op in GATHERING and user.operands[0] is node:
            if not _bounded(facts, user, values, steps - 1):
                return False
        elif user.op == "divide_no_nan" and user.operands[1] is node and user.operands[0] is not node:
            if values.lo != values.hi or values.lo != 0.0:
                return False
        elif user.op == "maximum" and len(others) == 1:
            if others[0].lo <= values.hi:
                return False
        elif user.op != "minimum" or len(others) != 1 or others[0].hi >= values.lo:
            return False
    return True


def infinities_of(facts: Known, node: Node) -> tuple[float, ...]:
    """The infinities that a node may be at a point where it breaks; none where it may be NaN."""
    row = OPS.get(node.op)
    if node.op == "divide":
        return _of_quotient(facts, *node.operands)
    if node.op == "reciprocal":
        held = facts.range(node.operands[0]).outer
        return (math.inf,) if held.lo >= 0 else (-math.inf,) if held.hi <= 0 else BOTH
    if row is None or row.transfer is None or len(row.operands) != 1:
        return ()
    for broken in row.breaks:
        point = broken.hi if math.isfinite(broken.hi) else broken.lo
        if broken.of == EMPTY or math.isinf(point):
            continue
        seen = facts.range(node.operands[0]).seen
        if broken.lo < broken.hi == point and seen is not None and seen.lo < point:
            return ()
        result = row.transfer(Interval.point(point), attrs=node.attrs)
        if result.lo == result.hi and math.isinf(result.lo):
            return (result.lo,)
    return ()


def _of_quotient(facts: Known, dividend: Node, divisor: Node) -> tuple[float, ...]:
    """What a quotient may be where its divisor is 0, unless the dividend may be 0 with it."""
    over, under = facts.range(dividend), facts.range(divisor)
    if 0.0 in over.outer and (over.seen is None or 0.0 in over.seen or related(dividend, divisor)):
        return ()
    side = under.outer if under.seen is None or under.outer.lo >= 0 or under.outer.hi <= 0 else under.seen
    if not (side.lo >= 0 or side.hi <= 0) or over.outer.lo < 0 < over.outer.hi:
        return BOTH
    return (math.inf,) if (over.outer.lo >= 0) == (side.lo >= 0) else (-math.inf,)


def related(one: Node, other: Node) -> bool:
    """Whether two values are made of the same thing, or one of the other."""
    made = {node.value for node in ancestors(one) if node.op != "const"}
    return any(node.value in made for node in ancestors(other))


def ancestors(
    node: Node, onward: Callable[[Node], Iterable[Node]] = lambda at: at.operands, most: int = 100
) -> Iterator[Node]:
    """A node and all that it is computed from, each once, as far as `onward` leads, and so many `most`."""
    seen: set[Node] = set()
    stack = [node]
    while stack and len(seen) < most:
        at = stack.pop()
        if at not in seen:
            seen.add(at)
            yield at
            stack.extend(onward(at))
