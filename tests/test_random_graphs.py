"""Random graphs drawn from the op table: TensorFlow never computes a value outside the range the graph pass gives.

A graph chains functions of every row of the table, each with operands of the kinds that its row takes, and among them
operators, branches, loops, lists of tensors, calls, casts to narrow types and back, empty tensors and reductions. Each
is traced, and every value compared with what the same lines compute eagerly.
"""

from __future__ import annotations

import random
from functools import cache
from typing import Any

import numpy as np
import op_samples
import pytest
from test_random_programs import FIXED, INPUTS, LITERALS, ONE, OPERATORS, REDUCTIONS, SLACK, TWO, compared

from tfnanlint.facts import Facts
from tfnanlint.flow import Node
from tfnanlint.graph.lower import lower
from tfnanlint.ops import OPS, Op

GRAPHS = 320
SHARDS = 4
LENGTH = 6
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
    "tf.unstack({0}, axis=-1)[0]",
    "tf.stack([{0}, {0}])",
    "tf.recompute_grad(tf.nn.softplus)({0})",
)
TYPES = (
    "tf.cast(tf.cast({0}, tf.float64), tf.float32)",
    "tf.cast({0}, tf.float16)",
    "tf.cast({0}, tf.bfloat16)",
    "tf.cast({0}, tf.float64)",
    "tf.cast(tf.cast(tf.clip_by_value({0}, -100.0, 100.0), tf.int32), tf.float32)",
    "tf.cast(tf.cast(tf.clip_by_value({0}, 0.0, 100.0), tf.uint8) // 2, tf.float32)",
    "tf.cast(tf.cast(tf.clip_by_value({0}, -9.0, 9.0), tf.int32) % 3 - 1, tf.float32)",
    "tf.cast({0} > {1}, tf.float32)",
    "tf.cast(tf.argmax({0}, axis=-1), tf.float32)",
    "tf.cast(tf.shape({0})[0], tf.float32) * {0}",
    "tf.cast(tf.size({0}), tf.float32)",
    "tf.cast({0}, tf.float32)",
    "tf.cast({0}, {1}.dtype) + {1}",
)
SHAPES = (
    "tf.reduce_sum({0}, axis=[])",
    "tf.reduce_mean({0}, axis=[])",
    "tf.reduce_logsumexp({0}, axis=[0])",
    "tf.reduce_sum({0}[:0])",
    "tf.reduce_prod({0}[:0], axis=0)",
    "tf.reduce_max({0}[:0], axis=0)",
    "tf.reduce_min({0}[..., :0], axis=-1)",
    "tf.reduce_any({0} > 0.0, axis=[])",
    "tf.gather({0}, [0, 1])",
    "tf.gather({0}, tf.argsort(tf.reshape({0}, [-1]))[:1] * 0, axis=-1)",
    "tf.boolean_mask({0}, {0} > 0.0)",
    "tf.einsum('ij,ij->ij', {0}, {0})",
    "tf.einsum('ij,ij->i', {0}, {0})",
    "tf.einsum('ij,kj->ik', {0}, {1})",
    "tf.einsum('ij->', {0})",
    "tf.matmul({0}, {1}, transpose_b=True)",
    "tf.matmul({0}, {0}, transpose_a=True)",
    "tf.tensordot({0}, {0}, 2)",
    "tf.nn.batch_normalization({0}, *tf.nn.moments({0}, [0]), None, None, 1e-3)",
    "tf.nn.batch_normalization({0}, tf.reduce_mean({1}), tf.reduce_mean(tf.square({1})), {2}, {2}, 1e-5)",
    "tf.compat.v1.nn.fused_batch_norm({0}[None, None], tf.ones(3), tf.zeros(3))[0][0, 0]",
    "tf.reshape({0}, [-1])",
    "tf.expand_dims({0}, 0)",
    "tf.transpose({0})",
    "tf.constant([[0.25, 0.5, 0.75]]) * {0}",
)
PLAIN = (*FIXED, *REDUCTIONS, *SHAPES, *TYPES)
SLACKS = {"float16": 4e-3, "bfloat16": 3e-2}
"""Of the narrow types, what `SLACK` is of float32."""


def rows() -> list[Op]:
    """The rows whose functions can be drawn: those that TensorFlow computes, of whatever kinds of operands."""
    return [op for op in OPS.values() if op.spellings and op.spellings[0].names[0].startswith(("tf.", "ops.", "K."))]


ROWS = rows()


class Drawing:
    """Draws the lines of one graph, and the constants and functions that they name."""

    def __init__(self, seed: int) -> None:
        self.draw = random.Random(seed)
        self.rng = np.random.default_rng(seed)
        self.names: dict[str, Any] = {}

    def lines(self) -> list[str]:
        names, found = ["a", "b"], []
        for number in range(LENGTH):
            found.append(f"v{number} = {self.text(names)}")
            names.append(f"v{number}")
        return found

    def text(self, names: list[str]) -> str:
        draw = self.draw
        x, y, literal = draw.choice(names[-3:]), draw.choice([*names, draw.choice(LITERALS)]), draw.choice(LITERALS)
        kind = draw.random()
        if kind < 0.15:
            text = f"{x} {draw.choice(OPERATORS)} {y}"
            return text if draw.random() < 0.7 else f"{literal} {draw.choice('+-*/')} {x}"
        if kind < 0.3:
            return draw.choice((*ONE, *TWO)).format(x, y)
        if kind < 0.5:
            return draw.choice(PLAIN).format(x, draw.choice(names), literal)
        if kind < 0.6:
            return draw.choice(CONTROL).format(x, draw.choice(names), literal)
        return self.call(draw.choice(ROWS), names)

    def call(self, op: Op, names: list[str]) -> str:
        """A call of a row's function: what holds real numbers is an earlier value, all else is drawn as it takes it."""
        if op.name not in self.names:
            self.names[op.name] = op_samples.caller(op)[0]
        words = []
        for name in op.operands:
            if op.takes.get(name, "real") == "real":
                value = self.draw.choice(names)
                words.append(f"[{value}, {self.draw.choice(names)}]" if name.startswith("*") else value)
                continue
            constant = f"c{len(self.names)}"
            plain = op_samples.uniform(self.rng, op_samples.Interval(-3.0, 3.0))
            self.names[constant] = op_samples.operand(op, name, plain, self.rng, 2)
            words.append(constant)
        return f"first({op.name}({', '.join(words)}))"


def first(value: Any) -> Any:
    """The first tensor of what a function gives, as real numbers."""
    import tensorflow as tf

    tensor = tf.nest.flatten(value)[0]
    if tensor.dtype.is_complex:
        return tf.math.real(tensor)
    return tensor if tensor.dtype.is_floating else tf.cast(tensor, tf.float32)


@cache
def code_of(line: str) -> Any:
    """The code of a line, kept: the stacks of TensorFlow point at it as long as there are graphs."""
    return compile(line, "<line>", "exec")


def run_line(line: str, names: dict[str, Any], tf: Any) -> Any:
    """The value of one line, None where its operands do not go together or it is no floating-point tensor."""
    try:
        exec(code_of(line), names)
    except Exception:  # whatever TensorFlow has against these operands, of every kind and shape
        return None
    value = names[line.partition(" = ")[0]]
    return value if tf.is_tensor(value) and value.dtype.is_floating else None


def graph_of(lines: list[str], given: dict[str, Any], tf: Any) -> tuple[Any, list[str]]:
    """The graph of a program, whose results are the values of those of its lines that can be traced, and these."""
    from tensorflow.python.framework import func_graph

    kept: list[str] = []

    def build(a: Any, b: Any) -> list[Any]:
        names = {"tf": tf, "first": first, **given, "a": a, "b": b}
        found = []
        for line in lines:
            value = run_line(line, names, tf)
            if value is None:
                names.pop(line.partition(" = ")[0], None)
                continue
            kept.append(line)
            found.append(tf.identity(value))
        return found

    spec = tf.TensorSpec((2, 3), tf.float32)
    return func_graph.func_graph_from_py_func("random", build, (spec, spec), {}), kept


def made_by(node: Node) -> Node:
    """The node behind what hands its value on."""
    while node.op == "identity":
        node = node.operands[0]
    return node


def outside(lines: list[str], given: dict[str, Any], tf: Any) -> list[str]:
    """The values of a program that are outside their ranges, in words."""
    graph, kept = graph_of(lines, given, tf)
    lowered = lower(graph)
    facts = Facts(lowered.flow, lowered.assumptions)
    wrong = []
    for a, b in INPUTS:
        names = {"tf": tf, "first": first, **given, "a": tf.constant(a, tf.float32), "b": tf.constant(b, tf.float32)}
        for line, node in zip(kept, lowered.outputs, strict=False):
            value = run_line(line, names, tf)
            if value is None:
                break
            slack = SLACKS.get(value.dtype.name, SLACK)
            found, goes_on = compared(facts, made_by(node), value.numpy(), slack)
            wrong += [f"{line}: {what} in\n" + "\n".join(kept) for what in found]
            if not goes_on:
                break
    return wrong


@pytest.mark.parametrize("shard", range(SHARDS))
def test_no_value_of_a_random_graph_is_outside_its_range(shard: int) -> None:
    import tensorflow as tf

    wrong: list[str] = []
    tf.get_logger().setLevel("ERROR")
    with np.errstate(all="ignore"):
        for number in range(GRAPHS // SHARDS):
            drawing = Drawing(1000 + shard * GRAPHS + number)
            wrong += outside(drawing.lines(), drawing.names, tf)
    assert not wrong, f"{len(wrong)} values:\n" + "\n".join(wrong[:5])


def test_the_lines_that_are_drawn_go_together_often_enough() -> None:
    import tensorflow as tf

    used: set[str] = set()
    count = 0
    for number in range(60):
        drawing = Drawing(number)
        _, kept = graph_of(drawing.lines(), drawing.names, tf)
        count += len(kept)
        used |= {op.name for op in ROWS for line in kept if f"first({op.name}(" in line}
    assert count > 60 * LENGTH / 3
    assert len(used) > 40


def test_a_range_that_is_too_narrow_is_noticed_in_a_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    import tensorflow as tf

    line = "v0 = tf.while_loop(lambda i, v: i < 3, lambda i, v: (i + 1, tf.tanh(v)), (0, a))[1]"
    assert outside([line], {}, tf) == []
    monkeypatch.setattr(OPS["tanh"], "transfer", lambda x, attrs: OPS["sigmoid"].transfer(x, attrs=attrs))
    assert outside(["v0 = tf.tanh(a)", f"v1 = {line[5:].replace('(0, a)', '(0, v0)')}"], {}, tf)
