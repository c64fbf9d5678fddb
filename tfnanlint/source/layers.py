"""Keras layers as values: built from known parts, then called on tensors."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tfnanlint.flow import DYNAMIC, Node
from tfnanlint.ops import SPELLINGS, losses
from tfnanlint.source import arg_scopes, distributions, grammar, layer_shapes, model_layers, models, op_calls
from tfnanlint.source.arguments import shape_of, static
from tfnanlint.source.layer_kinds import (
    APPLYING,
    DROPPING,
    FUNCTIONAL_V1,
    MERGING,
    OP_LAYERS,
    PASSING,
    REARRANGING,
    WEIGHTED,
    is_layer,
    layer_of,
    parameters_of,
    pooling,
)
from tfnanlint.source.names import canonical_path
from tfnanlint.source.precision import compute_dtype
from tfnanlint.source.values import (
    Class,
    Function,
    Instance,
    Items,
    Layer,
    Origin,
    Partial,
    Path,
    Scope,
    Value,
    constant_of,
    nodes_in,
)
from tfnanlint.vocabulary import POLICY_SETTERS

if TYPE_CHECKING:
    from tfnanlint.source.arguments import Arguments
    from tfnanlint.source.lower import Lowering

CONTRIB = ("tf.contrib.layers.", "tf.contrib.slim.", "tf_slim.", "tf_slim.layers.")
TOLD = frozenset(
    "units filters kernel_size strides padding activation use_bias axis epsilon momentum rate input_dim output_dim "
    "num_heads key_dim kernel_initializer kernel_constraint return_sequences center scale trainable name".split()
)
"""The arguments that a layer's node keeps."""
LOSS_SETTINGS = frozenset(("reduction", "name", "dtype"))
"""Parameters of loss objects that the loss functions lack."""
ACTIVATION_PATHS = ("keras.activations.", "tf.nn.", "ops.", "K.")
POLICY_CLASSES = frozenset(
    (
        "keras.mixed_precision.Policy",
        "keras.mixed_precision.experimental.Policy",
        "keras.mixed_precision.DTypePolicy",
        "keras.DTypePolicy",
        "keras.dtype_policies.DTypePolicy",
    )
)


def outside(low: Lowering, name: str, args: Arguments, node: grammar.Syntax, scope: Scope) -> Value | None:
    """A call of something of Keras or TensorFlow that is not an op: a layer or model is built, an input made."""
    origin = low.origin(node, scope)
    prefix, _, last = name.rpartition(".")
    if name in POLICY_SETTERS:
        low.policy = compute_dtype(args.get(0, "policy", "dtype_policy", "dtype", "value"))
        return None
    if name in POLICY_CLASSES:
        return args.get(0, "name")
    if name == "keras.activations.get":
        chosen = args.get(0, "identifier")
        held = constant_of(chosen)
        return Path(f"keras.activations.{held}") if isinstance(held, str) else chosen
    if prefix == "keras.constraints":
        return Path(name)  # one is told from another by its name
    model = models.built(low, name, args, origin) or distributions.built(name, args, origin)
    if model is not None:
        return model
    if name in ("keras.Input", "keras.layers.Input", "keras.layers.InputLayer"):
        if isinstance(given_tensor := args.named("tensor", "input_tensor"), Node):
            return given_tensor  # it stands for this tensor, and nothing is fed
        dtype = compute_dtype(args.named("dtype"))
        shape = shape_of(args.get(0, "shape", "input_shape"))
        batch = shape_of(args.named("batch_shape", "batch_input_shape"))
        batch = (None, *shape) if batch is None and shape is not None else batch
        stated = {"dtype": dtype or None, "shape": batch}
        return op_calls.named_input(low, args, {k: v for k, v in stated.items() if v is not None}, origin)
    if prefix == "keras.layers":
        if is_layer(last):
            return built(low, last, args, origin, node, scope)
        if last.capitalize() in MERGING and args.positional:  # `layers.add([a, b])` and its kin
            return _merged(low, Layer(last.capitalize(), {}, origin), args.positional[0][0], node, scope)
    if name in losses.CLASSES:
        given = {key: value for key, (value, _) in args.keywords.items() if key not in LOSS_SETTINGS}
        return Partial(Path(losses.CLASSES[name]), [], given, widens=True)
    value = args.get(0, "inputs")
    if last in FUNCTIONAL_V1 and value is not None and (prefix == "tf.layers" or f"{prefix}." in CONTRIB):
        kind, parameters = FUNCTIONAL_V1[last]
        keywords = {key: held for key, held in args.keywords.items() if key != "inputs"}
        positional = args.positional if "inputs" in args.keywords else args.positional[1:]
        rest = type(args)(positional, keywords, args.starred, args.ordered)
        layer = built(low, kind, rest, origin, node, scope, parameters)
        if prefix != "tf.layers" and kind in WEIGHTED and kind != "BatchNormalization":
            layer.arguments["activation"] = _contrib_activation(low, last, layer, node, scope)
        return call_one(low, layer, value, node, scope)
    return None


def _contrib_activation(low: Lowering, name: str, layer: Layer, node: grammar.Syntax, scope: Scope) -> Value:
    """The activation of a layer of `tf.contrib.layers` or slim: given, by an `arg_scope`, or a ReLU."""
    if "activation_fn" in layer.arguments:
        return layer.arguments.pop("activation_fn")
    held, known = arg_scopes.argument(low, name, "activation_fn")
    if held is not None:
        return held
    return Path("tensorflow.nn.relu") if known else low.unknown(node, scope)


def inherited(cls: Class) -> str | None:
    """The Keras layer that a class of the program is made of."""
    return next(filter(None, map(layer_of, map(canonical_path, cls.ancestors()))), None)


def built(
    low: Lowering,
    kind: str,
    args: Arguments,
    origin: Origin,
    node: grammar.Syntax,
    scope: Scope,
    parameters: str | None = None,
) -> Layer:
    """A layer, with what it is given by position under the names of its parameters: of those in Keras's order."""
    named = parameters_of(kind) if parameters is None else parameters
    given: dict[str, Value] = dict(zip(named.split(), [v for v, _ in args.positional], strict=False))
    given.update({key: value for key, (value, _) in args.keywords.items()})
    for name, value in given.items():
        if name.endswith("_regularizer") and isinstance(value, (Function, Partial, Instance)):
            weights = low.flow.add("variable", (), {}, origin)
            low.differentiate(low.call(value, [weights], node, scope), "a regularizer of trained weights", origin)
    return Layer(kind, given, origin)


def call_layer(low: Lowering, layer: Layer, args: Arguments, node: grammar.Syntax, scope: Scope) -> Value | None:
    """A layer or model called on its first argument."""
    value = args.get(0, "inputs")
    return call_one(low, layer, value, node, scope) if value is not None else None


def call_one(low: Lowering, layer: Layer, value: Value, node: grammar.Syntax, scope: Scope) -> Value:
    """What a layer makes of its input."""
    start = len(low.layer_calls)
    result = _result(low, layer, value, node, scope)
    del low.layer_calls[start:]  # the layers of a model are not layers of what the model is a part of
    model_layers.note(low, layer, value, result)
    return result


def _result(low: Lowering, layer: Layer, value: Value, node: grammar.Syntax, scope: Scope) -> Value:
    if layer.path in models.KINDS:
        return models.called(low, layer, value, node, scope)
    origin = _where(low, layer, node, scope)
    operands = nodes_in(value)
    if not operands:
        return value
    if layer.path in MERGING:
        return _merged(low, layer, value, node, scope)
    if layer.path in OP_LAYERS:
        return _op_layer(low, layer, operands[0], origin)
    if layer.path in APPLYING:
        chosen = layer.arguments.get(APPLYING[layer.path])
        if layer.path == "Activation":
            return _typed(low, layer, activation(low, chosen, operands[0], node, scope, origin), origin)
        return low.call(chosen, [value], node, scope) if chosen is not None else value
    if layer.path in PASSING:
        return value
    if layer.path in REARRANGING:
        return layer_shapes.rearranged(low, layer, operands[0], origin)
    reduction = pooling(layer.path)
    if reduction is not None:
        return layer_shapes.pooled(low, layer, reduction, operands[0], origin)
    if layer.path in DROPPING:
        return low.flow.add("dropout", operands[:1], {"rate": DYNAMIC}, origin)
    if layer.path == "Rescaling":
        factors = [layer.arguments.get(key) for key in ("scale", "offset")]
        scaled = low.flow.add("multiply", (operands[0], low.tensor(factors[0], node, scope)), {}, origin)
        if factors[1] is None:
            return scaled
        return low.flow.add("add", (scaled, low.tensor(factors[1], node, scope)), {}, origin)
    attrs: dict[str, Any] = {"kind": layer.path, **_told(layer)}
    dtype = compute_dtype(layer.arguments.get("dtype")) or low.policy
    if dtype is not None:
        attrs["dtype"] = dtype
    result = low.flow.add("layer", operands, attrs, origin)
    chosen = layer.arguments.get("activation")
    return activation(low, chosen, result, node, scope, origin) if chosen is not None else result


def _told(layer: Layer) -> dict[str, Any]:
    """What the program states of a layer; its `activation` is the op behind it."""
    told: dict[str, Any] = {}
    for key in TOLD & layer.arguments.keys():
        given = layer.arguments[key]
        held = shape_of(given) if isinstance(given, Items) else _named(given)
        if held is not None:
            told[key] = held
    return dict(sorted(told.items()))


def _named(value: Value) -> Any:
    """The number, the truth or the name that an argument is given by."""
    if isinstance(value, (Path, Function)):
        name = value.dotted if isinstance(value, Path) else value.name
        return name.rsplit(".", 1)[-1]
    if isinstance(value, Node) and isinstance(default := value.attrs.get("default"), str):
        return default
    return constant_of(value)


def _where(low: Lowering, layer: Layer, node: grammar.Syntax, scope: Scope) -> Origin:
    """Where a layer's result comes from: the call, or where a layer kept for later was made."""
    here = low.origin(node, scope)
    made: object = layer.made.expr
    if isinstance(node, grammar.Call) and node.func is made:
        return here
    return replace(layer.made, time=here.time, loop=here.loop, calls=(*low.calls, here), written=False)


def _typed(low: Lowering, layer: Layer, value: Value, origin: Origin) -> Value:
    """The result in the type that the layer was given, if it was given one."""
    dtype = compute_dtype(layer.arguments.get("dtype"))
    if dtype is None or not isinstance(value, Node) or value.attrs.get("dtype") == dtype:
        return value
    return low.flow.add("cast", (value,), {"dtype": dtype}, origin)


def _op_layer(low: Lowering, layer: Layer, operand: Node, origin: Origin) -> Node:
    """A layer that is one op."""
    spelling = OP_LAYERS[layer.path]
    if layer.path == "ReLU" and constant_of(layer.arguments.get("negative_slope")):
        spelling = OP_LAYERS["LeakyReLU"]
    axis = static(layer.arguments["axis"]) if "axis" in layer.arguments else None
    attrs = {"axis": axis} if axis is not None and layer.path == "Softmax" else {}
    return low.flow.add(SPELLINGS[spelling][0].name, (operand,), attrs, replace(origin, spelling=spelling))


def _merged(low: Lowering, layer: Layer, value: Value, node: grammar.Syntax, scope: Scope) -> Value:
    """Several tensors made one."""
    origin = _where(low, layer, node, scope)
    if not isinstance(value, Items) or not value.values:
        return low.unknown(node, scope, nodes_in(value))
    parts = [low.tensor(v, node, scope) for v in value.values]
    op = MERGING[layer.path]
    if op == "stack":
        stacked = low.flow.add("stack", parts, {"axis": 0}, origin)
        return low.flow.add("reduce_mean", (stacked,), {"axis": 0}, origin)
    if op == "concat":
        axis = static(layer.arguments["axis"]) if "axis" in layer.arguments else -1
        return low.flow.add("concat", parts, {"axis": axis}, origin)
    result = parts[0]
    for part in parts[1:]:
        result = low.flow.add(op, (result, part), {}, origin)
    return result


def activation(
    low: Lowering, chosen: Value | None, value: Node, node: grammar.Syntax, scope: Scope, origin: Origin | None = None
) -> Value:
    """An activation given as a string, a function or an object, applied to a tensor."""
    name = constant_of(chosen)
    if chosen is None or (isinstance(chosen, Node) and chosen.op == "const" and name is None) or name == "linear":
        return value
    names = [prefix + name for prefix in ACTIVATION_PATHS] if isinstance(name, str) else []
    if isinstance(chosen, Path):
        names = [canonical_path(chosen.dotted)]
    for spelled in names:
        if spelled in SPELLINGS and len(SPELLINGS[spelled][0].operands) == 1:
            op, spelling = SPELLINGS[spelled]
            at = replace(origin or low.origin(node, scope), spelling=spelled)
            return low.flow.add(op.name, (value,), dict(spelling.defaults), at)
    if isinstance(name, str):
        return low.unknown(node, scope, (value,))
    return low.call(chosen, [value], node, scope)
