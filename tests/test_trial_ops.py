"""Each op of the table, tried alone: of bare parameters nothing is reported that only special numbers show."""

from __future__ import annotations

import pytest

from tfnanlint.facts import Facts
from tfnanlint.flow import Flow, Node
from tfnanlint.ops import OPS, Op
from tfnanlint.ops.row import OPPOSED
from tfnanlint.trial import Failure, Trials
from tfnanlint.trial.situations import CALM

NUMBERS = frozenset(
    {"", "complex", "matrix", "symmetric", "image", "channels", "filters", "bool", "nonnegative", "square"}
)
"""What the operands of an op hold that are given tensors of numbers here; others take sizes, indices and the like."""
WHOLE = frozenset({"polygamma"})
"""Ops that take a number which has to be whole, and say so nowhere."""
NAMES = (("foo", "bar", "baz", "more", "last"), ("x", "anchor", "query", "key", "z"))
"""Names that tell nothing, and names that tell that inputs are data."""
ROWS = [
    op
    for op in OPS.values()
    if op.run is not None
    and not op.random
    and op.name not in WHOLE | {"asserted"}
    and not any(broken.of == OPPOSED for broken in op.breaks)  # two images that have nothing in common are ordinary
    and all(op.takes.get(name, "") in NUMBERS for name in op.operands)
]


def tried(op: Op, names: tuple[str, ...]) -> tuple[Node, list[Failure]]:
    """An op of inputs that have these names, which is returned and differentiated, and its failures."""
    flow = Flow()
    count = len(op.operands) + any(name.startswith("*") for name in op.operands)
    inputs = [flow.add("input", (), {"name": name}) for name in names[:count]]
    node = flow.add(op.name, inputs)
    flow.kept.add(node)
    flow.differentiate(node, "differentiated", None, inputs)
    return node, Trials(Facts(flow), [node]).failures.get(node, [])


@pytest.mark.parametrize("op", ROWS, ids=lambda op: op.name)
@pytest.mark.parametrize("names", NAMES, ids=["unknown", "data"])
def test_an_op_of_bare_parameters_is_finite_in_a_calm_batch(op: Op, names: tuple[str, ...]) -> None:
    _, failures = tried(op, names)
    assert CALM.name not in {failure.situation.name for failure in failures}


@pytest.mark.parametrize("op", [op for op in ROWS if op.elementwise], ids=lambda op: op.name)
def test_an_elementwise_op_of_an_unknown_parameter_is_likely_to_fail_in_nothing(op: Op) -> None:
    _, failures = tried(op, NAMES[0])
    assert [failure.situation.name for failure in failures if failure.likely] == []


@pytest.mark.parametrize("op", [op for op in ROWS if op.elementwise and len(op.operands) == 1], ids=lambda op: op.name)
def test_an_elementwise_op_of_data_is_likely_to_fail_in_nothing(op: Op) -> None:
    _, failures = tried(op, NAMES[1])
    assert [failure.situation.name for failure in failures if failure.likely] == []
