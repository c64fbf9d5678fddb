"""Reductions over axes and running ones, with TensorFlow's values of nothing and its gradients at ties and zeros."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfnanlint.ops.kernels.shapes import Array, axes_of, axis_of, dtype_of, kept


def sum_of(x: Array, axis: Any, keepdims: bool) -> Array:
    x = np.asarray(x)
    dtype = np.int32 if x.dtype.kind == "b" else x.dtype
    return np.sum(x, axis=axes_of(axis, x.ndim), keepdims=bool(keepdims), dtype=dtype)


def pull_sum(grad: Array, result: Array, x: Array, axis: Any, keepdims: bool) -> Array:
    return np.broadcast_to(kept(grad, axes_of(axis, np.ndim(x)), np.ndim(x)), np.shape(x))


def mean_of(x: Array, axis: Any, keepdims: bool) -> Array:
    """The mean of nothing is 0 / 0."""
    x = np.asarray(x)
    if x.dtype.kind == "b":
        x = x.astype(np.float32)
    count = _count(x, axes_of(axis, x.ndim))
    total = sum_of(x, axis, keepdims)
    if x.dtype.kind in "iu":
        return total // np.asarray(max(count, 1), x.dtype)
    return np.divide(total, np.asarray(count, x.dtype))


def pull_mean(grad: Array, result: Array, x: Array, axis: Any, keepdims: bool) -> Array:
    count = _count(x, axes_of(axis, np.ndim(x)))
    return pull_sum(np.divide(grad, np.asarray(count, np.asarray(grad).dtype)), result, x, axis, keepdims)


def _count(x: Array, axes: tuple[int, ...]) -> int:
    count = 1
    for axis in axes:
        count *= np.shape(x)[axis]
    return count


def max_of(x: Array, axis: Any, keepdims: bool) -> Array:
    """The maximum of nothing is the lowest number of the type."""
    x = np.asarray(x)
    least = -np.inf if x.dtype.kind == "f" else _whole_bounds(x)[0]
    return np.max(x, axis=axes_of(axis, x.ndim), keepdims=bool(keepdims), initial=least)


def min_of(x: Array, axis: Any, keepdims: bool) -> Array:
    """The minimum of nothing is the highest number of the type."""
    x = np.asarray(x)
    most = np.inf if x.dtype.kind == "f" else _whole_bounds(x)[1]
    return np.min(x, axis=axes_of(axis, x.ndim), keepdims=bool(keepdims), initial=most)


def _whole_bounds(x: Array) -> tuple[Any, Any]:
    return (False, True) if x.dtype.kind == "b" else (np.iinfo(x.dtype).min, np.iinfo(x.dtype).max)


def pull_extreme(grad: Array, result: Array, x: Array, axis: Any, keepdims: bool) -> Array:
    """The gradient of a maximum or minimum is divided among the elements that are it."""
    axes = axes_of(axis, np.ndim(x))
    chosen = np.equal(kept(result, axes, np.ndim(x)), x).astype(np.asarray(grad).dtype)
    return chosen / chosen.sum(axis=axes, keepdims=True) * kept(grad, axes, np.ndim(x))


def prod_of(x: Array, axis: Any, keepdims: bool) -> Array:
    x = np.asarray(x)
    return np.prod(x, axis=axes_of(axis, x.ndim), keepdims=bool(keepdims), dtype=x.dtype)


def pull_prod(grad: Array, result: Array, x: Array, axis: Any, keepdims: bool) -> Array:
    """The product of all other elements, from both sides: no division by an element that may be 0."""
    rank, axes = np.ndim(x), axes_of(axis, np.ndim(x))
    others = tuple(place for place in range(rank) if place not in axes)
    permuted = np.transpose(x, axes + others)
    lines = permuted.reshape(_count(x, axes), _count(x, others))
    rest = cumprod(lines, axis=0, exclusive=True) * cumprod(lines, axis=0, exclusive=True, reverse=True)
    return np.transpose(rest.reshape(permuted.shape), np.argsort(axes + others)) * kept(grad, axes, rank)


def any_of(x: Array, axis: Any, keepdims: bool) -> Array:
    return np.any(x, axis=axes_of(axis, np.ndim(x)), keepdims=bool(keepdims))


def all_of(x: Array, axis: Any, keepdims: bool) -> Array:
    return np.all(x, axis=axes_of(axis, np.ndim(x)), keepdims=bool(keepdims))


def median(x: Array, axis: Any, keepdims: bool) -> Array:
    """Half way between the two elements in the middle."""
    lower, upper, _ = _middle(x, axes_of(axis, np.ndim(x)))
    found = ((lower + upper) * np.asarray(0.5, np.asarray(x).dtype)).reshape(lower.shape)
    return kept(found, axes_of(axis, np.ndim(x)), np.ndim(x)) if keepdims else found


def pull_median(grad: Array, result: Array, x: Array, axis: Any, keepdims: bool) -> Array:
    axes, rank = axes_of(axis, np.ndim(x)), np.ndim(x)
    others = tuple(place for place in range(rank) if place not in axes)
    _, _, chosen = _middle(x, axes)
    back = np.zeros((*(np.shape(x)[place] for place in others), _count(x, axes)), np.asarray(grad).dtype)
    half = np.asarray(grad).reshape(back.shape[:-1])[..., None] * np.asarray(0.5, back.dtype)
    for place in chosen:
        np.put_along_axis(back, place, np.take_along_axis(back, place, -1) + half, -1)
    order = others + axes
    return np.transpose(back.reshape([np.shape(x)[place] for place in order]), np.argsort(order))


def _middle(x: Array, axes: tuple[int, ...]) -> tuple[Array, Array, tuple[Array, Array]]:
    """The two elements in the middle of each line, and where they stand; one element counts twice."""
    others = tuple(place for place in range(np.ndim(x)) if place not in axes)
    lines = np.transpose(x, others + axes).reshape(*(np.shape(x)[place] for place in others), -1)
    count = lines.shape[-1]
    if not count:
        raise ValueError("nothing has no median")
    order = np.argsort(lines, axis=-1, kind="stable")
    places = order[..., (count - 1) // 2, None], order[..., count // 2, None]
    lower, upper = (np.take_along_axis(lines, place, -1)[..., 0] for place in places)
    return lower, upper, places


def euclidean_norm(x: Array, axis: Any, keepdims: bool) -> Array:
    return np.sqrt(sum_of(np.multiply(x, x), axis, keepdims))


def pull_euclidean_norm(grad: Array, result: Array, x: Array, axis: Any, keepdims: bool) -> Array:
    axes = axes_of(axis, np.ndim(x))
    return x / (kept(result, axes, np.ndim(x)) / kept(grad, axes, np.ndim(x)))


def count_nonzero(x: Array, axis: Any, keepdims: bool, dtype: Any) -> Array:
    counted = np.not_equal(x, 0).astype(dtype_of(dtype, "int64"))
    return sum_of(counted, axis, keepdims)


def zero_fraction(x: Array) -> Array:
    return mean_of(np.equal(x, 0).astype(np.float32), None, False)


def argmax(x: Array, axis: Any, output_type: Any, keepdims: bool) -> Array:
    return _place(np.argmax, x, axis, keepdims)


def argmin(x: Array, axis: Any, output_type: Any, keepdims: bool) -> Array:
    return _place(np.argmin, x, axis, keepdims)


def _place(find: Any, x: Array, axis: Any, keepdims: bool) -> Array:
    return find(x, axis=axis_of(0 if axis is None else axis, np.ndim(x)), keepdims=bool(keepdims))


def cumsum(x: Array, axis: Any, exclusive: bool = False, reverse: bool = False, dtype: Any = None) -> Array:
    return _running(np.cumsum, 0, x, axis, exclusive, reverse)


def pull_cumsum(
    grad: Array, result: Array, x: Array, axis: Any, exclusive: bool, reverse: bool, dtype: Any = None
) -> Array:
    flat = np.reshape(grad, -1) if axis is None else grad
    return cumsum(flat, 0 if axis is None else axis, exclusive, not reverse).reshape(np.shape(x))


def cumprod(x: Array, axis: Any, exclusive: bool = False, reverse: bool = False, dtype: Any = None) -> Array:
    return _running(np.cumprod, 1, x, axis, exclusive, reverse)


def pull_cumprod(
    grad: Array, result: Array, x: Array, axis: Any, exclusive: bool, reverse: bool, dtype: Any = None
) -> Array:
    """TensorFlow divides by the elements, and hands 0 to those that are 0."""
    weighed = pull_cumsum(result * grad, result, x, axis, exclusive, reverse)
    zero = np.equal(x, 0)
    return np.where(zero, np.zeros_like(weighed), weighed / np.where(zero, np.ones_like(x), x))


def _running(accumulate: Any, start: float, x: Array, axis: Any, exclusive: bool, reverse: bool) -> Array:
    x = np.asarray(x)
    if axis is None:
        x, axis = x.reshape(-1), 0
    place = axis_of(axis, x.ndim)
    turned = np.flip(x, place) if reverse else x
    found = accumulate(turned, axis=place, dtype=x.dtype)
    if exclusive:
        found = _shifted(found, place, start)
    return np.flip(found, place) if reverse else found


def _shifted(found: Array, axis: int, start: Any) -> Array:
    """A running result one place later, `start` in front."""
    first = np.full_like(np.take(found, [0], axis=axis) if found.shape[axis] else found, start)
    return np.concatenate([first, np.delete(found, -1, axis=axis)], axis=axis) if found.shape[axis] else found


def cumulative_logsumexp(x: Array, axis: Any, exclusive: bool, reverse: bool) -> Array:
    return _running(np.logaddexp.accumulate, -np.inf, x, 0 if axis is None else axis, exclusive, reverse)


def pull_cumulative_logsumexp(grad: Array, result: Array, x: Array, axis: Any, exclusive: bool, reverse: bool) -> Array:
    """Positive and negative gradients pass apart, as logarithms."""
    lowest = np.finfo(np.asarray(x).dtype).min

    def passed(sign: int) -> Array:
        logarithm = np.where(sign * grad > 0, np.log(sign * grad), lowest)
        return np.exp(cumulative_logsumexp(logarithm - result, axis, exclusive, not reverse) + x)

    return passed(1) - passed(-1)
