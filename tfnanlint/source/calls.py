"""Calls: an op of the table, a function or class of the module, a Keras layer, or one of the few
functions that differentiate; anything else is an unknown value made of its arguments."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import libcst as cst

from tfnanlint.flow import DYNAMIC, Node
from tfnanlint.ops import SPELLINGS, Op, Spelling
from tfnanlint.source import expressions, layers, special
from tfnanlint.source.names import canonical_path
from tfnanlint.source.values import (
    Class,
    Function,
    Instance,
    Items,
    Layer,
    Method,
    Partial,
    Path,
    Scope,
    Table,
    Tape,
    Value,
    nodes_in,
    parts_of,
)

if TYPE_CHECKING:
    from tfnanlint.source.lower import Lowering

DTYPES = frozenset(
    "bfloat16 float16 float32 float64 int8 int16 int32 int64 uint8 uint16 bool complex64 complex128".split()
)
MODEL_CLASSES = frozenset(("keras.Model", "keras.models.Model", "keras.Sequential", "keras.models.Sequential"))
LARGEST_LIST = 256
"""Beyond so many elements a list is no longer followed."""


@dataclass
class Arguments:
    """The evaluated arguments of a call, each with its expression."""

    positional: list[tuple[Value, cst.BaseExpression]]
    keywords: dict[str, tuple[Value, cst.BaseExpression]]
    starred: bool

    def get(self, position: int, *names: str) -> Value | None:
        """An argument by its position or one of its names."""
        for name in names:
            if name in self.keywords:
                return self.keywords[name][0]
        return self.positional[position][0] if position < len(self.positional) else None

    @property
    def nodes(self) -> list[Node]:
        every = [v for v, _ in self.positional] + [v for v, _ in self.keywords.values()]
        return [node for value in every for node in nodes_in(value)]


def arguments_of(low: Lowering, node: cst.Call, scope: Scope) -> Arguments:
    positional, keywords, starred = [], {}, False
    for arg in node.args:
        value = low.expression(arg.value, scope)
        if arg.star == "*" and isinstance(value, Items):
            positional += [(v, arg.value) for v in value.values]
        elif arg.star:
            starred = True
            positional.append((value, arg.value))
        elif arg.keyword is not None:
            keywords[arg.keyword.value] = (value, arg.value)
        else:
            positional.append((value, arg.value))
    return Arguments(positional, keywords, starred)


def call(low: Lowering, node: cst.Call, scope: Scope) -> Value:
    """The value of a call expression."""
    function = low.expression(node.func, scope)
    return apply(low, function, arguments_of(low, node, scope), node, scope)


def apply(low: Lowering, function: Value, args: Arguments, node: cst.CSTNode, scope: Scope) -> Value:
    """The value of calling `function`."""
    result = _apply(low, function, args, node, scope)
    return result if result is not None else low.unknown(node, scope, [*nodes_in(function), *args.nodes])


def _apply(low: Lowering, function: Value, args: Arguments, node: cst.CSTNode, scope: Scope) -> Value | None:
    if isinstance(function, Path):
        return _outside(low, function, args, node, scope)
    if isinstance(function, Function):
        return call_function(low, function, args, node, scope)
    if isinstance(function, Class):
        return _construct(low, function, args, node, scope)
    if isinstance(function, Instance):
        for name in ("__call__", "call"):
            found = function.cls.find(name)
            if isinstance(found, Function):
                return call_function(low, found.bind(function), args, node, scope)
        return None
    if isinstance(function, Partial):
        early: list[tuple[Value, Any]] = [(v, node) for v in function.arguments]
        named: dict[str, tuple[Value, Any]] = {k: (v, node) for k, v in function.keywords.items()}
        bound = Arguments([*early, *args.positional], {**named, **args.keywords}, args.starred)
        return _apply(low, function.function, bound, node, scope)
    if isinstance(function, Layer):
        return layers.call_layer(low, function, args, node, scope)
    if isinstance(function, Method):
        return _method(low, function, args, node, scope)
    return None


def call_function(low: Lowering, function: Function, args: Arguments, node: cst.CSTNode, scope: Scope) -> Value | None:
    """A call of a function of the module."""
    if args.starred:
        return None
    origin = low.origin(node, scope)
    keywords = {k: v for k, (v, _) in args.keywords.items()}
    result = low.inline(function, [v for v, _ in args.positional], keywords, origin)
    if result is not None and "tf.custom_gradient" in function.decorators:
        value = result.values[0] if isinstance(result, Items) and result.values else result
        return low.flow.add("custom_gradient", nodes_in(value), {}, origin)
    return result


def call_value(low: Lowering, function: Value, values: Sequence[Value], node: Any, scope: Scope) -> Value:
    """Calling a value with values that no argument expression gave (a loss, a layer's activation)."""
    return apply(low, function, Arguments([(v, node) for v in values], {}, False), node, scope)


def _construct(low: Lowering, cls: Class, args: Arguments, node: cst.CSTNode, scope: Scope) -> Value:
    instance = Instance(cls)
    init = cls.find("__init__")
    if isinstance(init, Function):
        call_function(low, init.bind(instance), args, node, scope)
    return instance


def _outside(low: Lowering, path: Path, args: Arguments, node: cst.CSTNode, scope: Scope) -> Value | None:
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
    if followed is not None and not isinstance(followed, Path):
        return _apply(low, followed, args, node, scope)
    return layers.outside(low, name, args, node, scope)


def op_call(
    low: Lowering, op: Op, spelling: Spelling, name: str, args: Arguments, node: cst.CSTNode, scope: Scope
) -> Value | None:
    """A call of an op: its arguments bound to operands and static parameters by the spelled signature."""
    bound: dict[str, tuple[Value, cst.BaseExpression]] = {}
    if args.starred or len(args.positional) > len(spelling.parameters):
        return None  # beyond what every generation takes by position
    for position, given in enumerate(args.positional):
        bound[spelling.parameters[position][0]] = given
    for keyword, given in args.keywords.items():
        canonical = spelling.canonical(keyword)
        if canonical is None:
            return None  # another generation's signature: better unknown than misread
        bound[canonical] = given
    operands: list[Node] = []
    pairs: list[tuple[Node, cst.BaseExpression]] = []
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
    if late or not operands:
        return None
    keywords = {key: expression for key, (_, expression) in bound.items()}
    origin = low.origin(node, scope, arguments=tuple(pairs), keywords=keywords, spelling=name)
    return low.flow.add(op.name, operands, attrs, origin)


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


# Methods of objects known by kind.


def _method(low: Lowering, method: Method, args: Arguments, node: cst.CSTNode, scope: Scope) -> Value | None:
    owner, name = method.owner, method.name
    if isinstance(owner, Tape) and name in ("gradient", "jacobian", "batch_jacobian"):
        return gradients(low, args, node, scope, f"`{name}` of the tape")
    if isinstance(owner, Items) and name in ("append", "extend") and args.positional:
        _grow(owner, args.positional[0][0], name)
        return None
    if isinstance(owner, Table) and name in ("get", "pop", "setdefault"):
        key = expressions.constant_of(args.get(0))
        return owner.entries.get(key)
    if isinstance(owner, Table) and name == "values":
        return Items(list(owner.entries.values()))
    if isinstance(owner, Table) and name == "items":
        return Items([Items([low.flow.constant(k, low.origin(node, scope)), v]) for k, v in owner.entries.items()])
    if isinstance(owner, Layer):
        return layers.layer_method(low, owner, name, args, node, scope)
    if name in ("minimize", "compute_gradients", "get_gradients") and args.positional:
        return _minimize(low, name, args, node, scope)
    if (
        name == "compile"
        and isinstance(owner, Instance)
        and MODEL_CLASSES.intersection(map(canonical_path, owner.cls.ancestors()))
    ):
        layers.compiled(low, owner, args.get(1, "loss"), node, scope)
        return None
    if name == "add_loss" and args.positional:
        low.differentiate(
            _called(low, args.positional[0][0], node, scope),
            "added to the model's loss by `add_loss`",
            low.origin(node, scope),
        )
        return None
    if name == "gradient" and len(args.positional) >= 2 and isinstance(owner, Node):
        return gradients(low, args, node, scope, "`gradient` of the tape")
    if isinstance(owner, Node) and name in ("read_value", "value", "numpy"):
        return owner
    return None


def _is_model(instance: Instance) -> bool:
    return not MODEL_CLASSES.isdisjoint(map(canonical_path, instance.cls.ancestors()))


def _grow(owner: Items, added: Value, name: str) -> None:
    """`append` or `extend` of a known list, up to a size; a list that would come to hold itself stays as it is."""
    new = list(added.values) if name == "extend" and isinstance(added, Items) else [added]
    if len(owner.values) + len(new) <= LARGEST_LIST and not any(part is owner for v in new for part in parts_of(v)):
        owner.values.extend(new)


def _called(low: Lowering, value: Value, node: cst.CSTNode, scope: Scope) -> Value:
    """A value, or what a function without arguments returns."""
    if isinstance(value, (Function, Partial)):
        return call_value(low, value, [], node, scope)
    return value


def _minimize(low: Lowering, name: str, args: Arguments, node: cst.CSTNode, scope: Scope) -> Value | None:
    loss = _called(low, args.positional[0][0], node, scope)
    low.differentiate(loss, f"differentiated by `{name}`", low.origin(node, scope))
    return low.flow.add("gradient", nodes_in(loss), {}, low.origin(node, scope)) if nodes_in(loss) else None


def gradients(low: Lowering, args: Arguments, node: cst.CSTNode, scope: Scope, how: str) -> Value | None:
    """Gradients of the first argument with respect to the second: one for each source that is known."""
    target = args.get(0, "target", "ys", "loss")
    sources = args.get(1, "sources", "xs", "variables")
    if target is None or not nodes_in(target):
        return None
    origin = low.origin(node, scope)
    low.differentiate(target, f"differentiated by {how}", origin, nodes_in(sources))
    if isinstance(sources, Items):
        return Items(
            [
                low.flow.add("gradient", [*nodes_in(target), *nodes_in(s)], {}, low.origin(node, scope))
                for s in sources.values
            ]
        )
    return low.flow.add("gradient", [*nodes_in(target), *nodes_in(sources)], {}, origin)
