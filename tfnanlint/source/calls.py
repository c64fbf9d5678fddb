"""Calls: an op of the table, a function or class of the module, a Keras layer, or one of the few
functions that differentiate; anything else is an unknown value made of its arguments."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any

from tfnanlint.flow import DYNAMIC, Node
from tfnanlint.ops import OPS, SPELLINGS, Op, Spelling
from tfnanlint.source import expressions, functions, grammar, layers, methods, records, special
from tfnanlint.source.names import canonical_path
from tfnanlint.source.values import (
    Class,
    Function,
    Instance,
    Items,
    Layer,
    Method,
    Origin,
    Partial,
    Path,
    Scope,
    Table,
    Value,
    nodes_in,
)

if TYPE_CHECKING:
    from tfnanlint.source.lower import Lowering

DTYPES = frozenset(
    "bfloat16 float16 float32 float64 int8 int16 int32 int64 uint8 uint16 bool complex64 complex128".split()
)


@dataclass
class Arguments:
    """The evaluated arguments of a call, each with its expression."""

    positional: list[tuple[Value, grammar.Expression]]
    keywords: dict[str, tuple[Value, grammar.Expression]]
    starred: Value | None = None
    """What is given by a `*` or `**` whose elements are not known."""
    ordered: bool = True
    """Whether every argument after such a `*` is named."""

    def get(self, position: int, *names: str) -> Value | None:
        """An argument by its position or one of its names."""
        for name in names:
            if name in self.keywords:
                return self.keywords[name][0]
        return self.positional[position][0] if position < len(self.positional) else None

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
        elif arg.star == "**" and isinstance(value, Table):
            found.keywords.update({str(name): (held, arg.value) for name, held in value.entries.items()})
            found.starred = value.rest if value.rest is not None else found.starred
        else:
            found.starred = value
    return found


def call(low: Lowering, node: grammar.Call, scope: Scope) -> Value:
    """The value of a call expression."""
    function = low.expression(node.func, scope)
    return apply(low, function, arguments_of(low, node, scope), node, scope)


def apply(low: Lowering, function: Value, args: Arguments, node: grammar.Syntax, scope: Scope) -> Value:
    """The value of calling `function`."""
    result = _apply(low, function, args, node, scope)
    if result is not None:
        return result
    attrs = {"seed": DYNAMIC} if args.keywords.pop("seed", None) is not None else {}
    return low.flow.add("unknown", [*nodes_in(function), *args.nodes], attrs, low.origin(node, scope))


def _apply(low: Lowering, function: Value, args: Arguments, node: grammar.Syntax, scope: Scope) -> Value | None:
    if isinstance(function, Path):
        return _outside(low, function, args, node, scope)
    if isinstance(function, Function):
        return call_function(low, function, args, node, scope)
    if isinstance(function, Class):
        return _construct(low, function, args, node, scope)
    if isinstance(function, Instance):
        return _call_instance(low, function, args, node, scope)
    if isinstance(function, Partial):
        early: list[tuple[Value, Any]] = [(v, node) for v in function.arguments]
        named: dict[str, tuple[Value, Any]] = {k: (v, node) for k, v in function.keywords.items()}
        positional = (
            [(_widened(low, v, e, scope), e) for v, e in args.positional] if function.widens else args.positional
        )
        bound = Arguments([*early, *positional], {**named, **args.keywords}, args.starred, args.ordered)
        return _apply(low, function.function, bound, node, scope)
    if isinstance(function, Layer):
        return layers.call_layer(low, function, args, node, scope)
    if isinstance(function, Method):
        return methods.call(low, function, args, node, scope)
    return None


def _widened(low: Lowering, value: Value, node: grammar.Syntax, scope: Scope) -> Value:
    """A value in float32, where it is known to be of half precision."""
    at = value
    while isinstance(at, Node) and "dtype" not in at.attrs and at.op in OPS and OPS[at.op].same_dtype and at.operands:
        at = at.operands[0]
    if isinstance(value, Node) and isinstance(at, Node) and at.attrs.get("dtype") in ("float16", "bfloat16"):
        return low.flow.add("cast", (value,), {"dtype": "float32"}, low.origin(node, scope))
    return value


def _call_instance(
    low: Lowering, instance: Instance, args: Arguments, node: grammar.Syntax, scope: Scope
) -> Value | None:
    """A call of an object; Keras casts what a layer is called on to the type that the layer computes in."""
    for name in ("__call__", "call"):
        found = instance.cls.find(name)
        if isinstance(found, Function):
            dtype = methods.compute_dtype(low, instance) if name == "call" else None
            if dtype is not None and args.positional and isinstance(args.positional[0][0], Node):
                value, expression = args.positional[0]
                taken = low.tensor(value, expression, scope)
                origin = low.origin(node, scope, arguments=((taken, expression),))
                cast = low.flow.add("cast", (taken,), {"dtype": dtype}, origin)
                args = Arguments([(cast, expression), *args.positional[1:]], args.keywords, args.starred, args.ordered)
            return call_function(low, found.bind(instance), args, node, scope)
    return None


def call_function(
    low: Lowering, function: Function, args: Arguments, node: grammar.Syntax, scope: Scope
) -> Value | None:
    """A call of a function of the module."""
    origin = low.origin(node, scope)
    keywords = {k: v for k, (v, _) in args.keywords.items()}
    positional = [v for v, _ in args.positional]
    if args.starred is not None and not args.ordered:
        return None  # it is not known which argument is which
    result = functions.inline(low, function, positional, keywords, origin, args.starred)
    if result is not None and "tf.custom_gradient" in function.decorators:
        value = result.values[0] if isinstance(result, Items) and result.values else result
        return low.flow.add("custom_gradient", nodes_in(value), {}, origin)
    return result


def call_value(low: Lowering, function: Value, values: Sequence[Value], node: Any, scope: Scope) -> Value:
    """Calling a value with values that no argument expression gave (a loss, a layer's activation)."""
    return apply(low, function, Arguments([(v, node) for v in values], {}), node, scope)


def _construct(low: Lowering, cls: Class, args: Arguments, node: grammar.Syntax, scope: Scope) -> Value:
    if cls.fields:
        return records.record(low, cls, args, node, scope)
    instance = Instance(cls)
    init = cls.find("__init__")
    if isinstance(init, Function):
        call_function(low, init.bind(instance), args, node, scope)
    return instance


def _outside(low: Lowering, path: Path, args: Arguments, node: grammar.Syntax, scope: Scope) -> Value | None:
    name = canonical_path(path.dotted)
    if name in SPELLINGS:
        op, spelling = SPELLINGS[name]
        return op_call(low, op, spelling, name, args, node, scope)
    known = special.SPECIAL.get(name)
    if known is not None:
        return known(low, args, node, scope)
    if name.startswith(("math.", "numpy.", "builtins.")):
        return special.python(low, name, args, node, scope)
    followed = low.imported(path)
    if followed is not None and followed != path:
        return _apply(low, followed, args, node, scope)
    return layers.outside(low, name, args, node, scope)


def op_call(
    low: Lowering, op: Op, spelling: Spelling, name: str, args: Arguments, node: grammar.Syntax, scope: Scope
) -> Value | None:
    """A call of an op: its arguments bound to operands and static parameters by the spelled signature."""
    bound: dict[str, tuple[Value, grammar.Expression]] = {}
    if args.starred is not None or len(args.positional) > len(spelling.parameters):
        return None  # beyond what every generation takes by position
    for position, given in enumerate(args.positional):
        bound[spelling.parameters[position][0]] = given
    for keyword, given in args.keywords.items():
        canonical = spelling.canonical(keyword)
        if canonical is None:
            return None  # another generation's signature: better unknown than misread
        bound[canonical] = given
    operands: list[Node] = []
    pairs: list[tuple[Node, grammar.Expression]] = []
    for operand in op.operands:
        if operand not in bound:
            if operand.startswith("*"):
                return None
            break
        value, expression = bound.pop(operand)
        parts = value.values if operand.startswith("*") and isinstance(value, Items) else [value]
        for part in parts:
            taken = expressions.as_node(low, part, expression, scope)
            if spelling.through is not None:
                taken = low.flow.add(
                    spelling.through, (taken,), {}, low.origin(node, scope, arguments=((taken, expression),))
                )
            operands.append(taken)
            pairs.append((taken, expression))
    attrs = {key: static(value) for key, (value, _) in bound.items() if key != "name" and key not in op.operands}
    for key, default in spelling.defaults.items():
        attrs.setdefault(key, default)
    late = [key for key in bound if key in op.operands]
    if late or not operands or len(operands) < op.least:
        return None  # half typed, or another function than it seems
    keywords = {key: expression for key, (_, expression) in bound.items()}
    origin = low.origin(node, scope, arguments=tuple(pairs), keywords=keywords, spelling=name)
    return low.flow.add(op.name, operands, attrs, origin)


def named_input(low: Lowering, args: Arguments, attrs: dict[str, Any], origin: Origin) -> Node:
    """A placeholder, with what is given of it under the name that the call gives it."""
    node = low.flow.add("placeholder", (), attrs, origin)
    name = args.keywords.get("name")
    if name is not None and isinstance(held := static(name[0]), str):
        low.know(held, node)
    return node


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
    return DYNAMIC
