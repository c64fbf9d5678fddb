"""A whole run: lint every file, then fix in rounds until no file changes.

In each round every file gets its turn: all compatible fixes are applied to it, whichever file they were found through.
Changed files, and the files that import them, are linted again. So the result describes the texts as they are left, and
a second run changes nothing.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from tfnanlint.errors import TfnanlintError
from tfnanlint.limits import REPAIRING
from tfnanlint.run.files import FileError, decode, refuse_read_only, shown
from tfnanlint.run.problem import Problem
from tfnanlint.run.single import Raw
from tfnanlint.run.verdict import Verdicts
from tfnanlint.source.project import digest

if TYPE_CHECKING:
    from tfnanlint.finding import Finding
    from tfnanlint.notebook import Notebook
    from tfnanlint.run.files import Source
    from tfnanlint.run.rounds import Repairs
    from tfnanlint.run.workers import Workers
    from tfnanlint.suppress.known import Unknown


class Outcome(NamedTuple):
    """The outcome of one file. `before` and `after` are its bytes if it was fixed; nothing is written here.

    `unused` is the number of findings that are left out because nothing uses the code that they are in.
    """

    path: str
    findings: list[Finding]
    silenced: list[Finding]
    fixed: list[Finding]
    problems: list[Problem]
    before: bytes | None = None
    after: bytes | None = None
    unused: int = 0


class _Patient(NamedTuple):
    """A file under repair."""

    data: bytes
    document: Source | Notebook
    repairs: Repairs


class Run:
    """The files of a run on their way to their outcomes."""

    def __init__(self, workers: Workers, writes: bool = True, unknown: Unknown | None = None) -> None:
        self._workers, self._writes = workers, writes
        self._verdicts = Verdicts(workers.linter, unknown)
        self._patients: dict[str, _Patient] = {}
        self._refused: dict[str, Problem] = {}
        self._seconds: defaultdict[str, float] = defaultdict(float)

    def outcomes(self, on_linted: Callable[[], None] = lambda: None) -> Iterator[Outcome]:
        """Lint every file, repair as the settings say, and tell what came of each."""
        for raw in self._workers.lint(list(self._workers.settings)):
            self._take(raw)
            on_linted()
        self._repair(path for path, settings in self._workers.settings.items() if settings.fix)
        for path in self._workers.settings:
            yield self._outcome(path)

    def _repair(self, paths: Iterable[str]) -> None:
        """Go on with the repairs of some files until nothing changes in any."""
        wanted = set(paths)
        turns = sorted(wanted)
        while turns:
            changed = {path: self._patients[path].repairs.text for path in turns if self._has_changed(path)}
            self._workers.revise(changed)
            around = {other for path in changed for other in self._verdicts.reached_by(path)}
            again = sorted(around.union(changed))
            needs = {path: {shown(file) for file in self._verdicts.raws[path].trace.files} for path in again}
            found_in = {path for other in again for path in self._verdicts.found_through(other)}
            for raw in self._workers.lint(again, needs):
                self._take(raw)
            found_in |= {path for other in again for path in self._verdicts.found_through(other)}
            turns = sorted(wanted & found_in.union(again))

    def _take(self, raw: Raw) -> None:
        """Take in what was found in a repaired file; one that cannot be read any more is taken back."""
        self._seconds[raw.path] += raw.seconds
        patient = self._patients.get(raw.path)
        if raw.unreadable and patient is not None and patient.repairs.text != patient.repairs.before:
            patient.repairs.unreadable(raw.problems[0].message)
            self._workers.revise({raw.path: patient.repairs.text})
            raw = self._workers.linter.lint(raw.path)
        if raw.path in self._verdicts.raws:
            raw.book = self._verdicts.raws[raw.path].book
        if raw.book is not None:  # where what it leads into starts, in cells
            text = patient.repairs.text if patient else raw.book.text
            abroad = [found for found in raw.findings if found.path != raw.path]
            raw.findings = [found for found in raw.findings if found.path == raw.path] + raw.book.placed(text, abroad)
        self._verdicts.add(raw)

    def _is_late(self, path: str) -> bool:
        """Whether a file, or one that is linted again whenever it changes, has had its time."""
        return any(self._seconds[file] > REPAIRING for file in (path, *self._verdicts.reached_by(path)))

    def _has_changed(self, path: str) -> bool:
        """Have a file repaired by one step; whether that has changed it."""
        patient = self._patients.get(path)
        verdict = self._verdicts.of(path, patient.repairs.text if patient else None)
        unsafe = self._workers.settings[path].unsafe_fixes
        if path in self._refused or not any(found.fix and (found.fix.safe or unsafe) for found in verdict.findings):
            return False
        if patient is None:
            try:
                patient = self._patients[path] = self._admitted(path)
            except TfnanlintError as error:
                self._refused[path] = Problem.of(path, error)
                return False
        start = time.thread_time()
        changed = patient.repairs.go_on(verdict.findings, verdict.sources, self._is_late(path))
        self._seconds[path] += time.thread_time() - start
        return changed

    def _admitted(self, path: str) -> _Patient:
        """A file for repair; `FileError` if it is not what was linted, or could not be written back."""
        from tfnanlint.run.rounds import Repairs

        raw = self._verdicts.raws[path]
        data = self._workers.linter.data(path)
        if digest(data) != raw.digest:
            raise FileError(f"{path}: not fixed: the file changed during the run; run again")
        if self._writes and path not in self._workers.overlay:
            refuse_read_only(path)
        document: Source | Notebook | None = raw.book
        if document is None:
            document = source = decode(data, path)
            if source.encode(source.text) != data:
                raise FileError(f"{path}: not fixed: decoding and encoding it as {source.encoding} would change it")
        return _Patient(data, document, Repairs(document.text, path, bool(self._workers.settings[path].unsafe_fixes)))

    def _outcome(self, path: str) -> Outcome:
        patient = self._patients.get(path)
        verdict = self._verdicts.of(path, patient.repairs.text if patient else None)
        problems = [*verdict.problems, *([self._refused[path]] if path in self._refused else [])]
        outcome = Outcome(path, verdict.findings, verdict.silenced, [], problems, unused=verdict.unused)
        text = None
        if patient is not None:
            repairs = patient.repairs
            text = repairs.text
            outcome = outcome._replace(fixed=repairs.fixed, problems=problems + repairs.problems)
            if text != repairs.before:
                try:
                    outcome = outcome._replace(before=patient.data, after=patient.document.encode(text))
                except FileError as error:
                    return outcome._replace(problems=[Problem.of(path, error)])
        book = self._verdicts.raws[path].book
        return _in_cells(outcome, book, book.text if text is None else text) if book is not None else outcome


def _in_cells(outcome: Outcome, book: Notebook, text: str) -> Outcome:
    """What is said of a notebook's text, carried to its cells."""
    places = [(p, *book.place(text, p.line)) if p.line else (p, None, 0) for p in outcome.problems]
    problems = [problem._replace(cell=cell, line=line) for problem, cell, line in places]
    problems += [Problem(outcome.path, t.line, t.column, t.reason, cell=t.cell) for t in book.troubles]
    return outcome._replace(
        findings=book.placed(text, outcome.findings),
        silenced=book.placed(text, outcome.silenced),
        fixed=book.placed(text, outcome.fixed),
        problems=problems,
    )
