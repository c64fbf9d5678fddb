"""Every row of the op table by its name, its source spellings and its graph types.

The package fills it from its families. What a row runs looks other rows up here, so that no family imports the package.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from tfnanlint.ops.row import Op, Spelling

T = TypeVar("T")

OPS: dict[str, Op] = {}
SPELLINGS: dict[str, tuple[Op, Spelling]] = {}
GRAPH_TYPES: dict[str, Op] = {}


def of_its_dtype(op: str, operands: Sequence[T]) -> Sequence[T]:
    """The operands of an op that have the type of its result: not the condition of a `where`, nor an index."""
    if op in ("phi", "loop"):
        return operands
    row = OPS.get(op)
    if row is None or not row.same_dtype:
        return ()
    return [one for place, one in enumerate(operands) if place not in row.untyped] if row.untyped else operands
