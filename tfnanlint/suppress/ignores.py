"""Ignore comments for all that is found in a text, so that a program that is old and long can be held to the rules.

A comment goes where Python has the end of a line: on the first line of an expression, else on its last; where both
end inside a string or are joined to the next, around the whole statement.
"""

from __future__ import annotations

import tokenize
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from tfnanlint.finding import Edit, Finding
from tfnanlint.run.edits import apply_edits, split_lines
from tfnanlint.suppress.pragma import META, Pragma, find_pragmas, tokens


@dataclass
class _Layout:
    """The lines of a text that may end in a comment, each with the column for it, and the lines of each statement."""

    ends: dict[int, int] = field(default_factory=dict)
    statements: list[tuple[int, int]] = field(default_factory=list)

    def statement(self, finding: Finding) -> tuple[int, int]:
        """The first and the last line of the statements that a finding stands in."""
        over = [s for s in self.statements if s[0] <= finding.end_line and s[1] >= finding.line]
        return (over[0][0], over[-1][1]) if over else (finding.line, finding.end_line)


def with_ignores(text: str, path: str, findings: Iterable[Finding]) -> str:
    """The text with a comment for every finding; `SourceError` if it is not Python."""
    wanted: dict[int, set[str]] = {}
    around: dict[tuple[int, int], set[str]] = {}
    lines = split_lines(text)
    layout = _layout(text, path, lines)
    for found in findings:
        if found.rule in META:
            continue
        line = next((line for line in (found.line, found.end_line) if line in layout.ends), None)
        if line is not None:
            wanted.setdefault(line, set()).add(found.rule)
        else:
            around.setdefault(layout.statement(found), set()).add(found.rule)
    held = {pragma.line: pragma for pragma in find_pragmas(text, path) if _can_take(pragma)}
    edits = [_on_line(lines, line, names, held, layout.ends) for line, names in wanted.items()]
    for (first, last), names in _joined(around).items():
        edits += _around(text, lines, first, last, names)
    return apply_edits(text, [Edit("", *place, new) for place, new in edits])


Change = tuple[tuple[int, int, int, int], str]


def _can_take(pragma: Pragma) -> bool:
    return pragma.word == "ignore" and bool(pragma.names) and not pragma.trouble


def _on_line(
    lines: Sequence[str], line: int, names: set[str], held: Mapping[int, Pragma], ends: Mapping[int, int]
) -> Change:
    """The edit that has a line ignore rules: names for the comment that is there, or a new comment."""
    pragma = held.get(line)
    if pragma is None:
        end = ends[line]
        return (line, end, line, end), f"  # tfnanlint: ignore[{', '.join(sorted(names))}]"
    place = lines[line - 1].index("]", pragma.column - 1) + 1
    new = ", ".join(sorted(names.difference(pragma.names or ())))
    return (line, place, line, place), f", {new}"


def _around(text: str, lines: Sequence[str], first: int, last: int, names: set[str]) -> list[Change]:
    """The edits that put a block around lines."""
    newline = "\r\n" if "\r\n" in text else "\r" if "\r" in text and "\n" not in text else "\n"
    code = lines[first - 1]
    indent = code[: len(code) - len(code.lstrip())]
    listed = f"[{', '.join(sorted(names))}]"
    opening = (first, 1, first, 1), f"{indent}# tfnanlint: off{listed}{newline}"
    on = f"{indent}# tfnanlint: on{listed}"
    if last < len(lines):
        return [opening, ((last + 1, 1, last + 1, 1), on + newline)]
    end = len(lines[-1]) + 1
    return [opening, ((last, end, last, end), newline + on)]


def _joined(around: Mapping[tuple[int, int], set[str]]) -> dict[tuple[int, int], set[str]]:
    """Blocks that overlap, as one."""
    joined: dict[tuple[int, int], set[str]] = {}
    for (first, last), names in sorted(around.items()):
        held = next(((a, b) for a, b in joined if a <= last and first <= b), None)
        if held is None:
            joined[first, last] = set(names)
        else:
            joined[held[0], max(held[1], last)] = joined.pop(held) | names
    return joined


def _layout(text: str, path: str, lines: Sequence[str]) -> _Layout:
    """The layout of a text."""
    layout = _Layout()
    first: int | None = None
    nothing = (tokenize.NL, tokenize.COMMENT, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER, tokenize.ENCODING)
    for token in tokens(text, path):
        if token.type in (tokenize.NEWLINE, tokenize.NL):
            line, column = token.start
            layout.ends.setdefault(line, len(lines[line - 1][:column].rstrip()) + 1)
        if token.type == tokenize.NEWLINE and first is not None:
            layout.statements.append((first, token.start[0]))
            first = None
        elif first is None and token.type not in (tokenize.NEWLINE, *nothing):
            first = token.start[0]
    return layout
