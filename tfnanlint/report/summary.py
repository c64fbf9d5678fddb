"""The closing lines of a run, and the table of `--statistics`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING, Literal

from tfnanlint.vocabulary import SEVERITIES

if TYPE_CHECKING:
    from tfnanlint.finding import Finding

Ending = Literal["found", "left", "none"]
"""What a run tells of its findings: how many it found, how many are left, or nothing, as they are written down."""


def closing_lines(
    findings: Sequence[Finding],
    fixed: Sequence[Finding],
    files: int,
    failed: int,
    repaired: bool = False,
    unsafe: Collection[str] = (),
    written: bool = True,
    unit: str = "file",
    ending: Ending = "found",
) -> Iterator[str]:
    """How many findings were fixed (or would be), how many are left, and how many units were checked.

    `ending` says what is told of the findings, and `repaired` that the run has made repairs. In the files
    `unsafe`, `--fix` alone makes those that change training.
    """
    if fixed:
        verb = "Fixed" if written else "Would fix"
        yield f"{verb} {_problems(len(fixed))} in {_files(len({found.path for found in fixed}))}."
    checked = files - failed
    coverage = f"{_count(checked, unit)} checked"
    if failed:
        coverage += f", {failed} failed"
    done = bool(fixed) or ending == "left"
    left = "left" if written else "would be left"
    if findings:
        where = _files(len({found.path for found in findings}))
        graded = f"{_problems(len(findings))} ({_severities(findings)})"
        found = f"{graded} {left}" if done else f"Found {graded}"
        yield f"{found} in {where}{_fixable(findings, repaired, unsafe)}; {coverage}."
    elif ending == "none" or not (checked or done):
        yield f"{coverage}."
    else:
        yield f"No problems {left if done else 'found'}; {coverage}."


def statistics(findings: Sequence[Finding]) -> Iterator[str]:
    """A line for each rule that found something, the busiest first."""
    counts = Counter(found.rule for found in findings)
    fixable = Counter(found.rule for found in findings if found.fix)
    width = max(map(len, counts), default=0)
    for rule, count in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
        yield f"{count:>5}  {rule:<{width}}  ({fixable[rule]} with a fix)"


def _fixable(findings: Sequence[Finding], repaired: bool, unsafe: Collection[str]) -> str:
    """How many of the problems `--fix` would repair; after a run with `--fix`, only what it left on purpose."""
    made = [found.fix.safe or found.path in unsafe for found in findings if found.fix]
    plain, more = 0 if repaired else made.count(True), made.count(False)
    if plain and more:
        return f" ({plain} fixable with --fix, {more} more with --fix --unsafe-fixes)"
    if plain:
        return f" ({plain} fixable with --fix)"
    return f" ({more} fixable with --fix --unsafe-fixes)" if more else ""


def _severities(findings: Sequence[Finding]) -> str:
    """How many findings there are of each severity, the gravest first."""
    counts = Counter(found.severity for found in findings)
    return ", ".join(
        f"{counts[severity]} info" if severity == "info" else _count(counts[severity], severity)
        for severity in SEVERITIES
        if counts[severity]
    )


def _problems(count: int) -> str:
    return _count(count, "problem")


def _files(count: int) -> str:
    return _count(count, "file")


def _count(count: int, unit: str) -> str:
    return f"{count} {unit}" + ("" if count == 1 else "s")
