"""Softmax and its kin, cross-entropies on logits, dropout, and the largest elements."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tfnanlint.ops.kernels.moves import pull_moved
from tfnanlint.ops.kernels.shapes import Array, axes_of, axis_of, whole_number, whole_numbers
from tfnanlint.ops.numeric import is_compiled, unbroadcast
from tfnanlint.ops.work import affordable


def softmax(x: Array, axis: Any) -> Array:
    axes = axes_of(axis, np.ndim(x))
    powers = np.exp(_below_highest(x, axes))
    return powers / powers.sum(axis=axes, keepdims=True)


def pull_softmax(grad: Array, result: Array, x: Array, axis: Any) -> Array:
    return (grad - (grad * result).sum(axis=axes_of(axis, np.ndim(x)), keepdims=True)) * result


def log_softmax(x: Array, axis: Any) -> Array:
    axes = axes_of(axis, np.ndim(x))
    below = _below_highest(x, axes)
    return below - np.log(np.exp(below).sum(axis=axes, keepdims=True))


def pull_log_softmax(grad: Array, result: Array, x: Array, axis: Any) -> Array:
    return grad - grad.sum(axis=axes_of(axis, np.ndim(x)), keepdims=True) * np.exp(result)


def _below_highest(x: Array, axes: tuple[int, ...]) -> Array:
    x = np.asarray(x)
    return x - np.max(x, axis=axes, keepdims=True, initial=-np.inf)


def local_response_normalization(x: Array, depth_radius: Any, bias: Any, alpha: Any, beta: Any) -> Array:
    return x * _responses(x, depth_radius, bias, alpha) ** np.asarray(-beta, np.asarray(x).dtype)


def pull_local_response_normalization(
    grad: Array, result: Array, x: Array, depth_radius: Any, bias: Any, alpha: Any, beta: Any
) -> Array:
    kind = np.asarray(x).dtype
    responses = _responses(x, depth_radius, bias, alpha)
    shared = _neighbours(grad * result / responses, whole_number(depth_radius))
    return grad * responses ** np.asarray(-beta, kind) - np.asarray(2 * alpha * beta, kind) * x * shared


def _responses(x: Array, depth_radius: Any, bias: Any, alpha: Any) -> Array:
    kind = np.asarray(x).dtype
    squares = _neighbours(np.square(x), whole_number(depth_radius))
    return np.asarray(bias, kind) + np.asarray(alpha, kind) * squares


def _neighbours(x: Array, radius: int) -> Array:
    """The sum of each element and of those next to it along the last axis."""
    radius = min(radius, x.shape[-1])
    affordable(x.size * (2 * radius + 1))
    padded = np.pad(x, [(0, 0)] * (x.ndim - 1) + [(radius, radius)])
    return np.lib.stride_tricks.sliding_window_view(padded, 2 * radius + 1, axis=-1).sum(axis=-1)


def softmax_cross_entropy_with_logits(labels: Array, logits: Array, axis: Any) -> Array:
    """Half precision is computed in single. Compiled, a label of 0 meets no logarithm, which may be infinite."""
    labels, logits, place, kind = _precise(labels, logits, axis)
    terms = labels * log_softmax(logits, place)
    if is_compiled():
        terms = np.where(labels == 0, np.zeros_like(terms), terms)
    return -terms.sum(axis=place).astype(kind)


def pull_softmax_cross_entropy_with_logits(
    grad: Array, result: Array, labels: Array, logits: Array, axis: Any
) -> tuple[Array, Array]:
    shapes, kinds = (np.shape(labels), np.shape(logits)), (np.asarray(labels).dtype, np.asarray(logits).dtype)
    labels, logits, place, _ = _precise(labels, logits, axis)
    incoming = np.expand_dims(grad, place).astype(logits.dtype)
    parts = incoming * -log_softmax(logits, place), incoming * (softmax(logits, place) - labels)
    first, second = (
        unbroadcast(part, shape).astype(kind) for part, shape, kind in zip(parts, shapes, kinds, strict=True)
    )
    return first, second


def _precise(labels: Array, logits: Array, axis: Any) -> tuple[Array, Array, int, Any]:
    kind = np.asarray(logits).dtype
    wide = np.float32 if kind == np.float16 else kind
    first, second = np.broadcast_arrays(np.asarray(labels).astype(wide), np.asarray(logits).astype(wide))
    return first, second, axis_of(-1 if axis is None else axis, np.ndim(logits)), kind


def sparse_softmax_cross_entropy_with_logits(labels: Array, logits: Array) -> Array:
    """An out-of-range label takes the nearest class, like an out-of-range index."""
    kind = np.asarray(logits).dtype
    chosen = np.take_along_axis(log_softmax(_single(logits), -1), _classes(labels, logits), -1)
    return -chosen[..., 0].astype(kind)


def pull_sparse_softmax_cross_entropy_with_logits(
    grad: Array, result: Array, labels: Array, logits: Array
) -> tuple[None, Array]:
    wide = _single(logits)
    back = softmax(wide, -1)
    places = _classes(labels, logits)
    np.put_along_axis(back, places, np.take_along_axis(back, places, -1) - 1, -1)
    return None, (np.asarray(grad)[..., None].astype(wide.dtype) * back).astype(np.asarray(logits).dtype)


def _single(x: Array) -> Array:
    return np.asarray(x).astype(np.float32) if np.asarray(x).dtype == np.float16 else np.asarray(x)


def _classes(labels: Array, logits: Array) -> Array:
    if np.shape(labels) != np.shape(logits)[:-1]:
        raise ValueError(f"labels of shape {np.shape(labels)} do not fit logits of shape {np.shape(logits)}")
    return np.clip(np.asarray(labels).astype(np.int64), 0, np.shape(logits)[-1] - 1)[..., None]


def sigmoid_cross_entropy_with_logits(labels: Array, logits: Array) -> Array:
    positive = np.greater_equal(logits, 0)
    powers = np.exp(np.where(positive, np.negative(logits), logits))
    return np.where(positive, logits, np.zeros_like(logits)) - logits * labels + np.log1p(powers)


def pull_sigmoid_cross_entropy_with_logits(
    grad: Array, result: Array, labels: Array, logits: Array
) -> tuple[Array, Array]:
    positive = np.greater_equal(logits, 0)
    powers = np.exp(np.where(positive, np.negative(logits), logits))
    share = grad * (powers / (1 + powers))
    return -logits * grad, np.where(positive, grad - share, share) - grad * labels


def l2_loss(x: Array) -> Array:
    return np.square(x).sum() * np.asarray(0.5, np.asarray(x).dtype)


def dropout(x: Array, rate: Any, noise_shape: Any, seed: Any) -> Array:
    kept, scale = _kept(x, rate, noise_shape)
    return np.where(kept, x * scale, np.zeros_like(x))


def pull_dropout(grad: Array, result: Array, x: Array, rate: Any, noise_shape: Any, seed: Any) -> Array:
    kept, scale = _kept(x, rate, noise_shape)
    return np.where(kept, grad * scale, np.zeros_like(grad))


def _kept(x: Array, rate: Any, noise_shape: Any) -> tuple[Array, Array]:
    """A share of each line is dropped, another one each time, and never all of it: real lines are long."""
    share = float(np.reshape(0.0 if rate is None else rate, ()))
    if not 0 <= share < 1:
        raise ValueError(f"{rate!r} is not a dropout rate")
    shape = np.shape(x)
    if noise_shape is not None:
        given = noise_shape if isinstance(noise_shape, (tuple, list)) else whole_numbers(noise_shape)
        shape = tuple(own if one is None else int(one) for own, one in zip(np.shape(x), given, strict=True))
    affordable(math.prod(shape))
    length = shape[-1] if shape else 1
    dropped = min(int(np.ceil(share * length)), length - 1)
    places = np.arange(int(np.prod(shape))).reshape(shape)
    kept = (places + places // max(length, 1)) % max(length, 1) >= dropped
    return kept, np.asarray(1 / (1 - share), np.asarray(x).dtype)


def top_k(x: Array, k: Any, sorted: Any) -> tuple[Array, Array]:
    """Of equal elements, the first one."""
    return _largest(x, whole_number(k)), _largest_places(x, whole_number(k)).astype(np.int32)


def unique_with_counts(x: Array, out_idx: Any) -> tuple[Array, Array, Array]:
    """The numbers that occur, in the order in which they first do, the place of each element's number, and counts."""
    if np.ndim(x) != 1:
        raise ValueError("unique takes a vector")
    found, first, places, counts = np.unique(x, return_index=True, return_inverse=True, return_counts=True)
    order = np.argsort(first)
    kind = np.int64 if "int64" in str(out_idx) else np.int32
    return found[order], np.argsort(order)[places].astype(kind), counts[order].astype(kind)


def pull_top_k(grad: tuple[Array | None, Any], result: Any, x: Array, k: Any, sorted: Any) -> Array:
    if grad[0] is None:
        return np.zeros_like(x)
    places = _largest_places(x, whole_number(k))
    (back,) = pull_moved(lambda given: np.take_along_axis(given, places, -1), grad[0], x)
    assert back is not None
    return back


def _largest(x: Array, k: int) -> Array:
    return np.take_along_axis(np.asarray(x), _largest_places(x, k), -1)


def _largest_places(x: Array, k: int) -> Array:
    if not 0 <= k <= np.shape(x)[-1]:
        raise ValueError(f"there are no {k} largest of {np.shape(x)[-1]} elements")
    return np.argsort(np.negative(x), axis=-1, kind="stable")[..., :k]


def in_top_k(targets: Array, predictions: Array, k: Any) -> Array:
    own = np.take_along_axis(predictions, _classes(targets, predictions), -1)
    return np.isfinite(own[..., 0]) & ((predictions > own).sum(axis=-1) < whole_number(k))
