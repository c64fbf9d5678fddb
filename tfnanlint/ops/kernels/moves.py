"""Moving, repeating and picking elements.

Most gradients here are not written: `pull_moved` asks the op itself where it puts each element.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from tfnanlint.ops.kernels.shapes import (
    Array,
    axes_of,
    axis_of,
    dtype_of,
    whole_number,
    whole_numbers,
    whole_shape,
)
from tfnanlint.ops.work import affordable


def pull_moved(run: Callable[..., Any], grad: Any, x: Array, *others: Any, **attrs: Any) -> tuple[Array | None, ...]:
    """The gradient of an op that only moves elements: it moves their numbers, from 1 on, and 0 is what it fills in."""
    count = np.size(x)
    places = run(np.arange(1, count + 1).reshape(np.shape(x)), *others, **attrs)
    pieces = zip(places, grad, strict=True) if isinstance(places, (tuple, list)) else [(places, grad)]
    back = np.zeros(count + 1, np.asarray(x).dtype)
    for place, piece in pieces:
        if piece is not None:
            np.add.at(back, np.ravel(place), np.ravel(piece))
    return back[1:].reshape(np.shape(x)), *(None for _ in others)


def reshape(x: Array, shape: Any) -> Array:
    """A length that is not known is the one that is left; beside a -1, it is the one that the array has there."""
    if shape is None:
        raise ValueError("the shape is not known")
    lengths = shape if isinstance(shape, (tuple, list)) else whole_numbers(shape)
    if None in lengths and -1 in lengths:
        own = (*np.shape(x), *(None,) * len(lengths))
        lengths = [own[place] if length is None else length for place, length in enumerate(lengths)]
    return np.reshape(x, tuple(-1 if length is None else whole_number(length) for length in lengths))


def flatten(x: Array) -> Array:
    return np.reshape(x, -1)


def transpose(x: Array, perm: Any, conjugate: Any = False) -> Array:
    moved = np.transpose(x, None if perm is None else axes_of(perm, np.ndim(x)))
    return np.conj(moved) if conjugate else moved


def pull_transpose(grad: Array, result: Array, x: Array, perm: Any, conjugate: Any = False) -> Array:
    back = None if perm is None else np.argsort(axes_of(perm, np.ndim(x)))
    return np.transpose(np.conj(grad) if conjugate else grad, back)


def swapaxes(x: Array, axis1: Any, axis2: Any) -> Array:
    return np.swapaxes(x, axis_of(axis1, np.ndim(x)), axis_of(axis2, np.ndim(x)))


def moveaxis(x: Array, source: Any, destination: Any) -> Array:
    return np.moveaxis(x, axes_of(source, np.ndim(x)), axes_of(destination, np.ndim(x)))


def squeeze(x: Array, axis: Any) -> Array:
    everything = axis is None or not np.size(axis)
    return np.squeeze(x, None if everything else axes_of(axis, np.ndim(x)))


def expand_dims(x: Array, axis: Any) -> Array:
    return np.expand_dims(x, axes_of(0 if axis is None else axis, np.ndim(x) + np.size(axis)))


def tile(x: Array, multiples: Any) -> Array:
    times = whole_numbers(multiples)
    affordable(np.size(x) * math.prod(times))
    return np.tile(x, times)


def repeat(x: Array, repeats: Any, axis: Any) -> Array:
    times = whole_numbers(repeats)
    affordable(np.size(x) * max(times, default=0))
    return np.repeat(x, times, axis=None if axis is None else axis_of(axis, np.ndim(x)))


def broadcast_to(x: Array, shape: Any) -> Array:
    return np.broadcast_to(x, whole_shape(shape))


def reverse(x: Array, axis: Any) -> Array:
    return np.flip(x, axes_of(axis, np.ndim(x)))


def roll(x: Array, shift: Any, axis: Any) -> Array:
    shifts = whole_numbers(shift)
    if axis is None:
        return np.roll(x, sum(shifts))
    return np.roll(x, shifts, axes_of(axis, np.ndim(x)))


def sort(x: Array, axis: Any, direction: Any) -> Array:
    return np.take_along_axis(np.asarray(x), argsort(x, axis, direction), axis_of(axis, np.ndim(x)))


def pull_sort(grad: Array, result: Array, x: Array, axis: Any, direction: Any) -> Array:
    order = argsort(x, axis, direction)
    return np.take_along_axis(grad, np.argsort(order, axis=axis_of(axis, np.ndim(x))), axis_of(axis, np.ndim(x)))


def argsort(x: Array, axis: Any, direction: Any, stable: Any = True) -> Array:
    turned = np.negative(x) if str(direction).upper() == "DESCENDING" else x
    return np.argsort(turned, axis=axis_of(axis, np.ndim(x)), kind="stable").astype(np.int32)


def gather(
    x: Array, indices: Array, axis: Any, batch_dims: Any, max_norm: Any = None, validate_indices: Any = None
) -> Array:
    """An index outside of the range, which TensorFlow refuses, takes the nearest element: inputs that stand for real
    ones know of no range."""
    if max_norm is not None:
        raise ValueError("a gather with max_norm is not supported")
    indices = np.asarray(indices)
    batch = whole_number(batch_dims or 0)
    batch += indices.ndim if batch < 0 else 0
    place = axis_of(batch_dims or 0 if axis is None else axis, np.ndim(x))
    if batch:
        rows = zip(x, indices, strict=True)
        return np.stack([gather(row, picked, place - 1, batch - 1) for row, picked in rows])
    affordable(np.size(x) / max(np.shape(x)[place], 1) * indices.size)
    return np.take(x, _inside(indices, np.shape(x)[place]), axis=place)


def _inside(indices: Array, count: int) -> Array:
    """Whole numbers that are indices of `count` elements."""
    if not count:
        raise ValueError("nothing has no elements to gather")
    indices = np.asarray(indices).astype(np.int64)
    return np.clip(np.where(indices < 0, indices + count, indices), 0, count - 1)


def gather_nd(x: Array, indices: Array, batch_dims: Any = 0) -> Array:
    indices = np.asarray(indices)
    batch = whole_number(batch_dims or 0)
    if batch:
        return np.stack([gather_nd(row, picked, batch - 1) for row, picked in zip(x, indices, strict=True)])
    affordable(indices[..., 0].size * math.prod(np.shape(x)[indices.shape[-1] :]))
    return np.asarray(x)[_pointers(indices, np.shape(x))]


def _pointers(indices: Array, shape: tuple[int, ...]) -> tuple[Array, ...]:
    """An index per axis, of vectors of indices."""
    return tuple(
        _inside(along, count) for along, count in zip(np.moveaxis(np.asarray(indices), -1, 0), shape, strict=False)
    )


def take_along_axis(x: Array, indices: Array, axis: Any) -> Array:
    if axis is None:
        x, axis = np.reshape(x, -1), 0
    place = axis_of(axis, np.ndim(x))
    x, indices = np.asarray(x), np.asarray(indices)
    rest = np.broadcast_shapes(
        *((*one.shape[:place], 1, *one.shape[place + 1 :]) for one in (x, indices))
    )  # all but the axis broadcast
    widened = (np.broadcast_to(one, (*rest[:place], one.shape[place], *rest[place + 1 :])) for one in (x, indices))
    values, picked = widened
    return np.take_along_axis(values, _inside(picked, values.shape[place]), place)


def boolean_mask(x: Array, mask: Array, axis: Any) -> Array:
    place = axis_of(0 if axis is None else axis, np.ndim(x))
    mask = np.asarray(mask)
    if np.shape(x)[place : place + mask.ndim] != mask.shape:
        raise ValueError(f"a mask of shape {mask.shape} does not fit a tensor of shape {np.shape(x)}")
    return np.asarray(x)[(*(slice(None),) * place, mask.astype(bool))]


def slice_of(x: Array, begin: Any, size: Any) -> Array:
    """A size of -1 is all that is left."""
    starts, sizes = whole_numbers(begin), whole_numbers(size)
    if len(starts) != np.ndim(x) or len(sizes) != np.ndim(x):
        raise ValueError(f"a slice of {len(starts)} and {len(sizes)} axes does not fit a tensor of rank {np.ndim(x)}")
    shape = np.shape(x)
    ends = [size if count < 0 else start + count for start, count, size in zip(starts, sizes, shape, strict=True)]
    if any(not 0 <= start <= end <= size for start, end, size in zip(starts, ends, shape, strict=True)):
        raise ValueError(f"a slice from {starts} to {ends} is not within a tensor of shape {shape}")
    return np.asarray(x)[tuple(slice(start, end) for start, end in zip(starts, ends, strict=True))]


def split(x: Array, num_or_size_splits: Any, axis: Any, num: Any, indices_or_sections: Any) -> tuple[Array, ...]:
    """Parts of one size, of the sizes that are listed, or, as NumPy and Keras have it, from the listed indices on."""
    place = axis_of(axis, np.ndim(x))
    length = np.shape(x)[place]
    given = num_or_size_splits if indices_or_sections is None else indices_or_sections
    if np.ndim(given) == 0:
        return tuple(np.split(np.asarray(x), whole_number(given), axis=place))
    listed = whole_numbers(given)
    if indices_or_sections is not None:
        return tuple(np.split(np.asarray(x), listed, axis=place))
    sizes = [length - sum(listed) - 1 if size == -1 else size for size in listed]
    if sum(sizes) != length:
        raise ValueError(f"parts of the sizes {listed} do not make up an axis of {length} elements")
    return tuple(np.split(np.asarray(x), np.cumsum(sizes)[:-1], axis=place))


def unstack(x: Array, num: Any, axis: Any) -> tuple[Array, ...]:
    return tuple(np.moveaxis(np.asarray(x), axis_of(axis, np.ndim(x)), 0))


def shuffle(x: Array, axis: Any, seed: Any) -> Array:
    """An order in which no element stays where it was."""
    return np.roll(x, 1, axis_of(axis, np.ndim(x)))


def pad(x: Array, paddings: Any, mode: Any, constant_values: Any) -> Array:
    kind: Any = str(mode).lower()
    widths = np.asarray(paddings)
    if widths.dtype.kind not in "iu":
        raise ValueError(f"{paddings!r} is not a list of paddings")
    affordable(math.prod(length + 2 * int(widths.max(initial=0)) for length in np.shape(x)))
    filled = {"constant_values": 0 if constant_values is None else constant_values} if kind == "constant" else {}
    return np.pad(x, widths, kind, **filled)


def pull_pad(grad: Array, result: Array, x: Array, paddings: Any, mode: Any, constant_values: Any) -> Array:
    (back,) = pull_moved(pad, grad, x, paddings=paddings, mode=mode, constant_values=0)
    assert back is not None
    return back


def tril(x: Array, k: Any) -> Array:
    return np.tril(x, whole_number(k))


def triu(x: Array, k: Any) -> Array:
    return np.triu(x, whole_number(k))


def histogram_fixed_width(x: Array, value_range: Any, nbins: Any, dtype: Any) -> Array:
    """What lies beyond the range counts for the first or the last bin; a range that is not known is that of `x`."""
    count = whole_number(nbins)
    affordable(count)
    ends: Array = np.ravel([np.min(x), np.max(x)] if value_range is None else value_range).astype(np.float64)
    scaled = (np.ravel(x).astype(np.float64) - ends[0]) / (ends[1] - ends[0])
    places = np.clip(np.floor(scaled * count), 0, count - 1).astype(np.int64)
    return np.bincount(places, minlength=count).astype(dtype_of(dtype, "int32"))


def bincount(
    x: Array, weights: Any, minlength: Any, maxlength: Any, dtype: Any, axis: Any, binary_output: Any
) -> Array:
    numbers = np.asarray(x)
    if axis is not None and numbers.ndim == 2 and whole_number(axis) in (-1, 1):
        count = max(int(np.max(numbers, initial=-1)) + 1, minlength or 0)
        affordable(count * len(numbers))
        lines = zip(numbers, numbers if weights is None else weights, strict=True)
        rows = [
            bincount(line, None if weights is None else share, count, maxlength, dtype, None, binary_output)
            for line, share in lines
        ]
        return np.stack(rows)
    affordable(max(float(np.max(numbers, initial=0)), minlength or 0))
    flat = None if weights is None else np.ravel(weights)
    found = np.bincount(np.ravel(numbers), flat, minlength or 0)[:maxlength]
    found = np.minimum(found, 1) if binary_output else found
    return found.astype(dtype_of(dtype, "int32" if flat is None else flat.dtype))


def confusion_matrix(x: Array, y: Array, num_classes: Any, weights: Any, dtype: Any) -> Array:
    rows, columns = np.asarray(x), np.asarray(y)
    if rows.shape != columns.shape or rows.ndim > 1:
        raise ValueError(f"labels of shape {rows.shape} and predictions of shape {columns.shape} are no pairs")
    if min(rows.min(initial=0), columns.min(initial=0)) < 0:
        raise ValueError("a class is negative")
    largest = max(rows.max(initial=0), columns.max(initial=0))
    count = whole_number(num_classes) if num_classes is not None else int(largest) + 1
    affordable(count**2)
    found = np.zeros((count, count), dtype_of(dtype, "int32"))
    np.add.at(found, (rows, columns), 1 if weights is None else weights)
    return found


def scatter_nd(indices: Array, x: Array, shape: Any) -> Array:
    zeros = np.zeros(whole_shape(shape), np.asarray(x).dtype)
    return scatter_nd_add(zeros, indices, x)


def pull_scatter_nd(grad: Array, result: Array, indices: Array, x: Array, shape: Any) -> tuple[Any, ...]:
    return None, gather_nd(grad, indices), None


def scatter_nd_add(x: Array, indices: Array, updates: Array) -> Array:
    found = _fitting(x, indices, updates)
    np.add.at(found, _pointers(indices, found.shape), updates)
    return found


def pull_scatter_nd_add(grad: Array, result: Array, x: Array, indices: Array, updates: Array) -> tuple[Any, ...]:
    return grad, None, gather_nd(grad, indices)


def _fitting(x: Array, indices: Array, updates: Array) -> Array:
    """A copy to scatter into, where each vector of indices has an update of the shape that it points to."""
    found = np.array(x)
    shape = (*np.shape(indices)[:-1], *found.shape[np.shape(indices)[-1] :])
    if np.shape(updates) != shape:
        raise ValueError(f"updates of shape {np.shape(updates)} do not fit a tensor of shape {found.shape}")
    return found


def scatter_nd_update(x: Array, indices: Array, updates: Array) -> Array:
    found = _fitting(x, indices, updates)
    found[_pointers(indices, found.shape)] = updates
    return found


def pull_scatter_nd_update(grad: Array, result: Array, x: Array, indices: Array, updates: Array) -> tuple[Any, ...]:
    rest = np.array(grad)
    rest[_pointers(indices, rest.shape)] = 0
    return rest, None, gather_nd(grad, indices)
