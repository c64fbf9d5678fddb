"""Vectors of norm 1: what has been divided by its own norm, and what a loop starts and goes on with that was.

A power iteration multiplies one by a matrix, again and again. What comes out is zero only if the matrix takes the
vector to zero: no row of zeros in the data makes it do so. The columns of an orthogonal matrix are such vectors, too,
and no matrix of full rank is zero.
"""

from __future__ import annotations

from typing import Any

from tfnanlint.facts.handed import strip
from tfnanlint.facts.kinds import REGULAR
from tfnanlint.flow import DYNAMIC, Node, behind

NORMS = frozenset({"norm", "reduce_euclidean_norm"})
MERGING = frozenset({"loop", "phi"})
APPLYING = frozenset("matmul matvec tensordot einsum".split())
SHAPED = frozenset("reshape expand_dims squeeze getitem identity convert_to_tensor stop_gradient transpose".split())
MOST_PATHS = 20
ORTHOGONAL = {"eigh": 1, "svd": 2}
"""Decompositions, and which of their parts is, in every library, a matrix whose columns have norm 1."""


def is_unit(node: Node, axis: Any) -> bool:
    """Whether a value's norm along an axis, or that of all of it, is 1, whatever path it takes."""
    stack, met = [node], {node}
    while stack:
        at = strip(stack.pop())
        if at.op in MERGING and len(met) < MOST_PATHS:
            onward = set(at.operands) - met
            met |= onward
            stack += onward
        elif not _over_its_norm(at, axis):
            return False
    return True


def _over_its_norm(node: Node, axis: Any) -> bool:
    if node.op != "divide":
        return False
    x, size = strip(node.operands[0]), strip(node.operands[1])
    if size.op not in NORMS or {"ord", "order"} & set(size.attrs) or strip(size.operands[0]).value != x.value:
        return False
    along = size.attrs.get("axis")
    return along is not DYNAMIC and axis in (None, along)


def turned(node: Node) -> bool:
    """Whether a value is a matrix times a vector of norm 1, in whatever shape."""
    product = behind(node, SHAPED)
    return product.op in APPLYING and any(
        is_unit(behind(factor, SHAPED), None) or _is_column(factor) for factor in product.operands
    )


def _is_column(node: Node) -> bool:
    """Whether a value is made of columns of an orthogonal matrix."""
    while node.op in SHAPED and node.operands:
        part = ORTHOGONAL.get(node.operands[0].op)
        if part is not None and node.op == "getitem" and len(node.operands) > 1 and node.operands[1].constant == part:
            return True
        node = node.operands[0]
    return False


def regular(node: Node) -> bool:
    """Whether a value is all of a matrix of full rank, in whatever shape."""
    return behind(node, SHAPED - {"getitem"}).op in REGULAR
