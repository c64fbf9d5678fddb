"""Activations of more than a line: those with parameters, and those that TensorFlow computes from other ops."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tfnanlint.interval import INF
from tfnanlint.ops.kernels.shapes import Array
from tfnanlint.ops.numeric import Tape, gated

SATURATED = 7.90625
"""The largest number of single precision of which the hyperbolic tangent is computed to be below 1."""


def logistic(x: Array) -> Array:
    """The sigmoid, exactly 1 from where TensorFlow's is: single precision has a formula of its own."""
    if np.result_type(x) == np.float32:
        return 1 / (1 + np.exp(-x))
    power = np.exp(x)
    return np.where(np.isposinf(np.real(power)), 1, power / (1 + power))


def tanh(x: Array) -> Array:
    """The hyperbolic tangent, exactly -1 and 1 from where TensorFlow's approximation is."""
    if np.result_type(x) != np.float32:
        return np.tanh(x)
    return np.where(np.abs(x) > SATURATED, np.sign(x), np.tanh(x))


def number(value: object, default: float) -> float:
    """A static parameter of a run: its default, too, where its value is not known."""
    return float(value) if isinstance(value, (int, float)) else default


def relu(x: Array, alpha: object, max_value: object, threshold: object) -> Array:
    slope, cap, start = number(alpha, 0.0), number(max_value, INF), number(threshold, 0.0)
    kept = np.where(x > start, x, 0) if start else np.maximum(x, 0)
    kept = kept if cap == INF else np.minimum(kept, cap)  # whole numbers stay such
    return np.where(x > start, kept, slope * (x - start)) if slope else kept


def pull_relu(g: Array, y: Array, x: Array, alpha: object, max_value: object, threshold: object) -> Array:
    slope, cap, start = number(alpha, 0.0), number(max_value, INF), number(threshold, 0.0)
    if start == 0 and slope == 0:
        return gated(g, (x > 0) & ((x < 6) if cap == 6 else (x <= cap)))  # a cap of 6 has a kernel of its own
    if start == 0 and cap == INF:
        return np.where(x > 0, g, slope * g)
    # With a threshold or a cap, the slope is that of a second ReLU, which has none at 0.
    return np.where(x > start, np.where(x <= cap, g, 0), np.where(x < start, slope * g, 0))


def hard_sigmoid(t: Tape, x: Any) -> Any:
    return t.divide(t.relu6(t.add(x, 3.0)), 6.0)


def celu(t: Tape, x: Any, alpha: object) -> Any:
    scale = number(alpha, 1.0)
    return t.add(t.maximum(x, 0.0), t.multiply(scale, t.expm1(t.divide(t.minimum(x, 0.0), scale))))


def gelu(t: Tape, x: Any, approximate: bool) -> Any:
    if approximate:
        inner = t.multiply(math.sqrt(2 / math.pi), t.add(x, t.multiply(0.044715, t.pow(x, 3))))
        share = t.add(1.0, t.tanh(inner))
    else:
        share = t.erfc(t.multiply(t.neg(x), math.sqrt(0.5)))
    return t.multiply(t.multiply(0.5, x), share)


def pull_silu(g: Array, y: Array, x: Array, beta: object) -> Array:
    steep = number(beta, 1.0) * x
    share = logistic(steep)
    return g * (share * (1 + steep * (1 - share)))


def soft_shrink(x: Array, threshold: object) -> Array:
    width = number(threshold, 0.5)
    return np.where(x > width, x - width, np.where(x < -width, x + width, 0))
