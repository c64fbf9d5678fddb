"""Parts of arrays that are written out as numbers: which rows and columns a subscript takes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tfnanlint.flow import Node
from tfnanlint.source import grammar
from tfnanlint.source.values import Scope, constant_of

if TYPE_CHECKING:
    from tfnanlint.source.lower import Lowering

WRAPPED = frozenset({"constant", "convert_to_tensor"})
"""Ops that make a tensor of an array."""


def part(low: Lowering, array: Node, node: grammar.Subscript, scope: Scope) -> Node | None:
    """The part of an array of numbers that a subscript takes; None where either is not known."""
    held = array.operands[0] if array.op in WRAPPED and array.operands else array
    numbers = _numbers(held)
    if not isinstance(numbers, tuple):
        return None
    places = [_place(low, element.slice, scope) for element in node.slice]
    if None in places:
        return None
    try:
        found = low.flow.constant(_taken(numbers, places), low.origin(node, scope))
    except (IndexError, TypeError, ValueError):
        return None  # it has no such part, or fewer axes
    return found if held is array else low.flow.add(array.op, (found,), array.attrs, low.origin(node, scope))


def _numbers(array: Node) -> Any:
    """The numbers of an array that is written out, as nested tuples; None where some are not."""
    if array.op != "stack" or array.attrs:
        return array.constant
    parts = tuple(_numbers(one) for one in array.operands)
    return None if None in parts else parts


def _place(low: Lowering, index: Any, scope: Scope) -> int | slice | None:
    if isinstance(index, grammar.Index):
        held = constant_of(low.expression(index.value, scope))
        return held if isinstance(held, int) and not isinstance(held, bool) else None
    bounds = []
    for bound in (index.lower, index.upper, index.step):
        held = constant_of(low.expression(bound, scope)) if bound is not None else None
        if bound is not None and not isinstance(held, int):
            return None
        bounds.append(held)
    return slice(*bounds)


def _taken(values: Any, places: list[Any]) -> Any:
    if not places:
        return values
    if isinstance(values, str):
        raise TypeError
    first, *rest = places
    return tuple(_taken(v, rest) for v in values[first]) if isinstance(first, slice) else _taken(values[first], rest)
