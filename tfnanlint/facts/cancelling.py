"""Differences of sums, which rounding makes slightly less than 0 where their terms cancel.

`x*x - 2*x*y + y*y` of two equal vectors is 0 in exact arithmetic. Its terms add numbers up in different orders.
"""

from __future__ import annotations

from tfnanlint.flow import Node, ancestors, behind

ACCUMULATING = frozenset(
    "reduce_sum reduce_mean matmul tensordot einsum cumsum convolution depthwise_convolution average_pool".split()
)
"""Ops that add many numbers up, each in another order."""
RESHAPED = frozenset("identity cast reshape squeeze expand_dims transpose convert_to_tensor".split())
MOST_ANCESTORS = 200


def is_cancelling(node: Node) -> bool:
    """Whether a value is a difference or a sum whose terms do not depend on the same sums of numbers."""
    node = behind(node, RESHAPED)
    if node.op not in ("add", "subtract") or len(node.operands) != 2:
        return False
    made_of = (ancestors(operand, most=MOST_ANCESTORS) for operand in node.operands)
    one, other = ({at for at in nodes if at.op in ACCUMULATING} for nodes in made_of)
    return one != other
