"""A traced function rebuilt operation by operation, to run it on other inputs and variables and observe it inside.

The rebuilt function reads its variables from its arguments and writes none, and `check_numerics` does not stop it.
Calls of other functions are entered. Branches and loops are entered if something in them is observed, and copied
otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from graphlib import CycleError, TopologicalSorter
from typing import Any

from tfnanlint.graph.called import CALLS, CASES, IFS, WHILES, function_of, functions_of
from tfnanlint.graph.hooks import OUTSIDE, Boundary, Hooks, Key

_CHECKS = frozenset({"CheckNumerics", "CheckNumericsV2"})
_WRITES = ("Assign", "ResourceApply", "ResourceSparseApply", "ResourceScatter", "Print", "WriteSummary", "Write")
_NOT_COPIED = frozenset({"_class", "_output_shapes"})
_OWN_GRADIENT = "_gradient_op_type"


NO_NAMES: Mapping[str, str] = {}


class NotCopied(Exception):
    """A function that cannot be rebuilt, and why."""


@dataclass(frozen=True)
class Argument:
    """An input or a variable of a traced function: its name, its element type, its shape as far as it is known."""

    name: str
    dtype: Any
    shape: tuple[int | None, ...] | None
    variable: Any = None


@dataclass
class Copy:
    """The rebuilt function: its operations outside branches and loops, its results, what it would write to variables.

    A function that is called twice has each of its operations twice.
    """

    operations: dict[Key, list[Sequence[Any]]] = field(default_factory=dict)
    outputs: list[Any] = field(default_factory=list)
    written: list[Any] = field(default_factory=list)
    entered: set[Key] = field(default_factory=set)
    """The watched operations that were rebuilt, wherever they are."""

    def of(self, key: Key) -> list[Any]:
        """The results of an operation."""
        return [tensor for outputs in self.operations.get(key, ()) for tensor in outputs]


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


def rebuild(
    concrete: Any,
    values: Sequence[Any],
    hooks: Hooks | None = None,
    pause: Callable[[], None] = lambda: None,
    names: Mapping[str, str] = NO_NAMES,
) -> Copy:
    """Rebuild a concrete function in the graph that is being built, on values for its `arguments_of`.

    `pause` is called now and then, and may raise. `names` are those under which functions are known elsewhere.
    """
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
    builder = _Builder(hooks or Hooks(), pause, names)
    builder.copy.outputs = [t for t in builder.body(graph, "", arguments) if t is not None]
    return builder.copy


class _Builder:
    """Rebuilds function bodies, one inside the other."""

    def __init__(self, hooks: Hooks, pause: Callable[[], None], names: Mapping[str, str]) -> None:
        self.names = names
        self.copy = Copy()
        self.hooks = hooks
        self.pause = pause
        self.functions = {function for function, _ in hooks.keys}
        self.inside = 0
        """In how many branches and loops the builder is."""
        self._watched: dict[str, bool] = {}
        self._graphs: dict[str, Any] = {}

    def body(self, graph: Any, function: str, arguments: Sequence[Any]) -> list[Any]:
        """Rebuild one function body; its results, None where there is nothing to show for one."""
        new: dict[str, Any] = {tensor.name: given for tensor, given in zip(graph.inputs, arguments, strict=True)}
        within: dict[tuple[int, str], Any] = {}
        boundaries: dict[int, Boundary] = {}
        for operation in _ordered(graph):
            self.pause()
            if operation.outputs and operation.outputs[0].name in new:
                continue
            key = (self.names.get(function, function), operation.name)
            watched = key in self.hooks.keys
            group = self.hooks.group(key) if watched else OUTSIDE
            names = [(group, tensor.name) for tensor in operation.inputs]
            inputs = [within[name] if name in within else new.get(name[1]) for name in names]
            if operation.type.startswith(_WRITES):
                self._written(operation, inputs, new)
                continue
            if any(tensor is None for tensor in inputs):
                continue  # made from what is not rebuilt
            if watched:
                self.copy.entered.add(key)
                if group not in boundaries:
                    boundaries[group] = self.hooks.boundary(group)
                boundary = boundaries[group]
                inputs = [
                    given if name in within or not _is_number(given) else boundary.enter(given)
                    for name, given in zip(names, inputs, strict=True)
                ]
            made = self._one(graph, operation, inputs, new)
            for tensor, result in zip(operation.outputs, made, strict=True):
                if watched and _is_number(result):
                    within[group, tensor.name], new[tensor.name] = result, boundary.leave(key, result)
                else:
                    new[tensor.name] = result
            if not any(isinstance(result, _Variable) for result in made):
                self.hooks.made(key, made)
                if not self.inside:
                    self.copy.operations.setdefault(key, []).append([new[t.name] for t in operation.outputs])
        return [new.get(tensor.name) for tensor in graph.outputs]

    def _written(self, operation: Any, inputs: Sequence[Any], new: dict[str, Any]) -> None:
        """Leave out an operation that changes something; what it would write is kept."""
        for tensor in operation.outputs:
            new[tensor.name] = inputs[0] if inputs else None
        if not self.inside and inputs and isinstance(inputs[0], _Variable):
            self.copy.written += [given for given in inputs[1:] if _is_number(given)]

    def _one(self, graph: Any, operation: Any, inputs: list[Any], new: Mapping[str, Any]) -> list[Any]:
        """Rebuild one operation; its results."""
        import tensorflow as tf

        first = inputs[0] if inputs else None
        if isinstance(first, _Variable):
            if operation.type == "ReadVariableOp":
                return [tf.identity(first.value)]
            if operation.type == "ResourceGather":
                return [tf.gather(first.value, inputs[1], batch_dims=operation.get_attr("batch_dims"))]
            if operation.type == "ResourceGatherNd":
                return [tf.gather_nd(first.value, inputs[1])]
            if operation.type == "Identity":
                return [first]
        if operation.type in CALLS:
            name = operation.get_attr("f").name
            return self.body(self._graph_of(graph, name), name, inputs)
        if operation.type in _CHECKS:
            return [tf.identity(first)]
        if operation.type in IFS | CASES and self._is_watched(graph, operation):
            return self._branches(graph, operation, inputs)
        if operation.type in WHILES and self._is_watched(graph, operation):
            return self._loop(graph, operation, inputs)
        if operation.type == "IdentityN" and _OWN_GRADIENT in operation.node_def.attr:
            return self._with_own_gradient(graph, operation, inputs, new)
        return _same(graph, operation, inputs)

    def _graph_of(self, graph: Any, name: str) -> Any:
        """The body of a function that a graph calls; of one that was imported, made of its definition."""
        from tensorflow.python.framework import function_def_to_graph

        if name not in self._graphs:
            held = function_of(graph, name)
            inner = getattr(held, "graph", None)
            if inner is None and hasattr(held, "definition"):
                with graph.as_default():  # which knows the functions that this one calls
                    inner = function_def_to_graph.function_def_to_graph(held.definition)
                inner.outer_graph = graph
            if inner is None:
                raise NotCopied(f"the function {self.names.get(name, name)} is missing")
            self._graphs[name] = inner
        return self._graphs[name]

    # Branches and loops.

    def _is_watched(self, graph: Any, operation: Any) -> bool:
        """Whether there is something to look at in a function that an operation calls."""
        return any(self._holds(graph, name) for name in functions_of(operation))

    def _holds(self, graph: Any, name: str) -> bool:
        if name not in self._watched:
            self._watched[name] = self.names.get(name, name) in self.functions
            if not self._watched[name] and self.functions:
                inner = self._graph_of(graph, name)
                self._watched[name] = any(self._is_watched(inner, operation) for operation in inner.get_operations())
        return self._watched[name]

    def _branches(self, graph: Any, operation: Any, inputs: list[Any]) -> list[Any]:
        import tensorflow as tf

        outer = self.hooks.carried()
        inner = [self._graph_of(graph, name) for name in functions_of(operation)]

        def side(number: int) -> Callable[[], list[Any]]:
            def run() -> list[Any]:
                name = functions_of(operation)[number]
                self.hooks.resume(outer)
                self.inside += 1
                try:
                    given = self.body(inner[number], name, _here(inputs[1:]))
                finally:
                    self.inside -= 1
                return [*_shown(given, operation), *self.hooks.carried()]

            return run

        if operation.type in IFS:
            got = tf.cond(_truth(inputs[0]), side(0), side(1))
        else:
            got = tf.switch_case(inputs[0], [side(number) for number in range(len(inner))])
        count = len(operation.outputs)
        self.hooks.resume(got[count:])
        return list(got[:count])

    def _loop(self, graph: Any, operation: Any, inputs: list[Any]) -> list[Any]:
        import tensorflow as tf

        goes_on, turn = (operation.get_attr(name).name for name in ("cond", "body"))
        asked, inner = self._graph_of(graph, goes_on), self._graph_of(graph, turn)
        same = [
            isinstance(given, _Variable) or _behind(back).name == start.name
            for given, start, back in zip(inputs, inner.inputs, inner.outputs, strict=True)
        ]
        count = same.count(False)

        def whole(changing: Sequence[Any]) -> list[Any]:
            moved = iter(changing)
            return [given if is_same else next(moved) for given, is_same in zip(_here(inputs), same, strict=True)]

        def condition(*held: Any) -> Any:
            hooks, self.hooks = self.hooks, Hooks()
            try:
                return _truth(self.body(asked, goes_on, whole(held[:count]))[0])
            finally:
                self.hooks = hooks

        def once(*held: Any) -> list[Any]:
            self.hooks.resume(held[count:])
            self.inside += 1
            try:
                given = self.body(inner, turn, whole(held[:count]))
            finally:
                self.inside -= 1
            after = [result for result, is_same in zip(given, same, strict=True) if not is_same]
            if any(result is None or isinstance(result, _Variable) for result in after):
                raise NotCopied(f"the loop {operation.name} carries a value that cannot be rebuilt")
            return [*after, *self.hooks.carried()]

        starts = [given for given, is_same in zip(inputs, same, strict=True) if not is_same]
        carried = self.hooks.carried()
        shapes = [start.shape for start, is_same in zip(inner.inputs, same, strict=True) if not is_same]
        got = tf.while_loop(
            condition, once, [*starts, *carried], shape_invariants=[*shapes, *(tensor.shape for tensor in carried)]
        )
        self.hooks.resume(got[count:])
        return whole(got[:count])

    # Gradients that a program defines itself.

    def _with_own_gradient(
        self, graph: Any, operation: Any, inputs: Sequence[Any], new: Mapping[str, Any]
    ) -> list[Any]:
        """The identity on which `tf.custom_gradient` hangs a gradient, which looks at tensors of the first trace."""
        import tensorflow as tf
        from tensorflow.python.framework import func_graph, ops

        function = ops.gradient_registry.lookup(operation.get_attr(_OWN_GRADIENT).decode())

        def taken_once() -> tuple[Any, list[Any], list[Any]]:
            """The gradient's graph, what it gives for each input, and what it is given besides what comes back."""
            taken = func_graph.FuncGraph("gradient")
            with taken.as_default():
                given = [tf.compat.v1.placeholder(t.dtype, t.shape) for t in operation.outputs]
                slopes = [None if s is None else tf.convert_to_tensor(s) for s in function(operation, *given)]
            taken.inputs = [*given, *(inner for _, inner in taken.captures)]
            taken.outputs = [slope for slope in slopes if slope is not None]
            own = {id(outer): inner for outer, inner in graph.captures}
            held = []
            for outer, _ in taken.captures:
                known = new.get(own.get(id(outer), outer).name if hasattr(outer, "op") else "")
                held.append(outer if known is None else known)
            return taken, slopes, held

        @tf.custom_gradient  # type: ignore[untyped-decorator]
        def handed(*tensors: Any) -> Any:
            def gradient(*behind: Any) -> list[Any]:
                taken, slopes, held = taken_once()  # only now: some can be taken in the context of their program alone
                hooks, self.hooks = self.hooks, Hooks()
                try:
                    made = iter(self.body(taken, f"gradient of {operation.name}", [*behind, *held]))
                finally:
                    self.hooks = hooks
                found = [None if slope is None else next(made) for slope in slopes]
                return [tf.zeros_like(t) if slope is None else slope for t, slope in zip(tensors, found, strict=True)]

            return [tf.identity(tensor) for tensor in tensors], gradient

        made = handed(*(tensor.value if isinstance(tensor, _Variable) else tensor for tensor in inputs))
        return [
            tensor if isinstance(tensor, _Variable) else result for tensor, result in zip(inputs, made, strict=True)
        ]


def _same(graph: Any, operation: Any, inputs: Sequence[Any]) -> list[Any]:
    """The same operation on other inputs."""
    import tensorflow as tf

    plain = [given.handle if isinstance(given, _Variable) else given for given in inputs]
    here = tf.compat.v1.get_default_graph()
    attributes = {}
    for name, value in operation.node_def.attr.items():
        if name not in _NOT_COPIED:
            attributes[name] = value
            for function in [value.func] if value.HasField("func") else value.list.func:
                here._add_function_recursive(function_of(graph, function.name))
    made = here._create_op_internal(
        operation.type,
        [here.capture(given) if getattr(given, "graph", here) is not here else given for given in plain],
        [tensor.dtype for tensor in operation.outputs],
        name=f"replica/{operation.name}",
        attrs=attributes,
        op_def=operation.op_def,
    )
    return list(made.outputs)


def _ordered(graph: Any) -> list[Any]:
    """A graph's operations, each behind those whose results it uses: what a loop keeps for gradients is made later."""
    operations = graph.get_operations()
    places = {operation.name: place for place, operation in enumerate(operations)}
    needed = [[places[tensor.op.name] for tensor in operation.inputs] for operation in operations]
    if all(before < place for place, all_before in enumerate(needed) for before in all_before):
        return list(operations)
    try:
        return [operations[place] for place in TopologicalSorter(dict(enumerate(needed))).static_order()]
    except CycleError:
        raise NotCopied("the proof does not enter loops of TensorFlow 1") from None


def _here(given: Sequence[Any]) -> list[Any]:
    """What comes into a branch or a loop, as tensors in it: gradients do not reach further out for what they need."""
    import tensorflow as tf

    return [tf.identity(tensor) if _is_number(tensor) else tensor for tensor in given]


def _shown(given: Sequence[Any], operation: Any) -> list[Any]:
    """The results of a branch as tensors; what there is nothing to show for is a zero."""
    import tensorflow as tf

    if any(isinstance(result, _Variable) for result in given):
        raise NotCopied(f"the branch {operation.name} returns a variable")
    return [
        tf.zeros((), tensor.dtype) if result is None else result
        for result, tensor in zip(given, operation.outputs, strict=True)
    ]


def _truth(tensor: Any) -> Any:
    import tensorflow as tf

    return tensor if tensor.dtype == tf.bool else tf.cast(tensor, tf.bool)


def _behind(tensor: Any) -> Any:
    """The tensor that identities hand on."""
    while tensor.op.type == "Identity":
        tensor = tensor.op.inputs[0]
    return tensor


def _is_number(tensor: Any) -> bool:
    """Whether something is a tensor of real or complex numbers."""
    dtype = getattr(tensor, "dtype", None)
    return bool(getattr(dtype, "is_floating", False) or getattr(dtype, "is_complex", False))
