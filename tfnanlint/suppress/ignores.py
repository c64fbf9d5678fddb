"""Ignore comments for all findings in a text, to adopt the linter in an existing codebase.

A comment goes to the end of the first line of an expression, or else of its last line. If both lines end inside a
string or are joined to the next, it goes to the last line of the enclosing statement. If that makes the line too long,
the comment goes on a line of its own above the expression.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from tfnanlint.finding import Edit, Finding
from tfnanlint.run.edits import apply_edits, split_lines
from tfnanlint.suppress.layout import Layout, layout_of
from tfnanlint.suppress.meta import META
from tfnanlint.suppress.pragma import Pragma, find_pragmas

LONGEST = 120
"""How long a line with a comment may become where nothing is configured."""


def with_ignores(text: str, path: str, findings: Iterable[Finding], longest: int = 0) -> str:
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
    longest = longest or LONGEST
    newline = "\r\n" if "\r\n" in text else "\n"
    edits = [_on_line(lines, line, names, held, layout, longest, newline) for line, names in wanted.items()]
    return apply_edits(text, [Edit("", *place, new) for place, new in edits])


Change = tuple[tuple[int, int, int, int], str]


def _can_take(pragma: Pragma) -> bool:
    return pragma.word == "ignore" and bool(pragma.names) and not pragma.trouble


def _on_line(
    lines: Sequence[str],
    line: int,
    names: set[str],
    held: Mapping[int, Pragma],
    layout: Layout,
    longest: int,
    newline: str,
) -> Change:
    """The edit that has a line ignore rules: names for the comment that is there, or a new comment."""
    pragma = held.get(line)
    if pragma is None:
        code = lines[line - 1].rstrip()
        comment = f"# tfnanlint: ignore[{', '.join(sorted(names))}]"
        if len(code) + 2 + len(comment) > longest and _may_stand_above(line, layout):
            indent = code[: len(code) - len(code.lstrip())]
            return (line, 1, line, 1), f"{indent}{comment}{newline}"
        return (line, len(code) + 1, line, len(code) + 1), f"  {comment}"
    place = lines[line - 1].index("]", pragma.column - 1) + 1
    new = ", ".join(sorted(names.difference(pragma.names or ())))
    return (line, place, line, place), f", {new}"


def _may_stand_above(line: int, layout: Layout) -> bool:
    """Whether a comment above a line speaks for all that one behind it would: nothing but code opens there."""
    begins = any(span[0] == line for span in layout.spans)
    ends = any(first < line == last for first, last in layout.spans)
    return begins and not ends and (line == 1 or line - 1 in layout.ends)
