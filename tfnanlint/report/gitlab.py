"""GitLab's code quality report: findings appear beside the changed lines of a merge request.

GitLab takes paths from the root of the repository, and distinguishes old findings from new ones by their fingerprints.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from tfnanlint.finding import Finding
from tfnanlint.report import Report
from tfnanlint.report.paths import in_repository
from tfnanlint.suppress.fingerprint import fingerprints


def render(report: Report) -> Iterator[str]:
    """One array, an issue for each finding."""
    marks = fingerprints(report.findings, report.line, in_repository)
    issues = [_issue(report, found, mark) for found, mark in zip(report.findings, marks, strict=True)]
    yield json.dumps(issues, indent=2) + "\n"


def _issue(report: Report, found: Finding, mark: str) -> dict[str, Any]:
    about = report.about(found.rule)
    body = about.markdown if about else found.message
    if found.run:
        body += "\n\nRun: `" + found.run.replace("`", "") + "`\n"
    if found.fix and found.fix.note:
        body += f"\n\nNote on the fix: {found.fix.note}\n"
    return {
        "type": "issue",
        "check_name": found.rule,
        "description": f"{found.in_cell}{found.message}" + (f": {found.beside}" if found.beside else ""),
        "content": {"body": body},
        "categories": ["Bug Risk"],
        "severity": _severity(found),
        "fingerprint": mark,
        "location": {"path": in_repository(found.path), **_place(report, found)},
    }


def _place(report: Report, found: Finding) -> dict[str, Any]:
    """Where a finding stands; of a notebook GitLab knows the lines of its file."""
    if found.cell is not None:
        lines = (report.file_line(found.path, line, found.cell) for line in (found.line, found.end_line))
        return {"lines": dict(zip(("begin", "end"), lines, strict=True))}
    begin, end = (found.line, found.column), (found.end_line, found.end_column)
    places = {name: {"line": line, "column": column} for name, (line, column) in (("begin", begin), ("end", end))}
    return {"positions": places}


def _severity(found: Finding) -> str:
    if found.severity == "error":
        return "critical" if found.certainty == "certain" else "major"
    return "minor" if found.severity == "warning" else "info"
