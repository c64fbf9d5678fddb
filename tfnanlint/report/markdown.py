"""The findings as a table in Markdown, for the summary of a job or a comment on a pull request."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tfnanlint.finding import Finding
from tfnanlint.report import Report
from tfnanlint.report.paths import in_repository
from tfnanlint.report.summary import closing_lines
from tfnanlint.report.terminal import printable
from tfnanlint.run.problem import Problem

MOST = 200
"""So many findings have a row: GitHub takes no more than a megabyte."""

_LIVE = re.compile(r"(\S*(?:@|://|www\.)\S*)")
"""What GitHub and GitLab make a mention or a link of, without any markup around it."""
_ESCAPED = str.maketrans({"&": "&amp;", "<": "&lt;", **{mark: f"\\{mark}" for mark in "\\*_[]~|"}})
_BAR, _BARRED = re.compile(r"\\*\|"), r"\\|"


def render(report: Report) -> Iterator[str]:
    """A heading, the closing line, and a row for each finding."""
    yield "### tfnanlint\n\n"
    failed = len({problem.path for problem in report.problems})
    lines = closing_lines(report.findings, (), report.files, failed, unsafe=report.unsafe)
    yield from (f"{_cell(line)}\n\n" for line in lines)
    if report.findings:
        yield "| place | severity | rule | problem | fix |\n|---|---|---|---|---|\n"
    for found in report.findings[:MOST]:
        yield f"| {' | '.join(_row(report, found))} |\n"
    if len(report.findings) > MOST:
        yield f"\nand {len(report.findings) - MOST} more.\n"
    if report.problems:
        yield "\nNot linted:\n\n"
        yield from (f"- {_problem(problem)}\n" for problem in report.problems[:MOST])


def _problem(problem: Problem) -> str:
    """The file, as code so that nothing in its name is markup, and what is wrong with it."""
    if not problem.path:
        return _cell(problem.message)
    return f"{_code(problem.place)}: {_cell(problem.message)}"


def _row(report: Report, found: Finding) -> Iterator[str]:
    cell = "" if found.cell is None else f"cell {found.cell}:"
    yield _code(f"{in_repository(found.path)}:{cell}{found.line}")
    yield f"{found.severity} ({found.certainty})"
    name = f"{found.code} {found.rule}".strip()
    yield f"[{name}]({found.url})" if found.url else name
    yield _cell(found.message)
    note = f"; {_cell(found.fix.note)}" if found.fix and found.fix.note else ""
    yield f"{report.fix_words(found)}{note}" if found.fix else "none"


def _code(text: str) -> str:
    """Text as code in a cell; a backslash before a bar would end the cell there, and the code with it."""
    code = " ".join(printable(text).split()).replace("`", "").replace("&", "&amp;").replace("<", "&lt;")
    return f"`{_BAR.sub(_BARRED, code)}`"


def _cell(text: str) -> str:
    """Text that ends no cell of a table, and holds no HTML; only what stands between backticks is markup: code.

    A name in a message may hold backticks itself, so that the rest of it stands outside of the code.
    """
    parts = " ".join(printable(text).split()).split("`")
    if len(parts) % 2 == 0:
        return _prose("'".join(parts))
    pieces = (_code(part) if n % 2 else _prose(part) for n, part in enumerate(parts) if part.strip())
    return "".join(pieces).replace("``", "` `")  # without a blank between them, two pieces of code are none


def _prose(text: str) -> str:
    """Text in which nothing is markup; a name that would be called or a link that would lead somewhere is code."""
    return "".join(_code(part) if n % 2 else part.translate(_ESCAPED) for n, part in enumerate(_LIVE.split(text)))
