"""Exact positions: the call within a user's line that a graph node came from.

A stack knows only lines, and under AutoGraph only the first line of a statement. The nth node of an op that a statement
created is matched to the nth expression of the statement that can create it, in Python's order of evaluation. If the
numbers do not match, the position is the line.
"""

from __future__ import annotations

import ast
import io
import linecache
import os
import re
import tokenize
from collections.abc import Iterator
from functools import lru_cache

from tfnanlint.contents import contents
from tfnanlint.finding import Place
from tfnanlint.graph.origin import GraphOrigin, Sites
from tfnanlint.graph.stack import Frame
from tfnanlint.ops import OPS

_OPERATORS: dict[type[ast.AST], tuple[str, ...]] = {
    ast.Add: ("add",),
    ast.Sub: ("subtract",),
    ast.Mult: ("multiply", "square", "neg"),
    ast.Div: ("divide",),
    ast.Pow: ("pow", "square", "sqrt", "rsqrt", "reciprocal"),
    ast.MatMult: ("matmul",),
    ast.Mod: ("floormod",),
    ast.FloorDiv: ("floordiv",),
    ast.USub: ("neg",),
}


class Positions:
    """Where the nodes of one lowered graph stand."""

    def __init__(self, sites: Sites) -> None:
        self.sites = sites

    def __call__(self, origin: GraphOrigin | Frame | None) -> Place | None:
        """The place of an origin or of a frame; None where the graph keeps no stacks."""
        if origin is None:
            return None
        if isinstance(origin, tuple):
            return _line(origin)
        frame = origin.site
        if frame is None:
            return None
        found = _expressions(frame, origin.row) if frame == origin.stack.site else []
        count = self.sites.count(origin)
        if not found or count % len(found):
            return _line(frame)
        node = found[origin.ordinal % len(found)]
        lines = lines_of(frame[0])
        end_line, end = node.end_lineno or node.lineno, node.end_col_offset or node.col_offset
        column, end_column = _column(lines, node.lineno, node.col_offset), _column(lines, end_line, end)
        return (shown(frame[0]), node.lineno, column, end_line, end_column)


def shown(path: str) -> str:
    """A path as it is reported: relative to the working directory where it lies below it."""
    try:
        relative = os.path.relpath(path)
    except ValueError:  # another drive
        return path
    return path if relative.startswith("..") or path.startswith("<") else relative


def lines_of(path: str) -> list[str]:
    """The lines of a source file, read once; none of a file that cannot be read, or that is not regular.

    A pipe, which the stacks beside a saved graph may name, would not end.
    """
    if path not in linecache.cache:
        try:
            data, status = contents(path), os.stat(path)
            encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
            lines = io.TextIOWrapper(io.BytesIO(data), encoding).readlines()
        except (OSError, SyntaxError, LookupError, ValueError):
            return []
        linecache.cache[path] = (status.st_size, status.st_mtime, lines, path)
    return linecache.getlines(path)


def _column(lines: list[str], line: int, offset: int) -> int:
    """A column in characters, from 1, of an offset in bytes."""
    text = lines[line - 1] if line <= len(lines) else ""
    return len(text.encode("utf-8", "surrogatepass")[:offset].decode("utf-8", "ignore")) + 1


def _line(frame: Frame) -> Place:
    """All of a line's code."""
    path, line, _ = frame
    lines = lines_of(path)
    text = lines[line - 1].rstrip() if 0 < line <= len(lines) else ""
    column = len(text) - len(text.lstrip()) + 1
    return (shown(path), line, column, line, max(column, len(text) + 1))


_HEAD = re.compile(r"(?:@|(?:async\s+)?def\s|class\s)")
"""How a line begins with which a function or a class of a module does."""


@lru_cache(maxsize=1024)
def _around(path: str, first: int, last: int) -> tuple[ast.stmt, ...]:
    """All statements of some lines of a file; none where they are not statements."""
    try:
        tree = ast.parse("\n" * (first - 1) + "".join(lines_of(path)[first - 1 : last]))
    except (SyntaxError, ValueError, RecursionError):
        return ()
    return tuple(_statements_in(tree))


def _block(path: str, line: int) -> tuple[int, int]:
    """The first and the last line of the function or class of a module that a line lies in, as the text has it."""
    lines = lines_of(path)
    first = line = max(1, min(line, len(lines)))  # a file may have changed, and what is not a file has no lines
    while first > 1 and not _HEAD.match(lines[first - 1]):
        first -= 1
    while first > 1 and lines[first - 2].startswith("@"):
        first -= 1
    last = line
    while last < len(lines) and not lines[last][:1].strip():
        last += 1
    return first, last


@lru_cache(maxsize=64)
def statements(path: str) -> tuple[ast.stmt, ...]:
    """All statements of a file; none where it cannot be read."""
    try:
        tree = ast.parse("".join(lines_of(path)))
    except (SyntaxError, ValueError, RecursionError):
        return ()
    return tuple(_statements_in(tree))


def _statements_in(node: ast.AST) -> Iterator[ast.stmt]:
    """The statements below a node, found without a look at the expressions, which are most of a tree."""
    for part in ("body", "orelse", "handlers", "finalbody", "cases"):
        for child in getattr(node, part, ()):
            if isinstance(child, ast.stmt):
                yield child
            yield from _statements_in(child)


def statement_at(path: str, line: int) -> ast.stmt | None:
    """The innermost statement around a line."""
    near = _around(path, *_block(path, line)) or statements(path)  # a whole file takes long to read
    around = [s for s in near if s.lineno <= line <= (s.end_lineno or s.lineno)]
    return max(around, key=lambda s: (s.lineno, -(s.end_lineno or s.lineno), s.col_offset), default=None)


@lru_cache(maxsize=4096)
def _expressions(frame: Frame, op: str) -> list[ast.expr]:
    """The expressions of the statement at a line that can make an op, in the order they are evaluated."""
    statement = statement_at(frame[0], frame[1])
    if statement is None or op not in OPS:
        return []
    names = {name.rsplit(".", 1)[-1] for spelling in OPS[op].spellings for name in spelling.names}
    return [node for node in _evaluated(statement) if _makes(node, op, names)]


def _evaluated(node: ast.AST) -> Iterator[ast.expr]:
    """The expressions of a statement, operands before what they are operands of; nested statements left out."""
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.stmt):
            yield from _evaluated(child)
    if isinstance(node, ast.expr):
        yield node


def _makes(node: ast.expr, op: str, names: set[str]) -> bool:
    if isinstance(node, ast.Call):
        function = node.func
        return getattr(function, "attr", None) in names or getattr(function, "id", None) in names
    if isinstance(node, (ast.BinOp, ast.UnaryOp)):
        return op in _OPERATORS.get(type(node.op), ())
    return isinstance(node, ast.Subscript) and op == "getitem" and isinstance(node.ctx, ast.Load)
