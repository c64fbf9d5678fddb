"""Lowering of a traced function or graph to the flow: its arguments, captures, body and results."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from tfnanlint.flow import DYNAMIC, Node
from tfnanlint.graph.body import Body
from tfnanlint.graph.contents import contents_of_array
from tfnanlint.graph.control import MUST_COMPILE
from tfnanlint.graph.counters import FROM_ZERO
from tfnanlint.graph.lowered import Lowered
from tfnanlint.graph.model import Graph, GraphError, Tensor, of_definition, of_native
from tfnanlint.graph.operations import HANDLERS
from tfnanlint.graph.origin import GraphOrigin, last_size
from tfnanlint.graph.spellings import table
from tfnanlint.graph.stack import NO_STACKS, RecordedStacks
from tfnanlint.graph.statics import DIFFERENTIABLE

RETURNED = re.compile(r"Identity(_\d+)?")
"""How TensorFlow names the operations that return the results of a function that it traces."""


def lower(
    target: Any,
    *,
    function: str | None = None,
    outputs: Sequence[str] | None = None,
    debug_info: Any = None,
    compiled: bool = False,
    variables: Mapping[str, str] = MappingProxyType({}),
) -> Lowered:
    """The flow of a ConcreteFunction, a FuncGraph, a Graph or a GraphDef, none of which is run or imported.

    `function` names the function of a GraphDef's library to lower instead of its own nodes, `outputs` the tensors that
    are its results (`name:0`; by default what nothing else uses), and `debug_info` is the GraphDebugInfo saved beside
    it. What is `compiled` is run by XLA, whatever it asks for. `variables` are the names of the variables that the
    function takes as arguments, by the names of these. Raises `GraphError` where the definition makes no graph.
    """
    graph = read(target, debug_info)
    if function is not None:
        inner = graph.function(function)
        if inner is None:
            raise GraphError(f"the graph has no function named {function!r}")
        graph = inner
    results = [graph.tensor(name) for name in outputs] if outputs is not None else _results(graph)
    found = Lowered()
    found.flow.compiling = compiled or MUST_COMPILE in getattr(target, "_attrs", ())
    body = Body(found, graph, table(), {tensor.op for tensor in results}, HANDLERS)
    _give_inputs(found, body, variables)
    body.run()
    for counter in found.counters.found():
        found.assume(counter, range=FROM_ZERO)
    for tensor in results:
        node = body.node(tensor)
        if node not in found.flow.kept:
            found.outputs.append(node)
            found.flow.kept.add(node)
    return found


def read(target: Any, debug_info: Any = None) -> Graph:
    """The graph of whatever was given, as data."""
    from tensorflow.core.framework import graph_pb2

    stacks = RecordedStacks(debug_info) if debug_info is not None else NO_STACKS
    if isinstance(target, graph_pb2.GraphDef):
        return of_definition(target, stacks)
    return of_native(target if hasattr(target, "get_operations") else target.graph)


def _results(graph: Graph) -> list[Tensor]:
    """The results of a function; of a graph that is no function, the tensors that no operation uses."""
    if graph.outputs or graph.inputs or hasattr(graph.native, "outputs"):
        return graph.outputs
    used = {tensor.op for operation in graph.operations for tensor in operation.inputs}
    ends = [tensor for operation in graph.operations if operation not in used for tensor in operation.outputs]
    found = [tensor for tensor in ends if tensor.dtype in DIFFERENTIABLE]
    returned = [tensor for tensor in found if RETURNED.fullmatch(tensor.op.name)]
    return returned or found  # what a function keeps for its gradient is not a result


def _give_inputs(found: Lowered, body: Body, names: Mapping[str, str]) -> None:
    """Nodes for what comes into a function: its arguments, and what it captures from outside."""
    native = body.graph.native
    held = getattr(native, "captures", ())
    captured = {inner.name.partition(":")[0]: outer for outer, inner in held}
    living = (reference() for reference in getattr(native, "_weak_variables", ()))
    variables = {id(variable.handle): variable for variable in living if hasattr(variable, "handle")}
    for tensor in body.graph.inputs:
        outer = captured.get(tensor.op.name)
        if outer is None:
            body.give(tensor, _argument(found, tensor, names.get(tensor.op.name, tensor.op.name)))
        else:
            body.give(tensor, _captured(found, tensor, outer, variables.get(id(outer))))


def _argument(found: Lowered, tensor: Tensor, name: str) -> Node:
    """The node of a function's argument; `name` is that of the variable, if it is one."""
    dtype = tensor.dtype
    origin = GraphOrigin(None, tensor.op.name)
    if dtype == "resource":
        return found.variable(name, origin)
    node = found.flow.add("input" if dtype in DIFFERENTIABLE else "placeholder", (), {"name": name}, origin)
    found.inputs[name] = node
    if last_size(tensor) == 1:
        found.assume(node, kinds=("single",))
    return node


def _number_in(variable: Any) -> Any:
    """The number that all elements of a variable are now; `DYNAMIC` if they differ, or it has no value or several."""
    import tensorflow as tf

    try:
        with tf.init_scope():
            value = variable.numpy().reshape(-1)
        first = value[0]
        if first != value[-1] or not (value == first).all():
            return DYNAMIC
        return first.item()
    except Exception:
        return DYNAMIC


def _captured(found: Lowered, tensor: Tensor, captured: Any, variable: Any) -> Node:
    """The node of what a function captures from outside: a variable, or a tensor that has a value."""
    origin = GraphOrigin(None, tensor.op.name)
    if tensor.dtype == "resource":
        if variable is None:
            return found.variable(tensor.op.name, origin, key=id(captured))
        node = found.variable(
            variable.name, origin, trainable=variable.trainable, key=id(captured), holds=_number_in(variable)
        )
        found.counters.note(node, variable)
        return node
    if hasattr(captured, "numpy") and tensor.dtype not in ("string", "variant"):
        return found.constant(contents_of_array(captured.numpy()), origin, tensor.dtype)
    return found.flow.add("placeholder", (), {"name": tensor.op.name}, origin)
