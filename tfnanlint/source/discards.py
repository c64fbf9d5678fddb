"""Results that are thrown away: an op of the table as a statement of its own, which changes nothing.

A `discarded` node stands for such a statement. It is not a use of the value, so that trials and facts are not affected.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from tfnanlint.flow import DISCARDED
from tfnanlint.ops import OPS, Op
from tfnanlint.source import grammar
from tfnanlint.source.values import Origin, Scope, Value, nodes_in

if TYPE_CHECKING:
    from tfnanlint.source.lower import Lowering

_PROBE = 2
"""The most statements of a `try` block that counts as a test of whether an op works."""
BUILDING = frozenset("convert_to_tensor constant identity stack concat zeros_like ones_like zeros ones eye".split())
"""Ops that build a tensor, of the numbers of their operands or of one number."""
_CELL = re.compile("#(?:\\s*%%|(\u01c3+)\\d+\\1$)")
"""What opens a cell: of a notebook, as its module is put together, or of a script that an editor runs in cells."""


def note(low: Lowering, statement: grammar.Expr, value: Value, scope: Scope) -> None:
    """Note that a statement throws the result of an op away.

    The call has to be written there, and not inside a function that the statement calls. A `name` names a node of a
    graph, which is found by it later.
    """
    if not isinstance(statement.value, grammar.Call) or statement in low.probes:
        return
    for node in nodes_in(value):
        row, origin = OPS.get(node.op), node.origin
        if row is None or origin is None or not _replaces_its_operand(row):
            continue
        if origin.expr is not statement.value or origin.calls != low.calls:
            continue
        if origin.spelling and "name" not in origin.keywords and any(o.op != "const" for o in node.operands):
            low.flow.describe(DISCARDED, node, low.origin(statement.value, scope, arguments=origin.arguments))
        return


def _replaces_its_operand(row: Op) -> bool:
    """Whether people write `x = op(x)` with this op, so that a lone `op(x)` is likely to be a mistake.

    Nobody takes a product of matrices or elements at indices for a change of an argument: such a call is timed, or it
    registers a loss. A tensor that is only built leaves the numbers of its argument as they are.
    """
    if row.random or row.acts or row.name in BUILDING:
        return False
    return row.elementwise or len(row.operands) == 1


def probed(body: Sequence[grammar.Syntax]) -> list[grammar.Expr]:
    """The expressions of a block whose exceptions are caught; if it is short, they may tell whether an op works."""
    lines = [line for line in body if isinstance(line, grammar.SimpleStatementLine)] if len(body) <= _PROBE else []
    return [small for line in lines for small in line.body if isinstance(small, grammar.Expr)]


def is_displayed(origin: Origin) -> bool:
    """Whether a notebook displays what a statement gives, which is the last of its cell."""
    if origin.scope.kind != "module":
        return False
    lines = origin.file.lines
    cells = [number for number, line in enumerate(lines) if line.startswith("#") and _CELL.match(line)]
    if not cells:
        return False
    end = origin.file.layout.spans[origin.expr][2]
    rest = lines[end : next((number for number in cells if number >= end), len(lines))]
    return not any(line.strip() and not line.lstrip().startswith("#") for line in rest)
