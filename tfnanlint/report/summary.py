"""The closing lines of a run, and the table of `--statistics`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from tfnanlint.vocabulary import SEVERITIES

if TYPE_CHECKING:
    from tfnanlint.finding import Finding


def closing_lines(
    findings: Sequence[Finding],
    fixed: Sequence[Finding],
    files: int,
    failed: int,
    mode: str = "none",
    written: bool = True,
    unit: str = "file",
) -> Iterator[str]:
    """How many findings were fixed (or would be), how many are left, and how many units were checked."""
    if fixed:
        verb = "Fixed" if written else "Would fix"
        yield f"{verb} {_problems(len(fixed))} in {_files(len({found.path for found in fixed}))}."
    checked = files - failed
    coverage = f"{_count(checked, unit)} checked"
    if failed:
        coverage += f", {failed} failed"
    if findings:
        where = _files(len({found.path for found in findings}))
        graded = f"{_problems(len(findings))} ({_severities(findings)})"
        found = f"{graded} left" if fixed else f"Found {graded}"
        yield f"{found} in {where}{_fixable(findings, mode)}; {coverage}."
    elif not checked and not fixed:
        yield f"{coverage}."
    else:
        yield f"No problems {'left' if fixed else 'found'}; {coverage}."


def statistics(findings: Sequence[Finding]) -> Iterator[str]:
    """A line for each rule that found something, the busiest first."""
    counts = Counter(found.rule for found in findings)
    fixable = Counter(found.rule for found in findings if found.fix)
    width = max(map(len, counts), default=0)
    for rule, count in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
        yield f"{count:>5}  {rule:<{width}}  ({fixable[rule]} with a fix)"


def _fixable(findings: Sequence[Finding], mode: str) -> str:
    """How many of the problems `--fix` would repair; after a run with `--fix`, only what it left on purpose."""
    safe = sum(1 for found in findings if found.fix and found.fix.safe) if mode == "none" else 0
    unsafe = sum(1 for found in findings if found.fix and not found.fix.safe) if mode != "unsafe" else 0
    if safe and unsafe:
        return f" ({safe} fixable with --fix, {unsafe} with --unsafe-fixes)"
    if safe:
        return f" ({safe} fixable with --fix)"
    return f" ({unsafe} fixable with --fix --unsafe-fixes)" if unsafe else ""


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
