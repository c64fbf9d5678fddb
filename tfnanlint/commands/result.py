"""The result of a subcommand and how the run ends: report, errors, closing lines, exit status."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, TextIO

from tfnanlint.commands import CLEAN, FINDINGS, WRONG
from tfnanlint.commands.options import terminal_width, wants_color
from tfnanlint.config.discovery import Configs
from tfnanlint.config.settings import Settings
from tfnanlint.errors import ConfigError
from tfnanlint.report import FORMATS, Report, render
from tfnanlint.report.summary import Ending, closing_lines, statistics
from tfnanlint.run.files import append_report, write_report
from tfnanlint.run.problem import Problem

if TYPE_CHECKING:
    from tfnanlint.finding import Finding
    from tfnanlint.run.outcome import Outcome


class Result:
    """What a whole run came to; `unit` is what is counted as looked at.

    `settings` are those of each file, `usual` those of a file that has none of its own. `ending` says what the closing
    line is about.
    """

    def __init__(self, unit: str = "file") -> None:
        self.findings: list[Finding] = []
        self.silenced: list[Finding] = []
        self.fixed: list[Finding] = []
        self.problems: list[Problem] = []
        self.patches: dict[str, bytes] = {}
        self.texts: dict[str, str] = {}
        self.folders: tuple[str, ...] = ()
        self.files = self.failed = self.unused = 0
        self.notes: list[str] = []
        self.written: list[str] = []
        self.settings: Mapping[str, Settings] = {}
        self.usual = Settings()
        self.unit = unit
        self.ending: Ending = "found"

    def add(self, outcome: Outcome) -> None:
        """Take in one file's outcome."""
        self.files += 1
        self.failed += bool(outcome.problems)
        self.unused += outcome.unused
        self.findings += outcome.findings
        self.silenced += outcome.silenced
        self.fixed += outcome.fixed
        self.problems += outcome.problems

    @property
    def failing(self) -> bool:
        """Whether there is a finding that makes the run fail."""
        if not self.findings:
            return False
        from tfnanlint.run.adjust import fails

        return any(fails(found, self.settings.get(found.path, self.usual).fail_on) for found in self.findings)

    @property
    def unsafe(self) -> frozenset[str]:
        """The files in which `--fix` by itself makes repairs that change training."""
        return frozenset(path for path, settings in self.settings.items() if settings.unsafe_fixes)


def add_output(made: argparse.ArgumentParser) -> None:
    """The options that say how a run is reported."""
    output = made.add_argument_group("output")
    output.add_argument(
        "--output-format",
        choices=FORMATS,
        help="; ".join(f"{name}: {what}" for name, what in FORMATS.items()),
    )
    output.add_argument(
        "-o",
        "--output-file",
        metavar="FILE",
        help="write the report to a file (default format: that of the file extension)",
    )
    output.add_argument(
        "--statistics", action="store_true", help="count the findings of each rule (instead of the list in text format)"
    )
    output.add_argument("-q", "--quiet", action="store_true", help="print findings and errors only")
    output.add_argument("--color", choices=("auto", "always", "never"), default="auto")


_ENDINGS = {".html": "html", ".json": "json", ".sarif": "sarif", ".xml": "junit", ".md": "markdown"}
"""The formats that files with these endings are expected to hold."""
CODE = frozenset((".py", ".pyi", ".ipynb"))


def settle_output(options: argparse.Namespace, configs: Configs) -> None:
    """Have the report in the format that the ending of its file tells, or the configuration, if no option names one.

    Raises `ConfigError` for a report that would stand in place of code.
    """
    ending = os.path.splitext(options.output_file or "")[1].lower()
    if ending in CODE:
        raise ConfigError(f"{options.output_file}: not written: a report would replace code; choose another ending")
    told = _ENDINGS.get(ending)
    options.output_format = options.output_format or told or configs.of(os.getcwd()).output_format or "text"


def finish(result: Result, options: argparse.Namespace, stream: TextIO | None) -> int:
    """Write the report to a stream or a file, print the closing lines, and return the exit status."""
    result.findings.sort(key=lambda found: found.position)
    for_people = sys.stderr if stream is None or options.output_file or options.output_format != "text" else stream
    if stream is not None:
        _report(result, options, stream)
    complain(result.problems)
    if options.statistics:
        for_people.writelines(f"{line}\n" for line in statistics(result.findings))
    if not options.quiet:
        written = not options.diff
        closing = closing_lines(
            *(result.findings, result.fixed, result.files, result.failed),
            repaired=any(settings.fix for settings in result.settings.values()),
            unsafe=result.unsafe,
            written=written,
            unit=result.unit,
            ending=result.ending,
        )
        lines = list(closing)
        if result.findings and not result.failing:
            lines.append("No finding is severe enough to fail the run (see --fail-on).")
        if result.unused:
            lines.append(f"{result.unused} more that no run of the project reaches (see --pedantic).")
        if wants_color(options.color, for_people):
            from tfnanlint.report.terminal import GREEN, RED, paint

            lines = [paint(line, RED if result.failing or result.problems else GREEN, True) for line in lines]
        if result.findings and for_people.isatty():
            lines.append(f"`tfnanlint rule {result.findings[0].rule}` explains a rule.")
        if result.notes:
            from tfnanlint.report.terminal import printable_path

            lines = [*map(printable_path, result.notes), *lines]
        for_people.writelines(f"{line}\n" for line in lines)
    if result.problems:
        return WRONG
    left = result.failing or any(result.patches.values())
    return FINDINGS if left and not options.exit_zero else CLEAN


def _report(result: Result, options: argparse.Namespace, stream: TextIO) -> None:
    to_file = bool(options.output_file)
    if options.output_format == "text" and not (result.findings or to_file):
        return  # of nothing it says nothing
    if options.statistics and options.output_format in ("text", "concise") and not to_file:
        return  # the counts stand for the list
    color = wants_color(options.color, stream) if not to_file else options.color == "always"
    width = terminal_width(stream) if not to_file else None
    known = (result.problems, result.folders, result.files, width, result.unsafe)
    report = Report(result.findings, result.silenced, color, result.texts, *known)
    pieces = render(options.output_format, report)
    if options.output_format == "github" and (summary := os.environ.get("GITHUB_STEP_SUMMARY")):
        append_report(summary, render("markdown", report))
    if to_file:
        write_report(options.output_file, pieces)
        result.notes.append(f"Wrote the report to {options.output_file}.")
        return
    stream.writelines(pieces)
    if options.output_format == "text" and result.findings and not options.quiet:
        stream.write("\n")


def complain(problems: Sequence[Problem]) -> None:
    """Say what went wrong, with tracebacks where TFNANLINT_TRACEBACK asks for them."""
    if problems:
        from tfnanlint.report.terminal import printable_lines, printable_path
    for problem in sorted(problems, key=lambda problem: (problem.path, problem.line, problem.column)):
        print(printable_path(str(problem)), file=sys.stderr)
        if problem.traceback and os.environ.get("TFNANLINT_TRACEBACK"):
            print(printable_lines(problem.traceback), file=sys.stderr)
    if any(problem.traceback for problem in problems) and not os.environ.get("TFNANLINT_TRACEBACK"):
        print(
            "Please report this bug with the traceback that TFNANLINT_TRACEBACK=1 prints.",
            file=sys.stderr,
        )
