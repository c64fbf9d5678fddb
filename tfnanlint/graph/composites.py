"""One node for each library call: operands and static parameters of a function that was traced into several operations.

Most calls are read in the same way. The operands are the inputs from outside, in the order of first use. The axis is
that of the first reduction inside. The ranks tell whether axes were kept. For functions that hide this elsewhere there
is a small reader for each op.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfnanlint.flow import DYNAMIC
from tfnanlint.graph.model import Operation, Tensor
from tfnanlint.graph.statics import DIFFERENTIABLE, REDUCTIONS, operand_inputs, reduced_axis, static_of
from tfnanlint.ops import GRAPH_TYPES, Op

TRIVIAL = frozenset("Const Placeholder ReadVariableOp VarHandleOp NoOp Identity IdentityN".split())
"""Operations that compute nothing."""
MOVES = frozenset("Reshape Transpose Squeeze ExpandDims Identity Cast BroadcastTo".split())
"""Operations around a call's real one that bring its operand into shape, and its result back."""
SHAPES = frozenset(
    "Shape Rank Size Range Pack ConcatV2 Concat Const StridedSlice GatherV2 Slice BroadcastArgs Prod Assert NoOp "
    "Placeholder ReadVariableOp".split()
)
"""Operations on shapes, on which no value of the result depends."""
INTEGERS = frozenset(("int32", "int64", "uint8", "bool"))


ORDERS: dict[str, tuple[str, ...]] = {
    "binary_crossentropy": ("y_pred", "y_true"),
    "ctc_loss": ("logits", "labels"),
    "categorical_crossentropy": ("y_pred", "y_true"),
    "poisson": ("y_pred", "y_true"),
    "sparse_categorical_crossentropy": ("y_true", "y_pred"),
    "sigmoid_cross_entropy_with_logits": ("logits", "labels"),
    "softmax_cross_entropy_with_logits": ("logits", "labels"),
    "weighted_cross_entropy_with_logits": ("pos_weight", "labels", "logits"),
    "sparse_softmax_cross_entropy_with_logits": ("logits", "labels"),
}
"""The order in which the graph first uses an op's operands, where it is not that of its row."""


def in_order(op: Op, found: list[Tensor]) -> list[Tensor]:
    """Operands in the order of graph, brought to that of the row."""
    order = ORDERS.get(op.name)
    if order is None or len(found) < len(order):
        return found[: len(op.operands)] if not op.operands[-1].startswith("*") else found
    return [found[order.index(name)] for name in op.operands]


def external_inputs(operations: list[Operation]) -> list[Tensor]:
    """The tensors that come into a group, in the order of first use; axes and other static parameters left out.

    A number that is only brought to another precision first is used where the result of that is.
    """
    inside = set(operations)
    casts = {
        o
        for o in operations
        if o.type == "Cast"
        and o.inputs[0].op not in inside
        and {o.inputs[0].dtype, o.outputs[0].dtype} <= DIFFERENTIABLE
    }
    found: dict[Tensor, None] = {}
    ordered = [o for o in operations if o not in casts]
    for operation in (*ordered, *sorted(casts, key=operations.index)):
        for tensor in operand_inputs(operation):
            given = tensor.op.inputs[0] if tensor.op in casts else tensor
            if given.op not in inside:
                found[given] = None
    return list(found)


def results(operations: list[Operation], outputs: set[Operation], unheeded: set[Operation]) -> list[Operation]:
    """The operations whose results are used outside their group, not only by the unheeded; else the last one."""
    inside = set(operations)
    found = [
        operation
        for operation in operations
        if operation in outputs
        or any(user not in inside and user not in unheeded for tensor in operation.outputs for user in tensor.consumers)
    ]
    return found or [operation for operation in operations if operation.outputs][-1:]


def anchor(operations: list[Operation], op: Op) -> Operation | None:
    """The one operation of a group that is the op itself, where the rest only shapes its operand and result."""
    found = [operation for operation in operations if GRAPH_TYPES.get(operation.type) is op]
    if len(found) != 1:
        return None
    of_shapes: set[Operation] = set()
    for operation in operations:
        given = [tensor.op for tensor in operation.inputs]
        if operation.type in SHAPES or (given and of_shapes.issuperset(given)):
            of_shapes.add(operation)
        elif operation is not found[0] and operation.type not in MOVES and operation.type not in TRIVIAL:
            return None
    return found[0]


def after(operation: Operation, operations: list[Operation]) -> list[Operation]:
    """The operations of a group that follow from one of them, shapes left out."""
    following = {operation}
    found = []
    for other in operations:
        if any(tensor.op in following for tensor in other.inputs):
            following.add(other)
            if other.type not in SHAPES and other.type not in TRIVIAL:
                found.append(other)
    return found


def hands_out(end: Operation, operations: list[Operation]) -> bool:
    """Whether an identity at the end of a call hands out what the call computed, as one with its own gradient does."""
    inside = {operation for operation in operations if operation.type not in TRIVIAL}
    before = end
    while before.type in ("Identity", "IdentityN") and before.inputs:
        before = before.inputs[0].op
    return before is not end and before in inside


def attributes_of(op: Op, operations: list[Operation], result: Operation) -> dict[str, Any]:
    """The static parameters of a folded call."""
    found: dict[str, Any] = {}
    reductions = [operation for operation in operations if operation.type in REDUCTIONS and operation.type != "Prod"]
    if "axis" in op.attrs and reductions:
        found["axis"] = reduced_axis(reductions[0])
    if "keepdims" in op.attrs and reductions and reductions[0].inputs[0].rank != 0:
        found["keepdims"] = _keeps(reductions, operations, result)
    reader = READERS.get(op.name)
    if reader is not None:
        found.update(reader(operations))
    return {name: value for name, value in found.items() if value is not None and value is not False}


def _keeps(reductions: list[Operation], operations: list[Operation], result: Operation) -> bool:
    """Whether the result has the rank of what was reduced."""
    before, behind = reductions[0].inputs[0].rank, result.outputs[0].rank
    if before is not None and behind is not None:
        return bool(before == behind)
    shaped = any(operation.type in ("Squeeze", "Reshape") for operation in after(reductions[-1], operations))
    return bool(getattr(reductions[-1].attr("keep_dims"), "b", False)) and not shaped


# Readers: what is special about one op's call.


def constant_input(operations: list[Operation], kind: str, place: int) -> Any:
    """The constant at an input of the first operation of a type; None if there is no such operation."""
    for operation in operations:
        if operation.type == kind and place < len(operation.inputs):
            return static_of(operation.inputs[place])
    return None


def _norm(operations: list[Operation]) -> dict[str, Any]:
    """The order of a norm, by what it is made of."""
    types = {operation.type for operation in operations}
    if types & {"Svd", "SelfAdjointEigV2"}:
        return {"ord": DYNAMIC}
    if "Abs" in types and not types & {"Square", "Sqrt"} and not ("Mul" in types and "Sum" in types):
        if "Pow" in types:
            return {"ord": constant_input(operations, "Pow", 1)}
        if "Sum" in types:
            return {"ord": 1}
        return {"ord": float("inf") if "Max" in types else float("-inf")}
    return {}


def _normalize(operations: list[Operation]) -> dict[str, Any]:
    epsilon = constant_input(operations, "Maximum", 1)
    return {} if epsilon in (1e-12, 0.0) else {"epsilon": epsilon}  # which it is in float16


def _softmax(operations: list[Operation]) -> dict[str, Any]:
    """The axis of a softmax, which is swapped with the last one: the last part of the permutation."""
    for operation in operations:
        if operation.type != "Transpose":
            continue
        order = operation.inputs[1]
        value = static_of(order)
        if isinstance(value, tuple):
            return {"axis": value[-1]}
        if order.op.type == "ConcatV2":
            last = static_of(order.op.inputs[len(order.op.inputs) - 2])
            return {"axis": last[-1] if isinstance(last, tuple) and last else DYNAMIC}
        return {"axis": DYNAMIC}
    return {}


def _probabilities(operations: list[Operation]) -> dict[str, Any]:
    """Whether a Keras cross-entropy was given logits: then it takes no logarithm of them."""
    return {"from_logits": not any(operation.type == "Log" for operation in operations)}


def _dropout(operations: list[Operation]) -> dict[str, Any]:
    rate = constant_input(operations, "GreaterEqual", 1)
    return {"rate": DYNAMIC if rate is None else rate}


def _uniform(operations: list[Operation]) -> dict[str, Any]:
    """[minval, maxval): a draw from [0, 1) times their difference, plus minval."""
    low, high = constant_input(operations, "AddV2", 1), constant_input(operations, "Sub", 0)
    if any(operation.type == "RandomUniformInt" for operation in operations):
        low, high = constant_input(operations, "RandomUniformInt", 1), constant_input(operations, "RandomUniformInt", 2)
    return {"minval": None if low == 0 else low, "maxval": None if high == 1 else high}


def _normal(operations: list[Operation]) -> dict[str, Any]:
    mean, deviation = constant_input(operations, "AddV2", 1), constant_input(operations, "Mul", 1)
    return {"mean": None if mean == 0 else mean, "stddev": None if deviation == 1 else deviation}


def _resize(operations: list[Operation]) -> dict[str, Any]:
    """Whether an image was resized by anything but a mean of neighbours."""
    other = any(operation.type in ("ResizeBicubic", "ScaleAndTranslate") for operation in operations)
    return {"method": DYNAMIC if other else None}


def _least_squares(operations: list[Operation]) -> dict[str, Any]:
    """Whether something is added to the diagonal."""
    regular = any(operation.type.startswith("MatrixDiag") for operation in operations)
    return {"l2_regularizer": DYNAMIC if regular else None}


def _frames(operations: list[Operation]) -> dict[str, Any]:
    """The sizes of a short-time Fourier transform, which TensorFlow names as its parameters."""
    named = {o.name.rpartition("/")[2]: static_of(o.outputs[0]) for o in operations if o.type == "Const"}
    return {name: named.get(name) for name in ("frame_length", "frame_step", "fft_length")}


READERS: dict[str, Callable[[list[Operation]], dict[str, Any]]] = {
    "norm": _norm,
    "l2_normalize": _normalize,
    "softmax": _softmax,
    "log_softmax": _softmax,
    "softmax_cross_entropy_with_logits": _softmax,
    "binary_crossentropy": _probabilities,
    "categorical_crossentropy": _probabilities,
    "sparse_categorical_crossentropy": _probabilities,
    "dropout": _dropout,
    "lstsq": _least_squares,
    "resize": _resize,
    "stft": _frames,
    "random_uniform": _uniform,
    "random_normal": _normal,
}


def operands_of(op: Op, operations: list[Operation]) -> list[Tensor] | None:
    """The tensors that a folded call was given, in the order of the row's operands; None where they cannot be told."""
    special = _OPERANDS.get(op.name)
    if special is not None:
        return special(operations)
    found = [t for t in external_inputs(operations) if t.dtype != "resource"]
    if op.operands[-1].startswith("*"):
        return found or None
    if len(op.operands) == 1:
        values = [t for t in found if t.dtype not in INTEGERS] or found
        return values[:1] or _only_constant(operations)
    if len(found) < len(op.operands):
        return None
    return in_order(op, found)


def _only_constant(operations: list[Operation]) -> list[Tensor] | None:
    """The operand of a call on a literal."""
    found = [o.outputs[0] for o in operations if o.type == "Const" and o.outputs[0].dtype in DIFFERENTIABLE]
    return found if len(found) == 1 else None


def _clip(operations: list[Operation]) -> list[Tensor] | None:
    """clip(x, lower, upper) is maximum(minimum(x, upper), lower)."""
    by_type = {operation.type: operation for operation in operations}
    if "ClipByValue" in by_type:
        return list(by_type["ClipByValue"].inputs)
    low, high = by_type.get("Maximum"), by_type.get("Minimum")
    if low is None or high is None:
        return None
    inner, outer = (high, low) if low.inputs[0].op is high else (low, high)
    if outer.inputs[0].op is not inner:
        return None
    return [inner.inputs[0], low.inputs[1], high.inputs[1]]


def _drawn(operations: list[Operation]) -> list[Tensor] | None:
    """A random tensor's shape."""
    for operation in operations:
        if operation.type.startswith(("Random", "StatelessRandom", "TruncatedNormal", "StatelessTruncated")):
            return [operation.inputs[0]]
    return None


_OPERANDS: dict[str, Callable[[list[Operation]], list[Tensor] | None]] = {
    "clip": _clip,
    "random_uniform": _drawn,
    "random_normal": _drawn,
}
