"""Syntax trees of the kinds of `grammar`, drawn after that of Python's own parser as far as the lowering looks at them.

libcst keeps every blank and comment, which a repair needs and the search for a hazard does not: most files hold none,
and a sketch of them costs a fraction of their syntax tree in time and in memory. It has no white space, no parentheses
and no positions; a block is drawn when it is first looked into, so that of an imported module little but what is called
is drawn at all. What a sketch leaves out is missing, not empty: asking for it is an `AttributeError`.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from tfnanlint.source import grammar
from tfnanlint.source.lines import python_lines
from tfnanlint.source.sketch.expressions import EXPRESSIONS
from tfnanlint.source.sketch.pen import Block, Pen
from tfnanlint.source.sketch.statements import COMPOUND, SMALL


class Sketch:
    """What the lowering looks at of a module: its body, and the text of a subscript."""

    def __init__(self, tree: ast.Module, text: str) -> None:
        self._text = text
        self._lines: list[str] | None = None
        self._pen = Pen(EXPRESSIONS, SMALL, COMPOUND)
        self._block = Block(self._pen, tree.body)

    @property
    def body(self) -> Sequence[Any]:
        return self._block.body

    def code_for_node(self, node: grammar.Syntax) -> str:
        """The text of a subscript with a slice or `...` in it."""
        drawn = self._pen.slices[node]
        if self._lines is None:
            self._lines = python_lines(self._text)
        lines = self._lines[drawn.lineno - 1 : drawn.end_lineno]
        lines[-1] = lines[-1].encode()[: drawn.end_col_offset].decode()
        lines[0] = lines[0].encode()[drawn.col_offset :].decode()
        return "".join(lines)
