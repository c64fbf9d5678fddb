"""One text: linted with every rule; if a rule crashes, with all others."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from tfnanlint.assumptions import NO_ASSUMPTIONS, Assumptions
from tfnanlint.errors import RuleError, SourceError
from tfnanlint.run.problem import Problem, crash
from tfnanlint.suppress.meta import is_marked

if TYPE_CHECKING:
    from tfnanlint.finding import Finding
    from tfnanlint.ruleset.rule import Rules
    from tfnanlint.run.plan import Plan
    from tfnanlint.source.project import Project


@dataclass
class Linted:
    """The outcome of linting one text."""

    findings: list[Finding] = field(default_factory=list)
    silenced: list[Finding] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


def lint_text(text: str, path: str, plan: Plan, pedantic: bool = False, project: Project | None = None) -> Linted:
    """The findings in a text by itself, after its comments have been heard; `SourceError` if it is not Python."""
    linted = lint_raw(text, path, plan.rules, pedantic, plan.assumptions, project)
    if is_marked(text):
        from tfnanlint.suppress.pragma import silence

        def talkative() -> list[Finding]:
            return lint_raw(text, path, plan.rules, True, plan.assumptions, project).findings

        scope = plan.scope.of_a_part() if linted.problems else plan.scope
        left = silence(text, path, linted.findings, scope, None if pedantic else talkative)
        linted.findings, linted.silenced = left.findings, left.silenced
    linted.findings, linted.silenced = plan.adjusted(linted.findings), plan.adjusted(linted.silenced)
    return linted


def lint_raw(
    text: str,
    path: str,
    rules: Rules,
    pedantic: bool = False,
    assumptions: Assumptions = NO_ASSUMPTIONS,
    project: Project | None = None,
) -> Linted:
    """Lint with every rule; if that crashes, with every rule that does not crash by itself."""
    from tfnanlint.lint import lint_source
    from tfnanlint.source.truncation import MOST_WORDS, analyzed_text

    text, beyond = analyzed_text(text)
    if beyond is not None:
        words = f"the first {MOST_WORDS:,} words"
        what = (
            f"only {words} (to line {beyond - 1}) were linted" if text else f"not linted: no statement ends in {words}"
        )
        linted = lint_raw(text, path, rules, pedantic, assumptions, project)
        linted.problems.append(Problem(path, beyond, 1, f"{what}; split the file, or name it in `exclude`"))
        return linted
    lint = partial(lint_source, text, path, pedantic=pedantic, project=project, assumptions=assumptions)
    try:
        return Linted(lint(rules=rules))
    except (SourceError, RuleError):
        raise
    except RecursionError:
        raise SourceError(path, 1, 1, "nested too deeply to analyse") from None
    except Exception as error:
        whole = error
    problems: list[Problem] = []
    crashing: list[str] = []
    names = [rule.name for rule in rules.matched]
    for name in names:
        try:
            lint(rules=rules.select([name], []))
        except Exception as error:
            crashing.append(name)
            if name in rules.names:  # one that is ignored need not work
                problems.append(crash(path, f" in rule {name}", error))
    if len(crashing) == len(names) > 1:
        return Linted(problems=[crash(path, "", whole)])
    if not crashing:
        return _without_one(lint, path, rules, whole)
    if len(crashing) == len(names):
        return Linted(problems=problems)
    try:
        return Linted(lint(rules=rules.select([], crashing)), [], problems)
    except Exception as error:
        return Linted(problems=[*problems, crash(path, "", error)])


def _without_one(lint: Callable[..., list[Finding]], path: str, rules: Rules, whole: Exception) -> Linted:
    """Lint without the one rule that crashes only where others have a file looked at."""
    for name in [rule.name for rule in rules.matched]:
        try:
            left = lint(rules=rules.select([], [name]))
        except Exception:
            continue
        return Linted(left, [], [crash(path, f" in rule {name}", whole)] if name in rules.names else [])
    return Linted(problems=[crash(path, "", whole)])
