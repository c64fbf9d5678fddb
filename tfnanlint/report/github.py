"""Workflow commands of GitHub Actions: each finding becomes an annotation on its line of the pull request.

GitHub takes paths from the root of the repository, wherever in it a step runs.
"""

from __future__ import annotations

from collections.abc import Iterator

from tfnanlint.finding import Finding
from tfnanlint.report import Report
from tfnanlint.report.paths import in_repository
from tfnanlint.report.terminal import printable

Place = dict[str, str | int]

_COMMANDS = {"error": "error", "warning": "warning", "info": "notice"}


def render(report: Report) -> Iterator[str]:
    """A command for each finding, and for each problem of the run."""
    for found in report.findings:
        place: Place = {"file": in_repository(found.path)}
        if found.cell is None:  # a line of a cell is not a line of the notebook's file
            place |= {"line": found.line}
            one_line = found.line == found.end_line  # GitHub takes columns within one line only
            place |= {"col": found.column, "endColumn": found.end_column} if one_line else {"endLine": found.end_line}
        title = f"{found.code} {found.rule} ({found.certainty})".lstrip()
        yield _command(_COMMANDS[found.severity], place, title, "\n".join(_lines(report, found)))
    for problem in report.problems:
        place = {"file": in_repository(problem.path)}
        if problem.line:
            place |= {"line": problem.line, "col": max(problem.column, 1)}
        yield _command("error", place, "not linted", problem.message)


def _lines(report: Report, found: Finding) -> Iterator[str]:
    """What is said of a finding."""
    yield f"{found.in_cell}{found.message}"
    if found.beside:
        yield found.beside
    if found.run:
        yield f"run: {found.run}"
    for step in found.trail:
        cell = "" if step.cell is None else f"cell {step.cell}:"
        yield f"{step.path}:{cell}{step.line}: {step.note}"
    if found.fix:
        yield f"fix ({report.fix_words(found)}): {found.fix.message}"
        if found.fix.note:
            yield f"note: {found.fix.note}"
    elif found.no_fix:
        yield f"no fix: {found.no_fix}"


def _command(name: str, place: Place, title: str, text: str) -> str:
    properties = {**place, "title": f"tfnanlint: {title}"}
    listed = ",".join(f"{key}={_property(str(value))}" for key, value in properties.items())
    return f"::{name} {listed}::{_data(text)}\n"


def _data(text: str) -> str:
    """A command's text, with what would end it or be taken for an escape written as an escape."""
    lines = "\n".join(printable(line) for line in text.strip().splitlines())
    return lines.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    """A property's value, in which colons and commas are escaped as well."""
    return _data(text).replace(":", "%3A").replace(",", "%2C")
