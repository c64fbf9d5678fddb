"""What the use of a value tells of it, where its making is out of sight."""

from __future__ import annotations

from tfnanlint.facts.bounded import bounded
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


SPREAD = COPIED | {"matrix_diag", "expand_dims", "reshape", "getitem"}
"""Ops that make rows, columns or a diagonal of a vector."""
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
    if _complemented(weights, total) or _scaled_back(weights, total):
        return True
    for user in total.users:
        if user.op == "divide" and user.operands[1] is total and _weighs(weights, user.operands[0], total):
            return True
        if user.op == "square" and any(_is_reciprocal(one, user) for one in user.users):
            copies = [weights, *(one for one in weights.users if one.op in COPIED)]
            products = [one for copy in copies for one in copy.users if one.op == "multiply"]
            if any(_weighs(weights, one, total) for product in products for one in product.users):
                return True
    return False


def _complemented(weights: Node, total: Node) -> bool:
    """Whether a total is divided by, and what it is the sum of is also summed as 1 - x: it marks elements, or not."""
    if not any(user.op == "divide" and user.operands[1] is total for user in total.users):
        return False
    rests = [one for one in weights.users if one.op == "subtract" and one.operands[0].constant == 1.0]
    return any(_summed_alike(user, total) for rest in rests for user in rest.users)


def _summed_alike(node: Node, total: Node) -> bool:
    return node.op == total.op and dict(node.attrs) == dict(total.attrs)


def _scaled_back(weights: Node, total: Node) -> bool:
    """Whether a matrix is scaled by a negative power of the sums of its rows: edges, by how many a node has."""
    reached = [user for user in total.users if _falls(user, total)]
    for _ in range(MOST_STEPS):
        for user in [user for node in reached for user in node.users]:
            if user.op in ("matmul", "multiply") and len(user.operands) == 2:
                if any(behind(operand, COPIED).value == weights.value for operand in user.operands):
                    return True
            elif user.op in SPREAD:
                reached.append(user)
    return False


def _falls(node: Node, total: Node) -> bool:
    """Whether a node is a negative power of a total."""
    if node.op == "pow":
        power = node.operands[1].constant
        return node.operands[0] is total and isinstance(power, (int, float)) and power < 0
    return node.op in ("rsqrt", "reciprocal")


def _is_reciprocal(node: Node, of: Node) -> bool:
    divided = node.op == "divide" and node.operands[1] is of and node.operands[0].op == "const"
    return divided or node.op == "reciprocal"


def _weighs(weights: Node, summed: Node, total: Node) -> bool:
    """Whether a value is summed as a total is, of products that have the weights among their factors."""
    summed = behind(summed, COPIED | {"neg"})
    if summed.op == "matmul" and total.op == "reduce_sum" and total.attrs.get("axis") in (-1, 1, 2):
        return behind(summed.operands[0], COPIED).value == weights.value and not _turned(summed)
    if summed.op != total.op or dict(summed.attrs) != dict(total.attrs):
        return False
    factors = _factors(behind(summed.operands[0], COPIED | {"neg"}))
    return len(factors) > 1 and any(behind(factor, COPIED).value == weights.value for factor in factors)


def _turned(product: Node) -> bool:
    return any(product.attrs.get(name) is True for name in ("transpose_a", "adjoint_a"))


@bounded(lambda node: [node])
def _factors(node: Node) -> list[Node]:
    if node.op != "multiply" or len(node.operands) != 2:
        return [node]
    return [factor for operand in node.operands for factor in _factors(behind(operand, COPIED | {"neg"}))]
