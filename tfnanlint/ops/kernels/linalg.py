"""What is computed of matrices: determinants, factors, spectra, functions.

Where TensorFlow refuses a matrix, the result is NaN.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tfnanlint.ops.kernels.products import turned
from tfnanlint.ops.kernels.shapes import Array
from tfnanlint.ops.kernels.systems import adjoint_of, decomposable, each, inverse, solve, triangular_solve
from tfnanlint.ops.numeric import unbroadcast
from tfnanlint.ops.work import affordable

SYSTEM = 10_000
"""The cost of setting up one small system of equations, in elements."""


def _diagonal(x: Array) -> Array:
    """Matrices of which these are the diagonals."""
    return x[..., None] * np.eye(x.shape[-1], dtype=x.dtype)


def _lower(x: Array) -> Array:
    """The lower triangle, half of the diagonal."""
    return np.tril(x) - 0.5 * _diagonal(np.diagonal(x, axis1=-2, axis2=-1))


def _squared(x: Array) -> None:
    """Raise a ValueError for matrices whose products with their own transpose are too large."""
    affordable(np.size(x) / max(np.shape(x)[-1] * np.shape(x)[-2], 1) * max(np.shape(x)[-2:]) ** 2)


def det(x: Array) -> Array:
    return each(np.linalg.det, x)


def pull_det(grad: Array, result: Array, x: Array) -> Array:
    return (grad * result)[..., None, None] * inverse(x, True)


def slogdet(x: Array) -> tuple[Array, Array]:
    sign = each(lambda given: np.linalg.slogdet(given)[0], x)
    return sign, each(lambda given: np.linalg.slogdet(given)[1], x)


def pull_slogdet(grad: tuple[Array | None, Array | None], result: Any, x: Array) -> Array:
    """The sign has no gradient."""
    if grad[1] is None:
        return np.zeros_like(x)
    return grad[1][..., None, None] * inverse(x, True)


def cholesky(x: Array, upper: Any = False) -> Array:
    return turned(np.tril(each(np.linalg.cholesky, x)), upper)


def pull_cholesky(grad: Array, result: Array, x: Array, upper: Any = False) -> Array:
    factor, incoming = turned(result, upper), turned(grad, upper)
    inverted = inverse(factor, False)
    back = adjoint_of(inverted) @ _lower(adjoint_of(factor) @ incoming) @ inverted
    return 0.5 * (back + adjoint_of(back))


def logdet(x: Array) -> Array:
    factor = np.diagonal(cholesky(x), axis1=-2, axis2=-1)
    return 2 * np.log(np.real(factor)).sum(axis=-1)


def pull_logdet(grad: Array, result: Array, x: Array) -> Array:
    factor = cholesky(x)
    diagonal = np.diagonal(factor, axis1=-2, axis2=-1)
    return pull_cholesky(_diagonal(2 * grad[..., None] / diagonal), factor, x)


def pinv(x: Array, rcond: Any, validate_args: Any = False) -> Array:
    x = np.asarray(x)
    decomposable(x)
    cut = 10 * max(x.shape[-2:]) * np.finfo(x.dtype).eps if rcond is None else rcond
    return np.linalg.pinv(x, cut)


def pull_pinv(grad: Array, result: Array, x: Array, rcond: Any, validate_args: Any = False) -> Array:
    """The differential of a pseudoinverse of constant rank (Golub and Pereyra)."""
    _squared(x)
    back, given = adjoint_of(result), adjoint_of(grad)
    rows = np.eye(x.shape[-2], dtype=x.dtype) - x @ result
    columns = np.eye(x.shape[-1], dtype=x.dtype) - result @ x
    return -(back @ grad @ back) + rows @ given @ result @ back + back @ result @ given @ columns


def qr(x: Array, full_matrices: Any, mode: Any) -> tuple[Array, Array]:
    decomposable(x)
    if full_matrices or mode == "complete":
        _squared(x)
    q, r = np.linalg.qr(x, "complete" if full_matrices or mode == "complete" else "reduced")
    return q, r


def pull_qr(grad: tuple[Array | None, Array | None], result: Any, x: Array, full_matrices: Any, mode: Any) -> Array:
    q, r = result
    dq, dr = (np.zeros_like(held) if one is None else one for one, held in zip(grad, result, strict=True))
    rows, columns = q.shape[-2], r.shape[-1]
    if r.shape[-2] > columns:
        raise ValueError("the gradient of a complete factorization of a tall matrix is not defined")
    if rows >= columns:
        return _pull_tall_qr(q, r, dq, dr)
    rest, beyond = x[..., rows:], dr[..., rows:]
    square = _pull_tall_qr(q, r[..., :rows], dq + rest @ adjoint_of(beyond), dr[..., :rows])
    return np.concatenate([square, q @ beyond], axis=-1)


def _pull_tall_qr(q: Array, r: Array, dq: Array, dr: Array) -> Array:
    size = np.abs(r).max(axis=(-2, -1), keepdims=True)
    r = np.where(np.abs(r) < np.finfo(r.dtype).eps * size, 0, r)  # what rounding leaves of a missing rank

    def divided(given: Array) -> Array:
        return adjoint_of(triangular_solve(r, adjoint_of(given), False, False))

    turn, scale = adjoint_of(q) @ dq, r @ adjoint_of(dr)
    lower = np.tril(turn - adjoint_of(turn) + scale - adjoint_of(scale))
    return q @ (dr + divided(lower)) + divided(dq - q @ turn)


def svd(x: Array, full_matrices: Any, compute_uv: Any) -> Any:
    """Singular values, left and right singular vectors as columns, as TensorFlow orders them."""
    decomposable(x)
    if full_matrices:
        _squared(x)
    if not compute_uv:
        return np.linalg.svd(x, compute_uv=False)
    u, s, vh = np.linalg.svd(x, full_matrices=bool(full_matrices))
    return s, u, adjoint_of(vh)


def pull_svd(grad: Any, result: Any, x: Array, full_matrices: Any, compute_uv: Any) -> Array:
    """Equal singular values get a large finite gradient through their vectors."""
    if not compute_uv:
        _, u, v = svd(x, False, True)
        return u @ _diagonal(grad) @ adjoint_of(v)
    s, u, v = result
    ds, du, dv = (np.zeros_like(held) if one is None else one for one, held in zip(grad, result, strict=True))
    tall = x.shape[-2] > x.shape[-1]
    if tall:
        u, v, du, dv = v, u, dv, du
    count, wide = s.shape[-1], max(x.shape[-2:])
    if full_matrices and wide - count > 1:
        raise ValueError("the gradient of full singular vectors is defined for nearly square matrices only")
    squares = s * s
    f = _gaps(squares)
    v1, dv1 = v[..., :count], dv[..., :count]
    left, right = f * (adjoint_of(u) @ du), f * (adjoint_of(v1) @ dv1)
    spread = _diagonal(s)
    middle = _diagonal(ds) + (left + adjoint_of(left)) @ spread + spread @ (right + adjoint_of(right))
    back = u @ middle @ adjoint_of(v1)
    if wide != count:
        turn = adjoint_of(dv1)
        beyond = turn - turn @ v1 @ adjoint_of(v1)
        if full_matrices:
            beyond = beyond - adjoint_of(v1) @ dv[..., count:] @ adjoint_of(v[..., count:])
        back = back + u @ _diagonal(_safe_reciprocal(s)) @ beyond
    return adjoint_of(back) if tall else back


def _safe_reciprocal(x: Array) -> Array:
    """TensorFlow's 1 / x, which is 0 at 0."""
    return x / (x * x + np.asarray(1e-20, x.dtype))


def _gaps(values: Array) -> Array:
    """1 over the differences of values, 0 on the diagonal."""
    return _safe_reciprocal(values[..., None, :] - values[..., :, None])


def eigh(x: Array) -> tuple[Array, Array]:
    decomposable(x)
    values, vectors = np.linalg.eigh(x)
    return values, vectors


def pull_eigh(grad: tuple[Array | None, Array | None], result: Any, x: Array) -> Array:
    values, vectors = result
    middle = np.zeros_like(vectors)
    if grad[0] is not None:
        middle = middle + _diagonal(grad[0])
    if grad[1] is not None:
        middle = middle + _gaps(values) * (adjoint_of(vectors) @ grad[1])
    back = vectors @ middle @ adjoint_of(vectors)
    return _lower(back + adjoint_of(back))


def eigvalsh(x: Array) -> Array:
    return eigh(x)[0]


def pull_eigvalsh(grad: Array, result: Array, x: Array) -> Array:
    return pull_eigh((grad, None), eigh(x), x)


def sqrtm(x: Array) -> Array:
    """The principal root; NaN for a matrix that has none among real ones, or twice the eigenvalue 0."""
    decomposable(x)
    values, vectors = np.linalg.eig(x)
    root = vectors * np.sqrt(values.astype(complex))[..., None, :] @ inverse(vectors.astype(complex), False)
    found = np.where(np.abs(root.imag) > 1e-3 * (1 + np.abs(root.real)), np.nan, root.real)
    twice = (values == 0).sum(axis=-1)[..., None, None] > 1
    return np.where(twice, np.nan, found).astype(np.asarray(x).dtype)


def pull_sqrtm(grad: Array, result: Array, x: Array) -> Array:
    """R dR + dR R = dX, solved for each matrix as one system."""
    size = result.shape[-1]
    affordable(result.size / max(size, 1) ** 2 * (SYSTEM + size**5))
    eye = np.eye(size, dtype=result.dtype)
    back = [
        solve(np.kron(eye, root.T) + np.kron(root, eye), np.reshape(one.T, (-1, 1)), False).reshape(size, size).T
        for root, one in zip(result.reshape(-1, size, size), np.reshape(grad, (-1, size, size)), strict=True)
    ]
    return np.reshape(back, result.shape)


PADE = (64764752532480000, 32382376266240000, 7771770303897600, 1187353796428800, 129060195264000, 10559470521600,
        670442572800, 33522128640, 1323241920, 40840800, 960960, 16380, 182, 1)  # fmt: skip
"""The coefficients of exp's Pade approximant of order 13."""
PADE_RADIUS = 2.0


def expm(x: Array) -> Array:
    """Scaled down until the approximant holds, then squared as often."""
    x = np.asarray(x)
    decomposable(x)
    largest: Any = np.max(np.abs(x).sum(axis=-1), initial=0.0)
    if not np.isfinite(largest):
        return np.full_like(x, np.nan)
    halvings = max(0, int(np.ceil(np.log2(max(largest, 1e-30) / PADE_RADIUS))))
    small = x / np.asarray(2.0**halvings, x.dtype)
    power = np.broadcast_to(np.eye(x.shape[-1], dtype=x.dtype), x.shape)
    even, odd = np.zeros_like(power), np.zeros_like(power)
    for place, coefficient in enumerate(PADE):
        term = power * np.asarray(coefficient / PADE[0], x.dtype)
        even, odd = (even + term, odd) if place % 2 == 0 else (even, odd + term)
        power = power @ small
    found = solve(even - odd, even + odd, False)
    for _ in range(halvings):
        found = found @ found
    return found


def pull_expm(grad: Array, result: Array, x: Array) -> Array:
    """The derivative stands in a corner of the exponential of a matrix of twice the size."""
    size, turned_x = x.shape[-1], adjoint_of(x)
    upper = np.concatenate([turned_x, np.broadcast_to(grad, turned_x.shape)], axis=-1)
    lower = np.concatenate([np.zeros_like(turned_x), turned_x], axis=-1)
    return expm(np.concatenate([upper, lower], axis=-2))[..., :size, size:]


def matrix_rank(x: Array, tol: Any, validate_args: Any = False) -> Array:
    decomposable(x)
    return np.asarray(np.linalg.matrix_rank(x, tol), np.int32)


def cross(x: Array, y: Array, axisa: Any, axisb: Any, axisc: Any, axis: Any) -> Array:
    first, second, third = (axisa, axisb, axisc) if axis is None else (axis, axis, axis)
    return np.cross(x, y, first, second, third)


def pull_cross(
    grad: Array, result: Array, x: Array, y: Array, axisa: Any, axisb: Any, axisc: Any, axis: Any
) -> tuple[Array, Array]:
    first, second, third = (axisa, axisb, axisc) if axis is None else (axis, axis, axis)
    back = np.cross(y, grad, second, third, first), np.cross(grad, x, third, first, second)
    return unbroadcast(back[0], np.shape(x)), unbroadcast(back[1], np.shape(y))
