"""The part of `Facts` that single facts may use."""

from __future__ import annotations

from typing import Protocol

from tfnanlint.flow import Flow, Node, Root
from tfnanlint.ranges import Assumption, Range


class FactsView(Protocol):
    """The facts of a flow, as far as they are computed."""

    flow: Flow
    assumptions: dict[Node, Assumption]

    def range(self, node: Node) -> Range:
        """The range of a node."""

    def differentiated(self, node: Node) -> Root | None:
        """By what a node is differentiated, or None."""
