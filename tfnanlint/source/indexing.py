"""Subscripts: which rows and columns are taken of arrays that are written out as numbers, which axes they add."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tfnanlint.flow import Node, behind
from tfnanlint.source import grammar
from tfnanlint.source.values import Origin, Path, Scope, constant_of, is_none

if TYPE_CHECKING:
    from tfnanlint.source.lower import Lowering

WRAPPED = frozenset({"constant", "convert_to_tensor", "cast"})
"""Ops that make a tensor of an array, or one of another type."""


def part(low: Lowering, array: Node, node: grammar.Subscript, scope: Scope) -> Node | None:
    """The part of an array of numbers that a subscript takes; None where either is not known."""
    if not isinstance(_numbers(behind(array, WRAPPED)), tuple):
        return None
    places = [_place(low, element.slice, scope) for element in node.slice]
    return _cut(low, array, places, low.origin(node, scope)) if None not in places else None


def element(low: Lowering, array: Node, place: int, origin: Origin) -> Node | None:
    """The element of an array of numbers that is unpacked to a place; None where it is not known."""
    return _cut(low, array, [place], origin)


def _cut(low: Lowering, array: Node, places: list[Any], origin: Origin) -> Node | None:
    """A part of an array of numbers, as a tensor where the array is one."""
    if array.op in WRAPPED and array.operands:
        inner = _cut(low, array.operands[0], places, origin)
        return low.flow.add(array.op, (inner, *array.operands[1:]), array.attrs, origin) if inner is not None else None
    numbers = _numbers(array)
    try:
        return low.flow.constant(_taken(numbers, places), origin) if isinstance(numbers, tuple) else None
    except (IndexError, TypeError, ValueError):
        return None  # it has no such part, or fewer axes


def widened(low: Lowering, array: Node, node: grammar.Subscript, scope: Scope) -> Node | None:
    """An array with axes of length 1 that a subscript adds, as in `x[:, None]`; None where it does anything else."""
    places = [_axis(low, element.slice, scope) for element in node.slice]
    if None in places or "new" not in places:
        return None
    dots = places.index("...") if "..." in places else len(places)
    for at, place in enumerate(places):
        if place == "new":
            axis = at if at < dots else -1 - sum(later != "new" for later in places[at + 1 :])
            origin = low.origin(node, scope, arguments=((array, node.value),))
            array = low.flow.add("expand_dims", (array,), {"axis": axis}, origin)
    return array


def _axis(low: Lowering, index: Any, scope: Scope) -> str | None:
    """An axis that is added or left as it is, or all others; None where it is cut."""
    if isinstance(index, grammar.Slice):
        return ":" if (index.lower, index.upper, index.step) == (None, None, None) else None
    if isinstance(index.value, grammar.Ellipsis):
        return "..."
    if not isinstance(index.value, (grammar.Name, grammar.Attribute)):
        return None
    held = low.expression(index.value, scope)
    new = held.dotted.endswith(".newaxis") if isinstance(held, Path) else is_none(held)
    return "new" if new else None


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
