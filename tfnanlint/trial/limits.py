"""The numbers with which a program compares its inputs: its author has seen inputs at them, and on both sides.

`where(x < 80.0, ...)`, `clip(x, -1.0, 1.0)`, `relu(1.0 - x)` and `log(x + 1e-8)` each name a number that the input
reaches: 80, -1 and 1, 1, and 0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from tfnanlint.flow import COMPARISONS, Node

BOUNDING = COMPARISONS | {"maximum", "minimum"}
"""Ops of two operands whose answer changes where one passes the other."""
CLIPPING: dict[str, tuple[float, ...]] = {"relu": (0.0,), "relu6": (0.0, 6.0)}
"""Ops that cut their operand off, and where."""
SINGULAR = frozenset("log log2 sqrt rsqrt divide reciprocal pow xlogy".split())
"""What a small number is added before, lest the operand is 0."""
GUARD = 1e-3
"""A number up to this is added as a guard."""
CARRYING = frozenset(
    "identity cast reshape squeeze expand_dims transpose getitem flatten ensure_shape convert_to_tensor check_numerics "
    "broadcast_to tile stop_gradient".split()
)
"""Ops that leave the numbers of their first operand as they are."""
LONGEST = 20
"""Through so many ops a comparison is followed back to what is compared."""
SIDES = ("at", "below", "above")
"""Where a value lies of a number that it is compared with."""


def limits_of(
    nodes: Iterable[Node], number: Callable[[Node], float | None]
) -> dict[tuple[Node, str], tuple[float, ...]]:
    """By value and side: the numbers at which a comparison of it, or of a linear function of it, changes its answer.

    `number` says which number a node is: that of a constant, or of a setting. A small number is added to what may be 0,
    and is not negative.
    """
    found: dict[tuple[Node, str], dict[float, None]] = {}
    for node in nodes:
        for operand, limit in _compared(node, number):
            sides = SIDES[:1] if node.op in ("add", "subtract") else SIDES
            for leaf, point in _solved(operand, limit):
                for side in sides:
                    found.setdefault((leaf, side), {})[point] = None
    return {key: tuple(sorted(points)) for key, points in found.items()}


def _compared(node: Node, number: Callable[[Node], float | None]) -> Iterator[tuple[Node, float]]:
    """The operands that a node compares with a number, each with the number."""
    operands = node.operands
    if node.op in CLIPPING:
        for limit in CLIPPING[node.op]:
            yield operands[0], limit
    elif node.op == "clip":
        for bound in operands[1:3]:
            if (end := number(bound)) is not None:
                yield operands[0], end
    elif node.op in BOUNDING and len(operands) == 2:
        for one, other in (operands, operands[::-1]):
            if (end := number(other)) is not None:
                yield one, end
    elif node.op in ("add", "subtract") and any(user.op in SINGULAR for user in node.users):
        for one, other in (operands, operands[::-1]):
            guard = number_of(other)
            if guard is not None and 0 < abs(guard) <= GUARD:
                yield one, 0.0


def _solved(node: Node, limit: float) -> Iterator[tuple[Node, float]]:
    """What a value is a linear function of, and where that lies when the value lies at a limit."""
    for _ in range(LONGEST):
        yield node, limit
        operands = node.operands
        if node.op == "neg":
            node, limit = operands[0], -limit
        elif node.op in CARRYING:
            node = operands[0]
        elif len(operands) == 2 and (inverse := _inverse(node, limit)) is not None:
            node, limit = inverse
        else:
            return


def _inverse(node: Node, result: float) -> tuple[Node, float] | None:
    """The operand of a sum or product with a number, and what it is where the result is `result`."""
    left, right = (number_of(operand) for operand in node.operands)
    if node.op == "add" and right is not None:
        return node.operands[0], result - right
    if node.op == "add" and left is not None:
        return node.operands[1], result - left
    if node.op == "subtract" and right is not None:
        return node.operands[0], result + right
    if node.op == "subtract" and left is not None:
        return node.operands[1], left - result
    if node.op == "multiply" and right:
        return node.operands[0], result / right
    if node.op == "multiply" and left:
        return node.operands[1], result / left
    if node.op == "divide" and right:
        return node.operands[0], result * right
    return None


def number_of(node: Node) -> float | None:
    """The number that a constant is."""
    held = node.constant if node.op == "const" else None
    return float(held) if isinstance(held, (int, float)) and not isinstance(held, bool) else None
