"""A gradient of 0 that comes back to a root hides its infinite derivative, except under XLA: the finding says so."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import tensorflow as tf

from tfnanlint import lint_function

ROW = tf.zeros((1, 4))


def sparse(x: tf.Tensor) -> tf.Tensor:
    cutoff = tf.reduce_mean(x, -1, keepdims=True) + 0.5 * tf.math.reduce_std(x, -1, keepdims=True)
    return tf.nn.relu(x - cutoff)


def scaled(x: tf.Tensor) -> tf.Tensor:
    return 2.0 * x * tf.sqrt(tf.reduce_sum(tf.square(x), -1, keepdims=True))


def shifted(x: tf.Tensor) -> tf.Tensor:
    return (2.0 * x + 1.0) * tf.sqrt(tf.reduce_sum(tf.square(x), -1, keepdims=True))


def gradient(function: Callable[[tf.Tensor], tf.Tensor], compiled: bool) -> np.ndarray:
    @tf.function(jit_compile=compiled)
    def taken(x: tf.Tensor) -> tf.Tensor:
        return tf.gradients(function(x), x)[0]

    return taken(ROW).numpy()


@pytest.mark.parametrize("function", [sparse, scaled])
def test_what_is_nan_under_xla_alone_is_told_so_and_is_a_warning(function: Callable[[tf.Tensor], tf.Tensor]) -> None:
    assert np.isfinite(gradient(function, compiled=False)).all()
    assert np.isnan(gradient(function, compiled=True)).any()
    (found,) = lint_function(function, tf.TensorSpec((None, 4)), differentiate=True)
    assert found.message.endswith(", when compiled by XLA")
    assert found.severity == "warning"


def test_what_is_nan_in_every_mode_is_not_told_to_be_so_under_xla_alone() -> None:
    assert np.isnan(gradient(shifted, compiled=False)).any()
    (found,) = lint_function(shifted, tf.TensorSpec((None, 4)), differentiate=True)
    assert "XLA" not in found.message
    assert found.severity == "error"
