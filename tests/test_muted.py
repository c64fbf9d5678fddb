"""A gradient of 0 that comes back to a root hides its infinite derivative, except under XLA: the finding says so."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from tfnanlint import lint_function
from tfnanlint.config.settings import Settings
from tfnanlint.graph.job import Job, Proved, events
from tfnanlint.graph.specs import parse_spec
from tfnanlint.lint import lint_source
from tfnanlint.ruleset.cache import installed_rules

TAPED = """
import tensorflow as tf


def slope(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = 2.0 * x * tf.sqrt(tf.reduce_sum(tf.square(x), -1, keepdims=True))
    return tape.gradient(y, x)
"""
ROW = tf.zeros((1, 4))


def sparse(x: tf.Tensor) -> tf.Tensor:
    cutoff = tf.reduce_mean(x, -1, keepdims=True) + 0.5 * tf.math.reduce_std(x, -1, keepdims=True)
    return tf.nn.relu(x - cutoff)


def scaled(x: tf.Tensor) -> tf.Tensor:
    return 2.0 * x * tf.sqrt(tf.reduce_sum(tf.square(x), -1, keepdims=True))


def of_a_relu(x: tf.Tensor) -> tf.Tensor:
    return scaled(tf.nn.relu(x))


def shifted(x: tf.Tensor) -> tf.Tensor:
    return (2.0 * x + 1.0) * tf.sqrt(tf.reduce_sum(tf.square(x), -1, keepdims=True))


def squared(x: tf.Tensor) -> tf.Tensor:
    return tf.reduce_mean(tf.square(tf.norm(x, axis=-1)))


def penalty(x: tf.Tensor) -> tf.Tensor:
    return tf.reduce_mean(tf.square(tf.norm(x, axis=-1) - 1.0))


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


def test_a_square_behind_a_norm_leaves_nothing_but_what_xla_makes_of_it() -> None:
    assert np.isfinite(gradient(squared, compiled=False)).all()
    assert np.isnan(gradient(squared, compiled=True)).any()
    found = lint_function(squared, tf.TensorSpec((None, 4)), differentiate=True)
    assert found
    assert {one.severity for one in found} == {"warning"}


@pytest.mark.parametrize(("modes", "count"), [((), 1), (("xla",), 1), (("graph", "xla"), 1), (("eager", "graph"), 0)])
def test_what_is_nan_under_xla_alone_is_not_told_to_whom_does_not_use_it(modes: tuple[str, ...], count: int) -> None:
    rules = installed_rules().run_in(modes)
    assert len(lint_function(scaled, tf.TensorSpec((None, 4)), differentiate=True, rules=rules)) == count
    assert len(lint_source(TAPED.replace("def slope", "@tf.function\ndef slope"), rules=rules)) == count
    assert not lint_source(TAPED, rules=rules)  # it runs eagerly
    assert len(lint_function(shifted, tf.TensorSpec((None, 4)), differentiate=True, rules=rules)) == 1


def test_what_is_nan_under_xla_alone_is_an_error_where_xla_is_asked_for() -> None:
    text = TAPED.replace("def slope", "@tf.function(jit_compile=True)\ndef slope")
    names: dict[str, Any] = {}
    exec(compile(text, "compiled.py", "exec"), names)
    assert np.isnan(names["slope"](ROW)).any()
    for (found,) in (lint_source(text), lint_function(names["slope"], tf.TensorSpec((None, 4)))):
        assert (found.rule, found.severity) == ("sqrt-at-zero", "error")


def test_what_is_nan_under_xla_alone_is_proved_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("model.py").write_text(TAPED)
    (found,) = (
        event.finding
        for event in events(Job(["model.py:slope"], [parse_spec("float32[1,4]")], {}, Settings(), proving=30.0))
        if isinstance(event, Proved)
    )
    assert (found.proof or {})["mode"] == "xla"
    assert (found.severity, found.certainty) == ("warning", "certain")


def test_a_relu_keeps_what_xla_makes_nan_from_going_further_back() -> None:
    assert np.isfinite(gradient(of_a_relu, compiled=True)).all()
    assert np.isfinite(gradient(of_a_relu, compiled=False)).all()
    assert lint_function(of_a_relu, tf.TensorSpec((None, 4)), differentiate=True) == []


@pytest.mark.parametrize("function", [shifted, penalty])
def test_what_is_nan_in_every_mode_is_not_told_to_be_so_under_xla_alone(
    function: Callable[[tf.Tensor], tf.Tensor],
) -> None:
    assert np.isnan(gradient(function, compiled=False)).any()
    (found,) = lint_function(function, tf.TensorSpec((None, 4)), differentiate=True)
    assert "XLA" not in found.message
    assert found.severity == "error"
