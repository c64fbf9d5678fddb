"""Bounds that a repair takes from the code around it, run on TensorFlow before and after."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from tfnanlint.finding import Finding
from tfnanlint.lint import lint_source
from tfnanlint.run.edits import apply_edits

HEAD = "import tensorflow as tf\nfrom tensorflow.keras import backend as K\n\nEPS = 1e-8\n\n\n"
SHARE = "def share(x, total):\n    return x / (tf.reduce_sum(total) + {})\n\n\n"
LOSS = "def loss(y, x):\n    h = tf.nn.relu({})\n    return tf.reduce_mean({})\n"
LAYER = """class Layer(tf.keras.layers.Layer):
    def __init__(self, epsilon=1e-9):
        super().__init__()
        self.epsilon = epsilon
        self.dense = tf.keras.layers.Dense(3)

    def call(self, x):
        h = tf.nn.relu(self.dense(x))
        share = h / (tf.reduce_sum(h, -1, keepdims=True) + self.epsilon)
        return share * tf.math.log(h)
"""


def only(text: str) -> tuple[Finding, str]:
    """The finding of a program and the program after its fix."""
    (found,) = lint_source(text, "program.py")
    assert found.fix is not None
    return found, apply_edits(text, found.fix.edits)


DENSE = "tf.keras.layers.Dense(3)(x)"
WORDS = {
    "a name of the module": ("EPS", "y / tf.reduce_sum(h)", "tf.maximum(tf.reduce_sum(h), EPS)"),
    "a literal": ("1e-09", "tf.math.log(h)", "tf.maximum(h, 1e-09)"),
    "the epsilon of Keras": ("K.epsilon()", "tf.math.log(h)", "tf.maximum(h, K.epsilon())"),
    "none that is small": ("1e-2", "y / tf.reduce_sum(h)", "tf.maximum(tf.reduce_sum(h), 1e-7)"),
}


@pytest.mark.parametrize(("epsilon", "line", "expected"), WORDS.values(), ids=list(WORDS))
def test_a_bound_is_written_as_the_file_writes_its_own(epsilon: str, line: str, expected: str) -> None:
    text = HEAD + SHARE.format(epsilon) + LOSS.format(DENSE, line)
    assert expected in only(text)[1]


def test_a_number_that_is_for_the_same_kind_of_op_goes_before_another() -> None:
    logs = "def entropy(p):\n    return tf.reduce_sum(p * tf.math.log(p + 1e-6))\n\n\n"
    text = HEAD + SHARE.format("EPS") + logs + LOSS.format(DENSE, "tf.math.log(h)")
    assert "tf.maximum(h, 1e-6)" in only(text)[1]


def test_a_name_of_another_function_is_written_as_its_number() -> None:
    local = "def share(x, total, eps=1e-8):\n    return x / (tf.reduce_sum(total) + eps)\n\n\n"
    text = HEAD.replace("EPS = 1e-8\n\n\n", "") + local + LOSS.format(DENSE, "y / tf.reduce_sum(h)")
    assert "tf.maximum(tf.reduce_sum(h), 1e-7)" in only(text)[1]
    assert "eps)" not in only(text)[1].split("def loss")[1]


def test_an_attribute_is_used_in_the_function_that_uses_it() -> None:
    assert "tf.math.log(tf.maximum(h, self.epsilon))" in only(HEAD + LAYER)[1]


def test_a_number_that_does_not_hold_in_a_run_is_not_taken() -> None:
    """In half precision 1e-8 is 0."""
    half = LOSS.format(f"tf.cast({DENSE}, tf.float16)", "tf.math.log(tf.reduce_sum(tf.square(h), -1))")
    assert "EPS" not in only(HEAD + SHARE.format("EPS") + half)[1].split("def loss")[1]


def test_a_number_that_changes_small_data_is_not_taken() -> None:
    """The squares of numbers around 1e-4 are 1e-8: a floor of 1e-5 would make another function of the quotient."""
    moment = "def scaled(x):\n    return x * tf.math.rsqrt(tf.reduce_mean(tf.square(x)) + {})\n\n\n"
    unit = LOSS.format(DENSE, "h / tf.sqrt(tf.reduce_sum(tf.square(h), -1, keepdims=True))")
    assert "keepdims=True), 1e-12)" in only(HEAD + moment.format("1e-5") + unit)[1]
    assert "keepdims=True), 1e-14)" in only(HEAD + moment.format("1e-14") + unit)[1]


def outcome(text: str, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The value of a program's `loss`, and its gradient."""
    import tensorflow as tf

    names: dict[str, Any] = {}
    exec(compile(text.replace(DENSE, "x"), "program.py", "exec"), names)
    values = tf.constant(x, "float32")
    with tf.GradientTape() as tape:
        tape.watch(values)
        result = names["loss"](tf.ones_like(values), values)
    return result.numpy(), tape.gradient(result, values).numpy()


@pytest.mark.parametrize(("epsilon", "line", "expected"), WORDS.values(), ids=list(WORDS))
def test_with_such_a_bound_tensorflow_fails_no_more_and_computes_the_same(
    epsilon: str, line: str, expected: str
) -> None:
    text = HEAD + SHARE.format(epsilon) + LOSS.format(DENSE, line)
    after = only(text)[1]
    dead, ordinary = -np.ones((2, 3)), np.linspace(0.5, 2.0, 6).reshape(2, 3)
    assert not all(np.isfinite(part).all() for part in outcome(text, dead))
    assert all(np.isfinite(part).all() for part in outcome(after, dead))
    for one, other in zip(outcome(text, ordinary), outcome(after, ordinary), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5)
    assert re.search(r"tf\.maximum\(", after)
