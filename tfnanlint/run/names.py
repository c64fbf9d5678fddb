"""The names that a text binds, and those that it reads and never defines: no fix may turn one into the other."""

from __future__ import annotations

import builtins
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from symtable import SymbolTable


def undefined(text: str, path: str) -> frozenset[str]:
    """The global names that some code of a text reads, and that neither the text nor Python defines."""
    from symtable import symtable

    module = symtable(text, path, "exec")
    defined = set(dir(builtins))
    read: set[str] = set()
    for scope in _scopes(module):
        for symbol in scope.get_symbols():
            if scope is not module and not symbol.is_global():
                continue
            if symbol.is_assigned() or symbol.is_imported():
                defined.add(symbol.get_name())
            if symbol.is_referenced():
                read.add(symbol.get_name())
    return frozenset(read - defined)


def bound(text: str, path: str) -> frozenset[str]:
    """The names to which some scope of a text gives a value."""
    from symtable import symtable

    symbols = (symbol for scope in _scopes(symtable(text, path, "exec")) for symbol in scope.get_symbols())
    return frozenset(one.get_name() for one in symbols if one.is_assigned() or one.is_imported())


def _scopes(table: SymbolTable) -> Iterator[SymbolTable]:
    stack = [table]
    while stack:
        found = stack.pop()
        yield found
        stack += found.get_children()
