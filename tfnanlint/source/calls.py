"""Calls: an op of the table, a function or class of the module, a Keras layer, or one of the few
functions that differentiate; anything else is an unknown value made of its arguments."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import libcst as cst

from tfnanlint.flow import DYNAMIC, Node
from tfnanlint.ops import SPELLINGS, Op, Spelling
from tfnanlint.source import expressions, layers
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
    Tape,
    Value,
    nodes_in,
    parts_of,
)

if TYPE_CHECKING:
    from tfnanlint.source.lower import Lowering

DTYPES = frozenset("bfloat16 float16 float32 float64 int8 int16 int32 int64 uint8 uint16 bool complex64 complex128".split())
LEAST_POSITIVE = 2.0**-126
"""The least positive float32 that is not flushed to 0."""
MODEL_CLASSES = frozenset(("keras.Model", "keras.models.Model", "keras.Sequential", "keras.models.Sequential"))
LARGEST_LIST = 256
"""Beyond so many elements a list is no longer followed."""
EPSILON = 1e-7
"""What `keras.backend.epsilon()` returns unless it was changed."""


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
        bound = Arguments([(v, node) for v in function.arguments] + args.positional, {
            **{k: (v, node) for k, v in function.keywords.items()}, **args.keywords}, args.starred)
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
    special = _SPECIAL.get(name)
    if special is not None:
        return special(low, args, node, scope)
    if name.startswith(("math.", "numpy.", "builtins.")):
        return _python(low, name, args, node, scope)
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
                taken = low.flow.add(spelling.through, (taken,), {}, low.origin(node, scope, arguments=((taken, expression),)))
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
        return _gradients(low, args, node, scope, f"`{name}` of the tape")
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
    if name == "compile" and isinstance(owner, Instance) and MODEL_CLASSES.intersection(map(canonical_path, owner.cls.ancestors())):
        layers.compiled(low, owner, args.get(1, "loss"), node, scope)
        return None
    if name == "add_loss" and args.positional:
        low.differentiate(_called(low, args.positional[0][0], node, scope), "added to the model's loss by `add_loss`",
                          low.origin(node, scope))
        return None
    if name == "gradient" and len(args.positional) >= 2 and isinstance(owner, Node):
        return _gradients(low, args, node, scope, "`gradient` of the tape")
    if isinstance(owner, Node) and name in ("read_value", "value", "numpy"):
        return owner
    return None


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


def _gradients(low: Lowering, args: Arguments, node: cst.CSTNode, scope: Scope, how: str) -> Value | None:
    """Gradients of the first argument with respect to the second: one for each source that is known."""
    target = args.get(0, "target", "ys", "loss")
    sources = args.get(1, "sources", "xs", "variables")
    if target is None or not nodes_in(target):
        return None
    origin = low.origin(node, scope)
    low.differentiate(target, f"differentiated by {how}", origin, nodes_in(sources))
    if isinstance(sources, Items):
        return Items([low.flow.add("gradient", [*nodes_in(target), *nodes_in(s)], {}, low.origin(node, scope))
                      for s in sources.values])
    return low.flow.add("gradient", [*nodes_in(target), *nodes_in(sources)], {}, origin)


# Functions outside the module that are no ops.

Special = Callable[["Lowering", Arguments, cst.CSTNode, Scope], "Value | None"]


def _tape(low: Lowering, args: Arguments, node: cst.CSTNode, scope: Scope) -> Value:
    return Tape(low.origin(node, scope))


def _gradients_function(low: Lowering, args: Arguments, node: cst.CSTNode, scope: Scope) -> Value | None:
    return _gradients(low, args, node, scope, "`gradients`")


def _variable(low: Lowering, args: Arguments, node: cst.CSTNode, scope: Scope) -> Value:
    trainable = args.keywords.get("trainable")
    frozen = trainable is not None and expressions.constant_of(trainable[0]) is False
    origin = low.origin(node, scope, arguments=tuple((n, e) for v, e in args.positional[:1] for n in nodes_in(v)))
    return low.flow.add("placeholder" if frozen else "variable", (), {}, origin)


def _placeholder(low: Lowering, args: Arguments, node: cst.CSTNode, scope: Scope) -> Value:
    dtype = args.get(0, "dtype")
    held = static(dtype) if dtype is not None else None
    return low.flow.add("placeholder", (), {"dtype": held} if isinstance(held, str) else {}, low.origin(node, scope))


def _epsilon(low: Lowering, args: Arguments, node: cst.CSTNode, scope: Scope) -> Value:
    return low.flow.constant(EPSILON, low.origin(node, scope))


def _partial(low: Lowering, args: Arguments, node: cst.CSTNode, scope: Scope) -> Value | None:
    if not args.positional:
        return None
    return Partial(args.positional[0][0], [v for v, _ in args.positional[1:]], {k: v for k, (v, _) in args.keywords.items()})


def _decorator(low: Lowering, args: Arguments, node: cst.CSTNode, scope: Scope) -> Value | None:
    """`tf.function(f)` is f."""
    return args.positional[0][0] if args.positional and not isinstance(args.positional[0][0], Node) else None


def _cond(low: Lowering, args: Arguments, node: cst.CSTNode, scope: Scope) -> Value | None:
    branches = [args.get(1, "true_fn", "fn1"), args.get(2, "false_fn", "fn2")]
    results = [call_value(low, b, [], node, scope) for b in branches if b is not None]
    return low.join(results, node, scope)


def _map_fn(low: Lowering, args: Arguments, node: cst.CSTNode, scope: Scope) -> Value | None:
    function, elements = args.get(0, "fn"), args.get(1, "elems")
    if function is None or elements is None:
        return None
    with low.inside_loop():
        result = call_value(low, function, [expressions.element_of(low, elements, node, scope)], node, scope)
    if isinstance(result, Node):
        return low.flow.add("stack", (result,), {}, low.origin(node, scope))
    return result


def _downstream(low: Lowering, args: Arguments, node: cst.CSTNode, scope: Scope) -> Value | None:
    """The word of rule files: anything computed from its argument."""
    return low.flow.add("downstream", args.nodes[:1], {}, low.origin(node, scope))


def _while_loop(low: Lowering, args: Arguments, node: cst.CSTNode, scope: Scope) -> Value | None:
    """`tf.while_loop`: its variables carried around its body."""
    body, given = args.get(1, "body"), args.get(2, "loop_vars")
    if body is None or not isinstance(given, Items):
        return None
    carried: list[Value] = []
    for value in given.values:
        held = isinstance(value, Node)
        carried.append(low.flow.add("loop", (value,), {}, low.origin(node, scope)) if held else value)
    with low.inside_loop():
        result = call_value(low, body, carried, node, scope)
    back = result.values if isinstance(result, Items) else [result]
    for loop, value in zip(carried, back, strict=False):
        if isinstance(loop, Node) and loop.op == "loop" and isinstance(value, Node) and value is not loop:
            low.flow.connect(loop, value)
    return Items(carried)


def _asserted(lo: float, hi: float) -> Special:
    """An assertion about a variable: from here on it is known to lie in [lo, hi]."""

    def special(low: Lowering, args: Arguments, node: cst.CSTNode, scope: Scope) -> Value | None:
        if args.positional and isinstance(args.positional[0][0], Node) and isinstance(args.positional[0][1], cst.Name):
            value, name = args.positional[0]
            low.bind(scope, name.value, low.flow.add("asserted", (value,), {"lo": lo, "hi": hi}, low.origin(node, scope)))
        return None

    return special


_SPECIAL: dict[str, Special] = {
    "tf.GradientTape": _tape,
    "tf.gradients": _gradients_function,
    "K.gradients": _gradients_function,
    "tf.Variable": _variable,
    "tf.get_variable": _variable,
    "keras.Variable": _variable,
    "K.variable": _variable,
    "tf.placeholder": _placeholder,
    "tf.placeholder_with_default": _placeholder,
    "K.placeholder": _placeholder,
    "K.epsilon": _epsilon,
    "keras.config.epsilon": _epsilon,
    "tfnanlint.template.downstream": _downstream,
    "functools.partial": _partial,
    "tf.function": _decorator,
    "tf.cond": _cond,
    "ops.cond": _cond,
    "tf.while_loop": _while_loop,
    "ops.while_loop": _while_loop,
    "tf.debugging.assert_positive": _asserted(LEAST_POSITIVE, math.inf),
    "tf.assert_positive": _asserted(LEAST_POSITIVE, math.inf),
    "tf.debugging.assert_non_negative": _asserted(0.0, math.inf),
    "tf.assert_non_negative": _asserted(0.0, math.inf),
    "tf.map_fn": _map_fn,
    "tf.vectorized_map": _map_fn,
    "ops.map": _map_fn,
    "tf.autograph.experimental.do_not_convert": _decorator,
}

_MATH: dict[str, Callable[..., float]] = {
    "log": math.log, "sqrt": math.sqrt, "exp": math.exp, "log2": math.log2, "log10": math.log10, "abs": abs,
    "power": pow, "pow": pow, "float": float, "int": int, "float32": float, "float64": float, "max": max, "min": min,
    "maximum": max, "minimum": min, "tanh": math.tanh, "sin": math.sin, "cos": math.cos, "square": lambda v: v * v,
    "log1p": math.log1p, "expm1": math.expm1, "floor": math.floor, "ceil": math.ceil,
}
_NUMPY_DRAWS: dict[str, tuple[str, tuple[str, ...]]] = {
    "normal": ("random_normal", ("loc", "scale", "size")),
    "randn": ("random_normal", ()),
    "standard_normal": ("random_normal", ()),
    "uniform": ("random_uniform", ("low", "high", "size")),
    "rand": ("random_uniform", ()),
    "random": ("random_uniform", ()),
    "random_sample": ("random_uniform", ()),
}
"""NumPy's draws: the op they are, and their parameters in order."""
_DRAW_NAMES = {"loc": "mean", "scale": "stddev", "low": "minval", "high": "maxval"}
_LIMITS = {
    "float16": (2.0**-10, 2.0**-14),
    "float32": (2.0**-23, 2.0**-126),
    "float64": (2.0**-52, 2.0**-1022),
}


def _python(low: Lowering, name: str, args: Arguments, node: cst.CSTNode, scope: Scope) -> Value | None:
    """Python's and NumPy's functions of numbers, folded; builtins that pass tensors through."""
    last = name.rsplit(".", 1)[-1]
    values = [expressions.constant_of(v) for v, _ in args.positional]
    if values and all(isinstance(v, (int, float)) for v in values) and not args.keywords and last in _MATH:
        try:
            return low.flow.constant(_MATH[last](*values), low.origin(node, scope))
        except (ArithmeticError, ValueError, TypeError):
            return None
    if name.startswith("numpy.random.") and last in _NUMPY_DRAWS:
        op, names = _NUMPY_DRAWS[last]
        given = {k: static(v) for k, (v, _) in zip(names, args.positional, strict=False)}
        given |= {k: static(v) for k, (v, _) in args.keywords.items()}
        attrs = {_DRAW_NAMES.get(k, k): v for k, v in given.items() if k != "size"}
        return low.flow.add(op, (), attrs, low.origin(node, scope))
    if name == "numpy.finfo":
        return _finfo(low, args, node, scope)
    if name in ("builtins.abs", "builtins.pow") and args.nodes:
        row = SPELLINGS["tf.abs" if last == "abs" else "tf.pow"]
        return op_call(low, *row, "", args, node, scope)
    if name in ("builtins.list", "builtins.tuple") and args.positional and isinstance(args.positional[0][0], Items):
        return Items(list(args.positional[0][0].values))
    if name == "builtins.zip" and all(isinstance(v, Items) for v, _ in args.positional) and args.positional:
        columns = [v.values for v, _ in args.positional]
        return Items([Items(list(row)) for row in zip(*columns, strict=False)])
    if name == "builtins.isinstance":
        return None
    if name == "builtins.super":
        return _super(low, scope)
    if name == "builtins.sum" and args.positional and isinstance(args.positional[0][0], Items):
        return low.flow.add("add_n", [expressions.as_node(low, v, node, scope) for v in args.positional[0][0].values],
                            {}, low.origin(node, scope)) if args.positional[0][0].values else None
    return None


def _finfo(low: Lowering, args: Arguments, node: cst.CSTNode, scope: Scope) -> Value | None:
    kind = static(args.positional[0][0]) if args.positional else None
    if isinstance(args.positional[0][0], Path) and args.positional[0][0].dotted == "builtins.float":
        kind = "float64"
    if kind not in _LIMITS:
        return None
    epsilon, least = _LIMITS[kind]
    origin = low.origin(node, scope)
    return Instance(Class("finfo", Scope(None, "class"), [], low.file), {
        "eps": low.flow.constant(epsilon, origin),
        "tiny": low.flow.constant(least, origin),
    })


def _super(low: Lowering, scope: Scope) -> Value | None:
    """`super()`: the instance, seen through the bases of the class whose method this is."""
    inner: Scope | None = scope
    while inner is not None and not (isinstance(inner.owner, Function) and inner.owner.cls is not None):
        inner = inner.parent
    if inner is None or inner.owner.cls is None:
        return None
    cls: Class = inner.owner.cls
    above = Class(f"super of {cls.name}", Scope(None, "class"), cls.bases, cls.file)
    bound = next((v for v in inner.names.values() if isinstance(v, Instance)), None)
    return Instance(above, bound.attributes) if bound is not None else None


__all__ = ["Arguments", "Origin", "apply", "call", "call_value"]
