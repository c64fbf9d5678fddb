"""The command line as tests run it: in this process, with what it says at hand."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tfnanlint import cli


class Shell:
    """Runs the command line; `always` are arguments that every call has."""

    def __init__(self, captured: pytest.CaptureFixture[str], *always: str) -> None:
        self._captured, self._always = captured, always
        self.out = self.err = ""

    def __call__(self, *arguments: str) -> int:
        try:
            status = cli.main([*arguments, *self._always])
        except SystemExit as ended:
            status = int(ended.code or 0)
        self.out, self.err = self._captured.readouterr()
        return status

    def findings(self, *arguments: str) -> list[dict[str, Any]]:
        """What the JSON report holds."""
        self(*arguments, "--output-format", "json", "--quiet")
        found: list[dict[str, Any]] = json.loads(self.out)
        return found

    def places(self, *arguments: str) -> list[tuple[str, int]]:
        """The file and line of each finding."""
        return [(found["path"], found["line"]) for found in self.findings(*arguments)]
