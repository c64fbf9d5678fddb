"""Hooks into the rebuilding of a function: they see its operations and can replace them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

Key = tuple[str, str]
"""An operation: the function it is in ("" for the outermost), and its name there."""

OUTSIDE = -1
"""The group of operations that are not watched."""


class Boundary:
    """Stands around one group of watched operations of a function body: sees and may replace what goes in and out."""

    def enter(self, tensor: Any) -> Any:
        """What a watched operation is given in place of a tensor from outside."""
        return tensor

    def leave(self, key: Key, tensor: Any) -> Any:
        """What others are given in place of the result of a watched operation."""
        return tensor


class Hooks:
    """The operations observed while a function is rebuilt, and the values carried through branches and loops.

    The base class changes nothing.
    """

    keys: frozenset[Key] = frozenset()

    def group(self, key: Key) -> int:
        """The group to which a watched operation belongs: what goes from one of a group to another stays as it is."""
        return 0

    def boundary(self, group: int) -> Boundary:
        """The boundary of one more group of watched operations, or of one in one more function body."""
        return Boundary()

    def made(self, key: Key, results: Sequence[Any]) -> None:
        """Take note of any rebuilt operation."""

    def carried(self) -> list[Any]:
        """The tensors noted so far, which branches and loops hand on."""
        return []

    def resume(self, carried: Sequence[Any]) -> None:
        """Continue with the values of `carried` after a branch or a loop."""
