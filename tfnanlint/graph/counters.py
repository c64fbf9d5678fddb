"""Step counters: integer variables that the graph itself increments, and that are 0 in the first run.

A step reads the counter before it increments it, so a division by the counter is infinite in the first step. A variable
that is 0 now but is only read may be set before the graph runs, so it is not a counter.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tfnanlint.interval import INF, Interval
from tfnanlint.ranges import Range

if TYPE_CHECKING:
    from tfnanlint.flow import Node

COMPARISONS = frozenset("equal not_equal less less_equal greater greater_equal".split())
FROM_ZERO = Range(Interval(0.0, INF), "a step counter, 0 in the first step")


@dataclass
class Counters:
    """The variables of a graph that may count: those that are 0, and what was written to them so far."""

    at_zero: set[Node] = field(default_factory=set)
    raised: set[Node] = field(default_factory=set)
    written: set[Node] = field(default_factory=set)
    """Those that were written in any way: what is read of them from then on is another number."""

    def note(self, node: Node, variable: Any) -> None:
        """Note a variable if it is a whole number, is not trained, and is 0 now."""
        if not variable.trainable and variable.dtype.is_integer and node.attrs.get("initializer") == 0:
            self.at_zero.add(node)

    def write(self, node: Node, more: Any) -> None:
        """Note that a variable is written: that a number is added to it, or anything else (None)."""
        if node not in self.at_zero:
            return
        self.written.add(node)
        if isinstance(more, int) and more > 0:
            self.raised.add(node)
        else:
            self.at_zero.remove(node)

    def found(self) -> set[Node]:
        """The variables that count, and that the graph does not ask how far they have come."""
        return {node for node in self.at_zero & self.raised if not _is_compared(node)}


def _is_compared(node: Node) -> bool:
    """Whether a value is compared with another one, perhaps after a cast."""
    return any(
        user.op in COMPARISONS or (user.op in ("cast", "identity") and _is_compared(user)) for user in node.users
    )
