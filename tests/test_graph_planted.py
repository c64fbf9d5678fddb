"""Hazards that users write around Keras: each is found once in the trace, at the line that has it."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

import keras
import pytest
import tensorflow as tf

from tfnanlint.graph import lint_concrete

k = keras.layers


def trained(model: Any, loss: Any = "mse", optimizer: Any = "sgd", width: int = 4) -> Any:
    """The training step of a model that takes three numbers, traced."""
    model.compile(optimizer, loss)
    x, y = tf.zeros((2, 3)), tf.zeros((2, width))
    model._symbolic_build(data_batch=(x, y))
    model.optimizer.build(model.trainable_variables)
    return tf.function(lambda x, y: model.train_step((x, y)), autograph=False).get_concrete_function(x, y)


def dense(*more: Any, **options: Any) -> Any:
    return keras.Sequential([keras.Input((3,)), k.Dense(4, **options), *more])


def a_training_step() -> Any:
    class Own(keras.Model):
        def __init__(self) -> None:
            super().__init__()
            self.layer = k.Dense(4)

        def call(self, x: Any) -> Any:
            return self.layer(x)

        def train_step(self, data: Any) -> Any:
            x, y = data
            with tf.GradientTape() as tape:
                p = tf.nn.softmax(self(x, training=True))
                loss = -tf.reduce_mean(y * tf.math.log(p))  # here
            gradients = tape.gradient(loss, self.trainable_variables)
            self.optimizer.apply_gradients(zip(gradients, self.trainable_variables, strict=True))
            return {"loss": loss}

    model = Own()
    model(tf.zeros((2, 3)))
    return trained(model)


def a_loss_function() -> Any:
    def distance(y: Any, p: Any) -> Any:
        return tf.sqrt(tf.reduce_mean(tf.square(y - p), axis=-1))  # here

    return trained(dense(), distance)


def a_loss_class() -> Any:
    class Own(keras.losses.Loss):
        def call(self, y: Any, p: Any) -> Any:
            p = keras.ops.sigmoid(p)
            return -keras.ops.mean(y * keras.ops.log(p), axis=-1)  # here

    return trained(dense(), Own())


def a_lambda_layer() -> Any:
    return trained(dense(k.Lambda(lambda v: v / tf.norm(v, axis=-1, keepdims=True))))  # here


def an_activation() -> Any:
    def activation(v: Any) -> Any:
        return tf.where(v > 0, tf.math.log(v), 0.0)  # here

    return trained(dense(activation=activation))


def a_regulariser() -> Any:
    def lasso(w: Any) -> Any:
        return tf.reduce_sum(tf.sqrt(tf.reduce_sum(w * w, axis=0)))  # here

    return trained(dense(kernel_regularizer=lasso))


def an_optimiser() -> Any:
    class Normed(keras.optimizers.SGD):
        def update_step(self, gradient: Any, variable: Any, learning_rate: Any) -> None:
            gradient = gradient / tf.norm(gradient)  # here
            super().update_step(gradient, variable, learning_rate)

    return trained(dense(activation="relu"), optimizer=Normed(0.1))


def a_layer_between_layers() -> Any:
    class Cosine(k.Layer):
        def build(self, shape: Any) -> None:
            self.w = self.add_weight(shape=(shape[-1], 2))

        def call(self, x: Any) -> Any:
            x = x / tf.sqrt(tf.reduce_sum(x * x, -1, keepdims=True))  # here
            return x @ self.w

    return trained(dense(Cosine(), activation="relu"), width=2)


def a_cell() -> Any:
    class Cell(k.Layer):
        state_size = 4

        def build(self, shape: Any) -> None:
            self.w = self.add_weight(shape=(4, 4))

        def call(self, x: Any, states: Any) -> Any:
            h = states[0] @ self.w + x
            h = h / tf.norm(h, axis=-1, keepdims=True)  # here
            return h, [h]

    return trained(dense(k.RepeatVector(5), k.RNN(Cell())))


def a_cell_from_the_second_turn_on() -> Any:
    class Cell(k.Layer):
        state_size = 4

        def build(self, shape: Any) -> None:
            self.w = self.add_weight(shape=(4, 4))

        def call(self, x: Any, states: Any) -> Any:
            h = tf.sigmoid(states[0] @ self.w + x)
            return h, [tf.math.log(h)]  # here

    return trained(dense(k.RepeatVector(5), k.RNN(Cell())))


def a_gradient_of_ones_own() -> Any:
    w = tf.Variable(tf.ones((3,)))

    @tf.custom_gradient
    def scaled(x: Any) -> Any:
        def gradient(up: Any, variables: Any = None) -> Any:
            return up * tf.reduce_sum(w), [up[0] * tf.math.log(tf.nn.softmax(w))]  # here

        return x * tf.reduce_sum(tf.tanh(w)), gradient

    @tf.function
    def step(x: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(scaled(x))
        return tape.gradient(loss, w)

    return step.get_concrete_function(tf.zeros((3,)))


def a_loop() -> Any:
    @tf.function
    def summed(x: Any) -> Any:
        total = tf.zeros(())
        for i in tf.range(3):
            p = tf.sigmoid(x * tf.cast(i, tf.float32))
            total += tf.reduce_sum(tf.math.log(1.0 - p))  # here
        return total

    return summed.get_concrete_function(tf.zeros((3,)))


def a_map() -> Any:
    @tf.function
    def lengths(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            found = tf.map_fn(lambda v: tf.norm(v), x)  # here # noqa: PLW0108
        return tape.gradient(found, x)

    return lengths.get_concrete_function(tf.zeros((4, 3)))


def a_step_by_hand() -> Any:
    v = tf.Variable(tf.ones((3,)))

    @tf.function
    def step(x: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.nn.relu(v * x))
        gradient = tape.gradient(loss, v)
        v.assign_sub(0.1 * gradient / tf.norm(gradient))  # here
        return loss

    return step.get_concrete_function(tf.zeros((3,)))


def keeping(concrete: Any, *variables: Any) -> Any:
    """A concrete function that keeps its variables alive, as the object does that has both."""
    concrete.kept = variables
    return concrete


def a_step_counted_too_late() -> Any:
    count, scale = tf.Variable(0.0, trainable=False), tf.Variable(1.0)

    @tf.function
    def step(x: Any) -> Any:
        scale.assign_sub(tf.reduce_mean(x) / (1.0 - tf.pow(0.9, count)))  # here
        count.assign_add(1.0)
        return scale

    return keeping(step.get_concrete_function(tf.zeros((3,))), count, scale)


def a_variance_of_one_observation() -> Any:
    count, square = tf.Variable(0.0, trainable=False), tf.Variable(tf.zeros(3), trainable=False)

    @tf.function
    def step(x: Any) -> Any:
        count.assign_add(1.0)
        square.assign_add(x * x)
        return tf.sqrt(tf.nn.relu(square / (count - 1.0)) + 1e-6)  # here

    return keeping(step.get_concrete_function(tf.zeros((3,))), count, square)


def points_that_start_at_one_place() -> Any:
    path = tf.Variable(tf.zeros((5, 2)))

    @tf.function
    def step(goal: Any) -> Any:
        with tf.GradientTape() as tape:
            moved = path[1:] - path[:-1]
            turn = tf.atan2(moved[:, 1], moved[:, 0])  # here
            cost = tf.reduce_sum(tf.square(path[-1] - goal)) + tf.reduce_sum(1.0 - tf.cos(turn))
        path.assign_sub(0.05 * tape.gradient(cost, path))
        return cost

    return keeping(step.get_concrete_function(tf.zeros((2,))), path)


PLANTED = [
    a_training_step, a_loss_function, a_loss_class, a_lambda_layer, an_activation, a_regulariser, an_optimiser,
    a_layer_between_layers, a_cell, a_cell_from_the_second_turn_on, a_gradient_of_ones_own, a_loop, a_map,
    a_step_by_hand, a_step_counted_too_late, a_variance_of_one_observation, points_that_start_at_one_place,
]  # fmt: skip


@pytest.mark.parametrize("program", PLANTED, ids=lambda program: program.__name__)
def test_a_hazard_is_found_once_at_the_users_line(program: Callable[[], Any]) -> None:
    lines, first = inspect.getsourcelines(program)
    (line,) = (first + place for place, text in enumerate(lines) if "# here" in text)
    found = lint_concrete(program())
    assert [(Path(f.path).name, f.line) for f in found] == [(Path(__file__).name, line)], found
    assert all(step.path == found[0].path for step in found[0].trail), found[0].trail


def test_a_counter_that_has_been_advanced_divides_by_no_zero() -> None:
    count, scale = tf.Variable(0.0, trainable=False), tf.Variable(1.0)

    @tf.function
    def step(x: Any) -> Any:
        count.assign_add(1.0)
        scale.assign_sub(tf.reduce_mean(x) / (1.0 - tf.pow(0.9, count)))
        return scale

    assert lint_concrete(step.get_concrete_function(tf.zeros((3,)))) == []
