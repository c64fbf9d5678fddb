"""The ways a run itself can go wrong; each carries a sentence that names the thing and the way out."""

from __future__ import annotations


class TfnanlintError(Exception):
    """Base of every error this package raises on purpose; the command line exits with status 2."""


class SourceError(TfnanlintError):
    """A file that cannot be read as Python: `path`, `line` and `column` say where (from 1)."""

    def __init__(self, path: str, line: int, column: int, reason: str) -> None:
        super().__init__(f"{path}:{line}:{column}: {reason}")
        self.path, self.line, self.column, self.reason = path, line, column, reason


class RuleError(TfnanlintError):
    """A rule file that does not follow the rule form."""


class ConfigError(TfnanlintError):
    """A configuration that cannot be used: unknown key, unknown rule, wrong type."""
