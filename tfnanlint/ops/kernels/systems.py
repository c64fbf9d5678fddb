"""Systems of linear equations and inverses. A matrix without one, which TensorFlow refuses, gives NaN."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tfnanlint.ops.kernels.products import turned
from tfnanlint.ops.kernels.shapes import Array
from tfnanlint.ops.numeric import unbroadcast
from tfnanlint.ops.work import affordable

STEPS = 4.0
"""The cost of one step of a decomposition, in elements."""


def adjoint_of(x: Array) -> Array:
    return turned(x, True)


def decomposable(x: Array) -> None:
    """Raise a ValueError for matrices that are too large to decompose."""
    rows, columns = np.shape(x)[-2:]
    affordable(np.size(x) * min(rows, columns), STEPS)


def each(function: Callable[..., Array], *matrices: Array) -> Array:
    """A function of square matrices; NaN where it fails, for that matrix alone."""
    first = np.asarray(matrices[0])
    if first.ndim < 2 or first.shape[-1] != first.shape[-2] or first.dtype.kind not in "fc":
        raise ValueError(f"a {first.dtype.name} tensor of shape {first.shape} is not a square real matrix")
    if first.dtype == np.float16:
        raise ValueError("float16 matrices are not supported")
    decomposable(first)
    with np.errstate(all="ignore"):
        try:
            return function(*matrices)
        except np.linalg.LinAlgError:
            pass
        if first.ndim == 2:
            one = np.ones_like(first)
            sample = function(
                *(np.eye(len(one), dtype=one.dtype) if place == 0 else value for place, value in enumerate(matrices))
            )
            return np.full_like(sample, np.nan)
    return np.stack([each(function, *parts) for parts in zip(*matrices, strict=True)])


def inverse(x: Array, adjoint: Any) -> Array:
    return each(np.linalg.inv, turned(x, adjoint))


def pull_inverse(grad: Array, result: Array, x: Array, adjoint: Any) -> Array:
    back = -(adjoint_of(result) @ grad @ adjoint_of(result))
    return turned(back, adjoint)


def solve(x: Array, y: Array, adjoint: Any) -> Array:
    """A vector may stand for a matrix of one column."""
    if np.ndim(y) == np.ndim(x) - 1:
        return solve(x, np.asarray(y)[..., None], adjoint)[..., 0]
    if np.shape(x)[-1] != np.shape(y)[-2]:
        raise ValueError(f"a right side of shape {np.shape(y)} does not fit a system of shape {np.shape(x)}")
    batch = np.broadcast_shapes(np.shape(x)[:-2], np.shape(y)[:-2])
    left, right = (np.broadcast_to(one, (*batch, *np.shape(one)[-2:])) for one in (x, y))
    return each(np.linalg.solve, turned(left, adjoint), right)


def pull_solve(grad: Array, result: Array, x: Array, y: Array, adjoint: Any) -> tuple[Array, Array]:
    if np.ndim(y) == np.ndim(x) - 1:
        first, second = pull_solve(grad[..., None], result[..., None], x, np.asarray(y)[..., None], adjoint)
        return first, second[..., 0]
    back = solve(x, grad, not adjoint)
    outer = result @ adjoint_of(back) if adjoint else back @ adjoint_of(result)
    return unbroadcast(-outer, np.shape(x)), unbroadcast(back, np.shape(y))


def triangle(x: Array, lower: Any) -> Array:
    if np.ndim(x) < 2:
        raise ValueError(f"a tensor of rank {np.ndim(x)} is not a matrix")
    return np.tril(x) if lower else np.triu(x)


def triangular_solve(x: Array, y: Array, lower: Any, adjoint: Any) -> Array:
    return solve(triangle(x, lower), y, adjoint)


def pull_triangular_solve(
    grad: Array, result: Array, x: Array, y: Array, lower: Any, adjoint: Any
) -> tuple[Array, Array]:
    first, second = pull_solve(grad, result, triangle(x, lower), y, adjoint)
    return triangle(first, lower), second


def lstsq(x: Array, y: Array, l2_regularizer: Any, fast: Any, rcond: Any) -> Array:
    """Of normal equations of the first kind, or of the second where there are fewer equations than unknowns."""
    if np.ndim(y) == np.ndim(x) - 1:
        return lstsq(x, np.asarray(y)[..., None], l2_regularizer, fast, rcond)[..., 0]
    affordable(np.size(y) / max(np.shape(y)[-2], 1) * np.shape(x)[-1])
    if np.shape(x)[-2] >= np.shape(x)[-1]:
        return solve(_gramian(x, l2_regularizer), adjoint_of(x) @ y, False)
    return adjoint_of(x) @ solve(_gramian(x, l2_regularizer), y, False)


def _gramian(x: Array, l2_regularizer: Any) -> Array:
    x = np.asarray(x)
    decomposable(x)
    found = adjoint_of(x) @ x if x.shape[-2] >= x.shape[-1] else x @ adjoint_of(x)
    return found + np.eye(found.shape[-1], dtype=x.dtype) * np.asarray(l2_regularizer or 0.0, x.dtype)


def pull_lstsq(
    grad: Array, result: Array, x: Array, y: Array, l2_regularizer: Any, fast: Any, rcond: Any
) -> tuple[Array, Array]:
    if np.ndim(y) == np.ndim(x) - 1:
        first, second = pull_lstsq(
            grad[..., None], result[..., None], x, np.asarray(y)[..., None], l2_regularizer, fast, rcond
        )
        return first, second[..., 0]
    gramian = _gramian(x, l2_regularizer)
    if np.shape(x)[-2] >= np.shape(x)[-1]:
        z = solve(gramian, grad, False)
        outer = result @ adjoint_of(z)
        return y @ adjoint_of(z) - x @ (outer + adjoint_of(outer)), x @ z
    back, scaled = solve(gramian, x @ grad, False), solve(gramian, y, False)
    return scaled @ adjoint_of(grad - adjoint_of(x) @ back) - back @ (adjoint_of(scaled) @ x), back
