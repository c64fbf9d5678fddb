"""What values are made of: through the ops that hand them on, as they are or element by element, or altogether."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from tfnanlint.flow import Node, behind

UNCHANGED = frozenset("stop_gradient identity check_numerics convert_to_tensor constant".split())
"""Ops that give the very value they take, for its range if not for its gradient."""
RETYPED = UNCHANGED | {"cast"}
"""Ops that give the numbers they take, be it in another type."""
COPIED = frozenset("identity convert_to_tensor transpose cast".split())
"""Ops that give the elements they take, in another order or type."""


def strip(node: Node) -> Node:
    """The value behind ops that hand it on unchanged."""
    return behind(node, UNCHANGED)


def ancestors(
    node: Node, onward: Callable[[Node], Iterable[Node]] = lambda at: at.operands, most: int = 100
) -> Iterator[Node]:
    """A node and all that it is computed from, each once, as far as `onward` leads, and so many `most`."""
    met: set[Node] = set()
    stack = [node]
    while stack and len(met) < most:
        at = stack.pop()
        if at not in met:
            met.add(at)
            yield at
            stack.extend(onward(at))
