"""A graph as data: its operations, tensors and functions, read from protocol buffers.

TensorFlow's own graphs are serialized once and read in the same way: reading a message field costs a tenth of reading a
property of a `tf.Operation`. A graph from a file is never imported or run.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple, cast

from tfnanlint.errors import TfnanlintError
from tfnanlint.graph.stack import NO_STACKS, Stacks

MOST_OUTPUTS = 65_536
"""No operation has more results than this."""
RETURNS_AROUND = frozenset({"NextIteration", "RefNextIteration"})
"""The operations through which a value comes back around a loop of TensorFlow 1."""


_KEPT = "_tfnanlint_graph"
"""The attribute of a FuncGraph under which its graph here is kept."""
NOT_READ: Any = object()
"""Stands for what has not been read yet."""


class GraphError(TfnanlintError):
    """Something that cannot be linted as a graph, or an input that it does not have."""


def require_tensorflow() -> None:
    """Raise `GraphError` where TensorFlow is not installed."""
    if importlib.util.find_spec("tensorflow") is None:
        raise GraphError("the graph pass needs TensorFlow: pip install 'tfnanlint[graph]'")


class Tensor:
    """One result of an operation: its place among them, its element type ("" where unknown), who uses it."""

    __slots__ = ("consumers", "dtype", "op", "value_index")

    def __init__(self, op: Operation, value_index: int, dtype: str) -> None:
        self.op = op
        self.value_index = value_index
        self.dtype = dtype
        self.consumers: list[Operation] = []

    def __repr__(self) -> str:
        return f"{self.op.name}:{self.value_index}"

    @property
    def shape(self) -> tuple[int | None, ...] | None:
        """The static shape, None for what is not known of it."""
        return self.op.graph.shape_of(self)

    @property
    def used(self) -> bool:
        """Whether some operation that has results takes it."""
        return any(operation.outputs for operation in self.consumers)

    @property
    def rank(self) -> int | None:
        shape = self.shape
        return None if shape is None else len(shape)


class Operation:
    """One node of a graph."""

    __slots__ = ("graph", "held", "inputs", "name", "node", "outputs", "type")

    def __init__(self, graph: Graph, name: str, kind: str, node: Any) -> None:
        self.graph = graph
        self.name = name
        self.type = kind
        self.node = node
        self.inputs: Sequence[Tensor] = ()
        self.outputs: list[Tensor] = []
        self.held: Any = NOT_READ
        """What is kept of a constant that was read."""

    def __repr__(self) -> str:
        return f"<{self.type} {self.name}>"

    def attr(self, name: str) -> Any:
        """The message of an attribute, given or by default; None where there is none."""
        if self.node is None:
            return None
        held = self.node.attr.get(name)
        return held if held is not None else form_of(self.type).defaults.get(name)

    def function(self, name: str) -> str:
        """The name of the function that an attribute holds; "" where it holds none."""
        held = self.attr(name)
        return held.func.name if held is not None else ""


class Parameter(NamedTuple):
    """An input or a result, or several of them, as the definition of an operation states it."""

    name: str
    dtype: int
    type_attr: str
    number_attr: str
    type_list_attr: str


class Form(NamedTuple):
    """The registered form of an operation type; empty for an unknown type."""

    known: bool
    inputs: tuple[Parameter, ...]
    results: tuple[Parameter, ...]
    defaults: dict[str, Any]


NO_FORM = Form(False, (), (), {})


@cache
def form_of(kind: str) -> Form:
    """The form of an operation's type."""
    from tensorflow.python.framework import op_def_registry

    definition = op_def_registry.get(kind)
    return NO_FORM if definition is None else _form(definition)


def _form(definition: Any) -> Form:
    inputs, results = (
        tuple(Parameter(p.name, p.type, p.type_attr, p.number_attr, p.type_list_attr) for p in parameters)
        for parameters in (definition.input_arg, definition.output_arg)
    )
    defaults = {attr.name: attr.default_value for attr in definition.attr if attr.HasField("default_value")}
    return Form(True, inputs, results, defaults)


@cache
def dtype_of(number: int) -> str:
    """The name of a dtype by its number; "" for an unknown one."""
    import tensorflow as tf

    try:
        return str(tf.as_dtype(number).base_dtype.name)
    except TypeError:
        return ""


class Functions:
    """The functions of a graph, each read when it is first entered."""

    def __init__(self, functions: Iterable[Any] = (), stacks: Stacks = NO_STACKS) -> None:
        self.stacks = stacks
        self._definitions = {definition.signature.name: definition for definition in functions}
        self._graphs: dict[str, Graph] = {}

    def __iter__(self) -> Iterator[str]:
        return iter(self._definitions)

    def form(self, kind: str) -> Form:
        """The form of an operation's type, which may be the name of a function."""
        found = form_of(kind)
        if not found.known and kind in self._definitions:
            return _form(self._definitions[kind].signature)
        return found

    def function(self, name: str) -> Graph | None:
        """The body of a function; None where the library has none of this name."""
        if name not in self._graphs:
            definition = self._definitions.get(name)
            if definition is None:
                return None
            self._graphs[name] = _of_function(definition, self)
        return self._graphs[name]


class Graph:
    """Operations, each behind those whose results it uses, with the tensors that come in and go out.

    Of TensorFlow 1 loops, what comes around stands behind what it comes to.
    """

    def __init__(self, functions: Functions, name: str = "", native: Any = None) -> None:
        self.functions = functions
        self.name = name
        self.native = native
        """The `tf.Graph` that this was read from, if it was."""
        self.stacks = functions.stacks
        self.operations: list[Operation] = []
        self.inputs: list[Tensor] = []
        self.outputs: list[Tensor] = []
        self.by_name: dict[str, Operation] = {}
        self._functions: dict[str, Graph | None] = {}
        self._argument_shapes: Mapping[int, Any] = {}
        self.grouped: Any = None
        """What is kept of how the operations are told apart."""

    def function(self, name: str) -> Graph | None:
        """A function that this graph calls; None where it is not there."""
        if name not in self._functions:
            inner = _native_function(self.native, name) if self.native is not None and name else None
            self._functions[name] = (
                _of_function_graph(inner, name) if inner is not None else self.functions.function(name)
            )
        return self._functions[name]

    def shape_of(self, tensor: Tensor) -> tuple[int | None, ...] | None:
        """The static shape of one of the graph's tensors, as far as the graph says it."""
        if self.native is not None:
            try:
                shape = self.native.get_operation_by_name(tensor.op.name).outputs[tensor.value_index].shape
            except (KeyError, IndexError):
                return None
            return None if shape.rank is None else tuple(shape.as_list())
        operation = tensor.op
        held = operation.attr("_output_shapes")
        if held is not None and tensor.value_index < len(held.list.shape):
            return _dimensions(held.list.shape[tensor.value_index])
        if operation.type == "Const":
            held = operation.attr("value")
            return _dimensions(held.tensor.tensor_shape) if held is not None else None
        if operation.node is None:
            place = self.inputs.index(tensor) if tensor in self.inputs else -1
            arguments = self._argument_shapes
            held = arguments[place].attr["_output_shapes"] if place in arguments else None
            return _dimensions(held.list.shape[0]) if held is not None and held.list.shape else None
        held = operation.attr("shape") if operation.type.startswith("Placeholder") else None
        return _dimensions(held.shape) if held is not None else None

    def read(self, nodes: Iterable[Any], *, of_function: bool = False) -> None:
        """Take in node messages; raises `GraphError` where they make no graph."""
        found: list[Operation] = []
        for node in nodes:
            operation = Operation(self, node.name, node.op, node)
            if node.name in self.by_name:
                raise GraphError(f"the graph has two operations named {node.name!r}")
            self.by_name[node.name] = operation
            found.append(operation)
            self._results(operation)
        find = self._within_function if of_function else self.tensor
        named = self.by_name
        for operation in found:
            inputs = []
            for name in operation.node.input:
                made = named.get(name)  # most use the first result, which has the operation's name
                if made is not None and made.outputs:
                    inputs.append(made.outputs[0])
                elif not name.startswith("^"):
                    inputs.append(find(name))
            operation.inputs = inputs
            form = self.functions.form(operation.type)
            if form.known and self.native is None:  # TensorFlow's own are sound
                wanted = sum(len(_types(operation, stated)) for stated in form.inputs)
                if wanted != len(operation.inputs):
                    given = len(operation.inputs)
                    raise GraphError(
                        f"operation {operation.name!r} ({operation.type}) has {given} inputs, not {wanted}"
                    )
            for tensor in operation.inputs:
                tensor.consumers.append(operation)
        self.operations.extend(_ordered(found))

    def argument(self, name: str, dtype: str) -> Tensor:
        """One more argument of a function body."""
        operation = Operation(self, name, "_Arg", None)
        operation.outputs = [Tensor(operation, 0, dtype)]
        self.by_name[name] = operation
        self.inputs.append(operation.outputs[0])
        return operation.outputs[0]

    def tensor(self, name: str) -> Tensor:
        """A tensor by its name in a GraphDef: `operation` or `operation:place`."""
        base, _, place = name.partition(":")
        operation = self.by_name.get(base)
        if operation is None:
            raise GraphError(f"the graph uses operation {base!r}, which it does not define")
        return _result(operation, int(place) if place.isdigit() else 0)

    def _within_function(self, name: str) -> Tensor:
        """A tensor by its name in a function: an argument, or `operation:result:place`."""
        base, _, rest = name.partition(":")
        operation = self.by_name.get(base)
        if operation is None:
            raise GraphError(f"function {self.name!r} uses operation {base!r}, which it does not define")
        result, _, number = rest.partition(":")
        if operation.node is None or not number.isdigit():
            return _result(operation, int(result) if result.isdigit() else 0)
        first = 0
        for stated in self.functions.form(operation.type).results:
            if stated.name == result:
                break
            first += len(_types(operation, stated))
        return _result(operation, first + int(number))

    def _results(self, operation: Operation) -> None:
        for stated in self.functions.form(operation.type).results:
            for number in _types(operation, stated):
                operation.outputs.append(Tensor(operation, len(operation.outputs), dtype_of(number) if number else ""))


def _types(operation: Operation, stated: Parameter) -> Sequence[int]:
    """The numbers of the element types of what one stated input or result stands for."""
    if stated.type_list_attr:
        held = operation.attr(stated.type_list_attr)
        return held.list.type if held is not None else ()
    number = stated.dtype
    if stated.type_attr:
        held = operation.attr(stated.type_attr)
        number = held.type if held is not None else 0
    if not stated.number_attr:
        return (number,)
    held = operation.attr(stated.number_attr)
    count = held.i if held is not None else 0
    if not 0 <= count <= MOST_OUTPUTS:
        raise GraphError(f"operation {operation.name!r} declares {count} inputs or results")
    return (number,) * count


def _result(operation: Operation, place: int) -> Tensor:
    """A result by its place; those that no definition states are made up."""
    if place > MOST_OUTPUTS:
        raise GraphError(f"the graph uses result {place} of {operation.name!r}")
    while place >= len(operation.outputs):
        operation.outputs.append(Tensor(operation, len(operation.outputs), ""))
    return operation.outputs[place]


def _dimensions(shape: Any) -> tuple[int | None, ...] | None:
    if shape.unknown_rank:
        return None
    return tuple(dim.size if dim.size >= 0 else None for dim in shape.dim)


def _ordered(operations: list[Operation]) -> list[Operation]:
    """Operations behind those whose results they use, otherwise in the given order."""
    places = {operation: place for place, operation in enumerate(operations)}
    if all(
        places.get(tensor.op, -1) < place or tensor.op.type in RETURNS_AROUND
        for place, operation in enumerate(operations)
        for tensor in operation.inputs
    ):
        return operations
    found: dict[Operation, None] = {}
    on_the_way: set[Operation] = set()
    for start in operations:
        waiting = [start]
        while waiting:
            operation = waiting[-1]
            if operation in found:
                waiting.pop()
                continue
            before = [
                tensor.op
                for tensor in operation.inputs
                if tensor.op in places and tensor.op not in found and tensor.op.type not in RETURNS_AROUND
            ]
            if not before:
                found[operation] = None
                waiting.pop()
                continue
            if operation in on_the_way:
                raise GraphError(f"the graph has a cycle through {operation.name!r}")
            on_the_way.add(operation)
            waiting.extend(before)
    return list(found)


def functions_of(definition: Any) -> Sequence[Any]:
    """The function definitions of a GraphDef."""
    held = {field.name: value for field, value in definition.ListFields()}.get("library")
    return held.function if held is not None else ()


def of_definition(definition: Any, stacks: Stacks = NO_STACKS) -> Graph:
    """The graph of a GraphDef."""
    graph = Graph(Functions(functions_of(definition), stacks))
    graph.read(definition.node)
    return graph


def _of_function(definition: Any, functions: Functions) -> Graph:
    """The body of a FunctionDef."""
    signature = definition.signature
    graph = Graph(functions, signature.name)
    graph._argument_shapes = dict(definition.arg_attr)
    for given in signature.input_arg:
        graph.argument(given.name, dtype_of(given.type) if given.type else "")
    graph.read(definition.node_def, of_function=True)
    returned = definition.ret
    for result in signature.output_arg:
        if result.name in returned:
            graph.outputs.append(graph._within_function(returned[result.name]))
    return graph


def of_native(native: Any, name: str = "") -> Graph:
    """The graph of a `tf.Graph` or FuncGraph."""
    from tfnanlint.graph.stack import NativeStacks

    definition = native.as_graph_def()
    graph = Graph(Functions(functions_of(definition), NativeStacks(native)), name, native)
    graph.read(definition.node)
    graph.inputs = [graph.tensor(tensor.name) for tensor in getattr(native, "inputs", ())]
    graph.outputs = [graph.tensor(tensor.name) for tensor in getattr(native, "outputs", ()) if tensor is not None]
    return graph


def _of_function_graph(native: Any, name: str) -> Graph:
    """The graph of a FuncGraph, read once however often it is called: it is kept where it is kept itself."""
    size = (name, native.version, len(native.outputs))
    known = getattr(native, _KEPT, None)
    if known is None or known[0] != size:
        known = (size, of_native(native, name))
        setattr(native, _KEPT, known)
    return cast(Graph, known[1])


def _native_function(native: Any, name: str) -> Any:
    """The FuncGraph of a function, where TensorFlow keeps one."""
    try:
        inner = native._get_function(name)
    except (AttributeError, ValueError, KeyError):
        return None
    return getattr(inner, "graph", None)
