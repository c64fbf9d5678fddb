"""Graphs read as data: what a definition says is what a trace says; what makes no graph is one clear error."""

from __future__ import annotations

import contextlib
from typing import Any

import numpy as np
import pytest
from graph_programs import ops_of, shape_of, traced

from tfnanlint.facts import Facts
from tfnanlint.flow import DYNAMIC
from tfnanlint.graph import GraphError, lint_concrete, lint_graph
from tfnanlint.graph.contents import contents_of
from tfnanlint.graph.lower import lower
from tfnanlint.graph.model import functions_of


def definition_of(text: str, *specs: Any) -> Any:
    return traced(text, *specs).graph.as_graph_def(add_shapes=True)


EXPRESSIONS = (
    "tf.math.log(tf.nn.softmax(x))",
    "tf.reduce_mean(x, axis=-1, keepdims=True) + tf.matmul(x, x, transpose_b=True)",
    "tf.sqrt(tf.maximum(tf.reduce_sum(tf.square(x), axis=[0, 1]), 1e-12))",
    "tf.concat([x, x], axis=1) + tf.reshape(tf.one_hot(tf.argmax(x, -1), 3), [3, 3])[0, 0]",
    "tf.split(x, 3)[1] * tf.unstack(x)[2]",
    "tf.nn.leaky_relu(x, 0.1) + tf.cast(tf.cast(x, tf.float16), tf.float32)",
)


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_a_definition_lowers_to_what_the_graph_lowers_to(expression: str) -> None:
    concrete = traced(f"def f(x):\n    return {expression}\n", (3, 3))
    definition = concrete.graph.as_graph_def(add_shapes=True)
    assert [shape_of(n) for n in lower(definition).outputs] == [shape_of(n) for n in lower(concrete).outputs]


@pytest.mark.parametrize(
    "array",
    [
        np.float32(0.1), np.float16([0.1, 1e-7]), np.arange(6).reshape(2, 3), np.full((100,), 0.5, "float64"),
        np.array([True, False]), np.zeros((0,), "float32"), np.uint8([0, 255]), np.linspace(0, 1, 50),
    ],
    ids=lambda array: f"{np.asarray(array).dtype}{np.asarray(array).shape}",
)  # fmt: skip
def test_a_constant_is_read_as_tensorflow_reads_it(array: Any) -> None:
    import tensorflow as tf

    contents = contents_of(tf.make_tensor_proto(array))
    assert contents is not None
    if array.size > 16 and len(set(array.reshape(-1))) > 1:
        assert contents.value is DYNAMIC
        assert (contents.range.outer.lo, contents.range.outer.hi) == (array.min(), array.max())
    elif array.size > 16:
        assert contents.value == array.reshape(-1)[0]
    else:
        np.testing.assert_array_equal(np.asarray(contents.value, array.dtype), array)


def test_a_constant_that_claims_a_shape_beyond_memory_is_read_by_what_it_stores() -> None:
    import tensorflow as tf

    message = tf.make_tensor_proto(np.float32(2.5), shape=())
    for _ in range(4):
        message.tensor_shape.dim.add(size=2**40)
    assert contents_of(message).value == 2.5
    message.tensor_shape.dim.add(size=-3)
    assert contents_of(message) is None


def test_a_named_function_and_named_results_can_be_lowered_alone() -> None:
    text = (
        "@tf.function\ndef inner(v):\n    return tf.math.log(tf.nn.softmax(v))\n\n\n"
        "def f(x):\n    return tf.add(inner(x), 1.0, name='first'), tf.norm(x, name='second')\n"
    )
    definition = definition_of(text, (3, 3))
    (name,) = [function.signature.name for function in functions_of(definition)]
    assert {f.rule for f in lint_concrete(definition, name=name)} == {"log-softmax"}
    assert "log" not in ops_of(lower(definition, outputs=["second/Squeeze:0"]).outputs)
    with pytest.raises(GraphError, match="no function named 'nowhere'"):
        lower(definition, function="nowhere")
    with pytest.raises(GraphError, match="uses operation 'third', which it does not define"):
        lower(definition, outputs=["third:0"])


def test_operations_may_stand_in_any_order() -> None:
    definition = definition_of("def f(x):\n    return tf.sqrt(tf.nn.relu(tf.exp(x) - 1.0))\n", (3,))
    expected = [shape_of(node) for node in lower(definition).outputs]
    nodes = list(definition.node)
    del definition.node[:]
    definition.node.extend(reversed(nodes))
    assert [shape_of(node) for node in lower(definition).outputs] == expected


def broken(change: Any) -> Any:
    definition = definition_of("def f(x):\n    return tf.sqrt(tf.exp(x)), tf.split(x, 3)\n", (3,))
    change(definition, {node.name: node for node in definition.node})
    return definition


BROKEN = {
    "a dangling input": (lambda d, n: n["Sqrt"].input.__setitem__(0, "nothing:0"), "uses operation 'nothing'"),
    "a cycle": (lambda d, n: n["Exp"].input.__setitem__(0, "Sqrt"), "a cycle through"),
    "two of one name": (lambda d, n: d.node.add().CopyFrom(n["Exp"]), "two operations named 'Exp'"),
    "results without end": (lambda d, n: setattr(n["split"].attr["num_split"], "i", 2**60), "declares "),
    "less than no results": (lambda d, n: setattr(n["split"].attr["num_split"], "i", -1), "declares -1"),
    "a result beyond all": (lambda d, n: n["Sqrt"].input.__setitem__(0, "Exp:99999999"), "result 99999999"),
}


@pytest.mark.parametrize(("change", "message"), BROKEN.values(), ids=BROKEN)
def test_what_makes_no_graph_is_one_clear_error(change: Any, message: str) -> None:
    with pytest.raises(GraphError, match=message):
        lint_graph(broken(change))


def test_what_is_strange_but_a_graph_is_unknown_and_connected() -> None:
    def change(definition: Any, nodes: Any) -> None:
        nodes["Exp"].op = "NobodyKnowsThis"
        nodes["Exp"].attr["T"].type = 77
        nodes["Sqrt"].attr.clear()

    found = lower(broken(change))
    root = next(node for node in found.flow if node.op == "sqrt")
    assert (root.operands[0].op, root.operands[0].attrs["kind"]) == ("unknown", "NobodyKnowsThis")
    assert Facts(found.flow, found.assumptions).range(root).outer.lo == 0.0


def test_a_definition_that_has_lost_something_is_linted_or_refused() -> None:
    text = (
        "def f(x):\n"
        "    y = tf.cond(tf.reduce_sum(x) > 0, lambda: x[0:1] + 1.0, lambda: tf.map_fn(tf.exp, x))\n"
        "    z = tf.while_loop(lambda v: tf.reduce_sum(v) < 9, lambda v: (v + 1.0,), (y,))[0]\n"
        "    return tf.concat([z, z], 0), tf.nn.l2_normalize(z, -1), tf.cast(z, tf.int32), tf.fill([2], 3.0)\n"
    )
    definition = definition_of(text, (3, 3))
    for place in range(len(definition.node)):
        for field in ("attr", "input"):
            other = type(definition)()
            other.CopyFrom(definition)
            other.node[place].ClearField(field)
            with contextlib.suppress(GraphError):
                lint_graph(other)


LIBRARY = {
    "a sparsemax": ("keras.ops.sparsemax(x)", [(4, 6)]),
    "a CTC loss": ("tf.nn.ctc_loss(y, x, n, m, logits_time_major=False)", [(4, 8, 5), (4, 3), (4,), (4,)]),
    "a standardised image": ("tf.image.per_image_standardization(x)", [(8, 8, 3)]),
    "a focal loss": ("keras.losses.BinaryFocalCrossentropy()(y, tf.sigmoid(x))", [(4, 6), (4, 6)]),
    "a Poisson loss": ("keras.losses.Poisson()(y, tf.nn.softplus(x))", [(4, 6), (4, 6)]),
    "a divergence": ("keras.losses.KLDivergence()(tf.nn.softmax(y), tf.nn.softmax(x))", [(4, 6), (4, 6)]),
    "masked attention": ("keras.layers.Softmax()(x, mask=y > 0)", [(4, 6), (4, 6)]),
}


@pytest.mark.parametrize(("call", "shapes"), LIBRARY.values(), ids=LIBRARY)
def test_what_libraries_do_is_silent_where_nothing_tells_which_call_made_it(call: str, shapes: Any) -> None:
    import tensorflow as tf

    types = [tf.float32] + [tf.int32 if "ctc" in call else tf.float32] * 3
    specs = [tf.TensorSpec(shape, dtype) for shape, dtype in zip(shapes, types, strict=False)]
    text = f"def f({', '.join('xynm'[: len(specs)])}):\n    return {call}\n"
    found = lint_concrete(definition_of(text, *specs))
    only_under_xla = [f.node for f in found if f.severity == "warning"]
    assert [(f.rule, f.node) for f in found if f.severity != "warning"] == []
    assert only_under_xla == (["per_image_standardization/reduce_std/Sqrt"] if "image" in call else [])


def test_a_function_called_by_its_name_is_entered() -> None:
    import tensorflow as tf

    inner = tf.function(lambda v: tf.math.log(tf.nn.relu(v))).get_concrete_function(tf.TensorSpec((3,)))
    definition = tf.compat.v1.GraphDef(library={"function": [inner.function_def]})
    given = definition.node.add(name="x", op="Placeholder")
    given.attr["dtype"].type = tf.float32.as_datatype_enum
    definition.node.add(name="y", op=inner.function_def.signature.name, input=["x"])
    assert {"log", "relu"} <= ops_of(lower(definition, outputs=["y:0"]).outputs)


def test_a_missing_input_is_named() -> None:
    with pytest.raises(GraphError, match=r"operation 'Sqrt' \(Sqrt\) has 0 inputs, not 1"):
        lint_graph(broken(lambda definition, nodes: nodes["Sqrt"].ClearField("input")))


def test_attributes_that_were_left_out_have_their_defaults() -> None:
    definition = definition_of("def f(x):\n    return tf.reduce_sum(x, -1), tf.argmax(x, -1), x[0]\n", (3, 3))
    expected = [shape_of(node) for node in lower(definition).outputs]
    for node in definition.node:
        for name in ("keep_dims", "output_type", "begin_mask", "end_mask"):
            if name in node.attr:
                del node.attr[name]
    found = lower(definition)
    assert [shape_of(node) for node in found.outputs] == expected
    argmax = next(node for node in found.flow if node.op == "argmax")
    assert found.assumptions[argmax].dtype == "int64"
