"""The plan of a run: the settings with their names resolved to rules."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from tfnanlint.assumptions import Assumptions
from tfnanlint.config.settings import Settings, all_rules
from tfnanlint.suppress.meta import CODES, GROUP, META, Scope
from tfnanlint.vocabulary import OFF

if TYPE_CHECKING:
    from tfnanlint.finding import Finding
    from tfnanlint.ruleset.rule import Rule, Rules


class Plan(NamedTuple):
    """Rules to apply, names that an ignore may hold, and the settings behind them."""

    rules: Rules
    scope: Scope
    settings: Settings = Settings()

    @property
    def assumptions(self) -> Assumptions:
        """The assumptions about the program."""
        return self.settings.assumptions

    def adjusted(self, findings: Iterable[Finding]) -> list[Finding]:
        """Findings as they are reported under the settings."""
        from tfnanlint.run.adjust import adjusted

        return adjusted(findings, self.settings)


@cache
def plan_of(settings: Settings) -> Plan:
    """The plan for settings whose names are known to exist."""
    every = all_rules(settings.folders)
    own = {*META, GROUP}
    off = _turned_off(settings, every)
    rules = every.select([name for name in settings.select if name not in own]).run_in(settings.modes)
    rules = rules.muting([*(name for name in settings.ignore if name not in own), *off])
    meta = {name for name in META if _is_wanted(name, settings) and name not in off}
    scope = Scope(frozenset(rules.names), frozenset(every.names), frozenset(meta), groups_of(every), codes_of(every))
    return Plan(rules, scope, settings)


def groups_of(rules: Iterable[Rule]) -> dict[str, Collection[str]]:
    """The rules of each group."""
    found: dict[str, set[str]] = {GROUP: set(META)}
    for rule in rules:
        found.setdefault(rule.group, set()).add(rule.name)
    return {**found}


def codes_of(rules: Iterable[Rule]) -> dict[str, Collection[str]]:
    """The rule of each code."""
    codes = {rule.code: (rule.name,) for rule in rules if rule.code}
    return {**codes, **{code: (name,) for name, code in CODES.items()}}


def _turned_off(settings: Settings, rules: Rules) -> set[str]:
    """The rules whose severity is `off`; what is said of a rule goes before what is said of its group."""
    severity = dict(settings.severity)
    if OFF not in severity.values():
        return set()
    groups = {rule.name: rule.group for rule in rules} | dict.fromkeys(META, GROUP)
    return {name for name, group in groups.items() if (severity.get(name) or severity.get(group)) == OFF}


def _is_wanted(name: str, settings: Settings) -> bool:
    names = {name, GROUP}
    return (not settings.select or not names.isdisjoint(settings.select)) and names.isdisjoint(settings.ignore)
