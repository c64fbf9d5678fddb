"""A test that waits for what never comes fails, with its name, and the others run."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
TESTS = """
import threading

def test_that_waits():
    threading.Event().wait()

def test_behind_it():
    pass
"""


@pytest.mark.skipif(not hasattr(signal, "SIGALRM"), reason="this system has no alarm; there a hang ends all tests")
def test_a_test_that_hangs_fails_and_the_next_one_runs(tmp_path: Path) -> None:
    (tmp_path / "test_waiting.py").write_text(TESTS)
    (tmp_path / "impatient.py").write_text("import conftest\n\nconftest.LIMIT = 1\n")
    paths = os.pathsep.join(filter(None, (str(HERE), str(tmp_path), os.environ.get("PYTHONPATH"))))
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "conftest", "-p", "impatient", "-p", "no:cacheprovider"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": paths},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1, done.stderr
    assert "test_waiting.py::test_that_waits takes more than 1 seconds" in done.stdout
    assert "1 failed, 1 passed" in done.stdout
