"""The graph pass for Python programs: lint a function, a graph, or everything that is traced meanwhile.

What a comment on a line of the source ignores is left out, as everywhere else.
"""

from __future__ import annotations

import os
from typing import Any

from tfnanlint.finding import Finding
from tfnanlint.graph.collected import heard, told_once
from tfnanlint.graph.lint import checked, lint_concrete, trace
from tfnanlint.graph.model import GraphError, require_tensorflow


def lint_function(function: Any, *specs: Any, prove: bool | float = False, **options: Any) -> list[Finding]:
    """The findings in a function, traced with `tf.function` on arguments like `specs`.

    A spec is a tensor, a `tf.TensorSpec`, an array, or a plain Python value that the function is to be called with.
    `prove` has what was traced run, to search inputs that show each finding, for ten seconds or as many as it says:
    what is likely and shows nowhere becomes possible, what is possible is reported where it shows, as a fact. Options
    are those of `lint_concrete`; what the function raises while it is traced is raised here.
    """
    require_tensorflow()
    return heard(_linted(trace(function, *specs), prove, options)).findings


def lint_graph(graph: Any, *, prove: bool | float = False, **options: Any) -> list[Finding]:
    """The findings in a graph, however it is held, or in the file or folder of a path.

    Held, it is a (concrete) `tf.function`, a FuncGraph, a Graph or a GraphDef; a `tf.function` is linted through every
    trace it has so far. A path is that of a SavedModel, a `.pb`, `.pbtxt`, `.keras` or HDF5 file; no code in it is run.
    `prove` is as in `lint_function`, and options as in `lint_concrete`. Raises `GraphError`, for a path that cannot be
    read as well.
    """
    require_tensorflow()
    if isinstance(graph, (str, os.PathLike)):
        return heard(_in_file(os.fspath(graph), prove, options)).findings
    import tensorflow as tf

    traces = getattr(graph, "_list_all_concrete_functions", None)
    if traces is not None:
        return heard(told_once(f for concrete in traces() for f in _linted(concrete, prove, options))).findings
    if not hasattr(graph, "graph") and not isinstance(graph, (tf.Graph, tf.compat.v1.GraphDef)):
        raise GraphError(f"{type(graph).__name__} is not a graph")
    return heard(_linted(graph, prove, options)).findings


def _linted(graph: Any, prove: bool | float, options: dict[str, Any]) -> list[Finding]:
    """The findings in a graph that is held; those that are to be proved, with what came of it."""
    if not prove:
        return lint_concrete(graph, **options)
    from tfnanlint.graph.proving import settled
    from tfnanlint.graph.tracing import Subject

    held = dict(options)
    function, outputs, debug_info = (held.pop(name, None) for name in ("name", "outputs", "debug_info"))
    subject = Subject("graph", graph, function, outputs, debug_info)
    lowered = subject.lowered()
    checked(lowered, held.get("ranges"))
    return settled(subject, lowered, prove, held)


def _in_file(path: str, prove: bool | float, options: dict[str, Any]) -> list[Finding]:
    from tfnanlint.config.settings import Settings
    from tfnanlint.graph import child_process
    from tfnanlint.graph.job import Failed, Job, Linted, Proved, reported
    from tfnanlint.graph.lint import EVERY_INPUT, no_input
    from tfnanlint.graph.proofs import keep
    from tfnanlint.graph.proving import seconds_of

    ranges = options.get("ranges") or {}
    job = Job(
        (path,),
        (),
        ranges,
        Settings(pedantic=options.get("pedantic", False)),
        proving=seconds_of(prove) if prove else None,
        confined=True,
        rules=options.get("rules"),
        differentiate=options.get("differentiate"),
    )
    graphs: list[tuple[Linted, list[Finding]]] = []
    for event in child_process.events(job):
        if isinstance(event, Failed):
            raise GraphError(event.reason if event.reason.startswith(path) else f"{path}: {event.reason}")
        if isinstance(event, Linted):
            for name in ranges:
                if name.removesuffix(":0") not in {EVERY_INPUT, *event.inputs, *event.variables}:
                    raise GraphError(no_input(name, event.inputs, event.variables))
            graphs.append((event, list(event.findings)))
        if isinstance(event, Proved):
            graphs[-1][1][event.number] = event.finding
            keep(event.finding, event.numbers)
    return told_once(finding for graph, findings in graphs for finding in reported(graph, findings))
