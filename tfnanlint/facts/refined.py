"""What a condition that is known to hold, or not to, says of a value."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from tfnanlint.facts.handed import strip
from tfnanlint.facts.recursion_limit import bounded
from tfnanlint.flow import Node
from tfnanlint.interval import FLOAT_TYPES, INF, Interval
from tfnanlint.ops import OPS
from tfnanlint.ranges import Range

if TYPE_CHECKING:
    from tfnanlint.facts.view import FactsView

LEAST = FLOAT_TYPES["float32"].least
"""The least positive float32 that is not flushed to 0."""

_SIDES: dict[str, Callable[[float], Interval]] = {
    "greater": lambda c: Interval(_above(c), INF),
    "greater_equal": lambda c: Interval(c, INF),
    "less": lambda c: Interval(-INF, _below(c)),
    "less_equal": lambda c: Interval(-INF, c),
}
"""What x op c says of x."""
JOINING = frozenset({"logical_not", "logical_and", "logical_or", "reduce_all", "reduce_any"})
"""Ops that make a condition of conditions."""
_MIRROR = {
    "greater": "less",
    "greater_equal": "less_equal",
    "less": "greater",
    "less_equal": "greater_equal",
    "equal": "equal",
    "not_equal": "not_equal",
}
_DENIAL = {
    "greater": "less_equal",
    "greater_equal": "less",
    "less": "greater_equal",
    "less_equal": "greater",
    "equal": "not_equal",
    "not_equal": "equal",
}


def _above(c: float) -> float:
    return LEAST if c == 0 else math.nextafter(c, INF)


def _below(c: float) -> float:
    return -LEAST if c == 0 else math.nextafter(c, -INF)


@bounded(lambda facts, condition, holds, value: facts.range(value))
def refined(facts: FactsView, condition: Node, holds: bool, value: Node) -> Range:
    """The range of `value` where `condition` is known to hold, or not to."""
    held = facts.range(value)
    if condition.op == "logical_not":
        return refined(facts, condition.operands[0], not holds, value)
    if condition.op == ("reduce_all" if holds else "reduce_any"):
        return refined(facts, condition.operands[0], holds, value)
    if (condition.op == "logical_and" and holds) or (condition.op == "logical_or" and not holds):
        first = refined(facts, condition.operands[0], holds, value)
        second = refined(facts, condition.operands[1], holds, value)
        whole = _refined_through(facts, condition, holds, value)  # what they say of several operands, they say together
        outer = first.outer.meet(second.outer).meet(whole.outer)
        return Range(outer, held.reason, first.nonzero or second.nonzero)
    if condition.op not in _DENIAL or len(condition.operands) != 2:
        return held
    left, right = condition.operands
    op = condition.op if holds else _DENIAL[condition.op]
    if strip(right).value == strip(value).value:
        left, right, op = right, left, _MIRROR[op]
    if strip(left).value != strip(value).value:
        if value.op == "subtract" and (apart := _apart(condition, holds, value)) is not None:
            return replace(held, outer=held.outer.meet(apart))
        return _refined_through(facts, condition, holds, value)
    limit = facts.range(right).outer
    if op in ("equal", "not_equal"):
        if limit.lo != limit.hi:
            return held
        return Range(limit, held.reason) if op == "equal" else _without(held, limit.lo)
    bound = limit.lo if op.startswith("greater") else limit.hi  # a limit that is itself a range binds by its weaker end
    return held if math.isinf(bound) else replace(held, outer=held.outer.meet(_SIDES[op](bound)))


def _apart(condition: Node, holds: bool, difference: Node) -> Interval | None:
    """What x > y, or x > y + c, says of x - y."""
    op = condition.op if holds else _DENIAL[condition.op]
    more, less = condition.operands if op.startswith("greater") else condition.operands[::-1]
    least = 0.0
    if less.op in ("add", "subtract") and isinstance(less.operands[1].constant, (int, float)):
        least = less.operands[1].constant * (1 if less.op == "add" else -1)
        less = less.operands[0]
    if op in ("equal", "not_equal") or least < 0:
        return None
    least = max(least, 0.0 if op.endswith("equal") else LEAST)
    x, y = (strip(operand).value for operand in difference.operands)
    if (x, y) == (strip(more).value, strip(less).value):
        return Interval(least, INF)
    if (y, x) == (strip(more).value, strip(less).value):
        return Interval(-INF, -least)
    return None


def _refined_through(facts: FactsView, condition: Node, holds: bool, value: Node) -> Range:
    """The range of a function of what a condition speaks of."""
    held, row = facts.range(value), OPS.get(value.op)
    if row is None or row.transfer is None or not row.elementwise or len(value.operands) != len(row.operands):
        return held
    asked = set(_asked(condition))
    if not any(strip(operand).value in asked for operand in value.operands):
        return held
    known = [
        refined(facts, condition, holds, operand) if strip(operand).value in asked else facts.range(operand)
        for operand in value.operands
    ]
    outer = row.transfer(*[one.outer for one in known], attrs=value.attrs).meet(held.outer)
    return replace(held, outer=outer)


def _asked(condition: Node) -> Iterator[int]:
    """The value numbers of what the comparisons of a condition compare."""
    waiting, seen = [condition], {condition}
    while waiting:
        at = waiting.pop()
        if at.op not in JOINING:
            yield from (strip(side).value for side in at.operands)
            continue
        inner = [side for side in at.operands if side not in seen]
        seen.update(inner)
        waiting += reversed(inner)


def _without(held: Range, point: float) -> Range:
    """A range known to avoid one point."""
    outer = held.outer
    if outer.lo == point:
        outer = Interval(_above(point), outer.hi)
    if outer.hi == point:
        outer = Interval(outer.lo, _below(point))
    return replace(held, outer=outer, nonzero=held.nonzero or point == 0)
