"""Relations between values that say more than their intervals do.

One function an op: it looks at a node and the facts of its operands and returns a better range, or
None where it knows nothing special. What it returns is proved: it holds whatever the data is.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from tfnanlint.facts import counts, rows
from tfnanlint.facts.handed import COPIED, RETYPED, strip
from tfnanlint.facts.reasons import either
from tfnanlint.facts.refined import LEAST, refined
from tfnanlint.flow import Node, behind
from tfnanlint.interval import INF, UNIT, Interval
from tfnanlint.ranges import Range

if TYPE_CHECKING:
    from tfnanlint.facts.view import FactsView

ABOVE, BELOW, ONE = Interval(0.0, INF), Interval(-INF, 0.0), Interval.point(1.0)
COSINE = Range(Interval(-1.0000004, 1.0000004), "a cosine, 1 for equal directions")
SQUARES = Range(ABOVE, "a sum of squares, 0 when every term is")
PICKING = frozenset({"boolean_mask", "gather_nd", "gather"})
"""Ops that keep some elements; the gathering ones do so by a mask where `where` tells at which places it holds."""
POINTING = frozenset({"getitem", "reshape", "squeeze", "cast"})
"""Ops behind which the places of elements are still what they are."""
UNIT_VECTORS = frozenset({"l2_normalize", "normalize"})
LEAST_MARKED = {"equal": 0.0, "less_equal": 0.0, "less": LEAST}
"""Comparisons that hold for 0, with the least number that it takes for this."""
MOST_TERMS = 2.0**40
"""No tensor has more elements than this."""


def _shift(node: Node) -> Node:
    """The `reduce_max` behind a shift, through reshapes and a `where` that replaces it where it is not finite."""
    node = counts.reshaped(node)
    if node.op == "where" and len(node.operands) == 3:
        kept = [strip(o) for o in node.operands[1:] if strip(o).op == "reduce_max"]
        return kept[0] if len(kept) == 1 else node
    return node


def _difference(facts: FactsView, node: Node) -> Range | None:
    """x - max(x) <= 0, x - min(x) >= 0; max(x) - min(x) >= 0."""
    x, y = strip(node.operands[0]), _shift(node.operands[1])
    if y.op == "reduce_max" and strip(y.operands[0]).value == x.value:
        return Range(BELOW, "a difference from the maximum")
    if y.op == "reduce_min" and strip(y.operands[0]).value == x.value:
        return Range(ABOVE, "a difference from the minimum")
    if y.op in ("maximum", "minimum") and x.value in [strip(o).value for o in y.operands]:
        larger = y.op == "maximum"
        return Range(BELOW if larger else ABOVE, f"a difference from the {'larger' if larger else 'smaller'} of two")
    top = counts.reshaped(x)
    if top.op == "reduce_max" and y.op == "reduce_min" and top.operands[0].value == y.operands[0].value:
        return Range(ABOVE, "a maximum minus a minimum, 0 when all elements are equal")
    return Range(Interval.point(0.0), "a value minus itself") if x.value == y.value and x.op != "const" else None


def _norm(facts: FactsView, node: Node) -> Range | None:
    """The norm of rows that hold an element away from 0, or a cosine and a sine."""
    if "ord" in node.attrs or "order" in node.attrs:
        return None
    found = rows.magnitude(facts, strip(node.operands[0]), node.attrs.get("axis"))
    return Range(found, "a norm of rows that are never zero") if found is not None else None


def _largest(facts: FactsView, node: Node) -> Range | None:
    """The largest magnitude in such rows."""
    x = strip(node.operands[0])
    if x.op == "softmax" and x.attrs.get("axis", -1) == node.attrs.get("axis"):
        return Range(Interval(1 / MOST_TERMS, 1.0), "the largest of a softmax")
    found = rows.largest(facts, strip(x.operands[0]), node.attrs.get("axis")) if x.op == "abs" else None
    return Range(found, "a maximum over rows that are never zero") if found is not None else None


def _added(facts: FactsView, node: Node) -> Range | None:
    """Two values that are known together; a value whose zeros are filled."""
    return _pair(node) or _filled(facts, node) if len(node.operands) == 2 else None


def _pair(node: Node) -> Range | None:
    """cos(x)**2 + sin(x)**2 is 1; of exp(x - max(x, y)) + exp(y - max(x, y)) one term is."""
    x, y = (strip(operand) for operand in node.operands)
    if x.op == y.op == "exp" and _halves_of_a_maximum(strip(x.operands[0]), strip(y.operands[0])):
        return Range(Interval(1.0, 2.0), "a sum with a term that is 1")
    if x.op == y.op == "square" and rows.is_angle(strip(x.operands[0]), strip(y.operands[0])):
        return Range(Interval(0.999, 1.001), "the squares of a cosine and a sine")
    return None


def _halves_of_a_maximum(x: Node, y: Node) -> bool:
    """Whether two differences take the larger of two values from each of them."""
    if not x.op == y.op == "subtract":
        return False
    top, other = strip(x.operands[1]), strip(y.operands[1])
    taken = {strip(x.operands[0]).value, strip(y.operands[0]).value}
    return top.op == "maximum" and top.value == other.value and taken == {strip(o).value for o in top.operands}


def _filled(facts: FactsView, node: Node) -> Range | None:
    """x + c * (x == 0) is above 0 where x is not negative."""
    for x, mark in (node.operands, node.operands[::-1]):
        bump = 1.0
        if mark.op == "multiply" and len(mark.operands) == 2:
            number = mark.operands[0].constant or mark.operands[1].constant
            bump = number if isinstance(number, (int, float)) else 0.0
            mark = mark.operands[0] if mark.operands[1].op == "const" else mark.operands[1]
        mark = behind(mark, RETYPED)
        if mark.op not in LEAST_MARKED or strip(mark.operands[0]).value != strip(x).value:
            continue
        limit = mark.operands[1].constant
        marked = isinstance(limit, (int, float)) and limit >= LEAST_MARKED[mark.op]
        if marked and bump >= LEAST and facts.range(x).outer.lo >= 0 and (limit == 0 or mark.op != "equal"):
            return Range(Interval(min(bump, limit) or LEAST, INF), "its zeros are replaced", nonzero=True)
    return None


def _sum(facts: FactsView, node: Node) -> Range | None:
    """The sum of exp(x - max(x)) has a term that is 1; a softmax sums to 1; a maximum is among its elements."""
    x, axis = strip(node.operands[0]), node.attrs.get("axis")
    if x.op == "exp" and strip(x.operands[0]).op == "subtract":
        shifted = strip(x.operands[0])
        top, shift = strip(shifted.operands[0]), _shift(shifted.operands[1])
        along = shift.attrs.get("axis") == axis or "axis" not in node.attrs
        if along and shift.op == "reduce_max" and strip(shift.operands[0]).value == top.value:
            if node.op == "reduce_mean":
                return Range(Interval(1 / MOST_TERMS, 1.0), "a mean with a term that is 1")
            return Range(Interval(1.0, INF), "a sum with a term that is 1")
    if node.op != "reduce_sum":
        return None
    if x.op == "multiply":
        return _of_products(facts, node, x)
    if x.op == "softmax" and x.attrs.get("axis", -1) == axis:
        return Range(ONE, "a softmax summed over its axis")
    if x.op == "square" and _is_unit(x.operands[0], axis):
        return Range(Interval(0.0, 1.0000004), "the squared length of a unit vector, 0 for a vector of zeros")
    if x.op == "square":
        found = rows.magnitude(facts, strip(x.operands[0]), axis)
        return Range(found.square(), "a sum of squares with a term away from 0") if found is not None else None
    if counts.marks_one(x, node) or counts.chooses_one(x, node):
        return Range(Interval(1.0, INF), "a count of at least one element")
    return None


def _of_products(facts: FactsView, node: Node, product: Node) -> Range | None:
    """Dot products of unit vectors; the sum of x * one_hot(i, n) over the classes is the element x[i]."""
    axis = node.attrs.get("axis")
    if all(_is_softmax_along(o, axis) for o in product.operands):
        return Range(UNIT, "a product of two softmaxes, 0 where they do not overlap")
    if all(_is_unit(o, axis) for o in product.operands):
        return COSINE
    for mask, x in (product.operands, product.operands[::-1]):
        mask = behind(mask, RETYPED)
        plain = mask.op == "one_hot" and not {"on_value", "off_value"} & set(mask.attrs)
        if plain and isinstance(axis, int) and axis == mask.attrs.get("axis", -1):
            held = facts.range(x)
            return replace(held, outer=held.outer.hull(Interval.point(0.0)), nonzero=False)
    return None


def _is_unit(node: Node, axis: object) -> bool:
    """Whether a value consists of vectors of length 1 along an axis, or has this length as a whole.

    `normalize` gives the lengths second. A transpose without a permutation is one of a matrix.
    """
    in_place = COPIED - {"transpose"} | ({"expand_dims"} if axis == -1 else set())
    node = behind(node, in_place)
    if node.op == "transpose" and not node.attrs and axis in (-1, -2):
        return _is_unit(node.operands[0], -3 - axis)
    if node.op == "getitem" and node.operands[0].op == "normalize":
        node = node.operands[0]
    along = node.attrs.get("axis")
    return node.op in UNIT_VECTORS and (along is None or along == axis)


def _is_softmax_along(node: Node, axis: object) -> bool:
    """Whether a value is a softmax along an axis, or a slice of one that keeps this axis."""
    node = behind(node, COPIED | {"expand_dims"} if axis == -1 else COPIED)
    return node.op == "softmax" and node.attrs.get("axis", -1) == axis


def _matrix_product(facts: FactsView, node: Node) -> Range | None:
    """A product of unit vectors; a vector's with itself."""
    x, y = node.operands[:2]
    turned = [node.attrs.get(name, False) for name in ("transpose_a", "transpose_b")]
    if node.op == "matmul" and _is_unit(x, -2 if turned[0] else -1) and _is_unit(y, -1 if turned[1] else -2):
        return COSINE
    whole = node.op == "tensordot" and node.attrs.get("axes") in (0, 1) and len(node.attrs) == 1
    return SQUARES if whole and x.value == y.value else None


def _einsum(facts: FactsView, node: Node) -> Range | None:
    """An Einstein sum of two factors: of unit vectors, or of a value with itself, element by element."""
    if len(node.operands) != 2:
        return None
    terms, _, result = str(node.attrs.get("equation", "")).replace(" ", "").partition("->")
    x, y = node.operands
    first, _, second = terms.partition(",")
    if x.value == y.value and first == second and set(result) <= set(first):
        return SQUARES
    added = [letter for letter in first if letter in second and letter not in result]
    if len(added) != 1 or not first.isalpha() or not second.isalpha():
        return None
    places = (term.index(added[0]) - len(term) for term in (first, second))
    return COSINE if all(_is_unit(one, place) for one, place in zip((x, y), places, strict=True)) else None


def _part(facts: FactsView, node: Node) -> Range | None:
    """The variance that `moments` gives second, the largest elements, counts of what occurs, the singular values."""
    whole, place = node.operands[0], node.operands[1].constant if len(node.operands) > 1 else None
    if whole.op == "moments" and place == 1:
        return Range(ABOVE, "a variance, 0 when all elements are equal")
    if (whole.op, place) in (("top_k", 0), ("unique", 0), ("unique_with_counts", 0)):
        return facts.range(whole.operands[0])
    if whole.op == "unique_with_counts" and place == 2:
        return Range(Interval(1.0, INF), "counts of what occurs")
    return (
        Range(ABOVE, "singular values, 0 where a matrix does not have full rank")
        if whole.op == "svd" and place == 0
        else None
    )


def _quotient(facts: FactsView, node: Node) -> Range | None:
    """x / sum(x) is in [0, 1] where x is not negative."""
    x, y = strip(node.operands[0]), strip(node.operands[1])
    total = counts.reshaped(y.operands[0] if y.op == "add" and y.operands[1].op == "const" else y)
    if total.op in ("reduce_sum", "reduce_max") and strip(total.operands[0]).value == x.value:
        return Range(UNIT, "a share of a sum") if facts.range(x).outer.lo >= 0 else None
    return None


def _where(facts: FactsView, node: Node) -> Range | None:
    """where(c, a, b): a under c, b under its denial."""
    if len(node.operands) != 3:
        return None
    condition, x, y = node.operands
    return _either(refined(facts, condition, True, x), refined(facts, condition, False, y))


def _either(first: Range, second: Range) -> Range:
    """One of two values, each with what is known of it where it is taken."""
    zero_free = all(one.nonzero or 0.0 not in one.outer for one in (first, second))
    return Range(first.outer.hull(second.outer), either((first, second)), zero_free)


def _mask_of(node: Node) -> Node | None:
    """The mask that says which elements of its first operand a node keeps: it drops the others."""
    if len(node.operands) < 2:
        return None
    index = node.operands[1]
    if node.op == "boolean_mask":
        return index
    index = behind(index, POINTING)
    return index.operands[0] if index.op == "where" and len(index.operands) == 1 else None


def _picked(facts: FactsView, node: Node) -> Range | None:
    """What a mask keeps: its condition holds of it."""
    mask = _mask_of(node)
    return refined(facts, mask, True, node.operands[0]) if mask is not None else None


def _decided(facts: FactsView, node: Node) -> Range | None:
    """The range of a value behind an `if` whose condition compares it."""
    condition = facts.flow.decided.get(node)
    if condition is None:
        return None
    held = [facts.range(operand) for operand in node.operands]
    first, second = (refined(facts, condition, place == 0, operand) for place, operand in enumerate(node.operands))
    return _either(first, second) if [first, second] != held else None


RELATIONS: dict[str, Callable[[FactsView, Node], Range | None]] = {
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
    "matmul": _matrix_product,
    "tensordot": _matrix_product,
    "einsum": _einsum,
    "getitem": _part,
}
