"""Where syntax nodes stand, computed for a whole file at once but only for files that need it.

libcst keeps no positions in its tree, and its metadata provider costs ten times the parse. Writing the
tree out once while noting where each node begins and ends costs about as much as parsing it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import libcst as cst
from libcst._nodes.internal import CodegenState

Span = tuple[int, int, int, int]
"""(line, column, end line, end column): from 1, in characters, the end exclusive."""


@dataclass
class Layout:
    """The span of every node but white space, without parentheses and surrounding white space, and its parent."""

    spans: dict[Any, Span] = field(default_factory=dict)
    parents: dict[Any, Any] = field(default_factory=dict)


_BLANK = frozenset({cst.SimpleWhitespace, cst.Newline, cst.TrailingWhitespace, cst.EmptyLine, cst.Comment})
"""More than half of all nodes; nobody asks where they stand."""


class _Recorder(CodegenState):  # libcst's own position provider is built on these same hooks
    """Notes where each node begins and ends as it is written out."""

    def __init__(self, layout: Layout, **rest: Any) -> None:
        super().__init__(**rest)
        self.spans, self.parents = layout.spans, layout.parents
        self.line, self.column = 1, 1
        self.open: list[tuple[Any, int, int]] = []

    def add_indent_tokens(self) -> None:
        for token in self.indent_tokens:
            self.add_token(token)

    def add_token(self, value: str) -> None:
        self.tokens.append(value)
        if "\n" in value or "\r" in value:
            value = value.replace("\r\n", "\n").replace("\r", "\n")
            self.line += value.count("\n")
            self.column = len(value) - value.rfind("\n")
        else:
            self.column += len(value)

    def before_codegen(self, node: Any) -> None:
        if type(node) in _BLANK:
            return
        if self.open:
            self.parents[node] = self.open[-1][0]
        self.open.append((node, self.line, self.column))

    def after_codegen(self, node: Any) -> None:
        if type(node) in _BLANK:
            return
        _, line, column = self.open.pop()
        if node not in self.spans:
            self.spans[node] = (line, column, self.line, self.column)

    def record_syntactic_position(self, node: Any, *, start_node: Any = None, end_node: Any = None) -> Any:
        return _Syntactic(self, node, start_node, end_node)


class _Syntactic:
    """The span between two inner nodes: the node itself without its parentheses and white space."""

    def __init__(self, state: _Recorder, node: Any, start: Any, end: Any) -> None:
        self.state, self.node, self.start, self.end = state, node, start, end

    def __enter__(self) -> None:
        self.begin = (self.state.line, self.state.column)

    def __exit__(self, raised: object, *more: object) -> None:
        if raised is not None:  # what stands inside is not written, and its span is not known
            return
        spans = self.state.spans
        first = spans[self.start][:2] if self.start is not None else self.begin
        last = spans[self.end][2:] if self.end is not None else (self.state.line, self.state.column)
        spans[self.node] = (*first, *last)


def layout_of(tree: cst.Module, lines: Sequence[str]) -> Layout:
    """The layout of a module that these lines, with their ends, were parsed into."""
    layout = Layout()
    state = _Recorder(layout, default_indent=tree.default_indent, default_newline=tree.default_newline)
    tree._codegen(state)
    if any("\f" in line for line in lines):
        _with_form_feeds(layout, lines, "".join(state.tokens))
    return layout


def _with_form_feeds(layout: Layout, lines: Sequence[str], written: str) -> None:
    """Move what stands behind a form feed at the start of a line: libcst has dropped it."""
    moved = {
        number: len(line) - len(kept)
        for number, (line, kept) in enumerate(
            zip(lines, re.findall(r"[^\r\n]*(?:\r\n|\r|\n|$)", written), strict=False), 1
        )
        if "\f" in line and len(line) > len(kept) and line.endswith(kept)
    }
    for node, (line, column, end_line, end_column) in layout.spans.items():
        if line in moved or end_line in moved:
            layout.spans[node] = (line, column + moved.get(line, 0), end_line, end_column + moved.get(end_line, 0))
