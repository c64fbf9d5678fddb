"""The numbers that a program compares its inputs with: inputs at these numbers and on both sides are ordinary.

`where(x < 80.0, ...)`, `clip(x, -1.0, 1.0)`, `relu(1.0 - x)`, `log(x + 1e-8)` and `log(1.0 + 1e-8 - x)` each name a
number that the input reaches: 80, -1 and 1, 1, 0, and 1.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from tfnanlint.flow import COMPARISONS, Node
from tfnanlint.ops.numeric import np

BOUNDING = COMPARISONS | {"maximum", "minimum"}
"""Ops of two operands whose result depends on which one is larger."""
CLIPPING: dict[str, tuple[float, ...]] = {"relu": (0.0,), "relu6": (0.0, 6.0)}
"""Ops that clip their operand, and the bounds."""
SINGULAR = frozenset("log log2 sqrt rsqrt divide reciprocal pow xlogy".split())
"""Ops whose operand is guarded by adding a small number."""
GUARD = 1e-3
"""The largest number that counts as a guard."""
CARRYING = frozenset(
    "identity cast reshape squeeze expand_dims transpose getitem flatten ensure_shape convert_to_tensor check_numerics "
    "broadcast_to tile stop_gradient detached".split()
)
"""Ops that do not change the numbers of their first operand."""
SELECTING = CARRYING | {"gather", "gather_nd", "boolean_mask", "diag_part"}
"""Ops that hand on the numbers of their first operand, perhaps only some of them."""
HANDING_ON = CARRYING | {"concat", "stack", "gather", "phi"}
"""Ops whose result consists of numbers of their operands, unchanged."""
FILLED = {"zeros": 0.0, "zeros_like": 0.0, "ones": 1.0, "ones_like": 1.0}
"""Ops that fill a tensor with one number."""
LONGEST = 20
"""The most ops between an input and its comparison."""
SIDES = ("at", "below", "above")
"""The positions of a value relative to a limit."""
EQUALITIES = frozenset({"equal", "not_equal"})
"""Comparisons that hold at one number only, or at all numbers but one."""
CANCELLING = "cancelling"
"""The position at which a value cancels the guard that is added to it."""
NONE = "none"
"""The position of an invalid index, such as -1 where the program checks `index >= 0`."""
FROM = frozenset({"greater_equal", "less"})
"""Comparisons that tell the indices from a limit on from those below it."""
MISSING = "missing"
"""The position at which an element of a value is missing: NaN, as the program checks."""
CHECKS = frozenset({"is_nan", "is_finite"})
"""Ops that tell missing elements from others."""
ASIDE = 1.25
"""The least distance of inputs beside a limit; it avoids other special numbers."""
SPREAD = 0.11
"""The distance of the elements beside a limit from each other."""
INVERSES: dict[str, Callable[[float], float]] = {"tanh": math.atanh, "sin": math.asin, "atan": math.tan}
"""Ops of one operand that keep its sign, with their inverses."""


def limits_of(
    nodes: Iterable[Node], number: Callable[[Node], float | None]
) -> dict[tuple[Node, str], tuple[float, ...]]:
    """The limits of values: numbers at which a comparison of a linear function of a value changes its result.

    A check for NaN names NaN. The keys are a value and a side. `number` returns the value of a constant or a setting. A
    small number that is added is a guard: the value may be 0, and is not negative.
    """
    found: dict[tuple[Node, str], dict[float, None]] = {}
    for node in nodes:
        if node.op in CHECKS:
            checked = [leaf for leaf, _ in _solved(node.operands[0], math.nan, number)]
            if checked[-1].op == "subtract":  # an error is missing where the label is
                checked += checked[-1].operands
            for leaf in checked:
                found.setdefault((leaf, MISSING), {})[math.nan] = None
        guards = node.op in ("add", "subtract")
        for operand, limit in _compared(node, number):
            for leaf, point in _solved(operand, limit, number):
                for side in SIDES[:1] if guards or node.op in EQUALITIES else SIDES:
                    found.setdefault((leaf, side), {})[point] = None
                if node.op in FROM and operand is node.operands[0]:
                    found.setdefault((leaf, NONE), {})[point - 1] = None
        for operand, limit in _cancelled(node) if guards else ():
            for leaf, point in _solved(operand, limit, number):
                found.setdefault((leaf, CANCELLING), {})[point] = None
    return {key: tuple(sorted(points)) for key, points in found.items()}


def _compared(node: Node, number: Callable[[Node], float | None]) -> Iterator[tuple[Node, float]]:
    """The operands that a node compares with a number, with that number."""
    operands = node.operands
    if node.op in CLIPPING:
        for limit in CLIPPING[node.op]:
            yield operands[0], limit
    elif node.op == "clip":
        for bound in operands[1:3]:
            if (end := number(bound)) is not None:
                yield operands[0], end
    elif node.op in BOUNDING and len(operands) == 2:
        for one, other in (operands, operands[::-1]):
            if (end := number(other)) is not None:
                yield one, end
    for operand, limit in _cancelled(node):
        yield operand, float(round(limit))


def _cancelled(node: Node) -> Iterator[tuple[Node, float]]:
    """The operand to which a guard is added, as `x` in `x + 1e-8`, and the number at which it cancels the guard."""
    if node.op not in ("add", "subtract") or not any(user.op in SINGULAR for user in node.users):
        return
    for one, other in (node.operands, node.operands[::-1]):
        added = number_of(other)
        if added is None or not math.isfinite(added):
            continue
        if node.op == "subtract" and other is node.operands[1] and not round(added):
            continue  # `x - 1e-5` keeps nothing above 0
        if 0 < abs(added - round(added)) <= GUARD:
            yield one, added if node.op == "subtract" else -added


def _solved(node: Node, limit: float, number: Callable[[Node], float | None]) -> Iterator[tuple[Node, float]]:
    """The values that a value is a linear function of, with the number of each at which the value is at its limit."""
    for _ in range(LONGEST):
        yield node, limit
        operands = node.operands
        if node.op == "neg":
            node, limit = operands[0], -limit
        elif node.op in CARRYING:
            node = operands[0]
        elif node.op in INVERSES and abs(limit) < 1:
            node, limit = operands[0], INVERSES[node.op](limit)
        elif len(operands) == 2 and (inverse := _inverse(node, limit, number)) is not None:
            node, limit = inverse
        else:
            return


def _inverse(node: Node, result: float, number: Callable[[Node], float | None]) -> tuple[Node, float] | None:
    """The operand of a sum or product with a number, and its value if the result is `result`."""
    left, right = (number(operand) for operand in node.operands)
    if node.op == "add" and right is not None:
        return node.operands[0], result - right
    if node.op == "add" and left is not None:
        return node.operands[1], result - left
    if node.op == "subtract" and right is not None:
        return node.operands[0], result + right
    if node.op == "subtract" and left is not None:
        return node.operands[1], left - result
    if node.op == "multiply" and right:
        return node.operands[0], result / right
    if node.op == "multiply" and left:
        return node.operands[1], result / left
    if node.op == "divide" and right:
        return node.operands[0], result * right
    return None


def number_of(node: Node) -> float | None:
    """The value of a constant, also of a tensor filled with it."""
    held = node.constant if node.op == "const" else FILLED.get(node.op)
    return float(held) if isinstance(held, (int, float)) and not isinstance(held, bool) else None


def beside(limits: Sequence[float], side: str, value: Any, lo: float, hi: float) -> Any:
    """Numbers at, below or above some limits; halfway to `lo` or `hi` if that is near."""
    points = np.resize(np.clip(np.asarray(limits, float), lo, hi), np.shape(value))
    apart = SPREAD * (np.arange(points.size) % 7).reshape(points.shape)  # no two elements are equal by themselves
    if side == "below":
        return np.maximum(points - ASIDE - np.abs(points) - apart, (points + lo) / 2)
    if side == "above":
        return np.minimum(points + ASIDE + np.abs(points) + apart, (points + hi) / 2)
    return points
