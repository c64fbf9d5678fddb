"""The graph pass for Python programs: lint a function, a graph, or everything that is traced meanwhile.

What a comment on a line of the source ignores is left out, as everywhere else.
"""

from __future__ import annotations

import os
from typing import Any

from tfnanlint.finding import Finding
from tfnanlint.graph.collected import heard, told_once
from tfnanlint.graph.lint import lint_concrete, trace
from tfnanlint.graph.model import GraphError


def lint_function(function: Any, *specs: Any, **options: Any) -> list[Finding]:
    """The findings in a function, traced with `tf.function` on arguments like `specs`.

    A spec is a tensor, a `tf.TensorSpec`, an array, or a plain Python value that the function is to be called with.
    Options are those of `lint_concrete`; what the function raises while it is traced is raised here.
    """
    return heard(lint_concrete(trace(function, *specs), **options)).findings


def lint_graph(graph: Any, **options: Any) -> list[Finding]:
    """The findings in a graph, however it is held, or in the file or folder of a path.

    Held, it is a (concrete) `tf.function`, a FuncGraph, a Graph or a GraphDef; a `tf.function` is linted through every
    trace it has so far. A path is that of a SavedModel, a `.pb`, `.pbtxt`, `.keras` or HDF5 file; no code in it is run.
    Options are those of `lint_concrete`. Raises `GraphError`, for a path that cannot be read as well.
    """
    if isinstance(graph, (str, os.PathLike)):
        return heard(_in_file(os.fspath(graph), options)).findings
    import tensorflow as tf

    traces = getattr(graph, "_list_all_concrete_functions", None)
    if traces is not None:
        return heard(told_once(f for concrete in traces() for f in lint_concrete(concrete, **options))).findings
    if not hasattr(graph, "graph") and not isinstance(graph, (tf.Graph, tf.compat.v1.GraphDef)):
        raise GraphError(f"{type(graph).__name__} is no graph")
    return heard(lint_concrete(graph, **options)).findings


def _in_file(path: str, options: dict[str, Any]) -> list[Finding]:
    from tfnanlint.config.settings import Settings
    from tfnanlint.graph import child_process
    from tfnanlint.graph.job import Failed, Job, Linted
    from tfnanlint.graph.lint import EVERY_INPUT, no_input

    ranges = options.get("ranges") or {}
    job = Job(
        (path,),
        (),
        ranges,
        Settings(pedantic=options.get("pedantic", False)),
        confined=True,
        rules=options.get("rules"),
        differentiate=options.get("differentiate"),
    )
    found: list[Finding] = []
    for event in child_process.events(job):
        if isinstance(event, Failed):
            raise GraphError(event.reason if event.reason.startswith(path) else f"{path}: {event.reason}")
        if isinstance(event, Linted):
            for name in ranges:
                if name.removesuffix(":0") not in {EVERY_INPUT, *event.inputs, *event.variables}:
                    raise GraphError(no_input(name, event.inputs, event.variables))
            found += event.findings
    return told_once(found)
