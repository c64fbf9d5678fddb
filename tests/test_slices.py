"""The picture of a hazard: the values around it, with what is known of them."""

from __future__ import annotations

import math

import pytest

from tfnanlint import lint_source
from tfnanlint.explain.slices import MOST_CAUSES, MOST_EFFECTS
from tfnanlint.finding import Value
from tfnanlint.graph import lint_function


def slice_in(body: str, pedantic: bool = False) -> tuple[Value, ...]:
    (found,) = lint_source("import tensorflow as tf\n" + body, pedantic=pedantic)
    return found.slice


PENALTY = """
def step(critic, x):
    with tf.GradientTape() as outer:
        with tf.GradientTape() as tape:
            tape.watch(x)
            score = critic(x)
        grads = tape.gradient(score, x)
        loss = tf.reduce_mean(tf.square(tf.norm(grads, axis=-1) - 1.0))
    return outer.gradient(loss, critic.trainable_variables)
"""


def test_a_slice_leads_from_the_causes_through_the_hazard_to_what_is_differentiated() -> None:
    values = slice_in(PENALTY)
    ops = [value.op for value in values]
    hazard = next(i for i, value in enumerate(values) if value.role == "hazard")
    assert ops[hazard - 1 :] == ["gradient", "norm", "subtract", "square", "reduce_mean"]
    assert values[-1].role == "differentiated"
    assert [value.operands for value in values[hazard:]] == [(i - 1,) for i in range(hazard, len(values))]


def test_a_value_says_what_it_can_be_why_and_where_it_is_written() -> None:
    source, softmax, hazard = slice_in("def f(x):\n    return tf.math.log(tf.nn.softmax(x))\n")
    assert (source.op, source.range, source.reason, source.operands) == ("x", "", "", ())
    assert (softmax.role, softmax.range, softmax.bounds) == ("matched", "[0, 1]", (0, 1))
    assert softmax.breaks == ((-math.inf, 0),)
    assert (source.bounds, source.breaks) == (None, ())
    assert softmax.reason.startswith("a softmax")
    assert softmax.place == ("<string>", 3, 24, 3, 40)
    assert hazard.role == "hazard"


def test_a_long_history_is_cut_and_says_so() -> None:
    long = "def f(x):\n" + "    x = tf.tanh(x) + x\n" * 40 + "    return tf.math.log(tf.nn.softmax(x))\n"
    values = slice_in(long)
    assert len(values) <= MOST_CAUSES + 3
    assert any(value.cut for value in values)
    assert all(0 <= operand < number for number, value in enumerate(values) for operand in value.operands)


def test_a_long_way_to_the_loss_is_cut_in_the_middle() -> None:
    steps = "        y = tf.tanh(y)\n" * 9
    values = slice_in(
        "def f(x):\n    with tf.GradientTape() as tape:\n        y = tf.sqrt(tf.reduce_sum(tf.square(x)))\n"
        f"{steps}    return tape.gradient(y, x)\n"
    )
    hazard = next(i for i, value in enumerate(values) if value.role == "hazard")
    behind = values[hazard + 1 :]
    assert len(behind) == MOST_EFFECTS
    assert [value.cut for value in behind] == [False, False, False, True]
    assert behind[-1].role == "differentiated"


def test_what_is_computed_twice_is_drawn_once() -> None:
    values = slice_in("def f(x, m):\n    return (x - m) / tf.sqrt(tf.reduce_mean(tf.square(x - m)))\n", pedantic=True)
    assert [value.op for value in values] == ["x", "m", "subtract", "square", "reduce_mean", "sqrt", "divide"]
    assert values[-1].operands == (2, 5)


def test_indices_and_shapes_are_left_out() -> None:
    values = slice_in("def f(x):\n    return tf.math.log(tf.nn.softmax(tf.reshape(x, [2, 3]))[..., None])\n")
    assert [value.op for value in values] == ["x", "reshape", "softmax", "expand_dims", "log"]
    assert not any(value.cut for value in values)


def test_a_value_that_comes_around_a_loop_is_cut_there() -> None:
    values = slice_in(
        "def f(x):\n    for _ in range(3):\n        x = x + tf.tanh(x)\n    return tf.math.log(tf.nn.softmax(x))\n"
    )
    assert any(value.op == "in the loop" and value.cut for value in values)
    assert all(operand < number for number, value in enumerate(values) for operand in value.operands)


@pytest.mark.tensorflow
def test_a_traced_graph_gives_the_same_picture() -> None:
    import tensorflow as tf

    def program(x):
        return tf.math.log(tf.nn.softmax(x))

    (found,) = lint_function(program, tf.TensorSpec([3, 4]))
    assert [value.op for value in found.slice] == ["x", "softmax", "log"]
    assert found.slice[1].range == "[0, 1]"
    assert found.slice[1].place is not None
    assert found.slice[1].place[0].endswith("test_slices.py")
