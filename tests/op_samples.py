"""What the op properties need to call any row of the table on TensorFlow: its functions, its arguments, its samples.

Everything is derived from the row: an operand is what `takes` says it is, a static parameter has the ordinary value
that parameters of its name have. Samples come in batches along the first axis, so that one call tries thousands.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any

import numpy as np
import tensorflow as tf

from tfnanlint.interval import INF, Interval
from tfnanlint.ops import OPS, Op, Spelling
from tfnanlint.ops.row import CONSTANT, EMPTY, EQUAL, EVERY, INDEFINITE, INTEGER, OPPOSED, SINGULAR, Break, holds

RAMP = np.linspace(0, 300, 256, dtype="float32").reshape(16, 16, 1)
"""What two images share that are much alike."""
WIDTH = 3
"""How many elements an operand has along its last axis."""
SPECIAL = (0.0, -0.0, 0.5, -0.5, 1.0, -1.0, 2.0, -2.0, 3.0, -3.0, 1e-3, -1e-3, 17.0, -17.0)

ARGUMENTS: Mapping[str, Any] = {
    "alpha": 0.5, "axes": [-1], "axis": -1, "axis1": 0, "axis2": 1, "begin": [0], "beta": 1.5, "block_size": 2,
    "clip_norm": 1.0,
    "clip_value_min": 0.0, "decimals": 0, "destination": 1, "dtype": tf.float32, "epsilon": 1e-3, "frame_length": 2,
    "frame_step": 1, "k": 1, "ksize": 2, "lam": 2.0, "max_val": 1.0, "maxval": 5, "message": "",
    "minval": 0, "multiples": [2, 1],
    "num": 4, "num_lower": 0, "num_or_size_splits": 1, "num_samples": 2, "num_segments": 4, "num_upper": 1,
    "padding": "VALID",
    "paddings": [[1, 1], [0, 0]], "perm": [1, 0], "rate": 0.5, "repeats": 2, "shape": [-1, WIDTH], "shift": 1,
    "size": [4, 4], "source": 0, "strides": [1, 1, 1, 1], "value_range": [-2.0, 2.0],
}  # fmt: skip
"""The ordinary value of a static parameter that a function wants to be given, by its canonical name."""
OTHER_ARGUMENTS: Mapping[tuple[str, str], Any] = {
    ("broadcast_to", "shape"): np.shape, ("cast", "dtype"): tf.float64, ("ensure_shape", "shape"): [None, WIDTH],
    ("extract_patches", "dilations"): [1, 1, 1, 1], ("extract_patches", "ksize"): [1, 2, 2, 1],
    ("reverse", "axis"): [-1], ("saturate_cast", "dtype"): tf.float64, ("tensordot", "axes"): 1,
    ("ssim_multiscale", "power_factors"): (0.5, 0.3), ("ssim_multiscale", "filter_size"): 7,
    ("v1_cosine_distance", "axis"): -1, ("ctc_loss", "time_major"): False,
    ("ctc_loss", "label_length"): lambda labels, logits: np.full(len(labels), 1),
    ("ctc_loss", "logit_length"): lambda labels, logits: np.full(len(labels), WIDTH),
}  # fmt: skip
"""Where an op's parameter of that name is of another kind; a function is called with the operands."""


# Functions.


@cache
def _roots() -> Mapping[str, tuple[Any, ...]]:
    """The modules in which a canonical name may be found, one for each generation that has it."""
    import keras
    import tf_keras

    old = tf.keras.backend
    return {
        "tf": (tf, tf.compat.v1),
        "ops": (keras.ops,),
        "K": (tf_keras.backend, old),
        "keras": (keras, tf.keras, tf_keras),
        "tnp": (tf.experimental.numpy,),
    }


def functions(name: str) -> list[Callable[..., Any]]:
    """The functions that a canonical name stands for, the newest generation first."""
    head, *path = name.split(".")
    found = []
    for root in _roots()[head]:
        value: Any = root
        for piece in path:
            value = getattr(value, piece, None)
        if callable(value) and value not in found:
            found.append(value)
    return found


def parameters(function: Callable[..., Any]) -> list[inspect.Parameter]:
    """A function's parameters; the sentinel that keeps some from being given by position is none."""
    return [p for p in inspect.signature(function).parameters.values() if not p.name.startswith("_")]


def caller(op: Op) -> tuple[Callable[..., Any], dict[str, Any]]:
    """(the op as a function of its operands, the static parameters given to it).

    The operands are a list for "*xs"; all else is at its default, or at an ordinary value where there is none.
    """
    spelling, name = main_spelling(op)
    fixed = {"axis": -1} if reduces_along_axis(op) else {}
    function = functions(name)[0]
    taken = {p.name: p for p in parameters(function)}
    spelled = {canonical: word for word, canonical in spelling.keywords.items() if word in taken}
    spelled.update({canonical: word for canonical, word in spelling.parameters if word in taken})
    given: dict[str, Any] = {}
    for canonical, word in spelled.items():
        if canonical in fixed or (op.name, canonical) in OTHER_ARGUMENTS:
            given[word] = fixed.get(canonical, OTHER_ARGUMENTS.get((op.name, canonical)))
        elif canonical not in op.operands and taken[word].default is inspect.Parameter.empty and canonical != "name":
            given[word] = _argument(op, canonical)

    def call(*operands: Any) -> Any:
        arguments = {spelled[key]: value for key, value in zip(op.operands, operands, strict=False) if key in spelled}
        return function(
            **arguments,
            **{k: v(*operands) if callable(v) and not isinstance(v, tf.DType) else v for k, v in given.items()},
        )

    words = {word: canonical for canonical, word in spelled.items()}
    static = {words[k]: v.name if isinstance(v, tf.DType) else v for k, v in given.items()}
    return call, {k: v for k, v in static.items() if k in op.attrs}


def _argument(op: Op, canonical: str) -> Any:
    if canonical == "seed" and op.random:
        return [1, 2]
    return ARGUMENTS[canonical]


def main_spelling(op: Op) -> tuple[Spelling, str]:
    """The spelling by which the row is measured."""
    return op.spellings[0], op.spellings[0].names[0]


def reduces_along_axis(op: Op) -> bool:
    """Whether each line along the last axis can be a sample of its own."""
    return "axis" in op.attrs and op.attrs["axis"] is None and ("keepdims" in op.attrs or bool(op.breaks))


# Operands.


def is_real(op: Op, operand: str) -> bool:
    """Whether an operand holds real numbers."""
    return op.takes.get(operand, "real") in (
        "real",
        "matrix",
        "square",
        "symmetric",
        "image",
        "channels",
        "filters",
        "scalar",
        "weights",
        "triple",
        "shares",
        "nonnegative",
        "literal",
    )


def operand(
    op: Op, name: str, draw: Callable[[tuple[int, ...]], np.ndarray], rng: np.random.Generator, count: int
) -> Any:
    """A batch of `count` samples of one operand, with elements from `draw` where it holds real numbers."""
    kind = op.takes.get(name, "real")
    lead = (count,) if op.elementwise else (count, WIDTH)
    if kind in ("real", "literal"):
        drawn = draw(lead)
        return [drawn, drawn] if name.startswith("*") else drawn
    if kind == "nonnegative":
        return np.abs(draw(lead))
    if kind == "square":
        return draw((WIDTH, WIDTH))
    if kind == "matrix":
        return draw((count, WIDTH, WIDTH))
    if kind == "symmetric":
        half = draw((count, WIDTH, WIDTH))
        return half @ half.swapaxes(-1, -2) + 2 * np.eye(WIDTH, dtype=half.dtype)
    if kind == "image":
        drawn = draw((count, 16, 16, 3))
        return drawn + RAMP if any(b.of == OPPOSED for b in op.breaks) else drawn
    if kind == "channels":
        return draw((count, 8, 8, 4))
    if kind == "filters":
        return draw((3, 3, 3, 2))
    if kind == "scalar":
        return draw(())
    if kind == "vector":
        return draw((count,))
    if kind == "weights":  # without any, a loss is 0
        drawn = draw(())
        return np.where(drawn == 0, np.float32(1), drawn)
    if kind == "triple":
        return draw((count, 3))
    if kind == "shares":
        drawn = np.abs(rng.normal(size=lead)).astype("float32") + 0.1
        return drawn / drawn.sum(-1, keepdims=True)
    return _discrete(kind, lead, rng, draw)


def _discrete(kind: str, lead: tuple[int, ...], rng: np.random.Generator, draw: Callable[..., np.ndarray]) -> Any:
    if kind == "bool":
        return rng.random(lead) < 0.5
    if kind == "complex":
        return (draw(lead) + 1j * draw(lead)).astype("complex64")
    if kind in ("index", "ordered"):
        return np.sort(rng.integers(0, WIDTH, lead[:1]))
    if kind == "rows":
        return rng.integers(0, lead[0], lead[:1])
    if kind == "symbols":
        return rng.integers(1, WIDTH, (lead[0], 1))
    if kind == "pointers":
        return rng.integers(0, lead[0], (*lead[:1], 1))
    if kind == "size":
        return 4
    if kind == "start":
        return [0] * len(lead)
    if kind in ("shape", "wide"):
        return list(lead)
    raise AssertionError(f"no sample of a {kind}")


def plain(rng: np.random.Generator, interval: Interval) -> Callable[[tuple[int, ...]], np.ndarray]:
    """Elements of an interval, of which none is special."""
    return lambda shape: rng.uniform(interval.lo, interval.hi, shape).astype("float32")


def uniform(rng: np.random.Generator, interval: Interval) -> Callable[[tuple[int, ...]], np.ndarray]:
    """Elements of an interval, its ends and the special numbers in it often among them."""
    inner = [v for v in (*SPECIAL, interval.lo, interval.hi) if v in interval and math.isfinite(v)]

    def draw(shape: tuple[int, ...]) -> np.ndarray:
        lo, hi = max(interval.lo, -30.0), min(interval.hi, 30.0)
        drawn = rng.uniform(lo, hi, shape) if lo <= hi else np.full(shape, lo)
        if inner:
            chosen = rng.choice(inner, shape)
            drawn = np.where(rng.random(shape) < 0.3, chosen, drawn)
        return np.clip(drawn, interval.lo, interval.hi).astype("float32")

    return draw


# Breaks.


def region(broken: Break, sample: Mapping[str, Any], rows: int | None) -> np.ndarray:
    """Which rows of a batch lie in a break's region; without rows, whether the whole batch does."""
    count = 1 if rows is None else rows
    given = sample[broken.operand]
    held = np.concatenate([np.ravel(v) for v in given])[None] if isinstance(given, list) else np.asarray(given)
    held = held.astype("complex128" if held.dtype.kind == "c" else "float64")  # bounds are exact
    if broken.of in (SINGULAR, INDEFINITE, EQUAL, OPPOSED, EMPTY):
        return np.zeros(count, bool)  # these are tried by themselves
    member = held == broken.lo if held.dtype.kind == "c" else (held >= broken.lo) & (held <= broken.hi)
    for name, condition in broken.given.items():
        member = member & meets(condition, np.asarray(sample[name]))
    if broken.of == INTEGER:
        member = member & (held == np.floor(held))
    lines = member.reshape(count, -1)
    if broken.of == EVERY:
        return lines.all(axis=1)
    if broken.of == CONSTANT:
        flat = held.reshape(count, -1)
        return (flat == flat[:, :1]).all(axis=1)
    return lines.any(axis=1)


def meets(condition: Interval | str, values: np.ndarray) -> np.ndarray:
    """Which numbers are what `given` asks for."""
    return np.reshape([holds(condition, float(v)) for v in np.ravel(values)], values.shape)


def stated_points(op: Op, name: str) -> list[float]:
    """The numbers of an operand at and next to which the row's breaks begin."""
    found: list[float] = []
    for broken in op.breaks:
        for bound in (broken.lo, broken.hi):
            if broken.operand == name and math.isfinite(bound):
                near = np.float32(bound)
                found += [
                    float(near),
                    float(np.nextafter(near, np.float32(INF))),
                    float(np.nextafter(near, np.float32(-INF))),
                ]
                found += [float(near) + 1, float(near) - 1]
        condition = broken.given.get(name)
        if isinstance(condition, Interval):
            found += [float(np.float32(v)) for v in (condition.lo, condition.hi) if math.isfinite(v)]
    # Denormals are flushed; next to them, ordinary numbers overflow where two operands meet.
    least = 2.0**-126 if len(op.operands) == 1 else 1e-6
    return [v for v in found if v == 0 or abs(v) >= least]


def measured() -> Iterator[Op]:
    """The rows that can be spelled, hence run."""
    return (op for op in OPS.values() if op.spellings)
