"""Linting of the texts that an editor holds, rather than those on disk; independent of the protocol."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeVar

from tfnanlint.config.discovery import Configs
from tfnanlint.config.settings import Settings, all_rules, known_codes, known_names
from tfnanlint.errors import ConfigError, SourceError, TfnanlintError
from tfnanlint.explain.hover import Revealed, revealed
from tfnanlint.finding import Edit, Finding
from tfnanlint.run.discover import is_excluded
from tfnanlint.run.many import tasks_for
from tfnanlint.run.plan import plan_of
from tfnanlint.run.problem import Problem
from tfnanlint.run.rounds import fix_text
from tfnanlint.run.text import Linted, lint_text
from tfnanlint.server.opened import Opened, Source, opened
from tfnanlint.source.positions import Span
from tfnanlint.source.project import Project
from tfnanlint.suppress.ignores import with_ignores

Texts = Mapping[str, str]
"""The open texts, by path, without notebooks."""


T = TypeVar("T")


@dataclass
class Checked:
    """What was found in one text or notebook; `folders` are those of the rules that are not built in.

    `readable` is False while the text is not valid Python, which is common while typing, or its configuration cannot be
    used. Of a notebook, `broken` are the cells that are not Python.
    """

    findings: list[Finding] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    readable: bool = True
    folders: tuple[str, ...] = ()
    broken: frozenset[int] = frozenset()
    repairs: dict[Finding, list[Edit]] = field(default_factory=dict)
    """The edits of each repair."""


class Analyst:
    """Lints open texts under the configuration nearest to each; what is `wanted` of every run adds to that."""

    def __init__(self, wanted: Settings | None = None, configuration: str | None = None) -> None:
        self._wanted = wanted or Settings()
        self._configuration = configuration
        self.reload()

    def reload(self) -> None:
        """Forget every configuration and rule that was read."""
        for cached in (all_rules, known_names, known_codes, plan_of):
            cached.cache_clear()
        self._configs: Configs | None = None

    def settings(self, path: str) -> Settings | None:
        """The settings for a path; None where it is not to be linted. `ConfigError` for a bad configuration."""
        if self._configs is None:
            self._configs = Configs(self._configuration)
        if os.path.isabs(path) and is_excluded(path, self._configs, ()):
            return None
        tasks = tasks_for([path], self._configs, self._wanted, "the editor's settings")
        return tasks[0][1] if tasks else None

    def _usable_settings(self, path: str) -> Settings | None:
        """The settings for a path; None also where the configuration is bad, as a check of the text says."""
        try:
            return self.settings(path)
        except ConfigError:
            return None

    def check(self, path: str, source: Source, texts: Texts) -> Checked:
        """The findings in a text or a notebook."""
        try:
            settings = self.settings(path)
            if settings is None:
                return Checked()
            held, linted = _readable(path, source, lambda held: _linted(path, held.text, texts, settings))
            findings = held.placed(linted.findings)
            both = zip(findings, linted.findings, strict=True)
            repairs = {found: held.repair(whole.fix) for found, whole in both if whole.fix and whole.fix.edits}
        except SourceError:
            return Checked(readable=False)
        except ConfigError as error:  # which is about no file in particular
            return Checked(problems=[Problem("", 0, 0, str(error))], readable=False)
        except TfnanlintError as error:
            return Checked(problems=[Problem.of(path, error)], readable=False)
        except Exception as error:
            what = f"internal error: {type(error).__name__}: {error}"
            return Checked(problems=[Problem(path, 0, 0, what)], readable=False)
        return Checked(findings, linted.problems, True, settings.folders, held.broken, repairs)

    def repairs(self, path: str, source: Source, texts: Texts, unsafe: bool = False) -> list[Edit]:
        """The edits of all compatible fixes of a text; none if it is not valid Python."""
        settings = self._usable_settings(path)
        if settings is None:
            return []
        try:

            def fixed(held: Opened) -> str:
                return fix_text(held.text, path, lambda now: _linted(path, now, texts, settings), unsafe)

            held, after = _readable(path, source, fixed)
            return held.edits(after)
        except SourceError:
            return []

    def ignoring(self, path: str, source: Source, finding: Finding) -> list[Edit]:
        """The edits that silence a finding by a comment."""
        held = opened(path, source)
        return held.edits(with_ignores(held.text, path, [held.lifted(finding)]))

    def revealed(
        self, path: str, source: Source, texts: Texts, line: int, column: int, cell: int | None = None
    ) -> list[Revealed]:
        """The ranges of the values at a position; empty if the text is not valid Python."""
        settings = self._usable_settings(path)
        if settings is None:
            return []
        try:

            def known(held: Opened) -> list[Revealed]:
                return revealed(held.text, path, held.line(cell, line), column, _project(texts), settings.assumptions)

            held, found = _readable(path, source, known)
        except SourceError:
            return []
        return [replace(one, span=_above(one.span, held.line(cell, line) - line)) for one in found]


def _above(span: Span, lines: int) -> Span:
    """A span so many lines further up."""
    line, column, end_line, end_column = span
    return line - lines, column, end_line - lines, end_column


def _readable(path: str, source: Source, look: Callable[[Opened], T]) -> tuple[Opened, T]:
    """What an editor holds, without the cells that are not Python, and what is seen in it."""
    held = opened(path, source)
    while True:
        try:
            return held, look(held)
        except SourceError as error:
            held = held.without(error)


def _linted(path: str, text: str, texts: Texts, settings: Settings) -> Linted:
    """What is found in a module that its comments do not ignore."""
    project = _project({**texts, path: text})
    return lint_text(text, path, plan_of(settings), settings.pedantic, project=project)


def _project(texts: Texts) -> Project:
    overlay = {path: text for path, text in texts.items() if os.path.isabs(path)}
    return Project(overlay, shown=str)  # an editor knows files by their full paths
