"""An infinite value that something makes finite again is no hazard, unless a gradient passes it."""

from __future__ import annotations

import pytest

from tfnanlint.lint import lint_source

PROGRAM = """
import tensorflow as tf
import keras


def value(h):
    infinite = tf.math.log(tf.nn.relu(h))  # -inf for half of its inputs
    return {use}
"""
DIFFERENTIATED = """

def train(x):
    h = tf.Variable(x)
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(value(h))
    return tape.gradient(loss, h)
"""
ABSORBED = (
    "tf.reduce_logsumexp([infinite - 2.0 * h, h], axis=0)",
    "tf.sigmoid(infinite)",
    "3.0 - tf.exp(infinite)",
    "tf.exp(tf.minimum(2.0 * infinite + 1.0, 0.0))",
    "tf.clip_by_value(infinite, -20.0, 20.0)",
    "tf.argmax(infinite, axis=-1)",
    "tf.random.categorical(infinite, 1)",
    "keras.random.categorical(infinite, 1)",
    "tf.cast(infinite > -10.0, tf.float32)",
    "tf.maximum(infinite, h)",
)
PASSED_ON = (
    "infinite",
    "tf.reduce_sum(infinite)",
    "0.0 * infinite",
    "tf.sin(infinite)",
    "tf.nn.softmax(infinite)",  # of a row in which nothing is left
    "tf.reduce_mean(tf.nn.relu(h) * infinite)",
    "(tf.sigmoid(infinite), infinite)",
    "unknown_function(infinite)",
)


@pytest.mark.parametrize("use", ABSORBED)
def test_a_value_whose_every_use_is_finite_is_not_reported(use: str) -> None:
    assert lint_source(PROGRAM.format(use=use), "program.py") == []


@pytest.mark.parametrize("use", PASSED_ON)
def test_a_value_that_stays_infinite_somewhere_is_reported(use: str) -> None:
    assert lint_source(PROGRAM.format(use=use), "program.py")


@pytest.mark.parametrize("use", ABSORBED[:4])
def test_what_is_differentiated_is_reported_whatever_its_value_becomes(use: str) -> None:
    found = lint_source(PROGRAM.format(use=use) + DIFFERENTIATED, "program.py")
    assert found
    assert all(step.path == "program.py" for f in found for step in f.trail)


QUOTIENT = """
import tensorflow as tf


def value(h, n):
    infinite = {quotient}
    return {use}
"""


@pytest.mark.parametrize(
    ("quotient", "use"),
    [
        ("1.0 / tf.norm(h)", "tf.minimum(infinite, 1.0)"),
        ("tf.math.rsqrt(tf.reduce_sum(h * h))", "h * tf.minimum(infinite * tf.cast(tf.size(h), tf.float32), 1.0 / n)"),
        ("-2.0 / tf.norm(h)", "tf.cast(tf.math.ceil(infinite) <= n, tf.float32)"),
        ("1.0 / tf.norm(h)", "2.0 / infinite"),
    ],
)
def test_an_infinite_quotient_that_a_bound_or_a_comparison_swallows_is_not_reported(quotient: str, use: str) -> None:
    assert lint_source(QUOTIENT.format(quotient=quotient, use=use), "program.py") == []


@pytest.mark.parametrize(
    ("quotient", "use"),
    [
        ("h / tf.norm(h)", "tf.minimum(infinite, 1.0)"),  # 0 / 0
        ("1.0 / tf.norm(h)", "tf.maximum(infinite, 1.0)"),
        ("1.0 / tf.norm(h)", "tf.minimum(infinite * tf.nn.relu(h), 1.0)"),  # infinity times 0
    ],
)
def test_an_infinite_quotient_that_may_be_nan_or_stays_is_reported(quotient: str, use: str) -> None:
    assert lint_source(QUOTIENT.format(quotient=quotient, use=use), "program.py")
