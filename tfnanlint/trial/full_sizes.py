"""What the sums and the products of a program come to, where a run has fewer elements than the program."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from tfnanlint.ops.numeric import np

if TYPE_CHECKING:
    from tfnanlint.flow import Node, Traced

SUMMED_UP = frozenset({"reduce_sum", "reduce_mean"})
"""Ops that add up all elements along some axes."""


def at_full_size(node: Node, value: Any, of: Any, traced: Mapping[Node, Traced]) -> Any:
    """A float16 sum or mean over as many elements as were `traced`, of which `of` has some; others as they are."""
    whole, own = traced.get(node.operands[0]), traced.get(node)
    if getattr(value, "dtype", None) != np.float16 or not np.size(value):
        return value
    if whole is None or own is None or whole.shape is None or own.shape is None:
        return value
    pairs = (zip(whole.shape, np.shape(of), strict=False), zip(own.shape, np.shape(value), strict=False))
    elements, results = (math.prod(size or here for size, here in pair) for pair in pairs)
    count = np.size(of) / np.size(value)
    total = value.astype("float64") * (count if node.op == "reduce_mean" else 1.0)
    total *= max(elements / max(results, 1) / count, 1.0)
    overflows = np.abs(total) > np.finfo(value.dtype).max
    found = np.where(overflows, np.copysign(np.inf, total), value if node.op == "reduce_mean" else total)
    return found.astype(value.dtype)


def with_factors(product: Any, of: Any, factors: int, of_matrix: bool) -> Any:
    """A product of more `factors`, whose geometric mean is that of the given ones; of a matrix, one for each row."""
    count = np.shape(of)[-1] if of_matrix else np.size(of) / max(np.size(product), 1)
    return np.power(np.abs(product), max(factors / max(count, 1), 1.0)).astype(np.asarray(product).dtype)
