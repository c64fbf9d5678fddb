"""The output formats.

A format is a module of this package with one function, `render(report)`, which yields text. It has a line in `FORMATS`
and is imported on demand.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache, partial
from importlib import import_module
from typing import TYPE_CHECKING

from tfnanlint.errors import TfnanlintError
from tfnanlint.vocabulary import FIX_CHANGES, FIX_WORDS, FORMATS

__all__ = ["FORMATS", "Report", "render"]

if TYPE_CHECKING:
    from tfnanlint.finding import Finding
    from tfnanlint.report.about import About
    from tfnanlint.run.problem import Problem


class Report:
    """What a format may show: findings in order, what ignore comments silenced, and the lines of the files.

    `texts` are texts that stand for what is on disk, `folders` those of rules that are not built in, `problems` is
    what went wrong with the run itself, `files` how many were looked at, `width` that of the terminal, if any, and
    `unsafe` the files in which `--fix` by itself makes repairs that change training.
    """

    def __init__(
        self,
        findings: Sequence[Finding],
        silenced: Sequence[Finding] = (),
        color: bool = False,
        texts: Mapping[str, str] | None = None,
        problems: Sequence[Problem] = (),
        folders: tuple[str, ...] = (),
        files: int = 0,
        width: int | None = None,
        unsafe: Collection[str] = (),
    ) -> None:
        self.findings, self.silenced = findings, silenced
        self.color, self.width = color, width
        self.problems, self.folders, self.files = problems, folders, files
        self.unsafe = unsafe
        texts = texts or {}
        cells = lru_cache(maxsize=2)(partial(_cells, texts))
        self._in_file = lru_cache(maxsize=2)(partial(_in_file, texts))
        self._kept = lru_cache(maxsize=8)(partial(_text_and_lines, texts, cells))

    def text(self, path: str, cell: int | None = None) -> str | None:
        """The text of a file, or of a notebook's cell; None if it cannot be read (any more)."""
        return self._kept(path, cell)[0]

    def lines(self, path: str, cell: int | None = None) -> list[str]:
        """The lines of a file, or of a notebook's cell, without their ends; none if it cannot be read (any more)."""
        return self._kept(path, cell)[1]

    def line(self, path: str, number: int, cell: int | None = None) -> str | None:
        """A line of a file, or of a notebook's cell, without its end; None if it cannot be read (any more)."""
        lines = self.lines(path, cell)
        return lines[number - 1] if 0 < number <= len(lines) else None

    def file_line(self, path: str, number: int, cell: int | None) -> int:
        """The line of the file that holds a line of it, or of a notebook's cell; 1 where that cannot be told."""
        if cell is None:
            return number
        lines = self._in_file(path).get(cell, [])
        return lines[min(number, len(lines)) - 1] if lines else 1

    def fix_words(self, finding: Finding) -> str:
        """What the repair of a finding is called: what it changes, and what option it needs beside `--fix`."""
        if finding.fix is None:
            return ""
        return (FIX_CHANGES if finding.path in self.unsafe else FIX_WORDS)[finding.fix.kind]

    def rivals(self, finding: Finding) -> list[Finding]:
        """The other findings whose repairs change the same code: one of them can be made, and then the rest goes."""
        return self._rivals.get(id(finding), [])

    @cached_property
    def _rivals(self) -> dict[int, list[Finding]]:
        places: dict[tuple[str, int | None], list[tuple[tuple[int, int], tuple[int, int], Finding]]] = {}
        for found in self.findings:
            for edit in found.fix.edits if found.fix else ():
                if edit.text or (edit.line, edit.column) != (edit.end_line, edit.end_column):
                    span = (edit.line, edit.column), (edit.end_line, edit.end_column), found
                    places.setdefault((edit.path, edit.cell), []).append(span)
        rivals: dict[int, list[Finding]] = {}
        for spans in places.values():
            spans.sort(key=lambda span: span[:2])
            for place, (_, end, found) in enumerate(spans):
                for start, _, other in spans[place + 1 :]:
                    if start >= end:
                        break
                    if other is not found and other.fix != found.fix and not _apart(found, other):
                        for one, its in ((found, other), (other, found)):
                            held = rivals.setdefault(id(one), [])
                            if its not in held:
                                held.append(its)
        return rivals

    def about(self, rule: str) -> About | None:
        """What there is to say of a rule; None for one that is not known."""
        from tfnanlint.report.about import about

        return about(rule, self.folders)


def _apart(one: Finding, other: Finding) -> bool:
    """Whether two findings are about separate expressions of a line: their repairs touch where it is broken anew."""
    first, second = sorted((one, other), key=lambda found: found.position)
    return one.line == other.line and (first.end_line, first.end_column) <= (second.line, second.column)


def render(name: str, report: Report) -> Iterator[str]:
    """The report in one of `FORMATS`, in pieces."""
    pieces: Iterator[str] = import_module(f"tfnanlint.report.{name.replace('-', '_')}").render(report)
    return pieces


def _text_and_lines(
    texts: Mapping[str, str], cells: Callable[[str], dict[int, list[str]]], path: str, cell: int | None
) -> tuple[str | None, list[str]]:
    from tfnanlint.run.edits import split_lines
    from tfnanlint.run.files import read

    if cell is not None:
        lines = cells(path).get(cell)
        return (None, []) if lines is None else ("\n".join(lines), lines)
    try:
        text = texts[path] if path in texts else read(path).text
    except TfnanlintError:
        return None, []
    return text, split_lines(text)


def _in_file(texts: Mapping[str, str], path: str) -> dict[int, list[int]]:
    from tfnanlint.notebook import lines_in_file

    return lines_in_file(path, texts.get(path))


def _cells(texts: Mapping[str, str], path: str) -> dict[int, list[str]]:
    """The lines of a notebook's code cells."""
    from tfnanlint.notebook import cell_lines

    return cell_lines(path, texts.get(path))
