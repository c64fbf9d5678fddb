"""A run computes what TensorFlow computes of the same program at the same numbers, forward and backward."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
import tensorflow as tf
from test_trial_situations import CASES, Case
from trial_programs import HEAD, function, program

from tfnanlint.ops import OPS
from tfnanlint.trial.edges import EDGES
from tfnanlint.trial.evidence import name_of
from tfnanlint.trial.plan import DRAWING
from tfnanlint.trial.situations import CALM, SITUATIONS, Situation

SUBSCRIPTS = {
    "a row": ["return tf.exp(x[1])"],
    "an element": ["return tf.exp(x[1, -1]) * x[0, 0]"],
    "all parts together": ["return tf.sinh(tf.unstack(x, axis=-1)) * tf.stack(tf.unstack(z, axis=-1))"],
    "a column": ["return tf.exp(x[:, 1]) + x[:, 0]"],
    "all but the last": ["return x[:, 1:] * x[:, :-1]"],
    "every other row": ["return tf.square(x[::2])"],
    "backwards": ["return x[::-1] * z"],
    "an ellipsis": ["return tf.exp(x[..., 0]) - x[..., -1]"],
    "new axes": ["return x[:, None, :] - z[None]"],
    "an ellipsis and a new axis": ["return x[..., None] * z[:, None]"],
    "a mask": ["return tf.reduce_sum(tf.exp(x[x > 0.0]))"],
    "rows by index": ["return tf.exp(tf.gather(x, [2, 0, 2]))"],
    "one of several": ["a, b = tf.split(x, [1, 2], -1)", "return a / (1.0 + tf.square(b))"],
    "unstacked": ["a, b, c = tf.unstack(x, axis=-1)", "return a * b + tf.tanh(c)"],
    "the part of a tuple": ["mean, variance = tf.nn.moments(x, [0])", "return (x - mean) / tf.sqrt(variance + 1e-3)"],
}
CONTROL = {
    "a condition of the graph": ["return tf.cond(tf.reduce_sum(x) > 100.0, lambda: x, lambda: tf.exp(z))"],
    "a fold over a list": ["import functools", "return functools.reduce(tf.multiply, [x, z, x])"],
    "values that change places": ["x, z = z, x", "return x / (1.0 + tf.abs(z))"],
    "nested tuples": ["(a, b), c = (x, z), x + z", "return a * b + c"],
    "a dictionary": ["d = {'a': tf.exp(x), 'b': z}", "return d['a'] + d['b']"],
    "any number of arguments": ["def g(*a, **k):", "    return a[0] * k['b']", "return g(x, b=z)"],
    "a closure": ["def outer(v):", "    return lambda u: u * v", "return outer(x)(z)"],
    "assignments in place": ["y = x", "y += z", "y *= 2.0", "y -= 1.0", "y /= 3.0", "return y"],
    "a choice": ["return tf.where(x > 0.0, tf.exp(x), x * z)"],
    "a branch by a number": [
        "if tf.reduce_sum(x) > 100.0:",
        "    y = x",
        "else:",
        "    y = tf.square(x) + z",
        "return y",
    ],
    "a branch by a flag": ["flag = False", "y = x * 2.0 if flag else tf.sin(x)", "return y * z"],
    "a helper": ["def twice(v, by=2.0):", "    return by * v", "return twice(x) * twice(z, by=3.0)"],
    "a lambda": ["f = lambda v: tf.nn.softplus(v) - v", "return f(x) + f(z)"],
    "a comprehension": ["return tf.add_n([tf.square(v) for v in (x, z, x * z)])"],
    "a sum of a comprehension": ["return tf.reduce_sum([tf.exp(v) for v in (x, z)], [0, 2])"],
    "a root in the branch that is not taken": ["return tf.where(x > 50.0, tf.sqrt(tf.abs(x)), z)"],
    "a power in the branch that is not taken": ["return tf.where(x > 50.0, tf.abs(x) ** 0.5, z)"],
    "the inverse of a power": ["return tf.where(x > 50.0, tf.abs(x) ** -1.0 + tf.abs(x) ** -0.5, z)"],
    "no gradient": ["return x * tf.stop_gradient(tf.exp(x)) + z"],
}
SHAPES = {
    "a transposed product": ["return tf.matmul(x, z, transpose_b=True)"],
    "the operator": ["return x @ tf.transpose(z)"],
    "a length": ["return tf.reduce_sum(x) / tf.cast(tf.shape(x)[0], tf.float32)"],
    "lengths in a shape": ["return tf.reshape(x, [tf.shape(x)[0], -1, 1]) * z[..., None]"],
    "kept axes": ["return tf.exp(x - tf.reduce_max(x, axis=-1, keepdims=True))"],
    "all axes": ["return tf.norm(x) * tf.reduce_mean(z, [0, 1])"],
    "three axes": ["y = tf.reduce_sum(x, [1, 2])", "return y * tf.reduce_max(tf.transpose(x, [0, 2, 1]), [1, 2])"],
    "lengths by name": ["b, c = x.shape", "return tf.reshape(x, [b * c]) / c"],
    "the number of rows": ["return x / len(z) + z.shape[-1]"],
    "indices": ["return tf.tensordot(x, z, [[1], [1]]) + tf.einsum('ij,kj->ik', x, z)"],
    "segments": ["return tf.math.unsorted_segment_sum(x, [0, 1, 0, 1], 2)"],
    "the largest": ["v, _ = tf.math.top_k(x, 2)", "return v * z[:, :2]"],
    "a row of numbers": ["return x * tf.range(3, dtype=tf.float32) + z * np.array([1.0, 2.0, 3.0], np.float32)"],
    "moved along": ["return tf.roll(x, 1, 0) - tf.reverse(z, [1]) + tf.cumsum(x, 1, exclusive=True, reverse=True)"],
    "split and joined": ["return tf.concat(tf.split(x, 3, -1), 0) * tf.add_n(tf.unstack(z, axis=-1))[0]"],
    "joined": ["return tf.reduce_logsumexp(tf.concat([x, z], -1), -1)"],
    "one more axis": ["return tf.math.reduce_std(tf.stack([x, z, x + z]), 0)"],
    "repeated": ["return tf.tile(x, [2, 1]) * tf.repeat(z, 2, axis=0)"],
    "an attention": [
        "weights = tf.nn.softmax(tf.matmul(x, z, transpose_b=True) / tf.sqrt(3.0), -1)",
        "return tf.matmul(weights, z)",
    ],
    "a loss": [
        "p = tf.clip_by_value(tf.sigmoid(x), 1e-7, 1.0 - 1e-7)",
        "return -tf.reduce_mean(z * tf.math.log(p) + (1.0 - z) * tf.math.log(1.0 - p))",
    ],
}
TYPES = {
    "half precision": ["return tf.cast(tf.exp(tf.cast(x, tf.float16)), tf.float32) + z"],
    "a count": ["n = tf.reduce_sum(tf.cast(x > 0.5, tf.int32))", "return x / (1.0 + tf.cast(n, tf.float32))"],
    "truths": ["m = tf.cast(tf.logical_and(x > 0.0, z > 0.0), tf.float32)", "return m * x + (1.0 - m) * z"],
    "whole numbers": ["n = tf.shape(x)[0] // 3", "return x * tf.cast(n, tf.float32)"],
}
PROGRAMS = {**SUBSCRIPTS, **CONTROL, **SHAPES, **TYPES}
TOLERANCE = {"rtol": 2e-4, "atol": 1e-5, "equal_nan": True}


def compared(lines: list[str], situation: Situation) -> None:
    """A program is run in a situation, and on TensorFlow at the inputs of that run."""
    text = function(*lines, parameters="x, z")
    lowered = program(text)
    run = lowered.run(situation)
    names: dict[str, Any] = {}
    exec(compile(HEAD + text, "program.py", "exec"), names)
    used = {node.attrs["name"]: node for node in lowered.flow if node.op == "input"}
    given = [tf.constant(run.values[used[name]]) for name in ("x", "z")]
    with np.errstate(all="ignore"), tf.GradientTape() as tape:
        tape.watch(given)
        expected = names["f"](*given)
    (returned,) = lowered.flow.kept
    assert returned not in run.approximate
    np.testing.assert_allclose(run.values[returned], expected.numpy(), **TOLERANCE)
    with np.errstate(all="ignore"):
        back, _ = run.backward([returned])
    for name, gradient in zip(("x", "z"), tape.gradient(expected, given), strict=True):
        handed = back.get(used[name])
        if gradient is None:
            assert handed is None or not np.any(handed)
            continue
        dense = np.asarray(tf.convert_to_tensor(gradient))
        np.testing.assert_allclose(np.zeros_like(dense) if handed is None else handed, dense, **TOLERANCE)


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_calm_batch_gives_what_tensorflow_gives(name: str) -> None:
    compared(PROGRAMS[name], CALM)


@pytest.mark.parametrize(
    "situation",
    [one for one in (*SITUATIONS, *EDGES) if one.name in ("dead network", "padded row", "hidden row", "outlier")],
    ids=lambda one: one.name,
)
@pytest.mark.parametrize("name", PROGRAMS)
def test_an_extreme_batch_gives_what_tensorflow_gives(name: str, situation: Situation) -> None:
    compared(PROGRAMS[name], situation)


# What fails.


FUNCTIONS = [
    case for case in CASES if case.hazard.startswith("def f(") and not re.search(r"\bdata\b|random", case.hazard)
]
"""Those that compute the same of their parameters each time."""
ROUNDED = 32
"""So many times the numbers of a row make a row of a program's size."""


def parameters_of(text: str) -> dict[str, Any]:
    """What a program defines, on TensorFlow, and the names of its function's parameters."""
    names: dict[str, Any] = {}
    exec(compile(HEAD + text, "program.py", "exec"), names)
    code = names["f"].__code__
    return {**names, "parameters": code.co_varnames[: code.co_argcount]}


def numbers_of(names: dict[str, Any], inputs: dict[str, Any]) -> np.ndarray[Any, Any]:
    """All numbers that a function gives on TensorFlow, and its gradients where something trains it."""
    given = [tf.Variable(inputs[name]) for name in names["parameters"]]
    results = [names["f"](*given), *(names["train"](*given) if "train" in names else ())]
    return np.concatenate([np.ravel(np.asarray(tf.cast(one, tf.float64))) for one in results if one is not None])


@pytest.mark.parametrize("case", FUNCTIONS, ids=lambda case: case.situation)
def test_what_fails_in_a_run_fails_on_tensorflow_and_its_twin_does_not(case: Case) -> None:
    hazard, twin = parameters_of(case.hazard), parameters_of(case.twin)
    runs = [one.run for one in program(case.hazard).failures() if one.situation.name == case.situation]
    every = [{name_of(node, run.facts): run.values[node] for node in run.outside} for run in runs]
    (inputs, *_) = [given for given in every if given.keys() >= {*hazard["parameters"]}]
    (situation,) = [one for one in SITUATIONS if one.name == case.situation]
    inputs = {name: np.repeat(x, situation.factors, -1) for name, x in inputs.items()}
    if situation.rounds:  # so few numbers round alike, and those of a program do not
        inputs = {name: np.tile(x, (1, ROUNDED)) for name, x in inputs.items()}
    assert not np.isfinite(numbers_of(hazard, inputs)).all()
    assert np.isfinite(numbers_of(twin, inputs)).all()


def test_a_sequence_of_unknown_length_lies_between_its_ends() -> None:
    lines = ("return tf.exp(tf.linspace(tf.math.log(x), tf.math.log(z), config.steps))",)
    sequence = program(function(*lines, parameters="x: float, z: float, config"))
    run, node = sequence.run(), sequence.last("linspace")
    ends = [np.min(run.values[operand]) for operand in node.operands]
    assert np.size(run.values[node]) > 2
    assert min(ends) <= np.min(run.values[node]) <= np.max(run.values[node]) <= max(ends)


DRAWS = {
    "random_uniform": "tf.random.uniform([64])",
    "random_normal": "tf.random.normal([64])",
    "random_truncated_normal": "tf.random.truncated_normal([64])",
    "random_gamma": "tf.random.gamma([64], 2.0)",
    "random_poisson": "tf.random.poisson(shape=[64], lam=9.0)",
    "random_beta": "tf.keras.random.beta([64], 2.0, 2.0)",
    "random_bernoulli": "tf.keras.backend.random_bernoulli([64], 0.5)",
    "random_integers": "tf.keras.random.randint([64], 0, 99)",
    "random_categorical": "tf.random.categorical(tf.zeros([64, 9]), 1)",
}


def test_every_op_that_draws_random_numbers_is_tried_below() -> None:
    assert {name for name in OPS if name.startswith(DRAWING)} == DRAWS.keys()


@pytest.mark.parametrize("name", DRAWS)
def test_two_draws_of_a_program_differ(name: str) -> None:
    cast = "tf.cast({}, x.dtype)".format
    one = program(function(f"a = {DRAWS[name]}", f"b = {DRAWS[name]}", f"return x + {cast('a')} - {cast('b')}"))
    first, second = (value for node, value in one.run().values.items() if node.op == name)
    assert first.shape == second.shape
    assert (first != second).any()
