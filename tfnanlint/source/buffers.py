"""Arrays that a program makes for an unknown function to fill: `buffer = np.zeros(3); comm.Allreduce(x, buffer)`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfnanlint.flow import Node
from tfnanlint.source.libraries import LIBRARY
from tfnanlint.source.values import Scope, Value

if TYPE_CHECKING:
    from tfnanlint.source import grammar
    from tfnanlint.source.lower import Lowering

ZEROED = frozenset("zeros zeros_like empty empty_like".split())
"""NumPy functions, and the ops that they are, that make an array of zeros or of nothing in particular."""
FILLED = frozenset("ones ones_like full full_like".split())
"""Those that make an array of one other number."""
READING = frozenset({"print", "append"})
"""Functions that change no array that is passed to them."""


def fill(low: Lowering, call: grammar.Expression, result: Value, scope: Scope) -> None:
    """After a statement that calls an unknown function, take the blank arrays that it gets for filled.

    A statement does not use the result, so the call is made for what it does to its arguments.
    """
    if not isinstance(result, Node) or result.op != "unknown" or result.attrs.get("called") in READING:
        return
    for name, held in list(scope.names.items()):
        if isinstance(held, Node) and held in result.operands and _is_blank(held):
            low.bind(scope, name, low.unknown(call, scope, (held, result)))


def _is_blank(value: Node) -> bool:
    made = value.attrs.get("called") if value.op == "unknown" else value.op
    return value.attrs.get(LIBRARY) == "numpy" and made in ZEROED | FILLED
