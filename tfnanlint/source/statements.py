"""Statements: what each kind does to the names of a scope, and whether control leaves its block."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING, Any, TypeGuard

import libcst as cst

from tfnanlint.flow import Node
from tfnanlint.source import containers, definitions, expressions
from tfnanlint.source.values import Function, Instance, Items, Jumps, Layer, Partial, Path, Scope, parts_of

if TYPE_CHECKING:
    from tfnanlint.source.lower import Lowering

Handler = Callable[["Lowering", Any, Scope], bool]
"""(lowering, statement, scope) -> whether control leaves the block."""

UNROLLED = 8
"""A loop over so many known layers or functions is lowered turn by turn."""


def _simple(low: Lowering, line: cst.SimpleStatementLine, scope: Scope) -> bool:
    return low.statements(line.body, scope)


def _assign(low: Lowering, statement: cst.Assign, scope: Scope) -> bool:
    value = low.expression(statement.value, scope)
    for target in statement.targets:
        low.assign(target.target, value, scope)
    return False


def _annotated(low: Lowering, statement: cst.AnnAssign, scope: Scope) -> bool:
    if statement.value is not None:
        low.assign(statement.target, low.expression(statement.value, scope), scope)
    return False


def _augmented(low: Lowering, statement: cst.AugAssign, scope: Scope) -> bool:
    low.assign(statement.target, expressions.augmented(low, statement, scope), scope)
    return False


def _expression(low: Lowering, statement: cst.Expr, scope: Scope) -> bool:
    if type(statement.value) is cst.SimpleString:  # a docstring
        low.time += 1
        return False
    low.flow.commands.add(id(statement.value))
    low.expression(statement.value, scope)
    return False


def _return(low: Lowering, statement: cst.Return, scope: Scope) -> bool:
    if statement.value is not None and low.returns:
        low.returns[-1].append(low.expression(statement.value, scope))
    return True


def _raise(low: Lowering, statement: cst.Raise, scope: Scope) -> bool:
    return True


def _if(low: Lowering, statement: cst.If, scope: Scope) -> bool:
    condition = low.expression(statement.test, scope)
    known = condition.constant if isinstance(condition, Node) and condition.op == "const" else None
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
        if type(otherwise) is not cst.If:
            return low.block(otherwise.body.body, scope, condition, False)
        with low.under(condition, False):
            return _if(low, otherwise, scope)

    if isinstance(known, bool):
        return positive() if known else negative()
    left: list[bool] = []
    leaves = low.branches([lambda: _noted(positive, left), lambda: _noted(negative, left)], statement, scope)
    if left == [True, False] or left == [False, True]:
        low.suppose(condition, left[1])  # whoever comes here took the other branch
    return leaves


def _absent(test: cst.BaseExpression, scope: Scope) -> Node | None:
    """The parameter of which a condition says that it is None."""
    if not (isinstance(test, cst.Comparison) and isinstance(test.left, cst.Name) and len(test.comparisons) == 1):
        return None
    held, (asked,) = scope.lookup(test.left.value), test.comparisons
    none = asked.comparator.value if isinstance(asked.comparator, cst.Name) else ""
    asks = isinstance(asked.operator, cst.Is) and none == "None"
    return held if asks and isinstance(held, Node) and held.op == "input" else None


def _is_table(node: Node, low: Lowering) -> bool:
    """Whether a value is computed of numbers alone, in the function that is lowered itself."""
    return "table" in node.attrs and node.origin.calls == low.calls


def _noted(branch: Callable[[], bool], left: list[bool]) -> bool:
    left.append(branch())
    return left[-1]


def _assert(low: Lowering, statement: cst.Assert, scope: Scope) -> bool:
    low.suppose(low.expression(statement.test, scope))
    return False


def _looping(low: Lowering, body: Callable[[], bool], statement: cst.For | cst.While, scope: Scope) -> None:
    """A loop body lowered once, with every tensor it changes carried around in a `loop` node."""
    carried: dict[str, Node] = {}
    first: dict[str, Node] = {}
    for name in _assigned(statement.body):
        held = scope.lookup(name)
        if isinstance(held, Node):
            first[name] = held
            carried[name] = low.flow.add("loop", (held,), {}, low.origin(statement, scope))
            low.bind(scope, name, carried[name])
    low.jumps.append(Jumps())
    with low.inside_loop():
        left = body()
    jumps = low.jumps.pop()
    around = [*([] if left else [dict(scope.names)]), *jumps.continues]
    for name, loop in carried.items():
        back = low.join([end.get(name) for end in around], statement, scope)
        if isinstance(back, Node) and back is not loop:
            low.flow.connect(loop, back)
        last = [first[name], back, *(end.get(name) for end in jumps.breaks)]  # no turn, the last one, or a break
        joined = low.join(last, statement, scope)
        if _is_choice_of(joined, first[name]) and isinstance(statement, cst.For):
            joined = low.flow.add("phi", joined.operands, {"after": "loop"}, joined.origin)
        low.bind(scope, name, joined if joined is not None else loop)


def _is_choice_of(joined: Any, first: Node) -> TypeGuard[Node]:
    """Whether what is left after a loop is what was there before it, or something else."""
    return isinstance(joined, Node) and joined.op == "phi" and joined.operands[0] is first


def _break(low: Lowering, statement: cst.Break, scope: Scope) -> bool:
    if low.jumps:
        low.jumps[-1].breaks.append(dict(scope.names))
    return True


def _continue(low: Lowering, statement: cst.Continue, scope: Scope) -> bool:
    if low.jumps:
        low.jumps[-1].continues.append(dict(scope.names))
    return True


def _for(low: Lowering, statement: cst.For, scope: Scope) -> bool:
    iterated = low.expression(statement.iter, scope)
    if isinstance(iterated, Items) and len(iterated.values) <= UNROLLED and _callable(iterated):
        return _unrolled(low, iterated, statement, scope)

    def body() -> bool:
        low.assign(statement.target, containers.element_of(low, iterated, statement.iter, scope), scope)
        return low.block(statement.body.body, scope)

    _looping(low, body, statement, scope)
    if statement.orelse is not None:
        low.block(statement.orelse.body.body, scope)
    return False


def _callable(iterated: Items) -> bool:
    """Whether a list holds layers or functions, each of which does something else."""
    return any(isinstance(part, (Layer, Function, Instance, Partial, Path)) for part in parts_of(iterated))


def _unrolled(low: Lowering, iterated: Items, statement: cst.For, scope: Scope) -> bool:
    """A loop over known layers or functions, one after the other; where it is left early it stays with the last."""
    low.jumps.append(Jumps())
    with low.inside_loop():
        for value in iterated.values:
            low.assign(statement.target, value, scope)
            low.block(statement.body.body, scope)
    low.jumps.pop()
    return False


def _while(low: Lowering, statement: cst.While, scope: Scope) -> bool:
    def body() -> bool:
        return low.block(statement.body.body, scope, low.expression(statement.test, scope))

    _looping(low, body, statement, scope)
    return False


def _try(low: Lowering, statement: Any, scope: Scope) -> bool:
    bodies: list[Callable[[], bool]] = [lambda: low.block(statement.body.body, scope)]
    bodies += [partial(low.block, handler.body.body, scope) for handler in statement.handlers]
    leaves = low.branches(bodies, statement, scope) if statement.handlers else bodies[0]()
    if statement.orelse is not None and not leaves:
        leaves = low.block(statement.orelse.body.body, scope)
    if statement.finalbody is not None:
        leaves = low.block(statement.finalbody.body.body, scope) or leaves
    return leaves


def _with(low: Lowering, statement: cst.With, scope: Scope) -> bool:
    if any(_expects_failure(low, item.item, scope) for item in statement.items):
        return False  # what is in it is there to go wrong
    for item in statement.items:
        value = low.expression(item.item, scope)
        if item.asname is not None:
            low.assign(item.asname.name, value, scope)
    return low.block(statement.body.body, scope)


def _expects_failure(low: Lowering, manager: cst.BaseExpression, scope: Scope) -> bool:
    """Whether a context is a test's that its body fails: `assertRaises` and its kin, `pytest.raises`."""
    if not isinstance(manager, cst.Call) or not isinstance(manager.func, cst.Attribute):
        return False
    if manager.func.attr.value.startswith("assertRaises"):
        return True
    function = low.expression(manager.func, scope)
    return isinstance(function, Path) and function.dotted == "pytest.raises"


def _match(low: Lowering, statement: cst.Match, scope: Scope) -> bool:
    low.expression(statement.subject, scope)
    bodies: list[Callable[[], bool]] = [partial(low.block, case.body.body, scope) for case in statement.cases]
    low.branches([*bodies, lambda: False], statement, scope)
    return False


def _import(low: Lowering, statement: cst.Import, scope: Scope) -> bool:
    for alias in statement.names:
        dotted = _dotted(alias.name)
        if alias.asname is not None and isinstance(alias.asname.name, cst.Name):
            low.bind(scope, alias.asname.name.value, Path(dotted))
        else:
            first = dotted.split(".")[0]
            low.bind(scope, first, Path(first))
    return False


def _import_from(low: Lowering, statement: cst.ImportFrom, scope: Scope) -> bool:
    module = "." * len(statement.relative) + (_dotted(statement.module) if statement.module is not None else "")
    if isinstance(statement.names, cst.ImportStar):
        for name, path in low.starred(module).items():
            low.bind(scope, name, path)
        return False
    for alias in statement.names:
        bound = alias.asname.name if alias.asname is not None else alias.name
        if isinstance(bound, cst.Name):
            joint = "" if module.endswith(".") else "."
            low.bind(scope, bound.value, Path(f"{module}{joint}{_dotted(alias.name)}"))
    return False


def _dotted(node: Any) -> str:
    return node.value if isinstance(node, cst.Name) else f"{_dotted(node.value)}.{node.attr.value}"


def _assigned(body: cst.BaseSuite) -> list[str]:
    """The names that a block assigns, in order, its nested functions left out."""
    found: dict[str, None] = {}
    _note_assigned(body.body, found)
    return list(found)


def _note_assigned(statements: Iterable[Any], found: dict[str, None]) -> None:
    for statement in statements:
        if isinstance(statement, cst.SimpleStatementLine):
            _note_assigned(statement.body, found)
        elif isinstance(statement, cst.Assign):
            for target in statement.targets:
                _note_targets(target.target, found)
        elif isinstance(statement, (cst.AugAssign, cst.AnnAssign)):
            _note_targets(statement.target, found)
        elif isinstance(
            statement, (cst.If, cst.For, cst.While, cst.With, cst.Try, cst.Else, cst.Finally, cst.ExceptHandler)
        ):
            if isinstance(statement, cst.For):
                _note_targets(statement.target, found)
            _note_assigned(statement.body.body, found)
            for part in ("orelse", "finalbody"):
                inner = getattr(statement, part, None)
                if inner is not None:
                    _note_assigned([inner], found)
            _note_assigned(getattr(statement, "handlers", ()), found)


def _note_targets(node: Any, found: dict[str, None]) -> None:
    if isinstance(node, cst.Name):
        found[node.value] = None
    elif isinstance(node, (cst.Tuple, cst.List)):
        for element in node.elements:
            _note_targets(element.value, found)


HANDLERS: dict[type, Handler] = {
    cst.SimpleStatementLine: _simple,
    cst.Assign: _assign,
    cst.AnnAssign: _annotated,
    cst.AugAssign: _augmented,
    cst.Expr: _expression,
    cst.Return: _return,
    cst.Break: _break,
    cst.Continue: _continue,
    cst.Raise: _raise,
    cst.If: _if,
    cst.Assert: _assert,
    cst.For: _for,
    cst.While: _while,
    cst.Try: _try,
    cst.TryStar: _try,
    cst.With: _with,
    cst.Match: _match,
    cst.Import: _import,
    cst.ImportFrom: _import_from,
    cst.FunctionDef: definitions.function,
    cst.ClassDef: definitions.class_,
}
