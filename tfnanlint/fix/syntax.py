"""The syntax of a file: statements and their parts, the names that they contain, and new names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

import libcst as cst

from tfnanlint.source.positions import Layout
from tfnanlint.source.source_file import SourceFile
from tfnanlint.source.values import Function, Scope

Position = tuple[int, int]
"""A line and a column."""
DYNAMIC_NAMES = frozenset("eval exec globals locals vars".split())
"""Python's functions that read or bind names without naming them in the code."""
_CONDITIONAL = (
    cst.Lambda,
    cst.ListComp,
    cst.SetComp,
    cst.DictComp,
    cst.GeneratorExp,
    cst.IfExp,
    cst.BooleanOperation,
    cst.NamedExpr,
)
"""Expressions whose parts are evaluated elsewhere, or perhaps not at all."""


def statement_of(file: SourceFile, expr: Any) -> cst.SimpleStatementLine | None:
    """The statement that an expression is unconditionally part of, alone on its line; else None."""
    parents = file.layout.parents
    node = expr
    while node is not None and not isinstance(node, cst.SimpleStatementLine):
        if isinstance(node, _CONDITIONAL) and node is not expr:
            return None
        if isinstance(node, (cst.BaseCompoundStatement, cst.BaseSuite)):
            return None
        node = parents.get(node)
    if node is None or len(node.body) != 1:
        return None
    line, column, _, _ = file.layout.spans[node.body[0]]
    return node if not file.lines[line - 1][: column - 1].strip() else None


def assigned_name(statement: cst.SimpleStatementLine, expr: Any) -> str | None:
    """The name, where the whole statement is `name = expr`."""
    assign = statement.body[0]
    if isinstance(assign, cst.Assign) and assign.value is expr and len(assign.targets) == 1:
        target = assign.targets[0].target
        return target.value if isinstance(target, cst.Name) else None
    return None


def is_within(layout: Layout, node: Any, outer: Any) -> bool:
    """Whether a syntax node is another one or a part of it."""
    while node is not None:
        if node is outer:
            return True
        node = layout.parents.get(node)
    return False


def walk(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """A syntax node and all its parts."""
    stack = [node]
    while stack:
        at = stack.pop()
        yield at
        stack.extend(at.children)


@lru_cache(maxsize=2)
def names_in(scope: cst.CSTNode) -> frozenset[str]:
    """The names in a function, a class or a block."""
    return frozenset(node.value for node in walk(scope) if isinstance(node, cst.Name))


def variables(file: SourceFile, node: cst.CSTNode) -> Iterator[cst.Name]:
    """The names in a part of a file that stand for variables."""
    return (n for n in walk(node) if isinstance(n, cst.Name) and not is_attribute_name(file, n))


@lru_cache(maxsize=8)
def declared_in(node: cst.CSTNode, *kinds: type[cst.Global | cst.Nonlocal]) -> frozenset[str]:
    """The names that functions in a part of a file declare to be those of a scope around them."""
    return frozenset(item.name.value for found in walk(node) if isinstance(found, kinds) for item in found.names)


_DEAR = (
    cst.Call,
    cst.Await,
    cst.Yield,
    cst.NamedExpr,
    cst.Lambda,
    cst.BaseComp,
)


def is_cheap(expression: cst.CSTNode, file: SourceFile) -> bool:
    """Whether an expression can be written twice: it calls nothing, also by a property, and makes nothing."""
    return not any(
        isinstance(node, _DEAR) or (isinstance(node, cst.Attribute) and node.attr.value in properties_of(file))
        for node in walk(expression)
    )


@lru_cache(maxsize=4)
def properties_of(file: SourceFile) -> frozenset[str]:
    """The names of methods that are called where an attribute is read, as far as the file defines them."""
    return frozenset(
        node.name.value
        for node in walk(file.tree)
        if isinstance(node, cst.FunctionDef) and any(map(_makes_property, node.decorators))
    )


def _makes_property(decorator: cst.Decorator) -> bool:
    return any(isinstance(n, cst.Name) and n.value.endswith("property") for n in walk(decorator.decorator))


def is_attribute_name(file: SourceFile, node: cst.Name) -> bool:
    """Whether a name is that of an attribute or of a keyword, and so no variable."""
    parent = file.layout.parents.get(node)
    return (isinstance(parent, cst.Attribute) and parent.attr is node) or (
        isinstance(parent, cst.Arg) and parent.keyword is node
    )


def new_name(scope: Scope, wanted: str, file: SourceFile, operand: cst.BaseExpression) -> str:
    """A name that nothing in reach of the scope uses yet, nor the repair of another operand in its function."""
    function = scope.owner.node if isinstance(scope.owner, Function) else None
    own = file.promised.setdefault(function, {})
    for name, holder in own.items():
        if holder is operand:
            return name
    found = free_name(scope, wanted, own)
    own[found] = operand
    return found


def free_name(scope: Scope, wanted: str, promised: Mapping[str, Any]) -> str:
    """A name that nothing in reach of a scope uses: the wanted one, or this with a number."""
    texts: frozenset[str] = frozenset()
    if isinstance(scope.owner, Function):
        texts = names_in(scope.owner.node)
    candidate, number = wanted, 1
    while (
        candidate in promised or candidate in texts or scope.lookup(candidate) is not None or candidate in scope.history
    ):
        number += 1
        candidate = f"{wanted}_{number}"
    return candidate
