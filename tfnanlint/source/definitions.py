"""Definitions: functions with their decorators, classes with their bases and fields."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tfnanlint.source import grammar, other_files
from tfnanlint.source.inheritance import syntax_in
from tfnanlint.source.names import canonical_path
from tfnanlint.source.packages import is_test_module
from tfnanlint.source.parameters import docstring
from tfnanlint.source.values import Class, Function, Path, Scope, Value

if TYPE_CHECKING:
    from tfnanlint.source.lower import Lowering

JIT_KEYWORDS = ("jit_compile", "experimental_compile")
RECORD_BASES = frozenset(("typing.NamedTuple", "tensorflow.experimental.ExtensionType"))
RECORD_DECORATORS = frozenset(("dataclasses.dataclass", "attr.s", "attr.define", "attrs.define", "attr.dataclass"))


def function(low: Lowering, statement: grammar.FunctionDef, scope: Scope) -> bool:
    """A `def`: what decorators of other packages are called is noted, those of the module are applied."""
    names: list[str] = []
    applied: list[Value] = []
    compiled = False
    for decorator in statement.decorators:
        expression = decorator.decorator
        value = low.expression(expression.func if isinstance(expression, grammar.Call) else expression, scope)
        if isinstance(value, Path):
            names.append(canonical_path(value.dotted).removeprefix("builtins.").removeprefix("functools."))
            if names[-1] == "tf.function" and isinstance(expression, grammar.Call) and _compiles(expression):
                compiled = True
        elif isinstance(value, Function):
            applied.append(low.expression(expression, scope) if isinstance(expression, grammar.Call) else value)
        elif isinstance(expression, grammar.Name):
            names.append(expression.value)
    defined = Function(
        statement, scope, low.file, decorators=tuple(names), under=low.flow.conditions, compiled=compiled
    )
    if scope.kind == "class":
        defined.cls = scope.owner
    elif scope is not low.module or not (defined.name in low.omitted or _is_test_beside_code(low, statement)):
        low.pending.setdefault(id(statement), defined)
    bound: Value = defined
    for one in reversed(applied):
        result = low.call(one, [bound], statement, scope)
        if not isinstance(result, Function):
            break  # what it makes of the function is not known; the function itself is the better guess
        bound = result
    if bound is not defined and isinstance(bound, Function):
        decorators = (*bound.decorators, *defined.decorators)
        bound = replace(bound, bound=None, cls=defined.cls, decorators=decorators)
    low.bind(scope, statement.name.value, bound)
    return False


def _is_test_beside_code(low: Lowering, statement: grammar.FunctionDef) -> bool:
    """Whether a function tests the code beside it: it takes nothing, asserts something, and is in no file of tests."""
    taken = statement.params
    if not statement.name.value.startswith("test") or taken.params or taken.kwonly_params:
        return False
    inside = [statement.body]
    for node in inside:
        inside += syntax_in(node)
    return any(isinstance(node, grammar.Assert) for node in inside) and not is_test_module(low.file.path, low.file.text)


def _compiles(decorator: grammar.Call) -> bool:
    """Whether a `tf.function` asks for XLA."""
    asked = [a.value for a in decorator.args if a.keyword is not None and a.keyword.value in JIT_KEYWORDS]
    return any(isinstance(value, grammar.Name) and value.value == "True" for value in asked)


def class_(low: Lowering, statement: grammar.ClassDef, scope: Scope) -> bool:
    """A `class`: its body is run, its methods are left for later."""
    bases = [low.expression(base.value, scope) for base in statement.bases]
    bases = [other_files.imported(low, base) or base if isinstance(base, Path) else base for base in bases]
    inner = low.scope(scope, "class")
    cls = Class(statement.name.value, inner, bases, low.file, doc=docstring(statement.body))
    inner.owner = cls
    inherits = any(isinstance(base, Path) and base.dotted in RECORD_BASES for base in bases)
    if inherits or any(_makes_record(low, decorator, scope) for decorator in statement.decorators):
        cls.own_fields = _annotated(statement)
    low.block(statement.body.body, inner)
    inner.owner = None  # its methods know it
    low.classes.append(cls)
    low.bind(scope, statement.name.value, cls)
    return False


def _makes_record(low: Lowering, decorator: grammar.Decorator, scope: Scope) -> bool:
    """Whether a decorator makes its class one of named fields."""
    named = decorator.decorator
    value = low.expression(named.func if isinstance(named, grammar.Call) else named, scope)
    return isinstance(value, Path) and value.dotted in RECORD_DECORATORS


def _annotated(statement: grammar.ClassDef) -> list[str]:
    """The names that a class body annotates, in order."""
    lines: list[Any] = [line for line in statement.body.body if isinstance(line, grammar.SimpleStatementLine)]
    smalls = [small for line in lines for small in line.body if isinstance(small, grammar.AnnAssign)]
    return [small.target.value for small in smalls if isinstance(small.target, grammar.Name)]
