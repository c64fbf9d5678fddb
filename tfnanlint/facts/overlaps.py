"""Shares of overlap that are exactly 1 or 0: the Tversky index of a right prediction, the F-score of one without a hit.

A prediction that saturates at the labels misses nothing, and one close to them does so by rounding: the loss, one minus
the index, is then exactly 0, where roots and logarithms of it break.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfnanlint.facts.bounded import bounded
from tfnanlint.facts.handed import COPIED
from tfnanlint.flow import Node, behind
from tfnanlint.interval import Interval
from tfnanlint.ranges import Range

if TYPE_CHECKING:
    from tfnanlint.facts.known import Known

SUMS = frozenset({"reduce_sum", "reduce_mean"})
COUNTED = SUMS | {"count_nonzero", "variable", "placeholder", "diag_part"}
"""Numbers of hits: summed, or kept by a metric."""
ZERO = Interval.point(0.0)
RESHAPED = COPIED | {"reshape", "expand_dims", "squeeze"}


def perfect(facts: Known, node: Node) -> Range | None:
    """(common + s) / (common + a * missed + b * wrong + s): 1 where nothing is missed and nothing wrong."""
    above, below = _terms(node.operands[0]), _terms(node.operands[1])
    common = next((found for term in above if (found := _factors(term)) is not None), None)
    if common is None or len(below) <= len(above):
        return None
    left = list(below)
    for term in above:
        same = next((other for other in left if other.value == term.value), None)
        if same is None:
            return None
        left.remove(same)
    if not all(_is_missed(_unscaled(term), common) for term in left):
        return None
    outer = facts.range(node.operands[0]).outer / facts.range(node.operands[1]).outer
    return Range(outer, Interval.point(1.0), "a share of overlap, 1 where the prediction is right", saturated=True)


def two_shares(facts: Known, node: Node) -> Range | None:
    """Precision and recall, two shares of the same number of hits, added to divide their product: 0 without a hit."""
    shares = [behind(operand, RESHAPED) for operand in node.operands]
    if any(share.op not in ("divide", "divide_no_nan") for share in shares):
        return None
    hits, others = (behind(share.operands[0], RESHAPED) for share in shares)
    if hits.value != others.value or hits.op not in COUNTED or not any(_divides(node, shares, u) for u in node.users):
        return None
    held = facts.range(hits)
    if held.shown or 0.0 not in held.outer:
        return None
    return Range(
        facts.range(shares[0]).outer + facts.range(shares[1]).outer, ZERO, "precision and recall, 0 without a hit"
    )


def _divides(total: Node, shares: list[Node], user: Node) -> bool:
    """Whether a total of two shares divides their product, as their harmonic mean has it."""
    if user.op != "divide" or user.operands[1] is not total:
        return False
    wanted = {share.value for share in shares}
    return wanted <= {behind(factor, RESHAPED).value for factor in _product(user.operands[0])}


@bounded(lambda node: [node])
def _product(node: Node) -> list[Node]:
    """The factors of a product, on the way to them."""
    inner = behind(node, RESHAPED)
    return [node, *(f for operand in inner.operands for f in _product(operand))] if inner.op == "multiply" else [node]


@bounded(lambda node: [node])
def _terms(node: Node) -> list[Node]:
    node = behind(node, RESHAPED)
    if node.op != "add":
        return [node]
    return [term for operand in node.operands for term in _terms(operand)]


def _unscaled(node: Node) -> Node:
    """What a sum is multiplied with a number to weigh it."""
    if node.op == "multiply" and len(node.operands) == 2:
        sums = [operand for operand in node.operands if behind(operand, RESHAPED).op in SUMS]
        return sums[0] if len(sums) == 1 else node
    return node


def _factors(node: Node) -> tuple[int, int] | None:
    """The value numbers of x and y in sum(x * y)."""
    node = behind(node, RESHAPED)
    product = behind(node.operands[0], RESHAPED) if node.op in SUMS else node
    if product is node or product.op != "multiply":
        return None
    x, y = (behind(operand, RESHAPED).value for operand in product.operands)
    return x, y


def _is_missed(node: Node, common: tuple[int, int]) -> bool:
    """Whether a value is sum(x * (1 - y)) or sum((1 - x) * y) of the x and y that are in common."""
    node = behind(node, RESHAPED)
    product = behind(node.operands[0], RESHAPED) if node.op in SUMS else node
    if product is node or product.op != "multiply":
        return False
    for one, other in (product.operands, product.operands[::-1]):
        rest = behind(other, RESHAPED)
        if rest.op == "subtract" and rest.operands[0].constant == 1:
            pair = (behind(one, RESHAPED).value, behind(rest.operands[1], RESHAPED).value)
            if pair in (common, common[::-1]):
                return True
    return False
