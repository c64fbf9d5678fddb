"""The whole run as one JSON object: findings, errors, counts, and the version of the tool."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

from tfnanlint import __version__
from tfnanlint.report import Report
from tfnanlint.report.json import plain
from tfnanlint.run.problem import Problem
from tfnanlint.vocabulary import CERTAINTIES, FIX_KINDS, SEVERITIES

VERSION = 1


def render(report: Report) -> Iterator[str]:
    """One object, whose `findings` are what the `json` format gives."""
    found = report.findings
    counts = {
        "severities": (SEVERITIES, Counter(one.severity for one in found)),
        "certainties": (CERTAINTIES, Counter(one.certainty for one in found)),
        "fixes": (FIX_KINDS, Counter(one.fix.kind for one in found if one.fix)),
    }
    whole = {
        "version": VERSION,
        "tool": {"name": "tfnanlint", "version": __version__},
        "summary": {
            "files": report.files,
            "findings": len(found),
            "silenced": len(report.silenced),
            "errors": len(report.problems),
            "fixable": sum(one.fix is not None and one.fix.safe for one in found),
            **{name: {word: counted[word] for word in words} for name, (words, counted) in counts.items()},
        },
        "errors": [_error(problem) for problem in report.problems],
        "findings": [one.as_json() for one in found],
    }
    yield json.dumps(plain(whole), indent=2, allow_nan=False) + "\n"


def _error(problem: Problem) -> dict[str, Any]:
    """What went wrong with one file; a position where there is one."""
    return {
        "path": problem.path,
        "cell": problem.cell,
        "line": problem.line or None,
        "column": problem.column or None,
        "message": problem.message,
    }
