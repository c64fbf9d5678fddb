"""`pytest --tfnanlint`: what a suite traces is linted, once each, and told in the summary."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = """\
import tensorflow as tf


@tf.function
def entropy(x):
    return tf.math.log(tf.nn.softmax(x))


@tf.function
def hushed(x):
    return tf.math.log(tf.nn.softmax(x))  # tfnanlint: ignore[log-softmax, log-reaches-zero]


@tf.function
def inverse(z):
    return 1.0 / z


def test_first():
    inverse(tf.ones(3))
    entropy(tf.ones((2, 3)))
    entropy(tf.ones((2, 3)))


def test_second():
    entropy(tf.ones(3))


def test_sound():
    hushed(tf.ones(3))
    tf.math.log(tf.nn.softmax(tf.ones(3)))


def test_wrong():
    assert entropy(tf.ones(4)) is None
"""


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    (tmp_path / "test_program.py").write_text(TESTS)
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    return tmp_path


def run(folder: Path, *arguments: str) -> list[str]:
    """The lines of a run of pytest with the plugin."""
    environment = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "COLUMNS": "80"}
    environment["PYTHONPATH"] = str(Path(__file__).parent.parent)
    start = [sys.executable, "-m", "pytest", "-p", "tfnanlint.pytest_plugin", "-p", "no:cacheprovider", "-q"]
    done = subprocess.run(
        [*start, *arguments], capture_output=True, text=True, cwd=folder, env=environment, check=False
    )
    return done.stdout.splitlines()


def section(lines: list[str]) -> list[str]:
    """The lines of the plugin's section in the summary."""
    start = next((place for place, line in enumerate(lines) if line.strip("= ") == "tfnanlint"), len(lines))
    after = lines[start + 1 :]
    end = next((place for place, line in enumerate(after) if line.startswith("===")), len(after))
    return [line for line in after[:end] if line.strip()]


def test_findings_are_a_section_of_the_summary_and_leave_the_tests_alone(suite: Path) -> None:
    lines = run(suite, "--tfnanlint")
    assert "1 failed, 3 passed" in lines[-1]
    told = section(lines)
    assert told[0].startswith("test_program.py:6:12: error (likely) TFN118 log-softmax: `log` of a softmax is -inf")
    assert told[1] == "    6 |     return tf.math.log(tf.nn.softmax(x))"
    assert "   traced by test_program.py::test_first and 2 more" in told
    assert "1 problem in functions traced by the tests." in told
    assert sum("log-softmax:" in line for line in told) == 1


def test_findings_fail_the_tests_that_trace_them_where_that_is_wanted(suite: Path) -> None:
    lines = run(suite, "--tfnanlint-fail")
    assert "3 failed, 1 passed" in lines[-1]
    assert any(line.startswith("1 problem in functions traced by this test") for line in lines)
    assert any("AssertionError" in line or "assert <tf.Tensor" in line for line in lines)
    (suite / "pytest.ini").write_text("[pytest]\ntfnanlint = true\ntfnanlint_fail = true\n")
    assert "3 failed, 1 passed" in run(suite)[-1]


def test_workers_hand_over_what_they_found(suite: Path) -> None:
    lines = run(suite, "--tfnanlint", "-p", "xdist", "-n", "2")
    told = section(lines)
    assert sum("log-softmax:" in line for line in told) == 1
    assert "1 problem in functions traced by the tests." in told


def test_the_configuration_of_the_project_says_which_rules_are_applied_and_what_inputs_hold(suite: Path) -> None:
    (suite / "tfnanlint.toml").write_text('ignore = ["log"]\n')
    assert section(run(suite, "--tfnanlint")) == ["no problems in functions traced by the tests."]
    (suite / "tfnanlint.toml").write_text('ignore = ["log"]\n[assume]\nz = [0, 1]\n')
    (place, *_) = section(run(suite, "--tfnanlint"))
    assert place.startswith("test_program.py:16:12: error (likely) TFN206 divide-by-zero:")
    (suite / "tfnanlint.toml").write_text('ignore = ["lgo"]\n')
    lines = run(suite, "--tfnanlint")
    assert not any("passed" in line for line in lines)


def test_nothing_is_loaded_by_a_run_that_does_not_ask(tmp_path: Path) -> None:
    (tmp_path / "test_modules.py").write_text(
        "import sys\n\n\ndef test_modules():\n"
        "    loaded = {name for name in sys.modules if name.startswith('tfnanlint')}\n"
        "    assert loaded == {'tfnanlint', 'tfnanlint.pytest_plugin'}\n"
        "    assert 'tensorflow' not in sys.modules\n"
    )
    assert "1 passed" in run(tmp_path)[-1]
