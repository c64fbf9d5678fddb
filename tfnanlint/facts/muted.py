"""Whether the gradient that comes back to a value is 0 wherever the value is: what the value meets is 0 there, too.

The gradient of a root, a norm or a deviation is infinite at 0. In eager mode and in a graph it hands an incoming 0 on
as 0; under XLA it is 0 times infinity. So what such a value is multiplied by, or a ReLU behind it, decides in which
mode there is a NaN.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfnanlint.facts.bounded import bounded, no
from tfnanlint.facts.vanishing import Supposed
from tfnanlint.flow import Node
from tfnanlint.ops import OPS

if TYPE_CHECKING:
    from tfnanlint.facts.known import Known

STEPS = 10
"""How far a value is followed."""
MAGNITUDE = frozenset("sqrt norm reduce_euclidean_norm reduce_sum reduce_mean square abs identity".split())
"""Ops that, one behind the other, are 0 only where all elements of what they start from are."""
LINEAR = frozenset("add add_n subtract neg cast identity convert_to_tensor stack concat".split())
"""Ops that hand on a gradient of 0 as 0, whatever their operands are."""


def muted(facts: Known, node: Node) -> bool:
    """Whether, wherever a node is 0, all that uses it hands back a gradient of 0."""
    return _muted(facts, node, Supposed(facts, node), STEPS)


def shielded(node: Node) -> bool:
    """Whether a root or a norm is 0 only where all it is made of is a ReLU's 0: XLA lets no gradient through there."""
    for _ in range(STEPS):
        if node.op == "relu":
            return not node.attrs
        if node.op not in MAGNITUDE:
            return False
        node = node.operands[0]
    return False


@bounded(no)
def _muted(facts: Known, node: Node, there: Supposed, steps: int) -> bool:
    users = {user: None for user in node.users if user.op != "gradient" and facts.differentiated(user) is not None}
    if not users or steps == 0 or node in facts.flow.kept:
        return False
    return all(_mutes(facts, user, node, there, steps) for user in users)


def _mutes(facts: Known, user: Node, node: Node, there: Supposed, steps: int) -> bool:
    row = OPS.get(user.op)
    if user.op == "relu" and not user.attrs:
        return there.is_zero(node)
    if user.op == "square" or (user.op == "pow" and facts.range(user.operands[1]).outer.lo > 1.0):
        return user.operands[0] is node and there.is_zero(node)
    if user.op == "multiply":
        others = [operand for operand in user.operands if operand is not node]
        if len(others) == 1 and there.is_zero(others[0]):
            return True
    elif user.op == "divide":
        if user.operands[0] is not node or 0.0 in facts.range(user.operands[1]).outer:
            return False
    elif user.op not in LINEAR and not (row is not None and row.moves):
        return False
    return _muted(facts, user, there, steps - 1)
