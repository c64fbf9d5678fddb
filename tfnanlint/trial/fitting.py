"""Results of ops whose operands have incompatible shapes: the operands are repeated or cut to shapes that match."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from tfnanlint.ops import Op
from tfnanlint.ops.numeric import Array, np
from tfnanlint.ops.work import affordable
from tfnanlint.trial.arrays import REFUSALS, WIDEST, fit
from tfnanlint.trial.shapes import BATCH, DEFAULT_RANK, by_place


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
    if row.name == "boolean_mask" and len(arrays) == 2 and arrays[0].ndim:
        x, mask = arrays
        return x[np.resize(mask.astype(bool), x.shape[:1])]
    if row.name == "split" and arrays and isinstance(attrs.get("num_or_size_splits"), tuple):
        return shares(arrays[0], attrs["num_or_size_splits"], int(attrs.get("axis") or 0))
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
    if row.operands == ("x", "filters") and len(arrays) == 2 and arrays[1].ndim > 2:
        x, filters = arrays
        padded = {"padding": "SAME"} if "padding" in attrs else {}  # `x` may be smaller here than the filters
        filters = fit(filters, (*filters.shape[:-2], x.shape[-1], filters.shape[-1]))
        return row.run(x, filters, **{**attrs, **padded})
    raise ValueError(f"no way is known to fit the operands of {row.name}")


def shares(x: Array, sizes: Sequence[Any], axis: int) -> tuple[Array, ...]:
    """The parts of an array along an axis that does not have the sizes of the parts: as large in proportion.

    The parts have equal sizes if a size is unknown.
    """
    if not all(isinstance(size, int) and size > 0 for size in sizes):
        sizes = [1] * len(sizes)
    ends = np.cumsum(sizes) / sum(sizes)
    places = [round(float(end) * x.shape[axis]) for end in ends[:-1]]
    return tuple(np.split(x, places, axis=axis))


def moved(x: Array, shape: Any) -> Array:
    """The elements of an array in a given shape, or in the old one if the new one is unknown."""
    if not isinstance(shape, (tuple, list)) or not all(isinstance(size, int) for size in shape):
        return x
    sizes = [BATCH if size < 0 else min(size, WIDEST) for size in shape]
    affordable(math.prod(sizes))
    return np.resize(x, sizes) if x.size else x


def product(x: Array, y: Array) -> Array:
    """A matrix product, with the second operand resized to match the first."""
    if y.ndim == 1:
        y = y[:, None]
    if x.ndim == 1:
        x = x[None, :]
    return np.matmul(x, fit(y, (*y.shape[:-2], x.shape[-1], y.shape[-1])[-2:]))
