"""Results that are thrown away: what the fix assigns, and where a statement shows its result or is a check."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tfnanlint import lint_paths, lint_source
from tfnanlint.finding import Finding

RULE = "result-discarded"


def found_in(text: str, path: str = "loss.py") -> list[Finding]:
    return [found for found in lint_source(f"import tensorflow as tf\n\n\n{text}", path) if found.rule == RULE]


def function_with(statement: str, before: str = "") -> str:
    return f"{before}def f(x, y):\n    {statement}\n    return x + y\n"


@pytest.mark.parametrize(
    ("statement", "fixed"),
    [
        ("tf.clip_by_value(x, 0.0, 1.0)", "x = tf.clip_by_value(x, 0.0, 1.0)"),
        ("tf.where(tf.math.is_nan(x), 0.0, x)", "x = tf.where(tf.math.is_nan(x), 0.0, x)"),
        ("tf.maximum(1e-6, y)", "y = tf.maximum(1e-6, y)"),
        ("tf.cast(x, tf.float32)", "x = tf.cast(x, tf.float32)"),
    ],
)
def test_the_fix_assigns_the_result_to_the_name_that_it_was_computed_from(statement: str, fixed: str) -> None:
    (finding,) = found_in(function_with(statement))
    assert finding.fix is not None
    assert (finding.fix.kind, finding.fix.message) == ("rework", fixed)
    (edit,) = finding.fix.edits
    assert (edit.line, edit.column, edit.end_column, edit.text) == (5, 5, 5, fixed[:4])


@pytest.mark.parametrize(
    "statement",
    ["tf.maximum(x, y)", "tf.reduce_sum(x)", "tf.math.is_nan(x)", "tf.abs(x * y)", "tf.abs(held)"],
)
def test_there_is_no_fix_if_no_single_local_name_can_take_the_result(statement: str) -> None:
    (finding,) = found_in(function_with(statement, "held = tf.Variable(1.0)\n\n\n"))
    assert finding.fix is None
    assert finding.no_fix


def test_a_call_in_parentheses_has_no_fix() -> None:
    first, second = found_in(function_with("(tf.abs(x))\n    tf.abs(x)"))
    assert (first.fix, second.fix is None) == (None, False)


def test_the_evidence_speaks_of_bad_values_only_if_the_op_replaces_values() -> None:
    (guard,) = found_in(function_with("tf.clip_by_value(x, 0.0, 1.0)"))
    (other,) = found_in(function_with("tf.square(x)"))
    assert guard.evidence == "`x` keeps its values, including those that `clip` was meant to replace"
    assert other.evidence == "`x` keeps its values"


def test_a_test_calls_ops_to_see_that_they_raise_nothing() -> None:
    text = "def test_clip(x):\n    tf.clip_by_value(x, 0.0, 1.0)\n"
    assert not found_in(text, "test_ops.py")
    assert found_in(text.replace("test_clip", "clip"))


def test_a_context_that_expects_an_error_is_silent() -> None:
    text = "import pytest\n\n\ndef f(x):\n    with pytest.raises(ValueError):\n        tf.clip_by_value(x, 1.0, 0.0)\n"
    assert not found_in(text)


def test_a_cell_displays_its_last_expression(tmp_path: Path) -> None:
    cells = [
        "import tensorflow as tf\nx = tf.Variable(1.0)",
        "tf.abs(x)\ny = x + 1.0\ntf.square(y)\n\n# shown",
        "def f(x):\n    tf.abs(x)\n    return x",
    ]
    book = {
        "cells": [
            {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": [], "source": text}
            for text in cells
        ],
        "metadata": {},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    path = tmp_path / "shown.ipynb"
    path.write_text(json.dumps(book))
    found = [(finding.cell, finding.line) for finding in lint_paths([path]) if finding.rule == RULE]
    assert found == [(2, 1), (3, 2)]


def test_a_script_in_cells_displays_likewise() -> None:
    assert [f.line for f in found_in("# %%\nx = tf.Variable(1.0)\ntf.abs(x)\n# %%\ntf.square(x)\nx = x + 1.0\n")] == [8]
