"""Choosing, converting and filling, with the gradients that TensorFlow hands to what was not chosen: zeros."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfnanlint.ops.kernels.shapes import (
    Array,
    as_type,
    axis_of,
    dtype_of,
    tensor,
    whole_number,
    whole_numbers,
    whole_shape,
)
from tfnanlint.ops.numeric import unbroadcast
from tfnanlint.ops.work import affordable


def where(condition: Array, *chosen: Array) -> Array:
    """One of two tensors, or, with neither, where the condition holds."""
    if not chosen:
        return np.argwhere(condition)
    return np.where(_of_rows(condition, *chosen), *chosen)


def pull_where(grad: Array, result: Array, condition: Array, *chosen: Array) -> tuple[Array | None, ...]:
    if not chosen:
        return (None,)
    condition = _of_rows(condition, *chosen)
    nothing = np.zeros_like(grad)
    return None, np.where(condition, grad, nothing), np.where(condition, nothing, grad)


def _of_rows(condition: Array, x: Array, y: Array) -> Array:
    """A condition of fewer axes than what it chooses from chooses rows, where it does not broadcast."""
    rank = max(np.ndim(x), np.ndim(y))
    try:
        np.broadcast_shapes(np.shape(condition), np.shape(x), np.shape(y))
    except ValueError:
        return np.reshape(condition, np.shape(condition) + (1,) * (rank - np.ndim(condition)))
    return condition


def cast(x: Array, dtype: Any) -> Array:
    return as_type(tensor(x), dtype)


def pull_cast(grad: Array, result: Array, x: Array, dtype: Any) -> Array | None:
    """A gradient passes between types of floating numbers only."""
    kind = np.asarray(x).dtype
    if kind.kind not in "fc" or np.asarray(result).dtype.kind not in "fc":
        return None
    return (np.real(grad) if kind.kind == "f" else grad).astype(kind)


def saturate_cast(x: Array, dtype: Any) -> Array:
    """Infinities, too, become the largest numbers of the narrower type."""
    x = tensor(x)
    return as_type(np.clip(x, *_common_bounds(x.dtype, dtype_of(dtype, x.dtype))), dtype)


def pull_saturate_cast(grad: Array, result: Array, x: Array, dtype: Any) -> Array | None:
    passed = pull_cast(grad, result, x, dtype)
    if passed is None:
        return None
    low, high = _common_bounds(passed.dtype, np.asarray(result).dtype)
    return np.where((x < low) | (x > high), np.zeros_like(passed), passed)


def _common_bounds(of: Any, to: Any) -> tuple[Any, Any]:
    """The least and the largest number that both types hold, in the first of them."""
    if "c" in (of.kind, to.kind) or "b" in (of.kind, to.kind):
        raise ValueError("only real numbers saturate")
    bounds = []
    for pick in (max, min):
        info = [np.finfo(kind) if kind.kind == "f" else np.iinfo(kind) for kind in (of, to)]
        limits = [one.min if pick is max else one.max for one in info]
        bound = of.type(pick(int(limit) for limit in limits))
        if abs(int(bound)) > abs(pick(int(limit) for limit in limits)):
            bound = np.nextafter(bound, of.type(0))
        bounds.append(bound)
    return bounds[0], bounds[1]


def one_hot(indices: Array, depth: Any, on_value: Any, off_value: Any, axis: Any, dtype: Any) -> Array:
    """An index outside of the range gives a row of the off value."""
    indices, count = np.asarray(indices), whole_number(depth)
    affordable(indices.size * count)
    place = axis_of(axis, indices.ndim + 1)
    line = np.arange(count).reshape([-1 if at == place else 1 for at in range(indices.ndim + 1)])
    given = next((value.dtype for value in (on_value, off_value) if hasattr(value, "dtype")), "float32")
    kind = dtype_of(dtype, given)
    on, off = (default if value is None else value for value, default in ((on_value, 1), (off_value, 0)))
    return np.where(np.expand_dims(indices, place) == line, np.asarray(on, kind), np.asarray(off, kind))


def sequence_mask(lengths: Array, maxlen: Any, dtype: Any) -> Array:
    longest = int(np.max(lengths, initial=0)) if maxlen is None else whole_number(maxlen)
    affordable(np.size(lengths) * longest)
    return (np.arange(longest) < np.asarray(lengths)[..., None]).astype(dtype_of(dtype, "bool"))


def like(x: Array, value: float, dtype: Any) -> Array:
    x = tensor(x)
    return np.full(x.shape, value, dtype_of(dtype, x.dtype))


def filled(shape: Any, value: float, dtype: Any) -> Array:
    return np.full(whole_shape(shape), value, dtype_of(dtype))


def fill(shape: Any, x: Array, dtype: Any) -> Array:
    x = tensor(x)
    return np.full(whole_shape(shape), x, dtype_of(dtype, x.dtype))


def pull_fill(grad: Array, result: Array, shape: Any, x: Array, dtype: Any) -> tuple[None, Array]:
    return None, np.sum(grad).reshape(np.shape(x))


def fill_like(x: Array, fill: Array, dtype: Any) -> Array:
    return np.full(np.shape(x), fill, dtype_of(dtype, np.asarray(x).dtype))


def pull_fill_like(grad: Array, result: Array, x: Array, fill: Array, dtype: Any) -> tuple[None, Array]:
    return None, unbroadcast(grad, np.shape(fill))


def size(x: Array, out_type: Any) -> Array:
    return np.asarray(np.size(x), dtype_of(out_type, "int32"))


def shape(x: Array, out_type: Any) -> Array:
    return np.asarray(np.shape(x), dtype_of(out_type, "int32"))


def rank(x: Array, out_type: Any) -> Array:
    return np.asarray(np.ndim(x), dtype_of(out_type, "int32"))


def range_of(start: Any, limit: Any = None, delta: Any = 1, dtype: Any = None) -> Array:
    if limit is None:
        start, limit = 0, start
    if not np.size(delta) or np.any(np.equal(delta, 0)):
        raise ValueError("a range of steps of 0 has no end")
    bounds: list[Any] = [np.reshape(bound, ()) for bound in (start, limit, delta)]
    affordable(abs((float(bounds[1]) - float(bounds[0])) / float(bounds[2])))
    found = np.arange(*bounds)
    kinds = [bound.dtype for bound in (start, limit, delta) if hasattr(bound, "dtype")]
    default = np.result_type(*kinds) if kinds else "float32" if found.dtype.kind == "f" else "int32"
    return found.astype(dtype_of(dtype, default))


def linspace(x: Array, y: Array, num: Any, axis: Any, dtype: Any) -> Array:
    x, y = (np.asarray(value, np.result_type(tensor(value), np.float16)) for value in (x, y))
    affordable(whole_number(num) * max(x.size, y.size))
    found = np.linspace(x, y, whole_number(num), axis=axis_of(axis, max(x.ndim, y.ndim) + 1))
    return found.astype(dtype_of(dtype, np.result_type(x, y)))


def pull_linspace(
    grad: Array, result: Array, x: Array, y: Array, num: Any, axis: Any, dtype: Any
) -> tuple[Array, Array]:
    place, count = axis_of(axis, np.ndim(grad)), whole_number(num)
    share = np.linspace(0, 1, count, dtype=grad.dtype).reshape([-1 if at == place else 1 for at in range(grad.ndim)])
    parts = ((grad * weight).sum(axis=place) for weight in (1 - share, share))
    first, last = (unbroadcast(part, np.shape(value)) for part, value in zip(parts, (x, y), strict=True))
    return first, last


def concat(*xs: Array, axis: Any) -> Array:
    return np.concatenate([np.asarray(x) for x in xs], axis=axis_of(axis, np.ndim(xs[0])))


def pull_concat(grad: Array, result: Array, *xs: Array, axis: Any) -> tuple[Array, ...]:
    place = axis_of(axis, np.ndim(result))
    ends = np.cumsum([np.shape(x)[place] for x in xs])[:-1]
    return tuple(np.split(grad, ends, axis=place))


def stack(*xs: Array, axis: Any) -> Array:
    return np.stack([np.asarray(x) for x in xs], axis=axis_of(axis, np.ndim(xs[0]) + 1))


def pull_stack(grad: Array, result: Array, *xs: Array, axis: Any) -> tuple[Array, ...]:
    return tuple(np.moveaxis(grad, axis_of(axis, np.ndim(result)), 0))


def add_n(*xs: Array) -> Array:
    if len({np.shape(x) for x in xs}) != 1:
        raise ValueError("only tensors of one shape are added up")
    total = xs[0]
    for x in xs[1:]:
        total = np.add(total, x)
    return total


def convert(x: Any, dtype: Any, dtype_hint: Any = None) -> Array:
    """A Python number becomes a float32 or an int32, where nothing else is said."""
    found = tensor(x)
    if dtype is None and dtype_hint is not None and not hasattr(x, "dtype"):
        return as_type(found, dtype_hint)
    return found if dtype is None else as_type(found, dtype)


def constant(x: Any, dtype: Any, shape: Any) -> Array:
    found = convert(x, dtype)
    if shape is None:
        return found
    return np.broadcast_to(found, whole_shape(shape)) if found.size == 1 else found.reshape(whole_numbers(shape))


def pull_constant(grad: Array, result: Array, x: Any, dtype: Any, shape: Any) -> Array:
    return grad.reshape(np.shape(x)) if np.size(x) == np.size(grad) else grad.sum().reshape(np.shape(x))
