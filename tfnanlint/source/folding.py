"""Folds of Python: `functools.reduce`, `sum` and `math.prod` of tensors, and operators as functions."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from tfnanlint.flow import Node
from tfnanlint.ops import OPS
from tfnanlint.source import containers, grammar
from tfnanlint.source.libraries import LIBRARY, library_of
from tfnanlint.source.values import Items, Many, Path, Scope, Value, constant_of

if TYPE_CHECKING:
    from tfnanlint.source.arguments import Arguments
    from tfnanlint.source.lower import Lowering

MOST_TURNS = 16
"""A list of more elements is folded as one of unknown length."""
CONSTANTS = frozenset("constant convert_to_tensor cast".split())
"""Ops that make a tensor of a literal number."""
OPERATORS: Mapping[str, tuple[str, Callable[..., float]]] = {
    "add": ("add", operator.add),
    "sub": ("subtract", operator.sub),
    "mul": ("multiply", operator.mul),
    "truediv": ("divide", operator.truediv),
    "neg": ("neg", operator.neg),
    "abs": ("abs", operator.abs),
    "matmul": ("matmul", operator.matmul),
}
"""The functions of `operator`: the op of each, and what it computes of numbers."""


def operation(name: str, low: Lowering, args: Arguments, node: grammar.Syntax, scope: Scope) -> Value | None:
    """A function of `operator` as the op that it is."""
    op, fold = OPERATORS[name]
    given = [low.tensor(value, expression, scope) for value, expression in args.positional]
    if len(given) != len(OPS[op].operands) or args.keywords:
        return None
    numbers = [one.constant for one in given if isinstance(one.constant, (int, float))]
    if len(numbers) == len(given) and name != "matmul":
        try:
            return low.flow.constant(fold(*numbers), low.origin(node, scope))
        except (ArithmeticError, ValueError):
            return None
    origin = low.origin(node, scope, arguments=tuple(zip(given, (e for _, e in args.positional), strict=True)))
    held = library_of(given)
    return low.flow.add(op, given, {LIBRARY: held} if held else {}, origin)


def infinity(numerator: Node, divisor: Node) -> float | None:
    """What `tf.constant(1.0) / tf.constant(0.0)` is: a number over a literal 0 is written for infinity."""
    one, other = (_literal(side) for side in (numerator, divisor))
    if other != 0 or not isinstance(one, (int, float)) or one == 0 or math.isnan(one):
        return None
    return math.copysign(math.inf, one)


def _literal(node: Node) -> Any:
    """The number that a constant tensor is made of, else None."""
    while node.op in CONSTANTS and node.operands:
        node = node.operands[0]
    return node.constant


def _reduce(low: Lowering, args: Arguments, node: grammar.Syntax, scope: Scope) -> Value | None:
    """`functools.reduce`: a function of the elements so far and the next one."""
    function, elements, start = args.get(0, "function"), args.get(1, "iterable"), args.get(2, "initial")
    if function is None or elements is None or low.crowded:
        return None
    return _folded(low, function, elements, start, node, scope)


def product(low: Lowering, args: Arguments, node: grammar.Syntax, scope: Scope) -> Value | None:
    """`math.prod` of tensors."""
    elements = args.get(0, "iterable")
    known = isinstance(elements, (Items, Many)) and not isinstance(constant_of(elements), (int, float))
    return _folded(low, Path("operator.mul"), elements, args.get(1, "start"), node, scope) if known else None


def _folded(
    low: Lowering, function: Value, elements: Value | None, start: Value | None, node: grammar.Syntax, scope: Scope
) -> Value | None:
    if isinstance(elements, Items) and len(elements.values) <= MOST_TURNS:
        values = [*([start] if start is not None else []), *elements.values]
    else:  # two turns show what each of them does
        element = containers.element_of(low, elements, node, scope) if elements is not None else None
        values = [start if start is not None else element, element] if element is not None else []
    if not values:
        return None
    result = values[0]
    with low.inside_loop():
        for value in values[1:]:
            result = low.call(function, [result, value], node, scope)
    return result


FOLDS: Mapping[str, Callable[[Lowering, Arguments, grammar.Syntax, Scope], Value | None]] = {
    "functools.reduce": _reduce,
    **{f"operator.{name}": partial(operation, name) for name in OPERATORS},
}
