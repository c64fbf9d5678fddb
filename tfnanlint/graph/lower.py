"""Lowering of a traced function or graph to flow: a library call is one node, all else goes operation by operation.

Calls of other functions are entered. What the op table does not know, and for now `If` and `While`, becomes an unknown
node that stays connected to its inputs. The dtypes of all tensors, and the contents of large constants, are handed to
the facts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tfnanlint.flow import DYNAMIC, Flow, Node
from tfnanlint.graph import composites, gradients
from tfnanlint.graph.groups import Group, groups_of
from tfnanlint.graph.literals import written
from tfnanlint.graph.operations import HANDLERS
from tfnanlint.graph.origin import GraphOrigin, Sites
from tfnanlint.graph.spellings import Table, table
from tfnanlint.graph.stack import NOWHERE
from tfnanlint.graph.statics import (
    DIFFERENTIABLE,
    REDUCTIONS,
    dtype_name,
    operand_inputs,
    python_value,
    range_of,
    static_attributes,
)
from tfnanlint.ops import GRAPH_TYPES, Op
from tfnanlint.ranges import Assumption, Range

CALL_DEPTH = 24
"""How deep function calls are entered; deeper ones are unknown."""
NODE_BUDGET = 400_000
"""Beyond so many nodes, calls are no longer entered."""

BY_ITSELF = "differentiated by the traced function itself"
Key = tuple[str, int]
"""(operation name, output)"""


@dataclass
class Lowered:
    """A lowered graph: its flow, what is known of its nodes from outside the flow, its inputs by name, its outputs."""

    flow: Flow = field(default_factory=Flow)
    assumptions: dict[Node, Assumption] = field(default_factory=dict)
    inputs: dict[str, Node] = field(default_factory=dict)
    outputs: list[Node] = field(default_factory=list)
    sites: Sites = field(default_factory=Sites)
    differentiates: bool = False
    """Whether the graph itself takes gradients."""

    def assume(self, node: Node, *, range: Range | None = None, dtype: str | None = None) -> None:
        """Add to what is taken for granted of a node."""
        held = self.assumptions.get(node, Assumption())
        self.assumptions[node] = Assumption(range or held.range, dtype or held.dtype)

    def constant(self, array: Any, origin: GraphOrigin, dtype: str) -> Node:
        """A constant's node; of a large one, the range of what it holds is assumed."""
        value = written(python_value(array), dtype, origin.stack.site)
        node = self.flow.constant(value, origin)
        self.assume(node, dtype=dtype, range=range_of(array) if value is DYNAMIC else None)
        return node


def lower(target: Any) -> Lowered:
    """The flow of a ConcreteFunction, a FuncGraph, a Graph or a GraphDef."""
    graph, inputs, outputs = _parts(target)
    found = Lowered()
    body = Body(found, graph, table(), {tensor.op.name for tensor in outputs})
    captures = {id(inner): outer for outer, inner in graph.captures} if inputs else {}
    variables = {id(v.handle): v for v in graph.variables if hasattr(v, "handle")} if inputs else {}
    for tensor in inputs:
        captured = captures.get(id(tensor))
        if captured is None:
            body.give(tensor, _argument(found, tensor))
        else:
            body.give(tensor, _captured(found, tensor, captured, variables.get(id(captured))))
    body.run()
    for tensor in outputs:
        node = body.node(tensor)
        if node not in found.outputs:
            found.outputs.append(node)
            found.flow.kept.add(node)
    return found


def _parts(target: Any) -> tuple[Any, Sequence[Any], Sequence[Any]]:
    """(graph, inputs, outputs) of whatever was given."""
    import tensorflow as tf
    from tensorflow.python.framework import func_graph

    if isinstance(target, tf.compat.v1.GraphDef):
        graph = tf.Graph()
        with graph.as_default():
            tf.import_graph_def(target, name="")
        target = graph
    elif not isinstance(target, tf.Graph):
        target = target.graph
    if isinstance(target, func_graph.FuncGraph):
        return target, target.inputs, [t for t in target.outputs if t is not None]
    used = {tensor.op.name for operation in target.get_operations() for tensor in operation.inputs}
    ends = [t for o in target.get_operations() if o.name not in used for t in o.outputs]
    return target, (), [t for t in ends if t.dtype.base_dtype.name in DIFFERENTIABLE]


def _argument(found: Lowered, tensor: Any) -> Node:
    """The node of a function's argument."""
    dtype = dtype_name(tensor.dtype)
    op = "input" if dtype in DIFFERENTIABLE else "placeholder"
    node = found.flow.add(op, (), {"name": tensor.op.name}, GraphOrigin(None, tensor.op.name))
    found.inputs[tensor.op.name] = node
    found.assume(node, dtype=dtype)
    return node


def _captured(found: Lowered, tensor: Any, captured: Any, variable: Any) -> Node:
    """The node of what a function captures from outside: a variable, or a tensor that has a value."""
    origin = GraphOrigin(None, tensor.op.name)
    if tensor.dtype.base_dtype.name == "resource":
        trainable = variable is None or variable.trainable
        name = variable.name if variable is not None else tensor.op.name
        return found.flow.add("variable" if trainable else "placeholder", (), {"name": name}, origin)
    if hasattr(captured, "numpy") and captured.dtype.base_dtype.name not in ("string", "variant"):
        return found.constant(captured.numpy(), origin, dtype_name(captured.dtype))
    return found.flow.add("placeholder", (), {"name": tensor.op.name}, origin)


class Body:
    """One graph or function body while it is lowered: the nodes of its tensors."""

    def __init__(self, found: Lowered, graph: Any, known: Table, outputs: set[str], depth: int = 0) -> None:
        self.found = found
        self.flow = found.flow
        self.graph = graph
        self.table = known
        self.outputs = outputs
        self.depth = depth
        self.nodes: dict[Key, Node] = {}
        self.taken = gradients.Taken()

    # Tensors.

    @staticmethod
    def _key(tensor: Any) -> Key:
        return (tensor.op.name, tensor.value_index)

    def give(self, tensor: Any, node: Node) -> None:
        """Note the node of a tensor."""
        self.nodes[self._key(tensor)] = node
        dtype = dtype_name(tensor.dtype)
        held = self.found.assumptions.get(node)
        if dtype not in ("resource", "variant") and (held is None or held.dtype is None):
            self.found.assume(node, dtype=dtype)

    def node(self, tensor: Any) -> Node:
        """The node of a tensor; unknown where it comes around a loop and is not lowered yet."""
        key = self._key(tensor)
        if key not in self.nodes:
            self.give(tensor, self.flow.add("unknown", (), {}, GraphOrigin(tensor.op, tensor.op.name)))
        return self.nodes[key]

    def add(self, op: str, operands: Sequence[Node], attrs: Mapping[str, Any], origin: GraphOrigin) -> Node:
        return self.flow.add(op, operands, attrs, origin)

    # Operations.

    def run(self) -> None:
        """Lower all operations, then note what the graph differentiates."""
        operations = self.graph.get_operations()
        groups = groups_of(operations, self.table)
        for group in groups:
            if gradients.is_gradient(group.operations[0], group.stack):
                for operation in group.operations:
                    self.taken.note(operation, group.stack)
        for group in groups:
            if group.operations[0].name in self.taken.names:
                for operation in group.operations:
                    self._gradient(operation, group)
            else:
                self._group(group)
        if self.taken.any:
            self._differentiate(operations)

    def _differentiate(self, operations: list[Any]) -> None:
        """Note the values whose gradients the graph takes."""
        self.found.differentiates = True
        for operation in self.taken.ends(operations):
            made, stack = self.taken.maker(operation) or (None, NOWHERE)
            origin = GraphOrigin(made, made.name if made is not None else "", stack)
            for tensor in operation.outputs:
                if dtype_name(tensor.dtype) in DIFFERENTIABLE:
                    self.flow.differentiate(self.node(tensor), BY_ITSELF, origin)

    def origin(self, operation: Any, group: Group, row: str) -> GraphOrigin:
        return self.found.sites.place(GraphOrigin(operation, operation.name, group.stack, row))

    def _group(self, group: Group) -> None:
        """A library call as one node, else as the several calls that it proves to be, else operation by operation."""
        if group.call is not None:
            if self._fold(group):
                return
            parts = self._at_results(group)
            if len(parts) > 1:
                for part in parts:
                    self._group(part)
                return
        for operation in group.operations:
            self._one(operation, group)

    def _at_results(self, group: Group) -> list[Group]:
        """A group cut after each of its results: calls follow one another, and each of the op table's has one."""
        if group.call is None or group.call.op is None or group.call.op.transparent:
            return []
        ends = composites.results(group.operations, self.outputs, self.taken.names)
        parts = [Group(group.call, group.stack)]
        for operation in group.operations:
            parts[-1].operations.append(operation)
            if operation in ends and operation.type not in composites.TRIVIAL and operation is not ends[-1]:
                parts.append(Group(group.call, group.stack))
        return parts

    def _fold(self, group: Group) -> bool:
        """One node for a library call; False where its operations have to stand for themselves."""
        call = group.call
        assert call is not None
        ends = composites.results(group.operations, self.outputs, self.taken.names)
        if len(ends) > 1:
            ends = [end for end in ends if end.type not in composites.TRIVIAL]
        if not ends or ends[0].type in composites.TRIVIAL:
            return False
        if call.op is None:
            self._layer(group, call.kinds, ends)
        elif len(ends) > 1 or call.op.transparent:
            return False
        else:
            real = composites.anchor(group.operations, call.op)
            folded = self._anchored(group, call.op, real, ends[0]) if real else self._composite(group, call.op, ends[0])
            if not folded:
                return False
        result = self.node(ends[0].outputs[0])
        for operation in group.operations:  # what is inside stands for the whole, for gradients that look inside
            for tensor in operation.outputs:
                self.nodes.setdefault(self._key(tensor), result)
        return True

    def _composite(self, group: Group, op: Op, end: Any) -> bool:
        """A call traced into several operations that together are the op."""
        operands = composites.operands_of(op, group.operations)
        if not operands:
            return False
        attrs = composites.attributes_of(op, group.operations, end)
        nodes = [self._from(t, group) for t in operands]
        self._give_all(end, self.add(op.name, nodes, attrs, self.origin(end, group, op.name)), group)
        return True

    def _anchored(self, group: Group, op: Op, real: Any, end: Any) -> bool:
        """A call whose one real operation is the op itself, with the moves around it left out."""
        wrapped = end is not real
        if wrapped and not composites.after(real, group.operations):
            return False
        inputs = composites.in_order(op, operand_inputs(real))
        nodes = [self._from(self._before(t, group) if wrapped else t, group) for t in inputs]
        attrs = static_attributes(real)
        if op.name in composites.READERS:
            attrs.update(composites.attributes_of(op, group.operations, end))
        if real.type in REDUCTIONS and wrapped:
            attrs.pop("keepdims", None)
        self._give_all(end, self.add(op.name, nodes, attrs, self.origin(real, group, op.name)), group)
        return True

    def _before(self, tensor: Any, group: Group) -> Any:
        """The tensor that came into a call, seen back through the moves inside it."""
        inside = {operation.name for operation in group.operations}
        while tensor.op.name in inside and tensor.op.type in composites.MOVES and tensor.op.type != "Cast":
            tensor = tensor.op.inputs[0]
        return tensor

    def _from(self, tensor: Any, group: Group) -> Node:
        """The node of a tensor; what the group itself made on the way to it is lowered by itself."""
        waiting = [tensor.op]
        inside = {operation.name for operation in group.operations}
        while waiting:
            operation = waiting[-1]
            before = [t.op for t in operation.inputs if t.op.name in inside and self._key(t) not in self.nodes]
            if operation.name in inside and before:
                waiting.extend(before)
                continue
            waiting.pop()
            if operation.name in inside:
                self._one(operation, group)
        return self.node(tensor)

    def _layer(self, group: Group, kinds: Sequence[str], ends: list[Any]) -> None:
        """A Keras layer with weights: one node, made of what is not its own."""
        inside = {operation.name for operation in group.operations}
        operands = []
        for tensor in composites.external_inputs(group.operations):
            node = self.node(tensor)
            if node.op not in ("variable", "const") and tensor.dtype.base_dtype.name != "resource":
                operands.append(node)
        scope = group.operations[-1].name.lower().replace("_", "")
        kind = min(kinds, key=lambda kind: (kind.lower() not in scope, kinds.index(kind)))
        node = self.add("layer", list(dict.fromkeys(operands)), {"kind": kind}, self.origin(ends[0], group, "layer"))
        for operation in group.operations:
            if operation.type == "Placeholder" and operation.name in inside:
                self._one(operation, group)
        for end in ends:
            if len(ends) == 1:
                self._give_all(end, node, group)
            else:
                self._elements(end, node, group, ends.index(end))

    def _give_all(self, operation: Any, node: Node, group: Group) -> None:
        """Note a node as an operation's result; of several results, each is an element of it."""
        if len(operation.outputs) == 1:
            self.give(operation.outputs[0], node)
        else:
            self._elements(operation, node, group)

    def _elements(self, operation: Any, node: Node, group: Group, first: int = 0) -> None:
        for tensor in operation.outputs:
            origin = GraphOrigin(operation, operation.name, group.stack)
            place = self.flow.constant(first + tensor.value_index, origin)
            self.give(tensor, self.add("getitem", (node, place), {}, origin))

    def _one(self, operation: Any, group: Group) -> None:
        """One operation by itself."""
        kind = operation.type
        if not operation.outputs or (operation.outputs and (operation.name, 0) in self.nodes):
            return
        handler = HANDLERS.get(kind)
        if handler is not None and handler(self, operation, group):
            return
        op = GRAPH_TYPES.get(kind)
        if op is None:
            self._unknown(operation, group)
            return
        operands = [self.node(t) for t in composites.in_order(op, operand_inputs(operation))]
        node = self.add(op.name, operands, static_attributes(operation), self.origin(operation, group, op.name))
        self._give_all(operation, node, group)

    def _unknown(self, operation: Any, group: Group) -> None:
        """What is not understood, connected to all it was made of; each of its results by itself."""
        operands = list(dict.fromkeys(self.node(t) for t in operation.inputs))
        for tensor in operation.outputs:
            origin = GraphOrigin(operation, operation.name, group.stack)
            self.give(tensor, self.add("unknown", operands, {"kind": operation.type}, origin))

    def _gradient(self, operation: Any, group: Group) -> None:
        """An operation that computes gradients: its result is one."""
        operands = list(dict.fromkeys(self.node(t) for t in operation.inputs))
        for tensor in operation.outputs:
            origin = GraphOrigin(operation, operation.name, group.stack)
            if operation.type == "Const":
                self._one(operation, group)
            else:
                self.give(tensor, self.add("gradient", operands, {}, origin))

    def call(self, operation: Any) -> bool:
        """A call of a function of the graph, entered; False where it cannot be."""
        if self.depth >= CALL_DEPTH or len(self.flow.nodes) >= NODE_BUDGET:
            return False
        try:
            inner = self.graph._get_function(operation.get_attr("f").name).graph
        except (AttributeError, ValueError, KeyError):
            return False
        if inner is None or len(inner.inputs) != len(operation.inputs):
            return False
        used = {t.op.name for t, result in zip(inner.outputs, operation.outputs, strict=False) if self._is_used(result)}
        body = Body(self.found, inner, self.table, used, self.depth + 1)
        for tensor, given in zip(inner.inputs, operation.inputs, strict=True):
            body.give(tensor, self.node(given))
        body.run()
        for tensor, result in zip(operation.outputs, inner.outputs, strict=False):
            self.give(tensor, body.node(result))
        return True

    def _is_used(self, tensor: Any) -> bool:
        """Whether a result is used by anything but the graph's own gradients."""
        return tensor.op.name in self.outputs or any(user.name not in self.taken.names for user in tensor.consumers())
