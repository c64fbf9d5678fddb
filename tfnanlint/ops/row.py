"""The form of an op row: everything the linter knows of one op, in one place.

A row names the op's spellings in source code and its types in a traced graph, how its range follows
from its operands' ranges, which values ordinary data makes it take, and where its value or its
gradient breaks. `tests/` holds every row to what TensorFlow does.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tfnanlint.interval import INF, UNKNOWN, Interval

Attributes = Mapping[str, Any]
Transfer = Callable[..., Interval]
"""(operand interval, ..., attrs=attributes) -> interval of the result, over the reals."""
Attained = Callable[..., "Interval | None"]
"""Like a transfer, but for what ordinary data attains; an operand of which nothing is seen is None."""


@dataclass(frozen=True)
class Spelling:
    """One or several names with the same signature.

    `parameters` lists (canonical name, spelled name) in positional order, `keywords` maps the further
    spelled keywords (older names of the same parameter) to canonical names.
    """

    names: tuple[str, ...]
    parameters: tuple[tuple[str, str], ...]
    keywords: Mapping[str, str]

    def canonical(self, keyword: str) -> str | None:
        """The canonical name of a spelled keyword, or None where the signature has no such keyword."""
        for canonical, spelled in self.parameters:
            if spelled == keyword:
                return canonical
        return self.keywords.get(keyword)


def spelled(names: str, signature: str) -> Spelling:
    """A spelling, written as in `spelled("tf.reduce_sum", "x:input_tensor axis keepdims | axis:dim")`.

    `canonical:spelled` where the two differ; behind the bar stand keyword-only older names.
    """
    positional, _, older = signature.partition("|")
    pairs = [tuple(word.split(":")) if ":" in word else (word, word) for word in positional.split()]
    keywords = {word.split(":")[-1]: word.split(":")[0] for word in older.split()}
    return Spelling(tuple(names.split()), tuple((a, b) for a, b in pairs), keywords)


@dataclass(frozen=True)
class Break:
    """A region of one operand in which the value or the gradient is not finite.

    The region is all numbers from `lo` to `hi`; `kind` is "value" or "gradient".
    """

    operand: str
    kind: str
    lo: float
    hi: float

    @property
    def region(self) -> Interval:
        return Interval(self.lo, self.hi)


def value_at(operand: str, point: float) -> Break:
    return Break(operand, "value", point, point)


def value_up_to(operand: str, bound: float) -> Break:
    return Break(operand, "value", -INF, bound)


def value_from(operand: str, bound: float) -> Break:
    return Break(operand, "value", bound, INF)


def gradient_at(operand: str, point: float) -> Break:
    return Break(operand, "gradient", point, point)


@dataclass(frozen=True)
class Op:
    """One row of the op table.

    `operands` are the tensor inputs by canonical name ("*xs" takes any number), `attrs` the static
    parameters with their defaults. `breaks` lists the singular regions. `blocked` names operands
    through which no gradient passes ("*" for all of them). `saturates`: the attained ends are
    reached by rounding only, so that a sum over many elements does not inherit them.
    """

    name: str
    spellings: tuple[Spelling, ...] = ()
    graph: tuple[str, ...] = ()
    operands: tuple[str, ...] = ("x",)
    attrs: Mapping[str, Any] = field(default_factory=dict)
    transfer: Transfer | None = None
    attained: Attained | None = None
    reason: str | None = None
    breaks: tuple[Break, ...] = ()
    blocked: tuple[str, ...] = ()
    saturates: bool = False
    elementwise: bool = True
    same_dtype: bool = True
    random: bool = False
    transparent: bool = False

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
    return Op(name, spellings, tuple(graph.split()), tuple(operands.split()), attrs or {}, **rest)


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


def always(lo: float, hi: float) -> Attained:
    """Ordinary data attains [lo, hi], whatever is seen of the operands."""
    interval = Interval(lo, hi)

    def attained(*operands: Interval | None, attrs: Attributes) -> Interval | None:
        return interval

    return attained


def same(x: Interval, *others: Interval, attrs: Attributes) -> Interval:
    """The first operand's interval: for ops that move, repeat or select its elements."""
    return x
