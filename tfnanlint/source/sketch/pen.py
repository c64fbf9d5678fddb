"""What draws a sketch: nodes with some of their fields, and blocks that are drawn at the first look."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import libcst as cst

put = object.__setattr__
"""Sets a field, frozen as nodes are."""

new: Callable[[Any], Any] = object.__new__
"""A node without any field."""


Draw = Callable[["Pen", Any], Any]
"""How one kind of node of Python's tree is drawn."""


class Pen:
    """Draws; and keeps where subscripts with slices stand, whose text is asked for."""

    def __init__(
        self, expressions: Mapping[type, Draw], small: Mapping[type, Draw], compound: Mapping[type, Draw]
    ) -> None:
        self._expressions = expressions
        self._small = small
        self._compound = compound
        self.slices: dict[Any, ast.Subscript] = {}

    def statements(self, body: Sequence[ast.stmt]) -> list[Any]:
        """A block's statements, those without a block of their own line by line."""
        found: list[Any] = []
        line: list[Any] = []
        last = 0
        for statement in body:
            if (compound := self._compound.get(type(statement))) is not None:
                found.append(compound(self, statement))
                line = []
                continue
            small = self._small.get(type(statement), _nothing)(self, statement)
            if line and statement.lineno == last:
                line.append(small)
            else:
                line = [small]
                drawn = new(cst.SimpleStatementLine)
                put(drawn, "body", line)
                found.append(drawn)
            last = statement.end_lineno or 0
        return found

    def draw(self, node: ast.expr) -> Any:
        """An expression."""
        return self._expressions.get(type(node), _unread)(self, node)

    def drawn(self, node: ast.expr | None) -> Any:
        """An expression that may be missing."""
        return None if node is None else self._expressions.get(type(node), _unread)(self, node)


class Block:
    """A block that is drawn at the first look."""

    __slots__ = ("_drawn", "_pen", "_statements")

    def __init__(self, pen: Pen, statements: Sequence[ast.stmt]) -> None:
        self._pen = pen
        self._statements = statements
        self._drawn: list[Any] | None = None

    @property
    def body(self) -> Sequence[Any]:
        if self._drawn is None:
            self._drawn = self._pen.statements(self._statements)
            self._statements = ()
        return self._drawn


def made(kind: type, **fields: Any) -> Any:
    """A syntax node with these fields and no other."""
    node = new(kind)
    for name, value in fields.items():
        put(node, name, value)
    return node


def named(name: str) -> Any:
    node = new(cst.Name)
    put(node, "value", name)
    return node


def dotted(name: str) -> Any:
    first, *rest = name.split(".")
    node = named(first)
    for one in rest:
        node = made(cst.Attribute, value=node, attr=named(one))
    return node


def _unread(pen: Pen, node: Any) -> Any:
    """An expression into which the lowering does not look."""
    return new(cst.FormattedString)


def _nothing(pen: Pen, node: Any) -> Any:
    """A statement that does nothing to any value."""
    return new(cst.Pass)
