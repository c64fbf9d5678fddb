"""The op table: one row an op, a file a family, looked up by source spelling or by graph type."""

from __future__ import annotations

from tfnanlint.ops import (
    activations,
    arithmetic,
    elementwise,
    linalg,
    losses,
    moves,
    nn,
    random,
    reductions,
    segments,
    select,
    signal,
    special,
    trigonometry,
    windows,
)
from tfnanlint.ops.registry import GRAPH_TYPES, OPS, SPELLINGS
from tfnanlint.ops.row import HINTS, Attributes, Break, Op, Spelling

FAMILIES = (
    elementwise, activations, trigonometry, special, arithmetic, reductions, linalg, nn, losses, select, moves,
    segments, signal, random, windows,
)  # fmt: skip

for _family in FAMILIES:
    for _op in _family.ROWS:
        if _op.name in OPS:
            raise ValueError(f"op {_op.name!r} has two rows")
        OPS[_op.name] = _op
        for _spelling in _op.spellings:
            for _name in _spelling.names:
                if _name in SPELLINGS:
                    raise ValueError(f"{_name} is spelled in two rows: {SPELLINGS[_name][0].name} and {_op.name}")
                SPELLINGS[_name] = (_op, _spelling)
        for _type in _op.graph:
            if _type in GRAPH_TYPES:
                raise ValueError(f"{_type} is the graph type of two rows: {GRAPH_TYPES[_type].name} and {_op.name}")
            GRAPH_TYPES[_type] = _op

__all__ = ["GRAPH_TYPES", "HINTS", "OPS", "SPELLINGS", "Attributes", "Break", "Op", "Spelling"]
