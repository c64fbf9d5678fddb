"""Inherited methods that behave differently in a subclass, because they use what it overrides."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import fields, is_dataclass
from typing import Any

from tfnanlint.source import grammar
from tfnanlint.source.source_file import Named
from tfnanlint.source.values import Class, Function

_FIELDS: dict[type, tuple[str, ...]] = {}
_LATER = frozenset(("pen", "statements"))
"""Fields of a sketched block that are there for drawing it later."""
_BLANK = frozenset("comma semicolon lpar rpar lbracket rbracket lbrace rbrace header footer indent".split())
_BLANK_ENDS = ("whitespace", "lines", "after_decorators")
"""The fields of libcst's nodes that hold white space and signs, and nothing that has a name."""


def affected(cls: Class, entries: frozenset[str]) -> list[Function]:
    """The methods that a class inherits from the program's own and that use what it overrides; `entries` aside."""
    above = list(cls.lineage())[1:]
    if not above:
        return []
    own = {name for name in cls.scope.names if not name.startswith("__")} - entries
    methods = _methods(above)
    made = [value for name, value in cls.scope.names.items() if name in entries]
    stored = [used_by(value) for value in (*made, *(methods[name] for name in entries & methods.keys() if made))]
    overridden = own.union(*stored)
    inherited = {name: method for name, method in methods.items() if name not in cls.scope.names}
    return [
        method
        for name, method in inherited.items()
        if name not in entries and not name.startswith("__") | (name == "__call__")
        if not overridden.isdisjoint(_closure(method, inherited))
    ]


def _methods(classes: list[Class]) -> dict[str, Function]:
    found: dict[str, Function] = {}
    for cls in classes:
        for name, value in cls.scope.names.items():
            if isinstance(value, Function):
                found.setdefault(name, value)
    return found


def _closure(method: Function, methods: dict[str, Function]) -> set[str]:
    """The attributes that a method uses of its object, and those that the methods it calls use."""
    found: set[str] = set()
    todo = [method]
    while todo:
        onward = used_by(todo.pop()) - found
        found |= onward
        todo += [methods[name] for name in onward if name in methods]
    return found


def stored_by(method: Function) -> frozenset[str]:
    """The attributes of its object that a method makes or changes."""
    if not isinstance(method.node, grammar.FunctionDef) or not (named := method.node.params.params):
        return frozenset()
    known = method.file.stored_by_methods
    if method.node not in known:
        found: set[str] = set()
        _note_stored(method.node.body.body, named[0].name.value, found)
        known[method.node] = frozenset(found)
    return known[method.node]


def _note_stored(statements: Iterable[Any], owner: str, found: set[str]) -> None:
    for statement in statements:
        if isinstance(statement, grammar.SimpleStatementLine):
            _note_stored(statement.body, owner, found)
        elif isinstance(statement, grammar.Assign):
            for target in statement.targets:
                _note_target(target.target, owner, found)
        elif isinstance(statement, grammar.AugAssign) or (
            isinstance(statement, grammar.AnnAssign) and statement.value is not None
        ):
            _note_target(statement.target, owner, found)
        elif not isinstance(statement, (grammar.FunctionDef, grammar.ClassDef)):
            for part in ("body", "orelse", "finalbody"):
                inner = getattr(statement, part, None)
                if isinstance(inner, grammar.If):
                    _note_stored([inner], owner, found)
                elif inner is not None and hasattr(inner, "body"):
                    _note_stored(getattr(inner.body, "body", inner.body), owner, found)


def _note_target(node: Any, owner: str, found: set[str]) -> None:
    if isinstance(node, grammar.Attribute) and isinstance(node.value, grammar.Name) and node.value.value == owner:
        found.add(node.attr.value)
    elif isinstance(node, (grammar.Tuple, grammar.List)):
        for element in node.elements:
            _note_target(element.value, owner, found)


def used_by(value: Any) -> set[str]:
    """The attributes of its object that a method names."""
    if not isinstance(value, Function) or not isinstance(value.node, grammar.FunctionDef):
        return set()
    named = value.node.params.params
    if not named:
        return set()
    return set(named_in(value).attributes.get(named[0].name.value, ()))


def named_in(function: Function) -> Named:
    """The names in the body of a function."""
    known = function.file.named_in_functions
    if function.node not in known:
        known[function.node] = _named_in(function.node.body)
    return known[function.node]


def _named_in(body: Any) -> Named:
    """Each node is looked at once, by the name of its kind: there are more of them than of anything else."""
    plain: set[str] = set()
    attributes: dict[str, set[str]] = {}
    stack: list[Any] = [body]
    while stack:
        at = stack.pop()
        kind = type(at).__name__
        if kind == "Name":
            plain.add(at.value)
        elif kind == "Attribute":
            owner = at.value
            if isinstance(owner, grammar.Name):
                plain.add(owner.value)
                attributes.setdefault(owner.value, set()).add(at.attr.value)
            else:
                stack.append(owner)
        elif at is not None and kind != "str":
            stack.extend(syntax_in(at))
    return Named(plain, attributes)


def syntax_in(node: Any) -> Sequence[Any]:
    """The values of the fields of a syntax node of either tree, or the elements of a list; empty for anything else."""
    if isinstance(node, (list, tuple)):
        return node
    kind = type(node)
    names = _FIELDS.get(kind)
    if names is None:
        names = _FIELDS[kind] = _fields_of(kind)
    return [getattr(node, name, None) for name in names]


def _fields_of(kind: type) -> tuple[str, ...]:
    """The fields of a class of syntax nodes that may hold syntax; empty for any other class."""
    if is_dataclass(kind):  # libcst's; its own `children` walks through all white space
        return tuple(field.name for field in fields(kind) if not _is_blank(field.name))
    if not isinstance(kind, grammar.Kind):
        return ()
    slots = (name for one in kind.__mro__ for name in getattr(one, "__slots__", ()))
    return tuple(name for name in slots if name not in _LATER)


def _is_blank(name: str) -> bool:
    return name in _BLANK or name.startswith("whitespace") or name.endswith(_BLANK_ENDS)
