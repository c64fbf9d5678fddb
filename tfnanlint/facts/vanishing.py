"""Whether a value is 0 wherever another one is: a part where its total is, what a mask selects where that is nothing.

A quotient of two values that vanish together may be set to 0. Other quotients are infinite where the divisor is 0, such
as a squared distance over a variance. The proof is read off how both are made.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from tfnanlint.facts.handed import COPIED
from tfnanlint.flow import Node
from tfnanlint.interval import Interval
from tfnanlint.ops import OPS

if TYPE_CHECKING:
    from tfnanlint.facts.view import FactsView

ZERO = Interval.point(0.0)
DEPTH = 12
"""How far back is looked."""
TOTALS = frozenset("reduce_sum reduce_mean reduce_max count_nonzero segment_sum unsorted_segment_sum".split())
"""Folds that are 0 only where all that they fold is, if none of it is below 0."""
ONLY_AT_ZERO = frozenset("abs square sqrt neg norm euclidean_norm reduce_euclidean_norm sinh asinh tanh".split())
"""Functions whose result is 0 only where their operand is."""
PRODUCTS = frozenset("multiply multiply_no_nan matmul matvec tensordot einsum logical_and".split())
SUMS = frozenset("add subtract add_n stack concat logical_or phi".split())
SPREADS = frozenset({"reduce_std", "reduce_variance"})
"""Folds that are 0 only where all that they fold is equal."""
MIDDLES = frozenset({"reduce_min", "reduce_max", "reduce_mean"})
"""Folds that equal what they fold where all of it is equal."""


def vanishes_with(facts: FactsView, node: Node, other: Node) -> bool:
    """Whether a node is 0 wherever another one, of which it may be a part, is 0."""
    return Supposed(facts, other).is_zero(node)


class Supposed:
    """What holds where a value is 0: which others are 0, and which have nothing but equal elements."""

    def __init__(self, facts: FactsView, node: Node) -> None:
        self.facts = facts
        self.zeros: set[int] = set()
        self.even: set[int] = set()
        self.told: dict[Node, bool] = {}
        self._suppose(node)

    def _suppose(self, node: Node, steps: int = DEPTH) -> None:
        """Assume that a node is 0, and so all operands that have to be 0 for it."""
        self.zeros.add(node.value)
        if steps == 0 or not node.operands:
            return
        for operand in self._bound_to(node):
            self._suppose(operand, steps - 1)
        if node.op in SPREADS:
            self.even.add(node.operands[0].value)
        elif node.op == "subtract":
            high, low = node.operands
            if (high.op, low.op) == ("reduce_max", "reduce_min") and high.operands[0].value == low.operands[0].value:
                self.even.add(high.operands[0].value)

    def _bound_to(self, node: Node) -> tuple[Node, ...]:
        """The operands that are 0 where a node is."""
        first, *rest = node.operands
        row = OPS.get(node.op)
        copied = node.op in COPIED or (row is not None and row.moves and node.op not in ("getitem", "gather"))
        if copied or node.op in ONLY_AT_ZERO or node.op == "divide":
            return (first,)
        if node.op in TOTALS:
            return (first,) if self._at_least_zero(first) else ()
        if node.op in ("add", "add_n", "maximum"):
            return node.operands if all(map(self._at_least_zero, node.operands)) else ()
        if node.op == "multiply":
            numbers = [operand for operand in node.operands if operand.op == "const" and operand.constant != 0]
            return tuple(operand for operand in node.operands if operand.op != "const") if numbers else ()
        if node.op == "pow" and isinstance(rest[0].constant, (int, float)) and rest[0].constant > 0:
            return (first,)
        if node.op == "where" and len(rest) == 2 and _is_number(rest[1]) and rest[1].constant == 0:
            return (first,) if _is_number(rest[0]) and rest[0].constant != 0 else ()
        return ()

    def _at_least_zero(self, node: Node) -> bool:
        return self.facts.range(node).outer.lo >= 0.0

    def is_zero(self, node: Node, steps: int = DEPTH) -> bool:
        """Whether it follows that a node is 0."""
        if node not in self.told:
            self.told[node] = False  # until it is known: a value may come around a loop
            self.told[node] = self._follows(node, steps)
        return self.told[node]

    def _follows(self, node: Node, steps: int) -> bool:
        if node.value in self.zeros or (_is_number(node) and node.constant == 0):
            return True
        if steps == 0 or not node.operands:
            return False
        zero = [self.is_zero(operand, steps - 1) for operand in node.operands]
        first = node.operands[0]
        if node.op in PRODUCTS:
            return any(zero)
        if node.op in SUMS:
            return all(zero) or (node.op == "subtract" and self._is_deviation(*node.operands))
        if node.op == "where" and len(zero) == 3:
            return zero[2] and (zero[0] or zero[1])
        if node.op in ("minimum", "maximum"):
            return all(zero)
        if node.op == "reduce_sum" and first.op == "boolean_mask":
            return any(self.is_zero(operand, steps - 2) for operand in first.operands[:2])
        if node.op in ("divide", "divide_no_nan", "getitem", "gather", "pow") or node.op in COPIED:
            return zero[0] and (node.op != "pow" or self.facts.range(node.operands[1]).outer.lo > 0.0)
        if node.op == "layer":
            return all(zero) and node.attrs.get("use_bias") is False
        row = OPS.get(node.op)
        if row is None or row.transfer is None or len(row.operands) != 1 or len(zero) != 1:
            return False
        return zero[0] and (row.moves or row.transfer(ZERO, attrs=node.attrs) == ZERO)

    def _rest(self, node: Node) -> Node:
        """A sum without what is 0 in it."""
        if node.op == "add" and len(node.operands) == 2:
            left = [operand for operand in node.operands if not self.is_zero(operand)]
            return left[0] if len(left) == 1 else node
        return node

    def _is_deviation(self, one: Node, other: Node) -> bool:
        """Whether a value is a difference of equal elements, or of these from their least, largest or mean one."""
        middles = [
            operand.operands[0] if operand.op in MIDDLES else operand for operand in map(self._rest, (one, other))
        ]
        return middles[0].value == middles[1].value and middles[0].value in self.even


def _is_number(node: Node) -> bool:
    return node.op == "const" and isinstance(node.constant, (int, float)) and math.isfinite(node.constant)
