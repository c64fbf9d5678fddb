"""Reductions of segments: TensorFlow's values of segments without elements, and its gradients at ties and zeros."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfnanlint.ops.kernels.shapes import Array, whole_number
from tfnanlint.ops.work import affordable


class Segments:
    """Which row of the result each row of `x` belongs to; rows of a negative number belong nowhere."""

    def __init__(self, x: Array, segment_ids: Array, count: Any = None) -> None:
        ids = np.asarray(segment_ids).astype(np.int64)
        if np.shape(x)[: ids.ndim] != ids.shape:
            raise ValueError(f"segments of shape {ids.shape} do not fit a tensor of shape {np.shape(x)}")
        self.ids = ids.reshape(-1)
        self.rows = np.asarray(x).reshape(self.ids.size, *np.shape(x)[ids.ndim :])
        self.count = int(self.ids.max(initial=-1)) + 1 if count is None else whole_number(count)
        affordable(self.count * self.rows.size / max(len(self.rows), 1))
        self.inside = (self.ids >= 0) & (self.ids < self.count)
        self.shape = np.shape(x)

    def reduce(self, function: Any, start: Any, rows: Any = None) -> Array:
        rows = self.rows if rows is None else rows
        found = np.full((self.count, *rows.shape[1:]), start, rows.dtype)
        function.at(found, self.ids[self.inside], rows[self.inside])
        return found

    def spread(self, reduced: Array) -> Array:
        """The row of a result for each row of the operand, 0 for those that belong nowhere."""
        found = np.zeros((self.ids.size, *reduced.shape[1:]), reduced.dtype)
        found[self.inside] = reduced[self.ids[self.inside]]
        return found

    def sizes(self, kind: Any) -> Array:
        """How many rows each segment has, in the shape that divides a result."""
        found = np.bincount(self.ids[self.inside], minlength=self.count)
        return found.astype(kind).reshape(-1, *(1,) * (self.rows.ndim - 1))


STARTS = {"sum": 0, "prod": 1}
FUNCTIONS = {"sum": np.add, "prod": np.multiply, "max": np.maximum, "min": np.minimum}


def segments(kind: str, x: Array, segment_ids: Array) -> Array:
    """Of sorted numbers; a segment without elements is 0, and 1 as a product."""
    parts = Segments(x, segment_ids)
    if kind == "mean":
        return parts.reduce(np.add, 0) / np.maximum(parts.sizes(parts.rows.dtype), 1)
    if kind in STARTS:
        return parts.reduce(FUNCTIONS[kind], STARTS[kind])
    found = parts.reduce(FUNCTIONS[kind], _neutral(kind, parts.rows.dtype))
    return np.where(parts.sizes(np.int64) == 0, np.zeros_like(found), found)


def unsorted(kind: str, x: Array, segment_ids: Array, num_segments: Any, sorted: Any = False) -> Array:
    """A segment without elements is the lowest number as a maximum, the highest as a minimum, 0 as a mean."""
    parts = Segments(x, segment_ids, num_segments)
    if kind in FUNCTIONS:
        return parts.reduce(FUNCTIONS[kind], STARTS.get(kind, _neutral(kind, parts.rows.dtype)))
    return parts.reduce(np.add, 0) / _divisor(kind, parts)


def _neutral(kind: str, dtype: Any) -> Any:
    info = np.finfo(dtype) if dtype.kind == "f" else np.iinfo(dtype)
    return info.min if kind == "max" else info.max


def _divisor(kind: str, parts: Segments) -> Array:
    counts = np.maximum(parts.sizes(parts.rows.dtype), 1)
    return np.sqrt(counts) if kind == "sqrt_n" else counts


def pull_segments(
    kind: str, grad: Array, result: Array, x: Array, segment_ids: Array, num_segments: Any = None, sorted: Any = False
) -> tuple[Array, None]:
    parts = Segments(x, segment_ids, len(result))
    if kind == "sum":
        back = parts.spread(grad)
    elif kind in ("mean", "sqrt_n"):
        back = parts.spread(grad / _divisor(kind, parts))
    elif kind == "prod":
        back = parts.spread(_product_gradient(grad, parts)) * _other_factors(result, parts)
    else:
        chosen = np.equal(parts.rows, parts.spread(result)) & _each(parts.inside, parts.rows)
        shared = grad / parts.reduce(np.add, 0, chosen.astype(grad.dtype))
        back = np.where(chosen, parts.spread(shared), np.zeros_like(parts.rows))
    return back.reshape(parts.shape), None


def _each(of_rows: Array, rows: Array) -> Array:
    return of_rows.reshape(-1, *(1,) * (rows.ndim - 1))


def _product_gradient(grad: Array, parts: Segments) -> Array:
    """Two zeros among the factors leave no gradient."""
    zeros = parts.reduce(np.add, 0, (parts.rows == 0).astype(np.int64))
    return np.where(zeros > 1, np.zeros_like(grad), grad)


def _other_factors(result: Array, parts: Segments) -> Array:
    """The product of all other factors: divided by this one, or, where that is 0, the product of those that are not."""
    zero = parts.rows == 0
    whole = parts.reduce(np.multiply, 1, np.where(zero, np.ones_like(parts.rows), parts.rows))
    return np.where(zero, parts.spread(whole), parts.spread(result) / np.where(zero, 1, parts.rows))


def gathered(
    kind: str, x: Array, indices: Array, segment_ids: Array, num_segments: Any, sparse_gradient: Any = False
) -> Array:
    """Segments of rows that are picked first."""
    return unsorted(kind, _picked(x, indices), segment_ids, num_segments)


def _picked(x: Array, indices: Array) -> Array:
    affordable(np.size(indices) * np.size(x) / max(len(x), 1))
    return np.take(x, np.asarray(indices), axis=0)


def pull_gathered(
    kind: str,
    grad: Array,
    result: Array,
    x: Array,
    indices: Array,
    segment_ids: Array,
    num_segments: Any,
    sparse_gradient: Any = False,
) -> tuple[Array, None, None]:
    picked = _picked(x, indices)
    rows, _ = pull_segments(kind, grad, result, picked, segment_ids)
    back = np.zeros(np.shape(x), rows.dtype)
    np.add.at(back, np.asarray(indices), rows)
    return back, None, None
