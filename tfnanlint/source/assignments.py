"""Assignments: names, attributes, the entries of dictionaries, elements of lists and arrays, and several at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfnanlint.flow import Node
from tfnanlint.source import containers, functions, grammar
from tfnanlint.source.values import Instance, Items, Layer, Many, Path, Scope, Table, Value, nodes_in, parts_of

if TYPE_CHECKING:
    from tfnanlint.source.lower import Lowering


def assign(low: Lowering, target: grammar.Expression, value: Value, scope: Scope) -> None:
    """Give a name, an attribute, an element or several of them a value."""
    if isinstance(target, grammar.Name):
        low.bind(scope, target.value, value)
    elif isinstance(target, (grammar.Tuple, grammar.List)):
        _unpack(low, target, value, scope)
    elif isinstance(target, grammar.Attribute):
        _set_attribute(low, target, value, scope)
    elif isinstance(target, grammar.Subscript):
        _set_element(low, target, value, scope)


def _set_attribute(low: Lowering, target: grammar.Attribute, value: Value, scope: Scope) -> None:
    owner = low.expression(target.value, scope)
    low.flow.kept.update(nodes_in(value))
    if isinstance(value, Node):
        low.note_name(value, target.attr.value)
        if functions.is_minimised(target.attr.value):
            low.differentiate(value, "stored as a loss", low.origin(target, scope))
    if isinstance(owner, Instance):
        low.stores.put(owner.attributes, target.attr.value, value)
    elif isinstance(owner, Layer):
        low.stores.put(owner.arguments, target.attr.value, value)
    elif isinstance(owner, Path) and target.attr.value in low.flags:
        low.stores.put(low.flags, target.attr.value, value)
    else:
        low.forget_reads()


def _set_element(low: Lowering, target: grammar.Subscript, value: Value, scope: Scope) -> None:
    owner = low.expression(target.value, scope)
    key = containers.subscript_key(low, target, scope)
    if any(part is owner for part in parts_of(value)):
        return  # it would come to hold itself
    if isinstance(owner, Table) and key is not None:
        low.stores.put(owner.entries, key, value)
    elif isinstance(owner, Table):  # under a key that is not known
        held = [owner.rest, value] if owner.rest is not None else [value]
        owner.rest = low.join(held, target, scope)
    elif isinstance(owner, Items) and isinstance(key, int) and -len(owner.values) <= key < len(owner.values):
        low.stores.put(owner.values, key, value)
    elif isinstance(owner, (Items, Many)):
        containers.put(low, owner, value, target, scope)
    elif isinstance(owner, Node) and isinstance(key, str):  # a dictionary, such as a batch
        containers.put_entry(low, owner, key, value, target, scope)
    elif isinstance(owner, Node):  # an array, which is another one from here on
        changed = containers.replaced(low, owner, value, target, scope)
        assign(low, target.value, changed or low.unknown(target, scope, [owner, *nodes_in(value)]), scope)


def _unpack(low: Lowering, target: grammar.Tuple | grammar.List, value: Value, scope: Scope) -> None:
    elements = [e.value for e in target.elements]
    starred = any(isinstance(e, grammar.StarredElement) for e in target.elements)
    known = containers.unpacked(low, value, len(elements), starred)
    for place, element in enumerate(elements):
        at = None if starred else place
        item = known[place] if known is not None else containers.element_of(low, value, element, scope, at)
        assign(low, element, item, scope)
