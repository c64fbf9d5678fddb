"""What may change between two places of a program: the code there is indexed once, since each repair asks about it."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Container, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import islice
from typing import Any

import libcst as cst

from tfnanlint.fix import rebinding
from tfnanlint.fix.dialect import NoFix
from tfnanlint.fix.sharing import may_share
from tfnanlint.fix.syntax import DYNAMIC_NAMES, Position, declared_in, is_within, statement_of, variables, walk
from tfnanlint.flow import Node
from tfnanlint.match.captures import Match
from tfnanlint.source.libraries import library_of
from tfnanlint.source.names import canonical_path
from tfnanlint.source.positions import Layout
from tfnanlint.source.source_file import SourceFile
from tfnanlint.source.values import Function, Instance, Items, Many, Origin, Path, Scope, Table, Value

_HARMLESS = frozenset("len range zip enumerate int float bool str tuple list dict isinstance print max min abs".split())
_WRITING = frozenset("shuffle copyto put place putmask fill_diagonal put_along_axis".split())
"""NumPy's functions that write into what they are given."""
_CHANGING = frozenset(
    "sort fill put partition resize itemset setfield append extend insert remove pop clear update setdefault reverse"
    " discard add popitem".split()
)
"""Methods that change an array, a list, a set or a dictionary."""
_SUSPENDING = (cst.Yield, cst.Await)
"""Syntax at which other code may run before this one continues."""
_RUNNING = (
    *(cst.Call, cst.With, cst.For, cst.CompFor, cst.Decorator, cst.ClassDef, cst.Import, cst.ImportFrom),
    *_SUSPENDING,
)
"""What may run code that stands elsewhere."""
_TELLING = (*_RUNNING, cst.Del, cst.Assign, cst.AugAssign, cst.AnnAssign, cst.AsName)
_MOST_STORES = 200
"""With more stores between two places, anything is assumed to have changed."""
_ANY = object()
"""A key that is not known."""
_PLACE = object()
"""A position or a slice."""
_OF_PLACES = (cst.Integer, cst.UnaryOperation, cst.Ellipsis)
"""Indices that are positions."""


class _Places:
    """Syntax nodes in the order of their positions."""

    def __init__(self) -> None:
        self.positions: list[Position] = []
        self.nodes: list[cst.CSTNode] = []

    def add(self, position: Position, node: cst.CSTNode) -> None:
        self.positions.append(position)
        self.nodes.append(node)

    def within(self, start: Position, end: Position, aside: Container[cst.CSTNode]) -> Iterator[cst.CSTNode]:
        """Those that begin between two positions, those `aside` left out."""
        first, last = bisect_left(self.positions, start), bisect_left(self.positions, end)
        return (self.nodes[place] for place in range(first, last) if self.nodes[place] not in aside)

    def among(self, start: Position, end: Position, aside: Container[cst.CSTNode]) -> bool:
        """Whether one of them begins between two positions, those `aside` left out."""
        return next(self.within(start, end, aside), None) is not None


class _Changes:
    """Where in a body something may change a value in place, by what it changes."""

    def __init__(self, file: SourceFile, body: cst.CSTNode) -> None:
        self._of: dict[str, _Places] = {}
        self.deleted = _Places()
        """The `del` statements, which may change anything."""
        self.stores = _Places()
        """The statements and targets that store an attribute or an item, or change the value of a name in place."""
        self.suspended = _Places()
        """Where other code is let run."""
        self.running = _Places()
        """What may run code that stands elsewhere."""
        self.dynamic = _Places()
        """The calls that may bind any name."""
        self._calls: dict[tuple[str, ...], tuple[cst.Call, _Places]] = {}
        spans = file.layout.spans
        found = [n for n in walk(body) if isinstance(n, _TELLING) and n in spans]
        for node in sorted(found, key=lambda n: spans[n][:2]):
            for places in self._told_by(node):
                places.add(spans[node][:2], node)
            if isinstance(node, _RUNNING):
                self.running.add(spans[node][:2], node)

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
        elif isinstance(node, _SUSPENDING):
            yield self.suspended
        elif isinstance(node, cst.Call):
            root, pieces = _root(node), _pieces(node.func)
            if root and isinstance(node.func, cst.Attribute) and pieces[0] not in _CHANGING:
                yield self._of.setdefault(root, _Places())
            if not pieces and root in DYNAMIC_NAMES:
                yield self.dynamic
            written = _written_into(node)
            if written:
                yield self.stores
            for name in written:
                yield self._of.setdefault(name, _Places())
            yield self._calls.setdefault((root, *pieces), (node, _Places()))[1]
        else:
            held = targets_in(node)
            if held or (isinstance(node, cst.AugAssign) and isinstance(node.target, cst.Name)):
                yield self.stores
            for name in {n.value for part in held for n in walk(part) if isinstance(n, cst.Name)}:
                yield self._of.setdefault(name, _Places())


def targets_in(node: cst.CSTNode) -> list[cst.Attribute | cst.Subscript]:
    """The attributes and the items that a piece of syntax stores something in."""
    stack: list[Any] = []
    if isinstance(node, cst.Assign):
        stack = [target.target for target in node.targets]
    elif isinstance(node, (cst.AugAssign, cst.For, cst.CompFor)) or (
        isinstance(node, cst.AnnAssign) and node.value is not None
    ):
        stack = [node.target]
    elif isinstance(node, cst.AsName):
        stack = [node.name]
    found: list[cst.Attribute | cst.Subscript] = []
    while stack:
        at = stack.pop()
        if isinstance(at, (cst.Attribute, cst.Subscript)):
            found.append(at)
        elif isinstance(at, (cst.Tuple, cst.List)):
            stack += [element.value for element in at.elements]
        elif isinstance(at, cst.StarredElement):
            stack.append(at.value)
    return found


def _written_into(call: cst.Call) -> set[str]:
    """The names of arrays and the like that a call writes into, as far as its name and its keywords tell."""
    called = _pieces(call.func)[0] if isinstance(call.func, cst.Attribute) else getattr(call.func, "value", "")
    written = [arg.value for arg in call.args if arg.keyword is not None and arg.keyword.value == "out"]
    if called in _WRITING:
        written += [arg.value for arg in call.args]
    if called in _CHANGING and isinstance(call.func, cst.Attribute):
        written.append(call.func.value)
    return {n.value for one in written for n in walk(one) if isinstance(n, cst.Name)}


@lru_cache(maxsize=2)
def _changes_in(file: SourceFile, body: cst.CSTNode) -> _Changes:
    return _Changes(file, body)


def _around(layout: Layout, node: cst.CSTNode) -> frozenset[cst.CSTNode]:
    """A syntax node and its ancestors, except the headers of loops and `with`, which run before it."""
    found = []
    at: Any = node
    while at is not None:
        if not isinstance(at, (cst.For, cst.With, cst.CompFor)):
            found.append(at)
        at = layout.parents.get(at)
    return frozenset(found)


def _root(call: Any) -> str:
    """The name at the start of what is called, or nothing."""
    first: Any = call.func if isinstance(call, cst.Call) else call
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
    """What an expression reads that code between two places may change: a variable, an attribute, an item."""
    file, scope = late.file, late.scope
    spans = file.layout.spans
    held = list(variables(file, expression))
    values = {n.value: early.scope.value_at(n.value, early.time) for n in held}
    names = {name for name, value in values.items() if not isinstance(value, Path)}
    mutable = {name for name in names if _is_mutable(values[name])}
    keys: list[Any] = []
    for part in walk(expression):
        if isinstance(part, (cst.Attribute, cst.Subscript)):
            inside = {n.value for n in walk(part.value) if isinstance(n, cst.Name) and n.value in names}
            mutable |= inside
            keys += [_key_of(part)] if inside else []
    if early.scope.body is not scope.body and mutable:
        return min(mutable)
    first, second = (early.expr, until) if early.time <= late.time else (until, early.expr)
    if spans[second][:2] < spans[first][:2]:
        return min(names, default=None)  # it is run in another turn of a loop
    changes = _changes_in(file, _body_of(late))
    end = rebinding.end_between(file.layout, first, second)
    around = _around(file.layout, second)
    between = spans[first][2:], end, around if end <= spans[second][:2] else frozenset()
    touched = {name for name in names if any(one.among(*between) for one in changes.of(name))}
    if not touched and names and (changes.deleted.among(*between) or changes.dynamic.among(*between)):
        touched = names
    if not touched:
        touched = {name for name in names if _is_assigned_elsewhere(scope, name, file)}
        if touched and not _runs_code(changes, first, second, late):
            touched = set()
    stores = list(islice(_stores(changes, file.layout, first, between), _MOST_STORES)) if not touched else []
    if len(stores) == _MOST_STORES or any(_is_hit(store, keys, values, scope) for store in stores):
        touched = mutable or names
    if not touched and changes.suspended.among(*between):
        touched = mutable
    if (
        not touched
        and mutable
        and any(
            places.among(*between)
            for call, places in changes.calls
            if not (isinstance(call.func, cst.Attribute) and _root(call) in names)
            and not is_known_call(call, scope, late.time)
        )
    ):
        touched = mutable
    return min(touched) if touched else None


def forbid_rebound(match: Match) -> None:
    """Raises `NoFix` where the name by which the matched code takes a value may hold another one in some run."""
    for value, user in match.places.values():
        there: Origin = value.origin
        here: Origin = user.origin
        expression = here.expression_of(value)
        if value not in match.matched or not isinstance(expression, cst.Name):
            continue
        if there.file is not here.file or there.scope.body is not here.scope.body:
            continue
        file, name = here.file, expression.value
        spans, first, second = file.layout.spans, there.expr, here.expr
        if first not in spans or is_within(file.layout, first, expression):
            continue
        turned = spans[second][:2] < spans[first][:2]
        if (
            turned
            or rebinding.bindings_between(file, name, first, second, at_start=True) > 1
            or (
                _is_assigned_elsewhere(here.scope, name, file)
                and _runs_code(_changes_in(file, _body_of(here)), first, second, here)
            )
        ):
            raise NoFix(f"`{name}` may hold another value on this line")


def _body_of(origin: Origin) -> cst.CSTNode:
    """The body of the function that a place lies in, or the file."""
    owner = origin.scope.owner
    body: cst.CSTNode = owner.node.body if isinstance(owner, Function) else origin.file.tree
    return body


def _runs_code(changes: _Changes, first: Any, second: Any, late: Origin) -> bool:
    """Whether code that stands elsewhere may be run between two expressions, or by the second one."""
    layout = late.file.layout
    known = {n for n in walk(second) if isinstance(n, cst.Call) and is_known_call(n, late.scope, late.time)}
    end = max(rebinding.end_between(layout, first, second), layout.spans[second][2:])
    return changes.running.among(layout.spans[first][2:], end, _around(layout, second) | known)


def _is_mutable(value: Value | None) -> bool:
    """Whether a value is known to be one that can be changed in place: a variable, an array of NumPy, a list."""
    if isinstance(value, Node):
        return value.op == "variable" or library_of([value]) == "numpy"
    return isinstance(value, (Instance, Items, Many, Table))


def _key_of(part: Any) -> Any:
    """Under what an attribute or an item is read or stored: a text, a place, or what is not known."""
    if isinstance(part, cst.Attribute):
        return part.attr.value
    index = part.slice[0].slice if len(part.slice) == 1 else None
    if not isinstance(index, cst.Index) or isinstance(index.value, _OF_PLACES):
        return _PLACE
    if isinstance(index.value, (cst.SimpleString, cst.ConcatenatedString)):
        return index.value.evaluated_value
    return _ANY


def _is_assigned_elsewhere(scope: Scope, name: str, file: SourceFile) -> bool:
    """Whether another function may give a variable a new value, by a `global` or `nonlocal` statement of its own."""
    holder = scope.holder(name)
    if holder is None or holder.kind == "module":
        return name in declared_in(file.tree, cst.Global)
    owner = holder.owner
    return isinstance(owner, Function) and name in declared_in(owner.node, cst.Nonlocal)


def _stores(
    changes: _Changes, layout: Layout, first: Any, between: tuple[Position, Position, frozenset[cst.CSTNode]]
) -> Iterator[cst.CSTNode]:
    """The stores between two places, those of the earlier one's statement included."""
    yield from changes.stores.within(*between)
    at = first
    while at is not None and not isinstance(at, (cst.SimpleStatementLine, cst.BaseCompoundStatement)):
        if isinstance(at, (cst.Assign, cst.AugAssign, cst.AnnAssign)) and at not in between[2]:
            yield at
        at = layout.parents.get(at)


def _is_hit(store: Any, keys: list[Any], values: dict[str, Value | None], scope: Scope) -> bool:
    """Whether a store may change what an expression reads, also through another name for it.

    What is stored under a text changes what is read under that text, of whatever object; what is stored at a position
    changes an array or a list, which may be that of another name, or a part of it.
    """
    if isinstance(store, cst.Call):
        return any(_shares(name, values, scope) for name in _written_into(store))
    stored = targets_in(store)
    for part in stored:
        key = _key_of(part)
        if key in keys and key is not _PLACE:
            return True
        by_name = any(read is not _PLACE for read in keys)
        if (key is _ANY and by_name) or (key is not _PLACE and _ANY in keys):
            return True
        if key in (_ANY, _PLACE) and _shares(_root(part), values, scope):
            return True
    in_place = not stored and isinstance(store, cst.AugAssign) and isinstance(store.target, cst.Name)
    return in_place and store.target.value not in values and _shares(store.target.value, values, scope)


def _shares(name: str, values: dict[str, Value | None], scope: Scope) -> bool:
    """Whether what a name stands for may be, or hold, what one of an expression's names stands for."""
    if name in values:
        return not isinstance(values[name], Path)
    holder = scope.holder(name)
    held = [value for _, value in holder.history[name]] if holder is not None else []
    return any(may_share(one, value) for one in held for value in values.values() if value is not None)


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
    return known and not last.startswith(("assign", "scatter_", "update", "set_")) and last not in _WRITING


def is_first(file: SourceFile, scope: Scope, time: int, expression: cst.CSTNode) -> bool:
    """Whether an expression can be evaluated before the rest of its statement: nothing else there has effects."""
    statement = statement_of(file, expression)
    return statement is not None and all(
        is_within(file.layout, node, expression) for node in _with_effects(statement, scope, time)
    )


def is_ahead(file: SourceFile, scope: Scope, time: int, expression: cst.CSTNode) -> bool:
    """Whether nothing with effects is evaluated in a statement before an expression that is a part of it."""
    statement, spans = statement_of(file, expression), file.layout.spans
    return statement is not None and not any(
        spans[node][2:] <= spans[expression][:2] for node in _with_effects(statement, scope, time)
    )


def _with_effects(statement: cst.CSTNode, scope: Scope, time: int) -> Iterator[cst.CSTNode]:
    """The parts of a statement that may have side effects."""
    for node in walk(statement):
        called = isinstance(node, cst.Call) and not is_known_call(node, scope, time)
        if called or isinstance(node, (cst.NamedExpr, cst.Yield, cst.Await)):
            yield node
