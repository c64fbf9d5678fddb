"""The arguments of a call: their values and expressions, and what is known of the static ones."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any

from tfnanlint.flow import DYNAMIC, Node
from tfnanlint.ops.registry import of_its_dtype
from tfnanlint.source import grammar
from tfnanlint.source.values import Items, Method, Path, Scope, Table, Value, constant_of, nodes_in

if TYPE_CHECKING:
    from tfnanlint.source.lower import Lowering

DTYPES = frozenset(
    "bfloat16 float16 float32 float64 int8 int16 int32 int64 uint8 uint16 bool complex64 complex128".split()
)
MOST_ASKED = 60
"""The most nodes that are asked for the type of one."""


@dataclass
class Arguments:
    """The evaluated arguments of a call, each with its expression."""

    positional: list[tuple[Value, grammar.Expression]]
    keywords: dict[str, tuple[Value, grammar.Expression]]
    starred: Value | None = None
    """The value of a `*` or `**` argument whose elements are not known."""
    ordered: bool = True
    """Whether every argument after such a `*` is named."""

    def get(self, position: int, *names: str) -> Value | None:
        """An argument by its position or one of its names."""
        if (found := self.named(*names)) is not None:
            return found
        return self.positional[position][0] if position < len(self.positional) else None

    def named(self, *names: str) -> Value | None:
        """An argument by one of its names."""
        return next((self.keywords[name][0] for name in names if name in self.keywords), None)

    @property
    def nodes(self) -> list[Node]:
        found: list[Node] = []
        for value, _ in chain(self.positional, self.keywords.values()):
            if type(value) is Node:
                found.append(value)
            else:
                found += nodes_in(value)
        return found if self.starred is None else [*found, *nodes_in(self.starred)]


def arguments_of(low: Lowering, node: grammar.Call, scope: Scope) -> Arguments:
    found = Arguments([], {})
    for arg in node.args:
        value = low.expression(arg.value, scope)
        if not arg.star:
            if arg.keyword is not None:
                found.keywords[arg.keyword.value] = (value, arg.value)
            else:
                found.ordered = found.ordered and found.starred is None
                found.positional.append((value, arg.value))
        elif arg.star == "*" and isinstance(value, Items):
            found.positional += [(v, arg.value) for v in value.values]
        elif arg.star == "*" and isinstance(held := _held(value), tuple):
            found.positional += [(low.flow.constant(one, low.origin(node, scope)), arg.value) for one in held]
        elif arg.star == "**" and isinstance(value, Table):
            found.keywords.update({str(name): (held, arg.value) for name, held in value.entries.items()})
            found.starred = value.rest if value.rest is not None else found.starred
        else:
            found.starred = value
    return found


def _held(value: Value | None) -> Any:
    """The constant that is given, or that a parameter has for a default."""
    return value.attrs.get("default", value.constant) if isinstance(value, Node) else None


def static(value: Value) -> Any:
    """A static parameter's value: a literal, a tuple of literals, a dtype's name; else `DYNAMIC`."""
    if isinstance(value, Node) and value.op == "const":
        return value.constant
    if isinstance(value, Items):
        parts = tuple(static(v) for v in value.values)
        return DYNAMIC if any(p is DYNAMIC for p in parts) else parts
    if isinstance(value, Path):
        last = value.dotted.rsplit(".", 1)[-1]
        if last in DTYPES:
            return last
        if last in ("inf", "Inf"):
            return math.inf
    if isinstance(value, Method) and value.name == "dtype" and isinstance(value.owner, Node):
        return dtype_of(value.owner) or DYNAMIC
    return DYNAMIC


def dtype_of(node: Node) -> str | None:
    """The type that is stated for a value, or for an operand of an op that keeps it; not far away."""
    todo, met = [node], {node}
    while todo and len(met) < MOST_ASKED:
        at = todo.pop()
        given = at.attrs.get("dtype")
        if isinstance(given, str):
            return given
        operands = () if "dtype" in at.attrs else of_its_dtype(at.op, at.operands)
        todo += [operand for operand in reversed(operands) if operand not in met]
        met.update(operands)
    return None


def shape_of(value: Value | None) -> tuple[int | None, ...] | None:
    """A shape as written, with None for an unknown size; None if the shape is unknown."""
    if isinstance(value, Items):
        sizes = [constant_of(v) for v in value.values]
        return tuple(size if type(size) is int else None for size in sizes)
    held = constant_of(value)
    if type(held) is int:
        return (held,)
    return held if isinstance(held, tuple) and all(type(size) is int or size is None for size in held) else None
