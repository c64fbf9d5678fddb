"""Control flow and lists of tensors: calls, branches and loops, as functions and as the frames of TensorFlow 1.

A branch joins the values of both sides; a loop variable is a `loop` node, as in source code. A list of tensors is one
value that represents each of its elements.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tfnanlint.flow import Node, behind
from tfnanlint.graph.model import RETURNS_AROUND, Operation, Tensor
from tfnanlint.graph.origin import GraphOrigin
from tfnanlint.graph.statics import static_of

if TYPE_CHECKING:
    from tfnanlint.graph.body import Body, Handler
    from tfnanlint.graph.groups import Group


def _origin(operation: Operation, group: Group) -> GraphOrigin:
    return GraphOrigin(operation, operation.name, group.stack)


MUST_COMPILE = "_XlaMustCompile"
"""The attribute of what `jit_compile=True` was asked for."""


def call(body: Body, operation: Operation, group: Group) -> bool:
    """A call of a function of the graph, entered; in older graphs its name is the operation's type."""
    flow = body.flow
    outside, flow.compiling = flow.compiling, flow.compiling or bool(getattr(operation.attr(MUST_COMPILE), "b", False))
    results = body.enter(
        operation.function("f") or operation.type, [body.node(t) for t in operation.inputs], operation.outputs
    )
    flow.compiling = outside
    if results is None:
        return False
    for tensor, node in zip(operation.outputs, results, strict=False):
        body.give(tensor, node)
    return True


def _branches(body: Body, operation: Operation, group: Group) -> bool:
    """`If` and `Case`: every branch entered, each result what any of them gives."""
    operands = [body.node(t) for t in operation.inputs[1:]]
    if operation.type in ("Case", "StatelessCase"):
        held = operation.attr("branches")
        names = [function.name for function in held.list.func] if held is not None else []
        results = [body.enter(name, operands, operation.outputs) for name in names]
    else:
        condition = body.node(operation.inputs[0])
        name = operation.function("else_branch")
        results = [
            body.enter(operation.function("then_branch"), operands, operation.outputs, (condition, True)),
            body.enter(name, operands, operation.outputs, (condition, False)),
        ]
        if _asserts(body, operation, name):
            body.flow.conditions = (*body.flow.conditions, (condition, True))
    entered = [found for found in results if found is not None]
    if not entered or len(entered) < len(results):
        return False
    for place, tensor in enumerate(operation.outputs):
        given = list(dict.fromkeys(found[place] for found in entered if place < len(found)))
        body.give(tensor, given[0] if len(given) == 1 else _either(body, operation, given, group))
    return True


def _either(body: Body, operation: Operation, given: Sequence[Node], group: Group) -> Node:
    """What one of several branches gives; `and` and `or` are traced as branches of which one gives the condition."""
    condition = body.node(operation.inputs[0])
    origin = _origin(operation, group)
    if operation.type not in ("If", "StatelessIf") or operation.inputs[0].dtype != "bool" or len(given) != 2:
        return body.add("phi", given, {}, origin)
    asked = behind(condition, ("identity",))
    as_condition = [behind(one, ("identity",)) is asked for one in given]
    if any(as_condition):
        op = "logical_or" if as_condition[0] else "logical_and"
        return body.add(op, (condition, given[1] if as_condition[0] else given[0]), {}, origin)
    joined = body.add("phi", given, {}, origin)
    body.flow.decided[joined] = condition
    return joined


def _asserts(body: Body, operation: Operation, otherwise: str) -> bool:
    """Whether a branch ends the program where its condition does not hold, as what TensorFlow asserts is traced."""
    inner = body.graph.function(otherwise)
    if inner is None:
        return False
    asked = {
        given
        for given, tensor in zip(inner.inputs, operation.inputs[1:], strict=False)
        if tensor is operation.inputs[0]
    }
    return any(o.type == "Assert" and o.inputs and _behind(o.inputs[0]) in asked for o in inner.operations)


def _while(body: Body, operation: Operation, group: Group) -> bool:
    """`While`: the condition and the body entered once, with what changes in a `loop` node each."""
    name = operation.function("body")
    inner = body.graph.function(name)
    if inner is None or len(inner.inputs) != len(operation.inputs) or len(inner.outputs) != len(inner.inputs):
        return False
    carried: list[Node] = []
    for tensor, given, back in zip(operation.inputs, inner.inputs, inner.outputs, strict=True):
        node = body.node(tensor)
        if _behind(back) is not given and not _is_new_list(node):
            loop = body.add("loop", (node,), {}, _origin(operation, group))
            if tensor.dtype not in ("resource", "variant", ""):
                body.found.assume(loop, dtype=tensor.dtype)
            node = loop
        carried.append(node)
    asked = body.enter(operation.function("cond"), carried)
    if asked:
        body.flow.decided.update({node: asked[0] for node in carried if node.op == "loop" and len(node.operands) == 1})
    results = body.enter(name, carried)
    if results is None:
        results = [body.add("unknown", carried, {"kind": operation.type}, _origin(operation, group))] * len(carried)
    for result, node, after in zip(operation.outputs, carried, results, strict=False):
        left = node
        if node.op == "loop" and len(node.operands) == 1 and after is not node:
            around = _later(body, node, after, operation, group)
            left = body.add("phi", (node.operands[0], around), {}, _origin(operation, group))
            body.flow.turned[left] = 1
            body.flow.connect(node, around)
        body.give(result, after if _is_new_list(node) else left)
    return True


def _later(body: Body, loop: Node, back: Node, operation: Operation, group: Group) -> Node:
    """What comes back around a loop, as a node behind it: an outer value is handed on by one of its own."""
    if back.index > loop.index:
        return back
    return body.add("identity", (back,), {}, _origin(operation, group))


def _behind(tensor: Tensor) -> Tensor:
    """The tensor that identities hand on."""
    while tensor.op.type == "Identity" and tensor.op.inputs:
        tensor = tensor.op.inputs[0]
    return tensor


# The frames of TensorFlow 1.


def _switch(body: Body, operation: Operation, group: Group) -> bool:
    """Either side of a condition, or the inside and the outside of a loop, gets the value."""
    for tensor in operation.outputs:
        body.give(tensor, body.node(operation.inputs[0]))
    return True


def _merge(body: Body, operation: Operation, group: Group) -> bool:
    """Where two sides of a condition meet, or where a loop begins."""
    around = [t for t in operation.inputs if t.op.type in RETURNS_AROUND]
    given = list(dict.fromkeys(body.node(t) for t in operation.inputs if t not in around))
    if not given or not operation.outputs:
        return False
    origin = _origin(operation, group)
    if around:
        node = body.add("loop", given[:1], {}, origin)
        body.around.update(dict.fromkeys((t.op for t in around), node))
    else:
        node = given[0] if len(given) == 1 else body.add("phi", given, {}, origin)
    body.give(operation.outputs[0], node)
    for tensor in operation.outputs[1:]:
        body.give(tensor, body.add("placeholder", (), {"name": operation.name}, origin))
    return True


def _next(body: Body, operation: Operation, group: Group) -> bool:
    """The end of a loop's turn."""
    node = body.add("identity", (body.node(operation.inputs[0]),), {}, _origin(operation, group))
    body.give(operation.outputs[0], node)
    loop = body.around.get(operation)
    if loop is not None and len(loop.operands) == 1:
        body.flow.connect(loop, node)
    return True


# Variables.

STEPS = {"AssignAddVariableOp": "add", "AssignSubVariableOp": "subtract"}
"""The operations that add to what a variable holds, or subtract from it."""


def _write(body: Body, operation: Operation, group: Group) -> bool:
    """A variable is written: what is read of it behind that is the written value."""
    if len(operation.inputs) == 2:
        variable, value = (body.node(tensor) for tensor in operation.inputs)
        written = value
        if (op := STEPS.get(operation.type)) is not None:
            held = body.written[variable][0] if variable in body.written else variable
            written = body.add(op, (held, value), {}, _origin(operation, group))
        body.write(variable, written, operation)
        more = static_of(operation.inputs[1]) if operation.type == "AssignAddVariableOp" else None
        if operation.type == "AssignVariableOp" and value.op == "add" and variable in value.operands:
            other = next((operand for operand in value.operands if operand is not variable), value)
            more = behind(other, ("cast", "identity")).constant
        body.found.counters.write(variable, more)
    return True


# Lists of tensors.

NEW_LIST = "new_list"
"""The `kind` of a list in which nothing stands yet."""


def _is_new_list(node: Node) -> bool:
    return node.attrs.get("kind") == NEW_LIST


def _new_list(body: Body, operation: Operation, group: Group) -> bool:
    for tensor in operation.outputs:
        body.give(tensor, body.add("placeholder", (), {"kind": NEW_LIST}, _origin(operation, group)))
    return True


def _put(place: int, held: int = 0) -> Handler:
    """A list with one more element, which is input `place`, or with another one in its place."""

    def handler(body: Body, operation: Operation, group: Group) -> bool:
        if len(operation.inputs) <= max(place, held):
            return False
        before, value = body.node(operation.inputs[held]), body.node(operation.inputs[place])
        if not _is_new_list(before):
            value = body.add("phi", (before, value), {}, _origin(operation, group))
        body.give(operation.outputs[0], value)
        return True

    return handler


def _taken(op: str, *places: int) -> Handler:
    """An op of the table that makes of a list what the operation makes of it, of some of the inputs."""

    def handler(body: Body, operation: Operation, group: Group) -> bool:
        if len(operation.inputs) <= max(places):
            return False
        given: Sequence[Any] = [body.node(operation.inputs[place]) for place in places]
        if _is_new_list(given[0]):
            return False
        node = body.add(op, given, {}, _origin(operation, group))
        for tensor in operation.outputs:
            body.give(tensor, node if tensor.dtype != "variant" or len(operation.outputs) == 1 else given[0])
        return True

    return handler


def _pop(body: Body, operation: Operation, group: Group) -> bool:
    """The last element of a list, and what is left of the list."""
    held = body.node(operation.inputs[0])
    if _is_new_list(held) or len(operation.outputs) != 2:
        return False
    body.give(operation.outputs[0], held)
    body.give(operation.outputs[1], body.add("identity", (held,), {}, _origin(operation, group)))
    return True


CONTROL: dict[str, Handler] = {
    "PartitionedCall": call,
    "StatefulPartitionedCall": call,
    "RemoteCall": call,
    "If": _branches,
    "StatelessIf": _branches,
    "Case": _branches,
    "StatelessCase": _branches,
    "While": _while,
    "StatelessWhile": _while,
    **dict.fromkeys(("Switch", "RefSwitch", "Enter", "RefEnter", "Exit", "RefExit", "LoopCond"), _switch),
    **dict.fromkeys(("Merge", "RefMerge"), _merge),
    **dict.fromkeys(RETURNS_AROUND, _next),
    **dict.fromkeys(("AssignAddVariableOp", "AssignVariableOp", "AssignSubVariableOp"), _write),
    **dict.fromkeys(("EmptyTensorList", "TensorListReserve", "TensorArrayV3"), _new_list),
    "TensorListPushBack": _put(1),
    "TensorListSetItem": _put(2),
    "TensorArrayWriteV3": _put(2, 3),
    "TensorListPopBack": _pop,
    "TensorListGetItem": _taken("getitem", 0, 1),
    "TensorListStack": _taken("stack", 0),
    "TensorListConcatV2": _taken("concat", 0),
    "TensorListFromTensor": _taken("identity", 0),
    "TensorListGather": _taken("gather", 0, 1),
    "TensorListResize": _taken("identity", 0),
    "TensorArrayReadV3": _taken("getitem", 2, 1),
    "TensorArrayGatherV3": _taken("gather", 2, 1),
    "TensorArrayScatterV3": _taken("identity", 2),
}
