"""Ignore comments for all that is found in a text, so that a program that is old and long can be held to the rules.

A comment goes where Python has the end of a line: on the first line of an expression, else on its last; where both
end inside a string or are joined to the next, on the last line of what it stands in.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from tfnanlint.finding import Edit, Finding
from tfnanlint.run.edits import apply_edits, split_lines
from tfnanlint.suppress.layout import layout_of
from tfnanlint.suppress.meta import META
from tfnanlint.suppress.pragma import Pragma, find_pragmas


def with_ignores(text: str, path: str, findings: Iterable[Finding]) -> str:
    """The text with a comment for every finding; `SourceError` if it is not Python."""
    wanted: dict[int, set[str]] = {}
    lines = split_lines(text)
    layout = layout_of(text, path)
    for found in findings:
        if found.rule in META:
            continue
        around = (last for first, last in layout.spans if first <= found.line and found.end_line <= last)
        line = next((line for line in (found.line, found.end_line, *around) if line in layout.ends), None)
        if line is not None:
            wanted.setdefault(line, set()).add(found.rule)
    held = {pragma.line: pragma for pragma in find_pragmas(text, path) if _can_take(pragma)}
    edits = [_on_line(lines, line, names, held) for line, names in wanted.items()]
    return apply_edits(text, [Edit("", *place, new) for place, new in edits])


Change = tuple[tuple[int, int, int, int], str]


def _can_take(pragma: Pragma) -> bool:
    return pragma.word == "ignore" and bool(pragma.names) and not pragma.trouble


def _on_line(lines: Sequence[str], line: int, names: set[str], held: Mapping[int, Pragma]) -> Change:
    """The edit that has a line ignore rules: names for the comment that is there, or a new comment."""
    pragma = held.get(line)
    if pragma is None:
        end = len(lines[line - 1].rstrip()) + 1
        return (line, end, line, end), f"  # tfnanlint: ignore[{', '.join(sorted(names))}]"
    place = lines[line - 1].index("]", pragma.column - 1) + 1
    new = ", ".join(sorted(names.difference(pragma.names or ())))
    return (line, place, line, place), f", {new}"
