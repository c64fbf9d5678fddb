"""Conversion between the client's positions and those of this package.

The protocol counts lines and characters from 0, in UTF-16 unless client and server agree otherwise. This package counts
both from 1, in Unicode characters.
"""

from __future__ import annotations

from lsprotocol import types

from tfnanlint.finding import Edit
from tfnanlint.run.edits import apply_edits, split_lines

Encoding = types.PositionEncodingKind | str | None
Change = types.TextDocumentContentChangeEvent


def units(text: str, encoding: Encoding) -> int:
    """How many of the client's units a text is long."""
    if encoding == types.PositionEncodingKind.Utf32:
        return len(text)
    if encoding == types.PositionEncodingKind.Utf8:
        return len(text.encode("utf-8", "surrogatepass"))
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def client_position(code: str, line: int, column: int, encoding: Encoding) -> types.Position:
    """The client's position for a column of a line, which holds this code."""
    return types.Position(line - 1, units(code[: column - 1], encoding))


def own_position(text: str, position: types.Position, encoding: Encoding) -> tuple[int, int]:
    """The line and column of a client's position; of one behind the end, those of the end."""
    lines = split_lines(text)
    if position.line >= len(lines):
        return len(lines), len(lines[-1]) + 1
    column, left = 1, position.character
    for character in lines[position.line]:
        left -= units(character, encoding)
        if left < 0:
            break
        column += 1
    return position.line + 1, column


def changed(text: str, change: Change, encoding: Encoding) -> str:
    """A text after a change of a part or the whole of it."""
    if not isinstance(change, types.TextDocumentContentChangePartial):
        return change.text
    start = own_position(text, change.range.start, encoding)
    end = own_position(text, change.range.end, encoding)
    return apply_edits(text, [Edit("", *start, *end, change.text)])
