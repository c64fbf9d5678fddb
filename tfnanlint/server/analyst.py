"""Lints the texts that an editor holds, as they are there and not on disk; knows nothing of the protocol."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field

from tfnanlint.config.nearest import Configs, Settings, all_rules, known_names
from tfnanlint.errors import SourceError, TfnanlintError
from tfnanlint.finding import Edit, Finding
from tfnanlint.reveal import Revealed, revealed
from tfnanlint.run.discover import is_excluded
from tfnanlint.run.edits import line_edits
from tfnanlint.run.many import tasks_for
from tfnanlint.run.rounds import Linted, Problem, fix_text
from tfnanlint.run.single import lint_text, plan_of
from tfnanlint.source.project import Project
from tfnanlint.suppress.ignores import with_ignores

Texts = Mapping[str, str]
"""The open texts, by path."""


@dataclass
class Checked:
    """What was found in one text; `folders` are those of the rules that are not built in.

    `readable` is False while there is nothing to say: the text is no Python, as one that is typed often is none, or its
    configuration cannot be used.
    """

    findings: list[Finding] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    readable: bool = True
    folders: tuple[str, ...] = ()


class Analyst:
    """Lints open texts under the configuration nearest to each; what is `wanted` of every run adds to that."""

    def __init__(self, wanted: Settings | None = None, configuration: str | None = None) -> None:
        self._wanted = wanted or Settings()
        self._configuration = configuration
        self.reload()

    def reload(self) -> None:
        """Forget every configuration and rule that was read."""
        for cached in (all_rules, known_names, plan_of):
            cached.cache_clear()
        self._configs: Configs | None = None

    def settings(self, path: str) -> Settings | None:
        """The settings for a path; None where it is not to be linted. `ConfigError` for a bad configuration."""
        if self._configs is None:
            self._configs = Configs(self._configuration)
        if os.path.isabs(path) and is_excluded(path, self._configs, ()):
            return None
        tasks = tasks_for([path], self._configs, self._wanted)
        return tasks[0][1] if tasks else None

    def check(self, path: str, text: str, texts: Texts) -> Checked:
        """What is found in a text."""
        try:
            settings = self.settings(path)
            if settings is None:
                return Checked()
            linted = _linted(path, text, texts, settings)
        except SourceError:
            return Checked(readable=False)
        except TfnanlintError as error:
            return Checked(problems=[Problem(path, 0, 0, str(error).removeprefix(f"{path}: "))], readable=False)
        except Exception as error:
            what = f"internal error: {type(error).__name__}: {error}"
            return Checked(problems=[Problem(path, 0, 0, what)], readable=False)
        return Checked(linted.findings, linted.problems, folders=settings.folders)

    def repairs(self, path: str, text: str, texts: Texts, unsafe: bool = False) -> list[Edit]:
        """The edits that make all repairs of a text which go together; none where it is no Python."""
        settings = self.settings(path)
        if settings is None:
            return []
        try:
            fixed = fix_text(text, path, lambda now: _linted(path, now, {**texts, path: now}, settings), unsafe)
            return line_edits(path, text, fixed)
        except SourceError:
            return []

    def ignoring(self, path: str, text: str, finding: Finding) -> list[Edit]:
        """The edits that silence a finding by a comment."""
        return line_edits(path, text, with_ignores(text, path, [finding]))

    def revealed(self, path: str, text: str, texts: Texts, line: int, column: int) -> list[Revealed]:
        """What is known of the values at a position; nothing where the text is no Python."""
        settings = self.settings(path)
        if settings is None:
            return []
        try:
            return revealed(text, path, line, column, _project(texts), settings.given)
        except SourceError:
            return []


def _linted(path: str, text: str, texts: Texts, settings: Settings) -> Linted:
    """What is found in a text that its comments do not ignore."""
    return lint_text(text, path, plan_of(settings), settings.pedantic, project=_project(texts))


def _project(texts: Texts) -> Project:
    overlay = {path: text for path, text in texts.items() if os.path.isabs(path)}
    return Project(overlay, shown=str)  # an editor knows files by their full paths
