"""The order in which the functions of a file and the methods of a class are read: each behind its callers.

A function that is read behind its callers has been followed with their arguments, and need not be read on its own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any, TypeVar

from tfnanlint.source import grammar
from tfnanlint.source.grammar import kind_of
from tfnanlint.source.inheritance import named_in, stored_by, syntax_in, used_by
from tfnanlint.source.values import Class, Function, Scope, Table, parts_of

Called = TypeVar("Called", bound=Function | Class)
CHOOSING = frozenset({"Equal", "NotEqual", "In", "NotIn"})
"""Comparisons that tell one of several choices."""


def makers_first(methods: Sequence[Function]) -> list[Function]:
    """The methods of a class in an order in which those that make an attribute stand before those that use it.

    Only what is used before any method above has made it changes its place.
    """
    stored = [stored_by(method) for method in methods]
    order: list[Function] = []
    made: set[str] = set()
    every = set().union(*stored)
    for place, method in enumerate(methods):
        missing = used_by(method) & every - made - stored[place] if every - made else set()
        for later in range(place + 1, len(methods)) if missing else ():
            if not missing.isdisjoint(stored[later]) and methods[later] not in order:
                order.append(methods[later])
                made |= stored[later]
        if method not in order:
            order.append(method)
            made |= stored[place]
    return order


def callers_first(
    functions: Sequence[Called],
    named_by: Callable[[Called], AbstractSet[str]],
    stays: Callable[[Called], object] = lambda function: False,
) -> list[Called]:
    """Functions or classes in an order in which those that others of them call stand last, each behind its callers.

    Once its callers have been followed into it, its parameters are known. `named_by` gives the names that occur in a
    function. What `stays` keeps its place.
    """
    by_name = {function.name: function for function in functions}
    callees = {one: [by_name[name] for name in sorted(by_name.keys() & named_by(one))] for one in functions}
    callees = {one: [callee for callee in called if callee.name != one.name] for one, called in callees.items()}
    waiting = Counter(callee for called in callees.values() for callee in called)
    ready = [one for one in functions if not waiting[one] or stays(one)]
    placed = dict.fromkeys(ready)
    for one in ready:  # which grows
        for callee in callees[one]:
            waiting[callee] -= 1
            if not waiting[callee] and callee not in placed:
                placed[callee] = None
                ready.append(callee)
    return [*placed, *(one for one in functions if one not in placed)]  # the others call each other


def decisive(function: Function) -> frozenset[str]:
    """The names that a function compares with one of several choices, as `order` in `if order == 1`."""
    known = function.file.decisive_in_functions
    if function.node not in known:
        found: set[str] = set()
        stack: list[Any] = [function.node.body]
        while stack:
            at = stack.pop()
            if isinstance(at, grammar.Comparison):
                if isinstance(at.left, grammar.Name) and kind_of(at.comparisons[0].operator) in CHOOSING:
                    found.add(at.left.value)
            else:
                stack.extend(syntax_in(at))
        known[function.node] = frozenset(found)
    return known[function.node]


def names_in(function: Function) -> set[str]:
    """The names that occur in the body of a function, those of attributes aside."""
    return named_in(function).plain


def held_in(module: Scope) -> dict[str, set[str]]:
    """The names of the functions and classes that each dictionary of a module holds, such as a registry of losses."""
    found = {}
    for name, value in module.names.items():
        held = parts_of(value) if isinstance(value, Table) else []
        if members := {one.name for one in held if isinstance(one, (Function, Class))}:
            found[name] = members
    return found


def names_through(registries: Mapping[str, AbstractSet[str]], function: Function) -> set[str]:
    """The names that occur in the body of a function, and those of the functions in dictionaries that occur there."""
    names = names_in(function)
    return names.union(*(registries[one] for one in names & registries.keys()))


def handing_on(name: str, module: Scope) -> frozenset[str]:
    """The names by which other files get at a function or class: its own, of dictionaries of it, of what returns it."""
    registries = held_in(module)
    makers = [one for one in module.names.values() if isinstance(one, Function) and one.scope is module]
    found, size = {name}, 0
    while len(found) > size:
        size = len(found)
        found |= {table for table, members in registries.items() if not members.isdisjoint(found)}
        found |= {maker.name for maker in makers if not names_in(maker).isdisjoint(found)}
    return frozenset(found)


def names_in_class(cls: Class) -> set[str]:
    """The names that occur in the methods of a class, and those of its bases."""
    methods = (names_in(one) for one in cls.scope.names.values() if isinstance(one, Function))
    return {base.name for base in cls.bases if isinstance(base, Class)}.union(*methods)
