"""A flow with a repair in it: some of its nodes are computed otherwise, until the patch is undone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tfnanlint.flow import Node
from tfnanlint.ops import OPS

if TYPE_CHECKING:
    from tfnanlint.facts import Facts


class Untried(Exception):
    """A repair cannot be tried: something of it, or of the program around it, is not understood."""


@dataclass(frozen=True)
class _Form:
    """How a node is computed."""

    op: str
    operands: tuple[Node, ...]
    attrs: Mapping[str, Any]


class FlowPatch:
    """The nodes that a repair adds to a flow, and those of the flow that it changes."""

    def __init__(self, facts: Facts, around: Node) -> None:
        """`around` is the node in whose place the repair stands: what is added is differentiated as it is."""
        self.facts = facts
        self._flow = facts.flow
        self._around = around
        self._start = len(self._flow.nodes)
        self._changed: dict[Node, _Form] = {}
        self._users: dict[Node, list[Node]] = {}
        self._computed: dict[Node, dict[str, tuple[Node, ...]]] = {}
        self.ends: list[tuple[Node, Node]] = []
        """The values that are replaced, each with what replaces it."""

    @property
    def added(self) -> Sequence[Node]:
        """The new nodes, in the order of computation."""
        return self._flow.nodes[self._start :]

    @property
    def changed(self) -> Sequence[Node]:
        """The changed nodes."""
        return list(self._changed)

    def add(self, op: str, operands: Sequence[Node], attrs: Mapping[str, Any]) -> Node:
        """A new node."""
        self._remember(operands)
        node = self._flow.add(op, operands, attrs, self._around.origin)
        node.under = self._around.under
        self.facts.liken(node, self._around)
        return node

    def constant(self, value: Any) -> Node:
        """A new constant."""
        return self._flow.constant(value, self._around.origin)

    def copy(self, node: Node) -> Node:
        """A new node that computes what another one does."""
        row = OPS.get(node.op)
        if row is None or row.random:
            raise Untried
        found = self.add(node.op, node.operands, node.attrs)
        if node in self._flow.computed:
            self._flow.computed[found] = self._flow.computed[node]
        return found

    def compute(self, node: Node, name: str, parts: tuple[Node, ...]) -> None:
        """Let a static parameter of a new node be computed from some values."""
        self._flow.computed.setdefault(node, {})[name] = parts

    def replace(self, node: Node, by: Node) -> None:
        """Make a node pass on another value."""
        self.ends.append((node, by))
        if node in self._flow.computed:
            self._computed[node] = self._flow.computed.pop(node)
        self._change(node, "identity", (by,), {})

    def exchange(self, user: Node, old: Node, new: Node) -> None:
        """Make a node take another operand."""
        if old not in user.operands:
            raise Untried
        self.ends.append((old, new))
        self._change(user, user.op, tuple(new if one is old else one for one in user.operands), user.attrs)

    def _change(self, node: Node, op: str, operands: tuple[Node, ...], attrs: Mapping[str, Any]) -> None:
        self._changed.setdefault(node, _Form(node.op, node.operands, node.attrs))
        self._remember((*node.operands, *operands))
        for operand in node.operands:
            operand.users.remove(node)
        for operand in operands:
            operand.users.append(node)
        node.op, node.operands, node.attrs = op, operands, attrs

    def _remember(self, nodes: Sequence[Node]) -> None:
        for node in nodes:
            self._users.setdefault(node, list(node.users))

    @contextmanager
    def lifted(self) -> Iterator[None]:
        """Meanwhile the changed nodes have their old ops and operands; the `users` lists stay as they are."""
        with_it = {node: _Form(node.op, node.operands, node.attrs) for node in self._changed}
        _set(self._changed)
        try:
            yield
        finally:
            _set(with_it)

    def undo(self) -> None:
        """Leave the flow as it was."""
        _set(self._changed)
        for node, users in self._users.items():
            node.users[:] = users
        for node in self.added:
            self._flow.computed.pop(node, None)
            self._flow.powers.pop(node, None)
            node.operands = ()
        self._flow.computed.update(self._computed)
        self.facts.forget(self.added)
        del self._flow.nodes[self._start :]


def _set(nodes: Mapping[Node, _Form]) -> None:
    for node, before in nodes.items():
        node.op, node.operands, node.attrs = before.op, before.operands, before.attrs


@contextmanager
def patched(facts: Facts, around: Node) -> Iterator[FlowPatch]:
    """An empty patch, which is undone at the end."""
    patch = FlowPatch(facts, around)
    try:
        yield patch
    finally:
        patch.undo()
