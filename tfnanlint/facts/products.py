"""Relations of products and of sums of them: cosines, dot products, variances, spectra, masks.

One function an op, as in `relations`: each looks at a node and returns a better range than its operands' intervals
give, or None.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from tfnanlint.flow import Node
from tfnanlint.interval import INF, Interval
from tfnanlint.ranges import Range

if TYPE_CHECKING:
    from tfnanlint.facts.facts import Facts

COSINE = Range(Interval(-1.0000004, 1.0000004), Interval(-1.0, 1.0), "a cosine, 1 for equal directions")
SPECTRA = frozenset("stft rfft fft".split())
UNIT_VECTORS = frozenset("l2_normalize normalize".split())


def _behind(node: Node, *ops: str) -> Node:
    while node.op in ("identity", "convert_to_tensor", "transpose", "cast", *ops) and node.operands:
        node = node.operands[0]
    return node


def _is_unit(node: Node) -> bool:
    return _behind(node, "expand_dims", "getitem").op in UNIT_VECTORS


def sum_of_products(facts: Facts, node: Node) -> Range | None:
    """A dot product of unit vectors."""
    product = node.operands[0]
    if product.op == "multiply" and all(_is_unit(o) for o in product.operands):
        return COSINE
    if product.op == "square" and _is_unit(product.operands[0]):
        return Range(Interval(0.0, 1.0000004), Interval(0.0, 1.0), "the length of a normalised vector")
    return None


def matrix_product(facts: Facts, node: Node) -> Range | None:
    """A product of unit vectors; a vector's with itself."""
    x, y = node.operands[:2]
    if _is_unit(x) and _is_unit(y):
        return COSINE
    if node.op == "tensordot" and x.value == y.value and node.attrs.get("axes") in (0, 1) and len(node.attrs) == 1:
        return Range(Interval(0.0, INF), Interval.point(0.0), "a sum of squares, 0 when every term is")
    return None


def einsum(facts: Facts, node: Node) -> Range | None:
    """An Einstein sum of two factors: of unit vectors, or of a value with itself, element by element."""
    if len(node.operands) != 2:
        return None
    terms, _, result = str(node.attrs.get("equation", "")).replace(" ", "").partition("->")
    x, y = node.operands
    first, _, second = terms.partition(",")
    if x.value == y.value and first == second and set(result) <= set(first):
        return Range(Interval(0.0, INF), Interval.point(0.0), "a sum of squares, 0 when every term is")
    return COSINE if _is_unit(x) and _is_unit(y) else None


def part(facts: Facts, node: Node) -> Range | None:
    """The variance that `moments` gives second."""
    whole, place = node.operands[0], node.operands[1] if len(node.operands) > 1 else None
    if whole.op == "moments" and place is not None and place.constant == 1:
        return Range(Interval(0.0, INF), Interval.point(0.0), "a variance, 0 when all elements are equal")
    return None


def magnitude(facts: Facts, node: Node) -> Range | None:
    """The magnitude of a spectrum: 0 for silence."""
    if _behind(node.operands[0]).op in SPECTRA:
        return Range(Interval(0.0, INF), Interval.point(0.0), "the magnitude of a spectrum, 0 for silence")
    return None


def spectrum_part(facts: Facts, node: Node) -> Range | None:
    """The real or imaginary part of a spectrum: 0 for silence."""
    if _behind(node.operands[0]).op in SPECTRA:
        return Range(Interval(), Interval.point(0.0), "a part of a spectrum, 0 for silence")
    return None


def masked(facts: Facts, node: Node) -> Range | None:
    """A bounded value times a mask: 0 at once wherever the mask is, not by the rounding of single elements."""
    if len(node.operands) != 2:
        return None
    held = [facts.range(o) for o in node.operands]
    if any(_behind(o).op == "one_hot" for o in node.operands):
        return None  # no row of which is all zeros
    for mask, other in (held, held[::-1]):
        unit = mask.outer.within(Interval(0.0, 1.0)) and mask.seen == Interval(0.0, 1.0) and not mask.saturated
        if unit and other.saturated and other.outer.lo >= 0.0:
            return Range(other.outer.hull(Interval.point(0.0)), Interval.point(0.0), "a product with a mask")
    return None


def _scaled(node: Node) -> tuple[Node, float]:
    """(x, c) of c * x."""
    if node.op == "multiply":
        for place, other in ((0, 1), (1, 0)):
            factor = node.operands[place].constant
            if isinstance(factor, (int, float)):
                return node.operands[other], float(factor)
    return node, 1.0


def mean_square_less_square_mean(facts: Facts, node: Node) -> Range | None:
    """mean(x ** 2) - c * mean(x) ** 2 with c <= 1: never below 0 but for rounding, and 0 where all elements are."""
    squares, (square, factor) = node.operands[0], _scaled(node.operands[1])
    if squares.op != "reduce_mean" or squares.operands[0].op != "square" or square.op != "square":
        return None
    mean = square.operands[0]
    if mean.op != "reduce_mean" or mean.operands[0].value != squares.operands[0].operands[0].value:
        return None
    if not 0.0 <= factor <= 1.0:
        return None
    return Range(Interval(), Interval.point(0.0), "a mean of squares less the square of the mean")


PRODUCTS: dict[str, Callable[[Facts, Node], Range | None]] = {
    "reduce_sum": sum_of_products,
    "matmul": matrix_product,
    "tensordot": matrix_product,
    "einsum": einsum,
    "getitem": part,
    "abs": magnitude,
    "real": spectrum_part,
    "imag": spectrum_part,
    "multiply": masked,
    "subtract": mean_square_less_square_mean,
}
