"""Random graphs drawn from the op table: TensorFlow never computes a value outside the range the graph pass gives.

The programs are those of the source pass, with branches, loops, lists of tensors and calls among their lines; each is
traced, and every value compared with what the same lines compute eagerly.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import test_random_programs
from test_random_programs import INPUTS, compared, program

from tfnanlint.facts import Facts
from tfnanlint.flow import Node
from tfnanlint.graph.lower import Lowered, lower
from tfnanlint.ops import OPS

GRAPHS = 2000
SHARDS = 4
CONTROL = (
    "tf.cond(tf.reduce_sum({0}) > 0.0, lambda: {0} * 0.5, lambda: {1})",
    "tf.switch_case(tf.cast(tf.reduce_sum({0}) > {2}, tf.int32), [lambda: {0}, lambda: tf.abs({1})])",
    "tf.while_loop(lambda i, v: i < 3, lambda i, v: (i + 1, tf.abs(v) + {2}), (0, {0}))[1]",
    "tf.while_loop(lambda i, v: i < 3, lambda i, v: (i + 1, v * 0.5), (0, {0}))[1]",
    "tf.while_loop(lambda i, v: i < 2, lambda i, v: (i + 1, tf.maximum(v, {1})), (0, {0}))[1]",
    "tf.map_fn(lambda row: tf.nn.relu(row), {0})",
    "tf.map_fn(lambda row: tf.sigmoid(row) * {2}, {0})",
    "tf.scan(lambda held, row: tf.abs(held) + tf.abs(row), {0})",
    "tf.foldl(lambda held, row: tf.maximum(held, row), {0})",
    "tf.function(lambda v: tf.tanh(v) + {2}, autograph=False)({0})",
    "tf.einsum('ij,ij->ij', {0}, {0})",
    "tf.einsum('ij,ij->i', {0}, {0})[:, None] + {1}",
    "tf.einsum('ij,ik->jk', {0}, {1})",
    "tf.nn.max_pool2d(tf.reshape({0}[:2], [1, 2, -1, 1]), 2, 1, 'SAME')[0, :, :, 0]",
    "tf.nn.avg_pool2d(tf.reshape({0}[:2], [1, 2, -1, 1]), 2, 1, 'SAME')[0, :, :, 0]",
    "tf.nn.conv2d(tf.reshape({0}[:2], [1, 2, -1, 1]), tf.fill([2, 2, 1, 1], {2}), 1, 'SAME')[0, :, :, 0]",
    "tf.image.resize(tf.reshape({0}[:2], [1, 2, -1, 1]), [2, 3])[0, :, :, 0]",
    "tf.image.resize(tf.reshape({0}[:2], [1, 2, -1, 1]), [2, 3], 'bicubic')[0, :, :, 0]",
    "tf.batch_to_space(tf.space_to_batch({0}, [2], [[0, 1]])[:2], [2], [[0, 0]])",
    "tf.random.uniform([2, 3]) * {0}",
    "tf.cast(tf.random.uniform([2, 3], 1, 4, tf.int32), tf.float32) + {0}",
    "tf.cast(tf.cast({0}, tf.float64), tf.float32)",
    "tf.cast({0} > {1}, tf.float32)",
    "tf.unstack({0}, axis=-1)[0]",
    "tf.stack([{0}, {0}])",
    "tf.constant([[0.25, 0.5, 0.75]]) * {0}",
    "tf.gather({0}, [0, 1])",
    "tf.recompute_grad(tf.nn.softplus)({0})",
)


def run_line(line: str, names: dict[str, Any], tf: Any) -> Any:
    """The value of one line, None where its shapes do not go together or it is no floating-point tensor."""
    try:
        exec(line, names)
    except (tf.errors.InvalidArgumentError, ValueError, TypeError):
        return None
    value = names[line.partition(" = ")[0]]
    return value if tf.is_tensor(value) and value.dtype.is_floating else None


def graph_of(lines: list[str], tf: Any) -> Any:
    """The graph of a program, whose results are the values of its lines, as far as they can be traced."""
    from tensorflow.python.framework import func_graph

    def build(a: Any, b: Any) -> list[Any]:
        names = {"tf": tf, "a": a, "b": b}
        found = []
        for line in lines:
            value = run_line(line, names, tf)
            if value is None:
                break
            found.append(tf.identity(value))
        return found

    spec = tf.TensorSpec((2, 3), tf.float32)
    return func_graph.func_graph_from_py_func("random", build, (spec, spec), {})


def made_by(node: Node) -> Node:
    """The node behind what hands its value on."""
    while node.op == "identity":
        node = node.operands[0]
    return node


def as_data(graph: Any) -> Lowered:
    """A graph lowered from its definition alone, operation by operation: no stack tells which calls made them."""
    return lower(graph.as_graph_def(add_shapes=True), outputs=[tensor.name for tensor in graph.outputs])


def outside(text: str, tf: Any, lowering: Callable[[Any], Lowered] = lower) -> list[str]:
    """The values of a program that are outside their ranges, in words."""
    lines = text.splitlines()[1:]
    lowered = lowering(graph_of(lines, tf))
    facts = Facts(lowered.flow, lowered.assumptions)
    wrong = []
    for a, b in INPUTS:
        names = {"tf": tf, "a": tf.constant(a, tf.float32), "b": tf.constant(b, tf.float32)}
        for line, node in zip(lines, lowered.outputs, strict=False):
            value = run_line(line, names, tf)
            if value is None:
                break
            found, goes_on = compared(facts, made_by(node), value.numpy())
            wrong += [f"{line}: {what} in\n{text}" for what in found]
            if not goes_on:
                break
    return wrong


@pytest.fixture
def with_control(monkeypatch: pytest.MonkeyPatch) -> None:
    """Control flow among the lines that are drawn."""
    monkeypatch.setattr(test_random_programs, "FIXED", (*test_random_programs.FIXED, *CONTROL))


def wrong_values(seed: int, lowering: Callable[[Any], Lowered]) -> str:
    """The values of a shard's graphs that are outside their ranges, the first of them in words."""
    import tensorflow as tf

    draw = random.Random(seed)
    wrong: list[str] = []
    tf.get_logger().setLevel("ERROR")
    with np.errstate(all="ignore"):
        for _ in range(GRAPHS // SHARDS):
            wrong += outside(program(draw), tf, lowering)
    return f"{len(wrong)} values:\n" + "\n".join(wrong[:5]) if wrong else ""


@pytest.mark.parametrize("shard", range(SHARDS))
@pytest.mark.usefixtures("with_control")
def test_no_value_of_a_random_graph_is_outside_its_range(shard: int) -> None:
    assert wrong_values(1000 + shard, lower) == ""


@pytest.mark.usefixtures("with_control")
def test_no_value_of_a_random_graph_read_as_data_is_outside_its_range() -> None:
    assert wrong_values(2000, as_data) == ""


def test_a_range_that_is_too_narrow_is_noticed_in_a_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    import tensorflow as tf

    line = "v0 = tf.while_loop(lambda i, v: i < 3, lambda i, v: (i + 1, tf.tanh(v)), (0, a))[1]"
    assert outside(f"import tensorflow as tf\n{line}\n", tf) == []
    monkeypatch.setattr(OPS["tanh"], "transfer", lambda x, attrs: OPS["sigmoid"].transfer(x, attrs=attrs))
    assert outside(f"import tensorflow as tf\nv0 = tf.tanh(a)\nv1 = {line[5:].replace('(0, a)', '(0, v0)')}\n", tf)
