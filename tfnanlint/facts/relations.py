"""Relations between values that say more than their intervals do.

One function an op: it looks at a node and the facts of its operands and returns a better range, or
None where it knows nothing special.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from tfnanlint.facts import counts, rows
from tfnanlint.facts.handed import strip
from tfnanlint.facts.products import vanishing
from tfnanlint.facts.running import counts_support
from tfnanlint.flow import Node
from tfnanlint.interval import FLOAT_TYPES, INF, UNIT, Interval
from tfnanlint.ops import OPS
from tfnanlint.ranges import Range

if TYPE_CHECKING:
    from tfnanlint.facts.known import Known

SOURCES_LIMIT = 100
MOST_TERMS = 2.0**40
"""No tensor has more elements than this."""
LEAST = FLOAT_TYPES["float32"].least
"""The least positive float32 that is not flushed to 0."""


def _shift(node: Node) -> Node:
    """The maximum that a shift is, where it is replaced if it is not finite."""
    node = strip(node)
    if node.op == "where" and len(node.operands) == 3:
        kept = [strip(o) for o in node.operands[1:] if strip(o).op == "reduce_max"]
        return kept[0] if len(kept) == 1 else node
    return node


def _difference(facts: Known, node: Node) -> Range | None:
    """x - max(x) <= 0, x - min(x) >= 0, and both are 0 at the extreme; max(x) - min(x) >= 0."""
    x, y = strip(node.operands[0]), _shift(node.operands[1])
    if y.op == "reduce_max" and strip(y.operands[0]).value == x.value:
        return Range(Interval(-INF, 0.0), Interval.point(0.0), "a difference to the maximum")
    if y.op in ("maximum", "minimum") and x.value in [strip(o).value for o in y.operands]:
        side = Interval(-INF, 0.0) if y.op == "maximum" else Interval(0.0, INF)
        return Range(side, Interval.point(0.0), f"a difference to the {'larger' if side.hi == 0 else 'smaller'} of two")
    if y.op == "reduce_min" and strip(y.operands[0]).value == x.value:
        return Range(Interval(0.0, INF), Interval.point(0.0), "a difference to the minimum")
    if x.op == "reduce_max" and y.op == "reduce_min" and x.operands[0].value == y.operands[0].value:
        return Range(
            Interval(0.0, INF), Interval.point(0.0), "a maximum minus a minimum, 0 when all elements are equal"
        )
    if x.value == y.value and x.op != "const":
        return Range(Interval.point(0.0), Interval.point(0.0), "a value minus itself")
    return None


def _norm(facts: Known, node: Node) -> Range | None:
    """The norm of rows that hold an element away from 0, or a cosine and a sine."""
    if "ord" in node.attrs or "order" in node.attrs:
        return None
    found = rows.magnitude(facts, strip(node.operands[0]), node.attrs.get("axis"))
    return Range(found, None, "a norm of rows that are never zero") if found is not None else None


def _largest(facts: Known, node: Node) -> Range | None:
    """The largest magnitude in such rows."""
    x = strip(node.operands[0])
    found = rows.largest(facts, strip(x.operands[0]), node.attrs.get("axis")) if x.op == "abs" else None
    return Range(found, None, "a maximum over rows that are never zero") if found is not None else None


def _pair(facts: Known, node: Node) -> Range | None:
    """cos(x)**2 + sin(x)**2 is 1; of exp(x - max(x, y)) + exp(y - max(x, y)) one term is."""
    x, y = (strip(operand) for operand in node.operands[:2])
    if x.op == y.op == "exp" and _halves_of_a_maximum(strip(x.operands[0]), strip(y.operands[0])):
        return Range(Interval(1.0, 2.0), None, "a sum with a term that is 1")
    if x.op == y.op == "square" and rows.is_angle(strip(x.operands[0]), strip(y.operands[0])):
        return Range(Interval(0.999, 1.001), Interval.point(1.0), "the squares of a cosine and a sine")
    return None


def _halves_of_a_maximum(x: Node, y: Node) -> bool:
    """Whether two differences take the larger of two values from each of them."""
    if not x.op == y.op == "subtract":
        return False
    top, other = strip(x.operands[1]), strip(y.operands[1])
    taken = {strip(x.operands[0]).value, strip(y.operands[0]).value}
    return top.op == "maximum" and top.value == other.value and taken == {strip(o).value for o in top.operands}


def _sum(facts: Known, node: Node) -> Range | None:
    """The sum of exp(x - max(x)) has a term that is 1; a softmax sums to 1; a maximum is among its elements."""
    x = strip(node.operands[0])
    if x.op == "exp" and strip(x.operands[0]).op == "subtract":
        shifted = strip(x.operands[0])
        top, shift = strip(shifted.operands[0]), _shift(shifted.operands[1])
        if shift.op == "reduce_max" and strip(shift.operands[0]).value == top.value:
            same_axis = shift.attrs.get("axis") == node.attrs.get("axis") or "axis" not in node.attrs
            if same_axis and node.op == "reduce_mean":
                return Range(Interval(1 / MOST_TERMS, 1.0), None, "a mean with a term that is 1")
            if same_axis:
                return Range(Interval(1.0, INF), None, "a sum with a term that is 1")
    if node.op == "reduce_sum" and x.op == "multiply":
        return _selection(facts, node, x)
    if node.op == "reduce_sum" and x.op == "softmax" and x.attrs.get("axis", -1) == node.attrs.get("axis"):
        return Range(Interval.point(1.0), Interval.point(1.0), "a softmax summed over its axis")
    if node.op == "reduce_sum" and x.op == "square":
        found = rows.magnitude(facts, strip(x.operands[0]), node.attrs.get("axis"))
        return Range(found.square(), None, "a sum of squares with a term away from 0") if found is not None else None
    if node.op == "reduce_sum" and counts_support(facts, x, node.attrs.get("axis")):
        return Range(Interval(1.0, INF), None, "the size of a support, which holds the first element at least")
    if node.op == "reduce_sum" and counts.marks_one(x, node):
        return Range(Interval(1.0, INF), None, "a count of elements, one at least")
    if node.op == "reduce_sum" and "axis" not in node.attrs and x.op == "sequence_mask":
        return Range(Interval(0.0, INF), None, "the length of all sequences together")
    return None


def _filled(facts: Known, node: Node) -> Range | None:
    """x + c * (x == 0) is above 0 where x is not negative."""
    for x, mark in (node.operands, node.operands[::-1]):
        bump = 1.0
        if mark.op == "multiply" and len(mark.operands) == 2:
            number = mark.operands[0].constant or mark.operands[1].constant
            bump = number if isinstance(number, float) else 0.0
            mark = mark.operands[0] if mark.operands[1].op == "const" else mark.operands[1]
        while mark.op == "cast":
            mark = strip(mark.operands[0])
        if mark.op not in ("equal", "less_equal") or facts.range(x).outer.lo < 0 or bump < LEAST:
            continue
        if strip(mark.operands[0]).value == strip(x).value and mark.operands[1].constant == 0:
            return Range(Interval(LEAST, INF), None, "0 is replaced in it", nonzero=True)
    return None


def _added(facts: Known, node: Node) -> Range | None:
    """Two values that are known together; a value whose zeros are filled."""
    return (_pair(facts, node) or _filled(facts, node)) if len(node.operands) == 2 else None


def _selection(facts: Known, node: Node, product: Node) -> Range | None:
    """The sum of x * one_hot(i, n) over the classes is the element x[i]."""
    for mask, x in (product.operands, reversed(product.operands)):
        mask = strip(mask)
        mask = strip(mask.operands[0]) if mask.op == "cast" else mask
        axis = node.attrs.get("axis")
        if mask.op == "one_hot" and not {"on_value", "off_value"} & set(mask.attrs) and isinstance(axis, int):
            held = facts.range(x)
            if axis == mask.attrs.get("axis", -1):
                return replace(held, outer=held.outer.hull(Interval.point(0.0)))
            total = OPS[node.op].transfer
            if held.saturated and total is not None:  # of a matrix, the last axis; nothing proves that it is one
                return replace(held, outer=total(facts.range(product).outer, attrs=node.attrs))
    return None


def _quotient(facts: Known, node: Node) -> Range | None:
    """x / sum(x) is in [0, 1] where x is not negative; what vanishes does so over something positive, too."""
    x, y = strip(node.operands[0]), strip(node.operands[1])
    total = y.operands[0] if y.op == "add" and y.operands[1].op == "const" else y
    if strip(total).op in ("reduce_sum", "reduce_max") and strip(strip(total).operands[0]).value == x.value:
        held = facts.range(x)
        if held.outer.lo >= 0:
            seen = held.seen is not None and 0.0 in held.seen
            return Range(UNIT, Interval.point(0.0) if seen else None, "a share of a sum", held.saturated)
    return vanishing(facts, node)


_REFINE: dict[str, tuple[Callable[[float], Interval], Callable[[float], Interval]]] = {
    # op: (what x op c says of x, what its denial says)
    "greater": (lambda c: Interval(_above(c), INF), lambda c: Interval(-INF, c)),
    "greater_equal": (lambda c: Interval(c, INF), lambda c: Interval(-INF, _below(c))),
    "less": (lambda c: Interval(-INF, _below(c)), lambda c: Interval(c, INF)),
    "less_equal": (lambda c: Interval(-INF, c), lambda c: Interval(_above(c), INF)),
    "equal": (Interval.point, lambda c: Interval()),
    "not_equal": (lambda c: Interval(), Interval.point),
}
JOINING = frozenset({"logical_not", "logical_and", "logical_or"})
"""Ops that make a condition of conditions."""
_MIRROR = {
    "greater": "less",
    "greater_equal": "less_equal",
    "less": "greater",
    "less_equal": "greater_equal",
    "equal": "equal",
    "not_equal": "not_equal",
}


def _above(c: float) -> float:
    return LEAST if c == 0 else math.nextafter(c, INF)


def _below(c: float) -> float:
    return -LEAST if c == 0 else math.nextafter(c, -INF)


def refined(facts: Known, condition: Node, holds: bool, value: Node) -> Range:
    """The range of `value` where `condition` is known to hold, or not to."""
    held = facts.range(value)
    if condition.op == "logical_not":
        return refined(facts, condition.operands[0], not holds, value)
    if (condition.op == "logical_and" and holds) or (condition.op == "logical_or" and not holds):
        first = refined(facts, condition.operands[0], holds, value)
        second = refined(facts, condition.operands[1], holds, value)
        whole = _refined_through(facts, condition, holds, value)  # what they say of several operands, they say together
        outer = first.outer.meet(second.outer).meet(whole.outer)
        return Range(
            outer,
            _meet(_meet(first.seen, second.seen), outer),
            held.reason,
            held.saturated,
            first.nonzero or second.nonzero,
            held.by_chance,
        )
    if condition.op not in _REFINE or len(condition.operands) != 2:
        return held
    left, right = condition.operands
    op = condition.op
    if strip(right).value == strip(value).value:
        left, right, op = right, left, _MIRROR[op]
    limit = facts.range(right).outer
    if strip(left).value != strip(value).value:
        return _refined_through(facts, condition, holds, value)
    if limit.lo != limit.hi and op in ("equal", "not_equal"):
        return held
    if op in ("equal", "not_equal"):
        if holds == (op == "equal"):
            return Range(limit, limit, held.reason)
        return _without(held, limit.lo)
    upward = (op in ("greater", "greater_equal")) == holds
    bound = limit.lo if upward else limit.hi  # a limit that is itself a range binds by its weaker end
    if math.isinf(bound):
        return held
    allowed = _REFINE[op][0 if holds else 1](bound)
    return replace(held, outer=held.outer.meet(allowed), seen=_meet(held.seen, allowed))


def _refined_through(facts: Known, condition: Node, holds: bool, value: Node) -> Range:
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
    return replace(held, outer=outer, seen=_meet(held.seen, outer))


def _asked(condition: Node) -> Iterator[int]:
    """The value numbers of what the comparisons of a condition compare."""
    for side in condition.operands:
        if condition.op in JOINING:
            yield from _asked(side)
        else:
            yield strip(side).value


def _without(held: Range, point: float) -> Range:
    """A range known to avoid one point."""
    outer = held.outer
    if outer.lo == point:
        outer = Interval(_above(point), outer.hi)
    if outer.hi == point:
        outer = Interval(outer.lo, _below(point))
    return replace(held, outer=outer, seen=_meet(held.seen, outer), nonzero=point == 0)


def _meet(seen: Interval | None, allowed: Interval | None) -> Interval | None:
    if seen is None or allowed is None or seen.hi < allowed.lo or allowed.hi < seen.lo:
        return None
    return seen.meet(allowed)


def _where(facts: Known, node: Node) -> Range | None:
    """where(c, a, b): a under c, b under its denial."""
    if len(node.operands) != 3:
        return None
    condition, x, y = node.operands
    first, second = _chosen(facts, condition, True, x), _chosen(facts, condition, False, y)
    seen = first.seen if second.seen is None else second.seen if first.seen is None else first.seen.hull(second.seen)
    zero_free = (first.nonzero or 0.0 not in first.outer) and (second.nonzero or 0.0 not in second.outer)
    return Range(
        first.outer.hull(second.outer),
        seen,
        first.reason or second.reason,
        first.saturated or second.saturated,
        zero_free,
        by_chance=any(r.by_chance for r in (first, second) if r.seen is not None),
    )


def _chosen(facts: Known, condition: Node, holds: bool, value: Node) -> Range:
    """What is known of one branch; a condition on what it is computed from, not understood, leaves nothing seen."""
    found = refined(facts, condition, holds, value)
    if found.seen is None or value.op == "const" or compares(facts, condition, value):
        return found
    return replace(found, seen=None) if _depends(condition, _sources(value)) else found


def compares(facts: Known, condition: Node, value: Node) -> bool:
    """Whether a condition compares a value itself with something known."""
    if condition.op in JOINING:
        return any(compares(facts, part, value) for part in condition.operands)
    sides = [strip(o).value for o in condition.operands]
    return (
        condition.op in _REFINE
        and strip(value).value in sides
        and any(facts.range(o).outer.lo == facts.range(o).outer.hi for o in condition.operands)
    )


def _sources(value: Node) -> set[int]:
    """The value numbers of all that a value is computed from, element by element."""
    found: set[int] = set()
    stack = [value]
    while stack and len(found) < SOURCES_LIMIT:
        node = stack.pop()
        row = OPS.get(node.op)
        if node.op != "const" and node.value not in found and (row is None or "*" not in row.blocked):
            found.add(node.value)
            stack += node.operands if row is not None and row.elementwise else ()
    return found


def _depends(condition: Node, sources: set[int]) -> bool:
    seen: set[Node] = set()
    stack = [condition]
    while stack and len(seen) < SOURCES_LIMIT:
        node = stack.pop()
        if node.value in sources:
            return True
        if node not in seen:
            seen.add(node)
            stack += node.operands
    return False


def _after_loop(facts: Known, node: Node) -> Range | None:
    """What a loop over something leaves: that there is nothing to go over is no ordinary case."""
    if node.attrs.get("after") != "loop":
        return None
    held = [facts.range(operand) for operand in node.operands]
    outer = held[0].outer
    for one in held[1:]:
        outer = outer.hull(one.outer)
    seen = held[1].seen
    for one in held[2:]:
        seen = seen.hull(one.seen) if seen is not None and one.seen is not None else None
    return replace(held[1], outer=outer, seen=seen)


def _extreme(facts: Known, node: Node) -> Range | None:
    """The larger or smaller of a value of which nothing is seen and one that is no constant: nothing is seen."""
    held = [facts.range(o) for o in node.operands]
    unseen = [r.seen is None for r in held]
    if len(held) != 2 or unseen[0] == unseen[1]:
        return None
    other = held[0] if unseen[1] else held[1]
    if other.outer.lo == other.outer.hi:
        return None
    pick = Interval.maximum if node.op == "maximum" else Interval.minimum
    return Range(pick(held[0].outer, held[1].outer), None, "a maximum" if node.op == "maximum" else "a minimum")


RELATIONS: dict[str, Callable[[Known, Node], Range | None]] = {
    "subtract": _difference,
    "reduce_sum": _sum,
    "reduce_mean": _sum,
    "norm": _norm,
    "reduce_euclidean_norm": _norm,
    "reduce_max": _largest,
    "add": _added,
    "divide": _quotient,
    "where": _where,
    "phi": _after_loop,
    "maximum": _extreme,
    "minimum": _extreme,
}
