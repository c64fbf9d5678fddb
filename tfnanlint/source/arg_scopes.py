"""Slim's `arg_scope`: the arguments that layers have inside of a `with`, where a call does not give them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tfnanlint.source import grammar
from tfnanlint.source.arguments import Arguments
from tfnanlint.source.values import Items, Partial, Path, Scope, Value

if TYPE_CHECKING:
    from tfnanlint.source.lower import Lowering

PATHS = (
    "tf.contrib.framework.arg_scope",
    "tf.contrib.slim.arg_scope",
    "tf_slim.arg_scope",
    "tf_slim.ops.arg_scope.arg_scope",
)

_MAKES_SCOPE = re.compile(r"^def \w*arg_scope\(", re.MULTILINE)
"""The definition of a function that callers make a scope with, by the convention of slim."""


def made(low: Lowering, args: Arguments, node: grammar.Syntax, scope: Scope) -> Value:
    """What `arg_scope(...)` gives: the scopes that a `with` enters, the outermost first."""
    layers = args.get(0, "list_ops_or_scope")
    if layers is None:
        return Items([])
    if _scopes_in(layers):
        return layers
    return Items([Partial(Path(PATHS[0]), [layers], {key: value for key, (value, _) in args.keywords.items()})])


def entered(low: Lowering, manager: Value) -> Items | None:
    """All scopes in which the body of a `with` runs; None where it enters no new one."""
    new = _scopes_in(manager)
    return Items([*low.arg_scopes, *new]) if new else None


def argument(low: Lowering, layer: str, name: str) -> tuple[Value | None, bool]:
    """What the innermost scope gives a layer for an argument, and whether that is known.

    Where no scope gives it, a layer has its own default, except in a file in which scopes give this argument, or which
    makes scopes for others: functions that build a network run in the scope of their callers.
    """
    for held in reversed(low.arg_scopes):
        (layers,) = held.arguments
        if not isinstance(layers, Items):
            return None, False
        named = {one.dotted.rpartition(".")[2] for one in layers.values if isinstance(one, Path)}
        if layer in named and name in held.keywords:
            return held.keywords[name], True
    text = low.file.text
    return None, not ("arg_scope(" in text and (f"{name}=" in text or _MAKES_SCOPE.search(text)))


def _scopes_in(value: Value | None) -> list[Partial]:
    parts = value.values if isinstance(value, Items) else []
    found = [one for one in parts if isinstance(one, Partial)]
    return [one for one in found if isinstance(one.function, Path) and one.function.dotted == PATHS[0]]
