"""Whether a text is Python, as Python's own parser has it."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from tfnanlint.errors import SourceError

if TYPE_CHECKING:
    import libcst as cst

NOT_PYTHON = (SyntaxError, ValueError, RecursionError, MemoryError)
"""What the parser raises at a text that is not Python."""


LONGEST_CHAIN = 1_000
"""The most parts of an `and`, an `or` or a dotted name in an import: libcst's parser nests them, Python's does not."""
LONGEST_LINE = 2 * LONGEST_CHAIN
"""The longest line, in characters, that holds no dotted name of so many parts."""


def syntax_of(text: str, path: str) -> ast.Module:
    """The syntax tree of a text; `SourceError` if it is not valid Python."""
    with _told(path):
        return ast.parse(text)


def module_of(text: str) -> cst.Module:
    """The concrete syntax tree of a text.

    `RecursionError` if it is nested too deeply: libcst's parser would overflow the stack of the process.
    """
    import libcst as cst

    if _may_be_deep(text):
        try:
            tree = ast.parse(text)
        except NOT_PYTHON:
            raise RecursionError from None
        if any(map(_is_deep, ast.walk(tree))):
            raise RecursionError
    return cst.parse_module(text)


def _may_be_deep(text: str) -> bool:
    """Whether a text has room for a chain that is too long; few have, and only they are parsed for that."""
    if text.count("and") + text.count("or") > LONGEST_CHAIN or text.count("\\\n") > LONGEST_CHAIN // 2:
        return True
    return max(map(len, text.splitlines()), default=0) > LONGEST_LINE


def _is_deep(node: ast.AST) -> bool:
    """Whether a node is a chain that is too long."""
    if isinstance(node, ast.BoolOp):
        return len(node.values) > LONGEST_CHAIN
    if isinstance(node, ast.ImportFrom):
        return (node.module or "").count(".") > LONGEST_CHAIN
    return isinstance(node, ast.Import) and any(one.name.count(".") > LONGEST_CHAIN for one in node.names)


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
