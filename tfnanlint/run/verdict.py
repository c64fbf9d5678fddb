"""The findings of many files combined: each one once, after applying the ignore comments of its file."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from functools import cached_property
from sys import intern
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from tfnanlint.errors import SourceError
from tfnanlint.limits import COMMENTS, SECONDS, WAY_OUT, TooLong, processor_time
from tfnanlint.run.files import FileError, decode
from tfnanlint.run.problem import Problem
from tfnanlint.run.single import NOTEBOOK, Linter, Raw
from tfnanlint.suppress.meta import META
from tfnanlint.vocabulary import CERTAINTIES

if TYPE_CHECKING:
    from tfnanlint.finding import Finding
    from tfnanlint.run.unused import Unused
    from tfnanlint.suppress.known import Unknown
    from tfnanlint.suppress.pragma import Silenced

Sighting: TypeAlias = "tuple[Finding, str]"
"""A finding, and the file through which it was found."""


class Verdict(NamedTuple):
    """The findings left in a file, and for each the file through which it was found, if that is another one."""

    findings: list[Finding]
    silenced: list[Finding]
    problems: list[Problem]
    sources: dict[Finding, str]
    unused: int = 0
    """How many findings were left out because nothing uses the code that they are in."""


class Verdicts:
    """The results for each file of a run, combined for each file with findings."""

    def __init__(self, linter: Linter, unknown: Unknown | None = None) -> None:
        self.raws: dict[str, Raw] = {}
        self._linter, self._unknown = linter, unknown
        self._here = os.path.join(os.getcwd(), "")
        self._abroad: dict[str, dict[str, list[Finding]]] = {}
        self._importers: dict[str, set[str]] = {}
        self._pedantic: dict[str, dict[str, list[Finding]]] = {}

    def add(self, raw: Raw) -> None:
        """Take in what linting a file gave, in the place of what it gave before."""
        path = raw.path
        if path in self.raws:
            self._pedantic.clear()
            for file in self.raws[path].trace.files:
                self._importers[file].discard(path)
            for found in self.raws[path].findings:
                if found.path != path:
                    self._abroad[found.path].pop(path, None)
        self.raws[path] = raw
        raw.trace.files = {intern(file): intern(content) for file, content in raw.trace.files.items()}
        for file in raw.trace.files:
            self._importers.setdefault(file, set()).add(path)
        for found in raw.findings:
            if found.path != path:
                self._abroad.setdefault(found.path, {}).setdefault(path, []).append(found)

    def reached_by(self, path: str) -> set[str]:
        """The other files whose findings depend on a file."""
        return self._importers.get(self._full(path), set()) - {path}

    def found_through(self, path: str) -> set[str]:
        """The other files in which linting one file found something."""
        return {found.path for found in self.raws[path].findings} - {path}

    def of(self, path: str, text: str | None = None) -> Verdict:
        """The verdict on a file, or on the text that replaces it."""
        raw = self.raws[path]
        if raw.unreadable:
            return Verdict([], [], raw.problems, {})
        sources = dict(_once(self._sightings(path)))
        if not (raw.marked or sources):
            return Verdict([], [], list(raw.problems), {})
        findings = sorted(sources, key=lambda found: found.position)
        silenced: list[Finding] = []
        if raw.marked and (raw.book is not None or not path.endswith(NOTEBOOK)):
            try:
                with processor_time(COMMENTS):
                    left = self._hear(path, text, findings)
            except (SourceError, FileError) as error:
                return Verdict([], [], [Problem.of(path, error)], {})
            except TooLong:
                what = f"not analysed: its comments for tfnanlint take more than {COMMENTS:g} s; {WAY_OUT}"
                return Verdict([], [], [Problem(path, 0, 0, what)], {})
            findings, silenced = left.findings, left.silenced
        settings = self._linter.settings[path]
        if settings.only_meta:
            findings = [found for found in findings if found.rule in META]
        if settings.adjusts:
            from tfnanlint.run.adjust import adjusted

            sources = {one: source for found, source in sources.items() for one in adjusted([found], settings)}
            findings, silenced = adjusted(findings, settings), adjusted(silenced, settings)
        used = self._unused.without(path, text, findings, settings.pedantic) if findings else findings
        unused, findings = len(findings) - len(used), used
        if self._unknown is not None and findings:
            from tfnanlint.suppress.known import lines_of

            text = self._text(path) if text is None else text
            findings = self._unknown(path, findings, lines_of(text))
        return Verdict(findings, silenced, list(raw.problems), sources, unused)

    @cached_property
    def _unused(self) -> Unused:
        from tfnanlint.run.unused import Unused

        return Unused(self._linter.settings, self._text)

    def _text(self, path: str) -> str:
        """The text that was linted."""
        book = self.raws[path].book
        return book.text if book is not None else decode(self._linter.data(path), path).text

    def _hear(self, path: str, text: str | None, findings: list[Finding]) -> Silenced:
        """What the comments of a file leave of its findings."""
        from tfnanlint.run.plan import plan_of
        from tfnanlint.suppress.pragma import silence

        settings, raw = self._linter.settings[path], self.raws[path]
        scope = plan_of(settings).scope
        is_slow = raw.seconds > SECONDS / 2  # only another look at all of it would tell which comments are unused
        if raw.problems or (raw.book is not None and raw.book.troubles) or is_slow:
            scope = scope.of_a_part()
        text = self._text(path) if text is None else text

        def talkative() -> Iterator[Finding]:
            for source in (path, *sorted(self.reached_by(path))):
                yield from self._pedantic_through(source).get(path, ())

        return silence(text, path, findings, scope, None if settings.pedantic else talkative)

    def _pedantic_through(self, source: str) -> dict[str, list[Finding]]:
        """All that linting one file finds under `--pedantic`, by file; many files may ask for what one has seen."""
        if source not in self._pedantic:
            found_in = self._pedantic[source] = {}
            for found in self._linter.lint(source, pedantic=True).findings:
                found_in.setdefault(found.path, []).append(found)
        return self._pedantic[source]

    def _sightings(self, path: str) -> Iterator[Sighting]:
        """All that is found in a file: through itself first, then through each other one that read the same bytes.

        What another file sees at the place of something that is found anyway is the same hazard under another name.
        """
        raw = self.raws[path]
        own = [found for found in raw.findings if found.path == path]
        yield from ((found, path) for found in own)
        rules: dict[tuple[object, ...], set[str]] = {}
        for found in own:
            rules.setdefault(_span(found), set()).add(found.rule)
        for source, findings in sorted(self._abroad.get(path, {}).items()):
            if self.raws[source].trace.files.get(self._full(path)) == raw.digest:
                seen = [found for found in findings if found.rule in rules.get(_span(found), (found.rule,))]
                yield from ((found, source) for found in seen)
                for found in seen:
                    rules.setdefault(_span(found), {other.rule for other in seen if _span(other) == _span(found)})

    def _full(self, path: str) -> str:
        return path if os.path.isabs(path) else self._here + path


def _span(found: Finding) -> tuple[object, ...]:
    return found.cell, found.line, found.column, found.end_line, found.end_column


def _once(sightings: Iterable[Sighting]) -> Iterator[Sighting]:
    """One sighting for each place and rule: the most certain, then that of whose repair most is known, then the first.

    A repair that was refused through one file is not offered because another file could not try it.
    """
    best: dict[tuple[object, ...], Sighting] = {}
    refused: dict[tuple[object, ...], Finding] = {}
    for found, source in sightings:
        held = best.get(found.position)
        if held is None or _rank(found) < _rank(held[0]):
            best[found.position] = found, source
        if found.fix_held is False:
            refused.setdefault(found.position, found)
    for position, (found, source) in best.items():
        if found.fix is not None and found.fix_held is None and position in refused:
            from dataclasses import replace

            found = replace(found, fix=None, no_fix=refused[position].no_fix, fix_held=False)
        yield found, source


def _rank(found: Finding) -> tuple[int, int]:
    return CERTAINTIES.index(found.certainty), found.fix_rank
