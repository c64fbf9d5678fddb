"""SARIF 2.1.0: for GitHub's and other code scanning, and for the viewers of editors.

Paths are relative to `%SRCROOT%`, the root of the repository, wherever in it the run is started; so a report says
nothing of the machine that made it. Of a notebook the lines are those of its file, which is all that readers of SARIF
know: there are no columns, and no repair, which would be one of Python in JSON. What ignore comments silence is left
out: most readers of SARIF would raise it again.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from tfnanlint import __version__
from tfnanlint.finding import Edit, Finding, Fix, Step
from tfnanlint.report import Report
from tfnanlint.report.about import About
from tfnanlint.report.json import plain
from tfnanlint.report.paths import in_repository, uri
from tfnanlint.suppress.fingerprint import fingerprints

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
HOME = "https://github.com/tfnanlint/tfnanlint"
FINGERPRINT = "tfnanlint/v1"
ROOT = "%SRCROOT%"
_LONGEST = 2000
"""Characters of code that are repeated for a finding; a longer line may have a thousand findings."""
_LEVELS = {"error": "error", "warning": "warning", "info": "note"}
_PROBLEMS = {"error": "error", "warning": "warning", "info": "recommendation"}
_RANKS = {"certain": 100.0, "likely": 75.0, "possible": 25.0}


def render(report: Report) -> Iterator[str]:
    """One log with one run."""
    names = sorted({finding.rule for finding in report.findings})
    marks = fingerprints(report.findings, report.line, in_repository)
    driver = {
        "name": "tfnanlint",
        "semanticVersion": __version__,
        "version": __version__,
        "informationUri": HOME,
        "rules": [_rule(name, report.about(name)) for name in names],
    }
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {ROOT: {"description": {"text": "the root of the repository"}}},
        "invocations": [_invocation(report)],
        "results": [
            _result(report, found, names.index(found.rule), mark)
            for found, mark in zip(report.findings, marks, strict=True)
        ],
    }
    log = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    yield json.dumps(plain(log), indent=2, allow_nan=False) + "\n"


def _rule(name: str, about: About | None) -> dict[str, Any]:
    if about is None:
        return {"id": name}
    rule = {
        "id": name,
        "shortDescription": {"text": about.message},
        "fullDescription": {"text": about.description or about.message},
        "help": {"text": about.description or about.message, "markdown": about.markdown},
        "defaultConfiguration": {"level": _LEVELS[about.severity]},
        "properties": {"tags": ["correctness", about.group], "problem.severity": _PROBLEMS[about.severity]},
    }
    return rule | ({"helpUri": about.link} if about.link else {})


def _invocation(report: Report) -> dict[str, Any]:
    """Whether the run went well, and what did not."""
    notes = []
    for problem in report.problems:
        place: dict[str, Any] = {"artifactLocation": _artifact(problem.path)}
        if problem.line:
            line = report.file_line(problem.path, problem.line, problem.cell)
            place["region"] = {"startLine": line} | (
                {"startColumn": max(problem.column, 1)} if problem.cell is None else {}
            )
        location = {"physicalLocation": place}
        notes.append({"level": "error", "message": {"text": problem.message}, "locations": [location]})
    return {"executionSuccessful": not notes, "toolExecutionNotifications": notes}


def _result(report: Report, found: Finding, index: int, mark: str) -> dict[str, Any]:
    said = f"{found.in_cell}{found.message}" + (f": {found.beside}" if found.beside else "")
    said += f"\nrun: {found.run}" if found.run else ""
    said += f"\nnote on the fix: {found.fix.note}" if found.fix and found.fix.note else ""
    result: dict[str, Any] = {
        "ruleId": found.rule,
        "ruleIndex": index,
        "level": _LEVELS[found.severity],
        "rank": _RANKS[found.certainty],
        "message": {"text": said},
        "locations": [_location(report, found)],
        "partialFingerprints": {FINGERPRINT: mark},
        "properties": {
            key: value
            for key in ("group", "certainty", "origin", "evidence", "cell", "trial", "proof")
            if (value := getattr(found, key)) is not None
        },
    }
    if found.trail:
        result["codeFlows"] = [_code_flow(report, found, said)]
        result["relatedLocations"] = [{"id": n, **_step(report, step)} for n, step in enumerate(found.trail, 1)]
    if found.fix and found.fix.edits and all(edit.cell is None for edit in found.fix.edits):
        result["fixes"] = [_fix(found.fix, report.fix_words(found))]
        result["properties"]["fixKind"] = found.fix.kind
    return result


def _location(report: Report, found: Finding) -> dict[str, Any]:
    location: dict[str, Any] = {}
    if found.path and not found.path.startswith("<"):
        region = _region(found.line, found.column, found.end_line, found.end_column)
        if found.cell is not None:
            region = _lines_in_file(report, found.path, found.cell, found.line, found.end_line)
        lines = [report.line(found.path, n, found.cell) for n in range(found.line, found.end_line + 1)]
        code = "\n".join(line for line in lines if line is not None)
        physical = {"artifactLocation": _artifact(found.path), "region": region}
        if 0 < len(code) <= _LONGEST and found.cell is None:
            around = {"startLine": found.line, "endLine": found.end_line, "snippet": {"text": code}}
            physical["contextRegion"] = around
        location["physicalLocation"] = physical
    if found.node is not None:
        location["logicalLocations"] = [{"fullyQualifiedName": found.node, "kind": "variable"}]
    return location


def _code_flow(report: Report, found: Finding, said: str) -> dict[str, Any]:
    """The trail as the way to the finding, which comes last."""
    steps: list[dict[str, Any]] = [{"location": _step(report, step)} for step in found.trail]
    steps.append({"location": {**_location(report, found), "message": {"text": said}}, "importance": "essential"})
    return {"threadFlows": [{"locations": steps}]}


def _step(report: Report, step: Step) -> dict[str, Any]:
    if step.cell is not None:
        region = _lines_in_file(report, step.path, step.cell, step.line, step.end_line or step.line)
    elif step.end_line:
        region = _region(step.line, step.column, step.end_line, step.end_column)
    else:
        region = {"startLine": step.line, "startColumn": step.column}
    place = {"artifactLocation": _artifact(step.path), "region": region}
    return {"physicalLocation": place, "message": {"text": step.note}}


def _lines_in_file(report: Report, path: str, cell: int, line: int, end_line: int) -> dict[str, int]:
    """The region of the lines of a notebook's cell: the lines of the file that hold them."""
    return {"startLine": report.file_line(path, line, cell), "endLine": report.file_line(path, end_line, cell)}


def _fix(fix: Fix, words: str) -> dict[str, Any]:
    """The repair: one change for each file, with its replacements."""
    by_path: dict[str, list[Edit]] = {}
    for edit in fix.edits:
        by_path.setdefault(edit.path, []).append(edit)
    changes = [
        {"artifactLocation": _artifact(path), "replacements": [_replacement(edit) for edit in edits]}
        for path, edits in by_path.items()
    ]
    return {"description": {"text": f"{words}: {fix.message}"}, "artifactChanges": changes}


def _replacement(edit: Edit) -> dict[str, Any]:
    region = _region(edit.line, edit.column, edit.end_line, edit.end_column)
    return {"deletedRegion": region, "insertedContent": {"text": edit.text}}


def _region(line: int, column: int, end_line: int, end_column: int) -> dict[str, int]:
    return {"startLine": line, "startColumn": column, "endLine": end_line, "endColumn": end_column}


def _artifact(path: str) -> dict[str, str]:
    found = uri(in_repository(path))
    return {"uri": found} if found.startswith("file:") else {"uri": found, "uriBaseId": ROOT}
