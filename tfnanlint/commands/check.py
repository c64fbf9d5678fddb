"""`tfnanlint check`: lint files, fix them, report."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from contextlib import closing
from typing import NamedTuple

from tfnanlint.commands import CLEAN, COMMANDS, WRONG
from tfnanlint.commands.adoption import Adoption, add_adoption, refuse_contradictions
from tfnanlint.commands.options import (
    add_cache,
    add_configuration,
    add_rules,
    add_status,
    cache_folder,
    hint_on_names,
    names,
    parser,
    patterns,
    positive,
)
from tfnanlint.commands.result import Result, add_output, complain, finish, settle_output
from tfnanlint.config.discovery import Configs
from tfnanlint.config.settings import Settings
from tfnanlint.errors import TfnanlintError, suggestion
from tfnanlint.run.discover import discover, is_excluded
from tfnanlint.run.files import FileError, decode, replace_file, shown
from tfnanlint.run.many import Task, check_bytes, check_files, default_jobs, tasks_for
from tfnanlint.run.outcome import Outcome
from tfnanlint.run.problem import Problem
from tfnanlint.run.progress import Bar

STDIN = "-"


def run(arguments: Sequence[str]) -> int:
    """Lint what the arguments name; the exit status."""
    options = _parse(arguments)
    if options.watch:
        from tfnanlint.commands.watching import watch

        return watch(options.paths, lambda: _run(options))
    return _run(options).status


class _Ended(NamedTuple):
    """How a run has ended, and the files that it has written."""

    status: int
    written: Sequence[str] = ()


def _run(options: argparse.Namespace) -> _Ended:
    configs = Configs(options.config, options.isolated)
    settle_output(options, configs)
    wanted = Settings(
        names(options.select),
        names(options.ignore),
        pedantic=options.pedantic,
        fix=options.fix or options.diff,
        unsafe_fixes=options.unsafe_fixes,
        fail_on=options.fail_on or "",
        min_certainty=options.min_certainty or "",
    )
    if options.paths == [STDIN]:
        return _Ended(_check_stdin(options, configs, wanted))
    found = discover(options.paths, configs, names(options.exclude), options.force_exclude)
    result = Result()
    result.problems += [Problem(path, 0, 0, reason + _meant(path)) for path, reason in found.problems]
    if options.show_files:
        from tfnanlint.report.terminal import printable_path

        sys.stdout.writelines(f"{printable_path(file)}\n" for file in found.files)
        complain(result.problems)
        return _Ended(WRONG if result.problems else CLEAN)
    adoption = Adoption(options)
    tasks = tasks_for(adoption.among(found.files), configs, wanted)
    if not found.files and not found.problems:
        result.notes.append("No Python files or notebooks found (or all are excluded).")
    adoption.learn(tasks)
    result.settings = dict(tasks)
    result.folders = tuple(dict.fromkeys(folder for _, settings in tasks for folder in settings.folders))
    _check_all(tasks, options, result, adoption)
    adoption.close(result, tasks)
    if options.diff:
        _print_bytes(b"".join(patch for _, patch in sorted(result.patches.items())))
        return _Ended(finish(result, options, None))
    return _Ended(finish(result, options, sys.stdout), result.written)


def _meant(path: str) -> str:
    """The subcommand or the rule that a missing path may have been meant as."""
    if path in COMMANDS and not os.path.exists(path):
        return f"; the command `{path}` comes first: `tfnanlint {path} ...`"
    if not os.path.exists(path) and (hint := hint_on_names(path)):
        return hint
    return suggestion(path, COMMANDS) if not os.path.exists(path) and os.path.basename(path) == path else ""


def _check_all(tasks: Sequence[Task], options: argparse.Namespace, result: Result, adoption: Adoption) -> None:
    """Check every file, and write or keep what has been repaired, as it comes."""
    settings = dict(tasks)
    bar = Bar(len(tasks), options.quiet)
    checking = check_files(
        tasks,
        options.jobs,
        writes=not options.diff,
        on_linted=bar.advance,
        unknown=adoption.unknown,
        cache=cache_folder(options),
    )
    with closing(bar), closing(checking) as outcomes:
        for outcome in outcomes:
            if outcome.before is not None and outcome.after is not None:
                if options.diff:
                    from tfnanlint.run.edits import unified_diff

                    result.patches[outcome.path] = unified_diff(outcome.path, outcome.before, outcome.after)
                else:
                    outcome = _written(outcome, settings[outcome.path], adoption)
                    result.written.append(outcome.path)
            result.add(outcome)


def _written(outcome: Outcome, settings: Settings, adoption: Adoption) -> Outcome:
    """The outcome once the file has been replaced; if it cannot be, the outcome without repairs."""
    assert outcome.before is not None
    assert outcome.after is not None
    try:
        replace_file(outcome.path, outcome.before, outcome.after)
    except FileError as error:
        (outcome,) = check_files([(outcome.path, settings._replace(fix=False))], unknown=adoption.unknown)
        outcome.problems.append(Problem.of(outcome.path, error))
    return outcome


def _check_stdin(options: argparse.Namespace, configs: Configs, wanted: Settings) -> int:
    """Check standard input. Where it is to be repaired, standard output is for the text, the other for the report."""
    if sys.stdin is None:
        raise TfnanlintError("`-` is standard input, which is closed; name a file instead")
    data = sys.stdin.buffer.read()
    path = shown(options.stdin_filename) if options.stdin_filename else "<stdin>"
    result = Result()
    after = data
    excluded = options.force_exclude and is_excluded(path, configs, names(options.exclude))
    adoption = Adoption(options)
    adoption.admit(path)
    tasks = [] if excluded else tasks_for([path], configs, wanted)
    adoption.learn(tasks)
    result.settings = dict(tasks)
    for _, settings in tasks:
        result.folders = settings.folders
        outcome = check_bytes(data, path, settings, adoption.unknown)
        after = data if outcome.after is None else outcome.after
        result.add(outcome)
    try:
        result.texts[path] = decode(after, path).text
    except TfnanlintError:
        result.texts[path] = ""
    if options.diff:
        from tfnanlint.run.edits import unified_diff

        _print_bytes(result.patches.setdefault(path, unified_diff(path, data, after)))
        return finish(result, options, None)
    if options.fix:
        _print_bytes(after)
        return finish(result, options, sys.stderr)
    return finish(result, options, sys.stdout)


def _print_bytes(data: bytes) -> None:
    sys.stdout.flush()
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def grammar() -> argparse.ArgumentParser:
    """The options of this subcommand."""
    commands = "commands:\n" + "\n".join(f"  tfnanlint {name:<11} {what}" for name, what in COMMANDS.items())
    about = "Find code that will produce NaN or Inf in TensorFlow, without running it, and fix it."
    made = parser("check", about, commands, lints=True)
    made.usage = "tfnanlint [check] [PATH ...] [options]"
    paths = "files and folders (default: .), or - for standard input"
    made.add_argument("paths", nargs="*", default=["."], metavar="PATH", help=paths)
    fixing = made.add_argument_group("fixes")
    fixing.add_argument("--fix", action="store_true", help="apply the safe fixes: equivalent code, and guards")
    fixing.add_argument(
        "--unsafe-fixes",
        action=argparse.BooleanOptionalAction,
        help="with --fix or --diff: also fixes that change training (--no-unsafe-fixes overrides the configuration)",
    )
    fixing.add_argument("--diff", action="store_true", help="print the fixes as a patch for git apply; write no file")
    add_rules(made)
    files = made.add_argument_group("files")
    files.add_argument(
        "--exclude",
        action="append",
        metavar="PATTERNS",
        type=patterns,
        help="skip files that match these patterns, in .gitignore syntax",
    )
    files.add_argument(
        "--force-exclude", action="store_true", help="skip excluded files even when they are named (for hooks)"
    )
    files.add_argument("--stdin-filename", metavar="FILE", help="the file name of standard input")
    files.add_argument("--show-files", action="store_true", help="list the files that would be linted, then stop")
    add_adoption(made)
    add_output(made)
    add_configuration(made)
    running = made.add_argument_group("running")
    running.add_argument("-j", "--jobs", type=positive, default=default_jobs(), metavar="N", help="number of processes")
    add_cache(running)
    running.add_argument("--watch", action="store_true", help="lint again whenever a file changes")
    add_status(running)
    return made


def _parse(arguments: Sequence[str]) -> argparse.Namespace:
    made = grammar()
    options = made.parse_args(arguments)
    refuse_contradictions(made, options)
    if "" in options.paths:
        made.error("a path is empty; . is the working directory")
    reports = [name for name in ("output_format", "output_file") if getattr(options, name)]
    if options.diff and reports:
        made.error(f"--diff prints a patch instead of a report; leave out --{reports[0].replace('_', '-')}")
    stops = [name for name in ("fix", "diff", "add_ignores", "write_baseline", "watch") if getattr(options, name)]
    if options.show_files and stops:
        made.error(f"--show-files lints nothing; leave out --{stops[0].replace('_', '-')}")
    if options.paths == [STDIN] and (options.add_ignores or options.write_baseline):
        made.error("--add-ignores and --write-baseline need files, not standard input")
    if options.paths == [STDIN] and options.watch:
        made.error("--watch needs files, not standard input")
    if options.unsafe_fixes and not (options.fix or options.diff):
        made.error("--unsafe-fixes does nothing without --fix or --diff")
    if STDIN in options.paths and len(options.paths) > 1:
        made.error("- (standard input) cannot be combined with other paths")
    if options.stdin_filename and options.paths != [STDIN]:
        made.error("--stdin-filename does nothing without the path -")
    return options
