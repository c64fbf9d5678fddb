"""Windows that slide over one, two or three axes between the batch and the channels, or behind both.

Taking the windows only moves elements, so that its gradient is `pull_moved`'s; what is left are sums and maxima.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tfnanlint.ops.kernels.moves import pull_moved
from tfnanlint.ops.kernels.shapes import Array, whole_numbers
from tfnanlint.ops.work import affordable


class Sliding:
    """How windows slide: their sizes, steps and gaps along each spatial axis, and what pads the ends."""

    def __init__(
        self, rank: int, sizes: Any, strides: Any, padding: Any, data_format: Any, dilations: Any = None
    ) -> None:
        self.first = str(data_format).upper().startswith(("NC", "CHANNELS_FIRST"))
        self.sizes = self._spatial(sizes, rank)
        self.strides = self.sizes if strides is None else self._spatial(strides, rank)
        self.dilations = self._spatial(1 if dilations is None else dilations, rank)
        self.padding = padding
        self.rank = rank

    def _spatial(self, given: Any, rank: int) -> tuple[int, ...]:
        """The numbers of the spatial axes, of one for all, one for each, or one for every axis of the tensor."""
        numbers = whole_numbers(given)
        if len(numbers) == rank + 2:
            numbers = numbers[2:] if self.first else numbers[1:-1]
        if len(numbers) == 1:
            numbers *= rank
        if len(numbers) != rank or min(numbers) < 1:
            raise ValueError(f"{given!r} does not give window sizes for {rank} axes")
        return numbers

    def last(self, x: Array) -> Array:
        """The tensor with its channels behind."""
        return np.moveaxis(x, 1, -1) if self.first else np.asarray(x)

    def back(self, x: Array) -> Array:
        """The tensor with its channels where the program has them."""
        return np.moveaxis(x, -1, 1) if self.first else x

    def pads(self, shape: tuple[int, ...]) -> list[tuple[int, int]]:
        """What stands before and behind each spatial axis."""
        spans = [(size - 1) * gap + 1 for size, gap in zip(self.sizes, self.dilations, strict=True)]
        if not isinstance(self.padding, str):
            pairs = [tuple(whole_numbers(pair)) for pair in self.padding]
            pairs = pairs[-self.rank :] if self.first or len(pairs) == self.rank else pairs[1:-1]
            return [(before, behind) for before, behind in pairs]
        if self.padding.upper() == "VALID":
            return [(0, 0)] * self.rank
        if self.padding.upper() != "SAME":
            raise ValueError(f"{self.padding!r} is not a kind of padding")
        lacking = [
            max((-(-length // step) - 1) * step + span - length, 0)
            for length, step, span in zip(shape[1:-1], self.strides, spans, strict=True)
        ]
        return [(lack // 2, lack - lack // 2) for lack in lacking]

    def windows(self, x: Array, fill: Any = 0) -> Array:
        """[batch, place along each axis, channel, place in the window along each axis], of channels behind."""
        x = np.asarray(x)
        if x.ndim != self.rank + 2:
            raise ValueError(f"windows over {self.rank} axes do not slide over a tensor of rank {x.ndim}")
        pads = [(0, 0), *self.pads(x.shape), (0, 0)]
        affordable(math.prod(n + sum(ends) for n, ends in zip(x.shape, pads, strict=True)))
        padded = np.pad(x, pads, constant_values=fill)
        spans = tuple((size - 1) * gap + 1 for size, gap in zip(self.sizes, self.dilations, strict=True))
        axes = tuple(range(1, self.rank + 1))
        taken = np.lib.stride_tricks.sliding_window_view(padded, spans, axis=axes)
        steps = (slice(None, None, step) for step in self.strides)
        gaps = (slice(None, None, gap) for gap in self.dilations)
        found = taken[(slice(None), *steps, slice(None), *gaps)]
        affordable(found.size)
        return found

    def pull_windows(self, grad: Array, x: Array) -> Array:
        """The gradient of a tensor, given that of its windows."""
        (back,) = pull_moved(self.windows, grad, x)
        assert back is not None
        return back


def _sliding(filters: Array, strides: Any, padding: Any, data_format: Any, dilations: Any, rate: Any) -> Sliding:
    rank = np.ndim(filters) - 2
    gaps = rate if dilations is None else dilations
    return Sliding(rank, np.shape(filters)[:rank], 1 if strides is None else strides, padding, data_format, gaps)


def convolution(
    x: Array, filters: Array, strides: Any, padding: Any, data_format: Any, dilations: Any, rate: Any, ksize: Any = None
) -> Array:
    sliding = _sliding(filters, strides, padding, data_format, dilations, rate)
    groups = _groups(sliding.last(x), filters)
    taken = np.split(sliding.windows(sliding.last(x)), groups, axis=sliding.rank + 1)
    parts = [_convolved(one, two) for one, two in zip(taken, np.split(filters, groups, axis=-1), strict=True)]
    return sliding.back(np.concatenate(parts, axis=-1))


def _groups(x: Array, filters: Array) -> int:
    """Filters of fewer channels than the tensor has each see a group of them."""
    own, seen = int(x.shape[-1]), int(np.shape(filters)[-2])
    if not seen or own % seen:
        raise ValueError(f"filters of {seen} channels do not fit a tensor of {own}")
    return own // seen


def _convolved(taken: Array, filters: Array) -> Array:
    rank = np.ndim(filters) - 2
    return np.tensordot(taken, filters, (range(rank + 1, 2 * rank + 2), (rank, *range(rank))))


def pull_convolution(
    grad: Array,
    result: Array,
    x: Array,
    filters: Array,
    strides: Any,
    padding: Any,
    data_format: Any,
    dilations: Any,
    rate: Any,
    ksize: Any = None,
) -> tuple[Array, Array]:
    sliding = _sliding(filters, strides, padding, data_format, dilations, rate)
    given, incoming = sliding.last(x), sliding.last(grad)
    groups, rank = _groups(given, filters), sliding.rank
    taken = np.split(sliding.windows(given), groups, axis=rank + 1)
    of_windows, of_filters = [], []
    for own, kernel, part in zip(
        taken, np.split(filters, groups, axis=-1), np.split(incoming, groups, axis=-1), strict=True
    ):
        spread = np.tensordot(part, kernel, (-1, -1))  # [batch, places, in the window, channel]
        of_windows.append(np.moveaxis(spread, -1, rank + 1))
        summed = np.tensordot(own, part, (range(rank + 1), range(rank + 1)))  # [channel, in the window, output]
        of_filters.append(np.moveaxis(summed, 0, -2))
    back = sliding.pull_windows(np.concatenate(of_windows, axis=rank + 1), given)
    return sliding.back(back), np.concatenate(of_filters, axis=-1)


def depthwise_convolution(
    x: Array, filters: Array, strides: Any, padding: Any, data_format: Any, dilations: Any, rate: Any, ksize: Any = None
) -> Array:
    """Each channel has filters of its own."""
    sliding = _sliding(filters, strides, padding, data_format, dilations, rate)
    taken = sliding.windows(sliding.last(x))
    found = np.einsum(_depthwise(sliding.rank), taken, filters)
    return sliding.back(found.reshape(*found.shape[:-2], -1))


def _depthwise(rank: int) -> str:
    inside = "xyz"[:rank]
    return f"...c{inside},{inside}cm->...cm"


def pull_depthwise_convolution(
    grad: Array,
    result: Array,
    x: Array,
    filters: Array,
    strides: Any,
    padding: Any,
    data_format: Any,
    dilations: Any,
    rate: Any,
    ksize: Any = None,
) -> tuple[Array, Array]:
    sliding = _sliding(filters, strides, padding, data_format, dilations, rate)
    given = sliding.last(x)
    taken = sliding.windows(given)
    incoming = sliding.last(grad).reshape(*taken.shape[: sliding.rank + 2], -1)
    inside = "xyz"[: sliding.rank]
    of_windows = np.einsum(f"...cm,{inside}cm->...c{inside}", incoming, filters)
    places = "abd"[: sliding.rank]
    of_filters = np.einsum(f"n{places}c{inside},n{places}cm->{inside}cm", taken, incoming)
    return sliding.back(sliding.pull_windows(of_windows, given)), of_filters


def extract_patches(x: Array, ksize: Any, strides: Any, padding: Any, data_format: Any, dilations: Any = None) -> Array:
    """The windows of images, each laid out in the channels: row by row, place by place."""
    sliding = Sliding(2, ksize, strides, padding or "valid", data_format, dilations)
    taken = np.moveaxis(sliding.windows(sliding.last(x)), 3, -1)
    return sliding.back(taken.reshape(*taken.shape[:3], -1))


def _pooling(
    x: Array, ksize: Any, strides: Any, padding: Any, data_format: Any
) -> tuple[Sliding, Array, tuple[int, ...]]:
    sliding = Sliding(np.ndim(x) - 2, ksize, strides, padding, data_format)
    return sliding, sliding.last(x), tuple(range(-sliding.rank, 0))


def max_pool(
    x: Array, ksize: Any, strides: Any, padding: Any, data_format: Any, dilations: Any = None, rate: Any = None
) -> Array:
    sliding, given, inside = _pooling(x, ksize, strides, padding, data_format)
    return sliding.back(sliding.windows(given, _lowest(given)).max(axis=inside))


def _lowest(x: Array) -> Any:
    return -np.inf if x.dtype.kind == "f" else np.iinfo(x.dtype).min


def pull_max_pool(
    grad: Array,
    result: Array,
    x: Array,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: Any,
    dilations: Any = None,
    rate: Any = None,
) -> Array:
    """Of equal elements, the first one of a window gets its gradient."""
    sliding, given, _ = _pooling(x, ksize, strides, padding, data_format)
    taken = sliding.windows(given, _lowest(given))
    flat = taken.reshape(*taken.shape[: sliding.rank + 2], -1)
    spread = np.zeros(flat.shape, np.asarray(grad).dtype)
    np.put_along_axis(spread, flat.argmax(axis=-1)[..., None], sliding.last(grad)[..., None], -1)
    return sliding.back(sliding.pull_windows(spread.reshape(taken.shape), given))


def average_pool(
    x: Array, ksize: Any, strides: Any, padding: Any, data_format: Any, dilations: Any = None, rate: Any = None
) -> Array:
    """Padding counts for nothing."""
    sliding, given, inside = _pooling(x, ksize, strides, padding, data_format)
    return sliding.back(sliding.windows(given).sum(axis=inside) / _counts(sliding, given, inside))


def _counts(sliding: Sliding, given: Array, inside: tuple[int, ...]) -> Array:
    return sliding.windows(np.ones_like(given[:1, ..., :1])).sum(axis=inside)


def pull_average_pool(
    grad: Array,
    result: Array,
    x: Array,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: Any,
    dilations: Any = None,
    rate: Any = None,
) -> Array:
    sliding, given, inside = _pooling(x, ksize, strides, padding, data_format)
    share = sliding.last(grad) / _counts(sliding, given, inside)
    shape = sliding.windows(given).shape
    spread = np.broadcast_to(share.reshape(*share.shape, *(1,) * sliding.rank), shape)
    return sliding.back(sliding.pull_windows(spread, given))
