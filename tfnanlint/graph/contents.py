"""The values of constants, read from their messages: a few elements as Python values, many as their range.

A message may declare a shape of any size for one stored number, so values are never expanded to their shape.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, cast

from tfnanlint.flow import DYNAMIC
from tfnanlint.graph.model import NOT_READ, Operation, dtype_of
from tfnanlint.interval import Interval
from tfnanlint.ranges import Range

SMALL = 16
"""A constant of more elements is known by its range only, one of equal elements by one of them."""
MOST_AXES = 32
"""So is one of more axes, which no array of NumPy can have in all of its versions."""

_FIELDS = {
    "float16": "half_val",
    "bfloat16": "half_val",
    "float32": "float_val",
    "float64": "double_val",
    "int64": "int64_val",
    "bool": "bool_val",
    "uint32": "uint32_val",
    "uint64": "uint64_val",
    **dict.fromkeys(("int32", "int16", "int8", "uint8", "uint16"), "int_val"),
}
"""Where a message keeps the elements of a type that it does not keep as bytes."""


@dataclass(eq=False)
class Contents:
    """The stored numbers of a constant, of which the last one repeats, and its shape."""

    stored: Any
    shape: tuple[int, ...]

    @cached_property
    def value(self) -> Any:
        """A number or nested tuples of numbers; `DYNAMIC` where it is large or holds something else."""
        import numpy as np

        stored = self.stored
        if not self.shape and stored.size == 1:
            return _scalar(stored[0])
        size = math.prod(self.shape)
        if size == 0:
            return () if self.shape in ((0,), (0, 0)) else DYNAMIC
        if stored.size == 0 or stored.size > size:
            return DYNAMIC
        if size > SMALL or len(self.shape) > MOST_AXES:
            same = stored.dtype.kind in "biuf" and bool((stored == stored[0]).all())
            return _scalar(stored[0]) if same else DYNAMIC
        return _nested(np.concatenate([stored, stored[-1:].repeat(size - stored.size)]).reshape(self.shape))

    @property
    def range(self) -> Range | None:
        """The range of the elements; None if they are not real numbers."""
        return range_of(self.stored)


def contents_at(operation: Operation) -> Contents | None:
    """The numbers of a constant operation, read once; None if it holds no numbers."""
    if operation.held is NOT_READ:
        held = operation.attr("value")
        operation.held = contents_of(held.tensor) if held is not None else None
    return cast("Contents | None", operation.held)


def contents_of(tensor: Any) -> Contents | None:
    """The numbers of a TensorProto; None if it holds no numbers."""
    import numpy as np

    name = dtype_of(tensor.dtype)
    field = _FIELDS.get(name)
    shape = tuple(dim.size for dim in tensor.tensor_shape.dim)
    if field is None or any(size < 0 for size in shape):
        return None
    kind = _numpy_type(name)
    content = tensor.tensor_content
    if content:
        stored = np.frombuffer(content, kind, len(content) // kind.itemsize)
    else:
        values = getattr(tensor, field)
        try:
            stored = np.array(values, np.uint16).view(kind) if field == "half_val" else np.array(values, kind)
        except (OverflowError, ValueError):
            return None
        if not stored.size:
            stored = np.zeros(1 if math.prod(shape) else 0, kind)
    return Contents(stored, shape)


def contents_of_array(array: Any) -> Contents:
    """What an array in memory holds."""
    import numpy as np

    array = np.asarray(array)
    return Contents(array.reshape(-1), array.shape)


@cache
def _numpy_type(name: str) -> Any:
    import numpy as np
    import tensorflow as tf

    return np.dtype(tf.as_dtype(name).as_numpy_dtype)


def _nested(array: Any) -> Any:
    return _scalar(array[()]) if array.ndim == 0 else tuple(_nested(part) for part in array)


def _scalar(number: Any) -> Any:
    """One element; a number of a narrow type as the shortest decimal that rounds to it, as it was written."""
    kind = number.dtype.kind
    if kind == "b":
        return bool(number)
    if kind in "iu":
        return int(number)
    try:
        return float(str(number)) if kind in "fV" else DYNAMIC
    except ValueError:
        return DYNAMIC


def range_of(numbers: Any) -> Range | None:
    """The range of an array's elements."""
    import numpy as np

    if numbers.size == 0 or numbers.dtype.kind not in "biufV":
        return None
    try:
        numbers = numbers.astype(np.float64)
    except (TypeError, ValueError):
        return None
    lo, hi = float(np.min(numbers)), float(np.max(numbers))
    if math.isnan(lo) or math.isnan(hi):
        return None
    return Range(Interval(lo, hi), "constants")
