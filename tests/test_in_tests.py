"""In a file of tests only what is certain is reported: a test chooses its data."""

from __future__ import annotations

import pytest

from tfnanlint import lint_source

LIKELY = """
import tensorflow as tf

def test_normalization(audio):
    return audio / tf.reduce_max(tf.abs(audio))
"""
CERTAIN = """
import tensorflow as tf

def test_logarithm(x):
    return tf.math.log(-tf.square(x) - 1.0)
"""


@pytest.mark.parametrize("path", ["test_audio.py", "audio_test.py", "package/tests/conftest.py"])
def test_a_situation_that_a_test_does_not_bring_about_is_merely_possible_there(path: str) -> None:
    assert lint_source(LIKELY, path) == []
    assert [one.rule for one in lint_source(LIKELY, path, pedantic=True)] == ["divide-by-zero"]


@pytest.mark.parametrize("path", ["audio.py", "testing.py", "contest.py", "latest.py"])
def test_other_files_are_judged_by_what_ordinary_data_does(path: str) -> None:
    assert [one.rule for one in lint_source(LIKELY, path)] == ["divide-by-zero"]


def test_a_script_that_is_only_called_test_is_no_file_of_tests() -> None:
    assert [one.rule for one in lint_source(LIKELY.replace("def test_", "def "), "test_audio.py")] == ["divide-by-zero"]


@pytest.mark.parametrize(("path", "reported"), [("tests/utils_test.py", False), ("package/utils_test.py", True)])
def test_helpers_beside_tests_are_tests(path: str, reported: bool) -> None:
    assert bool(lint_source(LIKELY.replace("def test_", "def "), path)) == reported


def test_what_is_certain_is_reported_in_tests_too() -> None:
    assert [(one.rule, one.certainty) for one in lint_source(CERTAIN, "test_log.py")] == [("log-below-zero", "certain")]


def test_a_test_of_which_nothing_is_certain_is_not_read_a_second_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tfnanlint.lint.parse", None)
    assert lint_source(LIKELY, "test_audio.py") == []
