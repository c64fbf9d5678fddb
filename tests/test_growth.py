"""What linting costs grows no faster than the program: counted in calls, which are the same on every machine."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from tests.growing import KINDS, Files, size_of
from tfnanlint.cli import main

SIZES = {"shared": (80, 160), "all from all": (12, 24), "files": (12, 24), "ring": (12, 24)}
"""Two numbers of things; of the kinds not listed, `USUAL`."""
USUAL = 20, 40
STEEPEST = 1.15
"""The largest exponent for the size of the text."""


def calls_for(files: Files, folder: Path, monkeypatch: Any) -> int:
    """The number of Python functions that are called, or resumed, to lint some files."""
    folder.mkdir()
    for name, text in files.items():
        (folder / name).write_text(text)
    monkeypatch.chdir(folder)
    calls = 0

    def count(_frame: Any, event: str, _argument: Any) -> None:
        nonlocal calls
        calls += event == "call"

    held = sys.getprofile()
    sys.setprofile(count)
    try:
        status = main([".", "--no-cache", "--isolated", "--exit-zero", "--quiet", "--jobs", "1"])
    finally:
        sys.setprofile(held)
    assert status == 0
    return calls


@pytest.mark.parametrize("kind", KINDS)
def test_the_work_for_a_program_grows_with_its_size(kind: str, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr("tfnanlint.run.single.SECONDS", 1e6)  # counting takes time
    small, large = (KINDS[kind](count) for count in SIZES.get(kind, USUAL))
    calls_for(KINDS[kind](3), tmp_path / "first", monkeypatch)  # imports and compiles what the others need
    few, many = (calls_for(files, tmp_path / str(len(str(files))), monkeypatch) for files in (small, large))
    assert many / few < (size_of(large) / size_of(small)) ** STEEPEST
