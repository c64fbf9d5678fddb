"""Fixes that move a layer of a `Sequential` model before another one: in its list, or among its calls of `add`."""

from __future__ import annotations

from typing import Any

import libcst as cst

from tfnanlint.finding import Edit
from tfnanlint.fix import hoist, syntax
from tfnanlint.fix.dialect import NoFix
from tfnanlint.fix.text import text_of
from tfnanlint.fix.wrap import flat
from tfnanlint.flow import Node
from tfnanlint.source.source_file import SourceFile
from tfnanlint.source.values import Function, Origin

_SHAPES = frozenset({"input_shape", "input_dim", "batch_input_shape", "input_length"})


def moved_in_a_sequence(patch: Origin, first: Node) -> tuple[list[Edit], str] | None:
    """The edits that put the `Lambda` layer that patches before the layer that is called first; else None."""
    made: Origin = first.origin
    file, expr = made.file, made.expr
    if not isinstance(expr, cst.Call) or patch.file is not file:
        return None
    parents = file.layout.parents
    holder: Any = parents.get(expr)
    if not isinstance(holder, cst.Element):
        holder = syntax.statement_of(file, expr)
        if holder is None or _added(holder, holder) is not expr:
            return None
    listed = isinstance(holder, cst.Element)
    row: list[Any] = list(getattr(parents.get(holder), "elements" if listed else "body", ()))
    layers = [one.value if listed else _added(one, holder) for one in row]
    found = [place for place, layer in enumerate(layers) if _patches(layer, patch, made)]
    if len(found) != 1:
        return None
    if any(arg.keyword is not None and arg.keyword.value in _SHAPES for arg in expr.args):
        raise NoFix("the first layer sets the input shape, so no layer can precede it")
    moved = found[0]
    edits = _moved_element(file, layers, moved, expr) if listed else _moved_statement(file, row[moved], holder)
    text = text_of(file, file.layout.spans[layers[moved]])
    return edits, f"{flat(text) or text}, before the first layer with weights"


def _patches(layer: Any, patch: Origin, where: Origin) -> bool:
    """Whether a layer is a `Lambda` of the function that a patch is written in."""
    if not isinstance(layer, cst.Call) or not layer.args:
        return False
    name = layer.func.attr.value if isinstance(layer.func, cst.Attribute) else getattr(layer.func, "value", "")
    given: Any = layer.args[0].value
    if isinstance(given, cst.Name):
        held = where.scope.value_at(given.value, where.time)
        given = held.node if isinstance(held, Function) else None
    return name == "Lambda" and given is not None and syntax.is_within(patch.file.layout, patch.expr, given)


def _added(statement: Any, like: Any) -> cst.BaseExpression | None:
    """The layer that a statement adds to a model, to the same one as another statement."""
    call, other = _call(statement), _call(like)
    if call is None or other is None or len(call.args) != 1 or not isinstance(call.func, cst.Attribute):
        return None
    layer: cst.BaseExpression = call.args[0].value
    return layer if call.func.attr.value == "add" and call.func.deep_equals(other.func) else None


def _call(statement: Any) -> cst.Call | None:
    """The call that a statement is."""
    only = statement.body[0] if isinstance(statement, cst.SimpleStatementLine) else None
    return only.value if isinstance(only, cst.Expr) and isinstance(only.value, cst.Call) else None


def _moved_element(file: SourceFile, layers: list[Any], moved: int, first: cst.Call) -> list[Edit]:
    """The edits that move an element of a list, with its line where it has one to itself."""
    spans = file.layout.spans
    line, column = spans[first][:2]
    before = file.lines[line - 1][: column - 1]
    separator = f",{file.newline}{before}" if not before.strip() else ", "
    start, end = spans[layers[moved]][:2], spans[layers[moved]][2:]
    rest = file.lines[end[0] - 1][end[1] - 1 :].strip()
    if not file.lines[start[0] - 1][: start[1] - 1].strip() and rest in ("", ",") and end[0] < len(file.lines):
        start, end = (start[0], 1), (end[0] + 1, 1)
    else:
        start = spans[layers[moved - 1]][2:]
    if "#" in text_of(file, (*start, *end)):
        raise NoFix("the fix would delete a comment")
    text = text_of(file, spans[layers[moved]])
    return [Edit(file.path, line, column, line, column, f"{text}{separator}"), Edit(file.path, *start, *end, "")]


def _moved_statement(file: SourceFile, moved: cst.SimpleStatementLine, first: cst.SimpleStatementLine) -> list[Edit]:
    """The edits that move a statement to before another one."""
    spans = file.layout.spans
    line, column = spans[first.body[0]][:2]
    removal = hoist.remove_statement(file, moved)
    if removal is None:
        raise NoFix("the fix would delete a comment")
    text = text_of(file, spans[moved.body[0]])
    indent = file.lines[line - 1][: column - 1]
    return [Edit(file.path, line, column, line, column, f"{text}{file.newline}{indent}"), removal]
