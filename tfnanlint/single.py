"""One file, from its bytes to its outcome: a cheap look, linting, ignore comments, repairs.

Whatever happens to one file stays with it: what cannot be read, and a rule that crashes on it, become `Problem`s.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, partial
from typing import TYPE_CHECKING

from tfnanlint.config import Settings, all_rules
from tfnanlint.errors import RuleError, SourceError
from tfnanlint.files import FileError, decode, read_bytes, refuse_null_bytes
from tfnanlint.finding import Finding
from tfnanlint.given import NOTHING_GIVEN, Given
from tfnanlint.pragma import GROUP, MARK, META, Scope, silence
from tfnanlint.rounds import Linted, Problem, fix_text

if TYPE_CHECKING:
    from tfnanlint.source.project import Project
    from tfnanlint.template import Rules

PACKAGES = (b"tensorflow", b"keras")
"""A file that names none of them is done with before even the rules are loaded."""
NOTEBOOK = ".ipynb"

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
class Outcome:
    """What came of one file. `before` and `after` are its bytes where it has been repaired; nothing is written here."""

    path: str
    findings: list[Finding] = field(default_factory=list)
    silenced: list[Finding] = field(default_factory=list)
    fixed: list[Finding] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    before: bytes | None = None
    after: bytes | None = None


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


def check_file(path: str, settings: Settings) -> Outcome:
    """Check the file at a path."""
    try:
        data = read_bytes(path)
    except FileError as error:
        return Outcome(path, problems=[Problem(path, 0, 0, str(error).removeprefix(f"{path}: "))])
    return check_bytes(data, path, settings)


def check_bytes(data: bytes, path: str, settings: Settings) -> Outcome:
    """Check the bytes of a file, and repair them as the settings say; `RuleError` for a rule that no file can use."""
    try:
        return _check_bytes(data, path, settings)
    except SourceError as error:
        return Outcome(path, problems=[Problem(error.path, error.line, error.column, error.reason)])
    except FileError as error:
        return Outcome(path, problems=[Problem(path, 0, 0, str(error).removeprefix(f"{path}: "))])
    except RuleError:
        raise
    except Exception as error:
        return Outcome(path, problems=[_crash(path, "", error)])


def _check_bytes(data: bytes, path: str, settings: Settings) -> Outcome:
    refuse_null_bytes(data, path)
    marked = MARK.encode() in data
    if not marked and not any(name in data for name in PACKAGES):
        return Outcome(path)
    plan = plan_of(settings)
    if path.endswith(NOTEBOOK):
        return _check_notebook(data, path, plan, settings)
    worth = _is_worth_parsing(data, plan)
    if not worth and not marked:
        return Outcome(path)
    if worth and len(data) > LARGEST:
        size = f"{len(data) / 1e6:.1f} MB of source, generated no doubt"
        raise FileError(f"{path}: {size}; beyond {LARGEST / 1e6:.0f} MB nothing is analysed: name it in `exclude`")
    source = decode(data, path)
    outcome, text = _check_text(source.text, path, plan, settings, worth)
    if text != source.text:
        if source.encode(source.text) != data:
            raise FileError(f"{path}: would not survive decoding and encoding as {source.encoding}, not fixed")
        outcome.before, outcome.after = data, source.encode(text)
    return outcome


def _check_notebook(data: bytes, path: str, plan: Plan, settings: Settings) -> Outcome:
    from tfnanlint.notebook import read_notebook

    book = read_notebook(data, path)
    if book is None:
        return Outcome(path)
    while True:
        worth = _is_worth_parsing(book.text.encode("utf-8", "surrogatepass"), plan)
        try:
            outcome, text = _check_text(book.text, path, plan, settings, worth)
            break
        except SourceError as error:  # the two parsers do not agree on everything
            book = book.without(error)
    for found in (outcome.findings, outcome.silenced, outcome.fixed):
        found[:] = book.placed(text, found)
    outcome.problems = [_placed(p, *book.place(text, p.line)) if p.line else p for p in outcome.problems]
    outcome.problems += [Problem(path, t.line, t.column, t.reason, cell=t.cell) for t in book.troubles]
    if text != book.text:
        outcome.before, outcome.after = data, book.encode(text)
    return outcome


def _placed(problem: Problem, cell: int, line: int) -> Problem:
    return replace(problem, cell=cell, line=line)


def _check_text(text: str, path: str, plan: Plan, settings: Settings, worth: bool) -> tuple[Outcome, str]:
    """What comes of a text, and the text after its repairs."""

    def lint(text: str) -> Linted:
        return lint_text(text, path, plan, settings.pedantic, worth)

    if settings.fix == "none":
        linted = lint(text)
        return Outcome(path, linted.findings, linted.silenced, problems=linted.problems), text
    fixed = fix_text(text, path, lint, settings.fix == "unsafe")
    return Outcome(path, fixed.findings, fixed.silenced, fixed.fixed, fixed.problems), fixed.text


def lint_text(
    text: str, path: str, plan: Plan, pedantic: bool = False, worth: bool = True, project: Project | None = None
) -> Linted:
    """The findings in a text after its ignore comments have been heard; `SourceError` if it is not Python.

    `worth` is False for a text in which only the comments can be a finding.
    """
    lint = partial(_lint, text, path, plan.rules, given=plan.given, project=project)
    linted = lint(pedantic=pedantic) if worth else Linted()
    if MARK in text:
        talkative = None if pedantic or not worth else lambda: lint(pedantic=True).findings
        left = silence(text, path, linted.findings, plan.scope, talkative)
        linted.findings, linted.silenced = left.findings, left.silenced
    if plan.only_meta:
        linted.findings = [found for found in linted.findings if found.rule in META]
    if plan.severity:
        linted.findings, linted.silenced = plan.weighed(linted.findings), plan.weighed(linted.silenced)
    return linted


def _is_worth_parsing(data: bytes, plan: Plan) -> bool:
    """The cheap look; where even that fails, the file gets the full one, which says what is wrong."""
    from tfnanlint.lint import worth_parsing

    try:
        return worth_parsing(data, plan.rules) or plan.given.speaks_of(data.decode("utf-8", "replace"))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return True


def _lint(text: str, path: str, rules: Rules, pedantic: bool, given: Given, project: Project | None = None) -> Linted:
    """Lint with every rule; if that crashes, with every rule that does not crash by itself."""
    from tfnanlint.lint import lint_source

    more = {"project": project} if project is not None else {}
    try:
        return Linted(lint_source(text, path, rules=rules, pedantic=pedantic, given=given, **more))
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
            lint_source(text, path, rules=rules.select([name], []), pedantic=pedantic, given=given)
        except Exception as error:
            crashing.append(name)
            problems.append(_crash(path, f" in rule {name}", error))
    if not crashing or len(crashing) == len(rules.names) > 1:
        return Linted(problems=[_crash(path, "", whole)])
    if len(crashing) == len(rules.names):
        return Linted(problems=problems)
    try:
        return Linted(
            lint_source(text, path, rules=rules.select([], crashing), pedantic=pedantic, given=given), [], problems
        )
    except Exception as error:
        return Linted(problems=[*problems, _crash(path, "", error)])


def _crash(path: str, where: str, error: BaseException) -> Problem:
    """An internal error as a problem of one file."""
    import traceback

    text = "".join(traceback.format_exception(error))
    what = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    return Problem(path, 0, 0, f"internal error{where}: {what}", text)
