"""Axes and types as a program writes them: None, one number or several, negative ones; names of dtypes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from tfnanlint.ops.work import affordable

Array = Any
"""A NumPy array; the name keeps signatures readable where NumPy is not installed for the type checker."""

BFLOAT16 = "bfloat16"


def axes_of(axis: Any, rank: int) -> tuple[int, ...]:
    """The axes that an `axis` parameter names, from 0 on; None names all of them."""
    if axis is None:
        return tuple(range(rank))
    return tuple(axis_of(one, rank) for one in whole_numbers(axis))


def axis_of(axis: Any, rank: int) -> int:
    """One axis, from 0 on."""
    (one,) = whole_numbers(axis)
    if not -rank <= one < rank:
        raise ValueError(f"a tensor of rank {rank} has no axis {one}")
    return one % rank


def whole_numbers(value: Any) -> tuple[int, ...]:
    """The whole numbers of a parameter that may be one number, a list, a tuple or an array."""
    if type(value) is int:  # nearly always
        return (value,)
    try:
        numbers = np.asarray(value, dtype=None if np.size(value) else int)
    except (TypeError, ValueError) as error:
        raise ValueError(f"a {type(value).__name__} holds no whole numbers") from error
    if numbers.dtype.kind not in "iu":
        raise ValueError(f"dtype {numbers.dtype} does not hold whole numbers")
    return tuple(int(number) for number in np.ravel(numbers))


def whole_number(value: Any) -> int:
    """The whole number of a parameter."""
    numbers = whole_numbers(value)
    if len(numbers) != 1:
        raise ValueError(f"expected one whole number, got {len(numbers)}")
    return numbers[0]


def whole_shape(value: Any) -> tuple[int, ...]:
    """The shape of a tensor that is to be made."""
    lengths = whole_numbers(value)
    affordable(math.prod(lengths))
    return lengths


def kept(reduced: Array, axes: Sequence[int], rank: int) -> Array:
    """A reduced array with the reduced axes as axes of length 1, whether it has them already or not."""
    if np.ndim(reduced) == rank:
        return reduced
    return np.expand_dims(reduced, tuple(axes))


def dtype_of(name: Any, default: Any = "float32") -> Any:
    """The NumPy type of a dtype as the flow names it; bfloat16, which NumPy has not, is taken for float32."""
    if isinstance(name, np.dtype):
        return name
    word = str(default if name is None else name).rpartition(".")[2]
    try:
        return np.dtype("float32" if word == BFLOAT16 else word)
    except TypeError as error:
        raise ValueError(f"{name!r} is not a dtype") from error


def as_type(x: Array, name: Any) -> Array:
    """An array converted to the type of that name; for bfloat16, to what of float32 that type holds."""
    kind = dtype_of(name, np.asarray(x).dtype)
    found = (np.asarray(x) if kind.kind == "c" else np.real(x)).astype(kind)
    if str(name).rpartition(".")[2] != BFLOAT16:
        return found
    bits = np.ascontiguousarray(found).view(np.uint32)
    rounded = (bits + 0x7FFF + (bits >> 16 & 1)) & np.uint32(0xFFFF0000)
    return np.where(np.isfinite(found), rounded.astype(np.uint32).view(np.float32), found)


def tensor(value: Any) -> Array:
    """An operand as TensorFlow converts it: a Python float is a float32, a whole Python number an int32."""
    if hasattr(value, "dtype"):
        return value
    found = np.asarray(value)
    wide = {"f": np.float32, "i": np.int32}.get(found.dtype.kind)
    return found if wide is None else found.astype(wide)
