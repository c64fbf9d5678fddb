"""One line for each finding: for editors, grep and long lists."""

from __future__ import annotations

from collections.abc import Iterator

from tfnanlint.report import Report
from tfnanlint.report.text import header


def render(report: Report) -> Iterator[str]:
    """The line that opens a finding in the text format, and whether there is a repair."""
    for finding in report.findings:
        fix = f" [fix: {report.fix_words(finding)}]" if finding.fix else ""
        yield f"{header(finding, report.color)}{fix}\n"
