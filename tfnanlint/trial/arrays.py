"""Arrays of a trial: fitting shapes, comparing, testing for NaN and infinities, and reading conditions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from tfnanlint.interval import Interval
from tfnanlint.ops.numeric import Array, np
from tfnanlint.ops.work import MOST_MADE, affordable

WIDEST = 64
"""The most channels that a layer returns."""
REFUSALS = (ArithmeticError, AttributeError, IndexError, TypeError, ValueError)
"""What NumPy and Python raise for incompatible operands."""
MOST_COMPARED = 10_000
"""The most elements of arrays that are compared."""


def is_finite(value: Any) -> bool:
    """Whether all numbers of a value, or of its parts, are finite."""
    if isinstance(value, (tuple, list)):
        return all(map(is_finite, value))
    kind = getattr(value, "dtype", None)
    return kind is None or kind.kind not in "fc" or _is_all_finite(value)


def _is_all_finite(value: Any) -> bool:
    """Whether no element is NaN or infinite; most arrays are small, and a look at the bytes is faster than `all`."""
    return 0 not in np.isfinite(value).tobytes()


def truth(value: Any) -> bool | None:
    """Whether a condition holds: of all elements, of none, or (None) of some."""
    if isinstance(value, np.ndarray):
        if value.size == 0:
            return None
        return bool(value.all()) if bool(value.all()) == bool(value.any()) else None
    return bool(value) if isinstance(value, (bool, int, float)) else None


def is_same(value: Any, held: Any) -> bool:
    """Whether two values are the same numbers in the same type."""
    if not isinstance(value, np.ndarray) or not isinstance(held, np.ndarray):
        return type(value) is type(held) and isinstance(value, (bool, int, float, str)) and value == held
    if value.shape != held.shape or value.dtype != held.dtype or value.size > MOST_COMPARED:
        return False
    return bool(value.tobytes() == held.tobytes())


def ones_like(value: Any, size: float = 1.0) -> Any:
    """A gradient of 1, or of another size, for each number of a value, in the form of the value."""
    if isinstance(value, (tuple, list)):
        return type(value)(ones_like(one, size) for one in value)
    if isinstance(value, (np.ndarray, np.floating)) and value.dtype.kind in "fc":
        return np.full_like(value, size)
    return None


def joined(held: Any, handed: Sequence[Any]) -> tuple[Any, ...]:
    """The sum of two gradients of a tuple, element by element; None stands for 0."""
    if held is None:
        return tuple(handed)
    return tuple(b if a is None else a if b is None else a + b for a, b in zip(held, handed, strict=True))


LONGEST_TEXT = 100
"""Of a text so many characters are kept: as an element of an array each takes four bytes."""


def as_array(value: Any) -> Any:
    """A list or tuple of numbers as an array of TensorFlow's default type; texts cut; anything else unchanged."""
    if isinstance(value, str):
        return value[:LONGEST_TEXT]
    if isinstance(value, (tuple, list)) and any(isinstance(one, str) for one in value):
        return tuple(one[:LONGEST_TEXT] if isinstance(one, str) else one for one in value)
    if isinstance(value, (tuple, list)):
        try:
            array = np.asarray(value)
        except ValueError:
            return value
        if array.dtype.kind == "f":
            return array.astype("float32")
        return array if array.dtype.kind in "ib" else value
    return value


def fit(value: Array, shape: tuple[int, ...]) -> Array:
    """An array of the given shape: broadcast if possible, else repeated or cut."""
    if value.shape == shape:
        return value
    if shape == () or value.size == 0:
        return np.full(shape, value.ravel()[0] if value.size else 0, value.dtype)
    for candidate in (
        value,
        value.reshape(value.shape + (1,) * (len(shape) - value.ndim)) if value.ndim < len(shape) else value,
    ):
        try:
            return np.broadcast_to(candidate, shape).copy()
        except ValueError:
            continue
    return np.resize(value, shape)


def spread(incoming: Any, operand: Any) -> Any:
    """The gradient of an unknown function: finite where the incoming one is."""
    if not isinstance(operand, np.ndarray) or operand.dtype.kind != "f":
        return None
    if isinstance(incoming, (tuple, list)):  # the gradients of parts, some of which nothing may use
        incoming = np.concatenate(
            [np.ravel(part) for part in incoming if isinstance(part, np.ndarray)] or [np.zeros(1)]
        )
    return fit(np.asarray(incoming), operand.shape)


def check_broadcast(operands: Sequence[Any]) -> None:
    """Raise a ValueError if the operands broadcast to too many elements."""
    most = 1
    for operand in operands:
        if isinstance(operand, np.ndarray):
            most *= operand.size
    if most > MOST_MADE:
        arrays = [operand for operand in operands if isinstance(operand, np.ndarray)]
        affordable(math.prod(np.broadcast_shapes(*(array.shape for array in arrays))))


def is_inside(value: Any, region: Interval) -> bool:
    """Whether some element of a value lies in a region; an infinity only where the region is nothing else."""
    if isinstance(value, (int, float)):
        return value in region
    if not isinstance(value, np.ndarray) or value.dtype.kind not in "fiub":
        return False
    told = np.isfinite(value) | (region.lo == region.hi)
    return bool((told & (value >= region.lo) & (value <= region.hi)).any())


NUMBERS = (np.ndarray, np.generic)
"""An array, and a number as NumPy reduces an array to it."""


def is_broken(value: Any) -> bool:
    """Whether a value, or one of its parts, holds NaN or an infinity."""
    if isinstance(value, (tuple, list)):
        return any(map(is_broken, value))
    return isinstance(value, NUMBERS) and value.dtype.kind in "fc" and not _is_all_finite(value)


def has_nan(value: Any) -> bool:
    """Whether a value, or one of its parts, holds NaN."""
    if isinstance(value, (tuple, list)):
        return any(map(has_nan, value))
    return isinstance(value, NUMBERS) and value.dtype.kind in "fc" and bool(np.isnan(value).any())
