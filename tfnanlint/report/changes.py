"""A repair as the lines it takes out and puts in."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from tfnanlint.edits import apply_edits, split_lines
from tfnanlint.finding import Fix
from tfnanlint.report import Report


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
    from difflib import SequenceMatcher

    top = next((i for i, (a, b) in enumerate(zip(before, after, strict=False)) if a != b), 0)
    shortest = min(len(before), len(after)) - top
    bottom = next((i for i in range(shortest) if before[-1 - i] != after[-1 - i]), shortest)
    old, new = before[top : len(before) - bottom], after[top : len(after) - bottom]
    last = None
    for tag, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "equal":
            continue
        if last is not None and a > last:
            yield Change("", top + last + 1, "")
        yield from (Change("-", top + n + 1, old[n]) for n in range(a, b))
        yield from (Change("+", top + a + 1, new[n]) for n in range(c, d))
        last = b
