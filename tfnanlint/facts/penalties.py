"""Gradient penalties: squared distances of a gradient's norm from a number.

They count as differentiated even if no training step is seen, because they have no other use. The training step often
stands in another file, or in none that is linted. They train what the inner tape recorded, not the point at which the
gradient is taken, which is made of data.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator

from tfnanlint.flow import Flow, Node, Root, activations

LENGTHS = frozenset("norm reduce_euclidean_norm sqrt".split())
ON_THE_WAY = frozenset(
    "add reduce_sum reduce_mean square pow multiply cast identity reshape getitem maximum clip_negative".split()
)
MOST_STEPS = 20
HOW = "part of a gradient penalty, which training differentiates again"


def penalties(flow: Flow, differentiated: Container[Node]) -> Iterator[Root]:
    """Squared distances of a gradient's norm from a number, save where the program shows who differentiates them."""
    if not any(node.op == "gradient" for node in flow):
        return
    found = {node: inner for node in flow if node.op == "square" and (inner := _penalised(node.operands[0]))}
    # Code is lowered for itself and once more for each of its callers: one that trains says more than the penalty does.
    shown = {_written(node) for node in found if node in differentiated}
    penalised = {operand for inner in found.values() for operand in inner.operands}
    said = [root.node for root in flow.roots if not root.implied and root.node not in penalised]
    for node, inner in found.items():
        if _written(node) not in shown and not _stands_beside(node, said):
            opened = max((root.opened for root in flow.roots if root.node in inner.operands), default=0)
            yield Root(node, HOW, node.origin, opened=opened)


def _stands_beside(penalty: Node, said: Iterable[Node]) -> bool:
    """Whether the code that computes a penalty differentiates something that the penalty is not a part of."""
    return any(activations(penalty.origin) & activations(node.origin) for node in said)


def _penalised(node: Node) -> Node | None:
    """The gradient, if a value is the distance of its norm from a number."""
    if node.op in ("maximum", "relu"):  # one-sided: only norms above the number are penalised
        node = node.operands[0]
    if node.op != "subtract" or not any(operand.op == "const" for operand in node.operands):
        return None
    length = next((operand for operand in node.operands if operand.op != "const"), None)
    return _gradient_behind(length) if length is not None and length.op in LENGTHS else None


def _gradient_behind(node: Node) -> Node | None:
    """The gradient that a value is made of by nothing but sums and products."""
    stack = [node]
    for _ in range(MOST_STEPS):
        if not stack:
            return None
        at = stack.pop()
        if at.op == "gradient":
            return at
        if at is node or at.op in ON_THE_WAY:
            stack.extend(at.operands)
    return None


def _written(node: Node) -> int:
    """A key that is equal for two nodes of the same expression."""
    return id(getattr(node.origin, "expr", node))
