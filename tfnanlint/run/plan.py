"""What settings come to, once the rules are known that their names stand for."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from tfnanlint.assumptions import NOTHING_GIVEN, Given
from tfnanlint.config.settings import Settings, all_rules
from tfnanlint.suppress.meta import GROUP, META, Scope

if TYPE_CHECKING:
    from tfnanlint.finding import Finding
    from tfnanlint.ruleset.rule import Rules


class Plan(NamedTuple):
    """Rules to apply, and names that an ignore may hold.

    `severity` has what findings are reported as, by rule or group; `given` is what is known of the program beforehand.
    """

    rules: Rules
    scope: Scope
    severity: tuple[tuple[str, str], ...] = ()
    given: Given = NOTHING_GIVEN

    def weighed(self, findings: Iterable[Finding]) -> list[Finding]:
        """Findings with the severities that were asked for."""
        from tfnanlint.finding import weighed

        return weighed(findings, dict(self.severity))


@cache
def plan_of(settings: Settings) -> Plan:
    """The plan for settings whose names are known to exist."""
    every = all_rules(settings.folders)
    own = {*META, GROUP}
    select = [name for name in settings.select if name not in own]
    rules = every.select(select, [name for name in settings.ignore if name not in own]).run_in(settings.modes)
    meta = {name for name in META if _is_wanted(name, settings)}
    scope = Scope(frozenset(rules.names), frozenset(every.names), frozenset(meta))
    return Plan(rules, scope, settings.severity, settings.given)


def _is_wanted(name: str, settings: Settings) -> bool:
    names = {name, GROUP}
    return (not settings.select or not names.isdisjoint(settings.select)) and names.isdisjoint(settings.ignore)
