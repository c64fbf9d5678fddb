"""The token layout of a text: where comments are and may go, and what opens and closes on each line."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from tfnanlint.errors import SourceError

if TYPE_CHECKING:
    from tokenize import TokenInfo

Span = tuple[int, int]
"""The first and the last line of something."""


@dataclass
class Layout:
    """The lines of a text.

    `comments` are (line, column, text), `ends` the lines that may end in a comment, and `spans` the lines of every
    statement and of every pair of brackets, each before those that it stands in. `code` are the lines on which
    something else than a comment begins or ends, in order.
    """

    comments: list[tuple[int, int, str]] = field(default_factory=list)
    code: list[int] = field(default_factory=list)
    ends: set[int] = field(default_factory=set)
    spans: list[Span] = field(default_factory=list)

    @cached_property
    def _at(self) -> dict[int, list[Span]]:
        """The spans that begin or end on each line."""
        found: dict[int, list[Span]] = {}
        for span in self.spans:
            for line in {*span}:
                found.setdefault(line, []).append(span)
        return found

    def is_code(self, line: int) -> bool:
        """Whether something else than a comment begins or ends on a line."""
        place = bisect_left(self.code, line)
        return place < len(self.code) and self.code[place] == line

    def reach(self, line: int) -> list[Span]:
        """The lines that a comment after code covers: its line, and everything that opens or closes on it."""
        return [(line, line), *self._at.get(line, ())]

    def below(self, line: int) -> list[Span]:
        """The lines that a comment alone on its line covers: the next line of code, and everything that opens on it."""
        place = bisect_right(self.code, line)
        if place == len(self.code):
            return []
        first = self.code[place]
        return [(first, first), *(span for span in self._at.get(first, ()) if span[0] == first)]


def layout_of(text: str, path: str) -> Layout:
    """The layout of a text; `SourceError` where it has no tokens of Python."""
    from tokenize import COMMENT, DEDENT, ENDMARKER, INDENT, NEWLINE, NL, OP

    layout = Layout()
    opened: list[int] = []
    statement: int | None = None
    for token in _tokens(text, path):
        line = token.start[0]
        if token.type == COMMENT:
            layout.comments.append((line, token.start[1] + 1, token.string))
        elif token.type in (NEWLINE, NL):
            layout.ends.add(line)
            if token.type == NEWLINE and statement is not None:
                layout.spans.append((statement, line))
                statement = None
        elif token.type not in (INDENT, DEDENT, ENDMARKER):
            statement = statement or line
            layout.code += [at for at in dict.fromkeys((line, token.end[0])) if layout.code[-1:] != [at]]
            if token.type == OP and token.string in "([{":
                opened.append(line)
            elif token.type == OP and token.string in ")]}" and opened:
                layout.spans.append((opened.pop(), line))
    return layout


def _tokens(text: str, path: str) -> Iterator[TokenInfo]:
    import io
    import tokenize

    # Python reads every line end as a line feed before it looks for tokens.
    lines = io.StringIO(text, newline=None)
    try:
        yield from tokenize.generate_tokens(lines.readline)
    except tokenize.TokenError as error:
        line, column = error.args[1]
        raise SourceError(path, max(line, 1), max(column, 0) + 1, str(error.args[0])) from None
    except SyntaxError as error:
        raise SourceError(path, error.lineno or 1, error.offset or 1, error.msg) from None
