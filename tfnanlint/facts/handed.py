"""What values are made of: through the ops that hand them on, as they are or element by element, or altogether."""

from __future__ import annotations

from tfnanlint.flow import Node, behind

UNCHANGED = frozenset("stop_gradient identity ensure_shape check_numerics convert_to_tensor constant".split())
"""Ops whose result is their operand, as far as its range is concerned; the gradient may differ."""
RETYPED = UNCHANGED | {"cast"}
"""Ops whose result has the numbers of their operand, perhaps in another type."""
COPIED = frozenset("identity convert_to_tensor transpose cast".split())
"""Ops that give the elements they take, in another order or type."""


def strip(node: Node) -> Node:
    """The value behind ops that hand it on unchanged."""
    return behind(node, UNCHANGED)
