"""One file, from its bytes to what is found in it and through it: a cheap look, then every rule.

Whatever happens to one file stays with it: what cannot be read, and a rule that crashes on it, become `Problem`s.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, partial
from typing import TYPE_CHECKING

from tfnanlint.config.nearest import Settings, all_rules
from tfnanlint.errors import RuleError, SourceError
from tfnanlint.finding import Finding
from tfnanlint.given import NOTHING_GIVEN, Given
from tfnanlint.run.files import FileError, decode, read_bytes, refuse_null_bytes, shown
from tfnanlint.run.rounds import Linted, Problem
from tfnanlint.source.packages import mentions_package
from tfnanlint.source.project import Project, Trace, digest
from tfnanlint.suppress.pragma import GROUP, MARK, META, Scope, silence

if TYPE_CHECKING:
    from tfnanlint.notebook import Notebook
    from tfnanlint.template import Rules

NOTEBOOK = ".ipynb"
GARBAGE = 25_000_000
"""Bytes of linted source after which what is left of them is looked for."""

LARGEST = 2_000_000
"""Bytes beyond which a file is not analysed: its syntax tree would take a thousand times as much memory."""


@dataclass(frozen=True)
class Plan:
    """What settings come to: rules to apply, names an ignore may hold, and whether ignores alone are reported.

    `severity` has what findings are reported as, by rule or group; `given` is what is known of the program beforehand.
    """

    rules: Rules
    scope: Scope
    only_meta: bool = False
    severity: Mapping[str, str] = field(default_factory=dict)
    given: Given = NOTHING_GIVEN

    def weighed(self, findings: Iterable[Finding]) -> list[Finding]:
        """Findings with the severities that were asked for; what is merely possible stays an `info`."""
        wanted = self.severity
        return [
            replace(found, severity=wanted.get(found.rule) or wanted[found.group])
            if found.certainty != "possible" and not wanted.keys().isdisjoint((found.rule, found.group))
            else found
            for found in findings
        ]


@dataclass
class Raw:
    """What linting one file gave, before any comment is heard: findings in it, and through it in others.

    `digest` is of the bytes that were linted, `trace` of all else that it depends on; `marked` says that a comment may
    have something to say, `unreadable` that there is nothing to judge. `book` is the notebook that was linted.
    """

    path: str
    findings: list[Finding] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    digest: str = ""
    marked: bool = False
    unreadable: bool = False
    trace: Trace = field(default_factory=Trace)
    book: Notebook | None = None


@cache
def plan_of(settings: Settings) -> Plan:
    """The plan for settings whose names are known to exist."""
    every = all_rules(settings.folders)
    own = {*META, GROUP}
    only_meta = bool(settings.select) and own.issuperset(settings.select)
    select = [name for name in settings.select if name not in own]
    other_modes = [rule.name for rule in every if settings.modes and not set(rule.modes) & set(settings.modes)]
    rules = every.select(select, [*other_modes, *(name for name in settings.ignore if name not in own)])
    meta = {name for name in META if _is_wanted(name, settings)}
    scope = Scope(frozenset(rules.names), frozenset(every.names), frozenset(meta))
    return Plan(rules, scope, only_meta, dict(settings.severity), settings.given)


def _is_wanted(name: str, settings: Settings) -> bool:
    names = {name, GROUP}
    return (not settings.select or not names.isdisjoint(settings.select)) and names.isdisjoint(settings.ignore)


class Linter:
    """Lints the files of one run, each under its own settings, and keeps what several of them import.

    `overlay` has what stands for files: bytes, such as standard input, or the texts that repairs have made of them.
    """

    def __init__(self, settings: Mapping[str, Settings], overlay: Mapping[str, bytes | str] | None = None) -> None:
        self.settings = settings
        self._overlay: Mapping[str, bytes | str] = {}
        self.project = Project(shown=shown)
        self._linted = 0
        self.revise(overlay or {})

    def revise(self, overlay: Mapping[str, bytes | str]) -> None:
        """Replace what stands for files."""
        self._overlay = overlay
        self.project.revise({path: text for path, text in overlay.items() if not path.endswith(NOTEBOOK)})

    def data(self, path: str) -> bytes:
        """The bytes of a file, or what stands for them."""
        text = self._overlay.get(path)
        if text is None:
            return read_bytes(path)
        return text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")

    def lint(self, path: str, pedantic: bool = False) -> Raw:
        """Lint one file; `RuleError` for a rule that no file can use."""
        settings = replace(self.settings[path], pedantic=True) if pedantic else self.settings[path]
        raw = Raw(path)
        try:
            self._lint(raw, self.data(path), settings)
        except SourceError as error:
            raw.unreadable = True
            raw.problems = [Problem(error.path, error.line, error.column, error.reason)]
        except FileError as error:
            raw.unreadable = True
            raw.problems = [Problem(path, 0, 0, str(error).removeprefix(f"{path}: "))]
        except RuleError:
            raise
        except Exception as error:
            raw.unreadable = True
            raw.problems = [crash(path, "", error)]
        return raw

    def _lint(self, raw: Raw, data: bytes, settings: Settings) -> None:
        path = raw.path
        refuse_null_bytes(data, path)
        raw.digest = digest(data)
        raw.marked = MARK.encode() in data
        raw.trace = self.project.begin()
        worth = mentions_package(data)
        text = self._overlay.get(path)
        if isinstance(text, str):
            self._lint_text(raw, text, settings)
        elif path.endswith(NOTEBOOK):
            if worth or raw.marked or b"import" in data:
                self._lint_notebook(raw, data, settings, worth)
        elif worth or self.project.leads_to_tensorflow(data, path):
            if len(data) > LARGEST:
                size = f"{len(data) / 1e6:.1f} MB of source, generated no doubt"
                raise FileError(
                    f"{path}: {size}; beyond {LARGEST / 1e6:.0f} MB nothing is analysed: name it in `exclude`"
                )
            self._lint_text(raw, decode(data, path).text, settings)
        self._collect(len(data))

    def _lint_notebook(self, raw: Raw, data: bytes, settings: Settings, worth: bool) -> None:
        from tfnanlint.notebook import read_notebook

        book = read_notebook(data, raw.path)
        if book is None:
            return
        if not worth and not self.project.leads_to_tensorflow(book.text.encode("utf-8", "replace"), raw.path):
            raw.book = book if raw.marked else None
            return
        while True:
            try:
                self._lint_text(raw, book.text, settings)
                break
            except SourceError as error:  # the two parsers do not agree on everything
                book = book.without(error)
        raw.book = book

    def _lint_text(self, raw: Raw, text: str, settings: Settings) -> None:
        """Lint by the file's own rules, and once more by those of each file that it leads into and that has others."""
        linted = self._asked_for(text, raw.path, settings, settings)
        raw.findings, raw.problems = linted.findings, linted.problems
        around = {found for file in raw.trace.files if (found := self.settings.get(shown(file))) is not None}
        for theirs in sorted({replace(other, pedantic=settings.pedantic) for other in around} - {settings}, key=repr):
            raw.findings += self._asked_for(text, raw.path, settings, theirs).findings

    def _asked_for(self, text: str, path: str, own: Settings, by: Settings) -> Linted:
        """What is found by some settings, without what is in files that have others or that the run is not over."""
        plan = plan_of(by)
        linted = lint_raw(text, path, plan.rules, by.pedantic, plan.given, self.project)
        of: dict[str, Settings] = {path: own}
        for found in linted.findings:
            if found.path not in of and found.path in self.settings:
                of[found.path] = replace(self.settings[found.path], pedantic=by.pedantic)
        linted.findings = [found for found in linted.findings if of.get(found.path) == by]
        return linted

    def _collect(self, size: int) -> None:
        """Where nobody else does, throw away what is left of linted files, and pass over what is kept of others."""
        self._linted += size
        if self._linted > GARBAGE and len(self.settings) > 1 and not gc.isenabled():
            self._linted = 0
            gc.collect()
            gc.freeze()


def lint_text(text: str, path: str, plan: Plan, pedantic: bool = False, project: Project | None = None) -> Linted:
    """The findings in a text by itself, after its comments have been heard; `SourceError` if it is not Python."""
    linted = lint_raw(text, path, plan.rules, pedantic, plan.given, project)
    if MARK in text:

        def talkative() -> list[Finding]:
            return lint_raw(text, path, plan.rules, True, plan.given, project).findings

        left = silence(text, path, linted.findings, plan.scope, None if pedantic else talkative)
        linted.findings, linted.silenced = left.findings, left.silenced
    linted.findings, linted.silenced = plan.weighed(linted.findings), plan.weighed(linted.silenced)
    return linted


def lint_raw(
    text: str,
    path: str,
    rules: Rules,
    pedantic: bool = False,
    given: Given = NOTHING_GIVEN,
    project: Project | None = None,
) -> Linted:
    """Lint with every rule; if that crashes, with every rule that does not crash by itself."""
    from tfnanlint.lint import lint_source

    lint = partial(lint_source, text, path, pedantic=pedantic, project=project, given=given)
    try:
        return Linted(lint(rules=rules))
    except (SourceError, RuleError):
        raise
    except RecursionError:
        raise SourceError(path, 1, 1, "is nested too deeply to be analysed") from None
    except Exception as error:
        whole = error
    problems: list[Problem] = []
    crashing: list[str] = []
    for name in rules.names:
        try:
            lint(rules=rules.select([name], []))
        except Exception as error:
            crashing.append(name)
            problems.append(crash(path, f" in rule {name}", error))
    if len(crashing) == len(rules.names) > 1:
        return Linted(problems=[crash(path, "", whole)])
    if not crashing:
        return _without_one(lint, path, rules, whole)
    if len(crashing) == len(rules.names):
        return Linted(problems=problems)
    try:
        return Linted(lint(rules=rules.select([], crashing)), [], problems)
    except Exception as error:
        return Linted(problems=[*problems, crash(path, "", error)])


def _without_one(lint: Callable[..., list[Finding]], path: str, rules: Rules, whole: Exception) -> Linted:
    """Lint without the one rule that crashes only where others have a file looked at."""
    for name in rules.names:
        try:
            return Linted(lint(rules=rules.select([], [name])), [], [crash(path, f" in rule {name}", whole)])
        except Exception:
            continue
    return Linted(problems=[crash(path, "", whole)])


def crash(path: str, where: str, error: BaseException) -> Problem:
    """An internal error as a problem of one file."""
    import traceback

    text = "".join(traceback.format_exception(error))
    what = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    return Problem(path, 0, 0, f"internal error{where}: {what}", text)
