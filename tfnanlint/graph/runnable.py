"""A graph read as data, turned into a function that runs with its saved values.

Running a graph runs all its operations, and some operations read and write files. So a graph is run only if each of its
operations is known, from the op table or the lowering, to compute and do nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

from tfnanlint.graph.operations import HANDLERS
from tfnanlint.graph.region import NotTried
from tfnanlint.graph.statics import COUNTS, DIFFERENTIABLE
from tfnanlint.ops import GRAPH_TYPES

_PERMITS = "--allow-code permits it"
_HARMLESS = frozenset(
    "NoOp Identity IdentityN Placeholder PlaceholderWithDefault StopGradient Assert EnsureShape".split()
)
_MOVES_ELSEWHERE = frozenset({"RemoteCall"})
_REFERENCES = frozenset({"Variable", "VariableV2"})
_INPUTS = frozenset({"Placeholder"})


class Runnable(NamedTuple):
    """A concrete function with its variables, and the names under which the graph knows the functions that it calls."""

    concrete: Any
    variables: Sequence[Any]
    names: Mapping[str, str]


def runnable(definition: Any, outputs: Sequence[str] | None, values: Mapping[str, Any]) -> Runnable:
    """The function from a GraphDef's placeholders to its results; `NotTried` where it is not to be run.

    `values` are those of its variables, by their names.
    """
    import tensorflow as tf

    nodes = {node.name: node for node in definition.node}
    results = [_tensor(name) for name in outputs] if outputs is not None else _ends(definition.node)
    kept = [nodes[name] for name in _reached((name.partition(":")[0] for name in results), nodes)]
    functions = {function.signature.name: function for function in definition.library.function}
    called = [functions[name] for name in _called(kept, functions)]
    _check((*kept, *(node for function in called for node in function.node_def)), functions)
    given = [node for node in kept if node.op in _INPUTS]
    specs = [_spec(node) for node in given]
    held = [node for node in kept if node.op == "VarHandleOp"]
    variables = {node.name: tf.Variable(_value(node, values), name=_shared_name(node)) for node in held}
    fixed = {node.name: _value(node, values) for node in kept if node.op in _REFERENCES}
    replaced = {node.name for node in given} | variables.keys() | fixed.keys()
    part, names = _renamed([node for node in kept if node.name not in replaced], called, definition.versions)

    def run(*tensors: Any) -> Any:
        known = {f"{node.name}:0": tensor for node, tensor in zip(given, tensors, strict=True)}
        here = tf.compat.v1.get_default_graph()
        known |= {f"{name}:0": here.capture(variable.handle) for name, variable in variables.items()}
        known |= {f"{name}:0": tf.constant(value) for name, value in fixed.items()}
        wanted = [name for name in results if name not in known]
        made = dict(zip(wanted, tf.graph_util.import_graph_def(part, known, wanted, name=""), strict=True))
        return [made.get(name, known.get(name)) for name in results]

    concrete = tf.function(run, specs, autograph=False).get_concrete_function()
    concrete.graph.variables = tuple(variables.values())
    return Runnable(concrete, tuple(variables.values()), names)


def ends_of(definition: Any, outputs: Sequence[str] | None) -> tuple[list[str], list[str]]:
    """The placeholders that a GraphDef's results are computed from, and the results."""
    nodes = {node.name: node for node in definition.node}
    results = [_tensor(name) for name in outputs] if outputs is not None else _ends(definition.node)
    kept = [nodes[name] for name in _reached((name.partition(":")[0] for name in results), nodes)]
    return [node.name for node in kept if node.op in _INPUTS], results


def _check(nodes: Iterable[Any], functions: Mapping[str, Any]) -> None:
    """`NotTried` for the first operation that may do more than compute."""
    for node in nodes:
        if node.op not in _computing() and node.op not in functions:
            raise NotTried(f"its operation {node.op[:60]} may do more than compute; {_PERMITS}")


@cache
def _computing() -> frozenset[str]:
    return frozenset([*GRAPH_TYPES, *HANDLERS.by_type, *COUNTS, *_HARMLESS]) - _MOVES_ELSEWHERE


def _tensor(name: str) -> str:
    return name if ":" in name else f"{name}:0"


def _ends(nodes: Iterable[Any]) -> list[str]:
    """What no operation uses, of real numbers."""
    from tfnanlint.graph.model import dtype_of

    held = list(nodes)
    used = {name.partition(":")[0].lstrip("^") for node in held for name in node.input}
    ends = [node for node in held if node.name not in used]
    return [f"{node.name}:0" for node in ends if node.attr and dtype_of(_type(node)) in DIFFERENTIABLE]


def _type(node: Any) -> int:
    """The element type of a node's first result, as far as its attributes say it."""
    for name in ("dtype", "DstT", "T"):
        if name in node.attr:
            return int(node.attr[name].type)
    return 0


def _reached(names: Iterable[str], nodes: Mapping[str, Any]) -> list[str]:
    """The nodes that some are computed from, with them, in the order of the graph."""
    waiting = list(names)
    reached: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name in nodes and name not in reached:
            reached.add(name)
            waiting += [given.partition(":")[0].lstrip("^") for given in nodes[name].input]
    return [name for name in nodes if name in reached]


def _called(nodes: Iterable[Any], functions: Mapping[str, Any]) -> list[str]:
    """The functions that some nodes call, and those that these call."""
    waiting = list(nodes)
    reached: dict[str, None] = {}
    while waiting:
        node = waiting.pop()
        for name in (node.op, *_functions_in(node)):
            if name in functions and name not in reached:
                reached[name] = None
                waiting += functions[name].node_def
    return list(reached)


def _functions_in(node: Any) -> list[str]:
    found = []
    for value in node.attr.values():
        found += [value.func.name] if value.HasField("func") else [function.name for function in value.list.func]
    return found


def _shared_name(node: Any) -> str:
    return node.attr["shared_name"].s.decode("utf-8", "replace") or str(node.name)


def _value(node: Any, values: Mapping[str, Any]) -> Any:
    """What a variable was saved with."""
    name = _shared_name(node)
    if name not in values:
        raise NotTried(f"the value of its variable {name[:60]} is unknown")
    return values[name]


def _spec(node: Any) -> Any:
    import tensorflow as tf

    return tf.TensorSpec(tf.TensorShape(node.attr["shape"].shape), tf.as_dtype(node.attr["dtype"].type), node.name)


_numbers = iter(range(1, 1 << 62))


def _renamed(nodes: Sequence[Any], functions: Sequence[Any], versions: Any) -> tuple[Any, dict[str, str]]:
    """A GraphDef of nodes and functions, these under names that no other graph of this process has given TensorFlow."""
    from tensorflow.core.framework import graph_pb2

    number = next(_numbers)
    renamed = {function.signature.name: f"{function.signature.name}_of_{number}" for function in functions}
    part = graph_pb2.GraphDef()
    part.versions.CopyFrom(versions)
    part.node.extend(nodes)
    part.library.function.extend(functions)
    for function in part.library.function:
        function.signature.name = renamed[function.signature.name]
    for node in (*part.node, *(node for function in part.library.function for node in function.node_def)):
        node.op = renamed.get(node.op, node.op)
        for value in node.attr.values():
            for held in [value.func] if value.HasField("func") else value.list.func:
                held.name = renamed.get(held.name, held.name)
    return part, {new: old for old, new in renamed.items()}
