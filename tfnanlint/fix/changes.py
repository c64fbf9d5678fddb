"""What may change between two places of a program: the code there is indexed once, since each repair asks about it."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Container, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any

import libcst as cst

from tfnanlint.fix.hoist import Position, is_within, statement_of, variables, walk
from tfnanlint.flow import Node
from tfnanlint.source.names import canonical_path
from tfnanlint.source.positions import Layout
from tfnanlint.source.values import Function, Origin, Path, Scope, SourceFile

_HARMLESS = frozenset("len range zip enumerate int float bool str tuple list dict isinstance print max min abs".split())


class _Places:
    """Syntax nodes in the order of their positions."""

    def __init__(self) -> None:
        self.positions: list[Position] = []
        self.nodes: list[cst.CSTNode] = []

    def among(self, start: Position, end: Position, aside: Container[cst.CSTNode]) -> bool:
        """Whether one of them begins between two positions, those `aside` left out."""
        first, last = bisect_left(self.positions, start), bisect_left(self.positions, end)
        return any(self.nodes[place] not in aside for place in range(first, last))


class _Changes:
    """Where in a body something may change a value in place, by what it changes."""

    def __init__(self, file: SourceFile, body: cst.CSTNode) -> None:
        self._of: dict[str, _Places] = {}
        self.deleted = _Places()
        """The `del` statements, which may change anything."""
        self._calls: dict[tuple[str, ...], tuple[cst.Call, _Places]] = {}
        spans = file.layout.spans
        found = [n for n in walk(body) if isinstance(n, cst.Call | cst.AssignTarget | cst.AugAssign | cst.Del)]
        for node in sorted((n for n in found if n in spans), key=lambda n: spans[n][:2]):
            for places in self._told_by(node):
                places.positions.append(spans[node][:2])
                places.nodes.append(node)

    def of(self, name: str) -> Sequence[_Places]:
        """What writes into the value of a name, or calls one of its methods."""
        found = self._of.get(name)
        return (found,) if found is not None else ()

    @property
    def calls(self) -> Iterable[tuple[cst.Call, _Places]]:
        """The calls of each function, with one of them."""
        return self._calls.values()

    def _told_by(self, node: cst.CSTNode) -> Iterator[_Places]:
        if isinstance(node, cst.Del):
            yield self.deleted
        elif isinstance(node, cst.Call):
            root = _root(node)
            if root and isinstance(node.func, cst.Attribute):
                yield self._of.setdefault(root, _Places())
            yield self._calls.setdefault((root, *_pieces(node.func)), (node, _Places()))[1]
        elif isinstance(node, (cst.AssignTarget, cst.AugAssign)) and isinstance(
            node.target, (cst.Attribute, cst.Subscript)
        ):
            for name in {n.value for n in walk(node.target) if isinstance(n, cst.Name)}:
                yield self._of.setdefault(name, _Places())


@lru_cache(maxsize=2)
def _changes_in(file: SourceFile, body: cst.CSTNode) -> _Changes:
    return _Changes(file, body)


def _around(layout: Layout, node: cst.CSTNode) -> frozenset[cst.CSTNode]:
    """A syntax node and all that it is a part of."""
    found = []
    at: Any = node
    while at is not None:
        found.append(at)
        at = layout.parents.get(at)
    return frozenset(found)


def _root(call: cst.Call) -> str:
    """The name at the start of what is called, or nothing."""
    first: Any = call.func
    while isinstance(first, (cst.Attribute, cst.Subscript, cst.Call)):
        first = first.func if isinstance(first, cst.Call) else first.value
    return first.value if isinstance(first, cst.Name) else ""


def _pieces(func: Any) -> tuple[str, ...]:
    """The attributes of a dotted name, the last one first; what is not a dotted name ends with an empty one."""
    pieces = []
    while isinstance(func, cst.Attribute):
        pieces.append(func.attr.value)
        func = func.value
    return (*pieces, "") if not isinstance(func, cst.Name) else tuple(pieces)


def changed_between(early: Origin, expression: cst.CSTNode, late: Origin, until: cst.CSTNode) -> str | None:
    """What an expression reads that code between two places may change in place: a variable, an attribute, an item."""
    file = late.file
    spans = file.layout.spans
    held = list(variables(file, expression))
    names = {n.value for n in held if not isinstance(early.scope.value_at(n.value, early.time), Path)}
    mutable = {
        n.value
        for n in held
        if isinstance(value := early.scope.value_at(n.value, early.time), Node) and value.op == "variable"
    }
    for part in walk(expression):
        if isinstance(part, (cst.Attribute, cst.Subscript)):
            mutable |= {n.value for n in walk(part.value) if isinstance(n, cst.Name) and n.value in names}
    body = late.scope.owner.node.body if isinstance(late.scope.owner, Function) else file.tree
    changes = _changes_in(file, body)
    between = spans[early.expr][2:], spans[until][:2], _around(file.layout, until)
    touched = {name for name in names if any(one.among(*between) for one in changes.of(name))}
    if not touched and names and changes.deleted.among(*between):
        touched = names
    if (
        not touched
        and mutable
        and any(
            places.among(*between)
            for call, places in changes.calls
            if not (isinstance(call.func, cst.Attribute) and _root(call) in names)
            and not is_known_call(call, late.scope, late.time)
        )
    ):
        touched = mutable
    return min(touched) if touched else None


def is_known_call(call: cst.Call, scope: Scope, time: int) -> bool:
    """Whether a call is to a function that changes no object that it is given."""
    root, pieces = _root(call), _pieces(call.func)
    if not root or "" in pieces:
        return False
    value = scope.value_at(root, time)
    if root in _HARMLESS and not pieces:
        return value is None
    if not isinstance(value, Path):
        return False
    path = canonical_path(".".join([value.dotted, *reversed(pieces)]))
    home, _, last = path.rpartition(".")
    known = home.split(".")[0] in ("tf", "ops", "K", "keras", "math", "numpy")
    return known and not last.startswith(("assign", "scatter_", "update", "set_"))


def is_first(file: SourceFile, scope: Scope, time: int, expression: cst.CSTNode) -> bool:
    """Whether an expression can be evaluated before the rest of its statement: nothing else there has effects."""
    statement = statement_of(file, expression)
    return statement is not None and all(
        is_known_call(node, scope, time) or is_within(file.layout, node, expression)
        for node in walk(statement)
        if isinstance(node, cst.Call)
    )
