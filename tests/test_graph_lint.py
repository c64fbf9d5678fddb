"""Findings in traced functions: the same as in their text, at the user's line, with reasons and a trail."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from graph_programs import HEAD, program

from tfnanlint.finding import Finding
from tfnanlint.flow import REWRITTEN_FROM
from tfnanlint.graph import GraphError, lint_concrete, lint_function, lint_graph, trace
from tfnanlint.lint import lint_source
from tfnanlint.prefilter.candidates import attainable, requirements
from tfnanlint.prefilter.mentions import OPERATORS
from tfnanlint.ruleset.cache import installed_rules
from tfnanlint.ruleset.compile import pattern_nodes

TOP = HEAD.count("\n")


def specs_of(*shapes: Any) -> list[Any]:
    import tensorflow as tf

    return [tf.TensorSpec(shape, tf.float32) for shape in shapes]


def lint(text: str, *shapes: Any, **options: Any) -> list[Finding]:
    """The findings of the graph pass in a program's `f`."""
    _, names = program(text)
    return lint_function(names["f"], *specs_of(*shapes), **options)


def places(findings: list[Finding]) -> list[tuple[str, int, int, int, int]]:
    return sorted((f.rule, f.line - TOP, f.column, f.end_line - TOP, f.end_column) for f in findings)


PROGRAMS = {
    "the log of a softmax": "def f(x):\n    p = tf.nn.softmax(x)\n    return tf.math.log(p)\n",
    "a root of a sum of squares over two lines": (
        "def f(x):\n    with tf.GradientTape() as tape:\n        tape.watch(x)\n"
        "        loss = tf.sqrt(\n            tf.reduce_sum(tf.square(x), axis=-1)\n        )\n"
        "    return tape.gradient(loss, x)\n"
    ),
    "two norms on one line": (
        "def f(x):\n    with tf.GradientTape() as tape:\n        tape.watch(x)\n"
        "        loss = tf.norm(x, axis=-1) + tf.norm(tf.exp(-x), axis=-1)\n    return tape.gradient(loss, x)\n"
    ),
    "a quotient by a norm": "def f(x):\n    return x / tf.norm(x, axis=-1, keepdims=True)\n",
    "a guarded quotient": "def f(x):\n    return x / (tf.norm(x, axis=-1, keepdims=True) + 1e-3)\n",
    "a helper": (
        "def safe_log(v):\n    return tf.math.log(v)\n\n\ndef f(x):\n    return safe_log(tf.nn.relu(x)) * 2.0\n"
    ),
    "nothing wrong": (
        "def f(x):\n    z = x - tf.reduce_max(x, axis=-1, keepdims=True)\n"
        "    return z - tf.math.log(tf.reduce_sum(tf.exp(z), axis=-1, keepdims=True))\n"
    ),
    "keras.ops": "def f(x):\n    return ops.log(ops.softmax(x, axis=-1))\n",
}


@pytest.mark.parametrize("text", PROGRAMS.values(), ids=PROGRAMS)
def test_both_passes_report_the_same_at_the_same_places(text: str) -> None:
    source = places(lint_source(HEAD + text, "program.py"))
    assert places(lint(text, (3, 3), differentiate=False)) == source
    assert bool(source) == ("guarded" not in text and "- tf.reduce_max" not in text and "1e-3" not in text)


def test_a_finding_says_why_and_where_and_by_which_calls() -> None:
    text = (
        "def root(v):\n    return tf.sqrt(v)\n\n\n"
        "def length(v):\n    return root(tf.reduce_sum(tf.square(v), axis=-1))\n\n\n"
        "def f(x):\n    with tf.GradientTape() as tape:\n        tape.watch(x)\n        loss = length(x) * 2.0\n"
        "    return tape.gradient(loss, x)\n"
    )
    path, names = program(text)
    (found,) = lint_function(names["f"], *specs_of((3, 3)))
    assert (found.path, found.line, found.column, found.end_column) == (path, 2 + TOP, 12, 22)
    assert (found.origin, found.node, found.fix, found.cell) == ("graph", "Sqrt", None, None)
    assert "a sum of squares" in found.evidence
    assert [(step.line - TOP, step.note.split(":")[0]) for step in found.trail] == [
        (6, "reduce_sum"),
        (12, "called from here"),
        (6, "called from here"),
        (13, "differentiated inside the traced function"),
    ]


def test_without_gradients_of_its_own_a_function_is_taken_to_be_differentiated_unless_told_otherwise() -> None:
    text = "def f(x):\n    return tf.norm(x, axis=-1)\n"
    assert [f.line - TOP for f in lint(text, (3, 3))] == [2]
    assert lint(text, (3, 3), differentiate=False) == []
    assert lint(text, (3, 3), differentiate=False, pedantic=True) == []


def test_only_the_named_results_are_differentiated() -> None:
    text = "def f(x):\n    return tf.norm(x, name='first'), tf.norm(x * 2.0, axis=-1, name='second')\n"
    _, names = program(text)
    concrete = trace(names["f"], *specs_of((3, 3)))
    assert {f.node for f in lint_concrete(concrete)} == {"first/Squeeze", "second/Squeeze"}
    assert {f.node for f in lint_concrete(concrete, differentiate=["first/Squeeze"])} == {"first/Squeeze"}
    with pytest.raises(GraphError, match="no operation named 'third'"):
        lint_concrete(concrete, differentiate=["third"])


def test_a_stopped_gradient_and_a_guarded_value_are_not_reported() -> None:
    assert lint("def f(x):\n    return tf.stop_gradient(tf.norm(x)) * x\n", (3,)) == []
    assert lint("def f(x):\n    return tf.sqrt(tf.maximum(tf.reduce_sum(tf.square(x)), 1e-6))\n", (3,)) == []


def test_ranges_of_inputs_decide() -> None:
    import tensorflow as tf

    from tfnanlint.facts import Range
    from tfnanlint.interval import Interval

    text = "def f(x, y):\n    return tf.math.log(x) + y\n"
    assert lint(text, (3,), (3,)) == []
    assert lint(text, (3,), (3,), ranges={"x": (1.0, 2.0)}) == []
    assert [f.line - TOP for f in lint(text, (3,), (3,), ranges={"x": (0.0, 2.0)})] == [2]
    assert lint(text, (3,), (3,), ranges={"x": Interval(0.0, 1.0)})[0].evidence.startswith("its argument is in [0, 1]")
    assert lint(text, (3,), (3,), ranges={"x": Range(Interval(-1.0, 1.0), "told")})
    with pytest.raises(GraphError, match="no input is named 'z'; the graph's inputs: x, y"):
        lint_function(program(text)[1]["f"], tf.TensorSpec((3,)), tf.TensorSpec((3,)), ranges={"z": (0.0, 1.0)})


def test_rules_can_be_chosen() -> None:
    text = "def f(x):\n    return tf.math.log(tf.nn.softmax(x)) + tf.math.log(tf.nn.relu(x))\n"
    names = {f.rule for f in lint(text, (3, 3))}
    assert len(names) > 1
    for name in names:
        assert {f.rule for f in lint(text, (3, 3), rules=installed_rules().select([name]))} == {name}


def test_code_that_runs_under_a_library_stands_at_the_users_line() -> None:
    text = (
        "def loss(y, p):\n    return -tf.reduce_sum(y * tf.math.log(p), axis=-1)\n\n\n"
        "model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(3, activation='softmax')])\n"
        "model.compile('sgd', loss)\n\n\n"
        "def f(x, y):\n    return model.train_step((x, y))\n"
    )
    found = lint(text, (2, 4), (2, 3))
    assert [(f.line - TOP, f.column) for f in found] == [(2, 31)]
    assert any("softmax" in step.note for step in found[0].trail)


def test_statements_that_autograph_rewrites_keep_their_places() -> None:
    text = (
        "def f(x, n):\n"
        "    total = x\n"
        "    for i in range(2):\n"
        "        total += (\n"
        "            tf.math.log(\n"
        "                tf.nn.softmax(x))\n"
        "        )\n"
        "    return total\n"
    )
    assert [(f.line - TOP, f.column, f.end_line - TOP) for f in lint(text, (3, 3), ())] == [(5, 13, 6)]


def test_a_graph_without_stacks_names_its_nodes() -> None:
    _, names = program("def f(x):\n    return tf.math.log(tf.nn.softmax(x)), tf.math.log(tf.nn.softmax(x * 2.0))\n")
    definition = trace(names["f"], *specs_of((3, 3))).graph.as_graph_def()
    found = lint_graph(definition)
    assert [(f.path, f.line, f.node) for f in found] == [("<graph>", 1, "Log"), ("<graph>", 1, "Log_1")]


def test_every_trace_of_a_function_is_linted_and_told_once() -> None:
    import tensorflow as tf

    _, names = program("@tf.function\ndef f(x):\n    return tf.math.log(tf.nn.softmax(x))\n")
    assert lint_graph(names["f"]) == []
    names["f"](tf.zeros((2, 2)))
    names["f"](tf.zeros((2, 3)))
    assert [f.line - TOP for f in lint_graph(names["f"])] == [3]
    with pytest.raises(GraphError, match="int is not a graph"):
        lint_graph(3)


def test_a_keras_model_is_linted_as_it_is_called_and_as_it_is_trained() -> None:
    import keras
    import tensorflow as tf

    def log_loss(labels: tf.Tensor, p: tf.Tensor) -> tf.Tensor:
        return -tf.reduce_sum(labels * tf.math.log(p))

    x = keras.Input((4,))
    p = keras.layers.Dense(3, activation="softmax")(x)
    assert [one.rule for one in lint_graph(keras.Model(x, keras.ops.log(p)))] == ["log-softmax"]
    model = keras.Model(x, p)
    assert lint_graph(model) == []
    model.compile("adam", loss=log_loss)
    assert [(one.rule, Path(one.path).name) for one in lint_graph(model)] == [("log-softmax", Path(__file__).name)]
    assert lint_graph(model, differentiate=False) != []
    with pytest.raises(GraphError, match="does not declare its inputs; `lint_function` takes a description"):
        lint_graph(keras.Sequential([keras.layers.Dense(2)]))


def test_a_reciprocal_root_that_a_minimum_bounds_fails_under_xla_only() -> None:
    text = "def f(x):\n    return x * tf.minimum(tf.math.rsqrt(tf.reduce_sum(tf.square(x), -1, keepdims=True)), 1e6)\n"
    assert [(f.rule, f.severity) for f in lint(text, (3, 3))] == [("sqrt-under-xla", "warning")]
    assert lint(text, (3, 3), differentiate=False) == []


def test_a_graph_may_be_given_by_the_path_of_its_file(tmp_path: Path) -> None:
    _, names = program("def f(x):\n    return tf.math.log(tf.nn.softmax(x))\n")
    target = tmp_path / "graph.pb"
    target.write_bytes(trace(names["f"], *specs_of((3, 3))).graph.as_graph_def().SerializeToString())
    (found,) = lint_graph(target)
    assert (found.rule, found.path, found.node, found.has_source) == ("log-softmax", str(target), "Log", False)
    assert lint_graph(str(target), rules=installed_rules().select(["sqrt"])) == []
    with pytest.raises(GraphError, match="cannot read the file: no such file"):
        lint_graph(tmp_path / "missing.pb")


def test_every_shape_of_a_rule_is_possible_in_a_flow_that_holds_it() -> None:
    """What is asked before a file is searched may leave out no rule that could match."""
    wrong = []
    for rule in installed_rules():
        for pattern in rule.patterns:
            present = {*OPERATORS.values(), "layer:", *(node.op for node in pattern_nodes(pattern.root))}
            present |= {source for op in list(present) for source in REWRITTEN_FROM.get(op, ())}
            if not any(ops <= attainable(present) for ops, _ in requirements(rule)):
                wrong.append(f"{rule.name}: {pattern.name}")
    assert wrong == []


NORMALISED = """
def f(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        given = ([], []) if {training} else tf.nn.moments(x, [0, 1, 2])
        y, *_ = tf.raw_ops.FusedBatchNormV3(
            x=tf.cast(x, "{dtype}"), scale=tf.ones(3), offset=tf.zeros(3), mean=given[0], variance=given[1],
            epsilon={epsilon}, is_training={training}
        )
        loss = tf.reduce_mean(tf.cast(y, "float32"))
    return y, tape.gradient(loss, x)
"""


@pytest.mark.parametrize("epsilon", [0.0, 1e-8])
@pytest.mark.parametrize("dtype", ["float32", "float16"])
@pytest.mark.parametrize("training", [True, False])
def test_a_fused_normalisation_is_a_hazard_without_an_epsilon_only(training: bool, dtype: str, epsilon: float) -> None:
    import numpy as np
    import tensorflow as tf

    _, names = program(NORMALISED.format(training=training, dtype=dtype, epsilon=epsilon))
    shown = tf.function(names["f"])(tf.ones((2, 2, 2, 3)))
    assert all(np.isfinite(part.numpy().astype("float32")).all() for part in shown) == (epsilon > 0)
    found = lint_function(names["f"], *specs_of((2, 2, 2, 3)))
    assert [f.rule for f in found] == (["divide-by-root"] if epsilon == 0 else [])


MOVING = {
    "tf.reverse_sequence(x, [1, 1, 1, 1], 1)": (4, 4),
    "tf.linalg.tensor_diag_part(x)": (4, 4),
    "tf.nn.max_pool_with_argmax(x, 2, 2, 'SAME')[0]": (1, 4, 4, 1),
    "tf.nn.fractional_max_pool(x, [1.0, 1.44, 1.73, 1.0])[0]": (1, 8, 8, 1),
    "tf.image.crop_and_resize(x, [[0.0, 0.0, 1.0, 1.0]], [0], [4, 4])": (1, 4, 4, 1),
    "tf.unique(x)[0]": (4,),
    "tf.tensor_scatter_nd_max(x, [[0]], x[:1])": (4,),
    "tf.RaggedTensor.from_row_lengths(x, [1, 3]).to_tensor()": (4,),
    "tf.sparse.to_dense(tf.sparse.from_dense(x))": (4, 4),
    "tf.abs(tf.signal.stft(x, 2, 1))": (4,),
}


@pytest.mark.parametrize(("moved", "shape"), MOVING.items(), ids=MOVING)
def test_what_moves_elements_hands_on_what_is_seen_of_them(moved: str, shape: tuple[int, ...]) -> None:
    import numpy as np
    import tensorflow as tf

    _, names = program(f"def f(x):\n    x = tf.nn.relu(x)\n    return tf.math.log({moved})\n")
    assert np.isneginf(names["f"](tf.zeros(shape))).any()
    concrete = trace(names["f"], *specs_of(shape))
    assert [f.rule for f in lint_concrete(concrete)] == ["log-reaches-zero"]
    assert [f.rule for f in lint_concrete(concrete.graph.as_graph_def())] == ["log-reaches-zero"]  # without stacks
