"""Whether a text is Python, as Python's own parser has it."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from tfnanlint.errors import SourceError

NOT_PYTHON = (SyntaxError, ValueError, RecursionError, MemoryError)
"""What the parser raises at a text that is not Python."""


def syntax_of(text: str, path: str) -> ast.Module:
    """The syntax tree of a text; `SourceError` if it is not valid Python."""
    with _told(path):
        return ast.parse(text)


def check_syntax(text: str, path: str) -> None:
    """Raise `SourceError` if a text is not valid Python; building no tree saves most of the time."""
    from symtable import symtable

    with _told(path):
        symtable(text, path, "exec")


@contextmanager
def _told(path: str) -> Iterator[None]:
    """Raise invalid Python as a `SourceError` of its file."""
    try:
        yield
    except RecursionError:
        raise SourceError(path, 1, 1, "nested too deeply to analyse") from None
    except NOT_PYTHON as error:
        line, column, reason = trouble_of(error)
        raise SourceError(path, line, column, f"not valid Python: {reason}") from error


def trouble_of(error: Exception) -> tuple[int, int, str]:
    """Line, column and reason of what the parser raised."""
    line, column = getattr(error, "lineno", None) or 1, getattr(error, "offset", None) or 1
    reason = getattr(error, "msg", None) or str(error) or type(error).__name__
    if reason == "invalid syntax":  # it may be that of a newer Python
        reason += f" for Python {sys.version_info[0]}.{sys.version_info[1]}, which runs tfnanlint"
    return line, max(column, 1), reason
