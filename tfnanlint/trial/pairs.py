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
        pair = _pair(node)
        if pair is not None:
            first, second = pair
            found.setdefault(second, found.get(first, first))
    return found


def crossed_in(nodes: Iterable[Node]) -> set[Node]:
    """The later inputs of pairs whose product is taken, `matmul(a, b)`: the rows of one equal columns of the other."""
    turned = ("transpose_b", "adjoint_b", "transpose_a", "adjoint_a")
    products = [n for n in nodes if n.op == "matmul" and not any(n.attrs.get(name) for name in turned)]
    return {pair[1] for pair in map(_pair, products) if pair is not None}


def _pair(node: Node) -> tuple[Node, Node] | None:
    """Two inputs whose difference a node is, or the cosine of the angle between them, in order."""
    if not (node.op in DIFFERENCES or node.op == "matmul") or len(node.operands) != 2:
        return None
    (left, passed), (right, taken) = (_origin(operand) for operand in node.operands)
    if node.op == "matmul" and "l2_normalize" not in passed:
        return None
    if passed != taken or left is right or not _apart(left, right) or "const" in (left.op, right.op):
        return None
    return (left, right) if left.index < right.index else (right, left)


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
