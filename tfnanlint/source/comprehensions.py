"""Comprehensions: lists and dictionaries that a `for` makes of the elements of another value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tfnanlint.flow import Node
from tfnanlint.source import bindings, containers, grammar, loops, weights
from tfnanlint.source.values import Items, Many, Method, Scope, Table, Value, constant_of

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
            inner = low.scope(self.scope, "comprehension", self.scope.owner)
            part = self.node.for_in
            low.assign(part.target, containers.element_of(low, self.iterated, part.iter, self.scope, place), inner)
            self.elements[place] = low.expression(self.node.elt, inner)
        return self.elements[place]


def comprehension(low: Lowering, node: Any, scope: Scope, count: int = 0) -> Value:
    """A list comprehension or generator: element by element where they are known, or where `count` are unpacked."""
    inner = low.scope(scope, "comprehension", scope.owner)
    iterated = low.expression(node.for_in.iter, scope)
    iterated, plain = _filtered(low, node.for_in, iterated, inner)
    if count and plain and isinstance(iterated, (Node, Method)):
        iterated = Items(
            [containers.element_of(low, iterated, node.for_in.iter, scope, place) for place in range(count)]
        )
    if weights.is_list(iterated):
        iterated = weights.all_of_them(low, node.for_in.iter, scope)
    if isinstance(iterated, Items) and len(iterated.values) <= containers.UNROLLED and plain and not low.crowded:
        results = []
        for value in iterated.values:
            low.assign(node.for_in.target, value, inner)
            results.append(low.expression(node.elt, inner))
        return Items(results)
    named = bindings.by_expressions(low.file, node)
    result = _turn(low, node, node.elt, iterated, inner, scope, named)
    if not isinstance(result, Node):
        return Many(result)
    made = low.flow.add("stack", (result,), {}, low.origin(node, scope))
    if plain and not named and isinstance(iterated, Node) and containers.has_elements(iterated):
        low.comprehensions[made] = Comprehension(iterated, node, scope)
    return made


def dictionary_comprehension(low: Lowering, node: grammar.DictComp, scope: Scope) -> Value:
    """A dictionary comprehension: its values, under keys that are known or not."""
    inner = low.scope(scope, "comprehension", scope.owner)
    iterated = low.expression(node.for_in.iter, scope)
    iterated, plain = _filtered(low, node.for_in, iterated, inner)
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
    table.rest = _turn(low, node, node.value, iterated, inner, scope, bindings.by_expressions(low.file, node))
    return table


def _filtered(low: Lowering, part: grammar.CompFor, iterated: Value, inner: Scope) -> tuple[Value, bool]:
    """What a comprehension keeps of a value, and whether that is known of each element: its tests are of constants."""
    if part.inner_for_in is not None:
        return iterated, False
    if not part.ifs:
        return iterated, True
    if not isinstance(iterated, Items) or len(iterated.values) > containers.UNROLLED or low.crowded:
        return iterated, False
    kept = []
    for value in iterated.values:
        low.assign(part.target, value, inner)
        passed = [constant_of(low.expression(condition.test, inner)) for condition in part.ifs]
        if not all(isinstance(one, bool) for one in passed):
            return iterated, False
        kept += [value] if all(passed) else []
    return Items(kept), True


def _turn(
    low: Lowering, node: Any, element: Any, iterated: Value, inner: Scope, scope: Scope, named: Sequence[str]
) -> Value:
    """An element of a comprehension of unknown length; `named` are the names that its parts bind."""
    found: list[Value] = []

    def body() -> bool:
        _bind_parts(low, node.for_in, iterated, inner, scope)
        found.append(low.expression(element, inner))
        return False

    loops.turned(low, body, named, node, scope.body)
    return found[0]


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
