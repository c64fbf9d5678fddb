"""Alternatives that are lowered from the same state, and what holds behind them: the arms of an `if` or a `match`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from tfnanlint.flow import Node
from tfnanlint.source import bindings, grammar
from tfnanlint.source.stores import Arm
from tfnanlint.source.values import Scope, Value

if TYPE_CHECKING:
    from tfnanlint.source.lower import Lowering


def join_branches(
    low: Lowering,
    bodies: Sequence[Callable[[], bool]],
    expr: grammar.Syntax,
    scope: Scope,
    condition: Value | None = None,
) -> bool:
    """Lower alternatives from the same state and join what they leave; True when all of them leave.

    `condition` decides between two: where it holds the first is taken.
    """
    before = [(one, dict(one.names), len(one.bound)) for one in scope.touched]
    ends: list[list[dict[str, Value]]] = []
    arms: list[Arm] = []
    assigned, held_at_end = low.assigned, []
    for place, body in enumerate(bodies):
        low.assigned = dict(assigned)
        for one, names, start in before if place else ():
            _restore(low, names, one, start)
        arms.append(low.stores.arm(body))
        if not arms[-1].leaves:
            ends.append([dict(one.names) for one, _, _ in before])
            held_at_end.append(low.assigned)
    decisive = condition if len(arms) == 2 else None
    low.stores.merge(arms, lambda held: low.decided(decisive if len(held) == 2 else None, held, expr, scope))
    low.assigned = assigned
    if not ends:
        return True
    for variable in dict.fromkeys(one for end in held_at_end for one in end):
        values = [end.get(variable, variable) for end in held_at_end]
        joined = low.decided(decisive if len(values) == 2 else None, values, expr, scope)
        if isinstance(joined, Node):
            assigned[variable] = joined
    for at, (one, _, start) in enumerate(before):
        for name in dict.fromkeys(one.bound[start:]):  # every other one is what it was
            held = [end[at][name] for end in ends if name in end[at]]
            now = one.names.get(name)
            if all(value is now for value in held):
                continue
            joined = low.decided(condition if len(ends) == 2 else None, held, expr, scope)
            if joined is not None and joined is not now:
                low.bind(one, name, joined)
    return False


def perhaps(low: Lowering, node: grammar.Expression, scope: Scope) -> Value:
    """The value of an expression that may not be evaluated: a name that it binds may keep its earlier value."""
    if not bindings.by_expressions(low.file, node):
        return low.expression(node, scope)
    found: list[Value] = []

    def evaluated() -> bool:
        found.append(low.expression(node, scope))
        return False

    join_branches(low, [evaluated, lambda: False], node, scope.body)
    return found[0]


def either(low: Lowering, test: Value, node: grammar.IfExp, scope: Scope) -> tuple[Value, Value]:
    """The values of the two expressions of which a condition chooses one."""
    found: list[Value] = []

    def evaluated(part: grammar.Expression, holds: bool) -> bool:
        with low.under(test, holds):
            found.append(low.expression(part, scope))
        return False

    bodies = [partial(evaluated, node.body, True), partial(evaluated, node.orelse, False)]
    if bindings.by_expressions(low.file, node):
        join_branches(low, bodies, node, scope.body, test)
    else:
        for body in bodies:
            body()
    return found[0], found[1]


def _restore(low: Lowering, before: dict[str, Value], scope: Scope, start: int) -> None:
    """Undo the bindings of names in a scope since a start."""
    for name in dict.fromkeys(scope.bound[start:]):
        if name not in before:
            scope.names.pop(name, None)
        elif scope.names.get(name) is not before[name]:
            low.bind(scope, name, before[name])
