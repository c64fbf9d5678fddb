"""What a name can hold while a module is lowered: a node of the flow, or a Python object known by kind.

Everything else is `unknown`: a node that stays connected to what it was made of.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import itemgetter
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from tfnanlint.flow import Conditions, Node
from tfnanlint.ops import SPELLINGS
from tfnanlint.source import grammar
from tfnanlint.source.names import canonical_path

if TYPE_CHECKING:
    import libcst as cst

    from tfnanlint.source.source_file import SourceFile

MOST_ABOVE = 200
"""The most classes of a module above one of them that are looked at."""

NO_KEYWORDS: Mapping[str, Any] = MappingProxyType({})
"""The expressions of static parameters where none is given."""


@dataclass(eq=False, repr=False, slots=True)
class Origin:
    """Where a node was written.

    `scope`, `time` and `loop` say in which activation of which code, when, and in which loop it was
    evaluated; `calls` are the call sites it was inlined through, outermost first. `arguments` pairs
    operand nodes with the expressions that gave them, `keywords` does so for static parameters.
    `spelling` is the op's path as canonical text, empty for an operator. `written`: whether `expr` is an
    expression of this very value, and not of the layer that computes it elsewhere. `note` says what a call is for that
    the program does not write as one, such as that of a loss by `compile`. The syntax is libcst's where the
    file was read whole, as it is for everything that goes by an origin: a report and a repair.
    """

    file: SourceFile
    expr: cst.CSTNode
    scope: Scope
    time: int
    loop: int
    calls: tuple[Origin, ...]
    arguments: Sequence[tuple[Node, cst.BaseExpression]]
    keywords: Mapping[str, cst.BaseExpression]
    spelling: str
    written: bool = True
    note: str = ""

    @property
    def activations(self) -> frozenset[Scope]:
        """The function calls, each a scope of names, that the node is computed in."""
        return frozenset((self.scope, *(call.scope for call in self.calls)))

    def expression_of(self, operand: Node) -> cst.BaseExpression | None:
        """The expression that gave `operand` here."""
        for node, expression in self.arguments:
            if node is operand:
                return expression
        return None


class Scope:
    """The names of one activation of a module, class or function body, with their history.

    `kind` is "module", "class", "function", or "comprehension", whose names are those of its `for` parts alone. `bound`
    has the names in the order in which they were bound, each as often as it was.
    """

    __slots__ = ("bound", "enclosing", "history", "kind", "names", "outer", "owner", "parent", "staged")

    def __init__(self, parent: Scope | None, kind: str, owner: Any = None) -> None:
        self.parent = parent
        self.kind = kind
        self.owner = owner
        self.names: dict[str, Value] = {}
        self.history: dict[str, list[tuple[int, Value]]] = {}
        self.bound: list[str] = []
        self.outer: set[str] = set()
        """The names that are declared `global`."""
        self.enclosing: set[str] = set()
        """The names that are declared `nonlocal`."""
        self.staged: bool = kind == "module" or (parent is not None and owner is parent.owner and parent.staged)
        """Whether the script runs it by itself, and gives it constants at most."""

    @property
    def module(self) -> Scope:
        """The scope of the module that this one lies in."""
        scope = self
        while scope.parent is not None:
            scope = scope.parent
        return scope

    @property
    def body(self) -> Scope:
        """The scope of the function, class or module body that an expression of this one stands in."""
        scope = self
        while scope.kind == "comprehension" and scope.parent is not None:
            scope = scope.parent
        return scope

    def home(self, name: str) -> Scope:
        """The scope of which a name that is bound here is a variable."""
        if name in self.outer:
            return self.module
        if name in self.enclosing:
            scope = self.parent
            nearest: Scope | None = None
            while scope is not None:
                if scope.kind == "function":
                    nearest = nearest or scope
                    if name in scope.outer or name in scope.enclosing:
                        return scope.home(name)
                    if name in scope.history:
                        return scope
                scope = scope.parent
            return nearest or self  # which assigns it later
        return self

    @property
    def declared(self) -> set[str]:
        """The names that are bound here and belong to another scope."""
        return self.outer | self.enclosing if self.enclosing else self.outer

    @property
    def touched(self) -> list[Scope]:
        """The scopes that a statement of this one may bind names in, itself first."""
        if not self.outer and not self.enclosing:
            return [self]
        return list(dict.fromkeys((self, *(self.home(name) for name in sorted(self.declared)))))

    def state(self) -> dict[str, Value]:
        """What the names that are bound here hold now."""
        held = dict(self.names)
        for name in self.declared:
            found = self.home(name).names.get(name)
            if found is not None:
                held[name] = found
        return held

    def bind(self, name: str, value: Value, time: int) -> None:
        if (self.outer or self.enclosing) and (home := self.home(name)) is not self:
            home.bind(name, value, time)
            return
        self.names[name] = value
        self.bound.append(name)
        held = self.history.get(name)
        if held is None:
            self.history[name] = [(time, value)]
        else:
            held.append((time, value))

    def lookup(self, name: str) -> Value | None:
        """The value of a name, seen as Python sees it: class bodies are skipped from within methods."""
        found = self.names.get(name)
        if found is not None and not self.outer:
            return found
        for scope in self.seen(name):
            found = scope.names.get(name)
            if found is not None:
                return found
        return None

    def seen(self, name: str) -> Iterator[Scope]:
        """The scopes in which a name is looked for, as Python does it."""
        scope: Scope | None = self
        while scope is not None:
            if scope.outer and name in scope.outer:
                yield scope.module
                return
            if scope is self or scope.kind != "class":
                yield scope
            scope = scope.parent

    def holder(self, name: str) -> Scope | None:
        """The scope of which a name that is read here is a variable."""
        return next((scope for scope in self.seen(name) if name in scope.history), None)

    def value_at(self, name: str, time: int) -> Value | None:
        """The value a name held at a time of the lowering."""
        for scope in self.seen(name):
            held = scope.history.get(name)
            if held is not None and (place := bisect_right(held, time, key=itemgetter(0))):
                return held[place - 1][1]
        return None


@dataclass
class Jumps:
    """What the names hold wherever a loop is left or its next turn begun early."""

    breaks: list[dict[str, Value]] = field(default_factory=list)
    continues: list[dict[str, Value]] = field(default_factory=list)


@dataclass(unsafe_hash=True, slots=True)  # never changed; frozen ones are slow to make
class Path:
    """Something outside the module, by the dotted path it was imported under."""

    dotted: str

    def attribute(self, name: str) -> Path:
        return Path(f"{self.dotted}.{name}")


@dataclass(eq=False, repr=False)
class Function:
    """A function or lambda of the module, with the scope it closes over and the object it is bound to."""

    node: Any
    """A `def` or a lambda, which is libcst's where the file was read whole."""
    scope: Scope
    file: SourceFile
    bound: Value | None = None
    cls: Class | None = None
    decorators: tuple[str, ...] = ()
    under: Conditions = ()
    """What is known to hold where it is defined, and so wherever it is called."""
    compiled: bool = False
    """Whether its decorator asks for XLA."""

    @property
    def header(self) -> Any:
        """What stands for the function in a report: its name, or the lambda itself."""
        return self.node.name if isinstance(self.node, grammar.FunctionDef) else self.node

    @property
    def name(self) -> str:
        return str(self.node.name.value) if isinstance(self.node, grammar.FunctionDef) else "<lambda>"

    @property
    def is_decorated(self) -> bool:
        return isinstance(self.node, grammar.FunctionDef) and bool(self.node.decorators)

    def bind(self, instance: Value) -> Function:
        return replace(self, bound=instance)


@dataclass(eq=False, repr=False)
class Class:
    """A class of the module: its methods and class attributes, and its bases as values."""

    name: str
    scope: Scope
    bases: list[Value]
    file: SourceFile
    own_fields: list[str] = field(default_factory=list)
    doc: str = ""

    @property
    def fields(self) -> list[str]:
        """The names of a record's fields, those of its bases first; none where the class has an `__init__`."""
        found: dict[str, None] = {}
        met: set[Class] = set()
        stack: list[tuple[Class, bool]] = [(self, False)]
        while stack and len(met) < MOST_ABOVE:
            cls, above_done = stack.pop()
            if above_done:
                found.update(dict.fromkeys(cls.own_fields))
            elif cls not in met and cls.own_fields and "__init__" not in cls.scope.names:
                met.add(cls)
                stack.append((cls, True))
                stack += [(base, False) for base in reversed(cls.bases) if isinstance(base, Class)]
        return list(found)

    def find(self, name: str) -> Value | None:
        """What the class or the first one above it holds under a name."""
        for cls in self.lineage():
            if name in cls.scope.names:
                return cls.scope.names[name]
        return None

    def lineage(self) -> Iterator[Class]:
        """The class, and the module's own classes above it."""
        return (at for at in self._upward() if isinstance(at, Class))

    def ancestors(self) -> list[str]:
        """The dotted paths of all bases outside the module, through the module's own classes."""
        return [at.dotted for at in self._upward() if isinstance(at, Path)]

    def _upward(self) -> Iterator[Class | Path]:
        """The class and its bases, depth first, each class once: a chain may be long, and a lattice has many paths."""
        met: set[Class] = set()
        stack: list[Value] = [self]
        while stack and len(met) < MOST_ABOVE:
            at = stack.pop()
            if isinstance(at, Path):
                yield at
            elif isinstance(at, Class) and at not in met:
                met.add(at)
                yield at
                stack += reversed(at.bases)


@dataclass(eq=False, repr=False)
class Instance:
    """An object of a class of the module."""

    cls: Class
    attributes: dict[str, Value] = field(default_factory=dict)
    built: bool = False
    """Whether a layer has made its weights."""


@dataclass(eq=False, repr=False)
class Items:
    """A tuple or list whose elements are known, the loop and, where known, the call in which it was made."""

    values: list[Value]
    loop: int = 0
    life: int | None = None


@dataclass(eq=False, repr=False)
class Table:
    """A dictionary: what it holds under known keys, and what it may hold under others."""

    entries: dict[Any, Value]
    rest: Value | None = None


@dataclass(eq=False, repr=False)
class Many:
    """A list of unknown length, all of whose elements are like this one."""

    element: Value
    filters: tuple[Value, ...] = ()
    """Functions that are true of each element: a dataset has dropped the others."""


@dataclass(eq=False, repr=False)
class Partial:
    """`functools.partial` of a value; `widens`: it brings half precision to float32, as Keras's loss objects do."""

    function: Value
    arguments: list[Value]
    keywords: dict[str, Value]
    widens: bool = False


@dataclass(eq=False, repr=False)
class Choice:
    """One of several functions or objects, as the program chooses: what is done with it is done with each."""

    values: list[Value]
    where: object = None
    """What decides, if between as many: a statement or an expression, which may decide between other values as well."""


@dataclass(eq=False, repr=False)
class Layer:
    """A Keras layer or model built from known parts, to be called on a tensor."""

    path: str
    arguments: dict[str, Value]
    made: Origin
    parts: list[Value] = field(default_factory=list)
    loss: Value | None = None
    compiled: Origin | None = None
    """Where a model was given its loss."""
    called_on: tuple[Value, Value] | None = None
    """What it was first called on, and what it made of that."""


@dataclass(eq=False, repr=False)
class Tape:
    """A `tf.GradientTape`, and the index of the first node that it may record."""

    made: Origin
    opened: int


@dataclass(eq=False, repr=False)
class Method:
    """A method of a known object: (object, name)."""

    owner: Value
    name: str


Value = Node | Path | Function | Class | Instance | Items | Many | Table | Partial | Choice | Layer | Tape | Method


ABOUT = frozenset("shape dtype ndim ndims rank name device graph op".split())
"""Attributes that tell of a tensor without being made of its values."""


def constant_of(value: Value | None) -> Any:
    """The Python value of a constant node, else None."""
    return value.constant if isinstance(value, Node) else None


def is_none(value: Value | None) -> bool:
    """Whether a value is the literal None."""
    return isinstance(value, Node) and value.op == "const" and value.constant is None


def parts_of(value: Value | None) -> list[Value]:
    """A value and everything it holds, however deep; each once, for a list may come to hold itself."""
    found: dict[int, Value] = {}
    stack = [value] if value is not None else []
    while stack:
        at = stack.pop()
        if id(at) in found:
            continue
        found[id(at)] = at
        if isinstance(at, Items):
            stack.extend(reversed(at.values))
        elif isinstance(at, Table):
            stack.extend(reversed([*at.entries.values(), *([at.rest] if at.rest is not None else [])]))
        elif isinstance(at, Many):
            stack.append(at.element)
        elif isinstance(at, Choice):
            stack.extend(reversed(at.values))
        elif isinstance(at, Method) and at.name not in ABOUT:
            stack.append(at.owner)
    return list(found.values())


MOST_PARTS, DEEPEST = 2_000, 24
"""Parts of a container, and parts within parts, up to which it is taken apart: names let a line double it."""


def is_vast(value: Value) -> bool:
    """Whether a container is too large to be taken apart, each part counted as often as it occurs."""
    stack: list[tuple[Any, int]] = [(value, 0)]
    count = 0
    while stack:
        at, depth = stack.pop()
        count += 1
        if count > MOST_PARTS or depth > DEEPEST:
            return True
        if isinstance(at, Node):
            at = at.constant
        inner: Sequence[Any] = ()
        if isinstance(at, Items):
            inner = at.values
        elif isinstance(at, Table):
            inner = (*at.entries.values(), *([at.rest] if at.rest is not None else []))
        elif isinstance(at, Many):
            inner = (at.element,)
        elif isinstance(at, tuple):  # the numbers of a constant
            inner = at
        stack += [(part, depth + 1) for part in inner]
    return False


def nodes_in(value: Value | None) -> list[Node]:
    """The flow nodes that a value holds, however deep."""
    if isinstance(value, Node):
        return [value]
    if not isinstance(value, (Items, Table, Many, Method)):
        return []
    if isinstance(value, Method) and isinstance(value.owner, Node):
        return [value.owner] if value.name not in ABOUT else []
    return [part for part in parts_of(value) if isinstance(part, Node)]


CHOICES = 8
"""The most objects in a `Choice`."""


def choice_of(values: Sequence[Value], where: object = None) -> Value | None:
    """One of several things that can be called or asked for what they hold; None where some are anything else."""
    every = [one for value in values for one in (value.values if isinstance(value, Choice) else [value])]
    if not all(isinstance(one, (Function, Partial, Layer, Instance, Class, Path)) for one in every):
        return None
    found = list({id(one): one for one in every}.values())
    return found[0] if len(found) == 1 else Choice(found[:CHOICES], where if len(found) == len(every) else None)


def is_object(value: Value) -> bool:
    """Whether a value is known by what it does: a function, a layer, an object; a module is known by its name."""
    if isinstance(value, Path):
        return canonical_path(value.dotted) in SPELLINGS
    return isinstance(value, (Function, Partial, Choice, Layer, Instance, Class))
