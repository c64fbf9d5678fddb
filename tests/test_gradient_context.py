"""Which values of a program are differentiated: `mark(x)` on lines that say `# differentiated` and on no other."""

from __future__ import annotations

from pathlib import Path

import libcst as cst
import pytest

from tfnanlint.facts import Facts
from tfnanlint.lint import parse
from tfnanlint.source.lower import lower

FILES = sorted((Path(__file__).parent / "gradients").glob("*.py"))


def marks(path: Path) -> tuple[list[tuple[int, int]], set[tuple[int, int]]]:
    """(position of every mark, those whose argument is differentiated and carries a gradient)."""
    file = parse(path.read_text(), path.name)
    flow = lower(file)
    facts = Facts(flow)
    found: set[tuple[int, int]] = set()
    every: set[tuple[int, int]] = set()
    for node in flow:
        call = node.origin.expr
        if (
            node.op == "unknown"
            and isinstance(call, cst.Call)
            and isinstance(call.func, cst.Name)
            and call.func.value == "mark"
        ):
            place = file.layout.spans[call][:2]
            every.add(place)
            marked = node.operands[0]
            if facts.differentiated(node) is not None and facts.carries(marked):
                found.add(place)
    return sorted(every), found


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_exactly_the_marked_values_are_differentiated(path: Path) -> None:
    every, found = marks(path)
    stated = set()
    for number, line in enumerate(path.read_text().splitlines(), 1):
        here = [place for place in every if place[0] == number]
        if line.endswith("# differentiated"):
            stated |= set(here)
        elif line.endswith("# differentiated second"):
            stated.add(here[1])
    assert found == stated


@pytest.mark.parametrize(
    ("train", "expected"), [("", [True, True]), ("tf.compat.v1.gradients(loss, w)", [False, True])]
)
def test_a_penalty_beside_the_loss_that_the_program_differentiates_is_left_out(
    train: str, expected: list[bool]
) -> None:
    text = f"""import tensorflow as tf
def critic(x, w):
    own = tf.compat.v1.gradients(tf.nn.relu(tf.matmul(x, w)), [x])
    monitored = tf.reduce_mean(tf.square(tf.sqrt(tf.reduce_sum(tf.square(own[0]), axis=1)) - 1.0))
    mixed = 0.5 * x
    slope = tf.compat.v1.gradients(tf.nn.relu(tf.matmul(mixed, w)), [mixed])
    loss = tf.reduce_mean(tf.square(tf.sqrt(tf.reduce_sum(tf.square(slope[0]), axis=1)) - 1.0))
    return monitored, {train or "loss"}
"""
    flow = lower(parse(text, "f.py"))
    facts = Facts(flow)
    roots = [node for node in flow if node.op == "sqrt"]
    assert [facts.differentiated(node) is not None for node in roots] == expected
