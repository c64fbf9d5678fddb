"""Comprehensions: lists and dictionaries that a `for` makes of the elements of another value."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tfnanlint.flow import Node
from tfnanlint.source import containers, grammar
from tfnanlint.source.values import Items, Many, Scope, Table, Value, constant_of

if TYPE_CHECKING:
    from tfnanlint.source.lower import Lowering


@dataclass(eq=False)
class Comprehension:
    """A list comprehension over a value whose elements are not known one by one."""

    iterated: Node
    node: Any
    scope: Scope
    elements: dict[int, Value] = field(default_factory=dict)
    """The elements that the program asked for, by their places."""

    def at(self, low: Lowering, place: int) -> Value:
        """The element at a place: the expression of the comprehension, for that element of what it iterates over."""
        if place not in self.elements:
            inner = low.scope(self.scope, "function", self.scope.owner)
            part = self.node.for_in
            low.assign(part.target, containers.element_of(low, self.iterated, part.iter, self.scope, place), inner)
            self.elements[place] = low.expression(self.node.elt, inner)
        return self.elements[place]


def comprehension(low: Lowering, node: Any, scope: Scope, count: int = 0) -> Value:
    """A list comprehension or generator: element by element where they are known, or where `count` are unpacked."""
    inner = low.scope(scope, "function", scope.owner)
    iterated = low.expression(node.for_in.iter, scope)
    plain = not node.for_in.ifs and node.for_in.inner_for_in is None
    if count and plain and isinstance(iterated, Node):
        iterated = Items(
            [containers.element_of(low, iterated, node.for_in.iter, scope, place) for place in range(count)]
        )
    if isinstance(iterated, Items) and len(iterated.values) <= containers.UNROLLED and plain and not low.crowded:
        results = []
        for value in iterated.values:
            low.assign(node.for_in.target, value, inner)
            results.append(low.expression(node.elt, inner))
        return Items(results)
    with low.inside_loop():
        _bind_parts(low, node.for_in, iterated, inner, scope)
        result = low.expression(node.elt, inner)
    if not isinstance(result, Node):
        return Many(result)
    made = low.flow.add("stack", (result,), {}, low.origin(node, scope))
    if plain and isinstance(iterated, Node) and containers.has_elements(iterated):
        low.comprehensions[made] = Comprehension(iterated, node, scope)
    return made


def dictionary_comprehension(low: Lowering, node: grammar.DictComp, scope: Scope) -> Value:
    """A dictionary comprehension: its values, under keys that are known or not."""
    inner = low.scope(scope, "function", scope.owner)
    iterated = low.expression(node.for_in.iter, scope)
    plain = not node.for_in.ifs and node.for_in.inner_for_in is None
    table = Table({})
    if isinstance(iterated, Items) and len(iterated.values) <= containers.UNROLLED and plain and not low.crowded:
        for value in iterated.values:
            low.assign(node.for_in.target, value, inner)
            key = constant_of(low.expression(node.key, inner))
            held = low.expression(node.value, inner)
            if isinstance(key, (str, int)):
                table.entries[key] = held
            else:
                table.rest = held
        return table
    with low.inside_loop():
        _bind_parts(low, node.for_in, iterated, inner, scope)
        table.rest = low.expression(node.value, inner)
    return table


def _bind_parts(low: Lowering, part: grammar.CompFor | None, iterated: Value, inner: Scope, scope: Scope) -> None:
    """The targets of a comprehension's `for` parts, bound to some element of what each iterates over."""
    first = part
    while part is not None:
        if part is not first:
            iterated = low.expression(part.iter, inner)
        low.assign(part.target, containers.element_of(low, iterated, part.iter, scope), inner)
        for condition in part.ifs:
            low.expression(condition.test, inner)
        part = part.inner_for_in
