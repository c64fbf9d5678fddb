"""Every row of the op table by its name, its source spellings and its graph types.

The package fills it from its families. What a row runs looks other rows up here, so that no family imports the package.
"""

from __future__ import annotations

from tfnanlint.ops.row import Op, Spelling

OPS: dict[str, Op] = {}
SPELLINGS: dict[str, tuple[Op, Spelling]] = {}
GRAPH_TYPES: dict[str, Op] = {}


def keeps_dtype(op: str) -> bool:
    """Whether the result of an op has the type of its operands."""
    return op in ("getitem", "phi", "loop") or (op in OPS and OPS[op].same_dtype)
