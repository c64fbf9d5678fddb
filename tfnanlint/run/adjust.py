"""How settings change findings: severities, the least certainty to report, and which rules are fixed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from tfnanlint.config.settings import Settings
from tfnanlint.finding import Finding
from tfnanlint.vocabulary import CERTAINTIES, SEVERITIES

FAIL_ON = "warning"
"""The severity from which on findings make a run fail, where nothing else is said."""


def adjusted(findings: Iterable[Finding], settings: Settings) -> list[Finding]:
    """The findings as they are reported under these settings; what is merely possible stays an `info`."""
    return [one for found in findings for one in _adjusted(found, settings)]


def _adjusted(found: Finding, settings: Settings) -> Iterator[Finding]:
    if settings.min_certainty and CERTAINTIES.index(found.certainty) > CERTAINTIES.index(settings.min_certainty):
        return
    names = (found.rule, found.group)
    severity = dict(settings.severity)
    asked = severity.get(found.rule) or severity.get(found.group)
    if asked and found.certainty != "possible":
        found = replace(found, severity=asked)
    if found.fix and not set(names).isdisjoint(settings.unfixable):
        found = replace(found, fix=None, no_fix="`unfixable` in the configuration excludes this rule")
    yield found


def fails(found: Finding, fail_on: str) -> bool:
    """Whether a finding makes a run fail that fails from this severity on."""
    return SEVERITIES.index(found.severity) <= SEVERITIES.index(fail_on or FAIL_ON)
