"""Fixes that move the replacement of NaN from the output of trained layers to their input.

The rule expresses this by a repair that is the value after the layers, with another input for the first of them.
"""

from __future__ import annotations

from typing import Any

import libcst as cst

from tfnanlint.finding import Edit
from tfnanlint.fix import hoist, syntax
from tfnanlint.fix.departure import Departure, departures_between
from tfnanlint.fix.dialect import NoFix, same_value
from tfnanlint.fix.printer import Printer
from tfnanlint.fix.rebinding import bindings_between
from tfnanlint.fix.reconfigure import is_own_call
from tfnanlint.fix.sequence import moved_in_a_sequence
from tfnanlint.fix.text import text_of, with_edits
from tfnanlint.fix.wrap import fitted
from tfnanlint.flow import Node, is_layer
from tfnanlint.match.captures import Match
from tfnanlint.source.source_file import SourceFile
from tfnanlint.source.values import Origin

ELSEWHERE = NoFix("the inputs of the layers before it cannot be changed here")


def is_relocation(match: Match) -> bool:
    """Whether a repair is the patched value itself, computed from another input."""
    repaired = match.pattern.repaired
    return isinstance(repaired, Node) and repaired.op == "downstream"


def relocated(match: Match) -> tuple[list[Edit], str]:
    """The edits that patch what comes in and no longer what comes out, and the new input; raises `NoFix`."""
    behind = next(
        (value for (above, place), (value, _) in match.places.items() if above.operands[place].op == "downstream"), None
    )
    repaired: Node = match.pattern.repaired.operands[0]
    wanted = [d for above, _ in match.places if above.op == "downstream" for d in _departures(above, repaired)]
    if behind is None or len(wanted) != 1 or wanted[0].path[-1] not in match.places:
        raise ELSEWHERE
    value, layer = match.places[wanted[0].path[-1]]
    first = _first_of(layer)
    if first is not layer:
        value = next((operand for operand in first.operands if operand.op != "variable"), value)
    call = _call_of(value, first)
    if call is None:
        listed = moved_in_a_sequence(match.root.origin, first)
        if listed is None:
            raise ELSEWHERE
        return listed
    return _moved(match, behind, *call) or _written_anew(match, behind, *call, wanted[0])


def _departures(downstream: Node, repaired: Node) -> list[Departure]:
    return departures_between(downstream.operands[0], repaired)


def _first_of(layer: Node) -> Node:
    """The first of the layers that a layer stands behind, in the order in which they are called."""
    seen: set[Node] = set()
    stack = [layer]
    while stack:
        node = stack.pop()
        if node not in seen:
            seen.add(node)
            stack.extend(node.operands)
    alike = [n for n in seen if is_layer(n) and is_layer(layer)]
    alike += [n for n in seen if n.op == layer.op and any(o.op == "variable" for o in n.operands)]
    return min(alike, key=lambda node: node.index, default=layer)


def _call_of(value: Node, layer: Node) -> tuple[Origin, cst.BaseExpression] | None:
    """Where a layer is called, and the expression that it is called on."""
    origin: Origin = layer.origin
    here = origin if origin.written else (origin.calls[-1] if origin.calls else None)
    if here is None:
        return None
    given = here.expression_of(value)
    if given is None and is_layer(layer) and isinstance(here.expr, cst.Call) and here.expr.args:
        first = here.expr.args[0]
        given = first.value if first.keyword is None and not first.star else None
    return (here, given) if given is not None and _denotes(given, value, here) else None


def _denotes(expression: cst.BaseExpression, node: Node, origin: Origin) -> bool:
    """Whether an expression at a place is the one that gave a value."""
    if isinstance(expression, cst.Name):
        held = origin.scope.value_at(expression.value, origin.time)
        return same_value(held, node)
    return node.origin.expr is expression


def _moved(match: Match, behind: Node, first: Origin, expression: cst.BaseExpression) -> tuple[list[Edit], str] | None:
    """The edits that move the call of a function or a layer that patches."""
    for call in reversed(match.root.origin.calls):
        expr: Any = call.expr
        if not isinstance(expr, cst.Call) or len(expr.args) != 1 or expr.args[0].keyword is not None:
            continue
        if call.scope is not first.scope or call.file is not first.file or call.loop != first.loop:
            continue
        if not _denotes(expr.args[0].value, behind, call):
            continue
        names = [n for n in syntax.walk(expr.func) if isinstance(n, cst.Name)]
        moving = [n.value for n in names if not syntax.is_attribute_name(call.file, n)]
        if any(
            first.scope.value_at(name, first.time) is not call.scope.value_at(name, call.time)
            or bindings_between(call.file, name, first.expr, expr)
            for name in moving
        ) or not all(_is_making(node) for node in syntax.walk(expr.func) if isinstance(node, cst.Call)):
            raise NoFix("the replacement value is not defined yet where the first layer is called")
        spans, file = call.file.layout.spans, call.file
        text = f"{text_of(file, spans[expr.func])}({text_of(file, spans[expression])})"
        before = Edit(file.path, *spans[expression], fitted(file, spans[expression], text))
        kept = expr.args[0].value
        if syntax.is_within(call.file.layout, expression, kept):
            return [Edit(file.path, *spans[expr], with_edits(file, spans[kept], [before]))], text
        return [before, _without(file, expr, text_of(file, spans[kept]))], text
    return None


def _without(file: SourceFile, patch: Any, kept: str) -> Edit:
    """The edit that leaves of a patch what it was for; a statement that would assign a name to itself goes."""
    statement = syntax.statement_of(file, patch)
    if statement is not None and syntax.assigned_name(statement, patch) == kept:
        removal = hoist.remove_statement(file, statement)
        if removal is not None:
            return removal
    return Edit(file.path, *file.layout.spans[patch], kept)


def _is_making(call: cst.Call) -> bool:
    """Whether a call makes a layer, as far as its name tells."""
    name = call.func.attr.value if isinstance(call.func, cst.Attribute) else getattr(call.func, "value", "")
    return isinstance(name, str) and name[:1].isupper()


def _written_anew(
    match: Match, behind: Node, origin: Origin, expression: cst.BaseExpression, departure: Departure
) -> tuple[list[Edit], str]:
    """The edits that drop a patch that is written out, and write it for the input."""
    root: Origin = match.root.origin
    if not is_own_call(root) or root.scope is not origin.scope or root.file is not origin.file:
        raise NoFix("the code to change spans several functions")
    kept = next((e for value, e in root.arguments if value is behind), None)
    if not isinstance(kept, cst.Name):
        raise ELSEWHERE
    printer = Printer(match, origin, expression, departure)
    text, _ = printer.printed()
    spans, file = origin.file.layout.spans, origin.file
    before = Edit(file.path, *spans[expression], fitted(file, spans[expression], text))
    if text_of(file, spans[root.expr]).count("#"):
        raise NoFix("the fix would delete a comment")
    return [*printer.edits, before, _without(file, root.expr, kept.value)], text
