"""Operations that are more than their row says: constants, variables, subscripts, control flow.

A handler lowers one operation and returns True, or returns False to leave it to the op table.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tfnanlint.graph.contents import contents_at
from tfnanlint.graph.control import CONTROL
from tfnanlint.graph.model import Operation
from tfnanlint.graph.origin import GraphOrigin
from tfnanlint.graph.statics import DIFFERENTIABLE, static_attributes, static_of

if TYPE_CHECKING:
    from tfnanlint.graph.body import Body
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
    """A placeholder of a graph that is no function."""
    dtype = operation.outputs[0].dtype
    op = "input" if dtype in DIFFERENTIABLE else "placeholder"
    node = body.add(op, (), {"name": operation.name}, GraphOrigin(operation, operation.name, group.stack))
    body.found.inputs.setdefault(operation.name, node)
    body.give(operation.outputs[0], node)
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
    body.give(operation.outputs[0], variable)
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


def _set_diagonal(body: Body, operation: Operation, group: Group) -> bool:
    """`set_diag`: every row holds an element of the diagonal, besides its own."""
    operands = [body.node(tensor) for tensor in operation.inputs[:2]]
    node = body.add("concat", operands, {"axis": -1}, body.origin(operation, group, "concat"))
    body.give(operation.outputs[0], node)
    return True


HANDLERS: dict[str, Callable[[Body, Operation, Group], bool]] = {
    **CONTROL,
    "Const": _const,
    "Placeholder": _placeholder,
    "PlaceholderWithDefault": _placeholder,
    "VarHandleOp": _variable,
    "VariableV2": _variable,
    "Variable": _variable,
    "ReadVariableOp": _read,
    "Fill": _fill,
    "ResourceGather": _resource_gather,
    "IdentityN": _custom_gradient,
    "StridedSlice": _subscript,
    **dict.fromkeys(("MatrixSetDiag", "MatrixSetDiagV2", "MatrixSetDiagV3"), _set_diagonal),
}
