"""The Python API of the graph pass: lint a function, a graph, or everything traced in a block.

Ignore comments in the source apply here, too.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from tfnanlint.finding import Finding
from tfnanlint.graph.batches import batch_of, described_by, sampled_inputs
from tfnanlint.graph.collected import heard, told_once
from tfnanlint.graph.lint import checked, lint_concrete, trace
from tfnanlint.graph.model import GraphError, require_tensorflow

if TYPE_CHECKING:
    from tfnanlint.graph.tracing import Subject


def lint_function(function: Any, *specs: Any, prove: bool | float = False, **options: Any) -> list[Finding]:
    """The findings in a function, traced with `tf.function` on arguments like `specs`.

    A spec is a `tf.TensorSpec`, a plain Python value to call the function with, or a sample of the data: an array, a
    tensor, or a `tf.data` dataset that yields the arguments. Trials use the numbers of a sample, unless they are too
    few or all equal, and keep to their range. With `prove` the
    traced function is run to search for inputs that trigger each finding, for ten seconds or the given number: a likely
    finding that no input triggers becomes possible, and a possible one that is triggered becomes certain. Options are
    those of `lint_concrete`. Errors that the function raises during tracing are raised here.
    """
    from tfnanlint.graph.tracing import is_model

    require_tensorflow()
    described, batch = described_by(function, specs, is_model(function))
    concrete = trace(function, *described)
    samples = {**sampled_inputs(concrete, batch), **(options.pop("samples", None) or {})}
    return heard(_linted(concrete, prove, {**options, "samples": samples})).findings


def lint_graph(
    graph: Any, *, prove: bool | float = False, signature: str | None = None, **options: Any
) -> list[Finding]:
    """The findings in a graph, given as an object or as the path of a file or folder.

    An object is a (concrete) `tf.function`, a FuncGraph, a Graph, a GraphDef or a Keras model. Of a `tf.function` every
    trace so far is linted; of a model, the forward pass, and the training step if it is compiled. A path is that of a
    SavedModel, a `.pb`, `.pbtxt`, `.keras` or HDF5 file; code inside it does not run. `prove` is as in `lint_function`,
    and options are those of `lint_concrete`. Of a SavedModel, only the `signature` of that name is linted if there is
    one. Raises `GraphError`, also for an unreadable path and for a model that does not declare its inputs.
    """
    require_tensorflow()
    if isinstance(graph, (str, os.PathLike)):
        return heard(_in_file(os.fspath(graph), prove, options, signature)).findings
    import tensorflow as tf

    from tfnanlint.graph.importing import TargetError
    from tfnanlint.graph.tracing import DESCRIBE, is_model, subjects_of

    if is_model(graph):
        parts = subjects_of(f"<{type(graph).__name__}>", graph, ())
        try:
            return heard(
                told_once(f for part in parts for f in _linted(part.graph, prove, _with_its(part, options)))
            ).findings
        except TargetError as error:
            reason = str(error).replace(DESCRIBE, "`lint_function` takes a description of them beside the model")
            raise GraphError(reason) from error
    traces = getattr(graph, "_list_all_concrete_functions", None)
    if traces is not None:
        return heard(told_once(f for concrete in traces() for f in _linted(concrete, prove, options))).findings
    if not hasattr(graph, "graph") and not isinstance(graph, (tf.Graph, tf.compat.v1.GraphDef)):
        raise GraphError(f"{type(graph).__name__} is not a graph")
    return heard(_linted(graph, prove, options)).findings


def _with_its(part: Subject, options: dict[str, Any]) -> dict[str, Any]:
    """Options, with those of a part of a model where they are not given."""
    return {"differentiate": part.differentiate, "samples": part.samples, **options}


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


def _in_file(path: str, prove: bool | float, options: dict[str, Any], signature: str | None) -> list[Finding]:
    from tfnanlint.config.settings import Settings
    from tfnanlint.graph import child_process
    from tfnanlint.graph.job import Failed, Job, Linted, Proved, reported
    from tfnanlint.graph.lint import EVERY_INPUT, no_input, warn_of
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
        batch=batch_of(options["samples"]) if options.get("samples") else None,
        signature=signature,
    )
    graphs: list[tuple[Linted, list[Finding]]] = []
    for event in child_process.events(job):
        if isinstance(event, Failed):
            raise GraphError(event.reason if event.reason.startswith(path) else f"{path}: {event.reason}")
        if isinstance(event, Linted):
            warn_of(event.beyond)
            for name in ranges:
                if name.removesuffix(":0") not in {EVERY_INPUT, *event.inputs, *event.variables}:
                    raise GraphError(no_input(name, event.inputs, event.variables))
            graphs.append((event, list(event.findings)))
        if isinstance(event, Proved):
            graphs[-1][1][event.number] = event.finding
            keep(event.finding, event.numbers)
    return told_once(finding for graph, findings in graphs for finding in reported(graph, findings))
