"""Every row of the op table says of its op what TensorFlow does."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest
import tensorflow as tf
from op_samples import (
    SPECIAL,
    caller,
    functions,
    is_real,
    measured,
    operand,
    parameters,
    plain,
    region,
    stated_points,
    uniform,
)

from tfnanlint.interval import UNKNOWN, Interval
from tfnanlint.ops import HINTS, OPS, Op, Spelling
from tfnanlint.ops.row import EMPTY, EQUAL, INDEFINITE, INTEGER, OPPOSED, UNTOLD

ROWS = [pytest.param(op, id=op.name) for op in measured()]
SPELLED = [
    pytest.param(op, spelling, name, id=name)
    for op in measured()
    for spelling in op.spellings
    for name in spelling.names
]
PLUMBING = frozenset(("Placeholder", "Const", "Identity", "NoOp"))


def rng_of(op: Op) -> np.random.Generator:
    return np.random.default_rng(sum(map(ord, op.name)))


# Names and signatures.


@pytest.mark.parametrize(("op", "spelling", "name"), SPELLED)
def test_every_spelling_exists_with_the_stated_parameters(op: Op, spelling: Spelling, name: str) -> None:
    found = functions(name)
    assert found, f"there is no {name}"
    every: set[str] = set()
    for function in found:
        actual = [p.name for p in parameters(function) if p.kind is p.POSITIONAL_OR_KEYWORD]
        every.update(p.name for p in parameters(function))
        for (canonical, _), given in zip(spelling.parameters, actual, strict=False):
            assert spelling.canonical(given) == canonical, (
                f"{inspect.signature(function)} has {given} where {canonical} is stated"
            )
        optional = actual[: len(spelling.parameters)]
        assert len(optional) == len(spelling.parameters) or function is not found[0], (
            f"{inspect.signature(function)} takes fewer"
        )
    stated = {word for _, word in spelling.parameters} | set(spelling.keywords)
    # Any name that some spelling of this row or an older release has is harmless where this release lacks it.
    missing = {word for _, word in spelling.parameters} - every
    assert not missing, f"no {name} takes {missing} (it takes {every}; stated are {stated})"


@pytest.mark.parametrize(("op", "spelling", "name"), SPELLED)
def test_every_default_is_the_stated_one(op: Op, spelling: Spelling, name: str) -> None:
    for parameter in parameters(functions(name)[0]):
        canonical = spelling.canonical(parameter.name)
        if canonical is None or canonical in HINTS or not isinstance(parameter.default, (bool, int, float, str)):
            continue
        if canonical in op.operands:
            continue
        stated = spelling.defaults.get(canonical, op.attrs.get(canonical))
        assert stated == parameter.default, f"{canonical} of {name} is {parameter.default!r} by default, not {stated!r}"


@pytest.mark.parametrize("op", ROWS)
def test_a_row_speaks_of_operands_and_parameters_that_it_has(op: Op) -> None:
    for spelling in op.spellings:
        for canonical in [*(c for c, _ in spelling.parameters), *spelling.keywords.values()]:
            star = f"*{canonical}" in op.operands
            assert canonical in op.operands or canonical in op.attrs or canonical in HINTS or star, canonical
    for name in (*op.takes, *op.blocked, *(b.operand for b in op.breaks)):
        assert name in op.operands or name == "*"
    for broken in op.breaks:
        assert set(broken.given) <= set(op.operands)
        assert broken.lo <= broken.hi


# Graphs.


def node_types(op: Op) -> set[str]:
    call, _ = caller(op)
    values = samples(op, 2)
    tensors = [
        v if kept(op, o) else tf.nest.map_structure(tf.constant, v) for o, v in zip(op.operands, values, strict=True)
    ]
    real = [t for o, t in zip(op.operands, tensors, strict=True) if not kept(op, o)]

    def traced(given: list[Any]) -> Any:
        rest = iter(given)
        return call(*[t if kept(op, o) else next(rest) for o, t in zip(op.operands, tensors, strict=True)])

    graph = tf.function(traced).get_concrete_function(real).graph
    return {node.type for node in graph.get_operations()}


def kept(op: Op, name: str) -> bool:
    """Whether an operand stays a Python value when the op is called."""
    return op.takes.get(name) in ("size", "shape", "start", "wide", "literal")


@pytest.mark.parametrize("op", ROWS)
def test_tracing_the_main_spelling_gives_the_stated_graph_type(op: Op) -> None:
    types = node_types(op)
    made = types - PLUMBING or types - {"Placeholder"}
    if len(made) == 1 and not op.random:
        assert made <= set(op.graph) or (made & set(OTHER_ROWS) and not op.graph), f"its graph node is {made}"
    for stated in op.graph:
        assert hasattr(tf.raw_ops, stated) or stated in LEGACY, f"TensorFlow has no op {stated}"


OTHER_ROWS = {kind for op in OPS.values() for kind in op.graph}
LEGACY = frozenset(("Inv",))


# Ranges.


def samples(op: Op, count: int) -> list[Any]:
    """Ordinary operands, of positive numbers."""
    rng = rng_of(op)
    return [operand(op, name, uniform(rng, Interval(0.5, 2.0)), rng, count) for name in op.operands]


def result_arrays(result: Any) -> list[np.ndarray]:
    found = [np.asarray(v) for v in tf.nest.flatten(result) if v is not None]
    return [v.astype("float32") if v.dtype.kind in "biuf" else v for v in found]


RANGED = [p for p in ROWS if p.values[0].transfer is not None]
INTERVALS = (
    Interval(-2.0, 3.0), Interval(0.0, 1.0), Interval(0.25, 4.0), Interval(-5.0, -0.5), Interval(-1.0, 1.0),
    Interval(1.0, 1.0), Interval(-20.0, 20.0), Interval(0.0, 0.0), Interval(3.0, 20.0), Interval(-1.5, 0.0),
)  # fmt: skip


@pytest.mark.parametrize("op", RANGED)
def test_sampled_results_lie_in_the_stated_range(op: Op) -> None:
    call, attrs = caller(op)
    rng = rng_of(op)
    for round_ in range(24):
        chosen = {o: INTERVALS[rng.integers(len(INTERVALS))] if round_ else INTERVALS[0] for o in op.operands}
        values = [operand(op, o, uniform(rng, chosen[o]), rng, 40) for o in op.operands]
        known = [
            chosen[o] if op.takes.get(o, "real") in ("real", "scalar") else measured_range(v)
            for o, v in zip(op.operands, values, strict=True)
        ]
        values = [
            v if kept(op, o) else tf.nest.map_structure(tf.constant, v)
            for o, v in zip(op.operands, values, strict=True)
        ]
        if op.operands[-1].startswith("*"):
            known.append(known[-1])
        stated = op.transfer(*known, attrs=attrs).rounded("float32")
        for result in result_arrays(call(*values)):
            assert result.dtype.kind != "c", "a complex result has no range"
            wrong = ~(within(result, stated) | np.isnan(result))
            if np.isinf(result).any() and reaches_a_break(op, dict(zip(op.operands, values, strict=True))):
                wrong &= np.isfinite(result)  # the sign of a 0 decides which infinity it is
            assert not wrong.any(), f"{op.name} of {known} is stated to be in {stated}, and gave {result[wrong][:3]}"
            if np.isnan(result).any():
                assert reaches_a_break(op, dict(zip(op.operands, values, strict=True))), (
                    f"{op.name} of {known} gave NaN"
                )


def measured_range(value: Any) -> Interval:
    array = np.asarray(value)
    if array.dtype.kind != "f":
        return UNKNOWN
    return Interval(float(array.min()), float(array.max()))


def within(result: np.ndarray, stated: Interval) -> np.ndarray:
    """Whether numbers lie in an interval, rounding of a few units in the last place aside."""
    slack_lo = 4 * abs(float(np.spacing(np.float32(stated.lo)))) if np.isfinite(stated.lo) else 0.0
    slack_hi = 4 * abs(float(np.spacing(np.float32(stated.hi)))) if np.isfinite(stated.hi) else 0.0
    return (result >= stated.lo - slack_lo) & (result <= stated.hi + slack_hi)


def reaches_a_break(op: Op, sample: dict[str, Any]) -> bool:
    """Whether some value break holds of some elements of what was given."""
    for broken in op.breaks:
        held = np.asarray(sample[broken.operand])
        if broken.kind == "value" and (
            broken.of not in ("some", "every", "integer") or ((held >= broken.lo) & (held <= broken.hi)).any()
        ):
            return True
    return False


# Breaks.

BATCH = 10_000
SMALL_BATCH = 2_000


def hazardous(op: Op, name: str, rng: np.random.Generator, count: int) -> Any:
    """A batch in which special numbers, the row's stated points and constant samples are frequent."""
    ordinary = [v for v in SPECIAL if len(op.operands) == 1 or 0.1 < abs(v) < 10 or v == 0]  # a power soon overflows
    points = [*ordinary, *stated_points(op, name)]
    if any(b.of == INTEGER for b in op.breaks):
        points += [-4.0, -5.0]

    def draw(shape: tuple[int, ...]) -> np.ndarray:
        drawn = np.where(rng.random(shape) < 0.4, rng.choice(points, shape), rng.uniform(-5, 5, shape))
        if len(shape) == 2:
            constant = np.broadcast_to(rng.choice(points, (shape[0], 1)), shape)
            drawn = np.where(rng.random((shape[0], 1)) < 0.3, constant, drawn)
        if len(shape) == 3:  # matrices that are far from singular
            drawn = rng.uniform(-1, 1, shape) + 4 * np.eye(shape[-1])
        return drawn.astype("float32")

    return operand(op, name, draw, rng, count)


def weights(shape: tf.TensorShape, dtype: tf.DType) -> tf.Tensor:
    """Upstream gradients up to 1, none 0 and no two alike, so that nothing cancels."""
    return tf.cast(
        tf.reshape(1 - tf.range(shape.num_elements(), dtype=tf.float32) / (2 * shape.num_elements()), shape), dtype
    )


def gradients(op: Op, call: Any, values: list[Any]) -> tuple[list[np.ndarray], list[list[np.ndarray] | None]]:
    """The results, and the gradient of their sum with respect to each operand that holds real or complex numbers."""
    differentiable = [is_real(op, o) or op.takes.get(o) == "complex" for o in op.operands]
    tensors = [tf.nest.map_structure(tf.constant, v) if d else v for d, v in zip(differentiable, values, strict=True)]
    sources = [t for d, t in zip(differentiable, tensors, strict=True) if d]
    with tf.GradientTape() as tape:
        tape.watch(sources)
        results = [tf.convert_to_tensor(r) for r in tf.nest.flatten(call(*tensors)) if r is not None]
        parts = [
            tf.math.real(r) + tf.math.imag(r) if r.dtype.is_complex else r
            for r in results
            if r.dtype.is_floating or r.dtype.is_complex
        ]
        target = [tf.reduce_sum(r * weights(r.shape, r.dtype)) for r in parts]
    found = iter(tape.gradient(target, sources) if target else [None] * len(sources))
    backs: list[list[np.ndarray] | None] = []
    for d in differentiable:
        flat = [
            np.asarray(tf.convert_to_tensor(b)) for b in tf.nest.flatten(next(found) if d else None) if b is not None
        ]
        backs.append(flat or None)
    return [np.asarray(r) for r in results], backs


def finite(arrays: list[np.ndarray], rows: int | None) -> np.ndarray:
    """Which rows are finite in all arrays; without rows, whether all is."""
    arrays = [a for a in arrays if a.dtype.kind in "fc"]
    if rows is None:
        return np.array([all(np.isfinite(a).all() for a in arrays)])
    fine = np.ones(rows, bool)
    for array in arrays:
        fine &= np.isfinite(array.reshape(rows, -1)).all(axis=1)
    return fine


def broken_rows(op: Op, kind: str, sample: dict[str, Any], rows: int | None) -> np.ndarray:
    """Which rows of a batch the op's breaks of one kind speak of."""
    broken = np.zeros(1 if rows is None else rows, bool)
    for one in op.breaks:
        if one.kind == kind:
            broken |= region(one, sample, rows)
    return broken


@pytest.mark.parametrize("op", ROWS)
def test_value_and_gradient_break_where_the_row_says_and_nowhere_else(op: Op) -> None:
    call, _ = caller(op)
    rng = rng_of(op)
    count = BATCH if op.elementwise else 8 if "image" in op.takes.values() else SMALL_BATCH
    batch = [hazardous(op, o, rng, count) for o in op.operands]
    results, _ = gradients(op, call, batch)
    rows: int | None = count
    batches = [batch]
    scalar = any(np.shape(v)[:1] != (count,) for v in batch)
    if scalar or any(r.shape[:1] != (count,) for r in results) or op.operands[-1].startswith("*"):
        rows = None
        batches = [[hazardous(op, o, rng, 1 if index % 2 else 4) for o in op.operands] for index in range(80)]
    seen: dict[Any, bool] = {}
    for values in batches:
        results, backs = gradients(op, call, values)
        sample = dict(zip(op.operands, values, strict=True))
        value_breaks, gradient_breaks = (broken_rows(op, kind, sample, rows) for kind in ("value", "gradient"))
        fine = finite(results, rows)
        assert (fine == ~value_breaks).all(), wrong_rows(op, "value", sample, fine != ~value_breaks, rows)
        fine_back = finite([b for back in backs if back for b in back], rows)
        wrong = ~value_breaks & (fine_back != ~gradient_breaks)
        assert not wrong.any(), wrong_rows(op, "gradient", sample, wrong, rows)
        for one in op.breaks:
            seen[one] = seen.get(one, False) or bool(region(one, sample, rows).any())
    for one in op.breaks:
        apart = one.of in (EMPTY, *UNTOLD) or op.takes.get(one.operand) in ("matrix", "symmetric")
        assert seen[one] or apart, f"no sample for the {one}"


def wrong_rows(op: Op, kind: str, sample: dict[str, Any], wrong: np.ndarray, rows: int | None) -> str:
    place = int(np.argmax(wrong))
    at = {k: (v if rows is None else np.asarray(v)[place]) for k, v in sample.items()}
    return f"the {kind} of {op.name} is not as its row says at {at} ({int(wrong.sum())} such samples)"


SPOILED = [
    p
    for p in ROWS
    if any(b.of in (EMPTY, *UNTOLD) for b in p.values[0].breaks)
    or (p.values[0].breaks and {"matrix", "symmetric"} & {*p.values[0].takes.values()})
]


@pytest.mark.parametrize("op", SPOILED)
def test_an_operand_that_no_range_tells_apart_breaks_the_op(op: Op) -> None:
    call, _ = caller(op)
    for one in op.breaks:
        values = samples(op, 1)
        place = op.operands.index(one.operand)
        if one.of == EMPTY:
            alike = values[place].shape
            values = [np.zeros((2, 0), "float32") if v.shape == alike else v for v in values]
        elif one.of == EQUAL:
            values[place] = values[1 - place]
        elif one.of == OPPOSED:
            values[place] = -values[1 - place]
        elif one.of == INDEFINITE:
            values[place] = -np.eye(3, dtype="float32")[None]
        elif op.takes.get(one.operand) in ("matrix", "symmetric"):
            values[place] = np.zeros((1, 3, 3), "float32")
        else:
            continue
        try:
            results, backs = gradients(op, call, values)
        except tf.errors.InvalidArgumentError:
            continue  # refused, where XLA gives NaN
        arrays = results if one.kind == "value" else [b for back in backs if back for b in back]
        assert not finite(arrays, None)[0], f"the {one} of {op.name} is finite"


# The flow of gradients.


@pytest.mark.parametrize("op", ROWS)
def test_gradient_flows_to_the_operands_that_are_not_blocked_and_to_no_other(op: Op) -> None:
    call, _ = caller(op)
    rng = rng_of(op)
    flows = dict.fromkeys(op.operands, False)
    for interval in (Interval(0.5, 2.0), Interval(0.1, 0.9), Interval(1.1, 1.9), Interval(-2.0, 2.0)):
        values = [operand(op, o, plain(rng, interval), rng, 40) for o in op.operands]
        _, backs = gradients(op, call, values)
        for o, back in zip(op.operands, backs, strict=True):
            flows[o] = flows[o] or any(np.nan_to_num(b, nan=1.0).any() for b in back or ())
    for place, o in enumerate(op.operands):
        assert flows[o] != op.blocks(place), (
            f"a gradient {'flows' if flows[o] else 'does not flow'} to {o} of {op.name}"
        )


POINTED = [p for p in ROWS if p.values[0].elementwise and any(b.kind == "gradient" for b in p.values[0].breaks)]


@pytest.mark.parametrize("op", POINTED)
def test_an_incoming_gradient_of_zero_stays_zero_at_a_break_where_the_row_says_so(op: Op) -> None:
    call, _ = caller(op)
    rng = rng_of(op)
    batch = [hazardous(op, o, rng, SMALL_BATCH) for o in op.operands]
    at_a_break = broken_rows(op, "gradient", dict(zip(op.operands, batch, strict=True)), SMALL_BATCH)
    tensors = [tf.constant(v[at_a_break]) for v in batch]
    with tf.GradientTape() as tape:
        tape.watch(tensors)
        result = call(*tensors)
    backs = tape.gradient(result, tensors, output_gradients=tf.zeros_like(result))
    kept_zero = all(not np.nan_to_num(b, nan=1.0).any() for b in backs if b is not None)
    assert kept_zero == op.keeps_zero
