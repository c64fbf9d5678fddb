"""Whether two values may be one object, or parts of one, so that a change of the one in place changes the other."""

from __future__ import annotations

from collections.abc import Iterator

from tfnanlint.flow import Node, ancestors, is_layer
from tfnanlint.ops import OPS
from tfnanlint.source.libraries import library_of
from tfnanlint.source.values import Value, nodes_in, parts_of

_VIEWS = frozenset(
    "getitem identity reshape squeeze expand_dims transpose flatten convert_to_tensor stack attribute unknown phi"
    " loop".split()
)
"""Ops whose result may share memory with an operand."""
MOST_LOOKED_AT = 60


def may_share(one: Value, other: Value) -> bool:
    """Whether an in-place change of one value may change the other. Two parameters are taken for two objects."""
    mine = set(_objects(one))
    return any(held in mine for held in _objects(other))


def _objects(value: Value) -> Iterator[int]:
    """The objects that a value may be, hold or be a part of, as numbers; tensors are left out: they never change."""
    for part in parts_of(value):
        if not isinstance(part, Node):
            yield id(part)
    for node in nodes_in(value):
        for at in ancestors(node, _looked_through, MOST_LOOKED_AT):
            if at.op != "const" and not _is_tensor(at):
                yield at.value


def _looked_through(node: Node) -> tuple[Node, ...]:
    return node.operands if node.op in _VIEWS and not _is_tensor(node) else ()


def _is_tensor(node: Node) -> bool:
    """Whether a function of TensorFlow or a layer makes a value, and nothing but an assignment to it changes it."""
    if is_layer(node):
        return True
    of_numpy = library_of([node]) == "numpy"
    return not of_numpy and (bool(node.origin.spelling) if node.op in _VIEWS else node.op in OPS)
