"""Random tensors and their supports."""

from __future__ import annotations

import math
from typing import Any

from tfnanlint.interval import INF, UNKNOWN, Interval
from tfnanlint.ops.numeric import Kernels
from tfnanlint.ops.row import Attributes, Op, Spelling, bounded, row, spelled

kernels = Kernels("random")

TRUNCATED_DEVIATIONS = 2.0
"""Where the truncated normal distribution is cut off."""


def _number(value: object, default: float) -> float | None:
    """A static parameter as a number; None where it is given but not known."""
    if value is None:
        return default
    return float(value) if isinstance(value, (int, float)) else None


BELOW_ONE = {None: 1.0 - 2.0**-24, "float32": 1.0 - 2.0**-24, "float16": 1.0 - 2.0**-11, "bfloat16": 1.0 - 2.0**-8}
"""The largest number below 1, by type: a uniform number between 0 and 1 is at most that."""


def _uniform(*operands: Interval | None, attrs: Attributes) -> Interval:
    lo, hi = _number(attrs.get("minval"), 0.0), _number(attrs.get("maxval"), 1.0)
    if lo == 0.0 and hi == 1.0:  # of other bounds, the upper one can be reached by rounding
        return Interval(lo, BELOW_ONE.get(attrs.get("dtype"), math.nextafter(hi, lo)))
    return Interval(-INF if lo is None else lo, INF if hi is None else hi)


def _truncated(*operands: Interval | None, attrs: Attributes) -> Interval:
    mean, deviation = _number(attrs.get("mean"), 0.0), _number(attrs.get("stddev"), 1.0)
    if mean is None or deviation is None:
        return UNKNOWN
    reach = TRUNCATED_DEVIATIONS * abs(deviation)
    return Interval(mean - reach, mean + reach)


def _draw(name: str, *spellings: Spelling, operands: str = "shape", **rest: Any) -> Op:
    return row(
        name,
        *spellings,
        operands=operands,
        takes={"shape": "shape"} if operands == "shape" else None,
        random=True,
        blocked=("*",),
        elementwise=False,
        same_dtype=False,
        **rest,
    )


NORMAL = {"mean": 0.0, "stddev": 1.0, "dtype": None, "seed": None, "alg": "auto_select"}
UNIFORM = {"minval": 0, "maxval": None, "dtype": None, "seed": None, "alg": "auto_select"}
KERAS_UNIFORM = "shape minval=0.0 maxval=1.0 dtype seed"

ROWS: tuple[Op, ...] = (
    _draw(
        "random_uniform",
        spelled("tf.random.uniform tf.random_uniform", "shape minval maxval dtype seed name"),
        spelled("tf.random.stateless_uniform", "shape seed minval maxval dtype name alg"),
        spelled("keras.random.uniform K.random_uniform", KERAS_UNIFORM),
        graph="RandomUniform StatelessRandomUniform StatelessRandomUniformV2",
        attrs=UNIFORM,
        transfer=_uniform,
        reason="a uniform random number, which can be exactly its lower bound",
        run=kernels.uniform,
    ),
    _draw(
        "random_normal",
        spelled("tf.random.normal tf.random_normal", "shape mean stddev dtype seed name"),
        spelled("tf.random.stateless_normal", "shape seed mean stddev dtype name alg"),
        spelled("keras.random.normal K.random_normal", "shape mean stddev dtype seed"),
        graph="RandomStandardNormal StatelessRandomNormal StatelessRandomNormalV2",
        attrs=NORMAL,
        transfer=lambda shape, attrs: UNKNOWN,
        reason="a normal random number",
        run=kernels.normal,
    ),
    _draw(
        "random_truncated_normal",
        spelled("tf.random.truncated_normal tf.truncated_normal", "shape mean stddev dtype seed name"),
        spelled("tf.random.stateless_truncated_normal", "shape seed mean stddev dtype name alg"),
        spelled("keras.random.truncated_normal K.truncated_normal", "shape mean stddev dtype seed"),
        graph="TruncatedNormal StatelessTruncatedNormal StatelessTruncatedNormalV2",
        attrs=NORMAL,
        transfer=_truncated,
        reason="a truncated normal random number",
        run=kernels.truncated_normal,
    ),
    _draw(
        "random_gamma",
        spelled("tf.random.gamma tf.random_gamma", "shape alpha beta dtype seed name"),
        spelled("keras.random.gamma", "shape alpha | dtype seed"),
        graph="RandomGamma StatelessRandomGammaV2 StatelessRandomGammaV3",
        attrs={"alpha": None, "beta": None, "dtype": None, "seed": None},
        transfer=bounded(0.0, INF),
        reason="a gamma random number",
        run=kernels.gamma,
    ),
    _draw(
        "random_poisson",
        spelled("tf.random.poisson", "| shape lam dtype seed name"),
        spelled("tf.random_poisson", "lam shape dtype seed name"),
        graph="RandomPoissonV2 RandomPoisson StatelessRandomPoisson",
        attrs={"lam": None, "dtype": None, "seed": None},
        transfer=bounded(0.0, INF),
        reason="a Poisson random number, which can be 0",
        run=kernels.poisson,
    ),
    _draw(
        "random_beta",
        spelled("keras.random.beta", "shape alpha beta dtype seed"),
        attrs={"alpha": None, "beta": None, "dtype": None, "seed": None},
        transfer=bounded(0.0, 1.0),
        reason="a beta random number",
        run=kernels.beta,
    ),
    _draw(
        "random_bernoulli",
        spelled("K.random_bernoulli K.random_binomial", "shape p dtype seed"),
        attrs={"p": 0.0, "dtype": None, "seed": None},
        transfer=bounded(0.0, 1.0),
        reason="a Bernoulli random number",
        run=kernels.bernoulli,
    ),
    _draw(
        "random_integers",
        spelled("keras.random.randint", "shape minval maxval dtype seed"),
        graph="RandomUniformInt StatelessRandomUniformInt StatelessRandomUniformIntV2",
        attrs={"minval": 0, "maxval": None, "dtype": "int32", "seed": None},
        transfer=_uniform,
        reason="a random integer, which can be exactly its lower bound",
        run=kernels.integers,
    ),
    _draw(
        "random_categorical",
        spelled("tf.random.categorical", "logits num_samples dtype seed name"),
        spelled("tf.multinomial tf.random.multinomial", "logits num_samples seed name | dtype:output_dtype"),
        spelled("keras.random.categorical", "logits num_samples dtype='int32' seed"),
        operands="logits",
        attrs={"num_samples": None, "dtype": None, "seed": None},
        graph="Multinomial StatelessMultinomial",
        transfer=bounded(0.0, INF),
        run=kernels.categorical,
    ),
)
