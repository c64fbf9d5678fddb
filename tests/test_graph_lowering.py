"""The graph pass sees a traced program as the source pass sees its text: the same ops, with the same parameters."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from graph_programs import from_graph, from_source, ops_of, program, shape_of, traced

from tfnanlint.facts import Facts
from tfnanlint.flow import Node
from tfnanlint.graph import GraphError, trace
from tfnanlint.graph.lower import lower

EXPRESSIONS = """
tf.sqrt(x)
tf.math.log(x + 1e-6)
x ** 2 + x * x + x ** 0.5 + x ** 3.0
x ** -1 + tf.math.rsqrt(x) + tf.math.reciprocal(y)
-x / (1.0 - tf.sigmoid(x))
x @ y + tf.matmul(x, y) + tf.matmul(x, y, transpose_b=True)
tf.maximum(x, 1e-12) + tf.minimum(1.0, y)
tf.reduce_sum(tf.square(x), axis=-1)
tf.reduce_sum(x) + tf.reduce_prod(x)
tf.reduce_mean(x, axis=1, keepdims=True)
tf.reduce_max(x, 0) - tf.reduce_min(y, axis=0)
tf.reduce_sum([x, y])
tf.reduce_any(x > 1) | tf.reduce_all(y > 1)
tf.norm(x)
tf.norm(x, axis=-1)
tf.norm(x, axis=1, keepdims=True)
tf.norm(x, ord=1, axis=-1)
tf.norm(x, ord=3, axis=-1)
tf.linalg.norm(x, axis=-1) + tf.norm(y, axis=-1)
tf.norm(tf.linalg.set_diag(x, y[0]), axis=-1)
tf.norm(tf.norm(x, axis=-1))
tf.math.reduce_std(x)
tf.math.reduce_std(x, axis=1)
tf.math.reduce_variance(x, axis=0, keepdims=True)
tf.reduce_logsumexp(x)
tf.reduce_logsumexp(x, axis=-1)
tf.math.reduce_euclidean_norm(x, axis=1)
tf.math.count_nonzero(x, axis=-1)
tf.nn.l2_normalize(x, axis=-1)
tf.nn.l2_normalize(x, axis=-1, epsilon=1e-6)
tf.nn.softmax(x)
tf.nn.softmax(x, axis=0)
tf.nn.log_softmax(x)
tf.math.log(tf.nn.softmax(x, axis=-1))
tf.math.log_sigmoid(x)
tf.nn.relu(x) + tf.nn.relu6(x) + tf.nn.elu(x) + tf.nn.selu(x) + tf.nn.softplus(x) + tf.tanh(x)
tf.nn.leaky_relu(x) + tf.nn.leaky_relu(x, alpha=0.1)
tf.nn.sigmoid_cross_entropy_with_logits(labels=y, logits=x)
tf.nn.softmax_cross_entropy_with_logits(labels=y, logits=x)
tf.nn.dropout(x, rate=0.5)
tf.nn.l2_loss(x)
tf.clip_by_value(x, 1e-7, 1.0)
tf.clip_by_value(tf.math.log(x), -10.0, 10.0)
tf.math.divide_no_nan(x, y) + tf.math.reciprocal_no_nan(x) + tf.math.xlogy(x, y)
tf.math.squared_difference(x, y) + tf.pow(x, y) + tf.atan2(x, y) + tf.math.acos(x)
tf.where(x > 0, tf.sqrt(x), y)
tf.where(tf.math.is_nan(x), y, x) + tf.where(x != x, y, x)
tf.reduce_sum(x * tf.math.log(y), axis=1)
tf.exp(x - tf.reduce_max(x, axis=-1, keepdims=True))
tf.exp(x) / tf.reduce_sum(tf.exp(x), axis=-1, keepdims=True)
x[0] + x[0, 1]
tf.transpose(x) + tf.transpose(x, [0, 1])
tf.reshape(x, [9]) + tf.squeeze(tf.expand_dims(tf.reshape(y, [9]), 0), axis=0)
tf.concat([x, y], axis=-1) + tf.concat([x, x], 1)
tf.stack([x, y]) + tf.broadcast_to(x, [2, 3, 3])
tf.tile(x, [2, 1]) + tf.pad(y, [[0, 3], [0, 0]])
tf.gather(x, 0) + tf.unstack(x)[0]
x[:, None] + x[..., None] + x[None]
tf.math.unsorted_segment_sum(x, [0, 1, 0], 2)
tf.math.top_k(x, 2)[0]
tf.roll(x, 1, 0)
tf.math.real(tf.signal.rfft(x, [2]))
tf.math.cumulative_logsumexp(x, axis=1)
tf.split(x, 3, axis=0)[0]
tf.cast(x > 0.5, tf.float32) + tf.cast(tf.cast(x, tf.float16), tf.float32)
tf.stop_gradient(x) + tf.identity(x) * tf.constant(2.0) + tf.debugging.check_numerics(x, "bad")
tf.add_n([x, y]) + tf.one_hot(tf.argmax(x, -1), 3)
tf.einsum("ij,ij->i", x, x) + tf.einsum("ij,jk->ik", x, y)
tf.math.cumsum(x, axis=1) + tf.math.cumprod(x, axis=1, exclusive=True)
tf.random.uniform([3, 3]) * x + tf.random.normal([3, 3], stddev=0.5)
tf.random.uniform([3, 3], minval=1e-6) * x
ops.norm(x) + ops.norm(x, axis=-1)
ops.sqrt(x) + ops.log(y) + ops.exp(x) + ops.absolute(x) + ops.arccos(x)
ops.power(x, 2) + ops.power(x, 0.5)
ops.log2(x) + ops.log10(y) + ops.logaddexp(x, y)
ops.softmax(x) + ops.softmax(x, axis=0) + ops.log_softmax(x, axis=-1)
ops.std(x, axis=-1) + ops.logsumexp(x, axis=-1) + ops.max(x, axis=-1)
ops.var(x) + ops.mean(x, axis=0) + ops.prod(x, axis=0)
ops.sum(ops.square(x), axis=-1, keepdims=True)
ops.clip(x, 1e-6, 1.0) + ops.where(x > 0, x, y) + ops.divide(x, y) + ops.divide_no_nan(x, y)
ops.relu(x) + ops.sigmoid(x) + ops.softplus(x) + ops.log_sigmoid(x) + ops.hard_sigmoid(x)
ops.maximum(x, 1e-6) * ops.minimum(y, 1.0) + ops.matmul(x, y)
ops.concatenate([x, y], axis=-1) + ops.concatenate([x, y], axis=1)
ops.stack([x, x, y], axis=1) + ops.expand_dims(ops.expand_dims(x, 0), 0) + ops.reshape(x, (9, 1, 1, 1))
ops.stop_gradient(x) + ops.cast(ops.isnan(x), "float32") + ops.cumsum(x, axis=0)
keras.activations.softmax(x) + keras.activations.relu(x) + keras.activations.sigmoid(x)
""".strip().splitlines()


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_a_trace_lowers_to_what_its_text_lowers_to(expression: str) -> None:
    text = f"def f(x, y):\n    return {expression}\n"
    source = from_source(text)
    assert [shape_of(node) for node in from_graph(text, (3, 3), (3, 3))] == [shape_of(source)]


@pytest.mark.parametrize("expression", ["tf.norm(x, axis=-1)", "tf.math.reduce_std(x)", "tf.nn.l2_normalize(x, -1)",
                                        "tf.reduce_logsumexp(x, axis=1, keepdims=True)", "tf.nn.softmax(x, axis=0)",
                                        "tf.reduce_sum(x)", "ops.norm(x, axis=-1)"])  # fmt: skip
def test_unknown_dimensions_change_nothing(expression: str) -> None:
    text = f"def f(x):\n    return {expression}\n"
    source = from_source(text)
    assert [shape_of(node) for node in from_graph(text, (None, None))] == [shape_of(source)]


def test_an_unknown_rank_still_gives_one_node_a_call() -> None:
    text = "def f(x):\n    return tf.norm(x, axis=-1) + tf.reduce_logsumexp(x, axis=-1) + tf.reduce_sum(x, axis=-1)\n"
    tf = pytest.importorskip("tensorflow")
    nodes = from_graph(text, tf.TensorSpec(None))
    assert ops_of(nodes) - {"input", "identity", "const"} == {"add", "norm", "reduce_logsumexp", "reduce_sum"}


def test_two_calls_on_one_line_are_two_nodes_and_a_call_in_a_call_is_two_as_well() -> None:
    text = "def f(x):\n    std = tf.math.reduce_std\n    return std(std(x, 0)) + std(x) * ops.std(x + 1.0)\n"
    flow = lower(traced(text, (3, 3))).flow
    assert sum(node.op == "reduce_std" for node in flow) == 4
    assert {node.op for node in flow} == {"input", "reduce_std", "add", "multiply", "identity", "const"}


def test_a_helper_called_twice_is_seen_at_both_calls() -> None:
    text = (
        "def length(v):\n    return ops.log2(ops.power(v, 0.5))\n\n\n"
        "def f(x, y):\n    return length(x) - length(length(y))\n"
    )
    source = from_source(text)
    assert [shape_of(node) for node in from_graph(text, (3,), (3,))] == [shape_of(source)]


def test_called_functions_are_entered() -> None:
    text = (
        "@tf.function\ndef inner(v):\n    return tf.norm(v, axis=-1)\n\n\n"
        "@tf.function\ndef middle(v):\n    return inner(v) + 1.0\n\n\n"
        "def f(x):\n    return tf.sqrt(middle(x)) * inner(x)\n"
    )
    norm = ("norm", (("axis", -1),), "x")
    expected = ("multiply", (), ("sqrt", (), ("add", (), norm, 1.0)), norm)
    assert [shape_of(node) for node in from_graph(text, (3, 3))] == [expected]


def test_variables_are_told_apart_from_what_is_not_trained() -> None:
    text = (
        "w = tf.Variable([1.0, 2.0])\nfrozen = tf.Variable([1.0, 2.0], trainable=False)\n\n\n"
        "def f(x):\n    return w * frozen + x\n"
    )
    lowered = lower(traced(text, (2,)))
    facts = Facts(lowered.flow, lowered.assumptions)
    product = next(node for node in lowered.flow if node.op == "multiply")
    assert [node.op for node in product.operands] == ["variable", "placeholder"]
    assert [facts.carries(node) for node in product.operands] == [True, False]


def test_the_contents_of_a_constant_bound_it_however_it_comes_in() -> None:
    text = (
        "import numpy as np\n\nlarge = np.linspace(0.25, 0.75, 100, dtype='float32')\nheld = tf.constant(large)\n\n\n"
        "def f(x):\n    return tf.constant(large) + x, held * x, tf.constant([0.1, 0.2, 0.3]) - x\n"
    )
    lowered = lower(traced(text, (1,)))
    facts = Facts(lowered.flow, lowered.assumptions)
    found = {node.op: facts.range(node.operands[0]).outer for node in lowered.flow if node.op in ("add", "multiply")}
    assert {op: (r.lo, r.hi) for op, r in found.items()} == {"add": (0.25, 0.75), "multiply": (0.25, 0.75)}
    assert next(n for n in lowered.flow if n.op == "subtract").operands[0].constant == (0.1, 0.2, 0.3)


def test_every_node_has_the_type_of_its_tensor() -> None:
    text = "def f(x):\n    h = tf.cast(x, tf.float16)\n    return tf.exp(h), tf.argmax(x), tf.shape(x), x > 0\n"
    lowered = lower(traced(text, (3,)))
    facts = Facts(lowered.flow, lowered.assumptions)
    types = {node.op: facts.dtype(node) for node in lowered.flow}
    assert types["exp"] == types["cast"] == "float16"
    assert (types["input"], types["argmax"], types["greater"]) == ("float32", "int64", "bool")


def test_slices_of_one_tensor_are_different_values() -> None:
    text = "def f(x):\n    a, b = tf.split(x, 2)\n    return x[:2] - x[2:], x[:, 0] * x[:, 1], a * b, x[0] - x[0]\n"
    flow = lower(traced(text, (4, 4))).flow
    pairs = [node.operands for node in flow if node.op in ("subtract", "multiply") and len(node.operands) == 2]
    assert [a.value == b.value for a, b in pairs] == [False, False, False, True]


def test_branches_and_loops_are_entered() -> None:
    text = (
        "def f(x, w):\n"
        "    y = tf.math.log(x)\n"
        "    if tf.reduce_sum(x) > 0:\n        y = y * w\n"
        "    while tf.reduce_sum(y) > 3:\n        y = y / 2\n"
        "    return tf.sqrt(y)\n"
    )
    nodes = from_graph(text, (3,), (3,))
    assert ops_of(nodes) - {"identity", "const"} == {"sqrt", "loop", "divide", "phi", "multiply", "log", "input"}


def test_an_op_that_no_row_knows_is_unknown_and_connected() -> None:
    text = "def f(x):\n    return tf.sqrt(tf.raw_ops.NextAfter(x1=tf.exp(x), x2=x))\n"
    lowered = lower(traced(text, (3,)))
    unknown = next(node for node in lowered.flow if node.op == "unknown")
    assert unknown.attrs["kind"] == "NextAfter"
    assert [node.op for node in unknown.operands] == ["exp", "input"]


def test_what_a_custom_gradient_hides_is_hidden() -> None:
    text = (
        "@tf.custom_gradient\ndef safe(v):\n    return tf.sqrt(tf.abs(v)), lambda d: d\n\n\n"
        "def f(x):\n    return safe(x)\n"
    )
    lowered = lower(traced(text, (3,)))
    lowered.flow.differentiate(lowered.outputs[0], "asked", None)
    facts = Facts(lowered.flow, lowered.assumptions)
    assert facts.differentiated(next(node for node in lowered.flow if node.op == "custom_gradient")) is not None
    assert facts.differentiated(next(node for node in lowered.flow if node.op == "sqrt")) is None


def differentiated_ops(text: str, *specs: object) -> set[str]:
    lowered = lower(traced(text, *specs))
    facts = Facts(lowered.flow, lowered.assumptions)
    return {node.op for node in lowered.flow if facts.differentiated(node) is not None} - {"input", "const"}


def test_a_tape_inside_the_function_says_what_is_differentiated() -> None:
    text = (
        "def f(x):\n"
        "    with tf.GradientTape() as tape:\n"
        "        tape.watch(x)\n"
        "        loss = tf.math.log(tf.norm(x))\n"
        "    grad = tape.gradient(loss, x)\n"
        "    return grad, tf.sqrt(loss), tf.math.reduce_std(grad)\n"
    )
    assert differentiated_ops(text, (3,)) == {"log", "norm"}


def test_a_gradient_through_a_called_function_differentiates_its_body() -> None:
    text = (
        "@tf.function\ndef inner(v):\n    return tf.math.reduce_std(v)\n\n\n"
        "def f(x):\n"
        "    with tf.GradientTape() as tape:\n"
        "        tape.watch(x)\n"
        "        loss = inner(x) * 2.0\n"
        "    return tape.gradient(loss, x), tf.norm(x)\n"
    )
    assert {"multiply", "reduce_std"} <= differentiated_ops(text, (3,))
    assert "norm" not in differentiated_ops(text, (3,))


def test_a_gradient_of_a_gradient_reaches_what_is_made_of_the_first() -> None:
    text = (
        "def f(x):\n"
        "    with tf.GradientTape() as outer:\n"
        "        outer.watch(x)\n"
        "        with tf.GradientTape() as inner:\n"
        "            inner.watch(x)\n"
        "            y = tf.reduce_sum(x ** 3.0)\n"
        "        slope = inner.gradient(y, x)\n"
        "        penalty = (tf.norm(slope) - 1.0) ** 2\n"
        "    return outer.gradient(penalty, x)\n"
    )
    assert {"norm", "square", "gradient", "pow"} <= differentiated_ops(text, (3,))


def test_a_graph_of_tensorflow_1_is_lowered_with_its_gradients_and_its_variables() -> None:
    import tensorflow as tf

    text = (
        "v1 = tf.compat.v1\n\n\n"
        "def build():\n"
        "    x = v1.placeholder(tf.float32, [None, 3], name='x')\n"
        "    w = v1.get_variable('w', [3], use_resource=True)\n"
        "    loss = tf.reduce_mean(tf.norm(x * w, axis=-1))\n"
        "    return v1.gradients(loss, [w]), tf.math.reduce_std(x)\n"
    )
    graph = tf.Graph()
    with graph.as_default():
        program(text)[1]["build"]()
    for target in (graph, graph.as_graph_def()):
        lowered = lower(target)
        facts = Facts(lowered.flow, lowered.assumptions)
        marked = {node.op for node in lowered.flow if facts.differentiated(node) is not None}
        assert {"reduce_mean", "variable"} <= marked
        assert list(lowered.inputs) == ["x"]
        assert not any(facts.differentiated(node) for node in lowered.flow if node.op == "reduce_std")


def test_what_tensorflow_writes_in_float32_reads_as_it_was_written() -> None:
    text = "def f(x):\n    return (x + 1e-7) * 0.1 - 1e-12 + tf.cast(tf.cast(x, tf.float16) * 0.3, tf.float32)\n"
    values = {node.constant for node in lower(traced(text, (3,))).flow if node.op == "const"}
    assert values == {1e-7, 0.1, 1e-12, 0.3}


def constants(text: str) -> list[object]:
    return [node.constant for node in lower(traced(text, (3,))).flow if node.op == "const"]


def test_an_epsilon_that_the_type_cannot_hold_reads_as_it_was_written() -> None:
    assert constants("def f(x):\n    return tf.math.log(1.0 + 1e-10 - x)\n") == [1.0 + 1e-10]
    assert constants("def f(x):\n    return tf.math.log(tf.minimum(x, 0.99999999))\n") == [0.99999999]
    assert constants("EPS = 1e-9\n\n\ndef f(x):\n    return tf.cast(x, tf.float16) + EPS\n") == [1e-9]
    assert constants("def f(x):\n    return tf.cast(x, tf.float16) * 0.0 + 1e-9\n") == [0.0, 0.0]
    assert constants("def f(x):\n    return tf.maximum(x, 0.0) * 1.0\n") == [0.0, 1.0]


def test_models_layers_and_functions_can_all_be_traced() -> None:
    import keras
    import tensorflow as tf

    spec = tf.TensorSpec((2, 3))
    layer = keras.layers.Dense(3, activation="softmax")
    for thing in (layer, keras.Sequential([layer]), tf.function(layer), lambda x: layer(x) + x, tf.nn.softmax):
        assert "softmax" in ops_of(lower(trace(thing, spec)).outputs)
    assert "softmax" in ops_of(lower(trace(tf.nn.softmax, np.zeros((2, 3), "float32"))).outputs)
    with pytest.raises(GraphError, match="is not callable"):
        trace(3)


def test_nothing_of_tensorflow_is_imported_before_it_is_needed() -> None:
    code = "import sys, tfnanlint.graph.lint; sys.exit('tensorflow' in sys.modules or 'keras' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_flow_holds_no_node_before_its_operands() -> None:
    text = "def f(x, y):\n    return tf.nn.softmax(x, axis=0) + tf.clip_by_value(y, 0.1, 0.9) + tf.math.reduce_std(x)\n"
    flow = lower(traced(text, (3, 3), (3, 3))).flow
    assert all(isinstance(operand, Node) and operand.index < node.index for node in flow for operand in node.operands)
