"""Errors of a run; each message names the file, the problem and a way out."""

from __future__ import annotations

from collections.abc import Iterable


class TfnanlintError(Exception):
    """Base of every error this package raises on purpose; the command line exits with status 2."""


class SourceError(TfnanlintError):
    """A file that is not valid Python; `path`, `line` and `column` (from 1) give the position."""

    def __init__(self, path: str, line: int, column: int, reason: str) -> None:
        super().__init__(f"{path}:{line}:{column}: {reason}")
        self.path, self.line, self.column, self.reason = path, line, column, reason


class RuleError(TfnanlintError):
    """A rule file that does not follow the rule form."""


class ConfigError(TfnanlintError):
    """An invalid configuration: unknown key, unknown rule, wrong type."""


def rule_hint(name: str, known: Iterable[str]) -> str:
    """The hint for a name that no rule and no group has."""
    if len(name.split()) > 1:
        return "; separate names with commas"
    return suggestion(name, known)


def suggestion(name: str, known: Iterable[str], otherwise: str = "") -> str:
    """`; did you mean ...?` for the nearest name, else the list of what there is."""
    import difflib

    names = {one.lower(): one for one in sorted(known)}
    near = difflib.get_close_matches(name.lower(), names, n=1)
    return f"; did you mean `{names[near[0]]}`?" if near else f"; there are: {otherwise}" if otherwise else ""
