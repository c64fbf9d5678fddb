"""Lines of Python as colored HTML, with a part of them marked."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache, partial
from html import escape
from itertools import accumulate, pairwise

from tfnanlint.report import Report
from tfnanlint.report.changes import window

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
        """A line's HTML, its characters from `start` up to `end` (from 0) marked; of a long line what is near them."""
        lines = self._pieces(*place)
        if not 0 < number <= len(lines):
            return ""
        pieces = lines[number - 1]
        length = sum(len(text) for _, text in pieces)
        first, last = window(length, start, end)
        if (first, last) == (0, length):
            return "".join(_marked(pieces, start, end))
        near = "".join(_marked(_between(pieces, first, last), start - first, end - first))
        return f"{'…' if first else ''}{near}{'…' if last < length else ''}"


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


def _between(pieces: list[Piece], first: int, last: int) -> list[Piece]:
    """The pieces of a line between two places in it."""
    ends = accumulate(len(text) for _, text in pieces)
    placed = ((css, text, end - len(text)) for (css, text), end in zip(pieces, ends, strict=True))
    return [
        (css, text[max(first - at, 0) : last - at]) for css, text, at in placed if at < last and at + len(text) > first
    ]


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
