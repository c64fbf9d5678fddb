"""Lowering of one graph or function body: one node for each library call, else one for each operation.

Calls of other functions are entered. An operation without a row in the op table becomes an unknown node that stays
connected to its inputs.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, NamedTuple, cast

from tfnanlint.flow import DYNAMIC, Node, reached
from tfnanlint.graph import composites, gradients
from tfnanlint.graph.groups import Group, groups_of
from tfnanlint.graph.lowered import Lowered
from tfnanlint.graph.model import Graph, Operation, Tensor
from tfnanlint.graph.origin import GraphOrigin
from tfnanlint.graph.spellings import Table
from tfnanlint.graph.statics import (
    COUNTS,
    DIFFERENTIABLE,
    REDUCTIONS,
    accumulates_nothing,
    operand_inputs,
    parameter_inputs,
    static_attributes,
    static_of,
)
from tfnanlint.ops import GRAPH_TYPES, Op

CALL_DEPTH = 64
"""How deep function calls are entered; deeper ones are unknown. A call takes up to nine of Python's 1,000 levels."""
NODE_BUDGET = 400_000
"""Beyond so many nodes, calls are no longer entered."""
CALL_BUDGET = 20_000
"""Nor beyond so many calls: a few functions that call each the next several times stand for more than there is time."""

WHOLE = frozenset({"int32", "int64"})
"""The element types of shapes, and of what is computed of them."""
HANDLES = frozenset({"resource", "variant"})
"""The element types of what stands for variables and lists of tensors."""
BY_ITSELF = "differentiated inside the traced function"


Handler = Callable[["Body", Operation, Group], bool]
"""Lowers one operation of a body, or returns False to leave it to the op table."""


class Handlers(NamedTuple):
    """The operations that are more than their row says: how each is lowered, which of them are control flow, calls."""

    by_type: Mapping[str, Handler]
    control: Collection[str]
    call: Handler


class Body:
    """One graph or function body while it is lowered: the nodes of its tensors."""

    def __init__(
        self, found: Lowered, graph: Graph, known: Table, outputs: set[Operation], handlers: Handlers, depth: int = 0
    ) -> None:
        self.found = found
        self.flow = found.flow
        self.graph = graph
        self.table = known
        self.outputs = outputs
        self.handlers = handlers
        self.depth = depth
        self.nodes: dict[Tensor, Node] = {}
        self.around: dict[Operation, Node] = {}
        """The loop nodes to which operations bring a value back."""
        self.taken = gradients.Taken()
        self.written: dict[Node, tuple[Node, str]] = {}
        """What the variables hold that were written so far, with the name of the operation that wrote it."""

    # Tensors.

    def give(self, tensor: Tensor, node: Node) -> None:
        """Note the node of a tensor."""
        self.nodes[tensor] = node
        dtype = tensor.dtype
        held = self.found.assumptions.get(node)
        if dtype in ("", *HANDLES):
            return
        self.flow.traced.setdefault(node, tensor)
        if held is None or held.dtype is None:
            self.found.assume(node, dtype=dtype)

    def write(self, variable: Node, value: Node, operation: Operation) -> None:
        """Note what an operation writes to a variable. A value made of constants is what it starts as.

        No gradient comes through an assignment; one that moves a weight leaves it trained.
        """
        made_of = reached([value], lambda node: node.operands)
        if any(node.op != "const" for node in made_of if not node.operands):
            self.flow.assigned[variable] = value
        held = value
        if variable.op != "variable" or variable not in value.operands:
            held = self.add("detached", (value,), {}, GraphOrigin(operation, operation.name))
        self.written[variable] = held, operation.name
        for node in (value, held):
            if node not in self.flow.traced:
                self.flow.traced[node] = operation.inputs[1]
                self.found.assume(node, dtype=operation.inputs[1].dtype)

    def read(self, variable: Node, operation: Operation) -> Node:
        """What an operation reads of a variable: what was written to it before, if it waits for that."""
        value, writer = self.written.get(variable, (variable, ""))
        return value if operation.node is not None and f"^{writer}" in operation.node.input else variable

    def node(self, tensor: Tensor) -> Node:
        """The node of a tensor; unknown where it comes around a loop and is not lowered yet."""
        if tensor not in self.nodes:
            self.give(tensor, self.flow.add("unknown", (), {}, GraphOrigin(tensor.op, tensor.op.name)))
        return self.nodes[tensor]

    def add(self, op: str, operands: Sequence[Node], attrs: Mapping[str, Any], origin: GraphOrigin) -> Node:
        return self.flow.add(op, operands, attrs, origin)

    # Operations.

    def run(self) -> None:
        """Lower all operations, then note what the graph differentiates."""
        # An input may have been captured in the middle of a call; it is not a part of that call.
        operations = [o for o in self.graph.operations if not o.outputs or o.outputs[0] not in self.nodes]
        groups = self._groups(operations)
        for group in groups:
            if self.taken.is_gradient(group.operations[0], group.stack):
                for operation in group.operations:
                    self.taken.note(operation, group.stack)
        for group in groups:
            if group.operations[0] in self.taken.operations:
                for operation in group.operations:
                    self._gradient(operation, group)
            else:
                self._group(group)
        if self.taken.any:
            self._differentiate(operations)

    def _groups(self, operations: list[Operation]) -> list[Group]:
        """The operations in groups: those of a function are told apart once, however often it is called."""
        known = self.graph.grouped
        if known is None or known[0] is not self.table or known[1] != len(operations):
            known = self.graph.grouped = (self.table, len(operations), groups_of(operations, self.table))
        return cast("list[Group]", known[2])

    def _differentiate(self, operations: list[Operation]) -> None:
        """Note the values whose gradients the graph takes, and which operations they pass through for certain."""
        self.found.differentiates = True
        for operation in self.taken.recorded(operations):
            taped = [t for t in operation.inputs if t.dtype in DIFFERENTIABLE or t.dtype in HANDLES]
            self.found.recorded.append([self.node(tensor) for tensor in taped])
        for operation, (made, stack) in self.taken.ends(operations):
            origin = GraphOrigin(made, made.name, stack)
            for tensor in operation.outputs:
                if tensor.dtype in DIFFERENTIABLE:
                    self.flow.differentiate(self.node(tensor), BY_ITSELF, origin)

    def origin(self, operation: Operation, group: Group, row: str) -> GraphOrigin:
        return self.found.sites.place(GraphOrigin(operation, operation.name, group.stack, row))

    def _group(self, group: Group) -> None:
        """A library call as one node, else as the several calls that it proves to be, else operation by operation."""
        if group.call is not None and not any(map(accumulates_nothing, group.operations)):
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
        if group.call is None or group.call.op is None or group.call.op.transparent or group.call.op.several:
            return []
        ends = composites.results(group.operations, self.outputs, self.taken.operations)
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
        ends = composites.results(group.operations, self.outputs, self.taken.operations)
        if len(ends) > 1:
            ends = [end for end in ends if end.type not in composites.TRIVIAL]
        if not ends or (ends[0].type in composites.TRIVIAL and not composites.hands_out(ends[0], group.operations)):
            return False
        if call.op is None:
            self._layer(group, call.kinds, ends)
        elif len(ends) > 1 or call.op.transparent or call.op.several:
            return False
        else:
            real = composites.anchor(group.operations, call.op)
            folded = self._anchored(group, call.op, real, ends[0]) if real else self._composite(group, call.op, ends[0])
            if not folded:
                return False
        result = self.node(ends[0].outputs[0])
        for operation in group.operations:  # what is inside stands for the whole, for gradients that look inside
            for tensor in operation.outputs:
                self.nodes.setdefault(tensor, result)
        return True

    def _composite(self, group: Group, op: Op, end: Operation) -> bool:
        """A call traced into several operations that together are the op."""
        operands = composites.operands_of(op, group.operations)
        if not operands:
            return False
        attrs = composites.attributes_of(op, group.operations, end)
        nodes = [self._from(t, group) for t in operands]
        self._give_all(end, self.add(op.name, nodes, attrs, self.origin(end, group, op.name)), group)
        return True

    def _anchored(self, group: Group, op: Op, real: Operation, end: Operation) -> bool:
        """A call whose one real operation is the op itself, with the moves around it left out."""
        wrapped = end is not real
        if wrapped and not composites.after(real, group.operations):
            return False
        inputs = composites.in_order(op, operand_inputs(real))
        nodes = [self._from(self._before(t, group) if wrapped else t, group) for t in inputs]
        if op.name == "cast" and isinstance(nodes[0].constant, float) and end.outputs[0].dtype in DIFFERENTIABLE:
            # A number in another type, which may not hold it.
            self.give(end.outputs[0], self.flow.constant(nodes[0].constant, self.origin(end, group, op.name)))
            return True
        attrs = static_attributes(real)
        if op.name in composites.READERS:
            attrs.update(composites.attributes_of(op, group.operations, end))
        if real.type in REDUCTIONS and wrapped:
            attrs.pop("keepdims", None)
        node = self.add(op.name, nodes, attrs, self.origin(real, group, op.name))
        self._note_parameters(node, real)
        self._give_all(end, node, group)
        return True

    def _before(self, tensor: Tensor, group: Group) -> Tensor:
        """The tensor that came into a call, seen back through the moves inside it."""
        inside = set(group.operations)
        while tensor.op in inside and tensor.op.type in composites.MOVES and tensor.op.type != "Cast":
            tensor = tensor.op.inputs[0]
        return tensor

    def _from(self, tensor: Tensor, group: Group) -> Node:
        """The node of a tensor; what the group itself made on the way to it is lowered by itself."""
        waiting = [tensor.op]
        inside = set(group.operations)
        while waiting:
            operation = waiting[-1]
            before = [t.op for t in operation.inputs if t.op in inside and t not in self.nodes]
            if operation in inside and before:
                waiting.extend(before)
                continue
            waiting.pop()
            if operation in inside:
                self._one(operation, group)
        return self.node(tensor)

    def _layer(self, group: Group, kinds: Sequence[str], ends: list[Operation]) -> None:
        """A Keras layer with weights: one node, made of what is not its own."""
        operands = []
        for tensor in composites.external_inputs(group.operations):
            node = self.node(tensor)
            if node.op not in ("variable", "const") and tensor.dtype != "resource":
                operands.append(node)
        scope = group.operations[-1].name.lower().replace("_", "")
        kind = min(kinds, key=lambda kind: (kind.lower() not in scope, kinds.index(kind)))
        node = self.add("layer", list(dict.fromkeys(operands)), {"kind": kind}, self.origin(ends[0], group, "layer"))
        for operation in group.operations:
            if operation.type == "Placeholder":
                self._one(operation, group)
        for end in ends:
            if len(ends) == 1:
                self._give_all(end, node, group)
            else:
                self._elements(end, node, group, ends.index(end))

    def _give_all(self, operation: Operation, node: Node, group: Group) -> None:
        """Note a node as an operation's result; of several results, each is an element of it."""
        if len(operation.outputs) == 1:
            self.give(operation.outputs[0], node)
        else:
            self._elements(operation, node, group)

    def _elements(self, operation: Operation, node: Node, group: Group, first: int = 0) -> None:
        for tensor in operation.outputs:
            origin = GraphOrigin(operation, operation.name, group.stack)
            place = self.flow.constant(first + tensor.value_index, origin)
            self.give(tensor, self.add("getitem", (node, place), {}, origin))

    def _one(self, operation: Operation, group: Group) -> None:
        """One operation by itself."""
        kind = operation.type
        if operation.outputs[0] in self.nodes if operation.outputs else kind not in self.handlers.control:
            return
        if kind in COUNTS and operation.outputs[0].dtype in WHOLE and self._counted(operation, group):
            return
        handler = self.handlers.by_type.get(kind)
        if handler is not None and handler(self, operation, group):
            return
        op = GRAPH_TYPES.get(kind)
        if op is None or accumulates_nothing(operation):
            if op is not None or not self.handlers.call(self, operation, group):
                self._unknown(operation, group)
            return
        operands = [self.node(t) for t in composites.in_order(op, operand_inputs(operation))]
        node = self.add(op.name, operands, static_attributes(operation), self.origin(operation, group, op.name))
        self._note_parameters(node, operation)
        self._give_all(operation, node, group)

    def _note_parameters(self, node: Node, operation: Operation) -> None:
        """Note the values of static parameters that are computed as the graph runs."""
        for name, tensor in parameter_inputs(operation).items():
            if node.attrs.get(name) is DYNAMIC and tensor in self.nodes:
                self.flow.computed.setdefault(node, {})[name] = (self.nodes[tensor],)

    def _counted(self, operation: Operation, group: Group) -> bool:
        """A shape, or what is computed of one, as the constant that it is where the graph knows it."""
        value = static_of(operation.outputs[0])
        if value is DYNAMIC:
            return False
        self.give(operation.outputs[0], self.flow.constant(value, GraphOrigin(operation, operation.name, group.stack)))
        return True

    def _unknown(self, operation: Operation, group: Group) -> None:
        """What is not understood, connected to all it was made of; each of its results by itself."""
        operands = list(dict.fromkeys(self.node(t) for t in operation.inputs))
        for tensor in operation.outputs:
            origin = GraphOrigin(operation, operation.name, group.stack)
            self.give(tensor, self.add("unknown", operands, {"kind": operation.type}, origin))

    def _gradient(self, operation: Operation, group: Group) -> None:
        """An operation that computes gradients: its result is one."""
        operands = list(dict.fromkeys(self.node(t) for t in operation.inputs))
        for tensor in operation.outputs:
            origin = GraphOrigin(operation, operation.name, group.stack)
            if operation.type == "Const":
                self._one(operation, group)
            else:
                self.give(tensor, self.add("gradient", operands, {}, origin))

    # Functions.

    def enter(
        self,
        name: str,
        operands: Sequence[Node],
        used: Sequence[Tensor] | None = None,
        condition: tuple[Node, bool] | None = None,
    ) -> list[Node] | None:
        """The results of a function of the graph for some operands; None where it cannot be entered, or is not.

        `used` are the tensors that take the results, where some of them may be there for gradients only. `condition`
        is what holds, or does not, where the function is called.
        """
        inner = self.graph.function(name)
        if inner is None or len(inner.inputs) != len(operands):
            return None
        if limit := self._limit():
            self.found.beyond.setdefault(limit, name)
            return None
        wanted = {
            tensor.op
            for place, tensor in enumerate(inner.outputs)
            if used is None or (place < len(used) and self._is_used(used[place]))
        }
        self.found.entered += 1
        body = Body(self.found, inner, self.table, wanted, self.handlers, self.depth + 1)
        for tensor, given in zip(inner.inputs, operands, strict=True):
            body.give(tensor, given)
        outside = self.flow.conditions
        if condition is not None:
            self.flow.conditions = (*outside, condition)
        body.run()
        self.flow.conditions = outside
        return [body.node(tensor) for tensor in inner.outputs]

    def _limit(self) -> str:
        """The limit beyond which the next call is, in words; "" where it is within all of them."""
        if self.depth >= CALL_DEPTH:
            return f"more than {CALL_DEPTH} calls deep"
        if self.found.entered >= CALL_BUDGET:
            return f"after {CALL_BUDGET:,} calls"
        return f"after {NODE_BUDGET:,} operations" if len(self.flow.nodes) >= NODE_BUDGET else ""

    def _is_used(self, tensor: Tensor) -> bool:
        """Whether a result is used by anything but the graph's own gradients."""
        return tensor.op in self.outputs or any(user not in self.taken.operations for user in tensor.consumers)
