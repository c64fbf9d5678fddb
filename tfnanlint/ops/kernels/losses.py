"""The losses of Keras and TF 1, step by step: what they clip, and where they add an epsilon."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tfnanlint.ops.numeric import Tape, value_of

EPSILON = 1e-7
"""Keras's fuzz factor."""
LN2 = math.log(2)


def _number(value: object, default: float) -> float:
    """A static parameter as a number; its default, too, where its value is not known."""
    return float(value) if isinstance(value, (int, float)) else default


def _alike(t: Tape, y_true: Any, y_pred: Any) -> tuple[Any, Any]:
    """Labels in the type of the predictions; the one of both that has an axis of length 1 more loses it."""
    y_true = t.cast(y_true, dtype=value_of(y_pred).dtype)
    for one, other in ((y_true, y_pred), (y_pred, y_true)):
        shape, rank = np.shape(value_of(one)), np.ndim(value_of(other))
        if len(shape) == rank + 1 and shape[-1] == 1:
            longer = t.expand_dims(other, axis=-1) if rank == 1 else t.squeeze(one, axis=-1)
            kept = one if rank == 1 else other
            pair = (kept, longer) if rank == 1 else (longer, kept)
            return pair if one is y_true else (pair[1], pair[0])
    return y_true, y_pred


def _clipped(t: Tape, shares: Any) -> Any:
    return t.clip(shares, EPSILON, 1.0 - EPSILON)


def _smoothed(t: Tape, y_true: Any, smoothing: float, spread: float) -> Any:
    """Labels moved towards the same share for every class."""
    return t.add(t.multiply(y_true, 1.0 - smoothing), smoothing * spread) if smoothing else y_true


def binary_crossentropy(t: Tape, y_true: Any, y_pred: Any, from_logits: Any, label_smoothing: Any, axis: Any) -> Any:
    y_true = _smoothed(t, t.cast(y_true, dtype=value_of(y_pred).dtype), _number(label_smoothing, 0.0), 0.5)
    if from_logits:
        losses = t.sigmoid_cross_entropy_with_logits(y_true, y_pred)
    else:
        shares = _clipped(t, y_pred)
        losses = t.neg(_log_likelihood(t, y_true, shares, t.subtract(1.0, shares)))
    return t.reduce_mean(losses, axis=axis)


def _log_likelihood(t: Tape, y_true: Any, shares: Any, others: Any) -> Any:
    return t.add(t.multiply(y_true, t.log(shares)), t.multiply(t.subtract(1.0, y_true), t.log(others)))


def backend_binary_crossentropy(t: Tape, y_true: Any, y_pred: Any, from_logits: Any) -> Any:
    """That of the old backend adds the epsilon once more, to what it takes the logarithm of."""
    if from_logits:
        return t.sigmoid_cross_entropy_with_logits(y_true, y_pred)
    shares = _clipped(t, y_pred)
    return t.neg(_log_likelihood(t, y_true, t.add(shares, EPSILON), t.add(t.subtract(1.0, shares), EPSILON)))


def categorical_crossentropy(
    t: Tape, y_true: Any, y_pred: Any, from_logits: Any, label_smoothing: Any, axis: Any
) -> Any:
    y_true = t.cast(y_true, dtype=value_of(y_pred).dtype)
    classes = np.shape(value_of(y_true))[-1]
    y_true = _smoothed(t, y_true, _number(label_smoothing, 0.0), 1 / classes)
    return backend_categorical_crossentropy(t, y_true, y_pred, from_logits, axis)


def backend_categorical_crossentropy(t: Tape, y_true: Any, y_pred: Any, from_logits: Any, axis: Any) -> Any:
    if from_logits:
        return t.softmax_cross_entropy_with_logits(y_true, y_pred, axis=axis)
    shares = _clipped(t, t.divide(y_pred, t.reduce_sum(y_pred, axis=axis, keepdims=True)))
    return t.neg(t.reduce_sum(t.multiply(y_true, t.log(shares)), axis=axis))


def sparse_categorical_crossentropy(
    t: Tape, y_true: Any, y_pred: Any, from_logits: Any, ignore_class: Any, axis: Any
) -> Any:
    if ignore_class is None:
        return backend_sparse_categorical_crossentropy(t, y_true, y_pred, from_logits, axis)
    labels = _classes(y_true, y_pred)
    counted = labels != int(_number(ignore_class, -1))
    shares = t.where(np.expand_dims(counted, -1), y_pred, 0.0)
    losses = backend_sparse_categorical_crossentropy(t, np.where(counted, labels, 0), shares, from_logits, axis)
    return t.where(counted, losses, 0.0)


def backend_sparse_categorical_crossentropy(t: Tape, y_true: Any, y_pred: Any, from_logits: Any, axis: Any) -> Any:
    """The logarithms of the clipped probabilities are logits, too."""
    logits = y_pred if from_logits else t.log(_clipped(t, y_pred))
    return t.sparse_softmax_cross_entropy_with_logits(_classes(y_true, y_pred), logits)


def _classes(y_true: Any, y_pred: Any) -> Any:
    """Labels as whole numbers, without a last axis of length 1."""
    labels = np.asarray(value_of(y_true)).astype("int64")
    alone = labels.ndim == np.ndim(value_of(y_pred)) and labels.shape[-1] == 1
    return labels[..., 0] if alone else labels


def mean_squared_error(t: Tape, y_true: Any, y_pred: Any) -> Any:
    return t.reduce_mean(t.square(t.subtract(*_alike(t, y_true, y_pred))), axis=-1)


def mean_absolute_error(t: Tape, y_true: Any, y_pred: Any) -> Any:
    return t.reduce_mean(t.abs(t.subtract(*_alike(t, y_true, y_pred))), axis=-1)


def mean_absolute_percentage_error(t: Tape, y_true: Any, y_pred: Any) -> Any:
    y_true, y_pred = _alike(t, y_true, y_pred)
    shares = t.divide(t.subtract(y_true, y_pred), t.maximum(t.abs(y_true), EPSILON))
    return t.multiply(100.0, t.reduce_mean(t.abs(shares), axis=-1))


def mean_squared_logarithmic_error(t: Tape, y_true: Any, y_pred: Any) -> Any:
    y_true, y_pred = _alike(t, y_true, y_pred)
    logarithms = [t.log(t.add(t.maximum(one, EPSILON), 1.0)) for one in (y_pred, y_true)]
    return t.reduce_mean(t.square(t.subtract(*logarithms)), axis=-1)


def kl_divergence(t: Tape, y_true: Any, y_pred: Any) -> Any:
    y_true, y_pred = (t.clip(one, EPSILON, 1.0) for one in (t.cast(y_true, dtype=value_of(y_pred).dtype), y_pred))
    return t.reduce_sum(t.multiply(y_true, t.log(t.divide(y_true, y_pred))), axis=-1)


def poisson(t: Tape, y_true: Any, y_pred: Any) -> Any:
    y_true = t.cast(y_true, dtype=value_of(y_pred).dtype)
    return t.reduce_mean(t.subtract(y_pred, t.multiply(y_true, t.log(t.add(y_pred, EPSILON)))), axis=-1)


def cosine_similarity(t: Tape, y_true: Any, y_pred: Any, axis: Any) -> Any:
    y_true, y_pred = (_unit(t, one, axis) for one in _alike(t, y_true, y_pred))
    return t.neg(t.reduce_sum(t.multiply(y_true, y_pred), axis=axis))


def _unit(t: Tape, x: Any, axis: Any) -> Any:
    squares = t.reduce_sum(t.square(x), axis=axis, keepdims=True)
    return t.multiply(x, t.minimum(t.rsqrt(squares), 1 / EPSILON))


def hinge(t: Tape, y_true: Any, y_pred: Any) -> Any:
    return t.reduce_mean(_margin(t, y_true, y_pred), axis=-1)


def squared_hinge(t: Tape, y_true: Any, y_pred: Any) -> Any:
    return t.reduce_mean(t.square(_margin(t, y_true, y_pred)), axis=-1)


def _margin(t: Tape, y_true: Any, y_pred: Any) -> Any:
    """Labels of 0 and 1 stand for -1 and 1."""
    y_true = t.cast(y_true, dtype=value_of(y_pred).dtype)
    if np.isin(value_of(y_true), (0, 1)).all():
        y_true = t.subtract(t.multiply(2.0, y_true), 1.0)
    return t.maximum(t.subtract(1.0, t.multiply(y_true, y_pred)), 0.0)


def categorical_hinge(t: Tape, y_true: Any, y_pred: Any) -> Any:
    y_true = t.cast(y_true, dtype=value_of(y_pred).dtype)
    right = t.reduce_sum(t.multiply(y_true, y_pred), axis=-1)
    wrong = t.reduce_max(t.multiply(t.subtract(1.0, y_true), y_pred), axis=-1)
    return t.maximum(t.add(t.subtract(wrong, right), 1.0), 0.0)


def huber(t: Tape, y_true: Any, y_pred: Any, delta: Any) -> Any:
    y_true, y_pred = _alike(t, y_true, y_pred)
    bound = _number(delta, 1.0)
    error = t.subtract(y_pred, y_true)
    size = t.abs(error)
    small, large = t.multiply(0.5, t.square(error)), t.subtract(t.multiply(bound, size), 0.5 * bound**2)
    return t.reduce_mean(t.where(value_of(size) <= bound, small, large), axis=-1)


def log_cosh(t: Tape, y_true: Any, y_pred: Any) -> Any:
    y_true, y_pred = _alike(t, y_true, y_pred)
    error = t.subtract(y_pred, y_true)
    return t.reduce_mean(t.subtract(t.add(error, t.softplus(t.multiply(error, -2.0))), LN2), axis=-1)


# Those of TF 1, in float32.


def _floats(t: Tape, *operands: Any) -> tuple[Any, ...]:
    return tuple(t.cast(one, dtype="float32") for one in operands)


def _weighted(t: Tape, losses: Any, weights: Any, attrs: dict[str, Any]) -> Any:
    """The losses reduced to a number."""
    given = 1.0 if weights is None else t.cast(weights, dtype="float32")
    weighted, reduction = t.multiply(losses, given), attrs["reduction"]
    if reduction == "none":
        return weighted
    total, spread = t.reduce_sum(weighted), t.multiply(np.ones_like(value_of(losses)), given)
    if reduction == "weighted_sum":
        return total
    if reduction == "weighted_mean":
        return t.divide_no_nan(total, t.reduce_sum(spread))
    counted = value_of(spread)
    counts = reduction != "weighted_sum_over_batch_size"
    return t.divide_no_nan(total, float(np.count_nonzero(counted) if counts else counted.size))


def v1_absolute_difference(t: Tape, labels: Any, predictions: Any, weights: Any = None, **attrs: Any) -> Any:
    labels, predictions = _floats(t, labels, predictions)
    return _weighted(t, t.abs(t.subtract(predictions, labels)), weights, attrs)


def v1_cosine_distance(t: Tape, labels: Any, predictions: Any, weights: Any = None, *, axis: Any, **attrs: Any) -> Any:
    labels, predictions = _floats(t, labels, predictions)
    shared = t.reduce_sum(t.multiply(predictions, labels), axis=-1 if axis is None else axis, keepdims=True)
    return _weighted(t, t.subtract(1.0, shared), weights, attrs)


def v1_hinge_loss(t: Tape, labels: Any, logits: Any, weights: Any = None, **attrs: Any) -> Any:
    labels, logits = _floats(t, labels, logits)
    signs = t.subtract(t.multiply(2.0, labels), 1.0)
    return _weighted(t, t.relu(t.subtract(1.0, t.multiply(signs, logits))), weights, attrs)


def v1_huber_loss(t: Tape, labels: Any, predictions: Any, weights: Any = None, *, delta: Any, **attrs: Any) -> Any:
    labels, predictions = _floats(t, labels, predictions)
    bound = _number(delta, 1.0)
    size = t.abs(t.subtract(predictions, labels))
    small = t.minimum(size, bound)
    linear = t.multiply(bound, t.subtract(size, small))
    return _weighted(t, t.add(t.multiply(0.5, t.multiply(small, small)), linear), weights, attrs)


def v1_log_loss(t: Tape, labels: Any, predictions: Any, weights: Any = None, *, epsilon: Any, **attrs: Any) -> Any:
    labels, predictions = _floats(t, labels, predictions)
    shift = _number(epsilon, EPSILON)
    others = t.add(t.subtract(1.0, predictions), shift)
    return _weighted(t, t.neg(_log_likelihood(t, labels, t.add(predictions, shift), others)), weights, attrs)


def v1_mean_squared_error(t: Tape, labels: Any, predictions: Any, weights: Any = None, **attrs: Any) -> Any:
    labels, predictions = _floats(t, labels, predictions)
    return _weighted(t, t.squared_difference(predictions, labels), weights, attrs)


def v1_sigmoid_cross_entropy(
    t: Tape, labels: Any, logits: Any, weights: Any = None, *, label_smoothing: Any, **attrs: Any
) -> Any:
    labels = _smoothed(t, t.cast(labels, dtype=value_of(logits).dtype), _number(label_smoothing, 0.0), 0.5)
    return _weighted(t, t.sigmoid_cross_entropy_with_logits(labels, logits), weights, attrs)


def v1_softmax_cross_entropy(
    t: Tape, labels: Any, logits: Any, weights: Any = None, *, label_smoothing: Any, **attrs: Any
) -> Any:
    """No gradient passes to the labels."""
    fixed = t.stop_gradient(t.cast(labels, dtype=value_of(logits).dtype))
    fixed = _smoothed(t, fixed, _number(label_smoothing, 0.0), 1 / np.shape(value_of(labels))[-1])
    return _weighted(t, t.softmax_cross_entropy_with_logits(fixed, logits), weights, attrs)


def v1_sparse_softmax_cross_entropy(t: Tape, labels: Any, logits: Any, weights: Any = None, **attrs: Any) -> Any:
    return _weighted(t, t.sparse_softmax_cross_entropy_with_logits(_classes(labels, logits), logits), weights, attrs)
