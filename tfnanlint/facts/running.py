"""Running sums: the first of them is the first element itself, so that what compares the two holds there.

The projection onto a simplex (sparsemax and its kin) counts the elements for which `k * z > cumsum(z) - 1` or
`z - (cumsum(z) - 1) / k > 0`, with k = 1, 2, ...: whatever z is, the first is among them, and the count is no 0.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfnanlint.flow import Node, behind

if TYPE_CHECKING:
    from tfnanlint.facts.known import Known

SHAPED = frozenset("stop_gradient identity convert_to_tensor cast reshape expand_dims getitem broadcast_to".split())


def _shaped(node: Node) -> Node:
    """The value behind its type and its shape."""
    return behind(node, SHAPED)


def counts_support(facts: Known, mask: Node, axis: object) -> bool:
    """Whether a mask that is summed along an axis compares an element with its running sum, and holds for the first."""
    mask = _shaped(mask)
    if mask.op not in ("greater", "greater_equal", "less", "less_equal") or len(mask.operands) != 2:
        return False
    more, less = mask.operands if mask.op.startswith("greater") else mask.operands[::-1]
    found = _Ledger(facts)
    return found.add(more, 1.0) and found.add(less, -1.0) and found.positive(axis)


class _Ledger:
    """A sum of terms at the first element, where ranks are 1 and a running sum is the element itself."""

    def __init__(self, facts: Known) -> None:
        self.facts = facts
        self.terms: dict[int, float] = {}
        self.least = 0.0
        self.axes: list[object] = []

    def add(self, node: Node, sign: float) -> bool:
        """Take in a term; False where it cannot be understood."""
        node = _shaped(node)
        held = self.facts.range(node).outer
        if held.lo == held.hi:
            self.least += sign * held.lo
            return True
        first, second = (*node.operands, None, None)[:2]
        if node.op == "add" and first is not None and second is not None:
            return self.add(first, sign) and self.add(second, sign)
        if node.op == "subtract" and first is not None and second is not None:
            return self.add(first, sign) and self.add(second, -sign)
        if node.op == "divide" and first is not None and _ranks(self.facts, second):
            return self.add(first, sign)
        if node.op == "multiply" and first is not None and second is not None:
            for ranks, other in ((first, second), (second, first)):
                if _ranks(self.facts, ranks):
                    return self.add(other, sign)
        if node.op == "cumsum" and first is not None and not {"exclusive", "reverse"} & set(node.attrs):
            self.axes.append(node.attrs.get("axis", 0))
            node = _shaped(first)
        self.terms[node.value] = self.terms.get(node.value, 0.0) + sign
        return True

    def positive(self, axis: object) -> bool:
        """Whether all terms but a positive number cancel, with one running sum along the axis among them."""
        return self.least > 0 and not any(self.terms.values()) and len(self.axes) == 1 and self.axes[0] == axis


def _ranks(facts: Known, node: Node | None) -> bool:
    """Whether a value counts 1, 2, 3, ..."""
    if node is None:
        return False
    node = _shaped(node)
    if node.op == "const" and isinstance(node.constant, tuple):
        return node.constant[:1] in ((1,), (1.0,))
    if node.op != "range" or len(node.operands) < 2:
        return False
    start = facts.range(node.operands[0]).outer
    return start.lo == start.hi == 1.0
