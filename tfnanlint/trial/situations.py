"""What ordinary data does: a table of situations, each with a sentence for the report and the inputs that it changes.

A situation changes the calm inputs of some roles; all other inputs stay calm. One constant says how confident a network
may be, whichever op consumes its output.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tfnanlint.flow import DYNAMIC, numbers_in
from tfnanlint.ops.numeric import Array, np
from tfnanlint.trial import roles
from tfnanlint.trial.roles import Role

CONFIDENT = 110.0
"""Magnitude of a confident network's scores: a logit that is this far below another one has a softmax of exactly 0."""
SATURATED = 40.0
"""Magnitude of a saturated activation's input: every sigmoid is 0 or 1 there."""
CLASSES = 3
"""Number of classes that indices select from."""
LONGEST = 3
"""Length of the longest of a batch of sequences."""
OUTLYING = 30.0
"""Distance of an outlier from the other examples, in standard deviations."""
SETTINGS: tuple[tuple[str, float | int], ...] = (
    (r".*(?<!st)(eps|epsilon|tiny|tol)\w*", 1e-7),  # but not `num_steps`
    (r"(.*_)?(pad|padding|ignore|mask|blank|null|unk|eos|bos|sep)(_.*)?_?(id|ids|idx|index|label|token|value)", 0),
    (r"(num|n|nb|k|d|size|dim|depth|units|order|axis|window|kernel|length|degree|classes|channels|steps?)(_.*)?", 3),
    (r".*(size|dim|dims|length|classes|channels|steps|bins|num|count|units|heads|layers|axis)", 3),
    (r"(.*_)?(min|minimum|low|lower|start|begin|left)(_.*)?", 0.1),
    (r"(.*_)?(max|maximum|high|upper|stop|end|right)(_.*)?", 0.9),
)
"""The ordinary value of a setting without a default, by its name."""
DEFAULT_SETTING = 0.5
"""The value of a setting of another name."""
COUNT = 3
"""The ordinary value of an integer setting without a default."""
WHOLE = {roles.COUNTED: COUNT, roles.DIVIDED: 4 * COUNT}
"""Its value by the evidence that it is an integer: a dividend is larger than a divisor."""

Change = Callable[[Array], Array]
"""Maps the calm numbers of an input to those of a situation."""


@dataclass(frozen=True)
class Situation:
    """A name, its sentence in the report, and the change to the calm inputs of each role that it concerns."""

    name: str
    sentence: str
    changes: Mapping[str, Change] = field(default_factory=dict)
    copies: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """For each role, the roles that its inputs copy: the first input of one of them that has the same shape."""
    equals: tuple[str, ...] = ()
    """Roles whose inputs equal the other operand where the program takes a difference."""
    paired: str = ""
    """Which inputs equal each other where the program takes their difference.

    "prediction": a prediction and its label; "data": any two inputs that are neither; "": none.
    """
    opposed: bool = False
    """Whether, where the program takes the difference of two inputs, the second one has the opposite sign."""
    arm: int = 0
    """The arm of an `if`, `elif` chain that is taken where the conditions are unknown."""
    steps: int = 1
    """Number of iterations of a loop."""
    flags: frozenset[str] = frozenset()
    """Names of the flags that differ from their defaults."""
    side: str = ""
    """Position of inputs relative to a constant that the program compares them with: a side of `limits.py`."""
    missing: Change | None = None
    """What makes data missing of which the program checks that it is NaN."""
    rare: bool = False
    """Whether a random number is the smallest one that can be drawn."""
    zeroes_outputs: bool = False
    """Whether single outputs are exactly 0, as those of a linear layer are only if its kernel starts at 0."""
    exact: bool = True
    """Whether inputs equal a special number such as 0, which continuous data does only by chance."""
    seldom: bool = False
    """Whether what fails in it is seldom a hazard of published code: less than one time in ten (docs/trials.md)."""


def calm(role: Role, shape: tuple[int, ...], attrs: Mapping[str, Any], seed: int) -> Any:
    """Ordinary numbers for an input of a role."""
    rng = np.random.default_rng(seed)
    kind = role.name
    start = attrs.get("initializer")
    if isinstance(start, tuple) and numbers_in(start):
        return np.asarray(start, float)
    if kind == roles.SETTING:
        return _setting(attrs, role.evidence)
    if kind == roles.INDICES:
        return ((np.arange(math.prod(shape)) + seed) % CLASSES).reshape(shape).astype("int32")
    if kind in (roles.COUNT, roles.SIZE):
        return (5.0 - np.arange(math.prod(shape)) % 3).reshape(shape)
    if kind == roles.LENGTHS:
        return (1 + np.arange(math.prod(shape)) % LONGEST).reshape(shape).astype("int32")
    if kind == roles.MASK:
        found = np.ones(shape)
        if shape:
            found.reshape(-1)[1::4] = 0.0
        return found
    if kind == roles.LABELS:
        return _one_hot(shape, np.arange(shape[0] if shape else 1) % max(shape[-1] if len(shape) > 1 else 2, 2))
    if kind in (roles.PROBABILITY, roles.CLASS_PROBABILITIES):
        drawn = rng.uniform(0.2, 0.8, shape)
        return drawn / drawn.sum(-1, keepdims=True) if len(shape) > 1 and shape[-1] > 1 else drawn
    if kind in (roles.LOG_PROBABILITY, roles.DRAWN_LOG_PROBABILITY):
        return -rng.uniform(0.3, 2.0, shape)
    if kind == roles.GRID:
        return (1.0 + np.arange(math.prod(shape))).reshape(shape) / max(math.prod(shape), 1)
    if kind in (roles.IMAGE, roles.POSITIVE, roles.SCALE) or (kind == roles.STATE and start_of(attrs) > 0):
        return rng.uniform(0.1, 0.9, shape)
    if kind == roles.SIGNAL:
        return rng.uniform(-0.7, 0.7, shape)
    if kind == roles.ROTATION:
        return _rotations(rng.normal(0.0, 1.0, shape))
    if kind == roles.BOX:
        return _boxes(rng.uniform(0.1, 0.4, shape))
    if kind in (roles.WEIGHT, roles.ZERO_WEIGHT, roles.DRAWN_WEIGHT, roles.MINIMISED):
        return rng.normal(0.0, 0.5, shape)
    return rng.normal(0.0, 1.0, shape)


def _setting(attrs: Mapping[str, Any], evidence: str = "") -> Any:
    default = attrs.get("default", DYNAMIC)
    if isinstance(default, (bool, int, float, str)):
        return default
    if isinstance(default, tuple) and default and numbers_in(default):
        return np.asarray(default)
    if str(attrs.get("annotation", "")).startswith("int"):
        return WHOLE.get(evidence, COUNT)
    return WHOLE.get(evidence) or setting_named(str(attrs.get("name", "")).rpartition(".")[2])


def setting_named(name: str) -> float | int:
    """The ordinary value of a setting with this name."""
    for pattern, value in SETTINGS:
        if re.fullmatch(pattern, name, re.IGNORECASE):
            return value
    return DEFAULT_SETTING


def starts_at_a_number(attrs: Mapping[str, Any]) -> bool:
    """Whether the program says that all elements of a variable start at one number."""
    start = attrs.get("initializer")
    if isinstance(start, str):
        return start.lower().startswith(("zero", "one"))
    return isinstance(start, (int, float)) and not attrs.get("drawn")


def start_of(attrs: Mapping[str, Any]) -> float:
    """The number that a state starts at: 0, unless its initializer says another."""
    start = attrs.get("initializer")
    if isinstance(start, (int, float)) and not isinstance(start, bool):
        return float(start)
    return 1.0 if isinstance(start, str) and start.lower().startswith("one") else 0.0


def _one_hot(shape: tuple[int, ...], classes: Array) -> Array:
    """Rows of class labels: one-hot along the last axis, or 0 and 1 where there is no such axis."""
    if len(shape) < 2 or shape[-1] == 1:
        return np.broadcast_to((classes % 2).reshape((-1,) + (1,) * (len(shape) - 1)), shape).astype(float)
    rows = np.eye(shape[-1])[classes % shape[-1]]
    return np.broadcast_to(rows.reshape((shape[0],) + (1,) * (len(shape) - 2) + (shape[-1],)), shape).copy()


def _boxes(corners: Array) -> Array:
    """Boxes along the last axis: the second corner, in columns 2 and 3, lies above the first one."""
    found = np.array(corners)
    found[..., 2:4] += 0.5
    return found


def _rotations(drawn: Array) -> Array:
    """Rotation matrices of two or three dimensions, or unit quaternions; of another shape, vectors of angles."""
    if drawn.shape[-2:] in ((2, 2), (3, 3)):
        found = np.linalg.qr(drawn)[0]
        found[..., 0] *= np.sign(np.linalg.det(found))[..., None]
        return found
    if drawn.shape[-1:] == (4,):
        return drawn / np.linalg.norm(drawn, axis=-1, keepdims=True)
    return drawn


# Changes of calm numbers.


def _zeros(x: Array) -> Array:
    return np.zeros_like(x)


def _all_equal(x: Array) -> Array:
    """All elements equal one number near the first element, which differs between inputs."""
    return np.full_like(x, _short(np.ravel(x)[0])) if np.size(x) else x


def _short(x: Array) -> Array:
    """Nonzero numbers of a few binary digits: the mean of equal ones is exact."""
    return (np.floor(16.0 * x) + 0.5) / 16.0


def _ones(x: Array) -> Array:
    return np.ones_like(x)


def _first_zero(x: Array) -> Array:
    """The first row is 0."""
    found = np.array(x)
    if found.ndim:
        found[:1] = 0
    return found


def _row_zero(x: Array) -> Array:
    """The first row of a matrix is 0. A vector stays, because each of its weights belongs to another unit."""
    return _first_zero(x) if np.ndim(x) > 1 else x


def _first_missing(x: Array) -> Array:
    found = np.array(x)
    if found.size:
        found.flat[0] = np.nan
    return found


def _row_missing(x: Array) -> Array:
    """The first row is missing."""
    found = np.array(x)
    if found.ndim:
        found[:1] = np.nan
    return found


def _all_missing(x: Array) -> Array:
    return np.full_like(x, np.nan)


def _far(x: Array) -> Array:
    """The first two rows lie far from the others, in opposite directions, with elements of both signs."""
    found = np.array(x)
    if found.ndim:
        first = found[:1]
        signs = np.where(np.arange(first.size) % 2 == 0, 1.0, -1.0).reshape(first.shape)
        found[:1] += signs * OUTLYING
        found[1:2] -= signs * OUTLYING
    return found


def _rows_equal(x: Array) -> Array:
    return np.broadcast_to(x[:1], x.shape).copy() if np.ndim(x) else x


def _rows_constant(x: Array) -> Array:
    if np.ndim(x) < 2 or not np.size(x):
        return _all_equal(x)
    first = _short(x.reshape(x.shape[0], -1)[:, 0])
    return np.broadcast_to(first.reshape((-1,) + (1,) * (x.ndim - 1)), x.shape).copy()


def _confident(x: Array, off: int = 0) -> Array:
    """One score of each row is far above the others; of single scores, every second one is far above 0.

    The high score is that of the label, or of the class `off` places after it. No two networks give the same numbers.
    """
    return _signs(x, off) * CONFIDENT + x


def _signs(x: Array, off: int = 0) -> Array:
    """1 for the high scores of a confident network, -1 for the others."""
    if np.ndim(x) < 2 or x.shape[-1] == 1:
        return np.where((np.arange(np.size(x)) + off) % 2 == 0, -1.0, 1.0).reshape(np.shape(x))
    best = (np.arange(math.prod(x.shape[:-1])).reshape(x.shape[:-1]) + off) % x.shape[-1]
    return np.where(np.arange(x.shape[-1]) == best[..., None], 1.0, -1.0)


def _mistaken(x: Array) -> Array:
    return _confident(x, off=1)


def _first_class(x: Array) -> Array:
    """1 for the scores of the first class, -1 for the others."""
    if np.ndim(x) < 2 or x.shape[-1] == 1:
        return np.full(np.shape(x), -1.0)
    return np.broadcast_to(np.where(np.arange(x.shape[-1]) == 0, 1.0, -1.0), x.shape)


def _alike(x: Array) -> Array:
    return _first_class(x) * CONFIDENT + x


def _first_low(x: Array) -> Array:
    """All scores of the first row are far below 0, and below those of the others."""
    found = np.array(x)
    if found.ndim:
        found[:1] -= CONFIDENT
    return found


def _saturated(change: Change) -> Change:
    """The same change, scaled to the input of an activation."""
    return lambda x: change(x) * (SATURATED / CONFIDENT)


def _certain(x: Array) -> Array:
    """The probabilities of a confident network: exactly 0 and 1."""
    return (_signs(x) > 0).astype(float)


def _certainly_mistaken(x: Array) -> Array:
    return (_signs(x, off=1) > 0).astype(float)


def _all_off(x: Array) -> Array:
    return -np.abs(x) - 0.1


def _all_low(x: Array) -> Array:
    return x - CONFIDENT


def _all_high(x: Array) -> Array:
    return x + CONFIDENT


def _one_class(x: Array) -> Array:
    """All labels name the first class; the others are absent."""
    if np.ndim(x) < 2 or x.shape[-1] == 1:
        return np.zeros_like(x)
    found = np.zeros_like(x)
    found[..., 0] = 1
    return found


def _first_alone(x: Array) -> Array:
    """The first example is of the first class, all others of the second."""
    if np.ndim(x) < 2 or x.shape[-1] == 1:
        return np.minimum(np.arange(np.size(x)), 1).reshape(np.shape(x)).astype(x.dtype)
    found = np.zeros_like(x)
    found[..., 1], found[:1, ..., 1], found[:1, ..., 0] = 1, 0, 1
    return found


def _weights_large(x: Array) -> Array:
    """Weights so large that the output is far from 0."""
    if np.ndim(x) < 2:
        return x
    return np.broadcast_to(np.where(np.arange(x.shape[-1]) % 2 == 0, CONFIDENT, -CONFIDENT), x.shape).copy()


def rows_apart(x: Array) -> Array:
    """Every second row with the opposite sign, as in a table of embeddings."""
    return x * np.where(np.arange(len(x)) % 2 == 0, 1.0, -1.0).reshape((-1,) + (1,) * (np.ndim(x) - 1))


def _biases_off(x: Array) -> Array:
    """Biases so negative that a ReLU after them is off."""
    return np.full_like(x, -CONFIDENT) if np.ndim(x) < 2 else x


def _unrotated(x: Array) -> Array:
    """Identity matrices; of quaternions every second one has its real part last. Vectors stay."""
    if x.shape[-2:] in ((2, 2), (3, 3)):
        return np.broadcast_to(np.eye(x.shape[-1]), x.shape).copy()
    if x.shape[-1:] != (4,):
        return x
    rows = np.zeros((x.size // 4, 4))
    rows[::2, 0], rows[1::2, 3] = 1, 1
    return rows.reshape(x.shape)


def _half_turned(x: Array) -> Array:
    """Half turns around one axis, another one for each matrix; vectors stay."""
    found = np.array(x)
    if found.shape[-2:] in ((2, 2), (3, 3)):
        size = found.shape[-1]
        for at, matrix in enumerate(found.reshape(-1, size, size)):
            matrix[...] = -np.eye(size)
            if size == 3:
                matrix[at % 3, at % 3] = 1
    return found


def _real(x: Array) -> Array:
    """Labels strictly between 0 and 1."""
    return (0.1 + 0.4 * np.modf(0.37 * np.arange(np.size(x)))[0]).reshape(np.shape(x))


NETWORK = (roles.FEATURES, roles.EMBEDDING, roles.OUTPUT)
"""Inputs and outputs of a network."""
CALM = Situation("calm", "an ordinary batch")
"""The situation that the others change: ordinary numbers for every input."""
FIRST_STEP = Situation("first step", "the first step: all state is 0", {roles.STATE: _zeros}, seldom=True)
"""The situation whose resulting state the others start from."""
UNTRAINED = Situation(
    "untrained network",
    "an untrained network: its last layer starts at 0, so all outputs are 0",
    {roles.OUTPUT: _zeros, roles.LOGITS: _zeros, roles.ACTIVATED: _zeros, roles.ZERO_WEIGHT: _zeros},
    zeroes_outputs=True,
)
"""The situation before the first step."""
SITUATIONS: tuple[Situation, ...] = (
    CALM,
    Situation(
        "confident network",
        "a confident network: one score far above the others",
        {
            roles.LOGITS: _confident,
            roles.ACTIVATED: _saturated(_confident),
            roles.OUTPUT: _confident,
            roles.WEIGHT: _weights_large,
            roles.ZERO_WEIGHT: _weights_large,
            roles.MINIMISED: _weights_large,
            roles.DRAWN_WEIGHT: _weights_large,
            roles.PROBABILITY: _certain,
            roles.CLASS_PROBABILITIES: _certain,
            roles.LOG_PROBABILITY: lambda x: np.minimum(_signs(x) - 1.0, 0.0) * CONFIDENT,
        },
        exact=False,
    ),
    Situation(
        "mistaken network",
        "a confident network that is wrong: another class scores far above the label",
        {
            roles.LOGITS: _mistaken,
            roles.OUTPUT: _mistaken,
            roles.PROBABILITY: _certainly_mistaken,
            roles.CLASS_PROBABILITIES: _certainly_mistaken,
        },
        exact=False,
    ),
    Situation(
        "one class for all",
        "a confident network that gives every example the same class",
        {
            roles.LOGITS: _alike,
            roles.OUTPUT: _alike,
            roles.CLASS_PROBABILITIES: lambda x: (_first_class(x) > 0).astype(float),
        },
        exact=False,
    ),
    Situation(
        "scores of one row",
        "an example whose scores are all far below those of the other examples",
        {roles.LOGITS: _first_low},
        exact=False,
    ),
    Situation(
        "confidently negative",
        "a confident network: all scores far below 0",
        {
            roles.LOGITS: _all_low,
            roles.ACTIVATED: _saturated(_all_low),
            roles.OUTPUT: _all_low,
            roles.PROBABILITY: _zeros,
            roles.LOG_PROBABILITY: _all_low,
        },
        exact=False,
    ),
    Situation(
        "confidently positive",
        "a confident network: all scores far above 0",
        {
            roles.LOGITS: _all_high,
            roles.ACTIVATED: _saturated(_all_high),
            roles.OUTPUT: _all_high,
            roles.PROBABILITY: _ones,
        },
        exact=False,
    ),
    Situation(
        "confident and positive",
        "a confident network without negative scores: one score far above 0, the others 0",
        dict.fromkeys((roles.LOGITS, roles.OUTPUT), lambda x: np.maximum(_confident(x), 0.0)),
        zeroes_outputs=True,
        seldom=True,
    ),
    Situation(
        "dead network",
        "a dead network: all units are off",
        {
            roles.FEATURES: _zeros,
            roles.OUTPUT: _all_off,
            roles.WEIGHT: _biases_off,
            roles.ZERO_WEIGHT: _biases_off,
            roles.DRAWN_WEIGHT: _biases_off,
        },
    ),
    UNTRAINED,
    Situation(
        "perfect prediction",
        "a prediction that equals its label",
        copies={
            **dict.fromkeys((roles.PROBABILITY, roles.CLASS_PROBABILITIES, roles.OUTPUT), (roles.LABELS,)),
            roles.LABELS: (roles.OUTPUT,),
        },
        equals=(roles.LABELS,),
        paired="prediction",
    ),
    Situation(
        "rightly nothing",
        "an example without a positive label and without a positive prediction",
        {roles.LABELS: _first_zero, roles.LOGITS: _first_low, roles.ACTIVATED: _saturated(_first_low)},
        copies={roles.PROBABILITY: (roles.LABELS,), roles.OUTPUT: (roles.LABELS,)},
        seldom=True,
    ),
    Situation(
        "nothing to find",
        "a batch without a positive label and without a positive prediction",
        {roles.LABELS: _zeros, roles.LOGITS: _all_low, roles.ACTIVATED: _saturated(_all_low)},
        copies={roles.PROBABILITY: (roles.LABELS,), roles.OUTPUT: (roles.LABELS,)},
        seldom=True,
    ),
    Situation("empty mask", "a mask that selects nothing", {roles.MASK: _zeros}, seldom=True),
    Situation("full mask", "a mask that selects everything", {roles.MASK: _ones}),
    Situation(
        "padded row",
        "a row that is all padding",
        dict.fromkeys((roles.MASK, roles.FEATURES, roles.LENGTHS), _first_zero),
    ),
    Situation(
        "absent class",
        "a batch in which some class does not occur",
        {roles.LABELS: _one_class, roles.INDICES: _zeros},
        seldom=True,
    ),
    Situation(
        "lone class",
        "an example that is the only one of its class",
        {roles.LABELS: _first_alone, roles.INDICES: _first_alone},
        seldom=True,
    ),
    Situation("every label positive", "a batch with positive labels only", {roles.LABELS: _ones}, seldom=True),
    Situation("no label", "a batch without a positive label", {roles.LABELS: _zeros}, seldom=True),
    Situation("real labels", "soft labels, strictly between 0 and 1", {roles.LABELS: _real}),
    Situation("silence", "silence, or a black image", {roles.SIGNAL: _zeros, roles.IMAGE: _zeros}),
    Situation(
        "a silent row",
        "a batch with one silent recording, or one black image",
        {roles.SIGNAL: _first_zero, roles.IMAGE: _first_zero},
    ),
    Situation(
        "equal rows",
        "a batch of identical rows",
        dict.fromkeys((*NETWORK, roles.REWARD, roles.SIGNAL, roles.IMAGE), _rows_equal),
    ),
    Situation(
        "constant rows",
        "constant rows: all elements of a row are equal",
        dict.fromkeys((*NETWORK, roles.IMAGE, roles.SIGNAL, roles.REWARD), _rows_constant),
    ),
    Situation(
        "equal elements",
        "a constant input, such as a blank image",
        dict.fromkeys((*NETWORK, roles.IMAGE, roles.SIGNAL), _all_equal),
    ),
    Situation("no rotation", "no rotation: the identity", {roles.ROTATION: _unrotated}),
    Situation("half turn", "a rotation by half a turn", {roles.ROTATION: _half_turned}),
    Situation(
        "equal inputs",
        "two equal inputs",
        copies={one: (one,) for one in (roles.FEATURES, roles.EMBEDDING, roles.ROTATION)},
        equals=(roles.FEATURES, roles.EMBEDDING),
        paired="data",
    ),
    Situation(
        "far apart",
        "two scores that are far apart, with opposite signs",
        {roles.LOGITS: _all_high},
        opposed=True,
        exact=False,
    ),
    Situation(
        "far apart the other way",
        "two scores that are far apart, with opposite signs",
        {roles.LOGITS: _all_low},
        opposed=True,
        exact=False,
    ),
    Situation(
        "outlier",
        "outliers: two examples far from all others, in opposite directions",
        {roles.FEATURES: _far, roles.EMBEDDING: _far, roles.SIGNAL: _far},
        exact=False,
    ),
    Situation("at a limit", "an input that equals a number with which the program compares it", side="at", exact=False),
    Situation("below a limit", "an input below a number with which the program compares it", side="below", exact=False),
    Situation("above a limit", "an input above a number with which the program compares it", side="above", exact=False),
    Situation(
        "missing value",
        "a missing value (NaN), for which the program checks",
        side="missing",
        missing=_first_missing,
        exact=False,
    ),
    Situation(
        "missing row",
        "an example of which all values are missing (NaN), for which the program checks",
        side="missing",
        missing=_row_missing,
        exact=False,
    ),
    Situation(
        "nothing known",
        "a batch of which all values are missing (NaN), for which the program checks",
        side="missing",
        missing=_all_missing,
        exact=False,
    ),
    Situation("rare draw", "the smallest random number that can be drawn", rare=True, exact=False),
    Situation(
        "unused unit",
        "an unused unit: its weights are 0",
        {roles.WEIGHT: _row_zero, roles.ZERO_WEIGHT: _row_zero},
    ),
    Situation("minimised weight", "a weight vector that the loss has shrunk to 0", {roles.MINIMISED: _zeros}),
    Situation("many steps", "a loop after a hundred iterations", steps=100, exact=False),
    FIRST_STEP,
    Situation("zero gradient", "a gradient of 0, as from saturated units", {roles.GRADIENT: _zeros}),
    Situation(
        "zero gradient of a row",
        "a weight whose gradient has been 0 since the first step",
        {roles.GRADIENT: _first_zero, roles.STATE: _zeros},
    ),
    Situation("nothing counted", "counts of 0", {roles.COUNT: lambda x: _zeros(x) if np.ndim(x) else x}, seldom=True),
    Situation("one counted", "a count of 1", {roles.COUNT: _ones}, seldom=True),
    Situation("no reward", "an episode without any reward", {roles.REWARD: _zeros}),
    Situation("second step", "the second step, after one example", {roles.STATE: _ones}, seldom=True),
)
"""What ordinary data does: a failure in one of these is likely."""
STARTING = frozenset(one.name for one in SITUATIONS if one.changes.get(roles.STATE) is _zeros)
"""The situations in which states are what they start as."""
EDGES: tuple[Situation, ...] = (
    Situation("zeros", "inputs that are 0", {roles.NOTHING: _zeros, roles.POSITIVE: _zeros}),
    Situation("ones", "inputs that are 1", {roles.NOTHING: _ones, roles.POSITIVE: _ones}),
    Situation("negative", "negative inputs", {roles.NOTHING: lambda x: -np.abs(x) - 1.5}),
    Situation("zero row", "a row of zeros", {roles.NOTHING: _first_zero}),
    Situation("equal", "equal inputs", {roles.NOTHING: _rows_equal}, copies={roles.NOTHING: (roles.NOTHING,)}),
    Situation("constant", "constant rows: all elements of a row are equal", {roles.NOTHING: _rows_constant}),
    Situation("scores", "large inputs of both signs", {roles.NOTHING: _confident}),
    Situation("large", "large inputs", {roles.NOTHING: _all_high}),
    Situation("low", "large negative inputs", {roles.NOTHING: _all_low}),
    Situation(
        "improbable",
        "an action to which the policy gave a probability of almost 0",
        {roles.DRAWN_LOG_PROBABILITY: _all_low},
    ),
    Situation("nothing counted at all", "a count of 0", {roles.COUNT: _zeros}),
    Situation("cancelling", "an input that cancels the epsilon added to it", side="cancelling"),
)
"""What inputs of unknown roles may be: a failure in these alone is merely possible."""
SCALED = Situation(
    "scaled",
    "inputs a ten-thousandth as large as ordinary ones",
    {
        role: lambda x: x * 1e-4
        for role in (
            *(roles.FEATURES, roles.EMBEDDING, roles.OUTPUT, roles.ACTIVATED, roles.NOTHING, roles.POSITIVE),
            *(roles.SIGNAL, roles.IMAGE, roles.GRADIENT, roles.REWARD),
        )
    },
)
"""Small numbers, which a repair may not change; what fails there is no failure of the program."""
