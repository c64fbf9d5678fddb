"""Blocks of space laid out in channels or in batches, and back."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfnanlint.ops.kernels.shapes import Array, whole_number, whole_numbers


def _behind(data_format: Any) -> None:
    if not str(data_format).upper() == "NHWC":
        raise ValueError(f"image format {data_format!r} is not supported")


def depth_to_space(x: Array, block_size: Any, data_format: Any) -> Array:
    _behind(data_format)
    size = whole_number(block_size)
    batch, height, width, channels = np.shape(x)
    blocks = np.reshape(x, (batch, height, width, size, size, channels // size**2))
    return blocks.transpose(0, 1, 3, 2, 4, 5).reshape(batch, height * size, width * size, channels // size**2)


def space_to_depth(x: Array, block_size: Any, data_format: Any) -> Array:
    _behind(data_format)
    size = whole_number(block_size)
    batch, height, width, channels = np.shape(x)
    blocks = np.reshape(x, (batch, height // size, size, width // size, size, channels))
    return blocks.transpose(0, 1, 3, 2, 4, 5).reshape(batch, height // size, width // size, channels * size**2)


def space_to_batch(x: Array, block_shape: Any, paddings: Any) -> Array:
    sizes, widths = whole_numbers(block_shape), np.asarray(paddings)
    rank = len(sizes)
    rest = np.ndim(x) - rank - 1
    padded = np.pad(x, [(0, 0), *((int(before), int(behind)) for before, behind in widths), *[(0, 0)] * rest])
    split = [padded.shape[0]]
    for length, size in zip(padded.shape[1:], sizes, strict=False):
        split += [length // size, size]
    blocks = padded.reshape(*split, *padded.shape[rank + 1 :])
    order = (*range(2, 2 * rank + 1, 2), 0, *range(1, 2 * rank, 2), *range(2 * rank + 1, blocks.ndim))
    moved = blocks.transpose(order)
    return moved.reshape(padded.shape[0] * int(np.prod(sizes)), *moved.shape[rank + 1 :])


def batch_to_space(x: Array, block_shape: Any, crops: Any) -> Array:
    sizes, ends = whole_numbers(block_shape), np.asarray(crops)
    rank = len(sizes)
    blocks = np.reshape(x, (*sizes, np.shape(x)[0] // int(np.prod(sizes)), *np.shape(x)[1:]))
    order = [rank]
    for place in range(rank):
        order += [rank + 1 + place, place]
    moved = blocks.transpose(*order, *range(2 * rank + 1, blocks.ndim))
    lengths = [length * size for length, size in zip(np.shape(x)[1:], sizes, strict=False)]
    whole = moved.reshape(moved.shape[0], *lengths, *np.shape(x)[rank + 1 :])
    kept = (slice(int(first), length - int(last)) for (first, last), length in zip(ends, lengths, strict=True))
    return whole[(slice(None), *kept)]
