"""Each op of the table is asked for far more than a trial is worth, by every whole number that it takes."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from op_samples import measured
from test_runs import batches, filled, is_several

from tfnanlint import lint_source
from tfnanlint.ops import Op
from tfnanlint.ops.numeric import pulled
from tfnanlint.ops.work import MOST_MADE, WORK, affordable
from tfnanlint.trial.arrays import REFUSALS
from tfnanlint.trial.shapes import LARGEST

HUGE = (2 * MOST_MADE, 10**9, -(10**9))
MOST_BYTES = 200_000_000
FAR_TOO_MUCH = 1e10
"""Work that is more than all trials of a flow may do."""
RUNNING = [op for op in measured() if op.run is not None]


def asked_for(op: Op) -> Iterator[tuple[list[Any], dict[str, Any]]]:
    """Operands and parameters of an op, one of them a huge number each time."""
    _, attrs = filled(op)
    values = next(batches(op))
    attrs = {name: value(*values) if callable(value) else value for name, value in attrs.items()}
    values = [one for value in values for one in (value if is_several(value) else [value])]
    for number in HUGE:
        for name, value in attrs.items():
            if not isinstance(value, (bool, str)):
                for huge in (number, [number] * 2, [[number] * 2] * 2):
                    yield values, {**attrs, name: huge}
        for place, value in enumerate(values):
            if isinstance(value, np.ndarray) and value.dtype.kind in "iu":
                last = np.arange(value.size).reshape(value.shape) == value.size - 1
                yield [*values[:place], np.where(last, number, value), *values[place + 1 :]], attrs
            elif isinstance(value, (int, list)) and not isinstance(value, bool):
                huge = [number] * len(value) if isinstance(value, list) else number
                yield [*values[:place], huge, *values[place + 1 :]], attrs


def enlarged(value: Any, square: bool) -> Any:
    """An array of about as many elements as a trial keeps: many rows, or as many columns."""
    if not isinstance(value, np.ndarray) or not value.ndim or not value.size:
        return value
    if value.ndim == 1:
        return np.resize(value, LARGEST)
    if square:
        side = int((LARGEST / np.prod(value.shape[:-2])) ** 0.5)
        return np.resize(value, (*value.shape[:-2], side, side))
    return np.resize(value, (*value.shape[:-1], LARGEST // int(np.prod(value.shape[:-1]))))


def computed(op: Op, values: list[Any], attrs: dict[str, Any]) -> None:
    """Run an op and hand a gradient back, as far as it does not refuse to."""
    assert op.run is not None
    try:
        with np.errstate(all="ignore"):
            result = op.run(*values, **attrs)
            if isinstance(result, np.ndarray) and result.dtype.kind in "fc":
                pulled(op, np.ones_like(result), result, values, attrs)
    except REFUSALS:
        pass


@pytest.mark.parametrize("op", RUNNING, ids=lambda op: op.name)
def test_an_op_makes_no_array_that_is_far_too_large(op: Op) -> None:
    tracemalloc.start()
    try:
        for values, attrs in asked_for(op):
            computed(op, values, attrs)
        values, attrs = next(batches(op)), filled(op)[1]
        attrs = {name: value(*values) if callable(value) else value for name, value in attrs.items()}
        for square in (False, True):
            wide = [one for v in values for one in (v if is_several(v) else [v])]
            computed(op, [enlarged(one, square) for one in wide], attrs)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < MOST_BYTES


@pytest.mark.parametrize("op", [op for op in RUNNING if op.elementwise], ids=lambda op: op.name)
def test_an_op_of_large_arrays_takes_its_share_of_the_budget(op: Op) -> None:
    _, attrs = filled(op)
    values = [one for v in next(batches(op)) for one in (v if is_several(v) else [v])]
    before = WORK.done
    with np.errstate(all="ignore"):
        assert op.run is not None
        op.run(*[np.resize(value, LARGEST) if np.ndim(value) else value for value in values], **attrs)
    assert WORK.done - before >= LARGEST


@pytest.mark.parametrize("op", RUNNING, ids=lambda op: op.name)
def test_an_op_of_any_sizes_never_gives_work_back(op: Op) -> None:
    for values, attrs in asked_for(op):
        before = WORK.done
        computed(op, values, attrs)
        assert 0 <= WORK.done - before < FAR_TOO_MUCH


@pytest.mark.parametrize("count", [-1e30, -1.0, float("nan"), float("inf"), MOST_MADE + 1.0])
def test_a_number_of_elements_that_cannot_be_is_refused_and_not_counted(count: float) -> None:
    before = WORK.done
    with pytest.raises(ValueError, match="cannot be tried"):
        affordable(count)
    assert WORK.done == before


def test_what_was_linted_before_takes_nothing_from_the_budget_of_a_file() -> None:
    text = "import tensorflow as tf\n\n\ndef f(x):\n    return tf.math.log(tf.nn.relu(x))\n"
    fresh = [found.rule for found in lint_source(text)]
    try:
        for spent in (1e30, -1e30, float("inf"), float("nan")):
            WORK.done = spent
            assert [found.rule for found in lint_source(text)] == fresh == ["log-relu"]
    finally:
        WORK.begin()
