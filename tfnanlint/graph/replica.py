"""A traced function rebuilt operation by operation, to be run on other inputs and variables and looked at inside.

The rebuilt function reads its variables from its arguments, writes none, and lets pass what `check_numerics` would
stop. Calls of other functions are entered; branches and loops are taken over whole.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

Key = tuple[str, str]
"""An operation: the function it is in ("" for the outermost), and its name there."""

_CALLS = frozenset({"PartitionedCall", "StatefulPartitionedCall"})
_CHECKS = frozenset({"CheckNumerics", "CheckNumericsV2"})
_WRITES = ("Assign", "ResourceApply", "ResourceSparseApply", "ResourceScatter", "Print", "WriteSummary", "Write")
_NOT_COPIED = frozenset({"_class", "_output_shapes"})


class NotCopied(Exception):
    """A function that cannot be rebuilt, and why."""


@dataclass(frozen=True)
class Argument:
    """An input or a variable of a traced function: its name, its element type, its shape as far as it is known."""

    name: str
    dtype: Any
    shape: tuple[int | None, ...] | None
    variable: Any = None


@dataclass(frozen=True)
class Made:
    """One rebuilt operation."""

    type: str
    outputs: Sequence[Any]
    inputs: Sequence[Any]


@dataclass
class Copy:
    """The rebuilt operations, by their keys; a function that is called twice has each of its operations twice."""

    operations: dict[Key, list[Made]] = field(default_factory=dict)
    outputs: list[Any] = field(default_factory=list)

    def of(self, key: Key) -> list[Made]:
        return self.operations.get(key, [])


@dataclass(frozen=True)
class _Variable:
    """A variable where a resource is expected: what is read from it, and the real one."""

    value: Any
    handle: Any


def arguments_of(concrete: Any) -> list[Argument]:
    """What a concrete function is computed from: its inputs, then its variables."""
    graph = concrete.graph
    captured = {id(inner) for _, inner in graph.captures}
    found = [
        Argument(tensor.op.name, tensor.dtype, _shape(tensor)) for tensor in graph.inputs if id(tensor) not in captured
    ]
    found += [Argument(v.name, v.dtype, tuple(v.shape), v) for v in _variables(concrete).values()]
    return found


def _variables(concrete: Any) -> Mapping[int, Any]:
    """The variables that a concrete function captures, by their handles, in the order in which it met them."""
    known = {id(v.handle): v for v in concrete.graph.variables if hasattr(v, "handle")}
    return {id(outer): known[id(outer)] for outer, _ in concrete.graph.captures if id(outer) in known}


def _shape(tensor: Any) -> tuple[int | None, ...] | None:
    return None if tensor.shape.rank is None else tuple(tensor.shape.as_list())


def rebuild(concrete: Any, values: Sequence[Any]) -> Copy:
    """Rebuild a concrete function in the graph that is being built, on values for its `arguments_of`."""
    graph = concrete.graph
    captured = {id(inner): outer for outer, inner in graph.captures}
    variables = _variables(concrete)
    count = sum(id(tensor) not in captured for tensor in graph.inputs)
    given = iter(values[:count])
    read = dict(zip(variables, values[count:], strict=True))
    arguments: list[Any] = []
    for tensor in graph.inputs:
        outer = captured.get(id(tensor))
        if outer is None:
            arguments.append(next(given))
        else:
            arguments.append(_Variable(read[id(outer)], outer) if id(outer) in read else outer)
    copy = Copy()
    copy.outputs = _body(graph, "", arguments, copy)
    return copy


def _body(graph: Any, function: str, arguments: Sequence[Any], copy: Copy) -> list[Any]:
    """Rebuild one function body; its results."""
    new: dict[str, Any] = {tensor.name: given for tensor, given in zip(graph.inputs, arguments, strict=True)}
    for operation in graph.get_operations():
        if operation.outputs and operation.outputs[0].name in new:
            continue
        if operation.type.startswith(_WRITES):
            for tensor in operation.outputs:
                new[tensor.name] = new.get(operation.inputs[0].name) if operation.inputs else None
            continue
        inputs = [new.get(tensor.name) for tensor in operation.inputs]
        if any(tensor is None for tensor in inputs):
            continue  # made from what is not rebuilt
        made = _one(graph, operation, inputs, copy)
        for tensor, result in zip(operation.outputs, made, strict=True):
            new[tensor.name] = result
        if not any(isinstance(result, _Variable) for result in made):
            copy.operations.setdefault((function, operation.name), []).append(Made(operation.type, made, inputs))
    return [new[tensor.name] for tensor in graph.outputs if new.get(tensor.name) is not None]


def _one(graph: Any, operation: Any, inputs: list[Any], copy: Copy) -> list[Any]:
    """Rebuild one operation; its results."""
    import tensorflow as tf

    first = inputs[0] if inputs else None
    if isinstance(first, _Variable):
        if operation.type == "ReadVariableOp":
            return [tf.identity(first.value)]
        if operation.type == "ResourceGather":
            return [tf.gather(first.value, inputs[1], batch_dims=operation.get_attr("batch_dims"))]
        if operation.type == "Identity":
            return [first]
    if operation.type in _CALLS:
        name = operation.get_attr("f").name
        inner = getattr(graph._get_function(name), "graph", None)
        if inner is None:
            raise NotCopied(f"the function {name} is not there to be run")
        return _body(inner, name, inputs, copy)
    if operation.type in _CHECKS:
        return [tf.identity(first)]
    plain = [given.handle if isinstance(given, _Variable) else given for given in inputs]
    here = tf.compat.v1.get_default_graph()
    attributes = {}
    for name, value in operation.node_def.attr.items():
        if name not in _NOT_COPIED:
            attributes[name] = value
            for function in [value.func] if value.HasField("func") else value.list.func:
                here._add_function_recursive(graph._get_function(function.name))
    made = here._create_op_internal(
        operation.type,
        [here.capture(given) if getattr(given, "graph", here) is not here else given for given in plain],
        [tensor.dtype for tensor in operation.outputs],
        name=f"replica/{operation.name}",
        attrs=attributes,
        op_def=operation.op_def,
    )
    return list(made.outputs)
