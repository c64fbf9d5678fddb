"""GitLab's code quality report: findings as they stand beside the changed lines of a merge request.

GitLab takes paths from the root of the repository, and tells old findings from new ones by their fingerprints.
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
    marks = fingerprints(report.findings, report.line)
    issues = [_issue(report, found, mark) for found, mark in zip(report.findings, marks, strict=True)]
    yield json.dumps(issues, indent=2) + "\n"


def _issue(report: Report, found: Finding, mark: str) -> dict[str, Any]:
    about = report.about(found.rule)
    return {
        "type": "issue",
        "check_name": found.rule,
        "description": f"{found.in_cell}{found.message}" + (f": {found.evidence}" if found.evidence else ""),
        "content": {"body": about.markdown if about else found.message},
        "categories": ["Bug Risk"],
        "severity": _severity(found),
        "fingerprint": mark,
        "location": {
            "path": in_repository(found.path, "CI_PROJECT_DIR"),
            "positions": {
                "begin": {"line": found.line, "column": found.column},
                "end": {"line": found.end_line, "column": found.end_column},
            },
        },
    }


def _severity(found: Finding) -> str:
    if found.severity == "error":
        return "critical" if found.certainty == "certain" else "major"
    return "minor" if found.severity == "warning" else "info"
