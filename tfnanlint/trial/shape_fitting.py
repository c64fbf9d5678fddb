"""Results of ops whose operands have incompatible shapes: the operands are repeated or cut to shapes that match."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from tfnanlint.ops import Op
from tfnanlint.ops.numeric import Array, np
from tfnanlint.ops.work import affordable
from tfnanlint.trial.arrays import REFUSALS, WIDEST, fit
from tfnanlint.trial.shapes import BATCH, DEFAULT_RANK, LONGEST_FRAME, by_place

LEAST = 2
"""The least size of a part of an axis: along an axis of size 1, a softmax is always 1 and a variance always 0."""
FRAME = 8
"""The samples of a frame whose length is not known."""


def fitted(row: Op, operands: Sequence[Any], attrs: Mapping[str, Any], scattered: bool) -> Any:
    """The result of an op on fitted operands; raises one of `REFUSALS` if no way of fitting them is known.

    `scattered`: the program passes an axis whose value is unknown.
    """
    assert row.run is not None
    arrays = [v for v in operands if isinstance(v, np.ndarray)]
    if row.random and row.operands[:1] == ("shape",):  # draws of this kind, whatever their shape
        return row.run(by_place(DEFAULT_RANK), *operands[1:], **attrs)
    if row.name == "concat" and arrays and scattered:  # the positions of the elements are unknown
        return np.concatenate([np.ravel(operand) for operand in operands if operand is not None])
    if row.name == "concat" and arrays:
        return joined(arrays, attrs.get("axis"))
    if row.name == "boolean_mask" and len(arrays) == 2 and arrays[0].ndim:
        x, mask = arrays
        axis = attrs.get("axis")
        axis = axis if isinstance(axis, int) else 0
        return np.compress(np.resize(mask.astype(bool), x.shape[axis]), x, axis)
    if row.name == "top_k" and arrays and arrays[0].ndim:
        return row.run(*operands, **{**attrs, "k": arrays[0].shape[-1]})
    if row.name == "split" and arrays and isinstance(sizes := attrs.get("num_or_size_splits"), (int, tuple)):
        return parts(arrays[0], sizes, int(attrs.get("axis") or 0))
    if "frame_length" in row.attrs and arrays and arrays[0].ndim:  # the signal is shorter here, or the frames unknown
        length, step = attrs.get("frame_length"), attrs.get("frame_step")
        if not (isinstance(length, int) and isinstance(step, int) and 0 < length <= LONGEST_FRAME):
            length, step = FRAME, FRAME // 2
            attrs = {**attrs, "frame_length": length, "frame_step": step, "fft_length": length}
        return row.run(fit(arrays[0], (*arrays[0].shape[:-1], length + step)), **attrs)
    if row.moves and arrays:
        return moved(arrays[0], attrs.get("shape"))
    if row.elementwise and arrays:
        shape = max((a.shape for a in arrays), key=lambda s: (len(s), np.prod(s)))
        return row.run(*[fit(v, shape) if isinstance(v, np.ndarray) else v for v in operands], **attrs)
    for axis in (-1, None) if "axis" in attrs else ():
        try:
            return row.run(*operands, **{**attrs, "axis": axis})
        except REFUSALS:
            continue
    if row.name in ("matmul", "matvec", "tensordot") and len(arrays) == 2:
        return product(*arrays)
    if row.name == "einsum" and len(arrays) == len(operands):
        return row.run(*alike_by_letter(arrays, str(attrs.get("equation"))), **attrs)
    if "ksize" in attrs and arrays:  # `x` may be smaller here than a window
        return row.run(*operands, **{**attrs, "padding": "SAME"})
    if row.operands == ("x", "filters") and len(arrays) == 2 and arrays[1].ndim > 2:
        x, filters = arrays
        padded = {"padding": "SAME"} if "padding" in attrs else {}  # `x` may be smaller here than the filters
        filters = fit(filters, (*filters.shape[:-2], x.shape[-1], filters.shape[-1]))
        return row.run(x, filters, **{**attrs, **padded})
    raise ValueError(f"no way is known to fit the operands of {row.name}")


def parts(x: Array, sizes: int | Sequence[Any], axis: int) -> tuple[Array, ...]:
    """The parts of an array along an axis that does not have their sizes: as large in proportion.

    Where the sizes are unknown or equal, the parts have equal sizes; elements are repeated to make that so.
    """
    length = x.shape[axis]
    if not isinstance(sizes, int) and all(isinstance(size, int) and size > 0 for size in sizes):
        ends = np.cumsum(sizes) / sum(sizes)
        return tuple(np.split(x, [round(float(end) * length) for end in ends[:-1]], axis=axis))
    count = sizes if isinstance(sizes, int) else len(sizes)
    if count < 1 or length == 0:
        raise ValueError(f"an axis of {length} elements has no {count} parts")
    each = max(math.ceil(length / count), min(length, LEAST))
    affordable(math.prod(x.shape) // length * each * count)
    return tuple(np.split(np.take(x, np.arange(each * count) % length, axis), count, axis=axis))


def joined(arrays: Sequence[Array], axis: Any) -> Array:
    """Arrays one behind the other, each resized to match the one of the highest rank along the other axes."""
    widest = max(arrays, key=np.ndim)
    place = axis if isinstance(axis, int) and -widest.ndim <= axis < widest.ndim else -1
    found = []
    for array in arrays if widest.ndim else map(np.atleast_1d, arrays):
        shape = list(widest.shape or (1,))
        shape[place] = array.shape[place] if array.ndim == len(shape) else shape[place]
        found.append(fit(array, tuple(shape)))
    return np.concatenate(found, place)


def moved(x: Array, shape: Any) -> Array:
    """The elements of an array in a given shape, or in the old one if the new one is unknown."""
    if not isinstance(shape, (tuple, list)) or not all(isinstance(size, int) or size is None for size in shape):
        return x
    sizes = [BATCH if size is None or size < 0 else min(size, WIDEST) for size in shape]
    affordable(math.prod(sizes))
    return np.resize(x, sizes) if x.size else x


def product(x: Array, y: Array) -> Array:
    """A matrix product, with the second operand resized to match the first."""
    if y.ndim == 1:
        y = y[:, None]
    if x.ndim == 1:
        x = x[None, :]
    return np.matmul(x, fit(y, (*y.shape[:-2], x.shape[-1], y.shape[-1])[-2:]))


def alike_by_letter(arrays: Sequence[Array], equation: str) -> list[Array]:
    """The operands of an Einstein sum, each axis as long as the first one of the same letter."""
    terms = equation.replace(" ", "").partition("->")[0].split(",")
    sizes: dict[str, int] = {}
    found = []
    for term, array in zip(terms, arrays, strict=True):
        shape = [sizes.setdefault(letter, size) for letter, size in zip(term, array.shape, strict=True)]
        found.append(fit(array, tuple(shape)))
    return found
