"""What the use of a value tells of it, where its making is out of sight."""

from __future__ import annotations

from tfnanlint.facts.handed import COPIED
from tfnanlint.flow import Node, behind
from tfnanlint.interval import UNKNOWN, Interval
from tfnanlint.ranges import Range

PROBABILITY = Range(
    UNKNOWN,
    Interval(0.0, 1.0),
    "a probability, as the logarithms of it and of its complement show; where it saturates it is 0 or 1",
    saturated=True,
)


SUMS = frozenset({"add", "subtract", "neg", "reduce_sum", "reduce_mean"})
MOST_STEPS = 4
"""From a term of a sum to the sum of both terms: a sign, a mean, another term or two."""


def told_by_use(node: Node) -> Range | None:
    """The range that a program takes a value for: y * log(p) + (1 - y) * log(1 - p) is written of probabilities."""
    logs = [user for user in node.users if user.op == "log"]
    if not logs:
        return None
    complements: list[Node] = []
    for user in node.users:
        if user.op == "subtract" and user.operands[1] is node and user.operands[0].constant == 1.0:
            complements += [log for log in user.users if log.op == "log"]
        elif user.op == "neg":
            complements += [log for log in user.users if log.op == "log1p"]
    if complements and _sums_of_weighted(logs) & _sums_of_weighted(complements):
        return PROBABILITY
    return None


def _sums_of_weighted(logs: list[Node]) -> set[Node]:
    """The sums that have one of these logarithms, times a weight, among their terms."""
    reached = {product for log in logs for product in log.users if product.op == "multiply"}
    for _ in range(MOST_STEPS):
        reached |= {user for node in reached for user in node.users if user.op in SUMS}
    return {node for node in reached if node.op in ("add", "subtract")}


def sums_weights(total: Node) -> bool:
    """Whether what is summed to a total also weighs other values, and something is divided by the total.

    Masks do: in -sum(mask * loss) / sum(mask), with further factors or without, and in 1 / sum(label) ** 2, the weight
    of a class in the generalised Dice loss, beside sum(label * p).
    """
    weights = behind(total.operands[0], COPIED)
    for user in total.users:
        if user.op == "divide" and user.operands[1] is total and _weighs(weights, user.operands[0], total):
            return True
        if user.op == "square" and any(_is_reciprocal(one, user) for one in user.users):
            copies = [weights, *(one for one in weights.users if one.op in COPIED)]
            products = [one for copy in copies for one in copy.users if one.op == "multiply"]
            if any(_weighs(weights, one, total) for product in products for one in product.users):
                return True
    return False


def _is_reciprocal(node: Node, of: Node) -> bool:
    divided = node.op == "divide" and node.operands[1] is of and node.operands[0].op == "const"
    return divided or node.op == "reciprocal"


def _weighs(weights: Node, summed: Node, total: Node) -> bool:
    """Whether a value is summed as a total is, of products that have the weights among their factors."""
    summed = behind(summed, COPIED | {"neg"})
    if summed.op != total.op or dict(summed.attrs) != dict(total.attrs):
        return False
    factors = _factors(behind(summed.operands[0], COPIED | {"neg"}))
    return len(factors) > 1 and any(behind(factor, COPIED).value == weights.value for factor in factors)


def _factors(node: Node) -> list[Node]:
    if node.op != "multiply" or len(node.operands) != 2:
        return [node]
    return [factor for operand in node.operands for factor in _factors(behind(operand, COPIED | {"neg"}))]
