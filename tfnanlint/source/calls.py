"""Calls: an op of the table, a function or class of the module, a Keras layer, or one of the few
functions that differentiate; anything else is an unknown value made of its arguments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tfnanlint.flow import Node, ancestors
from tfnanlint.ops import SPELLINGS
from tfnanlint.source import (
    functions,
    grammar,
    layers,
    methods,
    numerics,
    op_calls,
    other_files,
    precision,
    records,
    special,
    weights,
)
from tfnanlint.source.arguments import Arguments, arguments_of, dtype_of
from tfnanlint.source.demonstrations import OPTIMIZER
from tfnanlint.source.libraries import LIBRARY
from tfnanlint.source.names import canonical_path
from tfnanlint.source.values import (
    Choice,
    Class,
    Function,
    Instance,
    Items,
    Layer,
    Method,
    Partial,
    Path,
    Scope,
    Value,
    nodes_in,
    parts_of,
)
from tfnanlint.vocabulary import words_of

if TYPE_CHECKING:
    from tfnanlint.source.lower import Lowering

DESCRIBING = frozenset(("shape", "initializer", "trainable"))
"""Arguments that describe a weight."""
CHANGING = frozenset(
    "sample next draw pop read readline dequeue fetch batch generate random rand randn randint normal uniform choice "
    "permutation shuffle step update reset add append assign push new create build make".split()
)
"""Words in names of methods that return something else each time, or change their object."""


def call(low: Lowering, node: grammar.Call, scope: Scope) -> Value:
    """The value of a call expression."""
    function = low.expression(node.func, scope)
    return apply(low, function, arguments_of(low, node, scope), node, scope)


def apply(low: Lowering, function: Value, args: Arguments, node: grammar.Syntax, scope: Scope) -> Value:
    """The value of calling `function`."""
    result = _apply(low, function, args, node, scope)
    if result is not None:
        return result
    called = _called(node)
    if called in methods.WEIGHTS and not DESCRIBING.isdisjoint(args.keywords):  # of a layer that is given
        return weights.made(low, args, {}, low.origin(node, scope))
    attrs: dict[str, Any] = {"called": called} if called else {}
    further: list[Node] = []
    if _is_of_numpy(function):
        attrs[LIBRARY] = "numpy"
        given = (part for value, _ in args.positional for part in parts_of(value))
        if any(isinstance(part, Path) and not _is_of_numpy(part) for part in given):  # a value of another module
            further = [low.unknown(node, scope)]
    if isinstance(function, Path) and methods.is_optimizer(function.dotted):
        attrs[OPTIMIZER] = True
    if isinstance(function, Method) and isinstance(function.owner, Node) and _is_read(args, called):
        return low.recall("unknown", [function.owner, *args.nodes], attrs, low.origin(node, scope))
    found = low.flow.add("unknown", [*nodes_in(function), *args.nodes, *further], attrs, low.origin(node, scope))
    callee = function.owner if isinstance(function, Method) else function
    if isinstance(callee, Node) and found.operands[0] is callee and args.nodes:
        low.applied[found] = callee
    return found


def _is_of_numpy(value: Value) -> bool:
    return isinstance(value, Path) and canonical_path(value.dotted).startswith("numpy.")


def _is_read(args: Arguments, called: str) -> bool:
    """Whether a method, such as `policy.mean()`, only reads its object, so that a second call returns the same."""
    return all(node.op == "const" for node in args.nodes) and CHANGING.isdisjoint(words_of(called))


def _called(node: grammar.Syntax) -> str:
    """The last part of the name by which a call names its function."""
    function = node.func if isinstance(node, grammar.Call) else None
    if isinstance(function, grammar.Attribute):
        function = function.attr
    return function.value if isinstance(function, grammar.Name) else ""


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
    if isinstance(function, Choice):
        return _call_each(low, function, args, node, scope)
    if isinstance(function, Layer):
        return layers.call_layer(low, function, args, node, scope)
    if isinstance(function, Method):
        return methods.call(low, function, args, node, scope)
    return None


def _call_each(low: Lowering, choice: Choice, args: Arguments, node: grammar.Syntax, scope: Scope) -> Value | None:
    """The results of calling each function of a choice, on what was chosen together with it."""
    results: list[Value] = []
    for place, one in enumerate(choice.values):
        positional = [(_chosen_with(low, choice, place, value), expr) for value, expr in args.positional]
        keywords = {name: (_chosen_with(low, choice, place, value), e) for name, (value, e) in args.keywords.items()}
        given = Arguments(positional, keywords, args.starred, args.ordered)
        results.append(apply(low, one, given, node, scope))
        if len(choice.values) > 1 and any(_is_chosen(value) for value, _ in positional):
            low.flow.alternatives.update(nodes_in(results[-1]))
    joined = low.join(results, node, scope)
    if isinstance(joined, Node) and joined.op == "phi" and list(joined.operands) == results:
        low.chosen[joined] = choice
    return joined


def _is_chosen(value: Value) -> bool:
    """Whether a value may be one of several, such as what one of several activations gives."""
    return isinstance(value, Node) and any(at.op == "phi" for at in ancestors(value))


def _chosen_with(low: Lowering, choice: Choice, place: int, value: Value) -> Value:
    """What a value is where a choice takes one of its functions: the same condition may decide both."""
    if not isinstance(value, Node) or value.op != "phi" or len(value.operands) != len(choice.values):
        return value
    other = low.chosen.get(value)
    where = other.where if other is not None else value.origin and value.origin.expr
    return value.operands[place] if where is not None and where is choice.where else value


def _widened(low: Lowering, value: Value, node: grammar.Syntax, scope: Scope) -> Value:
    """A value in float32, where it is known to be of half precision."""
    if isinstance(value, Node) and dtype_of(value) in ("float16", "bfloat16"):
        return low.flow.add("cast", (value,), {"dtype": "float32"}, low.origin(node, scope))
    return value


def _call_instance(
    low: Lowering, instance: Instance, args: Arguments, node: grammar.Syntax, scope: Scope
) -> Value | None:
    """A call of an object; Keras casts what a layer is called on to the type that the layer computes in."""
    for name in ("__call__", "call"):
        found = instance.cls.find(name)
        if isinstance(found, Function):
            if name == "call":
                _build(low, instance, args, node, scope)
            dtype = precision.of_object(low, instance) if name == "call" else None
            if dtype is not None and args.positional and isinstance(args.positional[0][0], Node):
                value, expression = args.positional[0]
                taken = low.tensor(value, expression, scope)
                origin = low.origin(node, scope, arguments=((taken, expression),))
                cast = low.flow.add("cast", (taken,), {"dtype": dtype}, origin)
                args = Arguments([(cast, expression), *args.positional[1:]], args.keywords, args.starred, args.ordered)
            return call_function(low, found.bind(instance), args, node, scope)
    return None


def _build(low: Lowering, instance: Instance, args: Arguments, node: grammar.Syntax, scope: Scope) -> None:
    """A layer makes its weights when it is first called, from the shape of what it is given."""
    build = instance.cls.find("build")
    if instance.built or not isinstance(build, Function):
        return
    instance.built = True
    given = args.positional[0][0] if args.positional else None
    shape = low.flow.describe("shape", given, low.origin(node, scope)) if isinstance(given, Node) else None
    call_value(low, build.bind(instance), [shape if shape is not None else low.unknown(node, scope)], node, scope)


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
        return op_calls.op_call(low, op, spelling, name, args, node, scope)
    known = special.SPECIAL.get(name)
    if known is not None:
        return known(low, args, node, scope)
    if name.startswith(("math.", "numpy.", "builtins.")):
        return numerics.python(low, name, args, node, scope)
    if (module := special.loaded(name, args)) is not None:
        return module
    followed = other_files.imported(low, path)
    if followed is not None and followed != path:
        return _apply(low, followed, args, node, scope)
    if followed is None and (meant := low.meaning(path)) is not None:
        return _outside(low, meant, args, node, scope)
    return layers.outside(low, name, args, node, scope)
