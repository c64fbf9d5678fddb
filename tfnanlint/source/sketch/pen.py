"""What draws a sketch: nodes with some of their fields, and blocks that are drawn at the first look."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tfnanlint.source import grammar

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
                drawn = grammar.SimpleStatementLine()
                drawn.body = line
                found.append(drawn)
            last = statement.end_lineno or 0
        return found

    def draw(self, node: ast.expr) -> Any:
        """An expression."""
        return self._expressions.get(type(node), _unread)(self, node)

    def drawn(self, node: ast.expr | None) -> Any:
        """An expression that may be missing."""
        return None if node is None else self._expressions.get(type(node), _unread)(self, node)


class Block(grammar.Suite):
    """A block that is drawn at the first look."""

    pen: Pen
    statements: Sequence[ast.stmt]

    def __init__(self, pen: Pen, statements: Sequence[ast.stmt]) -> None:
        self.pen, self.statements = pen, statements

    def __getattr__(self, name: str) -> Sequence[Any]:
        """The statements in it, which are not yet drawn."""
        if name != "body":
            raise AttributeError(name)
        self.body = self.pen.statements(self.statements)
        del self.pen, self.statements
        return self.body


def made(kind: type, **fields: Any) -> Any:
    """A syntax node with these fields and no other."""
    node = kind()
    for name, value in fields.items():
        setattr(node, name, value)
    return node


def named(name: str) -> Any:
    node = grammar.Name()
    node.value = name
    return node


def dotted(name: str) -> Any:
    first, *rest = name.split(".")
    node = named(first)
    for one in rest:
        node = made(grammar.Attribute, value=node, attr=named(one))
    return node


def _unread(pen: Pen, node: Any) -> Any:
    """An expression into which the lowering does not look."""
    return made(grammar.FormattedString, parts=())


def _nothing(pen: Pen, node: Any) -> Any:
    """A statement that does nothing to any value."""
    return grammar.Pass()
