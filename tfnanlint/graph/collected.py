"""Findings of several graphs combined: each one once, without those that a comment in its file ignores."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from tfnanlint.errors import SourceError
from tfnanlint.finding import Finding
from tfnanlint.run.files import FileError, read
from tfnanlint.suppress.meta import Scope, is_marked
from tfnanlint.suppress.pragma import Silenced, silence


def placed(findings: Iterable[Finding], path: str) -> list[Finding]:
    """Findings with a path for those without a source line."""
    return [found if found.has_source else replace(found, path=path) for found in findings]


def told_once(findings: Iterable[Finding]) -> list[Finding]:
    """Findings without what several traces have in common, in order."""
    best: dict[Any, Finding] = {}
    for found in findings:
        key = (*found.position, "" if found.has_source else found.node)
        if key not in best or (found.proved and not best[key].proved):
            best[key] = found
    return sorted(best.values(), key=lambda found: (found.position, found.node or ""))


def heard(findings: Iterable[Finding]) -> Silenced:
    """Findings without those that a comment in their files ignores."""
    by_path: dict[str, list[Finding]] = {}
    for found in findings:
        by_path.setdefault(found.path if found.has_source else "", []).append(found)
    result = Silenced([], [])
    for path, there in by_path.items():
        text = _text(path)
        try:
            left = silence(text, path, there, _ALL, None) if is_marked(text) else Silenced(there, [])
        except SourceError:
            left = Silenced(there, [])
        result.findings += left.findings
        result.silenced += left.silenced
    result.findings.sort(key=lambda found: (found.position, found.node or ""))
    return result


_ALL = Scope((), (), frozenset())
"""An ignore that seems to silence nothing may be there for the source pass: nothing is said of the comments."""


def _text(path: str) -> str:
    try:
        return read(path).text if path else ""
    except (FileError, SourceError):
        return ""
