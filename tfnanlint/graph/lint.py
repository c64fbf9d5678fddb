"""Linting what TensorFlow traced: a function, a concrete function, a graph."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from tfnanlint.captures import Match
from tfnanlint.facts import Facts, Range
from tfnanlint.finding import Finding, Place
from tfnanlint.graph.lower import Lowered, lower
from tfnanlint.graph.model import GraphError
from tfnanlint.graph.positions import Positions
from tfnanlint.graph.statics import DIFFERENTIABLE
from tfnanlint.interval import Interval
from tfnanlint.match import Matcher
from tfnanlint.telling import better, finding_of

if TYPE_CHECKING:
    from tfnanlint.flow import Node
    from tfnanlint.template import Rules

Bounds = Range | Interval | tuple[float, float]
"""What is known of an input: a range, or its least and greatest value."""

AS_OUTPUT = "differentiated as a result of the traced function"
NO_FIX = "a traced graph is repaired in the source that it was traced from"


def lint_concrete(
    function: Any,
    *,
    rules: Rules | None = None,
    ranges: Mapping[str, Bounds] | None = None,
    differentiate: bool | Sequence[str] | None = None,
    pedantic: bool = False,
    name: str | None = None,
    outputs: Sequence[str] | None = None,
    debug_info: Any = None,
) -> list[Finding]:
    """The findings in a concrete function, a FuncGraph, a Graph or a GraphDef.

    `ranges` bounds inputs, by the names of the function's parameters, and variables, by theirs. Of a GraphDef, `name`
    is the function of its library to lint, `outputs` the tensors that are its results (by default what nothing uses)
    and `debug_info` the GraphDebugInfo that was saved with it; without one, findings name the node. `differentiate`
    says whether the results are differentiated with respect to the inputs and variables (True, False, or the names of
    the results' operations); by default they are where the graph takes no gradients itself. Raises `GraphError` for a
    definition that makes no graph, and for a name that is not there.
    """
    lowered = lower(function, function=name, outputs=outputs, debug_info=debug_info)
    _bound(lowered, ranges or {})
    if differentiate is None:
        differentiate = not lowered.differentiates
    for node in _targets(lowered, differentiate):
        lowered.flow.differentiate(node, AS_OUTPUT, None)
    facts = Facts(lowered.flow, lowered.assumptions)
    matches = Matcher(_all_rules() if rules is None else rules).matches(lowered.flow, facts, pedantic)
    return _findings(matches, facts, Positions(lowered.sites))


@cache
def _all_rules() -> Rules:
    """The rules that come with the package, compiled once for all the functions of a process."""
    from tfnanlint.template import load_rules

    return load_rules()


def _bound(lowered: Lowered, ranges: Mapping[str, Bounds]) -> None:
    """Note the ranges of inputs and variables."""
    for name, given in ranges.items():
        plain = name.removesuffix(":0")
        node = lowered.inputs.get(plain) or lowered.variables.get(plain)
        if node is None:
            inputs, variables = (", ".join(known) or "none" for known in (lowered.inputs, lowered.variables))
            raise GraphError(
                f"there is no input named {name!r}; the graph's inputs are: {inputs}; variables: {variables}"
            )
        if isinstance(given, tuple):
            given = Interval(float(given[0]), float(given[1]))
        if isinstance(given, Interval):
            given = Range(given, given, f"given as {given}")
        lowered.assume(node, range=given)


def _targets(lowered: Lowered, differentiate: bool | Sequence[str]) -> list[Node]:
    """The nodes that are differentiated from outside."""
    if differentiate is False:
        return []
    held = lowered.assumptions
    nodes = [n for n in lowered.outputs if n not in held or held[n].dtype in DIFFERENTIABLE]
    if differentiate is True:
        return nodes
    found = [node for node in lowered.flow if node.origin is not None and node.origin.name in differentiate]
    missing = set(differentiate) - {node.origin.name for node in found}
    if missing:
        raise GraphError(f"there is no operation named {sorted(missing)[0]!r} in the graph")
    return found


def _findings(matches: list[Match], facts: Facts, positions: Positions) -> list[Finding]:
    """The findings of matches, the best of each place."""
    best: dict[Any, Finding] = {}
    for match in matches:
        origin = match.root.origin
        nowhere: Place = ("<graph>", 1, 1, 1, 1)
        found = finding_of(match, facts, positions, origin="graph", nowhere=nowhere, node=origin.name, no_fix=NO_FIX)
        key = (*found.position, found.node if origin.site is None else "")
        if key not in best or better(found, best[key]):
            best[key] = found
    return sorted(best.values(), key=lambda finding: (finding.position, finding.node or ""))


def lint_function(function: Any, *specs: Any, **options: Any) -> list[Finding]:
    """The findings in a function, traced with `tf.function` on arguments like `specs`.

    A spec is a tensor, a `tf.TensorSpec`, an array, or a plain Python value that the function is to be called with.
    Options are those of `lint_concrete`; what the function raises while it is traced is raised here.
    """
    return lint_concrete(trace(function, *specs), **options)


def trace(function: Any, *specs: Any) -> Any:
    """The concrete function of a Python function, a `tf.function`, a layer or a model."""
    import inspect

    import tensorflow as tf

    if hasattr(function, "get_concrete_function"):
        traced = function
    elif inspect.isroutine(function):
        traced = tf.function(function)
    elif callable(function):
        traced = tf.function(lambda *arguments: function(*arguments))  # noqa: PLW0108 (an object has no signature)
    else:
        raise GraphError(f"{function!r} is nothing that can be called")
    return traced.get_concrete_function(*(_spec(tf, value) for value in specs))


def _spec(tf: Any, value: Any) -> Any:
    """A spec as `get_concrete_function` takes it: arrays and tensors by their type, everything else as it is."""
    if isinstance(value, (list, tuple)) and not all(isinstance(v, (int, float)) for v in value):
        return type(value)(_spec(tf, v) for v in value)
    if isinstance(value, dict):
        return {key: _spec(tf, v) for key, v in value.items()}
    if isinstance(value, tf.Tensor) or (hasattr(value, "__array__") and not isinstance(value, tf.Variable)):
        return tf.TensorSpec(value.shape, value.dtype)
    return value


def lint_graph(graph: Any, **options: Any) -> list[Finding]:
    """The findings in a graph, however it is held: a (concrete) `tf.function`, a FuncGraph, a Graph or a GraphDef.

    Options are those of `lint_concrete`. A `tf.function` is linted through every trace it has so far.
    """
    import tensorflow as tf

    traces = getattr(graph, "_list_all_concrete_functions", None)
    if traces is not None:
        found = {f: None for concrete in traces() for f in lint_concrete(concrete, **options)}
        return sorted(found, key=lambda finding: finding.position)
    if not hasattr(graph, "graph") and not isinstance(graph, (tf.Graph, tf.compat.v1.GraphDef)):
        raise GraphError(f"{type(graph).__name__} is no graph")
    return lint_concrete(graph, **options)
