"""Training steps as users write them: what no tape differentiates and what an optimizer does inside is silent."""

from __future__ import annotations

from typing import Any

import numpy as np
from graph_programs import program

from tfnanlint.graph.lint import lint_concrete, trace
from tfnanlint.graph.specs import parse_spec
from tfnanlint.graph.tracing import subjects_of

STEP = """
layer = keras.layers.Dense(4)
layer.build((None, 3))
optimizer = keras.optimizers.AdamW(1e-3, clipnorm=1.0)
optimizer.build(layer.trainable_variables)

def f(x, y, weights, advantages):
    advantages = (advantages - tf.reduce_mean(advantages)) / (tf.math.reduce_std(advantages) + 1e-8)
    sizes = tf.norm(x, axis=-1), tf.norm(y), tf.norm(weights)
    with tf.GradientTape() as tape:
        error = tf.reduce_mean(tf.square(layer(x) - y), axis=-1)
        loss = tf.reduce_sum(error * weights * advantages)
        spread = tf.sqrt(tf.reduce_sum(tf.square(layer(x) - y)) + 1e-6)  # HERE
    gradients = tape.gradient([loss, spread], layer.trainable_variables)
    optimizer.apply_gradients(zip(gradients, layer.trainable_variables))
    return loss, sizes, tf.linalg.global_norm(gradients)
"""
SHAPES = ([None, 3], [None, 4], [None], [None])


def found_in(text: str, *shapes: Any, **options: Any) -> list[tuple[str, str]]:
    """(rule, the line's code) of the findings in a program's `f`."""
    import tensorflow as tf

    path, names = program(text)
    concrete = trace(names["f"], *(tf.TensorSpec(shape, tf.float32) for shape in shapes))
    import linecache

    return [(f.rule, linecache.getline(path, f.line).strip()) for f in lint_concrete(concrete, **options)]


def test_norms_of_inputs_labels_weights_and_standardised_advantages_are_silent_beside_a_tape() -> None:
    assert found_in(STEP, *SHAPES) == []


def test_nothing_inside_an_optimizer_is_reported_even_where_doubts_are() -> None:
    assert found_in(STEP, *SHAPES, pedantic=True) == []


def test_what_a_weight_has_a_part_in_is_differentiated() -> None:
    found = found_in(STEP.replace(" + 1e-6)  # HERE", ")  # HERE"), *SHAPES)
    assert [rule for rule, _ in found] == ["sqrt-at-zero"]
    assert found[0][1].endswith("# HERE")


def test_an_input_that_the_tape_watches_is_differentiated_and_another_is_not() -> None:
    text = """
def f(x, y):
    with tf.GradientTape() as tape:
        tape.watch(x)
        loss = tf.norm(x) + tf.norm(y)
    return tape.gradient(loss, x)
"""
    path_only = found_in(text, [3], [3])
    assert [rule for rule, _ in path_only] == ["norm-at-zero"]
    assert found_in(text.replace("watch(x)", "watch(y)").replace("(loss, x)", "(loss, y)"), [3], [3]) == path_only
    mixed = text.replace("tf.norm(x) + tf.norm(y)", "tf.reduce_sum(x * tf.norm(y))")
    assert found_in(mixed, [3], [3]) == []


def test_what_is_watched_on_the_way_is_differentiated_from_there() -> None:
    text = """
def f(x, y):
    mixed = x / (tf.norm(y) + 1.0)
    with tf.GradientTape() as tape:
        tape.watch(mixed)
        loss = tf.norm(mixed)
    return tape.gradient(loss, mixed)
"""
    assert [rule for rule, _ in found_in(text, [3], [3])] == ["norm-at-zero"]


def test_batches_of_a_data_set_are_data_in_the_function_that_fit_runs() -> None:
    import keras
    import tensorflow as tf

    def loss(y: Any, p: Any) -> Any:
        return tf.reduce_mean(tf.square(y - p)) * tf.norm(y)

    model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(2)])
    model.compile("adam", loss)
    (forward, step) = subjects_of("case:model", model, [])
    assert lint_concrete(forward.graph, differentiate=False) == lint_concrete(step.graph) == []

    from tfnanlint import watch

    with watch() as findings:
        model.fit(np.ones((4, 3), np.float32), np.ones((4, 2), np.float32), verbose=0)
    assert findings == []


def test_a_step_of_a_model_reports_what_its_weights_have_a_part_in() -> None:
    import keras
    import tensorflow as tf

    model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(2)])
    model.compile("adam", lambda y, p: tf.norm(y - p))
    (_, step) = subjects_of("case:model", model, [parse_spec("float32[None,3]"), parse_spec("float32[None,2]")])
    assert [found.rule for found in lint_concrete(step.graph)] == ["norm-at-zero"]
