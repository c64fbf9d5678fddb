"""Complex numbers, spectra and images."""

from __future__ import annotations

import math
from typing import Any

from tfnanlint.interval import INF, UNKNOWN, Interval
from tfnanlint.ops.row import (
    EQUAL,
    Attributes,
    Op,
    Spelling,
    always,
    bounded,
    gradient_at,
    never,
    row,
    same,
    same_attained,
    spelled,
    value_of,
)

COMPLEX, IMAGE = {"x": "complex"}, {"x": "image"}


def _resized(x: Interval, attrs: Attributes) -> Interval:
    """A mean of neighbours; the other methods go beyond what they are given."""
    return x if attrs.get("method", "bilinear") in ("bilinear", "nearest", "area") else UNKNOWN


def _image(name: str, *spellings: Spelling, **rest: Any) -> Op:
    return row(name, *spellings, takes=IMAGE, elementwise=False, **{"attained": never, **rest})


ROWS: tuple[Op, ...] = (
    row(
        "complex",
        spelled("tf.complex tf.dtypes.complex", "real imag name"),
        graph="Complex",
        operands="real imag",
        attained=never,
        same_dtype=False,
    ),
    row(
        "real",
        spelled("tf.math.real tf.real", "x:input name"),
        spelled("ops.real", "x"),
        spelled("tnp.real", "x:val"),
        graph="Real",
        takes=COMPLEX,
        same_dtype=False,
    ),
    row(
        "imag",
        spelled("tf.math.imag tf.imag", "x:input name"),
        spelled("ops.imag", "x"),
        spelled("tnp.imag", "x:val"),
        graph="Imag",
        takes=COMPLEX,
        same_dtype=False,
    ),
    row(
        "conj",
        spelled("tf.math.conj tf.conj", "x name"),
        spelled("ops.conj ops.conjugate tnp.conj tnp.conjugate", "x"),
        graph="Conj",
        takes=COMPLEX,
    ),
    row(
        "angle",
        spelled("tf.math.angle tf.angle", "x:input name"),
        spelled("ops.angle", "x"),
        graph="Angle",
        takes=COMPLEX,
        transfer=bounded(-math.pi, math.pi),
        breaks=(gradient_at("x", 0.0, untold="ranges are of real numbers, and do not tell a complex zero"),),
        same_dtype=False,
    ),
    row("fft", spelled("tf.signal.fft tf.fft", "x:input name"), graph="FFT", takes=COMPLEX, elementwise=False),
    row("ifft", spelled("tf.signal.ifft tf.ifft", "x:input name"), graph="IFFT", takes=COMPLEX, elementwise=False),
    row(
        "rfft",
        spelled("tf.signal.rfft tf.spectral.rfft", "x:input_tensor fft_length name"),
        graph="RFFT",
        attrs={"fft_length": None},
        elementwise=False,
        same_dtype=False,
    ),
    row(
        "irfft",
        spelled("tf.signal.irfft tf.spectral.irfft", "x:input_tensor fft_length name"),
        graph="IRFFT",
        takes=COMPLEX,
        attrs={"fft_length": None},
        elementwise=False,
        same_dtype=False,
    ),
    row(
        "irfft2d",
        spelled("tf.signal.irfft2d tf.spectral.irfft2d", "x:input_tensor fft_length name"),
        graph="IRFFT2D",
        takes=COMPLEX,
        attrs={"fft_length": None},
        elementwise=False,
        same_dtype=False,
    ),
    row(
        "stft",
        spelled("tf.signal.stft", "x:signals frame_length frame_step fft_length window_fn pad_end name"),
        attrs={"frame_length": None, "frame_step": None, "fft_length": None, "window_fn": None, "pad_end": False},
        elementwise=False,
        same_dtype=False,
    ),
    row(
        "mfccs", spelled("tf.signal.mfccs_from_log_mel_spectrograms", "x:log_mel_spectrograms name"), elementwise=False
    ),
    row(
        "psnr",
        spelled("tf.image.psnr", "x:a y:b max_val name"),
        operands="x y",
        takes={"x": "image", "y": "image"},
        attrs={"max_val": None},
        elementwise=False,
        attained=never,
        breaks=(value_of("x", EQUAL),),
    ),
    row(
        "ssim",
        spelled("tf.image.ssim", "x:img1 y:img2 max_val filter_size filter_sigma k1 k2 | return_index_map"),
        operands="x y",
        takes={"x": "image", "y": "image"},
        attrs={
            "max_val": None,
            "filter_size": 11,
            "filter_sigma": 1.5,
            "k1": 0.01,
            "k2": 0.03,
            "return_index_map": False,
        },
        elementwise=False,
        attained=never,
    ),
    row(
        "total_variation",
        spelled("tf.image.total_variation", "x:images name"),
        takes=IMAGE,
        transfer=bounded(0.0, INF),
        attained=always(0.0, 0.0),
        elementwise=False,
        reason="a total variation, 0 for an even image",
    ),
    _image("per_image_standardization", spelled("tf.image.per_image_standardization", "x:image")),
    _image(
        "resize",
        spelled("tf.image.resize", "x:images size | method preserve_aspect_ratio antialias name"),
        graph="ResizeBilinear ResizeNearestNeighbor ResizeArea",
        attrs={"size": None, "method": "bilinear", "preserve_aspect_ratio": False, "antialias": False},
        transfer=_resized,
    ),
    _image("rgb_to_hsv", spelled("tf.image.rgb_to_hsv", "x:images name"), graph="RGBToHSV"),
    _image("hsv_to_rgb", spelled("tf.image.hsv_to_rgb", "x:images name"), graph="HSVToRGB", blocked=("*",)),
    _image("rgb_to_grayscale", spelled("tf.image.rgb_to_grayscale", "x:images name")),
    _image(
        "sobel_edges",
        spelled("tf.image.sobel_edges", "x:image"),
        transfer=bounded(-INF, INF),
        attained=always(0.0, 0.0),
        reason="edges, 0 in an even image",
    ),
    _image("adjust_gamma", spelled("tf.image.adjust_gamma", "x:image gamma gain"), attrs={"gamma": 1, "gain": 1}),
    _image("flip_left_right", spelled("tf.image.flip_left_right", "x:image"), transfer=same, attained=same_attained),
)
