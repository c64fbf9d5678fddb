"""Complex numbers and spectra. Gradients of complex tensors are TensorFlow's: those of the conjugate."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tfnanlint.ops.kernels.moves import pull_moved
from tfnanlint.ops.kernels.shapes import Array, dtype_of, whole_number, whole_numbers
from tfnanlint.ops.work import affordable


def complex_of(real: Array, imag: Array) -> Array:
    wide = np.result_type(real, imag, np.complex64)
    found = np.zeros(np.broadcast_shapes(np.shape(real), np.shape(imag)), wide)
    found.real, found.imag = real, imag  # a sum with 1j * inf has a NaN
    return found


def pull_complex_of(grad: Array, result: Array, real: Array, imag: Array) -> tuple[Array, Array]:
    return np.real(grad), np.imag(grad)


def pull_real(grad: Array, result: Array, x: Array) -> Array:
    return np.asarray(grad).astype(np.asarray(x).dtype)


def pull_imag(grad: Array, result: Array, x: Array) -> Array:
    return complex_of(np.zeros_like(grad), grad) if np.iscomplexobj(x) else np.zeros_like(x)


def angle(x: Array) -> Array:
    """Of a real number, pi where it is negative."""
    if np.asarray(x).dtype.kind == "c":
        return np.angle(x)
    return np.where(np.less(x, 0), np.asarray(np.pi, np.asarray(x).dtype), np.zeros_like(x))


def pull_angle(grad: Array, result: Array, x: Array) -> Array:
    """1 / 0 of a complex 0 is NaN; the angle of a real number has no slope."""
    if np.asarray(x).dtype.kind != "c":
        return np.zeros_like(x)
    return (-grad / complex_of(np.imag(x), np.real(x))).astype(np.asarray(x).dtype)


def pull_fft(grad: Array, result: Array, x: Array) -> Array:
    return np.fft.ifft(grad) * np.shape(grad)[-1]


def pull_ifft(grad: Array, result: Array, x: Array) -> Array:
    return np.fft.fft(grad) / np.asarray(np.shape(grad)[-1], np.real(grad).dtype)


def pull_fft2d(grad: Array, result: Array, x: Array) -> Array:
    return np.fft.ifft2(grad) * math.prod(np.shape(grad)[-2:])


def pull_ifft2d(grad: Array, result: Array, x: Array) -> Array:
    return np.fft.fft2(grad) / np.asarray(math.prod(np.shape(grad)[-2:]), np.real(grad).dtype)


def rfft2d(x: Array, fft_length: Any) -> Array:
    lengths = np.shape(x)[-2:] if fft_length is None else whole_numbers(fft_length)
    _spectral(x, *lengths)
    return np.fft.rfft2(x, lengths, axes=(-2, -1))


def pull_rfft2d(grad: Array, result: Array, x: Array, fft_length: Any) -> Array:
    """That of a transform of the columns, then that of the rows."""
    rows, columns = np.shape(x)[-2:] if fft_length is None else whole_numbers(fft_length)
    back = np.swapaxes(np.fft.ifft(grad, axis=-2) * np.asarray(rows, np.asarray(x).dtype), -1, -2)
    return pull_rfft(np.swapaxes(_fitted(back, np.shape(x)[-2]), -1, -2), result, x, [columns])


def rfft(x: Array, fft_length: Any) -> Array:
    return np.fft.rfft(x, _spectral(x, _length(fft_length, np.shape(x)[-1])))


def _spectral(x: Array, *lengths: int) -> int:
    """The last of some lengths, which the last axes of a tensor get; raises ValueError if it becomes too large."""
    affordable(math.prod(np.shape(x)[: -len(lengths)]) * math.prod(lengths))
    return lengths[-1]


def _length(fft_length: Any, default: int) -> int:
    return default if fft_length is None else whole_number(fft_length)


def pull_rfft(grad: Array, result: Array, x: Array, fft_length: Any) -> Array:
    """The gradient is that of what stands in the result, which leaves out the mirrored half."""
    own = np.shape(x)[-1]
    length = _length(fft_length, own)
    back = np.fft.ifft(grad, length).real * np.asarray(length, np.asarray(x).dtype)
    return _fitted(back, own).astype(np.asarray(x).dtype)


def _fitted(x: Array, length: int) -> Array:
    """A last axis of that length, cut or filled with zeros."""
    lacking = max(length - x.shape[-1], 0)
    return np.pad(x, [(0, 0)] * (x.ndim - 1) + [(0, lacking)])[..., :length]


def irfft(x: Array, fft_length: Any) -> Array:
    return np.fft.irfft(x, _spectral(x, _length(fft_length, 2 * (np.shape(x)[-1] - 1))))


def pull_irfft(grad: Array, result: Array, x: Array, fft_length: Any) -> Array:
    back = np.fft.rfft(grad) / np.asarray(grad.shape[-1], grad.dtype)
    return _fitted(back * _mirrored(grad), np.shape(x)[-1])


def irfft2d(x: Array, fft_length: Any) -> Array:
    lengths = (np.shape(x)[-2], 2 * (np.shape(x)[-1] - 1)) if fft_length is None else whole_numbers(fft_length)
    _spectral(x, *lengths)
    return np.fft.irfft2(x, lengths, axes=(-2, -1))


def pull_irfft2d(grad: Array, result: Array, x: Array, fft_length: Any) -> Array:
    back = np.fft.rfft2(grad, axes=(-2, -1)) / np.asarray(grad.shape[-1] * grad.shape[-2], grad.dtype)
    rows = np.swapaxes(_fitted(np.swapaxes(back * _mirrored(grad), -1, -2), np.shape(x)[-2]), -1, -2)
    return _fitted(rows, np.shape(x)[-1])


def _mirrored(real: Array) -> Array:
    """How often each number of half a spectrum stands in the whole one."""
    length = real.shape[-1]
    found = np.full(length // 2 + 1, 2, real.dtype)
    found[0] = 1
    if length % 2 == 0:
        found[-1] = 1
    return found


def stft(x: Array, frame_length: Any, frame_step: Any, fft_length: Any, window_fn: Any, pad_end: Any) -> Array:
    """The window is Hann's, TensorFlow's default, whatever function is named."""
    own = whole_number(frame_length)
    frames = _frames(x, own, frame_step, pad_end)
    return np.fft.rfft(frames * _hann(own, x), _spectral(frames, _enclosing(fft_length, own)))


def _enclosing(fft_length: Any, own: int) -> int:
    return 1 << max(own - 1, 0).bit_length() if fft_length is None else whole_number(fft_length)


def _frames(x: Array, own: int, frame_step: Any, pad_end: Any) -> Array:
    step, length = whole_number(frame_step), np.shape(x)[-1]
    if pad_end:
        whole = (-(-length // step) - 1) * step + own if length else 0
        x = _fitted(np.asarray(x), _spectral(x, whole))
    found = np.lib.stride_tricks.sliding_window_view(x, own, axis=-1)[..., ::step, :]
    affordable(found.size)
    return found


def frame(x: Array, frame_length: Any, frame_step: Any, pad_end: Any, pad_value: Any, axis: Any) -> Array:
    """Overlapping windows along an axis, which becomes two: their number, and their length."""
    turned = np.moveaxis(np.asarray(x), axis, -1)
    own = whole_number(frame_length)
    found = _frames(turned, own, frame_step, pad_end)
    if pad_end and pad_value:
        inside = _frames(np.ones_like(turned, bool), own, frame_step, pad_end)
        found = np.where(inside, found, np.asarray(pad_value, found.dtype))
    at = axis % np.ndim(x)
    return np.moveaxis(found, (-2, -1), (at, at + 1))


def pull_frame(
    grad: Array,
    result: Array,
    x: Array,
    frame_length: Any,
    frame_step: Any,
    pad_end: Any,
    pad_value: Any,
    axis: Any,
) -> Array:
    (back,) = pull_moved(lambda given: frame(given, frame_length, frame_step, pad_end, 0, axis), grad, x)
    assert back is not None
    return back


def _hann(length: int, like: Array) -> Array:
    """Periodic where its length is even, as TensorFlow's is."""
    kind = np.asarray(like).dtype
    if length == 1:
        return np.ones(1, kind)
    period = length if length % 2 == 0 else length - 1
    return (0.5 - 0.5 * np.cos(2 * np.pi * np.arange(length) / period)).astype(kind)


def pull_stft(
    grad: Array,
    result: Array,
    x: Array,
    frame_length: Any,
    frame_step: Any,
    fft_length: Any,
    window_fn: Any,
    pad_end: Any,
) -> Array:
    own = whole_number(frame_length)
    length = _enclosing(fft_length, own)
    spread = np.fft.ifft(grad, length).real * np.asarray(length, np.asarray(x).dtype)
    weighed = (_fitted(spread, own) * _hann(own, x)).astype(np.asarray(x).dtype)
    (back,) = pull_moved(lambda given: _frames(given, own, frame_step, pad_end), weighed, x)
    assert back is not None
    return back


def mfccs(x: Array) -> Array:
    return x @ _cosines(x)


def pull_mfccs(grad: Array, result: Array, x: Array) -> Array:
    return grad @ _cosines(x).T


def _cosines(x: Array) -> Array:
    """The scaled cosine transform of type 2 along the last axis."""
    count = np.shape(x)[-1]
    affordable(count**2)
    places = np.arange(count)
    basis = 2 * np.cos(np.pi * np.outer(2 * places + 1, places) / (2 * count))
    return (basis / np.sqrt(2.0 * count)).astype(np.asarray(x).dtype)


def mel_weights(
    num_spectrogram_bins: Any,
    num_mel_bins: Any,
    sample_rate: Any,
    lower_edge_hertz: Any,
    upper_edge_hertz: Any,
    dtype: Any,
) -> Array:
    """Triangular filters on the mel scale, one a column; the bin of frequency 0 is in none of them."""
    bins, filters = whole_number(num_spectrogram_bins), whole_number(num_mel_bins)
    affordable(bins * filters)
    nyquist = float(np.asarray(sample_rate)) / 2
    places = _mel(np.linspace(0.0, nyquist, bins)[1:])[:, None]
    edges = np.linspace(_mel(float(lower_edge_hertz)), _mel(float(upper_edge_hertz)), filters + 2)
    lower, center, upper = edges[:-2], edges[1:-1], edges[2:]
    rising, falling = (places - lower) / (center - lower), (upper - places) / (upper - center)
    return np.pad(np.maximum(0.0, np.minimum(rising, falling)), ((1, 0), (0, 0))).astype(dtype_of(dtype))


def _mel(hertz: Any) -> Any:
    return 1127.0 * np.log1p(hertz / 700.0)
