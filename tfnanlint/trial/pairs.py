"""Inputs whose difference a program takes, or the cosine of the angle between them: they can be equal.

`norm(a - b)`, `log(p) - log(t)` and `(x1 - x2) ** 2` compare two inputs with each other: a prediction with its label, a
point with another one, and `matmul(l2_normalize(x), l2_normalize(w, 0))` their directions. What both sides go through
on the way is the same.
"""

from __future__ import annotations

from collections.abc import Iterable

from tfnanlint.flow import Node
from tfnanlint.trial.limits import CARRYING

DIFFERENCES = frozenset({"subtract", "squared_difference"})
"""Ops that are 0 where their operands are equal."""
SAME = CARRYING | frozenset("log sqrt exp square abs neg multiply l2_normalize".split())
"""Ops through which equal numbers stay equal."""
LONGEST = 12
"""Through so many of them an operand is followed back."""


def pairs_of(nodes: Iterable[Node]) -> dict[Node, Node]:
    """By input, the earlier one that it can equal."""
    found: dict[Node, Node] = {}
    for node in nodes:
        if (node.op in DIFFERENCES or node.op == "matmul") and len(node.operands) == 2:
            (left, passed), (right, taken) = (_origin(operand) for operand in node.operands)
            if node.op == "matmul" and "l2_normalize" not in passed:
                continue
            if passed == taken and left is not right and _apart(left, right) and "const" not in (left.op, right.op):
                first, second = sorted((left, right), key=lambda n: n.index)
                found.setdefault(second, found.get(first, first))
    return found


def _apart(left: Node, right: Node) -> bool:
    """Whether neither value is made of the other one directly."""
    return left not in right.operands and right not in left.operands


def _origin(node: Node) -> tuple[Node, tuple[str, ...]]:
    """What a value is made of by ops of one operand, and those that change its numbers."""
    passed: list[str] = []
    for _ in range(LONGEST):
        others = [operand for operand in node.operands if operand.op != "const"]
        if node.op not in SAME or not others or (node.op not in CARRYING and len(others) > 1):
            break
        if node.op not in CARRYING:
            passed.append(node.op)
        node = others[0]
    return node, tuple(passed)
