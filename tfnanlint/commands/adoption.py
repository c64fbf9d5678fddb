"""Options to adopt the linter in an existing codebase: known findings are not reported.

Findings are known from a baseline file, from an older version in git, or from ignore comments in the code.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from tfnanlint.commands.result import Result
from tfnanlint.config.settings import Settings
from tfnanlint.contents import LARGEST as LARGEST_NOTEBOOK
from tfnanlint.errors import TfnanlintError
from tfnanlint.report import Report
from tfnanlint.run.files import FileError, decode, read_bytes, replace_file
from tfnanlint.run.many import Task, check_files
from tfnanlint.run.problem import Problem
from tfnanlint.run.single import LARGEST, NOTEBOOK
from tfnanlint.suppress.meta import META

if TYPE_CHECKING:
    from tfnanlint.finding import Finding
    from tfnanlint.suppress.fingerprint import LineOf
    from tfnanlint.suppress.known import Key, Known, Unknown


def add_adoption(made: argparse.ArgumentParser) -> None:
    """The options for known findings."""
    group = add_baseline(made)
    group.add_argument(
        "--changed-since", metavar="REV", help="lint files that differ from a git revision; report new findings only"
    )
    group.add_argument("--add-ignores", action="store_true", help="add an ignore comment for each finding")


def add_baseline(made: argparse.ArgumentParser) -> argparse._ArgumentGroup:
    """The options for baseline files, in a group of their own."""
    group = made.add_argument_group("adoption")
    group.add_argument("--baseline", metavar="FILE", help="report only findings that are not in this baseline file")
    group.add_argument("--write-baseline", metavar="FILE", help="write all findings to a baseline file, then stop")
    return group


def leave_known(result: Result, options: argparse.Namespace) -> None:
    """Leave out of a result what a baseline file holds, and what stands in files that a revision has as they are.

    Or write all of it to a baseline file.
    """
    from tfnanlint.suppress.known import Known, read_baseline

    line_of = Report([]).line
    paths = sorted({found.path for found in result.findings})
    if options.write_baseline:
        _write_baseline(result, options, dict.fromkeys(paths, result.usual))
        return
    if options.changed_since is not None:
        from tfnanlint.suppress.git import changes_since

        changed = changes_since(options.changed_since)
        result.findings = [found for found in result.findings if os.path.realpath(found.path) in changed]
    if options.baseline:
        known = Known(read_baseline(options.baseline))
        by_path = {path: [found for found in result.findings if found.path == path] for path in paths}
        result.findings = [found for path, held in by_path.items() for found in known.unknown(path, held, line_of)]


def _write_baseline(result: Result, options: argparse.Namespace, settings: Mapping[str, Settings]) -> None:
    """Write the findings to the baseline file; what it holds of other files, and of rules not applied, stays."""
    from tfnanlint.run.plan import plan_of
    from tfnanlint.suppress.known import write_baseline

    def judged(path: str, rule: str) -> bool:
        if options.min_certainty:  # what is less certain may still be there
            return False
        if path not in settings or not (options.select or options.ignore):
            return path in settings
        plan = plan_of(settings[path])
        return rule in plan.scope.active or rule in plan.scope.meta

    result.notes.append(write_baseline(options.write_baseline, result.findings, Report([]).line, judged))
    result.findings = []
    result.ending = "none"


def refuse_contradictions(made: argparse.ArgumentParser, options: argparse.Namespace) -> None:
    """End the run where these options do not go together."""
    changing = [name for name in ("add_ignores", "write_baseline", "fix", "diff") if getattr(options, name)]
    if len(changing) > 1 and changing[0] in ("add_ignores", "write_baseline"):
        first, second = (f"--{name.replace('_', '-')}" for name in changing[:2])
        made.error(f"{first} and {second} cannot be combined")
    if options.write_baseline and options.baseline:
        made.error("--write-baseline writes all findings; leave out --baseline")
    if options.write_baseline and options.changed_since is not None:
        made.error("--write-baseline writes all findings; leave out --changed-since")


class Adoption:
    """The known findings at the start of a run, and the files to write at its end."""

    def __init__(self, options: argparse.Namespace) -> None:
        self._options = options
        self._entries: dict[str, Counter[Key]] = {}
        self._old: dict[str, str | None] | None = None
        self._now: dict[str, bytes] = {}
        self._known: Known | None = None
        if options.baseline:
            from tfnanlint.suppress.known import read_baseline

            self._entries = read_baseline(options.baseline)
        if options.changed_since is not None:
            from tfnanlint.suppress.git import changes_since

            self._old = changes_since(options.changed_since)

    def among(self, files: Sequence[str]) -> list[str]:
        """Those of the files that are to be linted."""
        return [file for file in files if self._old is None or os.path.realpath(file) in self._old]

    def admit(self, path: str) -> None:
        """Lint what stands for a file even if the file has not changed; the file is then the older version."""
        if self._old is not None and os.path.realpath(path) not in self._old:
            self._old[os.path.realpath(path)] = None
            if os.path.isfile(path):
                self._now[path] = read_bytes(path)

    def learn(self, tasks: Sequence[Task]) -> None:
        """Find what was there in the older versions of files."""
        if not self._options.baseline and self._old is None:
            return
        from tfnanlint.suppress.known import Known, keys_of

        for old in self._versions([path for path, _ in tasks]):
            then = [(path, settings._replace(fix=False)) for path, settings in tasks if path in old]
            for outcome in check_files(then, self._options.jobs, old):
                for file, keys in keys_of(outcome.findings, _lines_of(outcome.path, old[outcome.path])).items():
                    self._entries.setdefault(file, Counter()).update(keys)
        self._known = Known(self._entries)

    def _versions(self, paths: Sequence[str]) -> Iterator[dict[str, bytes]]:
        """The older versions of files, some at a time, without those that are too large to be linted."""
        if self._now:
            yield {path: self._now[path] for path in paths if path in self._now}
        of: dict[str, list[str]] = {}
        for path in paths:
            if self._old and (blob := self._old.get(os.path.realpath(path))):
                of.setdefault(blob, []).append(path)
        if not of:
            return
        from tfnanlint.suppress.git import contents_of

        limits = {blob: max(map(_largest, held)) for blob, held in of.items()}
        for contents in contents_of(limits, self._options.changed_since):
            yield {path: data for blob, data in contents.items() for path in of[blob]}

    @property
    def unknown(self) -> Unknown | None:
        """What leaves of a file's findings those that are not known."""
        return self._known.unknown if self._known is not None else None

    def close(self, result: Result, tasks: Sequence[Task]) -> None:
        """Write the baseline or comments, and report which known findings no longer exist."""
        if self._options.add_ignores:
            self._add_ignores(result, dict(tasks))
        elif self._options.write_baseline:
            _write_baseline(result, self._options, dict(tasks))
        elif self._options.baseline and self._known is not None and self._old is None:
            unused = self._known.unused(path for path, _ in tasks)
            narrowed = self._options.select or self._options.ignore or self._options.min_certainty
            if unused and not narrowed:  # what this run left out may still be there
                is_gone = (
                    "1 finding in the baseline no longer exists"
                    if unused == 1
                    else f"{unused} findings in the baseline no longer exist"
                )
                result.notes.append(f"{is_gone}; --write-baseline removes {'it' if unused == 1 else 'them'}.")

    def _add_ignores(self, result: Result, settings: Mapping[str, Settings]) -> None:
        """Write comments for all findings, and see what is left after them."""
        by_file: dict[str, list[Finding]] = {}
        for found in result.findings:
            if found.rule not in META:
                by_file.setdefault(found.path, []).append(found)
        before: dict[str, bytes] = {}
        after: dict[str, bytes] = {}
        for path, findings in by_file.items():
            try:
                before[path] = read_bytes(path)
                length = settings[path].assumptions.line_length if path in settings else 0
                after[path] = _with_ignores(before[path], path, findings, length)
            except TfnanlintError as error:
                result.problems.append(Problem.of(path, error))
        silenced = 0
        for outcome in check_files(list(settings.items()), self._options.jobs, after, unknown=self.unknown):
            path = outcome.path
            if path not in after:
                continue
            try:
                replace_file(path, before[path], after[path])
            except TfnanlintError as error:
                result.problems.append(Problem.of(path, error))
                continue
            silenced += len(by_file[path]) - sum(found.rule not in META for found in outcome.findings)
            result.findings = [found for found in result.findings if found.path != path] + outcome.findings
        result.ending = "left"
        problems = f"{silenced} problem" + ("" if silenced == 1 else "s")
        result.notes.append(
            f"Wrote ignore comments for {problems} in {len(by_file)} file{'' if len(by_file) == 1 else 's'}."
        )


def _largest(path: str) -> int:
    """The bytes beyond which a file is not linted."""
    return LARGEST_NOTEBOOK if path.endswith(NOTEBOOK) else LARGEST


def _with_ignores(data: bytes, path: str, findings: Sequence[Finding], length: int) -> bytes:
    """A file's bytes with a comment for each of its findings."""
    from tfnanlint.suppress.ignores import with_ignores

    if not path.endswith(NOTEBOOK):
        source = decode(data, path)
        return source.encode(with_ignores(source.text, path, findings, length))
    from tfnanlint.notebook import read_notebook

    book = read_notebook(data, path)
    if book is None:
        raise FileError(f"{path}: is no longer a Python notebook; run again")
    # What opens a cell may be a magic, which has to stay its first line.
    return book.encode(with_ignores(book.text, path, book.lifted(findings), sys.maxsize))


def _lines_of(path: str, data: bytes) -> LineOf:
    """The lines of a file as these bytes have them."""
    try:
        text = data.decode("utf-8-sig") if path.endswith(NOTEBOOK) else decode(data, path).text
    except (TfnanlintError, UnicodeDecodeError):
        text = ""
    return Report([], texts={path: text}).line
