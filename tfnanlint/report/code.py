"""Lines of Python as colored HTML, with a part of them marked."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache, partial
from html import escape
from itertools import pairwise

from tfnanlint.report import Report

Part = tuple[str, int | None]
"""A file, or a cell of a notebook."""
Piece = tuple[str, str]
"""A class of the style sheet, and the text that has it."""
_CLASSES = (
    ("Comment", "c"),
    ("Literal.String", "s"),
    ("Literal.Number", "m"),
    ("Keyword.Constant", "m"),
    ("Keyword", "k"),
    ("Operator.Word", "k"),
    ("Name.Builtin", "b"),
    ("Name.Function", "f"),
    ("Name.Class", "f"),
    ("Name.Decorator", "f"),
)


class Code:
    """The coloured lines of the files of a report."""

    def __init__(self, report: Report) -> None:
        self._pieces = lru_cache(maxsize=8)(partial(_lexed, report))

    def line(self, place: Part, number: int, start: int = 0, end: int = 0) -> str:
        """A line's HTML, its characters from `start` up to `end` (from 0) marked."""
        lines = self._pieces(*place)
        pieces = lines[number - 1] if 0 < number <= len(lines) else []
        return "".join(_marked(pieces, start, end))


def _lexed(report: Report, path: str, cell: int | None) -> list[list[Piece]]:
    """The pieces of each line of a file, or of a notebook's cell."""
    from pygments.lexers.python import PythonLexer

    text = report.text(path, cell)
    if text is None:
        return []
    lines: list[list[Piece]] = [[]]
    for token, value in PythonLexer(stripnl=False, ensurenl=False).get_tokens(text):
        name = str(token).removeprefix("Token.")
        css = next((css for prefix, css in _CLASSES if name.startswith(prefix)), "")
        first, *rest = value.split("\n")
        lines[-1].append((css, first))
        lines += [[(css, part)] for part in rest]
    plain = report.lines(path, cell)
    agree = len(lines) == len(plain) and all(
        "".join(part for _, part in pieces) == line for pieces, line in zip(lines, plain, strict=True)
    )
    return lines if agree else [[("", line)] for line in plain]


def _marked(pieces: list[Piece], start: int, end: int) -> Iterator[str]:
    at = 0
    open_mark = False
    for css, text in pieces:
        for place, part in _split(text, start - at, end - at):
            inside = start <= at + place < end
            if inside != open_mark:
                yield "<mark>" if inside else "</mark>"
                open_mark = inside
            yield f'<span class="{css}">{escape(part)}</span>' if css else escape(part)
        at += len(text)
    if open_mark:
        yield "</mark>"


def _split(text: str, start: int, end: int) -> Iterator[tuple[int, str]]:
    """The text in up to three parts, each with its place: before, within and after a stretch."""
    cuts = sorted({0, len(text), *(cut for cut in (start, end) if 0 < cut < len(text))})
    yield from ((a, text[a:b]) for a, b in pairwise(cuts))
