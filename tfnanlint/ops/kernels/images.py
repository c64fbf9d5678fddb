"""Images of other sizes and in other colours."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfnanlint.ops.kernels.shapes import Array, whole_numbers
from tfnanlint.ops.work import affordable


def resize(x: Array, size: Any, method: Any, preserve_aspect_ratio: Any, antialias: Any) -> Array:
    """Each new row and column is a weighted mean of old ones; but for the nearest ones, the result is of float32."""
    rows, columns = _weights(x, size, method, preserve_aspect_ratio, antialias)
    affordable(np.size(x) / max(rows.shape[1] * columns.shape[1], 1) * len(rows) * max(len(columns), columns.shape[1]))
    found = np.einsum("ih,...hwc,jw->...ijc", rows, x, columns, optimize=True)
    return found.astype(np.asarray(x).dtype if _method(method) == "nearest" else np.float32)


def pull_resize(
    grad: Array, result: Array, x: Array, size: Any, method: Any, preserve_aspect_ratio: Any, antialias: Any
) -> Array:
    rows, columns = _weights(x, size, method, preserve_aspect_ratio, antialias)
    return np.einsum("ih,...ijc,jw->...hwc", rows, grad, columns, optimize=True).astype(np.asarray(x).dtype)


def _method(method: Any) -> str:
    return str(method).lower().rpartition(".")[2]


def _weights(x: Array, size: Any, method: Any, preserve_aspect_ratio: Any, antialias: Any) -> tuple[Array, Array]:
    """The shares of the old rows in each new one, and those of the columns."""
    lengths = whole_numbers(size)
    if preserve_aspect_ratio or len(lengths) != 2 or np.ndim(x) < 3:
        raise ValueError(f"cannot resize a tensor of shape {np.shape(x)} to {size!r}")
    kind = np.float64 if np.asarray(x).dtype == np.float64 else np.float32
    old = np.shape(x)[-3], np.shape(x)[-2]
    return (
        _shares(old[0], lengths[0], _method(method), bool(antialias)).astype(kind),
        _shares(old[1], lengths[1], _method(method), bool(antialias)).astype(kind),
    )


def _shares(old: int, new: int, method: str, antialias: bool) -> Array:
    affordable(old * new)
    scale = old / new
    centres = (np.arange(new) + 0.5) * scale
    places = np.arange(old)
    if method == "nearest":
        return np.equal.outer(np.minimum(np.floor(centres), old - 1), places)
    if method == "area":
        ends = np.minimum(np.add.outer(centres + scale / 2, 0 * places), places + 1)
        return np.maximum(ends - np.maximum(np.add.outer(centres - scale / 2, 0 * places), places), 0) / scale
    if method != "bilinear":
        raise ValueError(f"the resize method {method!r} is not supported")
    width = max(scale, 1.0) if antialias else 1.0
    within = centres if antialias else np.clip(centres, 0.5, old - 0.5)
    found = np.maximum(1 - np.abs(np.subtract.outer(within, places + 0.5)) / width, 0)
    return found / found.sum(axis=1, keepdims=True)


def rgb_to_hsv(x: Array) -> Array:
    value, chroma = np.max(x, axis=-1), np.ptp(x, axis=-1)
    red, green, blue = np.moveaxis(x, -1, 0)
    step = np.where(chroma > 0, _reciprocal(6 * chroma), np.zeros_like(chroma))
    third = np.asarray(1 / 3, value.dtype)
    hue = np.where(
        red == value,
        step * (green - blue),
        np.where(green == value, step * (blue - red) + third, step * (red - green) + 2 * third),
    )
    hue = np.where(chroma > 0, np.where(hue < 0, hue + 1, hue), np.zeros_like(hue))
    saturation = np.where(value > 0, chroma * _reciprocal(value), np.zeros_like(value))
    return np.stack([hue, saturation, value], axis=-1)


def _reciprocal(x: Array) -> Array:
    """1 / x, and 0 at 0."""
    zero = np.equal(x, 0)
    return np.where(zero, np.zeros_like(x), 1 / np.where(zero, np.ones_like(x), x))


def pull_rgb_to_hsv(grad: Array, result: Array, x: Array) -> Array:
    """A grey pixel passes a gradient to its value, none to its hue."""
    red, green, blue = np.moveaxis(x, -1, 0)
    most = np.where((red >= blue) & (red >= green), 0, np.where((green > red) & (green >= blue), 1, 2))
    least = np.where((blue <= red) & (blue <= green), 2, np.where((green <= red) & (green < blue), 1, 0))
    following, preceding = (most + 1) % 3, (most + 2) % 3

    def picked(place: Array) -> Array:
        return np.take_along_axis(x, place[..., None], -1)[..., 0]

    value, lowest, after, before = map(picked, (most, least, following, preceding))
    saturation = result[..., 1]
    dh, ds, dv = np.moveaxis(grad, -1, 0)
    dh = np.where(value > 0, dh, np.zeros_like(dh)) / 6
    before_is_least = least == preceding
    toward_after = np.where(
        before_is_least, _reciprocal(value - before), (value - before) * _reciprocal(np.square(value - after))
    )
    toward_before = np.where(
        before_is_least, (after - value) * _reciprocal(np.square(value - before)), -_reciprocal(value - after)
    )
    toward_most = (before - after) * _reciprocal(np.square(saturation)) * _reciprocal(np.square(value))
    back = np.zeros_like(x)
    for place, part in (
        (most, dv + np.where(value > 0, ds * lowest * _reciprocal(np.square(value)), 0) + dh * toward_most),
        (least, np.where(lowest > 0, -ds * _reciprocal(value), 0)),
        (following, dh * toward_after),
        (preceding, dh * toward_before),
    ):
        held = np.take_along_axis(back, place[..., None], -1)
        np.put_along_axis(back, place[..., None], held + part[..., None], -1)
    return back


def hsv_to_rgb(x: Array) -> Array:
    hue, saturation, value = np.moveaxis(x, -1, 0)
    turn = hue * 6
    shares = (np.abs(turn - 3) - 1, 2 - np.abs(turn - 2), 2 - np.abs(turn - 4))
    return np.stack([(1 - saturation + saturation * np.clip(share, 0, 1)) * value for share in shares], axis=-1)


GREY = (0.2989, 0.5870, 0.1140)
"""The shares of red, green and blue in what an eye sees of them."""


def rgb_to_grayscale(x: Array) -> Array:
    return (x @ np.asarray(GREY, np.asarray(x).dtype))[..., None]


def pull_rgb_to_grayscale(grad: Array, result: Array, x: Array) -> Array:
    return grad * np.asarray(GREY, np.asarray(x).dtype)


def gaussian(size: int, sigma: float, channels: int, dtype: Any) -> Array:
    """A filter for each channel whose weights sum to 1."""
    affordable(size**2 * channels)
    offsets = np.arange(size) - (size - 1) / 2
    line = np.exp(-np.square(offsets) / (2 * sigma**2))
    whole = np.outer(line, line)
    return np.tile((whole / whole.sum())[:, :, None, None], (1, 1, channels, 1)).astype(dtype)


SOBEL = ((-1, -2, -1), (0, 0, 0), (1, 2, 1))
"""Vertical differences; turned, they are the horizontal ones."""


def sobel(channels: int, dtype: Any) -> Array:
    both = np.stack([np.array(SOBEL), np.array(SOBEL).T], axis=-1)[:, :, None, :]
    return np.tile(both, (1, 1, channels, 1)).astype(dtype)
