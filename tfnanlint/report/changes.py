"""A fix as the lines it removes and adds."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import takewhile
from typing import NamedTuple

from tfnanlint.finding import Fix
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
        before = report.text(*part)
        if before is None:
            return {}
        try:
            after = apply_edits(before, [edit for edit in fix.edits if (edit.path, edit.cell) == part])
        except ValueError:
            return {}
        found[part] = list(_lines(split_lines(before), split_lines(after)))
    return found


def _lines(before: list[str], after: list[str]) -> Iterator[Change]:
    last = None
    for a, b, c, d in differences(before, after):
        if last is not None and a > last:
            yield Change("", last + 1, "")
        old, new = before[a:b], after[c:d]
        if any(len(line) > WIDEST for line in (*old, *new)):
            old, new = _shortened(old, new)
        yield from (Change("-", a + 1 + n, line) for n, line in enumerate(old))
        yield from (Change("+", a + 1, line) for line in new)
        last = b


def shown(length: int, start: int, end: int) -> tuple[int, int]:
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
    first, last = shown(len(line), start, end)
    return f"{'…' if first else ''}{line[first:last]}{'…' if last < len(line) else ''}"
