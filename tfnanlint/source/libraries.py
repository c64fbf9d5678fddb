"""What computes a value beside TensorFlow: NumPy, or Python itself."""

from __future__ import annotations

from collections.abc import Sequence

from tfnanlint.flow import Node
from tfnanlint.ops import OPS

TABLE = "table"
"""Marks what a function of NumPy makes of the program's own numbers."""
LIBRARY = "library"
"""Marks a node that NumPy or Python computes; rules apply only where TensorFlow takes what NumPy makes of it."""


def library_of(nodes: Sequence[Node]) -> str:
    """The library that computes an operator's result: that of an operand, unless TensorFlow computed another one."""
    behind = [_behind(node) for node in nodes]
    held = next((str(node.attrs[LIBRARY]) for node in behind if LIBRARY in node.attrs), "")
    return held if held and not any(_is_tensor(node) for node in behind) else ""


def _is_tensor(node: Node, depth: int = 0) -> bool:
    """Whether a function of TensorFlow, a layer or a variable is seen to make a value, operators aside."""
    if LIBRARY in node.attrs or depth > FAR:
        return False
    if node.op in _MADE or node.origin.spelling:
        return True
    return node.op in OPS and any(_is_tensor(operand, depth + 1) for operand in node.operands)


FAR = 4
"""The most operators through which a value is followed to the function that made it."""
_MADE = frozenset(("variable", "layer", "placeholder", "gradient"))


def _behind(node: Node) -> Node:
    """What a value is a part of, or is on one of several paths."""
    while node.op in ("getitem", "loop", "phi") and LIBRARY not in node.attrs and node.operands:
        node = node.operands[-1 if node.op == "phi" else 0]
    return node
