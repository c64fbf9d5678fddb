"""Keras layers and models as values: built from known parts, then called on tensors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import libcst as cst

from tfnanlint.flow import Node
from tfnanlint.ops import SPELLINGS
from tfnanlint.source import calls, expressions
from tfnanlint.source.values import Function, Instance, Items, Layer, Partial, Path, Scope, Table, Value, nodes_in

if TYPE_CHECKING:
    from tfnanlint.source.calls import Arguments
    from tfnanlint.source.lower import Lowering

TRAINABLE = frozenset(
    "Dense EinsumDense Conv1D Conv2D Conv3D Conv1DTranspose Conv2DTranspose Conv3DTranspose DepthwiseConv1D "
    "DepthwiseConv2D SeparableConv1D SeparableConv2D Convolution1D Convolution2D LSTM GRU SimpleRNN Embedding "
    "BatchNormalization LayerNormalization GroupNormalization UnitNormalization PReLU MultiHeadAttention "
    "LocallyConnected1D LocallyConnected2D Bidirectional TimeDistributed RNN ConvLSTM2D".split()
)
"""Layers with weights of their own."""
OP_LAYERS = {
    "ReLU": "tf.nn.relu",
    "Softmax": "tf.nn.softmax",
    "LeakyReLU": "tf.nn.leaky_relu",
    "ELU": "tf.nn.elu",
}
"""Layers that are one op."""
MOVING = frozenset(
    "Flatten Reshape Permute RepeatVector Dropout SpatialDropout1D SpatialDropout2D InputLayer MaxPooling1D "
    "MaxPooling2D GlobalMaxPooling1D GlobalMaxPooling2D UpSampling2D Cropping2D".split()
)
"""Layers whose output holds input elements (in inference at least)."""
FUNCTIONAL_V1 = {
    "dense": "Dense",
    "conv1d": "Conv1D",
    "conv2d": "Conv2D",
    "conv3d": "Conv3D",
    "conv2d_transpose": "Conv2DTranspose",
    "separable_conv2d": "SeparableConv2D",
    "batch_normalization": "BatchNormalization",
}
POLICIES = {"mixed_float16": "float16", "mixed_bfloat16": "bfloat16"}
"""What layers compute in under a policy."""
ACTIVATION_PATHS = ("keras.activations.", "tf.nn.", "ops.", "K.")
POLICY_SETTERS = frozenset(
    (
        "keras.mixed_precision.set_global_policy",
        "keras.mixed_precision.experimental.set_policy",
        "keras.config.set_dtype_policy",
        "keras.mixed_precision.set_dtype_policy",
        "K.set_floatx",
        "keras.config.set_floatx",
    )
)
MODELS = frozenset(("keras.Sequential", "keras.models.Sequential"))
FUNCTIONAL_MODELS = frozenset(("keras.Model", "keras.models.Model"))


def outside(low: Lowering, name: str, args: Arguments, node: cst.CSTNode, scope: Scope) -> Value | None:
    """A call of something of Keras or TensorFlow that is no op: a layer or model is built, an input made."""
    origin = low.origin(node, scope)
    last = name.rsplit(".", 1)[-1]
    if name in POLICY_SETTERS:
        policy = args.get(0, "policy", "dtype_policy", "dtype", "value")
        held = calls.static(policy) if policy is not None else None
        low.policy = POLICIES.get(held, held) if isinstance(held, str) else None
        return None
    if name in MODELS:
        parts = args.get(0, "layers")
        return Layer("Sequential", {}, origin, list(parts.values) if isinstance(parts, Items) else [])
    if name in FUNCTIONAL_MODELS:
        inputs, outputs = args.get(0, "inputs"), args.get(1, "outputs")
        return Layer(
            "Functional",
            {"inputs": inputs, "outputs": outputs} if inputs is not None and outputs is not None else {},
            origin,
        )
    if name in ("keras.Input", "keras.layers.Input", "keras.layers.InputLayer"):
        return low.flow.add("placeholder", (), {}, origin)
    if name.startswith("keras.layers.") and (
        last in TRAINABLE or last in OP_LAYERS or last in MOVING or last in ("Activation", "Lambda")
    ):
        given: dict[str, Value] = {k: v for k, (v, _) in args.keywords.items()}
        if args.positional and last in ("Activation", "Lambda"):
            given["function"] = args.positional[0][0]
        elif len(args.positional) > 1 and last == "Dense":
            given.setdefault("activation", args.positional[1][0])
        return Layer(last, given, origin)
    if name.startswith("tf.layers.") and last in FUNCTIONAL_V1 and args.positional:
        layer = Layer(FUNCTIONAL_V1[last], {k: v for k, (v, _) in args.keywords.items()}, origin)
        return call_one(low, layer, args.positional[0][0], node, scope)
    return None


def call_layer(low: Lowering, layer: Layer, args: Arguments, node: cst.CSTNode, scope: Scope) -> Value | None:
    """A layer or model called on its first argument."""
    value = args.get(0, "inputs")
    return call_one(low, layer, value, node, scope) if value is not None else None


def call_one(low: Lowering, layer: Layer, value: Value, node: cst.CSTNode, scope: Scope) -> Value:
    origin = low.origin(node, scope)
    if layer.path == "Sequential":
        for part in layer.parts:
            if isinstance(part, Layer):
                value = call_one(low, part, value, node, scope)
            elif isinstance(part, (Instance, Function, Partial)):
                value = calls.call_value(low, part, [value], node, scope)
            elif not (isinstance(part, Node) and part.op == "placeholder"):
                value = low.unknown(node, scope, nodes_in(value))
        return value
    operands = nodes_in(value)
    if layer.path == "Functional":
        return low.flow.add("layer", operands, {"kind": "Model"}, origin)
    if layer.path in OP_LAYERS and len(operands) == 1:
        return activation(low, Path("tensorflow." + OP_LAYERS[layer.path][3:]), operands[0], node, scope)
    if layer.path == "Activation":
        return activation(low, layer.arguments.get("function"), operands[0], node, scope) if operands else value
    if layer.path == "Lambda":
        function = layer.arguments.get("function")
        return calls.call_value(low, function, [value], node, scope) if function is not None else value
    if layer.path in MOVING:
        return low.flow.add("reshape", operands[:1], {}, origin) if operands else value
    attrs: dict[str, Any] = {"kind": layer.path}
    dtype = calls.static(layer.arguments["dtype"]) if "dtype" in layer.arguments else low.policy
    if isinstance(dtype, str):
        attrs["dtype"] = POLICIES.get(dtype, dtype)
    result = low.flow.add("layer", operands, attrs, origin)
    chosen = layer.arguments.get("activation")
    return activation(low, chosen, result, node, scope) if chosen is not None else result


def activation(low: Lowering, chosen: Value | None, value: Node, node: cst.CSTNode, scope: Scope) -> Value:
    """An activation given as a string, a function or an object, applied to a tensor."""
    name = expressions.constant_of(chosen)
    if chosen is None or (isinstance(chosen, Node) and chosen.op == "const" and name is None) or name == "linear":
        return value
    if isinstance(name, str):
        for prefix in ACTIVATION_PATHS:
            if prefix + name in SPELLINGS:
                op, _ = SPELLINGS[prefix + name]
                return low.flow.add(op.name, (value,), {}, low.origin(node, scope, spelling=prefix + name))
        return low.unknown(node, scope, (value,))
    return calls.call_value(low, chosen, [value], node, scope)


def layer_method(
    low: Lowering, layer: Layer, name: str, args: Arguments, node: cst.CSTNode, scope: Scope
) -> Value | None:
    """`add` and `compile` of a model; everything else of a layer is unknown."""
    if name == "add" and layer.path == "Sequential" and args.positional:
        layer.parts.append(args.positional[0][0])
        return None
    if name == "compile":
        compiled(low, layer, args.get(1, "loss"), node, scope)
        return None
    if name == "add_loss" and args.positional:
        low.differentiate(args.positional[0][0], "added to the model's loss by `add_loss`", low.origin(node, scope))
        return None
    if name in ("call", "__call__", "predict", "predict_on_batch"):
        return call_layer(low, layer, args, node, scope)
    if name in ("trainable_variables", "trainable_weights"):
        return low.flow.add("variable", (), {}, low.origin(node, scope))
    return None


def compiled(low: Lowering, model: Layer | Instance, loss: Value | None, node: cst.CSTNode, scope: Scope) -> None:
    """`compile` joins the model's output to its loss, and training differentiates both."""
    origin = low.origin(node, scope)
    outputs = _outputs(low, model, node, scope)
    if outputs is not None:
        low.differentiate(outputs, "differentiated by training the compiled model", origin)
    predictions = nodes_in(outputs) or [low.flow.add("layer", (), {"kind": "Model"}, origin)]
    losses: list[Value | None] = [loss]
    if isinstance(loss, Items):
        losses = list(loss.values)
    elif isinstance(loss, Table):
        losses = list(loss.entries.values())
    for place, one in enumerate(losses):
        if isinstance(one, (Function, Partial, Instance)):
            labels = low.flow.add("placeholder", (), {}, origin)
            predicted = predictions[place] if len(predictions) == len(losses) else predictions[0]
            result = calls.call_value(low, one, [labels, predicted], node, scope)
            low.differentiate(result, "differentiated as the loss given to `compile`", origin)


def _outputs(low: Lowering, model: Layer | Instance, node: cst.CSTNode, scope: Scope) -> Value | None:
    """What a model computes: a functional model's outputs, another's call on an unknown batch."""
    if isinstance(model, Layer) and model.path == "Functional":
        return model.arguments.get("outputs")
    if isinstance(model, Layer) and model.path == "Sequential":
        return call_one(low, model, low.flow.add("placeholder", (), {}, low.origin(node, scope)), node, scope)
    return None
