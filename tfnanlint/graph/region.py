"""The operations of a traced function that belong to a finding."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tfnanlint.graph.hooks import Key
from tfnanlint.match.captures import Match

if TYPE_CHECKING:
    from tfnanlint.flow import Node
    from tfnanlint.graph.model import Operation

REGION_LIMIT = 200
"""A single library call has at most as many operations."""
_OUTSIDE = frozenset({"Const", "Placeholder", "ReadVariableOp"})
"""What no library call counts as its own."""
_TESTS_FOR_NAN = frozenset({"IsNan", "IsFinite", "IsInf"})


class NotTried(Exception):
    """Why nothing can be run."""


@dataclass(frozen=True)
class Region:
    """The operations of a finding, and the one whose result is the finding's."""

    keys: frozenset[Key]
    root: Key
    with_nan: bool
    """Whether the program itself tests for NaN here, and so expects it in what comes in."""


def region_of(match: Match) -> Region:
    """The operations of a match; `NotTried` if there are none."""
    root = match.root.origin.operation
    if root is None:
        raise NotTried("its operation is not in the graph")
    found: set[Operation] = set()
    for node in {*match.matched, match.root}:
        operation = operation_of(node)
        if operation is None or node.op in ("const", "variable", "input", "layer"):
            continue
        ends = {operation_of(operand) for operand in node.operands} - {operation}
        found.update(_behind(operation, ends))
        # A number that its type does not hold is not finite before anything is computed of it.
        found.update(operation_of(operand) for operand in node.operands if _is_of_constant(operand))
    with_nan = any(operation.type in _TESTS_FOR_NAN for operation in found)
    return Region(frozenset(map(key_of, found)), key_of(root), with_nan)


def operation_of(node: Node) -> Any:
    """The operation that a node was lowered from, or None."""
    return getattr(node.origin, "operation", None)


def _is_of_constant(node: Node) -> bool:
    operation = operation_of(node)
    return node.op == "const" and operation is not None and operation.type in ("Const", "Cast")


def key_of(operation: Operation) -> Key:
    return (operation.graph.name, operation.name)


def _behind(operation: Operation, ends: set[Any]) -> Iterator[Operation]:
    """The operations of one call: from its result back to its operands."""
    seen = {operation}
    waiting = [operation]
    while waiting and len(seen) < REGION_LIMIT:
        at = waiting.pop()
        yield at
        for tensor in at.inputs:
            before = tensor.op
            outside = before in ends or before.node is None or before.type in _OUTSIDE
            if before not in seen and not outside:
                seen.add(before)
                waiting.append(before)
