"""A fix as the lines it removes and adds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from tfnanlint.finding import Fix
from tfnanlint.report import Report
from tfnanlint.run.edits import apply_edits, differences, split_lines


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
        yield from (Change("-", n + 1, before[n]) for n in range(a, b))
        yield from (Change("+", a + 1, after[n]) for n in range(c, d))
        last = b
