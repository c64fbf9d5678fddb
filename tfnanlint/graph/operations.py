"""Operations that need more than their row: constants, variables, subscripts, control flow.

A handler lowers one operation and returns True, or returns False to leave it to the op table.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tfnanlint.flow import DYNAMIC
from tfnanlint.graph.body import Body, Handler, Handlers
from tfnanlint.graph.contents import contents_at
from tfnanlint.graph.control import CONTROL, call
from tfnanlint.graph.model import Operation
from tfnanlint.graph.origin import GraphOrigin
from tfnanlint.graph.statics import DIFFERENTIABLE, static_attributes, static_of

if TYPE_CHECKING:
    from tfnanlint.flow import Node
    from tfnanlint.graph.groups import Group


def _const(body: Body, operation: Operation, group: Group) -> bool:
    origin = GraphOrigin(operation, operation.name, group.stack)
    contents = contents_at(operation)
    if contents is None:
        body.give(operation.outputs[0], body.add("unknown", (), {}, origin))
    else:
        body.give(operation.outputs[0], body.found.constant(contents, origin, operation.outputs[0].dtype))
    return True


def _placeholder(body: Body, operation: Operation, group: Group) -> bool:
    """A placeholder of a graph that is not a function."""
    dtype = operation.outputs[0].dtype
    op = "input" if dtype in DIFFERENTIABLE else "placeholder"
    node = body.add(op, (), {"name": operation.name}, GraphOrigin(operation, operation.name, group.stack))
    body.found.inputs.setdefault(operation.name, node)
    body.give(operation.outputs[0], node)
    return True


def _batch(body: Body, operation: Operation, group: Group) -> bool:
    """What a data set gives: data, whatever the iterator is that holds it."""
    for tensor in operation.outputs:
        origin = GraphOrigin(operation, operation.name, group.stack)
        body.give(tensor, body.add("placeholder", (), {"name": operation.name}, origin))
    return True


def _variable(body: Body, operation: Operation, group: Group) -> bool:
    origin = GraphOrigin(operation, operation.name, group.stack)
    held = operation.attr("shared_name")
    name = held.s.decode("utf-8", "replace") if held is not None else ""
    body.give(operation.outputs[0], body.found.variable(name or operation.name, origin))
    return True


def _read(body: Body, operation: Operation, group: Group) -> bool:
    """Reading a variable gives the variable, of a count what it was before it was raised."""
    variable = body.node(operation.inputs[0])
    if variable in body.found.counters.written:
        origin = GraphOrigin(operation, operation.name, group.stack)
        variable = body.add("unknown", (variable,), {"kind": operation.type}, origin)
    body.give(operation.outputs[0], body.read(variable, operation))
    return True


def _fill(body: Body, operation: Operation, group: Group) -> bool:
    """A tensor filled with one value."""
    origin = body.origin(operation, group, "broadcast_to")
    shape, value = operation.inputs
    body.give(operation.outputs[0], body.add("broadcast_to", (body.node(value),), {"shape": static_of(shape)}, origin))
    return True


def _resource_gather(body: Body, operation: Operation, group: Group) -> bool:
    operands = [body.node(t) for t in operation.inputs]
    origin = body.origin(operation, group, "gather")
    body.give(operation.outputs[0], body.add("gather", operands, static_attributes(operation), origin))
    return True


def _custom_gradient(body: Body, operation: Operation, group: Group) -> bool:
    """The results of a function with a gradient of its own, which says nothing of the operations inside."""
    held = operation.attr("_gradient_op_type")
    own = held is not None and held.s.startswith(b"CustomGradient")
    for given, tensor in zip(operation.inputs, operation.outputs, strict=False):
        op = "custom_gradient" if own else "identity"
        body.give(tensor, body.add(op, (body.node(given),), {}, GraphOrigin(operation, operation.name, group.stack)))
    return True


def _subscript(body: Body, operation: Operation, group: Group) -> bool:
    """`x[...]`: the integer indices as operands, as in source; slices as one more, so that two of them differ."""
    x, begin, end, strides = operation.inputs
    first, last, step = (static_of(t) for t in (begin, end, strides))
    masks = {
        name: held.i if (held := operation.attr(name)) is not None else 0
        for name in ("shrink_axis_mask", "begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask")
    }
    origin = body.origin(operation, group, "getitem")
    operands = [body.node(x)]
    known = all(isinstance(part, tuple) for part in (first, last, step))
    if known and (added := _added_axes(masks, step)):
        node = operands[0]
        for axis in added:
            node = body.add("expand_dims", (node,), {"axis": axis}, body.origin(operation, group, "expand_dims"))
        body.give(operation.outputs[0], node)
        return True
    slices: list[Any] = []
    for place in range(len(first) if known else 0):
        if masks["shrink_axis_mask"] >> place & 1:
            operands.append(body.flow.constant(first[place], origin))
        else:
            slices.append((place, first[place], last[place], step[place]))
    marks = tuple(masks.values())
    if not known:
        operands.append(body.flow.add("unknown", [body.node(begin), body.node(end)], {}, origin))
    elif slices or any(marks[1:]):
        operands.append(body.flow.constant((tuple(slices), marks), origin))
    body.give(operation.outputs[0], body.add("getitem", operands, {}, origin))
    return True


def _added_axes(masks: Mapping[str, int], steps: Sequence[int]) -> list[int]:
    """The axes of length 1 that a subscript adds one after the other, as `x[:, None]` does; none if it cuts others."""
    added: list[int] = []
    dots = False
    for place, step in enumerate(steps):
        bit = 1 << place
        if masks["ellipsis_mask"] & bit:
            dots = True
        elif masks["new_axis_mask"] & bit:
            later = sum(not masks["new_axis_mask"] >> at & 1 for at in range(place + 1, len(steps)))
            added.append(-1 - later if dots else place)
        elif step != 1 or not masks["begin_mask"] & masks["end_mask"] & bit:
            return []
    return added


def _batch_normalised(body: Body, operation: Operation, group: Group) -> bool:
    """A fused batch normalisation by what it computes, which it does in float32 whatever its images are."""
    found = operation.attr("epsilon")
    if len(operation.inputs) != 5 or found is None:
        return False
    origin = body.origin(operation, group, "rsqrt")

    def made(op: str, *operands: Node, **attrs: Any) -> Node:
        return body.add(op, operands, attrs, origin)

    x, scale, offset, mean, variance = (body.node(tensor) for tensor in operation.inputs)
    narrow = operation.inputs[0].dtype
    wide = narrow != "float32"
    x = made("cast", x, dtype="float32") if wide else x
    if operation.attr("is_training").b:
        layout = operation.attr("data_format").s.decode()
        axis = tuple(place for place, letter in enumerate(layout) if letter != "C")
        mean, variance = made("reduce_mean", x, axis=axis), made("reduce_variance", x, axis=axis)
    epsilon = body.flow.constant(float(found.f), origin)
    factor = made("multiply", made("rsqrt", made("add", variance, epsilon)), scale)
    result = made("add", made("multiply", made("subtract", x, mean), factor), offset)
    given = (made("cast", result, dtype=narrow) if wide else result, mean, variance)
    for tensor, node in zip(operation.outputs, given, strict=False):
        body.give(tensor, node)
    for tensor in operation.outputs[len(given) :]:  # kept for the gradient
        body.give(tensor, made("unknown", variance))
    return True


MOVED: dict[str, tuple[int, ...]] = {
    **dict.fromkeys("CropAndResize FractionalMaxPool MaxPoolWithArgmax ReverseSequence".split(), (0,)),
    **dict.fromkeys("ImageProjectiveTransformV2 ImageProjectiveTransformV3".split(), (0,)),
    **dict.fromkeys("Unique UniqueV2 UniqueWithCounts UniqueWithCountsV2".split(), (0,)),
    **dict.fromkeys("TensorScatterMax TensorScatterMin".split(), (0, 2)),
    "RaggedTensorToTensor": (1, 2),
    "SparseToDense": (2, 3),
}
"""Operations whose first result moves, interpolates or chooses elements, and the inputs whose elements these are."""


def _where_it_holds(body: Body, operation: Operation, group: Group) -> bool:
    """The places at which a condition holds."""
    condition = body.node(operation.inputs[0])
    body.give(operation.outputs[0], body.add("where", (condition,), {}, body.origin(operation, group, "where")))
    return True


def _moved(body: Body, operation: Operation, group: Group) -> bool:
    """A result that contains elements of some inputs, at unknown places."""
    origin = GraphOrigin(operation, operation.name, group.stack)
    held = [body.node(operation.inputs[place]) for place in MOVED[operation.type]]
    every = [body.node(tensor) for tensor in operation.inputs]
    first, *others = operation.outputs
    body.give(first, body.add("concat", held, {"axis": DYNAMIC}, origin))
    for tensor in others:
        body.give(tensor, body.add("unknown", every, {"kind": operation.type}, origin))
    return True


_BY_TYPE: dict[str, Handler] = {
    **CONTROL,
    "Const": _const,
    "Placeholder": _placeholder,
    "PlaceholderWithDefault": _placeholder,
    **dict.fromkeys(("IteratorGetNext", "IteratorGetNextSync", "OptionalGetValue"), _batch),
    "VarHandleOp": _variable,
    "VariableV2": _variable,
    "Variable": _variable,
    "ReadVariableOp": _read,
    "Fill": _fill,
    "ResourceGather": _resource_gather,
    "IdentityN": _custom_gradient,
    "StridedSlice": _subscript,
    "Where": _where_it_holds,
    **dict.fromkeys(MOVED, _moved),
    **dict.fromkeys(("FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3"), _batch_normalised),
}

HANDLERS = Handlers(_BY_TYPE, CONTROL.keys(), call)
