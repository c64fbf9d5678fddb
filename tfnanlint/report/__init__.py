"""What a run says, in the format it was asked for.

A format is a module of this package with one function, `render(report)`, which yields text; it is known by its line in
`FORMATS` and imported only when it is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import import_module
from typing import TYPE_CHECKING

from tfnanlint.edits import split_lines
from tfnanlint.errors import TfnanlintError
from tfnanlint.finding import Finding

if TYPE_CHECKING:
    from tfnanlint.report.about import About
    from tfnanlint.rounds import Problem

FORMATS = {
    "text": "with the code, the evidence and the repair, for people",
    "concise": "one line a finding",
    "json": "one array, one object a finding",
    "sarif": "SARIF 2.1.0, for code scanning",
    "github": "annotations of GitHub Actions",
    "gitlab": "a code quality report of GitLab",
    "junit": "test results in XML",
}


@dataclass(frozen=True)
class Report:
    """What a format may show: findings in order, what ignore comments silenced, and the lines of the files.

    `texts` are texts that stand for what is on disk, `folders` those of rules that are not built in, `problems` is
    what went wrong with the run itself, `files` how many were looked at, and `width` that of the terminal, if any.
    """

    findings: Sequence[Finding]
    silenced: Sequence[Finding] = ()
    color: bool = False
    texts: Mapping[str, str] = field(default_factory=dict)
    problems: Sequence[Problem] = ()
    folders: tuple[str, ...] = ()
    files: int = 0
    width: int | None = None
    _on_disk: Callable[[str], list[str]] = field(default_factory=lambda: lru_cache(maxsize=4)(_lines_on_disk))
    _cells: dict[str, dict[int, list[str]]] = field(default_factory=dict)

    def line(self, path: str, number: int, cell: int | None = None) -> str | None:
        """A line of a file, or of a notebook's cell, without its end; None if it cannot be read (any more)."""
        if cell is not None:
            lines = self._in_cells(path).get(cell, [])
        else:
            lines = split_lines(self.texts[path]) if path in self.texts else self._on_disk(path)
        return lines[number - 1] if 0 < number <= len(lines) else None

    def about(self, rule: str) -> About | None:
        """What there is to say of a rule; None for one that is not known."""
        from tfnanlint.report.about import about

        return about(rule, self.folders)

    def _in_cells(self, path: str) -> dict[int, list[str]]:
        """The lines of a notebook's code cells, of the one that was asked for last."""
        if path not in self._cells:
            from tfnanlint.notebook import cell_lines

            self._cells.clear()
            self._cells[path] = cell_lines(path, self.texts.get(path))
        return self._cells[path]


def render(name: str, report: Report) -> Iterator[str]:
    """The report in one of `FORMATS`, in pieces."""
    pieces: Iterator[str] = import_module(f"tfnanlint.report.{name}").render(report)
    return pieces


def _lines_on_disk(path: str) -> list[str]:
    from tfnanlint.files import read

    try:
        return split_lines(read(path).text)
    except TfnanlintError:
        return []
