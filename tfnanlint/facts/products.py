"""Relations of products and of sums of them: cosines, dot products, variances, spectra, masks.

One function an op, as in `relations`: each looks at a node and returns a better range than its operands' intervals
give, or None.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from tfnanlint.facts.bounded import bounded, no
from tfnanlint.facts.handed import COPIED
from tfnanlint.facts.kinds import knows
from tfnanlint.flow import Node, behind
from tfnanlint.interval import INF, Interval
from tfnanlint.ops import OPS
from tfnanlint.ranges import Range

if TYPE_CHECKING:
    from tfnanlint.facts.known import Known

COSINE = Range(Interval(-1.0000004, 1.0000004), Interval(-1.0, 1.0), "a cosine, 1 for equal directions")
EIGENVALUES = Range(Interval(), Interval.point(0.0), "eigenvalues of a Gram matrix, 0 where it has no full rank")
QUADRATIC = Range(Interval(), Interval.point(0.0), "a quadratic form, 0 for a vector of zeros")
SPECTRA = frozenset("stft rfft fft".split())
MEANS = frozenset({"reduce_mean", "average_pool"})
SUMMING = frozenset("reduce_sum reduce_mean reshape squeeze expand_dims getitem".split())
UNIT_VECTORS = frozenset("l2_normalize normalize".split())


def _is_unit(node: Node) -> bool:
    return behind(node, COPIED | {"expand_dims", "getitem"}).op in UNIT_VECTORS


def _is_softmax_along(node: Node, axis: object) -> bool:
    """Whether a value, or a slice of it that leaves its last axis, is a softmax along an axis."""
    node = behind(node, COPIED | {"expand_dims"} if axis == -1 else COPIED)
    return node.op == "softmax" and node.attrs.get("axis", -1) == axis


def sum_of_products(facts: Known, node: Node) -> Range | None:
    """A dot product of unit vectors, or of two softmaxes."""
    product = node.operands[0]
    if product.op == "multiply" and all(_is_softmax_along(o, node.attrs.get("axis")) for o in product.operands):
        return Range(
            Interval(0.0, 1.0), Interval.point(0.0), "a product of two softmaxes, 0 where they are apart", True
        )
    if product.op == "multiply" and all(_is_unit(o) for o in product.operands):
        return COSINE
    if product.op == "multiply" and any(_is_image(x, y) for x, y in (product.operands, product.operands[::-1])):
        return QUADRATIC
    if product.op == "square" and _is_unit(product.operands[0]):
        return Range(Interval(0.0, 1.0000004), Interval(0.0, 1.0), "the length of a normalised vector")
    return None


def _is_image(node: Node, vector: Node) -> bool:
    """Whether a value is a matrix times a vector, or a row of vectors times a matrix."""
    if node.op not in ("matmul", "matvec", "tensordot") or node.operands[0].value == node.operands[1].value:
        return False
    return node.operands[node.op == "matvec"].value == vector.value


def sum_of_numbers(facts: Known, node: Node) -> Range | None:
    """The sums of a matrix that is written out, along its rows or its columns."""
    matrix = behind(node.operands[0], COPIED | {"constant"})
    rows = tuple(row.constant for row in matrix.operands) if matrix.op == "stack" else matrix.constant
    axis = node.attrs.get("axis")
    if not isinstance(rows, tuple) or not all(isinstance(one, tuple) for one in rows) or axis not in (0, 1, -1):
        return None
    lines = rows if axis != 0 else tuple(zip(*rows, strict=False))
    if not lines or not all(isinstance(number, (int, float)) for line in lines for number in line):
        return None
    totals = [float(sum(line)) for line in lines]
    held = Interval(min(totals), max(totals))
    return Range(held, held, "sums of constants")


def matrix_product(facts: Known, node: Node) -> Range | None:
    """A product of unit vectors; a vector's with itself."""
    x, y = node.operands[:2]
    if _is_unit(x) and _is_unit(y):
        return COSINE
    if node.op == "tensordot" and x.value == y.value and node.attrs.get("axes") in (0, 1) and len(node.attrs) == 1:
        return Range(Interval(0.0, INF), Interval.point(0.0), "a sum of squares, 0 when every term is")
    return positive_products(facts, node)


def positive_products(facts: Known, node: Node) -> Range | None:
    """Sums of products of what is not negative: 0 where rows of one operand are."""
    held = [facts.range(operand) for operand in node.operands]
    if all(r.outer.lo >= 0 for r in held) and not any(behind(o, COPIED).op == "one_hot" for o in node.operands):
        for one in held:
            if one.seen is not None and 0.0 in one.seen and not (one.saturated or one.by_chance):
                return Range(Interval(0.0, INF), Interval.point(0.0), one.reason)
    return None


def segments(facts: Known, node: Node) -> Range | None:
    """The sum over a segment of what is not negative: 0 where it has no members."""
    held = facts.range(node.operands[0]).outer
    if held.lo < 0:
        return None
    return Range(Interval(0.0, INF), Interval.point(0.0), "a sum for each segment, 0 for one without members")


def chosen_by_members(facts: Known, node: Node) -> Range | None:
    """The sums of segments, given back to their members: of segments that have some."""
    source, index = (node.operands[0], node.operands[1]) if len(node.operands) > 1 else (node, node)
    while source.op in ("add", "maximum", "expand_dims", "reshape", "identity") and source.operands:
        source = source.operands[0]
    while index.op in ("maximum", "minimum", "clip", "cast", "reshape", "squeeze") and index.operands:
        index = index.operands[0]
    if source.op != "unsorted_segment_sum" or len(source.operands) < 2 or source.operands[1].value != index.value:
        return None
    return replace(facts.range(node.operands[0]), seen=None)


def einsum(facts: Known, node: Node) -> Range | None:
    """An Einstein sum of two factors: of unit vectors, or of a value with itself, element by element."""
    if len(node.operands) == 3 and node.operands[0].value == node.operands[2].value:
        return QUADRATIC
    if len(node.operands) != 2:
        return positive_products(facts, node)
    terms, _, result = str(node.attrs.get("equation", "")).replace(" ", "").partition("->")
    x, y = node.operands
    first, _, second = terms.partition(",")
    if x.value == y.value and first == second and set(result) <= set(first):
        return Range(Interval(0.0, INF), Interval.point(0.0), "a sum of squares, 0 when every term is")
    return COSINE if _is_unit(x) and _is_unit(y) else positive_products(facts, node)


def part(facts: Known, node: Node) -> Range | None:
    """The variance that `moments` gives second; an element of values put together, of which it is not known which."""
    whole, place = node.operands[0], node.operands[1] if len(node.operands) > 1 else None
    if _mixed(facts, whole):
        return replace(facts.range(whole), seen=None)
    if whole.op == "moments" and place is not None and place.constant == 1:
        return Range(Interval(0.0, INF), Interval.point(0.0), "a variance, 0 when all elements are equal")
    if whole.op == "top_k" and place is not None and place.constant == 0:
        held = facts.range(whole.operands[0])
        return replace(held, signed=False, by_chance=False) if held.by_chance is False else None
    if whole.op == "svd" and place is not None and place.constant == 0 and _is_gram(facts, whole.operands[0]):
        return replace(EIGENVALUES, outer=Interval(0.0, INF))
    if whole.op == "eigh" and place is not None and place.constant == 0 and _is_gram(facts, whole.operands[0]):
        return EIGENVALUES
    return None


def eigenvalues(facts: Known, node: Node) -> Range | None:
    """The eigenvalues of a Gram matrix: never negative but for rounding, and 0 where it has no full rank."""
    return EIGENVALUES if _is_gram(facts, node.operands[0]) else None


def _is_gram(facts: Known, node: Node) -> bool:
    """Whether a matrix is the product of another one, of which nothing shows that it has full rank, with itself."""
    while node.op in ("multiply", "divide") or node.op in COPIED:
        node = node.operands[node.op == "multiply" and node.operands[0].op == "const"]
    if node.op != "matmul" or node.operands[0].value != node.operands[1].value:
        return False
    turned = [name for name in ("transpose_a", "transpose_b") if node.attrs.get(name) is True]
    return len(turned) == 1 and knows(facts, node.operands[0], "deficient")


@bounded(no)
def _mixed(facts: Known, node: Node, steps: int = 6) -> bool:
    """Whether a value is put together of others of which not the same is seen."""
    node = behind(node, COPIED | {"expand_dims", "tile", "getitem", "reshape", "squeeze"})
    row = OPS.get(node.op)
    combined = row is not None and row.elementwise and len(row.operands) == 2
    if steps == 0 or not (combined or node.op in ("stack", "concat", "phi")):
        return False
    if node.op in ("stack", "concat") and len({facts.range(one).seen for one in node.operands}) > 1:
        return True
    return any(_mixed(facts, one, steps - 1) for one in node.operands if one.index < node.index)


def magnitude(facts: Known, node: Node) -> Range | None:
    """The magnitude of a spectrum: 0 for silence."""
    if behind(node.operands[0], COPIED).op in SPECTRA:
        return Range(Interval(0.0, INF), Interval.point(0.0), "the magnitude of a spectrum, 0 for silence")
    return None


def spectrum_part(facts: Known, node: Node) -> Range | None:
    """The real or imaginary part of a spectrum: 0 for silence."""
    if behind(node.operands[0], COPIED).op in SPECTRA:
        return Range(Interval(), Interval.point(0.0), "a part of a spectrum, 0 for silence")
    return None


def masked(facts: Known, node: Node) -> Range | None:
    """A value times a mask or a vanishing factor: 0 wherever that is, not by the rounding of single elements."""
    if len(node.operands) != 2:
        return None
    held = [facts.range(o) for o in node.operands]
    if any(behind(o, COPIED).op == "one_hot" for o in node.operands):
        return None  # no row of which is all zeros
    for mask, other in (held, held[::-1]):
        unit = mask.outer.within(Interval(0.0, 1.0)) and mask.seen == Interval(0.0, 1.0) and not mask.saturated
        if unit and other.saturated and other.outer.lo >= 0.0:
            return Range(other.outer.hull(Interval.point(0.0)), Interval.point(0.0), "a product with a mask")
        if _vanishes(mask) and other.outer.lo >= 0.0:
            return Range(Interval(0.0, INF), Interval.point(0.0), mask.reason)
        if _vanishes(mask) and other.outer.unknown and other.seen is None:
            return Range(Interval(), Interval.point(0.0), mask.reason)
    return None


def _vanishes(held: Range) -> bool:
    """Whether whole rows of a value that is not negative are 0."""
    vanishing = held.seen == Interval.point(0.0) and held.outer.lo >= 0.0 and held.outer.hi > 0.0
    return vanishing and not (held.saturated or held.by_chance)


def vanishing(facts: Known, node: Node) -> Range | None:
    """What is 0 for ordinary data, or ends there, divided by anything."""
    held, divisor = facts.range(node.operands[0]), facts.range(node.operands[1])
    ends = held.seen is not None and 0.0 in (held.seen.lo, held.seen.hi) and node.operands[0].op != "const"
    if not ends or held.saturated or held.by_chance or divisor.seen is not None:
        return None
    positive = held.outer.lo >= 0.0 and divisor.outer.lo >= 0.0
    return Range(Interval(0.0 if positive else -INF, INF), Interval.point(0.0), held.reason)


def masked_on_some_path(facts: Known, node: Node) -> Range | None:
    """A value, or on another path itself times a mask: what the mask makes of it can be there."""
    for product in node.operands:
        if product.op == "multiply" and all(o is product or o in product.operands for o in node.operands):
            return facts.range(product)
    return None


def density(facts: Known, node: Node) -> Range | None:
    """exp(-x ** 2), also times other factors in its exponent: a Gaussian, whose tails are exactly 0."""
    exponent = node.operands[0]
    signs, terms = set(), [(exponent, 1)]
    while terms:
        term, sign = terms.pop()
        if term.op in ("add", "subtract") and len(term.operands) == 2:
            terms += ((term.operands[0], sign), (term.operands[1], sign if term.op == "add" else -sign))
        else:
            signs.add(_quadratic(facts, term) * sign)
    if -1 not in signs or 1 in signs:
        return None
    held = facts.range(exponent)
    outer = Interval(0.0, 1.0 if held.outer.hi <= 0 else INF)
    return Range(outer, Interval.point(0.0), "a Gaussian, exactly 0 in its tails")


@bounded(lambda facts, node: 0)
def _quadratic(facts: Known, node: Node) -> int:
    """1 for an unbounded square of data, or sums and multiples of such; -1 for its negative; 0 for all else."""
    if node.op == "square":
        return int(facts.range(node).outer.hi == INF and _is_deviation(facts, node.operands[0]))
    if node.op == "neg":
        return -_quadratic(facts, node.operands[0])
    if node.op in SUMMING:
        return _quadratic(facts, node.operands[0])
    if node.op in ("multiply", "divide") and len(node.operands) == 2:
        x, y = node.operands
        for value, factor in ((x, y), (y, x))[: 1 if node.op == "divide" else 2]:
            held = facts.range(factor).outer
            if (held.lo >= 0 or held.hi <= 0) and (found := _quadratic(facts, value)):
                return found if held.lo >= 0 else -found
    return 0


def _is_deviation(facts: Known, node: Node) -> bool:
    """Whether a value is the difference of two unlike data, scaled: not of points of a grid, nor of pairs of one."""
    while node.op in ("multiply", "divide"):
        node = next((o for o in node.operands if o.op == "subtract"), node.operands[0])
    if node.op != "subtract" or not all(knows(facts, o, "data") for o in node.operands):
        return False
    x, y = (behind(o, COPIED | {"expand_dims", "getitem", "reshape"}) for o in node.operands)
    return x.value != y.value


def scaled(node: Node) -> tuple[Node, float]:
    """(x, c) of c * x."""
    if node.op == "multiply":
        for place, other in ((0, 1), (1, 0)):
            factor = node.operands[place].constant
            if isinstance(factor, (int, float)):
                return node.operands[other], float(factor)
    return node, 1.0


def mean_square_less_square_mean(facts: Known, node: Node) -> Range | None:
    """mean(x ** 2) - c * mean(x) ** 2 with c <= 1: never below 0 but for rounding, and 0 where all elements are."""
    squares, (square, factor) = node.operands[0], scaled(node.operands[1])
    if squares.op not in MEANS or squares.operands[0].op != "square" or square.op != "square":
        return None
    mean = square.operands[0]
    if mean.op != squares.op or mean.operands[0].value != squares.operands[0].operands[0].value:
        return None
    if not 0.0 <= factor <= 1.0:
        return None
    return Range(Interval(), Interval.point(0.0), "a mean of squares less the square of the mean")


def mean_product_less_product_of_means(facts: Known, node: Node) -> Range | None:
    """mean(x * y) - mean(x) * mean(y): a covariance, of either sign."""
    products, means = node.operands
    if products.op not in MEANS or products.operands[0].op != "multiply" or means.op != "multiply":
        return None
    if any(mean.op != products.op for mean in means.operands):
        return None
    factors = {mean.operands[0].value for mean in means.operands}
    if len(factors) != 2 or factors != {factor.value for factor in products.operands[0].operands}:
        return None
    return Range(Interval(), None, "a covariance, of either sign", signed=True)


def first_of(*functions: Callable[[Known, Node], Range | None]) -> Callable[[Known, Node], Range | None]:
    """What the first function says that says anything."""

    def relation(facts: Known, node: Node) -> Range | None:
        return next((found for function in functions if (found := function(facts, node)) is not None), None)

    return relation


PRODUCTS: dict[str, Callable[[Known, Node], Range | None]] = {
    "reduce_sum": first_of(sum_of_products, sum_of_numbers),
    "matmul": matrix_product,
    "tensordot": matrix_product,
    "einsum": einsum,
    "getitem": part,
    "eigvalsh": eigenvalues,
    "abs": magnitude,
    "real": spectrum_part,
    "imag": spectrum_part,
    "multiply": masked,
    "phi": masked_on_some_path,
    "subtract": first_of(mean_square_less_square_mean, mean_product_less_product_of_means),
    "exp": density,
    "matvec": positive_products,
    "unsorted_segment_sum": segments,
    "gather": chosen_by_members,
}
