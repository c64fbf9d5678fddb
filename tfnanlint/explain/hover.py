"""The ranges of the values at one position of a text, for an editor's hover."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tfnanlint.assumptions import NO_ASSUMPTIONS, Assumptions
from tfnanlint.lint import parse
from tfnanlint.source.syntax import syntax_of

if TYPE_CHECKING:
    from tfnanlint.flow import Node
    from tfnanlint.source.positions import Span
    from tfnanlint.source.project import Project
    from tfnanlint.source.source_file import SourceFile


@dataclass(frozen=True)
class Revealed:
    """A value: the code that gives it, where that stands, its op, its range in words, its element type if known."""

    code: str
    span: Span
    op: str
    range: str
    dtype: str | None


def revealed(
    text: str,
    path: str,
    line: int,
    column: int,
    project: Project | None = None,
    assumptions: Assumptions = NO_ASSUMPTIONS,
) -> list[Revealed]:
    """The ranges of the innermost expression at a position (from 1); raises `SourceError`.

    There are several values if the surrounding code runs in several contexts.
    """
    from tfnanlint.facts import Facts
    from tfnanlint.source.lower import lower

    syntax_of(text, path)  # which knows what the parser would choke on
    file = parse(text, path, assumptions)
    facts = Facts(lower(file, project))
    at: dict[Span, list[Node]] = {}
    for span, node in _placed(file, facts.flow):
        if span[:2] <= (line, column) < span[2:]:
            at.setdefault(span, []).append(node)
    if not at:
        return []
    span = max(at, key=lambda span: (span[0], span[1], -span[2], -span[3]))
    code = " ".join(_slice(file, span).split())
    found: dict[Revealed, None] = {}
    for node in at[span]:
        held = facts.range(node)
        told = "" if held.outer.unknown else held.told
        found[Revealed(code, span, node.op, told, facts.dtype(node))] = None
    known = [one for one in found if one.range or one.dtype]
    return known or list(found)[:1]


def _placed(file: SourceFile, flow: Any) -> Iterator[tuple[Span, Node]]:
    """The values of a file with the expressions that give them: calls and operators, and what those are handed."""
    import libcst as cst

    spans, parents = file.layout.spans, file.layout.parents
    last: dict[Any, Node] = {}
    for node in flow:
        origin = node.origin
        if origin is None or origin.file is not file:
            continue
        if isinstance(origin.expr, (cst.BaseExpression, cst.Param)):
            last[origin.scope, origin.time, origin.expr] = node
        for operand, expression in origin.arguments:
            if expression in spans:
                yield spans[expression], operand
    for (*_, expression), node in last.items():
        if expression in spans:
            span = spans[expression]
            yield span, node
            parent = parents.get(expression)
            if isinstance(parent, (cst.Assign, cst.AnnAssign)):
                targets = [t.target for t in parent.targets] if isinstance(parent, cst.Assign) else [parent.target]
                yield from ((spans[t], node) for t in targets if isinstance(t, cst.Name) and t in spans)


def _slice(file: SourceFile, span: Span) -> str:
    line, column, end_line, end_column = span
    lines = file.lines[line - 1 : end_line]
    lines[-1] = lines[-1][: end_column - 1]
    lines[0] = lines[0][column - 1 :]
    return "".join(lines)
