"""Relations between values that say more than their intervals do.

One function an op: it looks at a node and the facts of its operands and returns a better range, or
None where it knows nothing special.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from tfnanlint.facts import counts, rows, units
from tfnanlint.facts.chosen import PICKING, mask_of
from tfnanlint.facts.decay import decayed
from tfnanlint.facts.handed import strip
from tfnanlint.facts.overlaps import perfect, two_shares
from tfnanlint.facts.products import vanishing
from tfnanlint.facts.refined import LEAST, compares, refined
from tfnanlint.facts.running import counts_support
from tfnanlint.facts.uses import sums_weights
from tfnanlint.flow import Node
from tfnanlint.interval import INF, UNIT, UNKNOWN, Interval
from tfnanlint.ops import OPS
from tfnanlint.ranges import Range

if TYPE_CHECKING:
    from tfnanlint.facts.known import Known

SOURCES_LIMIT = 100
SHIFTED = Range(Interval(0.0, INF), None, "a length of what a number keeps off 0", nonzero=True)
MOST_TERMS = 2.0**40
"""No tensor has more elements than this."""


def _shift(node: Node) -> Node:
    """The maximum that a shift is, whatever its shape, and where it is replaced if it is not finite."""
    node = counts.reshaped(node)
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
    top = counts.reshaped(x)
    if top.op == "reduce_max" and y.op == "reduce_min" and top.operands[0].value == y.operands[0].value:
        return Range(
            Interval(0.0, INF), Interval.point(0.0), "a maximum minus a minimum, 0 when all elements are equal"
        )
    if x.value == y.value and x.op != "const":
        return Range(Interval.point(0.0), Interval.point(0.0), "a value minus itself")
    return _of_choices(facts, x, y)


def _of_choices(facts: Known, x: Node, y: Node) -> Range | None:
    """Of two values, each of which a condition of its own makes the same number, the difference is not seen to be 0."""
    chosen = [set(node.operands[1:]) for node in (x, y) if node.op == "where" and len(node.operands) == 3]
    if len(chosen) != 2 or x.operands[0].value == y.operands[0].value:
        return None
    numbers = [{one.constant for one in branches if one.op == "const"} for branches in chosen]
    if numbers[0] != numbers[1] or len(numbers[0]) != 1 or any(facts.range(n).seen is None for n in (x, y)):
        return None
    first, second = facts.range(x).outer, facts.range(y).outer
    return Range(first - second, None, facts.range(x).reason)


def _norm(facts: Known, node: Node) -> Range | None:
    """The norm of rows that hold an element away from 0, or a cosine and a sine."""
    if "ord" in node.attrs or "order" in node.attrs:
        return None
    if units.is_unit(node.operands[0], node.attrs.get("axis")):
        return Range(Interval(0.999, INF), Interval.point(1.0), "the norm of what was divided by it")
    if units.turned(node.operands[0]):
        return Range(Interval(LEAST, INF), None, "the norm of a matrix times a vector of norm 1")
    if "axis" not in node.attrs and units.regular(node.operands[0]):
        return Range(Interval(LEAST, INF), None, "the norm of a matrix of full rank")
    if rows.kept_off_zero(node.operands[0]):
        return SHIFTED
    found = rows.magnitude(facts, strip(node.operands[0]), node.attrs.get("axis"))
    return Range(found, None, "a norm of rows that are never zero") if found is not None else None


def _largest(facts: Known, node: Node) -> Range | None:
    """The largest magnitude in such rows."""
    x = strip(node.operands[0])
    if x.op == "softmax" and x.attrs.get("axis", -1) == node.attrs.get("axis"):
        return Range(Interval(1 / MOST_TERMS, 1.0), None, "the largest of a softmax")
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
        return _largest_kept(x) or _selection(facts, node, x)
    if node.op == "reduce_sum" and x.op == "softmax" and x.attrs.get("axis", -1) == node.attrs.get("axis"):
        return Range(Interval.point(1.0), Interval.point(1.0), "a softmax summed over its axis")
    if node.op == "reduce_sum" and x.op == "square":
        if rows.kept_off_zero(x.operands[0]):
            return SHIFTED
        found = rows.magnitude(facts, strip(x.operands[0]), node.attrs.get("axis"))
        return Range(found.square(), None, "a sum of squares with a term away from 0") if found is not None else None
    if node.op == "reduce_sum" and x.op in ("abs", "square") and units.is_unit(x.operands[0], node.attrs.get("axis")):
        return Range(Interval(0.999, INF), None, "a sum over a vector of norm 1")
    if node.op == "reduce_sum" and x.op == "stack" and any(facts.range(one).seen is None for one in x.operands):
        return Range(_total(facts, node, x), None, "a sum of values not all of which are seen to be 0")
    if node.op == "reduce_sum" and counts_support(facts, x, node.attrs.get("axis")):
        return Range(Interval(1.0, INF), None, "the size of a support, which holds the first element at least")
    if facts.range(x).outer.unknown and not facts.range(x).shown and sums_weights(node):
        return Range(UNKNOWN, Interval.point(0.0), "a sum of weights, 0 where nothing is selected")
    if node.op == "reduce_sum" and x.op == "relu" and _above_a_part(x.operands[0]):
        return Range(
            Interval(LEAST, INF), None, "a sum with terms above 0, as an element is at least the least of some"
        )
    if node.op == "reduce_sum" and (counts.marks_one(x, node) or counts.chooses_one(x, node)):
        return Range(Interval(1.0, INF), None, "a count of elements, one at least")
    if node.op == "reduce_sum" and "axis" not in node.attrs and x.op == "sequence_mask":
        return Range(Interval(0.0, INF), Interval(1.0, INF), "the length of all sequences together")
    if node.op == "reduce_sum" and "axis" not in node.attrs and counts.counts_rows(x):
        return Range(Interval(0.0, INF), Interval(1.0, INF), "the number of rows that are encoded")
    return None


def _largest_kept(product: Node) -> Range | None:
    """Of exp(x - max(x)) * mask, with an x that the mask replaces where it is 0, a term that is 1 is let through."""
    for power, mask in (product.operands, product.operands[::-1]):
        power = strip(power)
        shifted = strip(power.operands[0]) if power.op == "exp" else power
        if shifted.op != "subtract":
            continue
        x, top = strip(shifted.operands[0]), _shift(shifted.operands[1])
        shift = top.op == "reduce_max" and strip(top.operands[0]).value == x.value
        if shift and x.op == "where" and strip(mask).value in [strip(o).value for o in x.operands[0].operands]:
            return Range(Interval(LEAST, INF), None, "a sum that holds its largest term")
    return None


def _total(facts: Known, node: Node, x: Node) -> Interval:
    """The range of a sum, whatever is seen of it."""
    total = OPS[node.op].transfer
    return total(facts.range(x).outer, attrs=node.attrs) if total is not None else Interval()


def _above_a_part(node: Node) -> bool:
    """Whether a value is x - min(y) + c, with y some of the elements of x and c > 0: some of it is c at least."""
    node = strip(node)
    if node.op != "add" or len(node.operands) != 2:
        return False
    for gap, bump in (node.operands, node.operands[::-1]):
        gap = strip(gap)
        size = bump.constant
        if gap.op != "subtract" or not isinstance(size, float) or size < LEAST:
            continue
        x, least = strip(gap.operands[0]), strip(gap.operands[1])
        some = strip(least.operands[0]) if least.op == "reduce_min" else least
        if some.op == "getitem" and some.operands[1].constant == 0 and strip(some.operands[0]).op == "top_k":
            some = strip(strip(some.operands[0]).operands[0])
        if least.op == "reduce_min" and some.value == x.value:
            return True
    return False


def _filled(facts: Known, node: Node) -> Range | None:
    """x + c * (x == 0) is above 0 where x is not negative."""
    for x, mark in (node.operands, node.operands[::-1]):
        bump = 1.0
        if mark.op == "multiply" and len(mark.operands) == 2:
            number = mark.operands[0].constant or mark.operands[1].constant
            bump = number if isinstance(number, (int, float)) else 0.0
            mark = mark.operands[0] if mark.operands[1].op == "const" else mark.operands[1]
        while mark.op == "cast":
            mark = strip(mark.operands[0])
        limit = mark.operands[1].constant if len(mark.operands) == 2 else None
        limit = limit if isinstance(limit, float) else 0.0
        raised = limit > 0 and bump >= LEAST and facts.range(x).outer.lo >= 0
        if raised and mark.op in ("less", "less_equal") and strip(mark.operands[0]).value == strip(x).value:
            return Range(Interval(min(bump, limit), INF), None, "what is small is raised in it", nonzero=True)
        if mark.op not in ("equal", "less_equal") or facts.range(x).outer.lo < 0 or bump < LEAST:
            continue
        if strip(mark.operands[0]).value == strip(x).value and mark.operands[1].constant == 0:
            return Range(Interval(LEAST, INF), None, "0 is replaced in it", nonzero=True)
    return None


def _added(facts: Known, node: Node) -> Range | None:
    """Two values that are known together; a value whose zeros are filled."""
    return (_pair(facts, node) or _filled(facts, node) or two_shares(facts, node)) if len(node.operands) == 2 else None


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
    total = counts.reshaped(y.operands[0] if y.op == "add" and y.operands[1].op == "const" else y)
    if total.op in ("reduce_sum", "reduce_max") and strip(total.operands[0]).value == x.value:
        held = facts.range(x)
        if held.outer.lo >= 0:
            seen = held.seen is not None and 0.0 in held.seen
            return Range(UNIT, Interval.point(0.0) if seen else None, "a share of a sum", held.saturated)
    return perfect(facts, node) or vanishing(facts, node)


def _where(facts: Known, node: Node) -> Range | None:
    """where(c, a, b): a under c, b under its denial."""
    if len(node.operands) != 3:
        return None
    condition, x, y = node.operands
    found = _either(_chosen(facts, condition, True, x), _chosen(facts, condition, False, y))
    return replace(found, seen=None) if _looks_up(x, y) else found


def _either(first: Range, second: Range) -> Range:
    """One of two values, each with what is known of it where it is taken."""
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


def _looks_up(x: Node, y: Node) -> bool:
    """Whether one of several numbers is chosen, and 0 where it is none of them: nobody means that one."""
    numbers = [strip(x)]
    while (y := strip(y)).op == "where" and len(y.operands) == 3:
        numbers.append(strip(y.operands[1]))
        y = y.operands[2]
    return len(numbers) > 1 and y.constant == 0 and all(n.op == "const" and n.constant != 0 for n in numbers)


def _chosen(facts: Known, condition: Node, holds: bool, value: Node) -> Range:
    """What is known of one branch; a condition on what it is computed from, not understood, leaves nothing seen."""
    found = refined(facts, condition, holds, value)
    if found.seen is None or value.op == "const" or compares(facts, condition, value):
        return found
    return replace(found, seen=None) if _depends(condition, _sources(value)) else found


def _picked(facts: Known, node: Node) -> Range | None:
    """What a mask keeps: its condition holds of it."""
    mask = mask_of(node)
    return _chosen(facts, mask, True, node.operands[0]) if mask is not None else None


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


def _decided(facts: Known, node: Node) -> Range | None:
    """What an `if` leaves of a value that it asks about."""
    condition = facts.flow.decided.get(node)
    if condition is None:
        return _after_loop(facts, node)
    held = [facts.range(operand) for operand in node.operands]
    first, second = (refined(facts, condition, place == 0, operand) for place, operand in enumerate(node.operands))
    return _either(first, second) if [first, second] != held else None


def _after_loop(facts: Known, node: Node) -> Range | None:
    """What a loop over something leaves: that there is nothing to go over is no ordinary case."""
    if node.attrs.get("after") != "loop":
        return None
    if (found := decayed(facts, node)) is not None:
        return found
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
    **dict.fromkeys(PICKING, _picked),
    "phi": _decided,
    "maximum": _extreme,
    "minimum": _extreme,
}
