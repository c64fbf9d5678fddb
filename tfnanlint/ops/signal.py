"""Complex numbers, spectra and images."""

from __future__ import annotations

import math
from typing import Any

from tfnanlint.interval import INF, UNKNOWN, Interval
from tfnanlint.ops.numeric import Kernels, Tape, composed, moving, np
from tfnanlint.ops.numeric import value_of as array_of
from tfnanlint.ops.row import (
    EQUAL,
    OPPOSED,
    Attributes,
    Op,
    Spelling,
    bounded,
    gradient_at,
    gradient_of,
    row,
    same,
    spelled,
    value_of,
)

kernels, images = Kernels("signal"), Kernels("images")

COMPLEX, IMAGE = {"x": "complex"}, {"x": "image"}


def _resized(x: Interval, attrs: Attributes) -> Interval:
    """A mean of neighbours; the other methods go beyond what they are given."""
    return x if attrs.get("method", "bilinear") in ("bilinear", "nearest", "area") else UNKNOWN


def _framed(x: Interval, attrs: Attributes) -> Interval:
    """The same numbers, and perhaps the one that fills the last window."""
    if attrs.get("pad_end") is False:
        return x
    value = attrs.get("pad_value", 0)
    return x.hull(Interval.point(float(value))) if isinstance(value, (int, float)) else UNKNOWN


def _image(name: str, *spellings: Spelling, **rest: Any) -> Op:
    return row(name, *spellings, takes=IMAGE, elementwise=False, **rest)


PIXELS = (-3, -2, -1)
SIMILARITY = {
    "max_val": None,
    "filter_size": 11,
    "filter_sigma": 1.5,
    "k1": 0.01,
    "k2": 0.03,
    "return_index_map": False,
}
"""The parameters of structural similarity, with TensorFlow's defaults."""
PEAK = 1.0
"""The largest value of an image where it is not known: a trace does not tell it."""


def _psnr_steps(t: Tape, x: Any, y: Any, max_val: Any) -> Any:
    error = t.reduce_mean(t.squared_difference(x, y), axis=PIXELS)
    return t.subtract(20 * math.log10(max_val or PEAK), t.multiply(t.log(error), 10 / math.log(10)))


def _similarity(
    t: Tape, x: Any, y: Any, max_val: Any, filter_size: Any, filter_sigma: Any, k1: Any, k2: Any
) -> tuple[Any, Any]:
    """The similarity of two images at each place, and its factor that compares their contrast and structure.

    TensorFlow refuses an image that is smaller than the filter. A trial has small ones: there the filter shrinks.
    """
    like = array_of(x)
    weights = images.gaussian(min(filter_size, *like.shape[-3:-1]), filter_sigma, like.shape[-1], like.dtype)
    peak = max_val or PEAK
    steadied, textured = (k1 * peak) ** 2, (k2 * peak) ** 2

    def smoothed(image: Any) -> Any:
        shape = np.shape(array_of(image))
        found = t.depthwise_convolution(t.reshape(image, shape=(-1, *shape[-3:])), weights, strides=1, padding="VALID")
        return t.reshape(found, shape=(*shape[:-3], *np.shape(array_of(found))[1:]))

    first, second = smoothed(x), smoothed(y)
    product, squares = t.multiply(t.multiply(first, second), 2.0), t.add(t.square(first), t.square(second))
    luminance = t.divide(t.add(product, steadied), t.add(squares, steadied))
    joint = t.multiply(smoothed(t.multiply(x, y)), 2.0)
    own = smoothed(t.add(t.square(x), t.square(y)))
    structure = t.divide(t.add(t.subtract(joint, product), textured), t.add(t.subtract(own, squares), textured))
    return t.multiply(luminance, structure), structure


def _ssim_steps(t: Tape, x: Any, y: Any, *, return_index_map: Any, **attrs: Any) -> Any:
    found, _ = _similarity(t, x, y, **attrs)
    return t.reduce_mean(found if return_index_map else t.reduce_mean(found, axis=(-3, -2)), axis=-1)


SCALES = (0.0448, 0.2856, 0.3001, 0.2363, 0.1333)
"""The exponents of multiscale SSIM in TensorFlow, for images that are halved each time."""


def _ssim_multiscale_steps(
    t: Tape, x: Any, y: Any, *, power_factors: Any, return_index_map: Any = False, **attrs: Any
) -> Any:
    """At each scale but the last only the contrast and the structure count. An image of one pixel is not halved."""
    factors = tuple(power_factors or SCALES)
    found: Any = None
    for scale, factor in enumerate(factors):
        if scale:
            x, y = _halved(t, x), _halved(t, y)
        similar, structure = _similarity(t, x, y, **attrs)
        mean = t.reduce_mean(similar if scale == len(factors) - 1 else structure, axis=(-3, -2))
        power = t.pow(t.relu(mean), factor)
        found = power if found is None else t.multiply(found, power)
    return t.reduce_mean(found, axis=-1)


def _halved(t: Tape, image: Any) -> Any:
    shape = np.shape(array_of(image))
    if 1 in shape[-3:-1]:
        return image
    odd = ((0, 0), *((0, size % 2) for size in shape[-3:-1]), (0, 0))
    padded = t.pad(t.reshape(image, shape=(-1, *shape[-3:])), paddings=odd, mode="SYMMETRIC")
    found = t.average_pool(padded, ksize=2, strides=2, padding="VALID")
    return t.reshape(found, shape=(*shape[:-3], *np.shape(array_of(found))[1:]))


def _total_variation_steps(t: Tape, x: Any) -> Any:
    def variation(axis: int) -> Any:
        length = np.shape(array_of(x))[axis]
        pair = (t.gather(x, np.arange(first, length - 1 + first), axis=axis) for first in (1, 0))
        return t.reduce_sum(t.abs(t.subtract(*pair)), axis=PIXELS)

    return t.add(variation(-3), variation(-2))


def _standardization_steps(t: Tape, x: Any) -> Any:
    """An even image is divided by a number that its size says."""
    image = t.cast(x, dtype="float32")
    count = math.prod(np.shape(array_of(x))[-3:])
    spread = t.maximum(t.reduce_std(image, axis=PIXELS, keepdims=True), np.float32(1 / math.sqrt(max(count, 1))))
    return t.divide(t.subtract(image, t.reduce_mean(image, axis=PIXELS, keepdims=True)), spread)


def _sobel_steps(t: Tape, x: Any) -> Any:
    like = array_of(x)
    padded = t.pad(x, paddings=((0, 0), (1, 1), (1, 1), (0, 0)), mode="REFLECT")
    edges = t.depthwise_convolution(padded, images.sobel(like.shape[-1], like.dtype), strides=1, padding="VALID")
    return t.reshape(edges, shape=(*like.shape, 2))


def _of_complex(name: str, names: str, function: str) -> Op:
    """A transform of complex numbers that gives as many, by its function in `numpy.fft`."""
    return row(
        name,
        spelled(names, "x:input name"),
        graph=name.upper(),
        takes=COMPLEX,
        elementwise=False,
        run=lambda x: getattr(np.fft, function)(x),
        pull=getattr(kernels, f"pull_{name}"),
    )


ROWS: tuple[Op, ...] = (
    row(
        "complex",
        spelled("tf.complex tf.dtypes.complex", "real imag name"),
        graph="Complex",
        operands="real imag",
        same_dtype=False,
        **kernels.both("complex_of"),
    ),
    row(
        "real",
        spelled("tf.math.real tf.real", "x:input name"),
        spelled("ops.real", "x"),
        spelled("tnp.real", "x:val"),
        graph="Real",
        takes=COMPLEX,
        same_dtype=False,
        run=lambda x: np.real(x),
        pull=kernels.pull_real,
    ),
    row(
        "imag",
        spelled("tf.math.imag tf.imag", "x:input name"),
        spelled("ops.imag", "x"),
        spelled("tnp.imag", "x:val"),
        graph="Imag",
        takes=COMPLEX,
        same_dtype=False,
        run=lambda x: np.imag(x),
        pull=kernels.pull_imag,
    ),
    row(
        "conj",
        spelled("tf.math.conj tf.conj", "x name"),
        spelled("ops.conj ops.conjugate tnp.conj tnp.conjugate", "x"),
        graph="Conj",
        takes=COMPLEX,
        run=lambda x: np.conj(x),
        pull=lambda g, y, x: np.conj(g),
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
        **kernels.both("angle"),
    ),
    _of_complex("fft", "tf.signal.fft tf.fft", "fft"),
    _of_complex("ifft", "tf.signal.ifft tf.ifft", "ifft"),
    _of_complex("fft2d", "tf.signal.fft2d tf.fft2d tf.spectral.fft2d", "fft2"),
    _of_complex("ifft2d", "tf.signal.ifft2d tf.ifft2d tf.spectral.ifft2d", "ifft2"),
    row(
        "rfft2d",
        spelled("tf.signal.rfft2d tf.spectral.rfft2d", "x:input_tensor fft_length name"),
        graph="RFFT2D",
        attrs={"fft_length": None},
        elementwise=False,
        same_dtype=False,
        **kernels.both("rfft2d"),
    ),
    row(
        "rfft",
        spelled("tf.signal.rfft tf.spectral.rfft", "x:input_tensor fft_length name"),
        graph="RFFT",
        attrs={"fft_length": None},
        elementwise=False,
        same_dtype=False,
        **kernels.both("rfft"),
    ),
    row(
        "irfft",
        spelled("tf.signal.irfft tf.spectral.irfft", "x:input_tensor fft_length name"),
        graph="IRFFT",
        takes=COMPLEX,
        attrs={"fft_length": None},
        elementwise=False,
        same_dtype=False,
        **kernels.both("irfft"),
    ),
    row(
        "irfft2d",
        spelled("tf.signal.irfft2d tf.spectral.irfft2d", "x:input_tensor fft_length name"),
        graph="IRFFT2D",
        takes=COMPLEX,
        attrs={"fft_length": None},
        elementwise=False,
        same_dtype=False,
        **kernels.both("irfft2d"),
    ),
    row(
        "stft",
        spelled("tf.signal.stft", "x:signals frame_length frame_step fft_length window_fn pad_end name"),
        attrs={"frame_length": None, "frame_step": None, "fft_length": None, "window_fn": None, "pad_end": False},
        elementwise=False,
        same_dtype=False,
        **kernels.both("stft"),
    ),
    row(
        "frame",
        spelled("tf.signal.frame", "x:signal frame_length frame_step pad_end pad_value axis name"),
        attrs={"frame_length": None, "frame_step": None, "pad_end": False, "pad_value": 0, "axis": -1},
        transfer=_framed,
        elementwise=False,
        **kernels.both("frame"),
    ),
    row(
        "mfccs",
        spelled("tf.signal.mfccs_from_log_mel_spectrograms", "x:log_mel_spectrograms name"),
        elementwise=False,
        **kernels.both("mfccs"),
    ),
    row(
        "psnr",
        spelled("tf.image.psnr", "x:a y:b max_val name"),
        operands="x y",
        takes={"x": "image", "y": "image"},
        attrs={"max_val": None},
        elementwise=False,
        breaks=(value_of("x", EQUAL),),
        **composed(_psnr_steps),
    ),
    row(
        "ssim",
        spelled("tf.image.ssim", "x:img1 y:img2 max_val filter_size filter_sigma k1 k2 | return_index_map"),
        operands="x y",
        takes={"x": "image", "y": "image"},
        attrs=SIMILARITY,
        elementwise=False,
        **composed(_ssim_steps),
    ),
    row(
        "ssim_multiscale",
        spelled(
            "tf.image.ssim_multiscale",
            "x:img1 y:img2 max_val power_factors filter_size filter_sigma k1 k2 | return_index_map",
        ),
        operands="x y",
        takes={"x": "image", "y": "image"},
        attrs={**SIMILARITY, "power_factors": None},
        elementwise=False,
        breaks=(gradient_of("x", OPPOSED),),
        **composed(_ssim_multiscale_steps),
    ),
    row(
        "linear_to_mel_weight_matrix",
        spelled(
            "tf.signal.linear_to_mel_weight_matrix",
            "num_mel_bins num_spectrogram_bins sample_rate lower_edge_hertz upper_edge_hertz dtype name",
        ),
        operands="num_spectrogram_bins",
        takes={"num_spectrogram_bins": "size"},
        attrs={
            "num_mel_bins": 20,
            "sample_rate": 8000,
            "lower_edge_hertz": 125.0,
            "upper_edge_hertz": 3800.0,
            "dtype": None,
        },
        transfer=bounded(0.0, 1.0),
        blocked=("*",),
        elementwise=False,
        same_dtype=False,
        reason="a matrix of triangular filters",
        run=kernels.mel_weights,
    ),
    row(
        "total_variation",
        spelled("tf.image.total_variation", "x:images name"),
        takes=IMAGE,
        transfer=bounded(0.0, INF),
        elementwise=False,
        reason="a total variation, 0 for a constant image",
        **composed(_total_variation_steps),
    ),
    _image(
        "per_image_standardization",
        spelled("tf.image.per_image_standardization", "x:image"),
        **composed(_standardization_steps),
    ),
    _image(
        "resize",
        spelled("tf.image.resize", "x:images size | method preserve_aspect_ratio antialias name"),
        graph="ResizeBilinear ResizeNearestNeighbor ResizeArea",
        attrs={"size": None, "method": "bilinear", "preserve_aspect_ratio": False, "antialias": False},
        transfer=_resized,
        **images.both("resize"),
    ),
    _image(
        "rgb_to_hsv",
        spelled("tf.image.rgb_to_hsv", "x:images name"),
        graph="RGBToHSV",
        **images.both("rgb_to_hsv"),
    ),
    _image(
        "hsv_to_rgb",
        spelled("tf.image.hsv_to_rgb", "x:images name"),
        graph="HSVToRGB",
        blocked=("*",),
        run=images.hsv_to_rgb,
    ),
    _image(
        "rgb_to_grayscale",
        spelled("tf.image.rgb_to_grayscale", "x:images name"),
        **images.both("rgb_to_grayscale"),
    ),
    _image(
        "sobel_edges",
        spelled("tf.image.sobel_edges", "x:image"),
        transfer=bounded(-INF, INF),
        reason="edges, 0 in a constant image",
        **composed(_sobel_steps),
    ),
    _image(
        "adjust_gamma",
        spelled("tf.image.adjust_gamma", "x:image gamma gain"),
        attrs={"gamma": 1, "gain": 1},
        **composed(lambda t, x, gamma, gain: t.multiply(t.pow(x, gamma), gain)),
    ),
    _image(
        "flip_left_right",
        spelled("tf.image.flip_left_right", "x:image"),
        transfer=same,
        **moving(lambda x: np.flip(x, -2)),
    ),
)
