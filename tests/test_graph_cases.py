"""The programs that died in training, traced: found by the graph pass at the lines where the source pass finds them."""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path
from typing import Any

import pytest
from test_cases import DEADLY, files_of, hazards, named

from tfnanlint.graph import lint_concrete


def _zero_variable(create: Any, **options: Any) -> Any:
    """A variable made outside the graph that is traced; what it begins with is of no interest to a trace."""
    import tensorflow as tf

    given = options.get("initial_value")
    if given is not None and not callable(given):
        shape, dtype = tf.convert_to_tensor(given).shape, tf.convert_to_tensor(given).dtype
        options["initial_value"] = lambda: tf.zeros(shape, dtype)
    with tf.init_scope():
        return create(**options)


def _graphs_of_tensorflow_1(path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The graph that a program of TensorFlow 1 builds, its session left out."""
    import tensorflow as tf

    v1 = tf.compat.v1
    monkeypatch.setitem(sys.modules, "tensorflow", v1)
    v1.disable_resource_variables()
    try:
        with tf.Graph().as_default() as graph:
            exec(compile(path.read_text().replace("RESULT = main()", ""), str(path), "exec"), {"__name__": "case"})
    finally:
        v1.enable_resource_variables()
    return [graph]


def _graphs(path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The graph of an eager program run symbolically, as far as it goes, and what `fit` traces in it."""
    import tensorflow as tf
    from tensorflow.python.framework import func_graph

    code = compile(path.read_text(), str(path), "exec")
    found: list[Any] = []
    if ".fit(" in path.read_text():
        build = func_graph.func_graph_from_py_func

        def recorded(*arguments: Any, **options: Any) -> Any:
            found.append(build(*arguments, **options))
            return found[-1]

        with monkeypatch.context() as patched:
            patched.setattr(func_graph, "func_graph_from_py_func", recorded)
            exec(code, {"__name__": "case"})

    def run() -> Any:
        ended = (AttributeError, NotImplementedError, TypeError)  # what a program raises that looks at its numbers
        with tf.variable_creator_scope(_zero_variable), contextlib.suppress(*ended):
            exec(code, {"__name__": "case"})
        return tf.constant(0.0)

    return [*found, func_graph.func_graph_from_py_func("case", run, (), {})]


@pytest.mark.parametrize("case", DEADLY, ids=named)
def test_a_traced_program_is_reported_at_its_cause_and_nowhere_else(
    case: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(case.parent)
    make = _graphs_of_tensorflow_1 if case.stem.endswith("_tf1") else _graphs
    found = {f for graph in make(case, monkeypatch) for f in lint_concrete(graph)}
    assert {(Path(f.path).name, f.line, f.rule) for f in found} == hazards(case)
    for path in files_of(case)[1:]:  # other programs have modules of the same names
        sys.modules.pop(path.stem, None)
