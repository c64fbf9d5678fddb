"""What trials find in traced functions: programs with a hazard, in several writings, and sound ones beside them."""

from __future__ import annotations

from typing import NamedTuple

import pytest
import tensorflow as tf
from graph_programs import program

from tfnanlint.facts import Facts
from tfnanlint.graph import lint_function, trace
from tfnanlint.graph.lint import examined
from tfnanlint.graph.lower import lower
from tfnanlint.trial.partition import parts_of


class Case(NamedTuple):
    """The inputs of functions, a rule, expressions that fail under it, and sound ones."""

    inputs: str
    rule: str
    hazards: tuple[str, ...]
    twins: tuple[str, ...]


DISTANCES = "tf.reduce_sum(tf.square(x[:, None] - y[None]), axis=-1)"


def magnitude(signal: str, epsilon: str = "") -> str:
    """The magnitude of a signal's spectrum, as a root of squares."""
    spectrum = f"tf.signal.stft({signal}, 64, 32)"
    return f"tf.sqrt(tf.square(tf.math.real({spectrum})) + tf.square(tf.math.imag({spectrum})){epsilon})"


PIXELS = "tf.cast(x, tf.float32) / 255.0"
HALF = "tf.cast(x, tf.float16)"
CASES = {
    "the sum of a large image in half precision": Case(
        "image: float16[None, 512, 512, 3]",
        "sum-overflow-float16",
        (
            "tf.cast(tf.reduce_sum(image, axis=[1, 2, 3]), tf.float32) / 786432.0",
            "tf.math.log1p(tf.reduce_sum(tf.square(image)))",
        ),
        (
            "tf.reduce_sum(tf.cast(image, tf.float32), axis=[1, 2, 3]) / 786432.0",
            "tf.reduce_sum(tf.nn.softmax(tf.reshape(image, [-1, 786432])), axis=-1)",
            "tf.reduce_sum(image[:, :32, :32], axis=[1, 2, 3])",
        ),
    ),
    "a kernel of two sets of points": Case(
        "x: float32[None, 3], y: float32[None, 3]",
        "divide-by-zero",
        (
            f"1.0 / tf.reduce_sum(tf.exp(-{DISTANCES} / 0.05), axis=1)",
            f"1.0 / tf.linalg.matvec(tf.exp(-{DISTANCES}), tf.ones([tf.shape(y)[0]]))",
            "tf.math.reciprocal(tf.reduce_mean(tf.exp(-tf.math.squared_difference(x[:, None], y[None])), axis=[1, 2]))",
        ),
        (
            f"1.0 / (1e-6 + tf.reduce_sum(tf.exp(-{DISTANCES} / 0.05), axis=1))",
            f"tf.exp(-tf.reduce_logsumexp(-{DISTANCES} / 0.05, axis=1) / 1e4)",
            "1.0 / tf.reduce_sum(tf.exp(-tf.square(x[:, None] - x[None])), axis=[1, 2])",
        ),
    ),
    "the square of a recording in half precision": Case(
        "x: int16[None, 160]",
        "square-overflow-float16",
        (
            f"tf.reduce_mean(tf.square({HALF}), axis=-1)",
            f"tf.math.log({HALF} * {HALF} + 1.0)",
            "tf.square(tf.reshape(tf.cast(x, tf.float16), [-1, 16, 10]))",
        ),
        (
            "tf.reduce_mean(tf.square(tf.cast(x, tf.float32)), axis=-1)",
            f"tf.square({HALF} / 32768.0)",
            "tf.square(tf.cast(x // 256, tf.float16))",
        ),
    ),
    "the magnitude of one silent signal of two": Case(
        "speech: float32[None, 512], clean: float32[None, 512]",
        "sqrt-at-zero",
        (
            f"tf.reduce_mean(tf.abs({magnitude('clean')} - {magnitude('speech')}))",
            f"tf.reduce_mean(tf.square({magnitude('speech')} - tf.abs(tf.signal.stft(clean, 64, 32))))",
            f"tf.reduce_sum({magnitude('speech')} * tf.abs(tf.signal.stft(clean, 64, 32)))",
        ),
        (
            f"tf.reduce_mean(tf.abs({magnitude('clean', ' + 1e-8')} - {magnitude('speech', ' + 1e-8')}))",
            f"tf.reduce_mean(tf.abs(tf.stop_gradient({magnitude('clean')}) - {magnitude('speech', ' + 1e-8')}))",
            "tf.reduce_mean(tf.abs(tf.signal.stft(speech, 64, 32)) * tf.abs(tf.signal.stft(clean, 64, 32)))",
        ),
    ),
    "the largest pixel": Case(
        "x: uint8[None, 16]",
        "log-reaches-zero",
        (
            f"tf.math.log(1.0 - {PIXELS})",
            f"tf.math.log1p(-({PIXELS}))",
            f"tf.math.log1p(-(0.05 + 0.95 * ({PIXELS})))",
            "tf.math.log(255.0 - tf.cast(x, tf.float32))",
        ),
        (
            f"tf.math.log1p(-(0.05 + 0.9 * ({PIXELS})))",
            "tf.math.log(256.0 - tf.cast(x, tf.float32))",
            "tf.math.log1p(-(tf.cast(x, tf.float32) / 256.0))",
            "tf.math.log1p(tf.cast(x, tf.float32))",
        ),
    ),
}


def lint(inputs: str, expression: str) -> set[str]:
    """The rules of the findings in a function of an expression, and whether they are likely."""
    names = ", ".join(one.partition(":")[0].strip() for one in inputs.split("], "))
    _, held = program(f"def f({names}):\n    return {expression}\n")
    specs = []
    for one in inputs.split("], "):
        dtype, _, shape = one.partition(":")[2].strip().rstrip("]").partition("[")
        specs.append(tf.TensorSpec([None if size == "None" else int(size) for size in shape.split(", ")], dtype))
    return {finding.rule for finding in lint_function(held["f"], *specs)}


HAZARDS = [(case.inputs, case.rule, expression) for case in CASES.values() for expression in case.hazards]
TWINS = [(case.inputs, expression) for case in CASES.values() for expression in case.twins]


@pytest.mark.parametrize(("inputs", "rule", "expression"), HAZARDS)
def test_a_hazard_is_found_in_each_of_its_writings(inputs: str, rule: str, expression: str) -> None:
    assert lint(inputs, expression) == {rule}


@pytest.mark.parametrize(("inputs", "expression"), TWINS)
def test_a_sound_twin_is_silent(inputs: str, expression: str) -> None:
    assert lint(inputs, expression) == set()


def test_what_an_optimizer_computes_takes_no_part_in_a_trial() -> None:
    _, held = program(
        "w = tf.Variable(tf.ones([3, 1]))\noptimizer = keras.optimizers.Adam()\noptimizer.build([w])\n\n\n"
        "def f(x):\n    with tf.GradientTape() as tape:\n        loss = tf.norm(tf.matmul(x, w))\n"
        "    optimizer.apply_gradients([(tape.gradient(loss, w), w)])\n    return loss\n"
    )
    lowered = lower(trace(held["f"], tf.TensorSpec([None, 3])))
    ((finding, match),) = examined(lowered)
    facts, updates = Facts(lowered.flow, lowered.assumptions), lowered.flow.updates
    assert finding.rule == "norm-at-zero"
    assert "sqrt" in {node.op for node in updates}
    assert all(updates.isdisjoint(part) for part in parts_of(facts, match.matched))


STEP = """w = tf.Variable(tf.eye(3))
scale = tf.Variable(1.0, trainable=False)


def f(x, y):
    with tf.GradientTape() as tape:
        share = tf.nn.softmax(tf.matmul(x, w))
        angle = tf.reduce_mean(tf.acos(share))
        {taken}
        loss = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits(y, {used} * share))
    return tape.gradient(loss, w)
"""


@pytest.mark.parametrize(
    ("taken", "used", "finite"),
    [
        ("scale.assign(2.0 + angle)", "scale", True),
        ("scale.assign_add(angle)", "scale", True),
        ("scale.assign(2.0 + angle)", "(2.0 + angle)", False),
    ],
)
def test_no_gradient_comes_through_an_assignment(taken: str, used: str, finite: bool) -> None:
    _, held = program(STEP.format(taken=taken, used=used))
    data = tf.constant([[200.0, 0.0, 0.0]]), tf.constant([[1.0, 0.0, 0.0]])
    assert bool(tf.reduce_all(tf.math.is_finite(tf.function(held["f"])(*data)))) == finite
    found = lint_function(held["f"], *(tf.TensorSpec([None, 3]) for _ in data))
    assert [finding.rule for finding in found] == ([] if finite else ["inverse-sine-at-one"])


def test_a_state_holds_what_a_step_writes_to_it() -> None:
    """The second moment of an optimizer is a mean of squares: its root is a number, whose slope nobody asks for."""
    _, held = program(
        "w = tf.Variable(tf.ones([3, 1]) * 0.1)\nmoment = tf.Variable(tf.zeros([3, 1]))\n\n\n"
        "def f(x, y):\n    with tf.GradientTape() as tape:\n"
        "        loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - y))\n"
        "    slope = tape.gradient(loss, w)\n    moment.assign(0.9 * moment + 0.1 * tf.square(slope))\n"
        "    w.assign_sub(0.01 * slope / (tf.sqrt(moment) + 1e-8))\n    return loss\n"
    )
    assert lint_function(held["f"], tf.TensorSpec([None, 3]), tf.TensorSpec([None, 1])) == []


@pytest.mark.parametrize(
    ("lines", "reported"),
    [
        ("    speed = x / last\n    last.assign(x)\n", {"divide-by-zero"}),
        ("    last.assign(tf.nn.softmax(x))\n    speed = x / (last + 1e-6)\n", set()),
    ],
)
def test_a_state_that_is_used_before_it_is_replaced_is_what_it_starts_at(lines: str, reported: set[str]) -> None:
    _, held = program(f"last = tf.Variable(tf.zeros([3]), trainable=False)\n\n\ndef f(x):\n{lines}    return speed\n")
    found = lint_function(held["f"], tf.TensorSpec([3]))
    assert {finding.rule for finding in found} == reported
