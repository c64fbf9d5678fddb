"""Guarded arithmetic, and the gradients of a power and of log(exp(x) + exp(y))."""

from __future__ import annotations

import numpy as np

from tfnanlint.ops.kernels.shapes import Array


def floor_of_quotient(x: Array, y: Array) -> Array:
    """Of real numbers, the quotient is rounded first: 1 / -inf is -0, and so is its floor."""
    return np.floor(x / y) if np.result_type(x, y).kind == "f" else np.floor_divide(x, y)


def guarded(x: Array, y: Array) -> Array:
    """A quotient that is 0 where the divisor is."""
    return np.where(y == 0, 0, x / y)


def muted(x: Array, y: Array) -> Array:
    """A product that is 0 where the second factor is, whatever the first one is."""
    return np.where(y == 0, 0, x * y)


def unless_zero(x: Array, result: Array) -> Array:
    return np.where(x == 0, 0, result)


def pull_pow(g: Array, z: Array, x: Array, y: Array) -> tuple[Array, Array]:
    """The exponent's gradient takes the logarithm of a base that is not positive for 0."""
    base = x.conjugate()
    taken = base != 0 if np.iscomplexobj(x) else base > 0
    logarithm = np.log(np.where(taken, base, 1))
    exponent = y.conjugate()
    return g * exponent * np.power(base, exponent - 1), g * z.conjugate() * logarithm


def pull_logaddexp(g: Array, z: Array, x: Array, y: Array) -> tuple[Array, Array]:
    """Through maximum(x, y) + log1p(exp(-|x - y|)), or through x + y where the difference is NaN."""
    lost = np.isnan(x - y)
    still = np.where(lost, 0, g)
    decay = np.exp(-np.abs(x - y))
    share = still / (1 + decay) * decay * -np.sign(x - y)
    sums = np.where(lost, g, 0)
    return sums + np.where(x >= y, still, 0) + share, sums + np.where(x >= y, 0, still) - share
