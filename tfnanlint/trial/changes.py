"""The changes of calm numbers that situations make: all 0, one row far off, the scores of a confident network.

One constant says how confident a network may be, whichever op consumes its output.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from tfnanlint.ops.numeric import Array, np

CONFIDENT = 110.0
"""Magnitude of a confident network's scores: a logit that is this far below another one has a softmax of exactly 0."""
TRAINED = 30.0
"""Magnitude of the scores that training often reaches: a sigmoid of one is exactly 1, and an exponential finite."""
SATURATED = 40.0
"""How far below 0 the input of a saturated activation lies: a sigmoid of it is small, and not 0."""
OUTLYING = 30.0
"""Distance of an outlier from the other examples, in standard deviations."""
QUARTER_TURN = np.array([[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]])
"""The matrix of a quarter turn around the second axis."""
ROUNDING = 2.0**-22
"""The error of a product of rotation matrices in float32, relative to it: two of its smallest steps above 1."""
Change = Callable[[Array], Array]
"""Maps the calm numbers of an input to those of a situation."""


def zeros(x: Array) -> Array:
    return np.zeros_like(x)


def all_equal(x: Array) -> Array:
    """All elements equal one number near the first element, which differs between inputs."""
    return np.full_like(x, short(np.ravel(x)[0])) if np.size(x) else x


def short(x: Array) -> Array:
    """Nonzero numbers of a few binary digits: the mean of equal ones is exact."""
    return (np.floor(16.0 * x) + 0.5) / 16.0


def ones(x: Array) -> Array:
    return np.ones_like(x)


def first_zero(x: Array) -> Array:
    """The first row is 0."""
    found = np.array(x)
    if found.ndim:
        found[:1] = 0
    return found


def last_class_unseen(x: Array) -> Array:
    """The last of several counts is 0; of a confusion matrix, the last row and the last column."""
    found = np.array(x)
    if found.size < 2:
        return found
    found[..., -1] = 0
    if found.ndim > 1 and found.shape[-1] == found.shape[-2]:
        found[..., -1, :] = 0
    return found


def one_silent(x: Array) -> Array:
    """The first recording is silent; what has no rows is one recording."""
    return first_zero(x) if np.ndim(x) > 1 else zeros(x)


def on_a_line(x: Array) -> Array:
    """Row n is n steps of 1 along the first axis of space; what has no rows stays."""
    if np.ndim(x) < 2:
        return x
    found = np.zeros_like(x)
    found[..., 0] = np.arange(x.shape[-2])
    return found


def row_zero(x: Array) -> Array:
    """The first row of a matrix is 0. A vector stays, because each of its weights belongs to another unit."""
    return first_zero(x) if np.ndim(x) > 1 else x


def first_missing(x: Array) -> Array:
    found = np.array(x)
    if found.size:
        found.flat[0] = np.nan
    return found


def row_missing(x: Array) -> Array:
    """The first row is missing."""
    found = np.array(x)
    if found.ndim:
        found[:1] = np.nan
    return found


def all_missing(x: Array) -> Array:
    return np.full_like(x, np.nan)


def far(x: Array) -> Array:
    """The first two rows lie far from the others, in opposite directions, with elements of both signs."""
    found = np.array(x)
    if found.ndim:
        first = found[:1]
        signs = np.where(np.arange(first.size) % 2 == 0, 1.0, -1.0).reshape(first.shape)
        found[:1] += signs * OUTLYING
        found[1:2] -= signs * OUTLYING
    return found


def rows_equal(x: Array) -> Array:
    return np.broadcast_to(x[:1], x.shape).copy() if np.ndim(x) else x


def rows_constant(x: Array) -> Array:
    if np.ndim(x) < 2 or not np.size(x):
        return all_equal(x)
    first = short(x.reshape(x.shape[0], -1)[:, 0])
    return np.broadcast_to(first.reshape((-1,) + (1,) * (x.ndim - 1)), x.shape).copy()


def confident(x: Array, off: int = 0) -> Array:
    """One score of each row is far above the others; of single scores, every second one is far above 0.

    The high score is that of the label, or of the class `off` places after it. No two networks give the same numbers.
    """
    return signs(x, off) * CONFIDENT + x


def signs(x: Array, off: int = 0) -> Array:
    """1 for the high scores of a confident network, -1 for the others."""
    if np.ndim(x) < 2 or x.shape[-1] == 1:
        return np.where((np.arange(np.size(x)) + off) % 2 == 0, -1.0, 1.0).reshape(np.shape(x))
    best = (np.arange(math.prod(x.shape[:-1])).reshape(x.shape[:-1]) + off) % x.shape[-1]
    return np.where(np.arange(x.shape[-1]) == best[..., None], 1.0, -1.0)


def mistaken(x: Array) -> Array:
    return confident(x, off=1)


def first_class(x: Array) -> Array:
    """1 for the scores of the first class, -1 for the others."""
    if np.ndim(x) < 2 or x.shape[-1] == 1:
        return np.full(np.shape(x), -1.0)
    return np.broadcast_to(np.where(np.arange(x.shape[-1]) == 0, 1.0, -1.0), x.shape)


def alike(x: Array) -> Array:
    return first_class(x) * CONFIDENT + x


def first_low(x: Array) -> Array:
    """All scores of the first row are far below 0, and below those of the others."""
    found = np.array(x)
    if found.ndim:
        found[:1] -= CONFIDENT
    return found


def saturated(change: Change) -> Change:
    """The same change for the input of an activation, which is 0 or at its lower end soon below 0.

    Above 0 a softplus grows like its input.
    """

    def limited(x: Array) -> Array:
        found = np.asarray(change(x))
        return np.where(found < -SATURATED, found + (CONFIDENT - SATURATED), found)

    return limited


def milder(change: Change) -> Change:
    """The same change with the scores of a trained network in place of those of a confident one."""

    def limited(x: Array) -> Array:
        return x + np.clip(change(x) - x, -TRAINED, TRAINED)

    return limited


def certain(x: Array) -> Array:
    """The probabilities of a confident network: exactly 0 and 1."""
    return (signs(x) > 0).astype(float)


def certainly_mistaken(x: Array) -> Array:
    return (signs(x, off=1) > 0).astype(float)


def all_off(x: Array) -> Array:
    return -np.abs(x) - 0.1


def all_low(x: Array) -> Array:
    return x - CONFIDENT


def all_high(x: Array) -> Array:
    return x + CONFIDENT


def one_class(x: Array) -> Array:
    """All labels name the first class; the others are absent."""
    if np.ndim(x) < 2 or x.shape[-1] == 1:
        return np.zeros_like(x)
    found = np.zeros_like(x)
    found[..., 0] = 1
    return found


def first_alone(x: Array) -> Array:
    """The first example is of the first class, all others of the second."""
    if np.ndim(x) < 2 or x.shape[-1] == 1:
        return np.minimum(np.arange(np.size(x)), 1).reshape(np.shape(x)).astype(x.dtype)
    found = np.zeros_like(x)
    found[..., 1], found[:1, ..., 1], found[:1, ..., 0] = 1, 0, 1
    return found


def weights_large(x: Array) -> Array:
    """Weights so large that the output is far from 0; no two are equal, or the units of a layer would cancel."""
    if np.ndim(x) < 2:
        return x
    return x + np.where(np.arange(x.shape[-1]) % 2 == 0, CONFIDENT, -CONFIDENT)


def rows_apart(x: Array) -> Array:
    """Every second row with the opposite sign, as in a table of embeddings."""
    return x * np.where(np.arange(len(x)) % 2 == 0, 1.0, -1.0).reshape((-1,) + (1,) * (np.ndim(x) - 1))


def biases_off(x: Array) -> Array:
    """Biases so negative that a ReLU after them is off."""
    return np.full_like(x, -TRAINED) if np.ndim(x) < 2 else x


def unrotated(x: Array) -> Array:
    """Identity matrices; of quaternions every second one has its real part last. Vectors stay."""
    if x.shape[-2:] in ((2, 2), (3, 3)):
        return np.broadcast_to(np.eye(x.shape[-1]), x.shape).copy()
    if x.shape[-1:] != (4,):
        return x
    rows = np.zeros((x.size // 4, 4))
    rows[::2, 0], rows[1::2, 3] = 1, 1
    return rows.reshape(x.shape)


def standing_still(x: Array) -> Array:
    """The same quaternion in each row; everything else stays."""
    if x.shape[-1:] != (4,):
        return x
    found = np.zeros_like(x)
    found[..., 0] = 1
    return found


def half_turned(x: Array) -> Array:
    """Half turns around one axis, another one for each matrix; vectors stay."""
    found = np.array(x)
    if found.shape[-2:] in ((2, 2), (3, 3)):
        size = found.shape[-1]
        for at, matrix in enumerate(found.reshape(-1, size, size)):
            matrix[...] = -np.eye(size)
            if size == 3:
                matrix[at % 3, at % 3] = 1
    return found


def unrotated_by_rounding(x: Array) -> Array:
    """No rotation, as a product in float32 leaves it: its length is slightly above 1. Vectors stay."""
    found = unrotated(x)
    return found if found is x else found * (1.0 + ROUNDING)


def quarter_turned(x: Array) -> Array:
    """Matrices of a quarter turn around the second axis, as a product in float32 leaves them; everything else stays."""
    if x.shape[-2:] != (3, 3):
        return x
    return np.broadcast_to(QUARTER_TURN * (1.0 + ROUNDING), x.shape).copy()


def real(x: Array) -> Array:
    """Labels strictly between 0 and 1."""
    return (0.1 + 0.4 * np.modf(0.37 * np.arange(np.size(x)))[0]).reshape(np.shape(x))
