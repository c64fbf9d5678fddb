"""Matrices and their diagonals."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tfnanlint.ops.kernels.moves import pull_moved
from tfnanlint.ops.kernels.shapes import Array, axis_of, dtype_of, whole_number, whole_numbers
from tfnanlint.ops.work import affordable


def band_part(x: Array, num_lower: Any, num_upper: Any) -> Array:
    """A negative number keeps the whole triangle."""
    x = np.asarray(x)
    below, above = whole_number(num_lower), whole_number(num_upper)
    found = x if below < 0 else np.triu(x, -below)
    return found if above < 0 else np.tril(found, above)


def diag_part(x: Array, k: Any, padding_value: Any = 0, align: Any = None) -> Array:
    return np.diagonal(x, whole_number(k), -2, -1)


def tensor_diag_part(x: Array) -> Array:
    """The diagonal of a tensor whose second half of axes repeats the first."""
    half = np.shape(x)[: np.ndim(x) // 2]
    return np.diagonal(np.reshape(x, (math.prod(half), -1))).reshape(half)


def set_diag(x: Array, y: Array, k: Any, align: Any = None) -> Array:
    """One number stands for the whole diagonal, as in NumPy."""
    if whole_number(k) != 0:
        raise ValueError("only the main diagonal is set")
    found = np.array(x)
    at = np.arange(min(found.shape[-2:]))
    found[..., at, at] = y
    return found


def pull_set_diag(grad: Array, result: Array, x: Array, y: Array, k: Any, align: Any = None) -> tuple[Array, Array]:
    back = np.diagonal(grad, 0, -2, -1)
    return set_diag(grad, np.zeros((), grad.dtype), k), back if np.ndim(y) else back.sum()


def matrix_diag(x: Array, k: Any, num_rows: Any, num_cols: Any, padding_value: Any = 0, align: Any = None) -> Array:
    x = np.asarray(x)
    place = whole_number(k)
    length = x.shape[-1]
    rows, columns = whole_number(num_rows), whole_number(num_cols)
    least = length + max(-place, 0), length + max(place, 0)
    if rows < 0 and columns < 0:
        least = (max(least), max(least))
    shape = (least[0] if rows < 0 else rows, least[1] if columns < 0 else columns)
    affordable(math.prod((*x.shape[:-1], *shape)))
    found = np.full((*x.shape[:-1], *shape), padding_value, x.dtype)
    at = np.arange(length)
    found[..., at + max(-place, 0), at + max(place, 0)] = x
    return found


def pull_matrix_diag(
    grad: Array, result: Array, x: Array, k: Any, num_rows: Any, num_cols: Any, padding_value: Any, align: Any = None
) -> Array:
    return diag_part(grad, k)[..., : np.shape(x)[-1]]


def tensor_diag(x: Array) -> Array:
    x = np.asarray(x)
    affordable(x.size**2)
    return np.diag(x.ravel()).reshape(x.shape * 2)


def pull_tensor_diag(grad: Array, result: Array, x: Array) -> Array:
    return np.diagonal(np.reshape(grad, (np.size(x), -1))).reshape(np.shape(x))


def eye(num_rows: Any, num_columns: Any, batch_shape: Any, dtype: Any) -> Array:
    rows = whole_number(num_rows)
    columns = rows if num_columns is None else whole_number(num_columns)
    shape = (*(() if batch_shape is None else whole_numbers(batch_shape)), rows, columns)
    affordable(math.prod(shape))
    return np.broadcast_to(np.eye(rows, columns, dtype=dtype_of(dtype)), shape)


def trace(x: Array, offset: Any, axis1: Any, axis2: Any) -> Array:
    return _traced(x, offset, axis1, axis2).sum(axis=-1)


def _traced(x: Array, offset: Any, axis1: Any, axis2: Any) -> Array:
    """TensorFlow's trace is that of the last two axes; Keras and NumPy name other ones."""
    first, second = (axis_of(axis, np.ndim(x)) for axis in (axis1, axis2))
    if (first, second) == (0, 1):
        first, second = -2, -1
    return np.diagonal(x, whole_number(offset), first, second)


def pull_trace(grad: Array, result: Array, x: Array, offset: Any, axis1: Any, axis2: Any) -> Array:
    diagonal = _traced(x, offset, axis1, axis2)
    (back,) = pull_moved(
        _traced,
        np.broadcast_to(np.asarray(grad)[..., None], diagonal.shape),
        x,
        offset=offset,
        axis1=axis1,
        axis2=axis2,
    )
    assert back is not None
    return back
