"""Whether a text is Python, as Python's own parser has it."""

from __future__ import annotations

import ast
import re
import sys
import token
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
DEEPEST = 600
"""The most levels of an expression: libcst's parser takes time with the square of them, or a gigabyte of memory."""
LONGEST_LINE = 2 * DEEPEST
"""The longest line, in characters, that holds no expression of so many levels."""
PER_LEVEL = 4
"""How many times as long libcst's parser takes for a token of a pattern with each bracket around it."""
MOST_EFFORT = 1_000_000
"""The most tokens in patterns, each counted by the brackets around it: about a second."""
_CASES = re.compile(r"(?:^|[\n\r])[ \t\f]*case\b")
_OPENING, _CLOSING = frozenset("([{"), frozenset(")]}")
_BLANK = frozenset((token.COMMENT, token.NL))
_BETWEEN = frozenset((token.NEWLINE, token.INDENT, token.DEDENT))
"""Tokens between two statements."""
_LINKS = re.compile(r"\b(?:and|or)\b")


def syntax_of(text: str, path: str) -> ast.Module:
    """The syntax tree of a text; `SourceError` if it is not valid Python."""
    with _told(path):
        return ast.parse(text)


def module_of(text: str) -> cst.Module:
    """The concrete syntax tree of a text.

    `RecursionError` if it is nested too deeply: libcst's parser would overflow the stack of the process, or take long.
    """
    import libcst as cst

    if _may_be_deep(text):
        try:
            tree = ast.parse(text)
        except NOT_PYTHON:
            raise RecursionError from None
        if _is_deep(tree):
            raise RecursionError
    if _CASES.search(text):
        from tokenize import TokenError

        try:
            deep = _has_deep_pattern(text)
        except (TokenError, *NOT_PYTHON):
            raise RecursionError from None
        if deep:
            raise RecursionError
    return cst.parse_module(text)


def _may_be_deep(text: str) -> bool:
    """Whether a text may hold an expression that is too deep; few may, and only they are parsed for that."""
    if max(map(len, text.splitlines()), default=0) > LONGEST_LINE or text.count("\\\n") > LONGEST_CHAIN // 2:
        return True
    return sum(1 for _ in _LINKS.finditer(text)) > LONGEST_CHAIN


def _is_deep(tree: ast.Module) -> bool:
    """Whether a chain in a tree is too long, or an expression too deep."""
    todo: list[tuple[ast.AST, int]] = [(tree, 0)]
    while todo:
        node, depth = todo.pop()
        depth = 0 if isinstance(node, ast.stmt) else depth + 1
        if depth > DEEPEST or _length_of(node) > LONGEST_CHAIN:
            return True
        todo += [(child, depth) for child in ast.iter_child_nodes(node)]
    return False


def _has_deep_pattern(text: str) -> bool:
    """Whether libcst's parser would take long for the patterns of the `match` statements in a text.

    Brackets need not leave a trace in a tree, so tokens are counted.
    """
    from io import StringIO
    from tokenize import generate_tokens

    effort, depth, inside, starts = 0, 0, False, True
    for kind, word, *_ in generate_tokens(StringIO(text, newline=None).readline):
        if kind in _BLANK:
            continue
        if starts and word == "case":
            inside, depth = True, 0
        starts = kind in _BETWEEN
        if not inside:
            continue
        depth += (word in _OPENING) - (word in _CLOSING)
        inside = not starts and (depth > 0 or word not in (":", "if"))
        effort += PER_LEVEL ** min(depth, DEEPEST)
        if effort > MOST_EFFORT:
            return True
    return False


def _length_of(node: ast.AST) -> int:
    """The number of parts of a chain that libcst's parser nests; 1 for all other nodes."""
    if isinstance(node, ast.BoolOp):
        return len(node.values)
    if isinstance(node, ast.ImportFrom):
        return (node.module or "").count(".") + 1
    return max(one.name.count(".") for one in node.names) + 1 if isinstance(node, ast.Import) else 1


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
    if "integer string conversion" in reason:
        reason = "a number has too many digits to be read"
    if reason == "invalid syntax":  # it may be that of a newer Python
        reason += f" (parsed as Python {sys.version_info[0]}.{sys.version_info[1]}, the version that runs tfnanlint)"
    return line, max(column, 1), reason
