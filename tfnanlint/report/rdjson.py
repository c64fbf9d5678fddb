"""Reviewdog's diagnostic format: findings become review comments, with fixes that can be committed.

Reviewdog counts columns in bytes of UTF-8. In a notebook it knows only the lines of the file.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from tfnanlint.finding import Edit, Finding
from tfnanlint.report import Report
from tfnanlint.report.json import plain
from tfnanlint.report.paths import in_repository
from tfnanlint.report.sarif import HOME

_SEVERITIES = {"error": "ERROR", "warning": "WARNING", "info": "INFO"}


def render(report: Report) -> Iterator[str]:
    """One object, a diagnostic for each finding and for each problem of the run."""
    diagnostics = [_diagnostic(report, found) for found in report.findings]
    for problem in report.problems:
        location: dict[str, Any] = {"path": in_repository(problem.path)}
        if problem.line:
            line = report.file_line(problem.path, problem.line, problem.cell)
            location["range"] = {"start": {"line": line}}
        diagnostics.append({"message": problem.message, "location": location, "severity": "ERROR"})
    whole = {"source": {"name": "tfnanlint", "url": HOME}, "diagnostics": diagnostics}
    yield json.dumps(plain(whole), indent=2, allow_nan=False) + "\n"


def _diagnostic(report: Report, found: Finding) -> dict[str, Any]:
    note = found.fix.note if found.fix else ""
    lines = (found.beside, found.run and f"run: {found.run}", note and f"note on the fix: {note}")
    said = "\n".join(filter(None, (f"{found.in_cell}{found.message}", *lines)))
    code = {"value": found.code or found.rule} | ({"url": found.url} if found.url else {})
    diagnostic: dict[str, Any] = {
        "message": f"{found.rule} ({found.certainty}): {said}",
        "location": {"path": in_repository(found.path), "range": _range(report, found)},
        "severity": _SEVERITIES[found.severity],
        "code": code,
    }
    here = found.fix.edits if found.fix and found.fix.safe else ()
    if len(here) == 1 and (here[0].path, here[0].cell) == (found.path, None):  # a suggestion stands alone
        diagnostic["suggestions"] = [{"range": _range(report, here[0]), "text": here[0].text}]
    return diagnostic


def _range(report: Report, place: Finding | Edit) -> dict[str, Any]:
    if place.cell is not None:
        lines = (report.file_line(place.path, line, place.cell) for line in (place.line, place.end_line))
        return {name: {"line": line} for name, line in zip(("start", "end"), lines, strict=True)}

    def position(line: int, column: int) -> dict[str, int]:
        before = (report.line(place.path, line) or "")[: column - 1]
        return {"line": line, "column": len(before.encode("utf-8", "replace")) + 1}

    return {"start": position(place.line, place.column), "end": position(place.end_line, place.end_column)}
