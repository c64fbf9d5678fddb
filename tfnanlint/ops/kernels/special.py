"""Special functions that NumPy does not have, each accurate to the rounding of single precision or better."""

from __future__ import annotations

import math
from collections.abc import Callable
from statistics import NormalDist

import numpy as np

from tfnanlint.ops.kernels.shapes import Array
from tfnanlint.ops.work import affordable

CALLED = 20.0
"""The cost of calling a Python function for one element, in elements."""
SHIFT = 12.0
"""From here on a few terms of the asymptotic series of the gamma functions are exact to double precision."""
LONGEST_SUM = 4096
"""Terms by which a negative argument is shifted; one below that many is taken for minus infinity."""
LARGEST_ORDER = 2.0**14
"""From here on the first term of the zeta function alone counts, and it is 0, 1 or infinite."""
BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510)
"""The Bernoulli numbers of even index, from 2 on."""
NODES = 128
"""Of the trapezoid rule for the Bessel functions, which is exact to rounding up to `FAR`."""
FAR = 50.0


def each(function: Callable[[float], float], x: Array) -> Array:
    """A function of the math module applied to each element; NaN stays NaN."""
    array = np.asarray(x)
    affordable(array.size, CALLED)
    values = [v if math.isnan(v) else function(v) for v in array.ravel().tolist()]
    return np.array(values, dtype=array.dtype).reshape(array.shape)


def log_gamma(x: float) -> float:
    """The logarithm of |gamma(x)|, infinite at its poles."""
    if math.isinf(x) or (x <= 0 and x == math.floor(x)):
        return math.inf
    try:
        return math.lgamma(x)
    except OverflowError:
        return math.inf


def quantile(share: float) -> float:
    """The number below which that share of the standard normal distribution lies."""
    if 0 < share < 1:
        return NormalDist().inv_cdf(share)
    return {0.0: -math.inf, 1.0: math.inf}.get(share, math.nan)


def digamma(x: Array) -> Array:
    """The derivative of log gamma: NaN at its poles."""
    given = np.asarray(x)
    wide = given.astype("float64")
    mirrored = wide <= 0
    at = np.where(mirrored, 1 - wide, wide)
    shifted, lacking = _shifted(at, lambda v: 1 / v)
    series = sum(b / (2 * k * shifted ** (2 * k)) for k, b in enumerate(BERNOULLI, 1))
    result = np.log(shifted) - 0.5 / shifted - series - lacking
    # The angle is reduced first: far from 0, the computed sine of a multiple of pi is not 0.
    part = wide - np.round(wide)
    result = np.where(mirrored, result - np.pi / np.tan(np.pi * part), result)
    return np.where(mirrored & (part == 0), np.nan, result).astype(given.dtype)


def _shifted(x: Array, term: Callable[[Array], Array]) -> tuple[Array, Array]:
    """(x moved up by ones to at least `SHIFT`, the sum of what a step from each number on the way adds)."""
    total = np.zeros_like(x)
    for _ in range(LONGEST_SUM):
        short = x < SHIFT
        if not short.any():
            break
        affordable(x.size)
        total = np.where(short, total + term(x), total)
        x = np.where(short, x + 1, x)
    return x, total


def hurwitz(x: Array, q: Array) -> Array:
    """The Hurwitz zeta function, the sum of (q + k) ** -x, by the Euler-Maclaurin formula."""
    kind = np.result_type(x, q)
    order, start = (v.astype("float64") for v in np.broadcast_arrays(x, q))
    order = np.minimum(order, LARGEST_ORDER)
    at, total = _shifted(start, lambda v: v**-order)
    tail = at ** (1 - order) / (order - 1) + at**-order / 2
    factor = order / at
    for k, b in enumerate(BERNOULLI, 1):
        tail = tail + b / math.factorial(2 * k) * factor * at**-order
        factor = factor * (order + 2 * k - 1) * (order + 2 * k) / at**2
    pole = (start <= 0) & (start == np.floor(start))
    result = np.where((start <= 0) & (order != np.floor(order)), np.nan, total + tail)
    result = np.where(pole, np.where(order % 2 == 0, np.inf, np.nan), result)
    return np.where(order == 1, np.inf, np.where(order < 1, np.nan, result)).astype(kind)


def polygamma(order: Array, x: Array) -> Array:
    """The derivative of that order of the digamma function."""
    factorial = np.exp(each(log_gamma, order + 1.0))
    higher = np.where((order + 1.0) % 2 == 1, -1, 1) * factorial * hurwitz(order + 1.0, x)
    result = np.where(order == 0, digamma(x + 0 * order), higher)
    whole = (order >= 0) & (order == np.floor(order))
    return np.where(whole, result, np.nan).astype(np.result_type(order, x))


def bessel(order: int, x: Array) -> Array:
    """The modified Bessel function of the first kind of order 0 or 1, times exp(-|x|)."""
    given = np.asarray(x)
    affordable(given.size, NODES)
    size = np.abs(given.astype("float64"))
    angles = np.arange(NODES) * (2 * np.pi / NODES)
    near = np.minimum(size, FAR)[..., None]
    weight = near * np.sin(angles) ** 2 if order else 1.0  # positive, so that nothing cancels near 0
    mean = (np.exp(near * (np.cos(angles) - 1)) * weight).mean(axis=-1)
    far, term, series = np.maximum(size, FAR), 1.0, 1.0
    for k in range(1, 8):
        term = -term * (4 * order**2 - (2 * k - 1) ** 2) / (8 * k * far)
        series = series + term
    result = np.where(size < FAR, mean, series / np.sqrt(2 * np.pi * far))
    return (result * np.sign(given) ** order).astype(given.dtype)


def unscaled_bessel(order: int, x: Array) -> Array:
    """The function itself, infinite as soon as exp(|x|) is; half precision is computed in single."""
    given = np.asarray(x)
    wide = given.astype(np.result_type(given, np.float32))
    return (np.exp(np.abs(wide)) * bessel(order, wide)).astype(given.dtype)
