"""Random programs drawn from the op table: TensorFlow never computes a value outside the range the source pass gives.

Programs chain ops over two tensors and a few literals; each is lowered from its text, run eagerly on ordinary and on
extreme inputs, and every intermediate value is compared with its range.
"""

from __future__ import annotations

import random

import numpy as np
import pytest

from tfnanlint.facts import Facts, Reach
from tfnanlint.flow import Node
from tfnanlint.lint import parse
from tfnanlint.ops import OPS
from tfnanlint.source.lower import Lowering

PROGRAMS = 2000
SHARDS = 4
LENGTH = 6
LITERALS = ("0.0", "1.0", "-1.0", "0.5", "2.0", "1e-8", "1e-6", "3", "20.0", "1e-30")
OPERATORS = ("+", "-", "*", "/", "**")
INPUTS = (
    (np.array([[0.3, -0.7, 1.5], [2.0, 0.1, -0.2]]), np.array([[1.2, 0.4, -0.9], [0.5, 0.6, 0.7]])),
    (np.zeros((2, 3)), np.ones((2, 3))),
    (np.array([[200.0, 0.0, -200.0], [30.0, -30.0, 17.0]]), np.array([[1e-20, 1e20, -1e20], [1e-8, -1e-8, 0.0]])),
    (np.full((2, 3), 7.0), np.full((2, 3), -7.0)),
)
SLACK = 4e-6
"""Relative, and near 0 absolute: kernels round each step of a composite, an interval rounds once."""


def _callable() -> tuple[list[str], list[str], list[str]]:
    """Templates of one and two operands, and of reductions, for every row that says something of its range."""
    one, two, reductions = [], [], []
    for row in OPS.values():
        name = next((n for s in row.spellings for n in s.names if n.startswith("tf.")), None)
        if name is None or row.transfer is None or row.random or row.takes or not row.same_dtype:
            continue
        spelling = next(s for s in row.spellings if name in s.names)
        given = [p for p, _ in spelling.parameters]
        if row.operands == ("x",) and row.elementwise:
            one.append(f"{name}({{0}})")
        elif row.operands == ("x", "y") and row.elementwise:
            two.append(f"{name}({{0}}, {{1}})")
        elif row.operands == ("x",) and "axis" in given and "keepdims" in given:
            reductions += [f"{name}({{0}}, axis=-1, keepdims=True)", f"{name}({{0}}, axis=0, keepdims=True)"]
        elif row.operands == ("x",) and "axis" in given:
            reductions.append(f"{name}({{0}}, axis=-1)")
    return one, two, reductions


ONE, TWO, REDUCTIONS = _callable()
FIXED = (
    "tf.where({0} > 0.0, {0}, 1.0)",
    "tf.where({0} > {2}, {1}, {0})",
    "tf.clip_by_value({0}, -1.0, 1.0)",
    "tf.clip_by_value({0}, 1e-8, 1 - 1e-8)",
    "{0} - tf.reduce_max({0}, axis=-1, keepdims=True)",
    "tf.reduce_sum(tf.exp({0} - tf.reduce_max({0}, axis=-1, keepdims=True)), axis=-1, keepdims=True)",
    "tf.nn.softmax({0})",
    "tf.stop_gradient({0})",
    "tf.concat([{0}, {0}], axis=0)[:2]",
    "tf.maximum({0}, {2})",
    "tf.minimum({0}, {2})",
    "({0} * {0})",
    "({0} ** 2)",
)


def program(draw: random.Random) -> str:
    """The text of one program: `a` and `b` are its inputs, `v0` ... its values."""
    lines = ["import tensorflow as tf"]
    names = ["a", "b"]
    for number in range(LENGTH):
        x, y = draw.choice(names[-3:]), draw.choice([*names, draw.choice(LITERALS)])
        literal = draw.choice(LITERALS)
        kind = draw.random()
        if kind < 0.3:
            text = (
                f"{x} {draw.choice(OPERATORS)} {y}" if draw.random() < 0.7 else f"{literal} {draw.choice('+-*/')} {x}"
            )
        elif kind < 0.55:
            text = draw.choice(ONE).format(x)
        elif kind < 0.7:
            text = draw.choice(TWO).format(x, y)
        elif kind < 0.85:
            text = draw.choice(FIXED).format(x, draw.choice(names), literal)
        else:
            text = draw.choice(REDUCTIONS).format(x)
        lines.append(f"v{number} = {text}")
        names.append(f"v{number}")
    return "\n".join(lines) + "\n"


def breaks(facts: Facts, node: Node) -> bool:
    """Whether an operand of an op reaches a point at which the table says that its value breaks."""
    row = OPS.get(node.op)
    return row is not None and any(
        broken.kind == "value"
        and facts.range(node.operands[row.operands.index(broken.operand)]).reach(broken.region) is not Reach.NO
        for broken in row.breaks
    )


def compared(facts: Facts, node: Node, value: np.ndarray, relative: float = SLACK) -> tuple[list[str], bool]:
    """What is outside a node's range among the numbers it really takes, and whether what follows is to be judged."""
    held = facts.range(node)
    numbers = value.astype(np.float64)
    if np.isinf(numbers).any() and breaks(facts, node):
        return [], False  # a pole: the sign of its infinity is that of a zero, and nothing behind it is judged
    lost = bool(np.isnan(numbers).any())
    numbers = numbers[~np.isnan(numbers)]
    finite = np.clip(numbers, -1e300, 1e300)
    slack = relative * np.maximum(1.0, np.abs(finite))
    low, high = np.clip([held.outer.lo, held.outer.hi], -1e300, 1e300)
    bad = numbers[(finite < low - slack) | (finite > high + slack)]
    wrong = [f"{bad[0]!r} is outside {held}"] if bad.size else []
    if held.nonzero and (numbers == 0).any():
        wrong.append("0 where it is said to be never 0")
    return wrong, not lost  # what an op makes of NaN is no statement about numbers


def outside(text: str, tf) -> list[str]:
    """The values of a program that are outside their ranges, in words."""
    flow_file = parse(text, "program.py")
    lowering = Lowering(flow_file)
    scope = lowering.module
    for name in ("a", "b"):
        lowering.bind(
            scope, name, lowering.flow.add("input", (), {"name": name}, lowering.origin(flow_file.tree, scope))
        )
    lowering.block(flow_file.tree.body, scope)
    facts = Facts(lowering.flow)
    wrong = []
    for a, b in INPUTS:
        names = {"tf": tf, "a": tf.constant(a, tf.float32), "b": tf.constant(b, tf.float32)}
        for line in text.splitlines()[1:]:
            name = line.split(" = ")[0]
            try:
                exec(line, names)
            except (tf.errors.InvalidArgumentError, ValueError, TypeError):
                break  # shapes that do not go together: what came before still counts
            value = names[name]
            if not isinstance(value, tf.Tensor) or not value.dtype.is_floating:
                break
            found, goes_on = compared(facts, scope.names[name], value.numpy())
            wrong += [f"{line}: {what} in\n{text}" for what in found]
            if not goes_on:
                break
    return wrong


def test_the_table_offers_enough_ops_to_draw_from() -> None:
    assert len(ONE) >= 30
    assert len(TWO) >= 10
    assert len(REDUCTIONS) >= 8


@pytest.mark.parametrize("shard", range(SHARDS))
def test_no_value_of_a_random_program_is_outside_its_range(shard: int) -> None:
    import tensorflow as tf

    draw = random.Random(shard)
    wrong: list[str] = []
    for _ in range(PROGRAMS // SHARDS):
        wrong += outside(program(draw), tf)
    assert not wrong, "\n".join(wrong[:5])


def test_a_range_that_is_too_narrow_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    import tensorflow as tf

    row = OPS["tanh"]
    monkeypatch.setattr(row, "transfer", lambda x, attrs: OPS["sigmoid"].transfer(x, attrs=attrs))
    assert outside("import tensorflow as tf\nv0 = tf.tanh(a)\n", tf)
