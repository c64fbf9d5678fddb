"""`tfnanlint check`: lint files, repair them, report."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from typing import TextIO

from tfnanlint.commands import CLEAN, COMMANDS, FINDINGS, WRONG
from tfnanlint.commands.options import add_configuration, names, parser, positive, wants_color
from tfnanlint.config import Configs, FixMode, Settings
from tfnanlint.discover import discover, is_excluded
from tfnanlint.edits import unified_diff
from tfnanlint.errors import TfnanlintError
from tfnanlint.files import FileError, decode, replace_file, shown
from tfnanlint.finding import Finding
from tfnanlint.progress import Bar
from tfnanlint.report import FORMATS, Report, render
from tfnanlint.report.summary import closing_lines, statistics
from tfnanlint.rounds import Problem
from tfnanlint.run import Task, check_files, default_jobs, settings_for, tasks_for
from tfnanlint.single import Outcome, check_bytes, check_file

STDIN = "-"


@dataclass
class Result:
    """What a whole run came to."""

    findings: list[Finding] = field(default_factory=list)
    silenced: list[Finding] = field(default_factory=list)
    fixed: list[Finding] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    patches: dict[str, bytes] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)
    files: int = 0
    failed: int = 0

    def add(self, outcome: Outcome) -> None:
        """Take in one file's outcome."""
        self.files += 1
        self.failed += bool(outcome.problems)
        self.findings += outcome.findings
        self.silenced += outcome.silenced
        self.fixed += outcome.fixed
        self.problems += outcome.problems


def run(arguments: Sequence[str]) -> int:
    """Lint what the arguments name; the exit status."""
    options = _parse(arguments)
    fix: FixMode = "none"
    if options.fix or options.diff:
        fix = "unsafe" if options.unsafe_fixes else "safe"
    configs = Configs(options.config, options.isolated)
    wanted = Settings(names(options.select), names(options.ignore), pedantic=options.pedantic, fix=fix)
    if options.paths == [STDIN]:
        return _check_stdin(options, configs, wanted)
    found = discover(options.paths, configs, names(options.exclude), options.force_exclude)
    result = Result(problems=[Problem(path, 0, 0, reason) for path, reason in found.problems])
    if options.show_files:
        sys.stdout.writelines(f"{file}\n" for file in found.files)
        _complain(result.problems)
        return WRONG if result.problems else CLEAN
    _check_all(tasks_for(found.files, configs, wanted), options, result)
    if options.diff:
        _print_bytes(b"".join(patch for _, patch in sorted(result.patches.items())))
        return _finish(result, options, fix, None)
    return _finish(result, options, fix, sys.stdout)


def _check_all(tasks: Sequence[Task], options: argparse.Namespace, result: Result) -> None:
    """Check every file, and write or keep what has been repaired, as it comes."""
    settings = dict(tasks)
    bar = Bar(len(tasks), options.quiet)
    with closing(bar), closing(check_files(tasks, options.jobs)) as outcomes:
        for outcome in outcomes:
            if outcome.before is not None and outcome.after is not None:
                if options.diff:
                    result.patches[outcome.path] = unified_diff(outcome.path, outcome.before, outcome.after)
                else:
                    outcome = _written(outcome, outcome.before, outcome.after, settings[outcome.path])
            result.add(outcome)
            bar.advance()


def _written(outcome: Outcome, before: bytes, after: bytes, settings: Settings) -> Outcome:
    """The outcome once the file has been replaced; if it cannot be, the outcome without repairs."""
    try:
        replace_file(outcome.path, before, after)
    except FileError as error:
        outcome = check_file(outcome.path, replace(settings, fix="none"))
        outcome.problems.append(Problem(outcome.path, 0, 0, str(error).removeprefix(f"{outcome.path}: ")))
    return outcome


def _check_stdin(options: argparse.Namespace, configs: Configs, wanted: Settings) -> int:
    """Check standard input. Where it is to be repaired, standard output is for the text, the other for the report."""
    data = sys.stdin.buffer.read()
    path = shown(options.stdin_filename) if options.stdin_filename else "<stdin>"
    result = Result()
    outcome = Outcome(path)
    (settings,) = settings_for([configs.of(os.path.dirname(os.path.abspath(path)))], wanted)
    excluded = options.force_exclude and is_excluded(path, configs, names(options.exclude))
    if settings and not excluded:
        outcome = check_bytes(data, path, settings)
        result.add(outcome)
    after = data if outcome.after is None else outcome.after
    try:
        result.texts[path] = decode(after, path).text
    except TfnanlintError:
        result.texts[path] = ""
    if options.diff:
        _print_bytes(result.patches.setdefault(path, unified_diff(path, data, after)))
        return _finish(result, options, wanted.fix, None)
    if options.fix:
        _print_bytes(after)
        return _finish(result, options, wanted.fix, sys.stderr)
    return _finish(result, options, wanted.fix, sys.stdout)


def _finish(result: Result, options: argparse.Namespace, fix: FixMode, stream: TextIO | None) -> int:
    """Report what is left to a stream (or a file, where one is asked for), say how it went, and give the status."""
    result.findings.sort(key=lambda found: found.position)
    for_people = sys.stderr if stream is None or options.output_file or options.output_format != "text" else stream
    if stream is not None:
        _report(result, options, stream)
    _complain(result.problems)
    if options.statistics:
        for_people.writelines(f"{line}\n" for line in statistics(result.findings))
    if not options.quiet:
        written = not options.diff
        lines = closing_lines(result.findings, result.fixed, result.files, result.failed, fix, written)
        for_people.writelines(f"{line}\n" for line in lines)
    if result.problems:
        return WRONG
    left = bool(result.findings or any(result.patches.values()))
    return FINDINGS if left and not options.exit_zero else CLEAN


def _report(result: Result, options: argparse.Namespace, stream: TextIO) -> None:
    color = wants_color(options.color, stream) if not options.output_file else options.color == "always"
    report = Report(result.findings, result.silenced, color, result.texts)
    pieces = render(options.output_format, report)
    if not options.output_file:
        stream.writelines(pieces)
        if options.output_format == "text" and result.findings and not options.quiet:
            stream.write("\n")
        return
    try:
        with open(options.output_file, "w", encoding="utf-8", errors="backslashreplace", newline="\n") as file:
            file.writelines(pieces)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise TfnanlintError(f"{options.output_file}: the report cannot be written: {reason}") from None


def _complain(problems: Sequence[Problem]) -> None:
    """Say what went wrong, with tracebacks where TFNANLINT_TRACEBACK asks for them."""
    for problem in sorted(problems, key=lambda problem: (problem.path, problem.line, problem.column)):
        print(problem, file=sys.stderr)
        if problem.traceback and os.environ.get("TFNANLINT_TRACEBACK"):
            print(problem.traceback, file=sys.stderr)


def _print_bytes(data: bytes) -> None:
    sys.stdout.flush()
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def _parse(arguments: Sequence[str]) -> argparse.Namespace:
    commands = "commands:\n" + "\n".join(f"  tfnanlint {name:<8} {what}" for name, what in COMMANDS.items())
    made = parser(
        "check", "Find where a TensorFlow program will produce NaN or Inf, without running it, and repair it.", commands
    )
    made.usage = "tfnanlint [check] [PATH ...] [options]"
    paths = "files and folders (default: .), or - for standard input"
    made.add_argument("paths", nargs="*", default=["."], metavar="PATH", help=paths)
    fixing = made.add_argument_group("repairs")
    fixing.add_argument("--fix", action="store_true", help="apply the repairs that keep what the program computes")
    fixing.add_argument(
        "--unsafe-fixes", action="store_true", help="with --fix or --diff: also those that change what is trained"
    )
    fixing.add_argument("--diff", action="store_true", help="write no file; print the repairs as a patch for git apply")
    which = made.add_argument_group("rules")
    which.add_argument("--select", action="append", metavar="NAMES", help="apply only these rules or groups")
    which.add_argument("--ignore", action="append", metavar="NAMES", help="do not apply these rules or groups")
    which.add_argument("--pedantic", action="store_true", help="also report what is merely possible")
    files = made.add_argument_group("files")
    files.add_argument("--exclude", action="append", metavar="PATTERNS", help="skip what these match, as in .gitignore")
    files.add_argument(
        "--force-exclude", action="store_true", help="skip excluded files even when they are named (for hooks)"
    )
    files.add_argument("--stdin-filename", metavar="FILE", help="the name of what comes in through -")
    files.add_argument("--show-files", action="store_true", help="list the files that would be linted, and stop")
    output = made.add_argument_group("output")
    output.add_argument(
        "--output-format",
        choices=FORMATS,
        default="text",
        help="; ".join(f"{name}: {what}" for name, what in FORMATS.items()),
    )
    output.add_argument("--output-file", metavar="FILE", help="write the report to a file")
    output.add_argument("--statistics", action="store_true", help="count the findings of each rule")
    output.add_argument("--quiet", action="store_true", help="print findings and errors only")
    output.add_argument("--color", choices=("auto", "always", "never"), default="auto")
    add_configuration(made)
    running = made.add_argument_group("running")
    running.add_argument("--jobs", type=positive, default=default_jobs(), metavar="N", help="how many processes to use")
    running.add_argument("--exit-zero", action="store_true", help="exit with 0 even if there are findings")
    options = made.parse_args(arguments)
    if options.unsafe_fixes and not (options.fix or options.diff):
        made.error("--unsafe-fixes does nothing without --fix or --diff")
    if STDIN in options.paths and len(options.paths) > 1:
        made.error("- (standard input) cannot be combined with other paths")
    if options.stdin_filename and options.paths != [STDIN]:
        made.error("--stdin-filename does nothing without the path -")
    return options
