"""Branches, loops, lists of tensors and the frames of TensorFlow 1: entered, with ranges through them."""

from __future__ import annotations

import pytest
from graph_programs import HEAD, from_graph, ops_of, program, traced

from tfnanlint.facts import Facts
from tfnanlint.graph import lint_concrete
from tfnanlint.graph.lower import lower
from tfnanlint.graph.model import functions_of
from tfnanlint.interval import INF

TOP = HEAD.count("\n")


def range_of_result(text: str, *shapes: object) -> tuple[float, float]:
    """The bounds of what a program's `f` returns."""
    lowered = lower(traced(text, *shapes))
    outer = Facts(lowered.flow, lowered.assumptions).range(lowered.outputs[0]).outer
    return outer.lo, outer.hi


RANGES = {
    "tf.cond(tf.reduce_sum(x) > 0, lambda: tf.sigmoid(x), lambda: tf.nn.relu(x) + 2.0)": (0.0, INF),
    "tf.switch_case(i, [lambda: tf.sigmoid(x), lambda: tf.tanh(x), lambda: x * 0.0])": (-1.0, 1.0),
    "tf.while_loop(lambda v: tf.reduce_sum(v) < 9, lambda v: (tf.abs(v),), (tf.sigmoid(x),))[0]": (0.0, 1.0),
    "tf.while_loop(lambda v: tf.reduce_sum(v) < 9, lambda v: (v + 1.0,), (tf.sigmoid(x),))[0]": (0.0, INF),
    "tf.while_loop(lambda n, v: n < 3, lambda n, v: (n + 1, v), (0, tf.sigmoid(x)))[1]": (0.0, 1.0),
    "tf.map_fn(tf.sigmoid, x)": (0.0, 1.0),
    "tf.scan(lambda held, row: tf.maximum(held, row), tf.sigmoid(x))": (0.0, 1.0),
    "tf.foldl(lambda held, row: held * 0.5, tf.nn.sigmoid(x))": (0.0, 1.0),
    "tf.vectorized_map(tf.sigmoid, x)": (0.0, 1.0),
    "tf.function(tf.function(tf.sigmoid))(x)": (0.0, 1.0),
}


@pytest.mark.parametrize(("expression", "bounds"), RANGES.items(), ids=RANGES)
def test_ranges_go_through_control_flow(expression: str, bounds: tuple[float, float]) -> None:
    import tensorflow as tf

    text = f"def f(x, i):\n    return {expression}\n"
    assert range_of_result(text, (3, 3), tf.TensorSpec((), tf.int32)) == bounds


def test_a_list_that_is_filled_by_a_loop_holds_what_was_put_in() -> None:
    text = (
        "def f(x):\n"
        "    rows = tf.TensorArray(tf.float32, size=3, element_shape=(3,))\n"
        "    for i in tf.range(3):\n"
        "        rows = rows.write(i, tf.nn.sigmoid(x[i]))\n"
        "    return rows.stack()\n"
    )
    assert range_of_result(text, (3, 3)) == (0.0, 1.0)
    assert "sigmoid" in ops_of(from_graph(text, (3, 3)))


PLACES = {
    "a branch": "    if tf.reduce_sum(x) > 0:\n        x = tf.math.log(tf.nn.softmax(x))\n    return x\n",
    "a loop": "    for _ in tf.range(3):\n        x = tf.math.log(tf.nn.softmax(x))\n    return x\n",
    "a mapped function": "    return tf.map_fn(\n        lambda row: tf.math.log(tf.nn.softmax(row)), x)\n",
    "a loop in a branch": (
        "    if tf.reduce_sum(x) > 0:\n        while tf.reduce_sum(x) < 9:\n"
        "            x = tf.math.log(tf.nn.softmax(x))\n    return x\n"
    ),
}


@pytest.mark.parametrize("body", PLACES.values(), ids=PLACES)
def test_a_hazard_inside_is_reported_at_its_own_line_once(body: str) -> None:
    text = f"def f(x):\n{body}"
    line = next(number for number, code in enumerate(text.splitlines(), 1) if "softmax" in code)
    assert [(f.rule, f.line - TOP) for f in lint_concrete(traced(text, (3, 3)))] == [("log-softmax", line)]


def test_what_a_loop_differentiates_is_differentiated_inside() -> None:
    text = (
        "def f(x):\n"
        "    with tf.GradientTape() as tape:\n"
        "        tape.watch(x)\n"
        "        for _ in tf.range(3):\n"
        "            x = x * tf.norm(x, axis=-1, keepdims=True)\n"
        "    return x\n"
    )
    assert [(f.rule, f.line - TOP) for f in lint_concrete(traced(text, (3, 3)))] == [("norm-at-zero", 5)]
    assert lint_concrete(traced(text, (3, 3)), differentiate=False) == []


TAPED = {
    "a branch": "tf.cond(tf.reduce_sum(x) >= 0, lambda: tf.norm(x), lambda: 0.0)",
    "one of several branches": "tf.switch_case(tf.constant(1), [lambda: tf.norm(x), lambda: 0.0])",
    "a mapped function": "tf.map_fn(lambda row: tf.norm(row), x)",
    "a scan": "tf.scan(lambda held, row: held + tf.norm(row), x, initializer=0.0)",
    "a call": "tf.function(lambda v: tf.norm(v))(x)",
    "a map in a branch": "tf.cond(tf.reduce_sum(x) > 0, lambda: tf.map_fn(tf.norm, x), lambda: x[:, 0])",
    "what is computed again": "tf.recompute_grad(lambda v: tf.norm(v))(x)",
}


@pytest.mark.parametrize("expression", TAPED.values(), ids=TAPED)
def test_what_a_tape_in_the_function_differentiates_is_reported_once_at_its_forward_line(expression: str) -> None:
    text = (
        "def f(x):\n    with tf.GradientTape() as tape:\n        tape.watch(x)\n"
        f"        y = {expression}\n"
        "    return tape.gradient(y, x), tf.norm(x)\n"
    )
    assert [(f.rule, f.line - TOP) for f in lint_concrete(traced(text, (3, 3)))] == [("norm-at-zero", 4)]


def frames_of_tensorflow_1(text: str) -> object:
    """The graph of a program of TensorFlow 1, whose branches and loops are single operations and no functions."""
    import tensorflow as tf

    graph = tf.Graph()
    tf.compat.v1.disable_control_flow_v2()
    try:
        with graph.as_default():
            program(text)[1]["f"](tf.compat.v1.placeholder(tf.float32, (3, 3), name="x"))
    finally:
        tf.compat.v1.enable_control_flow_v2()
    return graph


def test_the_frames_of_tensorflow_1_are_branches_and_loops() -> None:
    graph = frames_of_tensorflow_1(
        "def f(x):\n"
        "    y = tf.compat.v1.cond(tf.reduce_sum(x) > 0, lambda: tf.nn.sigmoid(x), lambda: tf.nn.relu(x))\n"
        "    z = tf.compat.v1.while_loop(lambda v: tf.reduce_sum(v) < 9, lambda v: v + 1.0, [y])\n"
        "    return tf.sqrt(z, name='root') + tf.math.log(tf.nn.softmax(z))\n"
    )
    lowered = lower(graph)
    facts = Facts(lowered.flow, lowered.assumptions)
    root = next(node for node in lowered.flow if node.op == "sqrt")
    assert (facts.range(root.operands[0]).outer.lo, facts.range(root.operands[0]).outer.hi) == (0.0, INF)
    assert {"phi", "loop", "sigmoid", "relu"} <= ops_of(lowered.outputs)
    assert [(f.rule, f.line - TOP) for f in lint_concrete(graph, differentiate=False)] == [("log-softmax", 4)]


def test_a_function_that_calls_itself_without_end_is_not_entered_without_end() -> None:
    import tensorflow as tf

    text = "@tf.function\ndef inner(v):\n    return tf.sigmoid(v)\n\n\ndef f(x):\n    return tf.sqrt(inner(x))\n"
    definition = traced(text, (3,)).graph.as_graph_def()
    inner = functions_of(definition)[0]
    call = inner.node_def.add(name="again", op="PartitionedCall", input=[inner.signature.input_arg[0].name])
    call.attr["f"].func.name = inner.signature.name
    call.attr["Tin"].list.type.append(tf.float32.as_datatype_enum)
    call.attr["Tout"].list.type.append(tf.float32.as_datatype_enum)
    inner.ret[inner.signature.output_arg[0].name] = "again:output:0"
    assert {"sqrt", "unknown"} <= {node.op for node in lower(definition).flow}
