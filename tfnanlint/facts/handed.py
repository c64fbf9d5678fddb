"""What values are made of: through the ops that hand them on, as they are or element by element, or altogether."""

from __future__ import annotations

from tfnanlint.flow import Node, behind

UNCHANGED = frozenset("stop_gradient identity ensure_shape check_numerics convert_to_tensor constant".split())
"""Ops that give the very value they take, for its range if not for its gradient."""
RETYPED = UNCHANGED | {"cast"}
"""Ops that give the numbers they take, be it in another type."""
COPIED = frozenset("identity convert_to_tensor transpose cast".split())
"""Ops that give the elements they take, in another order or type."""


def strip(node: Node) -> Node:
    """The value behind ops that hand it on unchanged."""
    return behind(node, UNCHANGED)
