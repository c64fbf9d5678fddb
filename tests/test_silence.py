"""What a program knows of its values silences the rules, and only that does: `silence.py`, linted and run."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import silence
import tensorflow as tf

from tfnanlint.lint import lint_source

PATH = Path(silence.__file__)
FUNCTIONS = {name: value for name, value in vars(silence).items() if "_" in name and not name.startswith("_")}


@pytest.fixture(scope="module")
def reported() -> set[str]:
    """The functions in which something is reported that fails where nothing is compiled: they are run eagerly."""
    text = PATH.read_text()
    starts = {line: text.splitlines()[line - 1] for line in range(1, text.count("\n") + 1)}
    found = set()
    for finding in lint_source(text, "silence.py"):
        if "when compiled by XLA" in finding.message:
            continue
        above = max(line for line, held in starts.items() if held.startswith("def ") and line <= finding.line)
        found.add(starts[above].removeprefix("def ").partition("(")[0])
    return found


def values_of(function: Callable[[], Any]) -> np.ndarray[Any, Any]:
    """All numbers that a function gives at its witness."""
    return np.concatenate([np.ravel(np.asarray(part, "float64")) for part in tf.nest.flatten(function())])


@pytest.mark.parametrize("name", [name for name in FUNCTIONS if name.startswith("quiet_")])
def test_a_sound_function_is_finite_and_not_reported(name: str, reported: set[str]) -> None:
    assert name not in reported
    assert np.isfinite(values_of(FUNCTIONS[name])).all()


@pytest.mark.parametrize("name", [name for name in FUNCTIONS if name.startswith("meant_")])
def test_an_infinity_that_is_meant_is_no_nan_and_not_reported(name: str, reported: set[str]) -> None:
    assert name not in reported
    values = values_of(FUNCTIONS[name])
    assert np.isinf(values).any()
    assert not np.isnan(values).any()


@pytest.mark.parametrize("name", [name for name in FUNCTIONS if name.startswith("reported_")])
def test_a_function_without_the_reason_is_not_finite_and_reported(name: str, reported: set[str]) -> None:
    assert name in reported
    assert not np.isfinite(values_of(FUNCTIONS[name])).all()
