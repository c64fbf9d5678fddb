"""The dataflow graph that both passes lower to: op nodes, operand edges, and the origin of each node.

`Flow.add` builds all nodes. It also normalizes the spellings of an op (`x ** 2`, `x * x` and `tf.pow(x, 2)` are a
`square`), so that later stages see only one. Equal computations carry equal value numbers: two nodes with the same
`value` hold the same tensor.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Protocol

from tfnanlint.ops import OPS
from tfnanlint.ranges import Assumption


class Traced(Protocol):
    """What a trace knows of a value: its shape, and whether other values are computed from it."""

    @property
    def shape(self) -> tuple[int | None, ...] | None: ...

    @property
    def used(self) -> bool: ...


class _Dynamic:
    """The value of an attribute that is given, but not by a literal."""

    def __repr__(self) -> str:
        return "DYNAMIC"


DYNAMIC: Any = _Dynamic()
"""Stands where a static parameter is given by an expression whose value is not known."""

NEVER_EQUAL = frozenset({"unknown", "input"})
"""The most common ops whose nodes are only ever equal to themselves."""
PURE_SPECIAL = frozenset({"const", "attribute"})
"""Ops outside the table whose nodes are equal when their operands and attributes are."""


ALIKE = "alike"
"""The attribute of a `getitem` that stands for one more element of a list: as its operand is, with other numbers."""
GIVEN_LABELS = "labels"
"""The attribute of a parameter that Keras gives labels."""
WITHIN = "within"
"""The attribute of an input with its bounds: those that a docstring states, or the support of a distribution."""
NETWORK = "network"
"""The attribute of an unknown value that a network gives which the program did not make, such as a parameter."""
DISCARDED = "discarded"
"""The op of a node that stands for a statement which throws a result away."""

_NO_ATTRS: Mapping[str, Any] = MappingProxyType({})


class Node:
    """One value: the op that makes it, its operands, its static parameters, and its origin.

    Besides the ops of the table there are: `const` (attrs["value"]), `input` (a parameter or
    placeholder), `variable` (a trainable weight), `unknown` (anything not understood, still connected
    to what it was made of), `loop` (a value carried around a loop), `gradient` (of its first operand).
    Their attributes are what the program says of them: of an input `name`, `annotation`, `default` and `doc` (its line
    in the docstring); of a variable `initializer`, `constraint`, `shape`, `trainable`; of a layer `kind`, `units`,
    `filters`, `use_bias` and the like, and the name of the `activation`, which is the op behind it.
    """

    __slots__ = ("attrs", "index", "op", "operands", "origin", "under", "users", "value")

    def __init__(
        self, op: str, operands: tuple[Node, ...], attrs: Mapping[str, Any], origin: Any, index: int, value: int
    ) -> None:
        self.op = op
        self.operands = operands
        self.attrs = attrs
        self.origin = origin
        self.index = index
        self.value = value
        self.users: list[Node] = []
        self.under: Conditions = ()

    def __repr__(self) -> str:
        inside = ", ".join([f"%{o.index}" for o in self.operands] + [f"{k}={v!r}" for k, v in self.attrs.items()])
        return f"%{self.index} = {self.op}({inside})"

    @property
    def constant(self) -> Any:
        """The value of a constant node, else None."""
        return self.attrs["value"] if self.op == "const" else None


Conditions = tuple[tuple[Node, bool], ...]
"""Conditions, and whether each holds."""


@dataclass
class Root:
    """A value that is differentiated: by what (`how`, for the trail), and where that is written.

    `opened` is the index of the first node that the tape has recorded: through earlier ones no gradient passes.
    `implied`: the program does not say it, but whoever uses the value does it.
    `inner`: the value is a layer's, whose inputs other layers may give: a gradient passes through them.
    """

    node: Node
    how: str
    origin: Any
    sources: tuple[Node, ...] = ()
    opened: int = 0
    implied: bool = False
    inner: bool = False


@dataclass
class Flow:
    """All nodes of one lowered program, in order of creation, and the values it differentiates."""

    nodes: list[Node] = field(default_factory=list)
    roots: list[Root] = field(default_factory=list)
    kept: set[Node] = field(default_factory=set)
    """The values that outlive the code that made them, for others to use: returned, or stored in an object."""
    held: set[Node] = field(default_factory=set)
    """The values that a module holds under a name, or that a statement of its own gives."""
    settings: set[Node] = field(default_factory=set)
    """The inputs that set an object up once, and are not data."""
    configuration: set[Node] = field(default_factory=set)
    """The inputs that layers and models are made with, which are settings as a rule."""
    decided: dict[Node, Node] = field(default_factory=dict)
    """Of a value that an `if` decides, the condition: where it holds the first operand is taken, else the second.

    Of a value that is carried around a loop, what has to hold for one more turn.
    """
    alternatives: set[Node] = field(default_factory=set)
    """What one of several functions gives for one of several values: nobody knows which belong together."""
    turned: dict[Node, int] = field(default_factory=dict)
    """Of a value that a loop leaves, the position of the operand that the last iteration computed."""
    computed: dict[Node, dict[str, tuple[Node, ...]]] = field(default_factory=dict)
    """Of a node, the values of which its static parameters are computed: the lengths of a shape."""
    read: set[Node] = field(default_factory=set)
    """The values whose numbers the program reads as it runs, or has PyTorch differentiate: eager code alone can."""
    named: dict[Node, str] = field(default_factory=dict)
    """Of values that come from outside, the first name that the program gives them."""
    renamed: dict[Node, list[str]] = field(default_factory=dict)
    """Of those, the further names: those of parameters to which they are passed, and of variables that hold them."""
    variables: dict[Node, list[str]] = field(default_factory=dict)
    """Of a value that the program computes, the names of the variables and parameters that hold it: the first ones."""
    assigned: dict[Node, Node] = field(default_factory=dict)
    """Of a variable that the program itself assigns to, what it holds then."""
    called: set[Any] = field(default_factory=set)
    """The functions, as syntax, that the program calls, and not only on numbers of its own."""
    metrics: set[Any] = field(default_factory=set)
    """The functions, as syntax, that the program gives to `compile` as metrics."""
    measured: set[Node] = field(default_factory=set)
    """The values to which the program gives the name of a metric."""
    shown: set[Node] = field(default_factory=set)
    """The values to which the program gives the name of a summary."""
    updates: set[Node] = field(default_factory=set)
    """The values that a library's optimizer computes on its way to new weights: nobody asks what fails there."""
    compiled: set[Node] = field(default_factory=set)
    """The values that are computed by XLA, whatever the program is run by."""
    powers: dict[Node, float] = field(default_factory=dict)
    """Of roots and reciprocals that are written as powers, the exponents: a gradient of 0 does not stay 0 there."""
    assumptions: dict[Node, Assumption] = field(default_factory=dict)
    """What is taken for granted of inputs."""
    traced: dict[Node, Traced] = field(default_factory=dict)
    """The tensors of the values of a traced graph."""
    conditions: Conditions = ()
    """What is known to hold where the nodes that are added now are computed: the branch they are in."""
    compiling: bool = False
    """Whether the nodes that are added now are compiled by XLA."""
    scopes: list[Any] = field(default_factory=list, repr=False)
    """What held names while the flow was made, and with them its values."""
    _numbers: dict[Any, int] = field(default_factory=dict, repr=False)

    def __iter__(self) -> Iterator[Node]:
        return iter(self.nodes)

    def add(
        self, op: str, operands: Sequence[Node] = (), attrs: Mapping[str, Any] | None = None, origin: Any = None
    ) -> Node:
        """A node for `op`, in its canonical form."""
        written, given = op, operands
        if attrs or op in _REWRITES:
            op, operands, attrs = canonical(op, tuple(operands), attrs or _NO_ATTRS)
        else:
            operands, attrs = tuple(operands), _NO_ATTRS
        index = len(self.nodes)
        number = -1 - index if op in NEVER_EQUAL else self._number(op, operands, attrs, index)
        node = self._added(Node(op, operands, attrs, origin, index, number))
        if written == "pow" and op in ROOTS:
            self.powers[node] = given[1].constant
        for operand in operands:
            operand.users.append(node)
        return node

    def constant(self, value: Any, origin: Any = None) -> Node:
        """A node for a constant; equal ones of one type are equal."""
        key = ("text", value) if type(value) is str else ("const", repr(value))
        number = self._numbers.setdefault(key, len(self._numbers))
        return self._added(Node("const", (), {"value": value}, origin, len(self.nodes), number))

    def _added(self, node: Node) -> Node:
        node.under = self.conditions
        self.nodes.append(node)
        if self.compiling:
            self.compiled.add(node)
        return node

    def describe(self, op: str, node: Node, origin: Any = None) -> Node:
        """What an attribute tells of a value, which is not a use of it: its `shape` or its `rank`."""
        told = self.add(op, (node,), {}, origin)
        node.users.pop()
        return told

    def connect(self, loop: Node, back: Node) -> None:
        """Give a loop node, made before its body was known, the value that comes around."""
        loop.operands = (*loop.operands, back)
        back.users.append(loop)

    def differentiate(
        self,
        node: Node,
        how: str,
        origin: Any,
        sources: Iterable[Node] = (),
        opened: int = 0,
        implied: bool = False,
        inner: bool = False,
    ) -> None:
        """Record that `node` is differentiated with respect to `sources` (none: to everything trainable)."""
        self.roots.append(Root(node, how, origin, tuple(sources), opened, implied, inner))

    def _number(self, op: str, operands: tuple[Node, ...], attrs: Mapping[str, Any], index: int) -> int:
        known = OPS.get(op)
        if op not in PURE_SPECIAL and (known is None or known.random):
            return -1 - index  # only ever equal to itself
        key: Any
        if not attrs:
            key = op, tuple([o.value for o in operands])
        elif any(value is DYNAMIC for value in attrs.values()):
            return -1 - index
        else:
            key = op, tuple([o.value for o in operands]), tuple(sorted((k, repr(v)) for k, v in attrs.items()))
        return self._numbers.setdefault(key, len(self._numbers))


Form = tuple[str, tuple[Node, ...], Mapping[str, Any]]


def canonical(op: str, operands: tuple[Node, ...], attrs: Mapping[str, Any]) -> Form:
    """The one form of the many writings of an op."""
    known = OPS.get(op) if attrs else None
    if known is not None:
        attrs = {k: v for k, v in attrs.items() if k not in known.attrs or not _is_default(v, known.attrs[k])}
    rewrite = _REWRITES.get(op)
    return rewrite(op, operands, attrs) if rewrite else (op, operands, attrs)


def _is_default(value: Any, default: Any) -> bool:
    return value is None or (value is not DYNAMIC and type(value) is type(default) and value == default)


def _power(op: str, operands: tuple[Node, ...], attrs: Mapping[str, Any]) -> Form:
    if len(operands) == 2:
        base, exponent = operands
        if exponent.constant == 2 and exponent.constant is not True:
            return "square", (base,), attrs
        if exponent.constant == 0.5:
            return "sqrt", (base,), attrs
        if exponent.constant == -0.5:
            return "rsqrt", (base,), attrs
        if exponent.constant == -1:
            return "reciprocal", (base,), attrs
    return op, operands, attrs


def _product(op: str, operands: tuple[Node, ...], attrs: Mapping[str, Any]) -> Form:
    if len(operands) == 2:
        x, y = operands
        if x.value == y.value and x.op != "const":
            return "square", (x,), attrs
        if x.constant == -1:
            return "neg", (y,), attrs
        if y.constant == -1:
            return "neg", (x,), attrs
    return op, operands, attrs


def _norm(op: str, operands: tuple[Node, ...], attrs: Mapping[str, Any]) -> Form:
    axis = attrs.get("axis")
    if "order" in attrs and (
        isinstance(axis, int) or attrs["order"] == "fro"
    ):  # along one axis both libraries mean the same
        attrs = {("ord" if k == "order" else k): v for k, v in attrs.items()}
    order = attrs.get("ord")
    vector = axis is not DYNAMIC and not isinstance(axis, (tuple, list))
    if order == "fro" or (vector and order == 2 and order is not True):
        attrs = {k: v for k, v in attrs.items() if k != "ord"}
    return op, operands, attrs


def _is_nan_by_comparison(op: str, operands: tuple[Node, ...], attrs: Mapping[str, Any]) -> Form:
    if len(operands) == 2 and operands[0].value == operands[1].value and operands[0].op != "const":
        return "is_nan", (operands[0],), {}
    return op, operands, attrs


ROOTS = frozenset({"sqrt", "rsqrt", "reciprocal"})
"""What powers are, whose gradients are infinite at 0."""
COMPARISONS = frozenset("equal not_equal less less_equal greater greater_equal".split())
CHECKS = frozenset("is_nan is_inf is_finite".split())
TRUTHS = COMPARISONS | {"logical_not", "logical_and", "logical_or"}
_FORMING = frozenset("reshape squeeze expand_dims identity flatten transpose convert_to_tensor getitem".split())
"""Ops that give a mask another form."""
_MASK_NAME = re.compile(r"(?:.*[._])?(?:masks?|valid)$", re.IGNORECASE)
"""A name of what selects elements by truth, and not by their positions."""


def _picked(op: str, operands: tuple[Node, ...], attrs: Mapping[str, Any]) -> Form:
    """The elements at the places where a mask holds are those that the mask selects; so is `x[mask]`."""
    if len(operands) == 2 and not attrs:
        x, places = operands
        if op == "getitem" and is_mask(places):
            return "boolean_mask", (x, places), {}
        if op == "gather_nd" and places.op == "where" and len(places.operands) == 1:
            return "boolean_mask", (x, places.operands[0]), {}
    return op, operands, attrs


def is_mask(places: Node) -> bool:
    """Whether a subscript is a mask: a truth, or what is called one where nothing else tells."""
    at = behind(places, _FORMING)
    if at.op == "cast":
        return at.attrs.get("dtype") == "bool"
    if at.op in TRUTHS or at.op in CHECKS:
        return True
    return at.op in ("input", "placeholder") and bool(_MASK_NAME.match(str(at.attrs.get("name"))))


_REWRITES = {
    "gather_nd": _picked,
    "getitem": _picked,
    "pow": _power,
    "multiply": _product,
    "norm": _norm,
    "not_equal": _is_nan_by_comparison,
}

REWRITTEN_FROM: Mapping[str, frozenset[str]] = {
    "square": frozenset({"pow", "multiply"}),
    "sqrt": frozenset({"pow"}),
    "rsqrt": frozenset({"pow"}),
    "reciprocal": frozenset({"pow"}),
    "neg": frozenset({"multiply", "subtract"}),
    "is_nan": frozenset({"not_equal"}),
    "boolean_mask": frozenset({"gather_nd"}) | TRUTHS | CHECKS,
}
"""The ops whose rewriting gives an op: a program may hold it without naming it."""


def is_layer(node: Node) -> bool:
    """Whether something with trained weights gives a value: a layer, or a network that the program is given."""
    return node.op == "layer" or NETWORK in node.attrs


def behind(node: Node, ops: Container[str]) -> Node:
    """The value that is handed on to a node through ops of these names alone."""
    while node.op in ops and node.operands:
        node = node.operands[0]
    return node


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


def activations(origin: Any) -> frozenset[Any]:
    """The function calls that something is computed in; none in a traced graph."""
    return getattr(origin, "activations", frozenset())


def reached(start: Iterable[Node], onward: Callable[[Node], Iterable[Node]]) -> set[Node]:
    """Some nodes and all that `onward` leads to."""
    found = set(start)
    stack = list(found)
    while stack:
        for node in onward(stack.pop()):
            if node not in found:
                found.add(node)
                stack.append(node)
    return found


def numbers_in(values: tuple[Any, ...]) -> list[float]:
    """All numbers of nested tuples."""
    flat = [n for value in values for n in (numbers_in(value) if isinstance(value, tuple) else [value])]
    return [n for n in flat if isinstance(n, (int, float))]
