"""What the functions of a rule file may be, before anything is made of them."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from pathlib import Path

from tfnanlint.errors import RuleError
from tfnanlint.vocabulary import FIX_KINDS

_LOOPS = (ast.For, ast.AsyncFor, ast.While, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def check_functions(path: Path, functions: Iterable[ast.FunctionDef]) -> None:
    """Raise `RuleError` for a loop, and for a repair with a parameter that its `before` does not bind."""
    bound: dict[str, set[str]] = {}
    repairs: list[ast.FunctionDef] = []
    for function in functions:
        kind, _, suffix = function.name.partition("_")
        for node in ast.walk(function):
            if isinstance(node, _LOOPS):
                raise RuleError(
                    f"{path}:{node.lineno}: {function.name}: a rule function has no loops; write the expression out"
                )
        if kind == "before":
            bound[suffix] = _bound(function)
        elif kind in FIX_KINDS:
            repairs.append(function)
    for function in repairs:
        _, _, suffix = function.name.partition("_")
        befores = {suffix: bound[suffix]} if suffix in bound and suffix else bound
        names = _parameters(function)
        if befores and not any(names.keys() <= known for known in befores.values()):
            known = set().union(*befores.values())
            odd = next((name for name in names if name not in known), None)
            what = f"no `before` has `{odd}`" if odd else "no single `before` has all of its parameters"
            line = names.get(odd or "", function.lineno)
            raise RuleError(
                f"{path}:{line}: {function.name}: {what}; a repair takes the parameters of its `before`, "
                "or names that this assigns"
            )


def _parameters(function: ast.FunctionDef) -> dict[str, int]:
    """The parameters of a function, each with its line."""
    given = function.args
    return {one.arg: one.lineno for one in (*given.posonlyargs, *given.args, *given.kwonlyargs)}


def _bound(function: ast.FunctionDef) -> set[str]:
    """The names that a `before` gives to values."""
    stored = {node.id for node in ast.walk(function) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    return stored.union(_parameters(function))
