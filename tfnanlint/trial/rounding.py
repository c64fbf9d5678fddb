"""What rounding makes of a difference that is 0 in exact arithmetic: slightly less than 0.

The few numbers of a trial would often cancel exactly; those of a program do not.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from tfnanlint.facts.cancelling import is_cancelling
from tfnanlint.flow import Node, reached
from tfnanlint.ops.numeric import np

UNDEFINED_BELOW = frozenset("sqrt rsqrt log log2".split())
"""Ops that are NaN below 0."""
OFFSET = frozenset("add subtract identity cast reshape squeeze expand_dims transpose getitem".split())
"""What stands between a difference and an op that is NaN below 0: further terms, and other shapes."""
MOST_ROUNDED = 4
"""Where terms cancel, at most so many units in the last place of a term are left by rounding."""


def cancelling(nodes: Iterable[Node]) -> set[Node]:
    """The differences of sums in front of a root or a logarithm."""
    roots = [node.operands[0] for node in nodes if node.op in UNDEFINED_BELOW and node.operands]
    before = reached(roots, lambda node: node.operands if node.op in OFFSET else ())
    return {node for node in before if node.op in ("add", "subtract") and is_cancelling(node)}


def rounded(value: Any, operands: Sequence[Any]) -> Any:
    """A sum or a difference that is slightly less than 0 where its terms cancel; whole numbers are not rounded."""
    first = np.asarray(operands[0])
    if not isinstance(value, np.ndarray) or value.dtype.kind != "f" or first.dtype.kind != "f":
        return value
    term = np.broadcast_to(np.abs(first), value.shape)
    error = term * np.finfo(value.dtype).eps
    cancels = (np.abs(value) <= MOST_ROUNDED * error) & (term % 1 != 0)
    return np.where(cancels, -error, value).astype(value.dtype)
