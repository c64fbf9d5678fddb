"""Statements: what each kind does to the names of a scope, and whether control leaves its block."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from tfnanlint.flow import Node
from tfnanlint.source import (
    arg_scopes,
    bindings,
    branches,
    buffers,
    comprehensions,
    containers,
    definitions,
    discards,
    expressions,
    grammar,
    last_turns,
    loops,
    other_files,
    weights,
)
from tfnanlint.source.conditions import refused
from tfnanlint.source.grammar import ByKind, kind_of
from tfnanlint.source.libraries import TABLE
from tfnanlint.source.values import (
    Choice,
    Function,
    Instance,
    Items,
    Jumps,
    Layer,
    Many,
    Partial,
    Path,
    Scope,
    Tape,
    Value,
    constant_of,
    nodes_in,
    parts_of,
)

if TYPE_CHECKING:
    from tfnanlint.source.lower import Lowering

Handler = Callable[["Lowering", Any, Scope], bool]
"""(lowering, statement, scope) -> whether control leaves the block."""

UNROLLED = 8
"""A loop over so many known layers or functions is lowered turn by turn."""


def _simple(low: Lowering, line: grammar.SimpleStatementLine, scope: Scope) -> bool:
    return low.statements(line.body, scope)


def _assign(low: Lowering, statement: grammar.Assign, scope: Scope) -> bool:
    targets = [target.target for target in statement.targets]
    parts = targets[0] if len(targets) == 1 and isinstance(targets[0], (grammar.Tuple, grammar.List)) else None
    if parts is not None and isinstance(statement.value, (grammar.ListComp, grammar.GeneratorExp)):
        starred = any(isinstance(one.value, grammar.StarredElement) for one in parts.elements)
        value = comprehensions.comprehension(low, statement.value, scope, 0 if starred else len(parts.elements))
    else:
        value = low.expression(statement.value, scope)
    for target in targets:
        low.assign(target, value, scope)
    return False


def _annotated(low: Lowering, statement: grammar.AnnAssign, scope: Scope) -> bool:
    if statement.value is not None:
        low.assign(statement.target, low.expression(statement.value, scope), scope)
    return False


def _augmented(low: Lowering, statement: grammar.AugAssign, scope: Scope) -> bool:
    low.assign(statement.target, expressions.augmented(low, statement, scope), scope)
    return False


def _expression(low: Lowering, statement: grammar.Expr, scope: Scope) -> bool:
    if isinstance(statement.value, grammar.SimpleString):  # a docstring
        low.time += 1
        return False
    low.statement = statement.value
    value = low.expression(statement.value, scope)
    discards.note(low, statement, value, scope)
    buffers.fill(low, statement.value, value, scope)
    if scope.kind == "module":
        low.flow.held.update(nodes_in(value))
    return False


def _return(low: Lowering, statement: grammar.Return, scope: Scope) -> bool:
    if statement.value is not None and low.returns:
        low.returns[-1].append(low.expression(statement.value, scope))
    return True


def _global(low: Lowering, statement: grammar.Global, scope: Scope) -> bool:
    if scope.kind != "module":
        scope.outer.update(item.name.value for item in statement.names)
    return False


def _nonlocal(low: Lowering, statement: grammar.Nonlocal, scope: Scope) -> bool:
    if scope.kind != "module":
        scope.enclosing.update(item.name.value for item in statement.names)
    return False


def _raise(low: Lowering, statement: grammar.Raise, scope: Scope) -> bool:
    return True


def _if(low: Lowering, statement: grammar.If, scope: Scope) -> bool:
    condition: Value | None = low.expression(statement.test, scope)
    known = condition.constant if isinstance(condition, Node) and condition.op == "const" else None
    if id(statement.test) in low.known_tests:
        condition, known = None, low.known_tests[id(statement.test)]
    if isinstance(condition, Node) and _is_number(condition):  # a bare name asks whether it is 0
        origin = low.origin(statement.test, scope)
        condition = low.flow.add("not_equal", (condition, low.flow.constant(0.0, origin)), {}, origin)
    if condition == Path("typing.TYPE_CHECKING"):  # what is imported there is not there at run time
        known = False
    otherwise = statement.orelse

    def positive() -> bool:
        absent, start = _absent(statement.test, scope), len(low.flow.nodes)
        leaves = low.block(statement.body.body, scope, condition, True)
        if absent is not None and any(_is_table(node, low) for node in low.flow.nodes[start:]):
            low.flow.settings.add(absent)  # given, it is a table of numbers as well, and no data
        return leaves

    def negative() -> bool:
        if otherwise is None:
            return False
        if not isinstance(otherwise, grammar.If):
            return low.block(otherwise.body.body, scope, condition, False)
        with low.under(condition, False):
            return _if(low, otherwise, scope)

    if isinstance(known, bool):
        return positive() if known else negative()
    left: list[bool] = []
    bodies = [lambda: _noted(positive, left), lambda: _noted(negative, left)]
    leaves = branches.join_branches(low, bodies, statement, scope, condition)
    if left == [True, False] or left == [False, True]:
        asked = refused(condition) if left[0] and _ends_with(statement.body, grammar.Raise) else condition
        low.suppose(asked, left[1])  # whoever comes here took the other branch
    return leaves


def _is_number(value: Node) -> bool:
    """Whether a value is a number of Python: the program writes it, or it is the default of a parameter."""
    number = value.attrs.get("default") if value.op == "input" else value.constant
    return isinstance(number, (int, float)) and not isinstance(number, bool)


def _ends_with(body: grammar.Suite, *kinds: type[grammar.Syntax]) -> bool:
    """Whether the last statement of a block is of one of some kinds."""
    last = body.body[-1] if body.body else None
    return isinstance(last.body[-1] if isinstance(last, grammar.SimpleStatementLine) else last, kinds)


def _absent(test: grammar.Expression, scope: Scope) -> Node | None:
    """The parameter of which a condition says that it is None."""
    if not (
        isinstance(test, grammar.Comparison) and isinstance(test.left, grammar.Name) and len(test.comparisons) == 1
    ):
        return None
    held, (asked,) = scope.lookup(test.left.value), test.comparisons
    none = asked.comparator.value if isinstance(asked.comparator, grammar.Name) else ""
    asks = kind_of(asked.operator) == "Is" and none == "None"
    return held if asks and isinstance(held, Node) and held.op == "input" else None


def _is_table(node: Node, low: Lowering) -> bool:
    """Whether a value is a NumPy table of the program's own numbers, made in the function that is being lowered."""
    return TABLE in node.attrs and node.origin.calls == low.calls


def _noted(branch: Callable[[], bool], left: list[bool]) -> bool:
    left.append(branch())
    return left[-1]


def _assert(low: Lowering, statement: grammar.Assert, scope: Scope) -> bool:
    low.suppose(low.expression(statement.test, scope))
    return False


def _break(low: Lowering, statement: grammar.Break, scope: Scope) -> bool:
    if low.jumps:
        low.jumps[-1].breaks.append(scope.state())
    return True


def _continue(low: Lowering, statement: grammar.Continue, scope: Scope) -> bool:
    if low.jumps:
        low.jumps[-1].continues.append(scope.state())
    return True


def _for(low: Lowering, statement: grammar.For, scope: Scope) -> bool:
    iterated = low.expression(statement.iter, scope)
    if weights.is_list(iterated) and not low.crowded:
        return _unrolled(low, weights.all_of_them(low, statement.iter, scope), statement, scope)
    if isinstance(iterated, Items) and len(iterated.values) <= UNROLLED and not low.crowded and _callable(iterated):
        return _unrolled(low, iterated, statement, scope)

    def body() -> bool:
        low.assign(statement.target, containers.element_of(low, iterated, statement.iter, scope), scope)
        return low.block(statement.body.body, scope)

    # Inside of another such loop, and in a large program, a body is lowered once.
    tests = {} if low.known_tests or low.crowded else last_turns.tests_of(statement)
    names = bindings.by_block(low.file, statement.body)
    with low.knowing({test: not holds for test, holds in tests.items()}):
        loops.turned(low, body, names, statement, scope)
    if tests:
        with low.knowing(tests), low.inside_loop():
            body()
    if statement.orelse is not None:
        low.block(statement.orelse.body.body, scope)
    return False


def _callable(iterated: Items) -> bool:
    """Whether a list holds layers or functions, each of which does something else, or the names of such.

    The items of a dictionary begin with names.
    """
    parts = parts_of(iterated)
    firsts = [one.values[0] if isinstance(one, Items) and one.values else one for one in iterated.values]
    named = bool(firsts) and all(isinstance(constant_of(one), str) for one in firsts)
    return named or any(isinstance(part, (Layer, Function, Instance, Partial, Path, Choice)) for part in parts)


def _unrolled(low: Lowering, iterated: Items, statement: grammar.For, scope: Scope) -> bool:
    """A loop over known layers or functions, one after the other; where it is left early it stays with the last."""
    low.jumps.append(Jumps())
    with low.inside_loop():
        for value in iterated.values:
            low.assign(statement.target, value, scope)
            low.block(statement.body.body, scope)
    low.jumps.pop()
    return False


def _while(low: Lowering, statement: grammar.While, scope: Scope) -> bool:
    def body() -> bool:
        return low.block(statement.body.body, scope, low.expression(statement.test, scope))

    names = [*bindings.by_expressions(low.file, statement.test), *bindings.by_block(low.file, statement.body)]
    loops.turned(low, body, list(dict.fromkeys(names)), statement, scope)
    return False


def _try(low: Lowering, statement: Any, scope: Scope) -> bool:
    if statement.handlers:
        low.probes.update(discards.probed(statement.body.body))
    names = bindings.by_block(low.file, statement.body) if statement.handlers and low.jumps else []
    ended: dict[str, Value] = {}

    def attempted() -> bool:
        leaves = low.block(statement.body.body, scope)
        ended.update((name, scope.names[name]) for name in names if not leaves and name in scope.names)
        return leaves

    bodies: list[Callable[[], bool]] = [attempted]
    bodies += [partial(_handler, low, handler, scope, ended) for handler in statement.handlers]
    leaves = branches.join_branches(low, bodies, statement, scope) if statement.handlers else bodies[0]()
    if statement.orelse is not None and not leaves:
        leaves = low.block(statement.orelse.body.body, scope)
    if statement.finalbody is not None:
        leaves = low.block(statement.finalbody.body.body, scope) or leaves
    return leaves


def _handler(low: Lowering, handler: grammar.ExceptHandler, scope: Scope, ended: Mapping[str, Value]) -> bool:
    """An `except` block; Python unbinds the name of the exception behind it.

    One that ends a loop runs after whole turns, as at the end of the data: it finds the names that the turn has `ended`
    with.
    """
    if _ends_with(handler.body, grammar.Break, grammar.Return):
        for name, value in ended.items():
            low.bind(scope, name, value)
    caught: Any = handler.name.name if handler.name is not None else None
    if caught is not None:
        low.bind(scope, caught.value, low.unknown(caught, scope))
    leaves = low.block(handler.body.body, scope)
    if caught is not None and not leaves:
        low.bind(scope, caught.value, low.unknown(caught, scope))
    return leaves


def _with(low: Lowering, statement: grammar.With, scope: Scope) -> bool:
    if any(_expects_failure(low, item.item, scope) for item in statement.items):
        for name in bindings.by_block(low.file, statement.body):
            low.bind(scope, name, low.unknown(statement, scope))
        return False  # what is in it is there to go wrong
    outer, held, recording = low.arg_scopes, dict(low.assigned), low.recording
    for item in statement.items:
        value = low.expression(item.item, scope)
        if isinstance(value, Tape):
            low.recording = low.recording or value.opened
        if _suppresses(item.item):
            low.probes.update(discards.probed(statement.body.body))
        if isinstance(value, Many):  # of a generator that manages a context
            value = value.element
        scopes = arg_scopes.entered(low, value)
        if scopes is not None:
            low.arg_scopes, value = scopes.values, scopes
        if item.asname is not None:
            low.assign(item.asname.name, value, scope)
    inside = {one: value for one, value in low.assigned.items() if held.get(one) is not value}
    try:
        return low.block(statement.body.body, scope)
    finally:
        low.arg_scopes, low.recording = outer, recording
        for one in [one for one, value in inside.items() if low.assigned.get(one) is value]:
            low.assigned[one] = held.get(one, one)


def _expects_failure(low: Lowering, manager: grammar.Expression, scope: Scope) -> bool:
    """Whether a context expects its body to fail, as `assertRaises` and `pytest.raises` do."""
    if not isinstance(manager, grammar.Call) or not isinstance(manager.func, grammar.Attribute):
        return False
    if manager.func.attr.value.startswith("assertRaises"):
        return True
    function = low.expression(manager.func, scope)
    return isinstance(function, Path) and function.dotted == "pytest.raises"


def _suppresses(manager: grammar.Expression) -> bool:
    """Whether a context is `contextlib.suppress(...)`."""
    function = manager.func if isinstance(manager, grammar.Call) else None
    if isinstance(function, grammar.Attribute):
        function = function.attr
    return isinstance(function, grammar.Name) and function.value == "suppress"


def _match(low: Lowering, statement: grammar.Match, scope: Scope) -> bool:
    subject = low.expression(statement.subject, scope)
    for case in statement.cases:
        if case.guard is not None:  # where it does not hold, another case is taken with what this one has captured
            for name, _ in bindings.captures(case.pattern):
                held = [scope.lookup(name.value), low.unknown(name, scope, nodes_in(subject))]
                joined = low.join(held, statement, scope)
                if joined is not None:
                    low.bind(scope, name.value, joined)
    bodies: list[Callable[[], bool]] = [partial(_case, low, case, subject, scope) for case in statement.cases]
    branches.join_branches(low, [*bodies, lambda: False], statement, scope)
    return False


def _case(low: Lowering, case: grammar.MatchCase, subject: Value, scope: Scope) -> bool:
    """A case with what its pattern captures: the subject, or some part of it."""
    for name, whole in bindings.captures(case.pattern):
        low.bind(scope, name.value, subject if whole else low.unknown(name, scope, nodes_in(subject)))
    condition = low.expression(case.guard, scope) if case.guard is not None else None
    return low.block(case.body.body, scope, condition)


def _import(low: Lowering, statement: grammar.Import, scope: Scope) -> bool:
    for alias in statement.names:
        dotted = _dotted(alias.name)
        if alias.asname is not None and isinstance(alias.asname.name, grammar.Name):
            low.bind(scope, alias.asname.name.value, Path(dotted))
        else:
            first = dotted.split(".")[0]
            low.bind(scope, first, Path(first))
    return False


def _import_from(low: Lowering, statement: grammar.ImportFrom, scope: Scope) -> bool:
    module = "." * len(statement.relative) + (_dotted(statement.module) if statement.module is not None else "")
    if isinstance(statement.names, grammar.ImportStar):
        for name, path in other_files.starred(low, module).items():
            low.bind(scope, name, path)
        return False
    for alias in statement.names:
        bound = alias.asname.name if alias.asname is not None else alias.name
        if isinstance(bound, grammar.Name):
            joint = "" if module.endswith(".") else "."
            low.bind(scope, bound.value, Path(f"{module}{joint}{_dotted(alias.name)}"))
    return False


def _dotted(node: Any) -> str:
    return node.value if isinstance(node, grammar.Name) else f"{_dotted(node.value)}.{node.attr.value}"


def declares_global(function: Any) -> bool:
    """Whether a function gives names of its module something to stand for."""
    body = function.body.body if isinstance(function, grammar.FunctionDef) else ()
    lines = [line for line in body if isinstance(line, grammar.SimpleStatementLine)]
    return any(isinstance(small, grammar.Global) for line in lines for small in line.body)


HANDLERS: ByKind[Handler] = ByKind(
    {
        grammar.SimpleStatementLine: _simple,
        grammar.Assign: _assign,
        grammar.AnnAssign: _annotated,
        grammar.AugAssign: _augmented,
        grammar.Expr: _expression,
        grammar.Return: _return,
        grammar.Break: _break,
        grammar.Continue: _continue,
        grammar.Raise: _raise,
        grammar.Global: _global,
        grammar.Nonlocal: _nonlocal,
        grammar.If: _if,
        grammar.Assert: _assert,
        grammar.For: _for,
        grammar.While: _while,
        grammar.Try: _try,
        grammar.TryStar: _try,
        grammar.With: _with,
        grammar.Match: _match,
        grammar.Import: _import,
        grammar.ImportFrom: _import_from,
        grammar.FunctionDef: definitions.function,
        grammar.ClassDef: definitions.class_,
    }
)
