"""Loops whose last turn is another: `for i in range(n)` with a test as `i < n - 1`, as of a network's last layer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tfnanlint.source import grammar, literals
from tfnanlint.source.grammar import kind_of
from tfnanlint.source.inheritance import syntax_in

HOLDS = {"Equal": True, "GreaterThanEqual": True, "NotEqual": False, "LessThan": False}
"""By the comparison of a turn with the last one, whether it holds there; elsewhere it is the opposite."""
TURNED = {"Equal": "Equal", "NotEqual": "NotEqual", "LessThanEqual": "GreaterThanEqual", "GreaterThan": "LessThan"}
"""The comparison of the second operand with the first, by that of the first with the second."""
LEAVING = frozenset({"Break", "Continue", "Return", "Yield"})
"""Statements by which a turn may end early."""


def tests_of(loop: grammar.For) -> dict[int, bool]:
    """By the `id` of each test of the last turn in a loop, whether it holds there; it fails or holds in all others."""
    counted = _counted(loop)
    if counted is None:
        return {}
    turn, count = counted
    found: dict[int, bool] = {}
    for node in _inside(loop.body):
        if kind_of(node) in LEAVING:
            return {}
        if isinstance(node, grammar.Comparison) and (held := _of_last(node, turn, count)) is not None:
            found[id(node)] = held
    return found


def _counted(loop: grammar.For) -> tuple[str, Any] | None:
    """The name that counts the turns of a loop from 0, and the form of their number."""
    call = loop.iter
    if not isinstance(call, grammar.Call) or not isinstance(call.func, grammar.Name):
        return None
    given = [one.value for one in call.args if one.keyword is None and not one.star]
    if call.func.value == "range" and given and isinstance(loop.target, grammar.Name):
        starts = len(given) == 1 or (len(given) == 2 and form(given[0]) == 0)
        return (loop.target.value, form(given[-1])) if starts else None
    if call.func.value == "enumerate" and len(given) == len(call.args) == 1 and isinstance(loop.target, grammar.Tuple):
        first = loop.target.elements[0].value
        length = ("Call", ("Name", "len"), form(given[0]))
        return (first.value, length) if isinstance(first, grammar.Name) else None
    return None


def _of_last(test: grammar.Comparison, turn: str, count: Any) -> bool | None:
    """Whether a test holds in the last turn alone, or in all turns but that; None for any other test."""
    if len(test.comparisons) != 1:
        return None
    left, right = test.left, test.comparisons[0].comparator
    operator: str | None = kind_of(test.comparisons[0].operator)
    if turn not in (_name(left), _name(_less_one(left, "Add"))):
        left, right, operator = right, left, TURNED.get(operator or "")
    last = form(_less_one(right, "Subtract")) if _name(left) == turn else None
    past = form(right) if _name(_less_one(left, "Add")) == turn else None
    return HOLDS.get(operator or "") if count in (last, past) else None


def _less_one(node: Any, operator: str) -> Any:
    """What 1 is added to, or subtracted from."""
    one = isinstance(node, grammar.BinaryOperation) and kind_of(node.operator) == operator
    return node.left if one and form(node.right) == 1 else None


def _name(node: Any) -> str | None:
    return node.value if isinstance(node, grammar.Name) else None


def form(node: Any) -> Any:
    """What an expression says, as nested tuples: equal for equal text."""
    if isinstance(node, (grammar.Integer, grammar.Float)):
        return literals.number(node)
    if isinstance(node, (grammar.Name, grammar.SimpleString)):
        return kind_of(node), node.value
    if isinstance(node, grammar.Call) and all(one.keyword is None and not one.star for one in node.args):
        return ("Call", form(node.func), *(form(one.value) for one in node.args))
    if isinstance(node, (list, tuple)):
        return tuple(map(form, node))
    return None if node is None else (kind_of(node), *map(form, syntax_in(node)))


def _inside(body: Any) -> Iterator[Any]:
    """A block and all syntax in it, functions that it defines aside."""
    stack = [body]
    while stack:
        at = stack.pop()
        if at is None or isinstance(at, (str, bool)) or kind_of(at) in ("FunctionDef", "ClassDef", "Lambda"):
            continue
        if not isinstance(at, (list, tuple)):
            yield at
        stack.extend(syntax_in(at))
