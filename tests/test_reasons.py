"""The reason of a range is true of the value that it is told of."""

from __future__ import annotations

import pytest

from tfnanlint import lint_source

HEAD = "import tensorflow as tf\n"
TOLD = {
    "tf.math.log(1.0 - tf.nn.softmax(x))": "in [0, 1]: 1 minus a softmax, 0 when the softmax is 1",
    "tf.math.log(1.0 - tf.sigmoid(x))": "in [0, 1]: 1 minus a sigmoid, 0 when the sigmoid is 1",
    "tf.math.log(tf.nn.softmax(x))": "in [0, 1]: a softmax, exactly 0 where another logit is much larger",
    "tf.math.log(tf.squeeze(tf.nn.softmax(x)))": "in [0, 1]: a softmax, exactly 0 where another logit is much larger",
    "tf.math.log(0.5 * tf.sigmoid(x))": "in [0, 0.5]: 0.5 times a sigmoid, 0 when the sigmoid is 0",
    "x / tf.reduce_sum(tf.cast(x > 0.0, tf.float32))": "in [0, inf): a count of True values, 0 when none is",
    "x / tf.reduce_mean(tf.cast(x > 0.0, tf.float32))": "in [0, 1]: a share of True values, 0 when none is",
    "x / tf.reduce_sum(tf.nn.relu(x))": "in [0, inf): the sum of a ReLU, 0 for every negative input",
    "tf.math.log(tf.where(x > 0.0, tf.sigmoid(x), tf.nn.softmax(x)))": "in [0, 1]: a sigmoid or a softmax",
    "tf.math.log(tf.where(x > 0.0, tf.sigmoid(x), 0.0))": "in [0, 1]: a sigmoid or 0",
    "tf.math.log(tf.where(x > 0.0, tf.sigmoid(x), 1.0 - tf.sigmoid(x)))": (
        "in [0, 1]: a sigmoid or 1 minus a sigmoid, 0 when the sigmoid is 0 or 1"
    ),
    "y / -tf.nn.log_softmax(x)": "in [0, inf): minus a log-softmax, 0 for a class with probability 1",
    "x / tf.constant([0.0, 1.0, 2.0])": "in [0, 2]: constants, one of them 0",
    "x / tf.maximum(tf.sin(x), 0.0)": "in [0, 1]: a maximum, 0 when no operand is larger",
    "tf.math.log(tf.maximum(tf.sin(x), 0.0))": "in [0, 1]: a maximum, 0 when no operand is larger",
}


@pytest.mark.parametrize("text", TOLD)
def test_the_evidence_speaks_of_the_operand_that_fails(text: str) -> None:
    found = lint_source(f"{HEAD}y = {text}\n") or lint_source(f"{HEAD}def f_loss(x):\n    return {text}\n")
    assert {one.evidence.partition(" is ")[2].partition(", and")[0] for one in found} == {TOLD[text]}


def test_the_evidence_names_the_operand_by_what_it_is_to_the_op() -> None:
    (found,) = lint_source(
        f"{HEAD}def f(x):\n    m = tf.cast(x > 0.0, tf.float32)\n    return tf.reduce_sum(x * m) / tf.reduce_sum(m)\n"
    )
    assert found.rule == "divide-by-mask-sum"
    assert found.evidence.startswith("its divisor is in [0, inf): a count of True values")


def test_a_product_is_0_when_a_factor_is() -> None:
    (found,) = lint_source(f"{HEAD}def f(a, b):\n    return tf.reduce_sum(a * b) / (tf.norm(a) * tf.norm(b))\n")
    assert found.evidence == "its divisor is in [0, inf): a norm times a norm, 0 when either is"


def test_words_that_grow_too_long_are_left_out() -> None:
    text = "p = tf.sigmoid(x)\nfor _ in range(3):\n    p = 0.5 * p + 0.25 * tf.nn.relu(p) - 0.125\ny = tf.math.log(p)\n"
    found = lint_source(HEAD + text, pedantic=True)
    assert found
    assert all(len(one.evidence) < 140 for one in found)


def test_what_is_merely_possible_does_not_contradict_the_range_that_is_told() -> None:
    text = "def f(labels, logits):\n    return labels * tf.math.log(tf.nn.softmax(logits) + 1e-8)\n"
    (found,) = lint_source(HEAD + text, pedantic=True)
    assert "in [-18.420681, 0]" in found.evidence
    assert found.evidence.endswith("; it is unknown whether data reaches that point")


COMPILED = """\
class Model(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.dense = tf.keras.layers.Dense(3, activation="softmax")

    def call(self, x):
        return tf.math.log(self.dense(x))


def distance(y, p):
    return tf.reduce_mean(tf.norm(y - p, axis=-1))


model = Model()
model.compile("adam", loss=distance)
"""


def test_the_trail_says_what_compile_calls_a_function_for() -> None:
    line = HEAD.count("\n") + COMPILED.count("\n")
    told = {
        one.rule: [step.note for step in one.trail if step.line == line] for one in lint_source(HEAD + COMPILED, "a.py")
    }
    assert told == {"log-softmax": ["compiled here"], "norm-at-zero": ["used as the loss here"]}


def test_what_differentiates_has_the_name_that_the_program_gives_the_tape() -> None:
    text = "def f(x):\n    with tf.GradientTape() as t:\n        y = tf.norm(x)\n    return t.gradient(y, x)\n"
    (found,) = lint_source(HEAD + text, "a.py")
    assert found.evidence == "differentiated by `t.gradient`"
