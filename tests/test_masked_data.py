"""Data of a traced graph of which the program says more: masked rows, the input of a layer, tables of counts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import keras
import numpy as np
import pytest
import tensorflow as tf

from tfnanlint import lint_function

BOXES = tf.TensorSpec([None, 5, 4], tf.float32, name="boxes")
LABELS = tf.TensorSpec([None, 5], tf.int32, name="labels")
ANCHORS = np.full((5, 2), 0.3, "float32")


def targets(boxes: Any, sizes: Any) -> Any:
    return tf.concat([boxes[..., :2] / ANCHORS, tf.math.log(sizes / ANCHORS)], axis=-1)


def masked_loss(boxes: Any, labels: Any) -> Any:
    error = tf.reduce_sum(tf.abs(targets(boxes, boxes[..., 2:])), axis=-1)
    return tf.reduce_sum(error * tf.cast(labels >= 0, tf.float32))


def guarded_loss(boxes: Any, labels: Any) -> Any:
    sizes = tf.where((labels >= 0)[..., None], tf.maximum(boxes[..., 2:], 1e-4), ANCHORS)
    return tf.reduce_sum(tf.reduce_sum(tf.abs(targets(boxes, sizes)), axis=-1) * tf.cast(labels >= 0, tf.float32))


def found(function: Callable[..., Any], *specs: Any, pedantic: bool = False) -> list[str]:
    return [finding.rule for finding in lint_function(function, *specs, pedantic=pedantic)]


def test_rows_that_a_comparison_masks_are_padding() -> None:
    assert found(masked_loss, BOXES, LABELS) == ["log-reaches-zero"]
    assert found(guarded_loss, BOXES, LABELS) == []
    # The same expression on boxes of which no row is masked: nothing says that a size is 0.
    assert found(lambda boxes: tf.reduce_sum(targets(boxes, boxes[..., 2:])), BOXES) == []


def error(boxes: Any) -> Any:
    return tf.reduce_sum(tf.abs(targets(boxes, boxes[..., 2:])), axis=-1)


CHOICES: dict[str, Callable[[Any, Any], Any]] = {
    "where it holds": lambda boxes, labels: tf.where(labels >= 0, error(boxes), 0.0),
    "where it does not hold": lambda boxes, labels: tf.where(labels < 0, 0.0, error(boxes)),
    "where it is equal": lambda boxes, labels: tf.where(tf.equal(labels, -1), 0.0, error(boxes)),
}


@pytest.mark.parametrize("choice", CHOICES)
def test_where_hides_padding_in_the_value_and_not_in_the_gradient(choice: str) -> None:
    chosen = CHOICES[choice]
    assert found(chosen, BOXES, LABELS) == ["log-reaches-zero"]
    # No box that `where` selects is 0: a finding here would be about rows that the program takes for real.
    assert found(lambda boxes, labels: tf.stop_gradient(chosen(boxes, labels)), BOXES, LABELS) == []


def test_where_a_mask_holds_nothing_is_hidden_by_it() -> None:
    mask = tf.TensorSpec([None, 5], tf.bool, name="mask")
    assert found(lambda boxes, mask: tf.stop_gradient(tf.where(mask, error(boxes), 0.0)), BOXES, mask) == []
    assert found(lambda boxes, mask: tf.stop_gradient(tf.where(mask, 0.0, error(boxes))), BOXES, mask) == []


def test_rows_that_a_mask_hides_are_padding() -> None:
    def masked(boxes: Any, mask: Any) -> Any:
        return tf.reduce_sum(tf.reduce_sum(targets(boxes, boxes[..., 2:]), axis=-1) * mask)

    specs = BOXES, tf.TensorSpec([None, 5], tf.float32, name="mask")
    assert found(masked, *specs, pedantic=True) == ["log-reaches-zero"]
    assert found(masked, *specs) == []  # no default finding rests on a mask that hides a whole row
    # TensorFlow agrees: the mask does not remove the infinity.
    assert np.isnan(masked(tf.zeros((1, 5, 4)), tf.zeros((1, 5))))


def test_what_a_layer_takes_is_data() -> None:
    layer = keras.layers.Dense(3)
    layer.build((None, 6))

    def scaled_error(history: Any, future: Any) -> Any:
        naive = tf.reduce_mean(tf.abs(history[:, 1:] - history[:, :-1]), axis=1)
        return tf.reduce_mean(tf.reduce_mean(tf.abs(layer(history) - future), axis=1) / naive)

    history = tf.TensorSpec([None, 6], tf.float32, name="history")
    assert found(scaled_error, history, tf.TensorSpec([None, 3], tf.float32, name="future")) == ["divide-by-zero"]


def test_one_of_several_counts_may_be_zero() -> None:
    def correction(counts: Any, items: Any) -> Any:
        return tf.math.log(tf.gather(counts, items) / tf.reduce_sum(counts))

    def smoothed(counts: Any, items: Any) -> Any:
        return tf.math.log((tf.gather(counts, items) + 1.0) / (tf.reduce_sum(counts) + 80.0))

    counts, items = tf.TensorSpec([80], tf.float32, name="counts"), tf.TensorSpec([None], tf.int32, name="items")
    assert "log-reaches-zero" in found(correction, counts, items)
    assert found(smoothed, counts, items) == []


def test_a_softplus_grows_like_its_input() -> None:
    layer = keras.layers.Dense(3)
    layer.build((None, 6))

    def normaliser(bessel: Callable[[Any], Any], x: Any) -> Any:
        concentration = 0.05 + tf.nn.softplus(layer(x))
        return tf.reduce_sum(tf.math.log(bessel(concentration)))

    x = tf.TensorSpec([None, 6], tf.float32, name="x")
    assert "log-bessel" in found(lambda x: normaliser(tf.math.bessel_i0, x), x)
    assert found(lambda x: normaliser(tf.math.bessel_i0e, x), x) == []


@pytest.mark.parametrize("rank", [1, 2])
def test_the_labels_of_a_sparse_cross_entropy_are_labels_at_every_rank(rank: int) -> None:
    layer = keras.layers.Dense(4)
    layer.build((None,) * rank + (6,))

    def loss(x: Any, labels: Any) -> Any:
        return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=layer(x)))

    x = tf.TensorSpec([None, 5, 6][-rank - 1 :], tf.float32, name="x")
    labels = tf.TensorSpec([None, 5][-rank:], tf.int32, name="labels")
    assert found(loss, x, labels) == []
