"""The origin of a node in a traced graph: the name of its operation, and the user's line that created it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from tfnanlint.graph.stack import NOWHERE, Frame, Stack

if TYPE_CHECKING:
    from tfnanlint.graph.model import Tensor


def last_size(tensor: Tensor) -> int | None:
    """How many elements a tensor has along its last axis, where its shape is known."""
    shape = tensor.shape
    return shape[-1] if shape else None


class GraphOrigin:
    """The operation of a node, and its stack.

    `site` is (file, line, function) of the innermost frame that is the user's, read when it is asked for.
    """

    __slots__ = ("name", "operation", "ordinal", "row", "stack")

    keywords: Mapping[str, Any] = {}
    """A graph has no argument expressions."""

    def __init__(self, operation: Any, name: str, stack: Stack = NOWHERE, row: str = "") -> None:
        self.operation = operation
        self.name = name
        self.stack = stack
        self.row = row
        self.ordinal = 0

    @property
    def last_size(self) -> int | None:
        """How many elements the operation's result has along its last axis, where the graph says so."""
        outputs: list[Tensor] = self.operation.outputs if self.operation is not None else []
        return last_size(outputs[0]) if len(outputs) == 1 else None

    @property
    def path(self) -> tuple[Frame, ...]:
        """The user's frames that lead here, outermost first; empty where the graph keeps no stacks."""
        return self.stack.path

    @property
    def calls(self) -> tuple[Frame, ...]:
        """The user's calls through which the line was reached."""
        return self.path[:-1]

    @property
    def site(self) -> Frame | None:
        """The user's line."""
        return self.path[-1] if self.path else None


class Sites:
    """How many nodes of one op each line made, so that the nth can be found among the line's calls."""

    def __init__(self) -> None:
        self._counts: dict[tuple[Frame | None, str], int] = {}

    def place(self, origin: GraphOrigin) -> GraphOrigin:
        """Note an origin, and tell it which of its line's it is."""
        key = (origin.stack.site, origin.row)
        origin.ordinal = self._counts.get(key, 0)
        self._counts[key] = origin.ordinal + 1
        return origin

    def count(self, origin: GraphOrigin) -> int:
        """How many of the op the origin's line made."""
        return self._counts.get((origin.stack.site, origin.row), 1)
