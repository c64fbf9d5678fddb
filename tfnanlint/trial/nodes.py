"""Nodes of a flow that are not ops of the table: how a run computes and differentiates them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from tfnanlint.facts.kinds import LINEAR_LAYERS
from tfnanlint.flow import Node, reached
from tfnanlint.ops import OPS
from tfnanlint.ops.numeric import np
from tfnanlint.trial.arrays import WIDEST, spread
from tfnanlint.trial.control import chosen, is_absent, looped, pull_choice
from tfnanlint.trial.shapes import CHANNELS, LARGEST, width_of
from tfnanlint.trial.subscripts import pull_subscript, subscripted

if TYPE_CHECKING:
    from tfnanlint.trial.run import Run

AS_WIDE = ("BatchNorm", "LayerNorm", "GroupNorm", "RMSNorm", "PReLU", "Depthwise", "MultiHeadAttention", "Attention")
"""How the names of layers begin whose output has as many channels as their input."""
RECURRENT = frozenset("LSTM GRU SimpleRNN CuDNNLSTM CuDNNGRU".split())
"""Layers that give the last step of a sequence unless they are asked for all."""
SIZES = frozenset({"shape", "size"})
"""Ops that give the sizes of a value."""
LONGEST_SIGNAL = 512
"""The most places of a signal that a convolution enlarges."""
SIZED = SIZES | {"getitem", "cast", "multiply", "reduce_prod"}
"""Ops of numbers that are computed from sizes."""


def _layer(run: Run, node: Node, operands: list[Any]) -> Any:
    x = next((v for v in operands if isinstance(v, np.ndarray)), None)
    if x is None:
        return run.leaf(node, None)
    kind, units = str(node.attrs.get("kind", "")), width_of(node)
    width = units if units is not None and units > 0 else CHANNELS
    rows = np.size(x) // max(x.shape[-1:], default=1)
    if width > WIDEST and not (width * rows <= LARGEST and _is_made_an_image(node)):
        width = WIDEST
    if kind.startswith(AS_WIDE):
        width = x.shape[-1] if x.ndim else 1
    shape = (*x.shape[:-1], width) if x.ndim else (1, width)
    if kind == "Embedding":
        shape = (*x.shape, width)
    elif kind in RECURRENT and x.ndim > 2 and not node.attrs.get("return_sequences"):
        shape = (*x.shape[:-2], width)
    elif "Conv" in kind and x.ndim > 2:
        shape = (x.shape[0], *_strided(x.shape[1:-1], node.attrs.get("strides"), "Transpose" in kind), width)
    found = run.leaf(node, np.resize(x.astype("float32"), shape) if np.size(x) else np.zeros(shape, "float32"))
    return _without_bias(node, x, found)


def _without_bias(layer: Node, x: Any, result: Any) -> Any:
    """What a layer gives, which is 0 where a linear one without a bias is given nothing but zeros."""
    if layer.attrs.get("use_bias") is not False or layer.attrs.get("kind") not in LINEAR_LAYERS or x.ndim < 2:
        return result
    rows = x.ndim - 1 if layer.attrs.get("kind") == "Dense" else 1
    if np.shape(result)[:rows] != x.shape[:rows]:
        return result
    nothing = ~np.any(x, axis=tuple(range(rows, x.ndim)))
    return np.where(nothing.reshape(nothing.shape + (1,) * (result.ndim - rows)), 0, result).astype(result.dtype)


def _is_made_an_image(layer: Node) -> bool:
    """Whether a program arranges the units of a layer, or what an activation makes of them, as an image."""
    through = reached([layer], lambda at: [one for one in at.users if one.op in OPS and OPS[one.op].elementwise])
    return any(user.op == "reshape" for at in through for user in at.users)


def _strided(sizes: Sequence[int], strides: Any, enlarges: bool) -> list[int]:
    """The sizes of an image after a convolution that moves on by more than one place, or the other way round."""
    steps = strides if isinstance(strides, tuple) else (strides,) * len(sizes)
    if len(steps) != len(sizes) or not all(type(step) is int and step > 0 for step in steps):
        return list(sizes)
    most = WIDEST if len(sizes) > 1 else LONGEST_SIGNAL
    return [min(size * step, most) if enlarges else -(-size // step) for size, step in zip(sizes, steps, strict=True)]


def _asserted(run: Run, node: Node, operands: list[Any]) -> Any:
    x = operands[0]
    if not isinstance(x, np.ndarray):
        return x
    return np.clip(x, node.attrs.get("lo"), node.attrs.get("hi")).astype(x.dtype)


def _own_gradient(run: Run, node: Node, operands: list[Any]) -> Any:
    """What a function with a gradient of its own gives: the one result, or something of several."""
    return operands[0] if len(operands) == 1 else run.opaque(node, operands)


def at_least_one_part(run: Run, node: Node, operands: list[Any], parts: Any) -> Any:
    """A number of whole parts, such as batches, that is not 0 only because the sizes of a trial are small."""
    sized = reached([node.operands[0]], lambda at: at.operands if at.op in SIZED else ())
    if node in run.facts.flow.traced or not any(at.op in SIZES for at in sized):
        return parts
    some = all(np.all(np.asarray(operand) > 0) for operand in operands)
    return np.maximum(parts, np.ones_like(parts)) if some else parts


SPECIAL: dict[str, Callable[[Run, Node, list[Any]], Any]] = {
    "absent": is_absent,
    "asserted": _asserted,
    "custom_gradient": _own_gradient,
    "getitem": subscripted,
    "gradient": lambda run, node, operands: run.leaf(
        node, next((v for v in reversed(operands) if isinstance(v, np.ndarray)), None) if len(operands) > 1 else None
    ),
    "layer": _layer,
    "loop": looped,
    "phi": chosen,
}
"""How to compute the nodes that are not ops of the table, by their kind."""
PULLED: dict[str, Callable[[Run, Node, Any, list[Any]], Sequence[Any]]] = {
    "asserted": lambda run, node, incoming, operands: [incoming],
    "getitem": pull_subscript,
    "layer": lambda run, node, incoming, operands: [spread(incoming, v) for v in operands],
    "identity": lambda run, node, incoming, operands: [incoming],
    "loop": pull_choice,
    "phi": pull_choice,
}
"""How to compute the gradients of their operands, by their kind."""
