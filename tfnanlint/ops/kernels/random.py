"""Ordinary draws: the same ones each time, so that a trial can be repeated.

`draw` is the number of a draw among those of a program: two of them give different numbers.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tfnanlint.ops.kernels.shapes import Array, dtype_of, whole_number, whole_numbers, whole_shape
from tfnanlint.ops.work import affordable

FEW = 2
"""The upper bound of integers where it is not known: so small that they index anything."""


def _start(draw: int) -> Any:
    return np.random.default_rng(draw)


def _number(value: Any, default: float) -> Any:
    """A static parameter; its default, too, where its value is not known."""
    return default if value is None or isinstance(value, str) else np.asarray(value)


def uniform(shape: Any = (), *, minval: Any, maxval: Any, dtype: Any, draw: int = 0, **_: Any) -> Array:
    kind = dtype_of(dtype)
    if kind.kind in "iu":
        return integers(shape, minval=minval, maxval=maxval, dtype=dtype, draw=draw)
    lowest, highest = _number(minval, 0.0), _number(maxval, 1.0)
    return (lowest + (highest - lowest) * _start(draw).random(whole_shape(shape), "float32")).astype(kind)


def integers(shape: Any = (), *, minval: Any, maxval: Any, dtype: Any, draw: int = 0, **_: Any) -> Array:
    lowest, highest = _number(minval, 0), _number(maxval, FEW)
    drawn = _start(draw).integers(lowest, np.maximum(highest, lowest + 1), whole_shape(shape))
    return np.asarray(drawn).astype(dtype_of(dtype, "int32"))


def normal(shape: Any = (), *, mean: Any, stddev: Any, dtype: Any, draw: int = 0, **_: Any) -> Array:
    drawn = _start(draw).standard_normal(whole_shape(shape))
    return np.asarray(_number(mean, 0.0) + _number(stddev, 1.0) * drawn).astype(dtype_of(dtype))


def truncated_normal(shape: Any = (), *, mean: Any, stddev: Any, dtype: Any, draw: int = 0, **_: Any) -> Array:
    """What lies farther out than two standard deviations is folded back."""
    drawn = _start(draw).standard_normal(whole_shape(shape))
    folded = np.where(np.abs(drawn) > 2, np.fmod(drawn, 2), drawn)
    return np.asarray(_number(mean, 0.0) + _number(stddev, 1.0) * folded).astype(dtype_of(dtype))


def gamma(shape: Any = (), *, alpha: Any, beta: Any, dtype: Any, draw: int = 0, **_: Any) -> Array:
    form, rate = np.broadcast_arrays(_number(alpha, 1.0), _number(beta, 1.0))
    drawn = _start(draw).gamma(form, 1.0, whole_shape((*whole_numbers(shape), *form.shape))) / rate
    return np.asarray(drawn).astype(dtype_of(dtype))


def poisson(shape: Any = (), *, lam: Any, dtype: Any, draw: int = 0, **_: Any) -> Array:
    mean = np.asarray(_number(lam, 1.0))
    return np.asarray(_start(draw).poisson(mean, whole_shape((*whole_numbers(shape), *mean.shape)))).astype(
        dtype_of(dtype)
    )


def beta(shape: Any = (), *, alpha: Any, beta: Any, dtype: Any, draw: int = 0, **_: Any) -> Array:
    drawn = _start(draw).beta(_number(alpha, 1.0), _number(beta, 1.0), whole_shape(shape))
    return np.asarray(drawn).astype(dtype_of(dtype))


def bernoulli(shape: Any = (), *, p: Any, dtype: Any, draw: int = 0, **_: Any) -> Array:
    return np.asarray(_start(draw).random(whole_shape(shape)) <= _number(p, 0.0)).astype(dtype_of(dtype))


def categorical(logits: Array, *, num_samples: Any, dtype: Any, draw: int = 0, **_: Any) -> Array:
    """Indices of the classes, by the largest of their logits plus a Gumbel draw each."""
    count = 1 if num_samples is None else whole_number(num_samples)
    affordable(np.size(logits) * count)
    noise = _start(draw).gumbel(size=(*np.shape(logits)[:-1], count, np.shape(logits)[-1]))
    return (np.expand_dims(logits, -2) + noise).argmax(axis=-1).astype(dtype_of(dtype, "int64"))
