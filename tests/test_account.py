"""A failing run is told in a line: the inputs, and the numbers on the way to what fails."""

from __future__ import annotations

from pathlib import Path

import pytest

from tfnanlint.assumptions import Assumptions
from tfnanlint.lint import lint_source
from tfnanlint.ruleset.cache import installed_rules

IMPORT = "import tensorflow as tf\n"
RULES = sorted((Path(__file__).parent.parent / "rules" / "divide").glob("*.py"))


def run_of(*lines: str, parameters: str) -> str:
    """How the one finding in a function is told."""
    (found,) = lint_source(f"{IMPORT}def f({parameters}):\n" + "".join(f"    {line}\n" for line in lines))
    assert found.trial is not None
    return found.trial["run"]


def test_the_elements_are_told_that_the_failing_one_is_made_of() -> None:
    lines = ("total = tf.reduce_sum(tf.square(x - y) * mask)", "return total / tf.reduce_sum(mask)")
    told = run_of(*lines, parameters="x, y, mask")
    assert told.startswith("mask = [0, 0, 0, 0, ...]")
    assert told.endswith("reduce_sum(mask) = 0, 0 / 0 = nan")
    assert "square" not in told, "its first elements have no part in the quotient of two sums"


def test_a_number_next_to_a_whole_one_is_not_told_as_that() -> None:
    lines = ("u, v = tf.nn.l2_normalize(u, -1), tf.nn.l2_normalize(v, -1)", "return tf.acos(tf.reduce_sum(u * v, -1))")
    assert "acos(1.000000" in run_of(*lines, parameters="u, v")


def test_what_is_assumed_of_a_value_stands_for_what_it_is_made_of() -> None:
    text = f"{IMPORT}for x, y in data:\n    z = tf.math.log(x)\n"
    (found,) = lint_source(text, rules=installed_rules(), assumptions=Assumptions((("x", 0, 255),)))
    assert found.trial is not None
    assert found.trial["run"] == "x = 0: log(0) = -inf"


@pytest.mark.parametrize("path", RULES, ids=lambda path: path.stem)
def test_whatever_shapes_were_fitted_the_run_is_told(path: Path) -> None:
    found = [one for one in lint_source(path.read_text(), path.name) if one.trial is not None]
    assert all(one.trial["run"] for one in found if one.trial is not None)


@pytest.mark.parametrize(
    "line",
    [
        "return tf.reduce_sum(tf.nn.l2_normalize(x, -1) * mask, -1) / tf.reduce_sum(mask, -1)",
        "return tf.reduce_sum(tf.nn.softmax(x) * mask, -1) / tf.reduce_sum(mask, -1)",
        "return tf.reduce_sum(tf.matmul(x, y) * mask, -1) / tf.reduce_sum(mask, -1)",
    ],
)
def test_the_example_is_told_that_the_failing_row_is_made_of(line: str) -> None:
    told = run_of(line, parameters="x, mask, y")
    assert told.startswith("mask = [0, 0, 0], x = [")
    assert "..." not in told.partition(":")[0], "one example has three elements"


def test_a_weight_goes_by_the_name_of_the_attribute_that_holds_it() -> None:
    text = f"""{IMPORT}
class Gain(tf.keras.layers.Layer):
    def __init__(self):
        super().__init__()
        self.gain = tf.Variable(tf.random.normal([3, 3]))

    def call(self, x):
        return tf.math.log(tf.nn.softmax(tf.matmul(x, self.gain)))
"""
    (found,) = lint_source(text)
    assert found.trial is not None
    assert "gain = " in found.trial["run"]
    assert "a weight" not in found.trial["run"]


def test_a_join_of_branches_and_a_new_axis_are_no_steps() -> None:
    lines = (
        "y = tf.nn.relu(x)",
        "if squared: y = tf.square(y)",
        "total = tf.expand_dims(tf.reduce_sum(y, -1), -1)",
        "return tf.ones_like(y) / total",
    )
    told = run_of(*lines, parameters="x, squared=False")
    assert "phi" not in told
    assert "expand_dims" not in told
    assert "reduce_sum" in told


def test_an_element_is_told_that_fails_and_not_one_that_was_infinite_before() -> None:
    text = f"{IMPORT}def f(logits):\n    return tf.math.log(tf.exp(logits) / tf.reduce_sum(tf.exp(logits)))\n"
    told = {one.rule: one.trial["run"] for one in lint_source(text) if one.trial is not None}
    assert not any("log(inf)" in run or "log(nan)" in run for run in told.values()), told


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("prob, logits = discriminator(x)", "prob = 0: log(0) = -inf"),
        ("prob = tf.nn.relu(load_scores(x))", "load_scores(...) = -1.3: relu(-1.3) = 0, log(0) = -inf"),
    ],
)
def test_what_an_unknown_function_gives_goes_by_its_own_name_or_that_of_the_function(line: str, told: str) -> None:
    assert run_of(line, "return tf.math.log(prob)", parameters="x, discriminator") == told


def test_sizes_are_told_only_where_nothing_else_is() -> None:
    told = run_of(
        "n = tf.cast(tf.shape(mask)[0], tf.float32)",
        "return n / tf.reduce_sum(tf.cast(mask, tf.float32))",
        parameters="mask",
    )
    assert told.startswith("mask = [")
    assert "shape" not in told
