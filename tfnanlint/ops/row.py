"""The form of an op row: everything the linter knows of one op, in one place.

A row names the op's spellings in source code and its types in a traced graph, how its range follows from its operands'
ranges, where its value or its gradient breaks, and how a trial computes both. `tests/` holds every row to what
TensorFlow does.

The table is built in every run, so these are plain classes, and a signature is parsed when it is
first asked for: a program calls a few dozen of a thousand spellings.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Mapping
from typing import Any

from tfnanlint.interval import INF, UNKNOWN, Interval
from tfnanlint.ops.refusal import refusing

Attributes = Mapping[str, Any]
Transfer = Callable[..., Interval]
"""(operand interval, ..., attrs=attributes) -> interval of the result, over the reals."""


HINTS = frozenset({"name", "hint"})
"""Canonical names of parameters that do not change the numbers of a result: a row needs no attribute for them."""


class Spelling:
    """One or several names with the same signature.

    `parameters` lists (canonical name, spelled name) in positional order, `keywords` maps the further
    spelled keywords (older names, and what no generation takes by position) to canonical names.
    `hint:NAME` spells a keyword that does not change the numbers of the result.
    `defaults` holds the defaults in which this spelling differs from the row. `through` names an op
    that the spelled function applies to its operand first.
    """

    __slots__ = ("_parsed", "names", "signature", "through")

    def __init__(self, names: tuple[str, ...], signature: str, through: str | None = None) -> None:
        self.names = names
        self.signature = signature
        self.through = through
        self._parsed: tuple[tuple[tuple[str, str], ...], dict[str, str], dict[str, Any]] | None = None

    def __repr__(self) -> str:
        return f"spelled({' '.join(self.names)!r}, {self.signature!r})"

    @property
    def parameters(self) -> tuple[tuple[str, str], ...]:
        return self._parts()[0]

    @property
    def keywords(self) -> Mapping[str, str]:
        return self._parts()[1]

    @property
    def defaults(self) -> Mapping[str, Any]:
        return self._parts()[2]

    def _parts(self) -> tuple[tuple[tuple[str, str], ...], dict[str, str], dict[str, Any]]:
        if self._parsed is None:
            positional, _, further = self.signature.partition("|")
            defaults: dict[str, Any] = {}
            pairs = tuple(_word(word, defaults) for word in positional.split())
            keywords = {name: canonical for canonical, name in (_word(word, defaults) for word in further.split())}
            self._parsed = pairs, keywords, defaults
        return self._parsed

    def canonical(self, keyword: str) -> str | None:
        """The canonical name of a spelled keyword, or None where the signature has no such keyword."""
        for canonical, name in self.parameters:
            if name == keyword:
                return canonical
        return self.keywords.get(keyword)


def _word(word: str, defaults: dict[str, Any]) -> tuple[str, str]:
    """(canonical, spelled) of one word of a signature, whose default is noted."""
    word, _, default = word.partition("=")
    canonical, _, name = word.partition(":")
    if default:
        defaults[canonical] = ast.literal_eval(default)
    return canonical, name or canonical


def spelled(names: str, signature: str, through: str | None = None) -> Spelling:
    """A spelling, written as in `spelled("tf.reduce_sum", "x:input_tensor axis keepdims | axis:dim")`.

    `canonical:spelled` where the two differ; `axis=-1` where this spelling's default is not the row's; behind the
    bar stands what is given by keyword only: older names, and parameters whose place changed between generations.
    """
    return Spelling(tuple(names.split()), signature, through)


SOME, EVERY, CONSTANT, EMPTY, INTEGER, SINGULAR, INDEFINITE, EQUAL, OPPOSED = (
    "some",
    "every",
    "constant",
    "empty",
    "integer",
    "singular",
    "indefinite",
    "equal",
    "opposed",
)
"""Which operands lie in a break's region: those with some element in it, with every element in it, with elements that
are all equal, with no element along the reduced axis, with some integer in it, a matrix without an inverse,
a symmetric matrix that is not positive definite, and an operand that equals the other one, or its negative."""

NONZERO, FRACTION = "nonzero", "fraction"
"""What `given` may ask of another operand besides an interval: not 0; not a whole number."""


UNTOLD = {
    SINGULAR: "the range of its entries does not tell whether a matrix is singular",
    INDEFINITE: "the range of its entries does not tell whether a matrix is positive definite",
    EQUAL: "ranges do not tell whether two images are the same",
    OPPOSED: "ranges do not tell whether one image is light where the other is dark",
}
"""Why no range shows the breaks of a kind: only a trial does."""


class Break:
    """A region of one operand in which the value or the gradient is not finite, at the default attributes.

    The region is all numbers from `lo` to `hi`; `kind` is "value" or "gradient". `of` says which operands lie in it,
    `given` what the other operands must be for it, by name: an interval, `NONZERO` or `FRACTION`. `untold` says why no
    rule reports it, where none does.
    """

    __slots__ = ("given", "hi", "kind", "lo", "of", "operand", "untold")

    def __init__(
        self,
        operand: str,
        kind: str,
        lo: float,
        hi: float,
        of: str = SOME,
        given: Mapping[str, Interval | str] | None = None,
        untold: str = "",
    ) -> None:
        self.operand = operand
        self.kind = kind
        self.lo = lo
        self.hi = hi
        self.of = of
        self.given = given or {}
        self.untold = untold or UNTOLD.get(of, "")

    def __repr__(self) -> str:
        condition = f" given {dict(self.given)}" if self.given else ""
        return f"{self.kind} break of {self.operand} in {self.region} ({self.of}){condition}"

    @property
    def region(self) -> Interval:
        return Interval(self.lo, self.hi)


def value_at(operand: str, point: float, **rest: Any) -> Break:
    return Break(operand, "value", point, point, **rest)


def value_up_to(operand: str, bound: float, **rest: Any) -> Break:
    return Break(operand, "value", -INF, bound, **rest)


def value_from(operand: str, bound: float, **rest: Any) -> Break:
    return Break(operand, "value", bound, INF, **rest)


def value_of(operand: str, of: str) -> Break:
    """A break of the value that no range tells: of a constant, empty or singular operand."""
    return Break(operand, "value", -INF, INF, of)


def gradient_at(operand: str, point: float, **rest: Any) -> Break:
    return Break(operand, "gradient", point, point, **rest)


def gradient_of(operand: str, of: str) -> Break:
    """A break of the gradient that no range tells."""
    return Break(operand, "gradient", -INF, INF, of)


OF_OTHER_TYPES = frozenset("bool index ordered rows pointers size start shape wide".split())
"""What an operand holds that does not have the type of the result."""


class Op:
    """One row of the op table. Its columns:

    How programs write it. `spellings` are its names in source code, `graph` its types in a traced graph; of several
    names, one that TensorFlow 2 has goes first. `late`: TensorFlow 1 has it in its last versions only. `operands` are
    the tensor inputs by canonical name ("*xs" takes any number), of which a call gives `least` at the least; `attrs`
    are the static parameters with their defaults. `takes` says what an operand holds where that is not real numbers of
    any shape: "bool", "complex", "nonnegative", "shares" (which sum to 1), "index" (below the number of elements),
    "ordered" (indices that never fall), "rows" (indices below the number of rows), "pointers" (vectors of those),
    "size", "start", "shape" and "wide" (a shape), "literal", "scalar", "vector" (without a gradient), "triple",
    "matrix" (square, any number of them), "square" (one matrix), "symmetric", "image", "channels" (an image of many
    channels), "filters" (of a convolution), "weights" (of the elements of a loss).

    What its result is. `transfer` gives the range of the result from the ranges of the operands, None where nothing is
    known; `reason` says in words why it is so. `elementwise`: each element comes of the elements at its place. `moves`:
    every element of the result is an element of an operand, and any may be. `same_dtype`: the result has the operands'
    type; `untyped` are the places of those that have another: a condition, an index, a size. `random`: no two calls
    give the same. `acts`: the call is not made for its result alone: it checks something.
    `transparent`: the value itself is handed on. `several`: a trace tells each of its results by itself, so that it is
    read operation by operation.

    Where it breaks. `breaks` lists the regions in which the value or the gradient is not finite. `blocked` names
    operands through which no gradient passes ("*" for all of them). `keeps_zero`: an incoming gradient of 0 is handed
    on as 0 even where the gradient breaks (in eager and graph mode; XLA multiplies).

    How a trial computes it. `run(*operands, **attrs)` computes the op with NumPy, in its operands' type. What it cannot
    compute is a ValueError. `pull(grad, result, *operands, **attrs)` is its vector-Jacobian product, with TensorFlow's
    values at singular points: a gradient for each operand (None where none passes), one alone for one operand. That of
    an elementwise op may have the result's shape: it is summed to the operand's. Of a result in parts, `grad` has them,
    None for unused. `opaque` says why an op has neither: a trial takes it for a finite, differentiable function.
    """

    __slots__ = (
        "acts",
        "attrs",
        "blocked",
        "breaks",
        "elementwise",
        "graph",
        "keeps_zero",
        "late",
        "least",
        "moves",
        "name",
        "opaque",
        "operands",
        "pull",
        "random",
        "reason",
        "run",
        "same_dtype",
        "several",
        "spellings",
        "takes",
        "transfer",
        "transparent",
        "untyped",
    )  # fmt: skip

    def __init__(
        self,
        name: str,
        spellings: tuple[Spelling, ...] = (),
        graph: tuple[str, ...] = (),
        operands: tuple[str, ...] = ("x",),
        attrs: Mapping[str, Any] | None = None,
        *,
        takes: Mapping[str, str] | None = None,
        transfer: Transfer | None = None,
        reason: str | None = None,
        breaks: tuple[Break, ...] = (),
        blocked: tuple[str, ...] = (),
        elementwise: bool = True,
        same_dtype: bool = True,
        random: bool = False,
        acts: bool = False,
        transparent: bool = False,
        keeps_zero: bool = False,
        several: bool = False,
        moves: bool = False,
        least: int | None = None,
        late: bool = False,
        run: Callable[..., Any] | None = None,
        pull: Callable[..., Any] | None = None,
        opaque: str = "",
    ) -> None:
        self.name = name
        self.spellings = spellings
        self.graph = graph
        self.operands = operands
        self.attrs: Mapping[str, Any] = attrs or {}
        self.takes: Mapping[str, str] = takes or {}
        self.transfer = transfer
        self.reason = reason
        self.breaks = breaks
        self.blocked = blocked
        self.elementwise = elementwise
        self.same_dtype = same_dtype
        self.untyped = frozenset(
            place for place, name in enumerate(self.operands) if self.takes.get(name) in OF_OTHER_TYPES
        )
        self.random = random
        self.acts = acts
        self.transparent = transparent
        self.keeps_zero = keeps_zero
        self.several = several
        self.moves = moves
        self.least = len(operands) if least is None else least
        self.late = late
        self.run = None if run is None else refusing(run)
        self.pull = None if pull is None else refusing(pull)
        self.opaque = opaque

    def __repr__(self) -> str:
        return f"<op {self.name}>"

    def blocks(self, index: int) -> bool:
        """Whether no gradient passes to the operand at `index`."""
        if "*" in self.blocked:
            return True
        name = self.operands[min(index, len(self.operands) - 1)] if self.operands else ""
        return name in self.blocked


def row(
    name: str,
    *spellings: Spelling,
    graph: str = "",
    operands: str = "x",
    attrs: Mapping[str, Any] | None = None,
    **rest: Any,
) -> Op:
    """A row, with its operand and graph names written as one string each."""
    return Op(name, spellings, tuple(graph.split()), tuple(operands.split()), attrs, **rest)


def unary(names: str, others: str = "") -> tuple[Spelling, ...]:
    """The spellings of a function of one tensor: TensorFlow's, which take a `name`, and those that do not."""
    found = (spelled(names, "x name"),) if names else ()
    return (*found, spelled(others, "x")) if others else found


def binary(names: str, others: str = "", backend: str = "") -> tuple[Spelling, ...]:
    """The spellings of a function of two tensors: TensorFlow's, those of Keras and NumPy, the old backend's."""
    found = [spelled(names, "x y name")] if names else []
    if others:
        found.append(spelled(others, "x:x1 y:x2"))
    if backend:
        found.append(spelled(backend, "x y"))
    return tuple(found)


def rising(function: Callable[[float], float], domain: Interval = UNKNOWN) -> Transfer:
    """The transfer of a function that never falls; operand values outside its domain give no number."""

    def transfer(x: Interval, attrs: Attributes) -> Interval:
        return x.meet(domain).rising(function)

    return transfer


def falling(function: Callable[[float], float], domain: Interval = UNKNOWN) -> Transfer:
    """The transfer of a function that never rises."""

    def transfer(x: Interval, attrs: Attributes) -> Interval:
        return x.meet(domain).falling(function)

    return transfer


def bounded(lo: float, hi: float) -> Transfer:
    """A result in [lo, hi], whatever the operands are."""
    interval = Interval(lo, hi)

    def transfer(*operands: Interval, attrs: Attributes) -> Interval:
        return interval

    return transfer


def same(x: Interval, *others: Interval, attrs: Attributes) -> Interval:
    """The first operand's interval: for ops that move, repeat or select its elements."""
    return x


def holds(condition: Interval | str, value: float) -> bool:
    """Whether a number is what `given` asks for."""
    if isinstance(condition, Interval):
        return value in condition
    if condition == NONZERO:
        return value != 0
    return math.isfinite(value) and value != math.floor(value)
