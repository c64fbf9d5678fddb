"""What rounding makes of a difference that is 0 in exact arithmetic, or of a cosine that is 1: slightly less, or more.

The few numbers of a trial would often cancel exactly; those of a program do not.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from tfnanlint.facts.cancelling import ACCUMULATING, is_cancelling
from tfnanlint.flow import Node, behind, reached
from tfnanlint.ops.numeric import np
from tfnanlint.trial.limits import LONGEST, SELECTING

UNDEFINED_BELOW = frozenset("sqrt rsqrt log log2".split())
"""Ops that are NaN below 0."""
OFFSET = frozenset("add subtract identity cast reshape squeeze expand_dims transpose getitem".split())
"""What stands between a difference and an op that is NaN below 0: further terms, and other shapes."""
UNDEFINED_BEYOND_ONE = frozenset("acos asin atanh".split())
"""Ops that are NaN above 1 and below -1."""
CLAMPING = frozenset({"clip", "minimum", "maximum"})
"""Ops that keep a number within bounds."""
AFFINE = frozenset("add subtract multiply divide neg".split())
"""Ops that scale and shift a value, where their other operand is a constant."""
MOST_ROUNDED = 4
"""Where terms cancel, at most so many units in the last place of a term are left by rounding."""


def cancelling(nodes: Iterable[Node]) -> set[Node]:
    """The differences of sums in front of a root or a logarithm."""
    roots = [node.operands[0] for node in nodes if node.op in UNDEFINED_BELOW and node.operands]
    before = reached(roots, lambda node: node.operands if node.op in OFFSET else ())
    return {node for node in before if node.op in ("add", "subtract") and is_cancelling(node)}


def cosines(nodes: Iterable[Node]) -> dict[Node, bool]:
    """The cosines in front of an op that is NaN beyond 1, each with whether the program clips it before."""
    found = {}
    for node in nodes:
        if node.op in UNDEFINED_BEYOND_ONE and node.operands:
            held = behind(node.operands[0], SELECTING)
            cosine = behind(held, SELECTING | CLAMPING)
            if _is_cosine(cosine):
                found[cosine] = held is not cosine
    return found


def _is_cosine(node: Node) -> bool:
    """Whether a value is a quotient of sums, or the product of two vectors that are divided by their lengths.

    That of the angle of a rotation is half of what its trace exceeds 1 by.
    """
    if _scaled(node).op == "trace":
        return True
    if node.op not in ("divide", "reduce_sum"):
        return False
    product = behind(node.operands[0], SELECTING)
    if node.op == "divide":
        return product.op in ACCUMULATING
    return product.op == "multiply" and all(behind(one, SELECTING).op == "l2_normalize" for one in product.operands)


def _scaled(node: Node) -> Node:
    """What a value is computed of by adding and multiplying constants."""
    for _ in range(LONGEST):
        others = [one for one in node.operands if one.op != "const"]
        if node.op not in AFFINE or len(others) != 1:
            break
        node = others[0]
    return node


def at_one(value: Any, operand: Any, clipped: bool) -> Any:
    """A cosine, slightly beyond 1 or -1 where it is nearly that; one of whole numbers is not rounded.

    One that is clipped is exactly 1 or -1 there: the gradient of a clip is 0 beyond its bounds, and passes at them.
    """
    if not isinstance(value, np.ndarray) or value.dtype.kind != "f":
        return value
    eps = np.finfo(value.dtype).eps
    is_one = np.abs(np.abs(value) - 1) <= MOST_ROUNDED * eps
    whole = np.asarray(operand) % 1 == 0
    if not clipped:
        is_one = is_one & (~whole if whole.shape == value.shape else not whole.all())
    return np.where(is_one, np.sign(value) * (1 if clipped else 1 + eps), value).astype(value.dtype)


def rounded(value: Any, operands: Sequence[Any]) -> Any:
    """A sum or a difference that is slightly less than 0 where its terms cancel; whole numbers are not rounded."""
    first = np.asarray(operands[0])
    if not isinstance(value, np.ndarray) or value.dtype.kind != "f" or first.dtype.kind != "f":
        return value
    term = np.broadcast_to(np.abs(first), value.shape)
    error = term * np.finfo(value.dtype).eps
    cancels = (np.abs(value) <= MOST_ROUNDED * error) & (term % 1 != 0)
    return np.where(cancels, -error, value).astype(value.dtype)
