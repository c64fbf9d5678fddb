"""A fix as the lines it removes and adds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import takewhile
from typing import NamedTuple

from tfnanlint.finding import Edit, Fix
from tfnanlint.report import Report
from tfnanlint.run.edits import apply_edits, differences, split_lines

WIDEST = 600
"""Characters up to which a line is shown whole: the many findings of one long line would each repeat all of it."""
AROUND = 200
"""Characters on both sides of what matters in a line that is not shown whole."""


class Change(NamedTuple):
    """A line of a repair: `sign` is "-" or "+", or "" for what lies between two places; `number` is the old line's."""

    sign: str
    number: int
    text: str


def changes(report: Report, fix: Fix) -> dict[tuple[str, int | None], list[Change]]:
    """The lines that a repair changes in each file, or cell; empty where one no longer is what it was made for."""
    found: dict[tuple[str, int | None], list[Change]] = {}
    for part in dict.fromkeys((edit.path, edit.cell) for edit in fix.edits):
        lines = report.lines(*part)
        try:
            stretches = [_changed(lines, near) for near in _stretches(fix.edits, part)]
        except ValueError:
            return {}
        listed: list[Change] = []
        for stretch in stretches:
            if listed and stretch and stretch[0].number > listed[-1].number + 1:
                listed.append(Change("", listed[-1].number + 1, ""))
            listed += stretch
        found[part] = listed
    return found


def _stretches(edits: Sequence[Edit], part: tuple[str, int | None]) -> list[list[Edit]]:
    """The edits of a file or a cell, those of neighbouring lines together."""
    found: list[list[Edit]] = []
    for edit in sorted(
        (one for one in edits if (one.path, one.cell) == part), key=lambda one: (one.line, one.column, one.end_line)
    ):
        if found and edit.line <= found[-1][-1].end_line + 1:
            found[-1].append(edit)
        else:
            found.append([edit])
    return found


def _changed(lines: Sequence[str], edits: Sequence[Edit]) -> list[Change]:
    """The lines that edits of neighbouring lines change; `ValueError` where they do not fit."""
    first, last = edits[0].line, max(edit.end_line for edit in edits)
    if not 1 <= first <= last <= len(lines):
        raise ValueError(f"lines {first} to {last} are outside a text of {len(lines)} lines")
    before = lines[first - 1 : last]
    moved = [replace(one, line=one.line - first + 1, end_line=one.end_line - first + 1) for one in edits]
    after = apply_edits("\n".join(before), moved)
    return [change._replace(number=change.number + first - 1) for change in _lines(before, split_lines(after))]


def _lines(before: Sequence[str], after: Sequence[str]) -> Iterator[Change]:
    last = None
    for a, b, c, d in differences(before, after):
        if last is not None and a > last:
            yield Change("", last + 1, "")
        old, new = list(before[a:b]), list(after[c:d])
        if any(len(line) > WIDEST for line in (*old, *new)):
            old, new = _shortened(old, new)
        yield from (Change("-", a + 1 + n, line) for n, line in enumerate(old))
        yield from (Change("+", a + 1, line) for line in new)
        last = b


def window(length: int, start: int, end: int) -> tuple[int, int]:
    """The stretch that is shown of a line of some length in which what matters stands from `start` to `end`."""
    return (0, length) if length <= WIDEST else (max(start - AROUND, 0), min(end + AROUND, length))


def _shortened(old: list[str], new: list[str]) -> tuple[list[str], list[str]]:
    """The lines before and after, each cut to what differs and some of what stands around it."""
    if len(old) != len(new):
        return [_cut(line, 0, 0) for line in old], [_cut(line, 0, 0) for line in new]
    cut = [_cut_alike(*pair) for pair in zip(old, new, strict=True)]
    return [before for before, _ in cut], [after for _, after in cut]


def _cut_alike(old: str, new: str) -> tuple[str, str]:
    """Two lines cut to what differs between them and some of what stands around it."""
    start = _alike(old, new)
    behind = _alike(old[start:][::-1], new[start:][::-1])
    return _cut(old, start, len(old) - behind), _cut(new, start, len(new) - behind)


def _alike(one: str, other: str) -> int:
    """How many first characters two texts share."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def _cut(line: str, start: int, end: int) -> str:
    """A line cut to a stretch and some of what stands around it."""
    first, last = window(len(line), start, end)
    return f"{'…' if first else ''}{line[first:last]}{'…' if last < len(line) else ''}"
