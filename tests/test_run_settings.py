"""An op's `run` and `pull` follow TensorFlow at every setting of its parameters and at its singular points.

`test_runs.py` draws operands for every row at one setting; here stand the settings, shapes and values that decide
which formula a kernel takes: axes, empty and constant lines, ties, zeros, paddings, formats, batch dimensions.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import tensorflow as tf
from op_samples import functions, main_spelling, parameters

from tfnanlint.ops import OPS, SPELLINGS, Spelling
from tfnanlint.ops.numeric import compiled, pulled

INF, NAN = np.inf, np.nan
RNG = np.random.default_rng(0)


def drawn(*shape: int) -> np.ndarray:
    return RNG.normal(size=shape).astype("float32")


def of(*rows: Any) -> np.ndarray:
    return np.array(rows, "float32")


BLOCK = drawn(2, 3, 4)
ZEROS, TIES = of([0, 0, 0], [0, 0, 0]), of([1, 1, 0], [0, 0, 0])
FACTORS = of([2, 0, 3], [0, 0, 5])
NOTHING = np.zeros((2, 0), "float32")
WILD = of([INF, 1], [-INF, -INF], [NAN, 1])
LOGITS = of([1000, 0, -1000, -INF], [0, 0, 0, 0], [-INF] * 4, [88, -88, 1e-30, 3])
POSITIVE = np.array([a @ a.T + 2 * np.eye(3) for a in RNG.normal(size=(2, 3, 3))], "float32")
SINGULAR = of([1, 2, 3], [2, 4, 6], [1, 0, 1])
IMAGE = RNG.uniform(size=(2, 7, 6, 4)).astype("float32")
COLOURS = RNG.integers(0, 3, (60, 3)).astype("float32")
SPECTRUM = (drawn(3, 6) + 1j * drawn(3, 6)).astype("complex64")

Case = tuple[str, list[Any], dict[str, Any]]
CASES: list[Case] = []


def add(name: str, operands: list[Any], *settings: dict[str, Any]) -> None:
    """Cases of an op by name, or by one of its spellings."""
    CASES.extend((name, operands, one) for one in settings or ({},))


AXES: list[dict[str, Any]] = [{"axis": a, "keepdims": k} for a in (None, 0, -1, (0, 2), [1]) for k in (False, True)]
for reduction in ("sum", "mean", "max", "min", "prod", "std", "variance", "logsumexp", "euclidean_norm"):
    add(f"reduce_{reduction}", [BLOCK], *AXES)
    for value in (ZEROS, TIES, FACTORS, NOTHING, WILD):
        add(f"reduce_{reduction}", [value], {"axis": -1})
add("norm", [BLOCK], *(one for one in AXES if one["axis"] != [1]))
for order in (1, 2, 3, 1.5, INF):
    for value in (BLOCK, TIES):
        add("norm", [value], {"ord": order, "axis": -1}, {"ord": order})
add("norm", [BLOCK], *({"ord": order, "axis": (-2, -1)} for order in (1, INF, "fro")))
for running in ("cumsum", "cumprod", "cumulative_logsumexp"):
    for value in (BLOCK, FACTORS):
        for axis in (0, -1):
            add(
                running,
                [value],
                *({"axis": axis, "exclusive": e, "reverse": r} for e in (False, True) for r in (False, True)),
            )

add("clip", [of([NAN, INF, 0, 1], [-INF, 0.5, 3, 4]), np.float32(0), np.float32(1)])
add("clip", [drawn(3, 4), np.float32(0.5), np.float32(-0.5)])
add("where", [drawn(3, 4) > 0, of([NAN], [INF], [1]), drawn(3, 4)])
add("cast", [of(1e6, -1e6, 3)], *({"dtype": d} for d in ("float16", "float64", "int32", "bool", "complex64")))
add("saturate_cast", [of(1e16, -1e16, 3, INF)], *({"dtype": d} for d in ("float16", "int32", "uint8", "float64")))
add("one_hot", [np.array([[0, 1], [5, -1]]), 4], {"axis": 0}, {"on_value": 0.9, "off_value": 0.1}, {"dtype": "int32"})
add("sequence_mask", [np.array([0, 3, 2])], {}, {"maxlen": 5, "dtype": "float32"})
add("range", [5])
add("range", [2, 5])
add("range", [2.0, 5.0, 0.5])
add("linear_to_mel_weight_matrix", [5], {"num_mel_bins": 3}, {"sample_rate": 16000, "upper_edge_hertz": 7000.0})
add("linspace", [np.float32(-1), np.float32(3)], {"num": 5}, {"num": 1})
add("linspace", [drawn(3, 4), drawn(3, 4)], {"num": 4, "axis": -1}, {"num": 4, "axis": 0})
add("concat", [drawn(3, 4), drawn(3, 2)], {"axis": 1}, {"axis": -1})
add("stack", [drawn(3, 4), drawn(3, 4)], {"axis": -1}, {"axis": 1})

add("reshape", [BLOCK], {"shape": [4, -1]}, {"shape": [-1]})
add("transpose", [BLOCK], {"perm": [2, 0, 1]}, {})
add("transpose", [SPECTRUM], {"conjugate": True})
add("squeeze", [drawn(1, 3, 1, 2)], {}, {"axis": 0}, {"axis": [0, 2]})
add("tile", [BLOCK], {"multiples": [2, 1, 3]})
add("ops.tile", [BLOCK], {"multiples": (2, 1, 1, 3)})
add("repeat", [BLOCK], {"repeats": 2}, {"repeats": 2, "axis": 1}, {"repeats": [1, 0, 3], "axis": 1})
add("broadcast_to", [drawn(3, 1)], {"shape": [2, 3, 4]})
add("roll", [BLOCK], {"shift": 1, "axis": 0}, {"shift": [1, -2], "axis": [0, 2]})
add("ops.roll", [BLOCK], {"shift": 2})
add("sort", [BLOCK], {"axis": 1, "direction": "DESCENDING"}, {"axis": 0})
add("gather", [BLOCK, np.array([[0, 1], [1, 1]])], {"axis": 1}, {"axis": -1}, {"axis": 2, "batch_dims": 1})
add("gather", [BLOCK, np.array([[0, 1], [1, 1]])], {"batch_dims": 1}, {"batch_dims": -1})
add("gather_nd", [BLOCK, np.array([[[0, 1]], [[1, 2]]])], {"batch_dims": 1}, {})
add("take_along_axis", [BLOCK, np.ones((2, 1, 3), "int32")], {"axis": -1})
add("boolean_mask", [BLOCK, np.array([True, False, True])], {"axis": 1})
add("slice", [BLOCK, [0, 1, 2], [-1, 2, 1]])
add("split", [BLOCK], *({"num_or_size_splits": n, "axis": -1} for n in (2, [1, 3], [1, -1])))
add("pad", [BLOCK], *({"paddings": [[1, 0], [1, 1], [2, 0]], "mode": m} for m in ("CONSTANT", "REFLECT", "SYMMETRIC")))
add("pad", [ZEROS], {"paddings": [[0, 0], [1, 0]], "constant_values": -INF})
add("scatter_nd", [np.array([[0], [2], [0]]), drawn(3, 4), [3, 4]])
add("scatter_nd_update", [drawn(3, 4), np.array([[0], [2]]), drawn(2, 4)])
ROWS = of([0, 1, 2], [0, 0, 2], [3, 1, -1], [3, 5, 0], [1, 2, 3])
for kind in ("sum", "mean", "max", "min", "prod"):
    add(f"segment_{kind}", [ROWS, np.array([0, 0, 2, 2, 4])])
    add(f"unsorted_segment_{kind}", [ROWS, np.array([3, 0, 0, 3, -1])], {"num_segments": 5})
for kind in ("sum", "mean", "sqrt_n"):
    add(f"sparse_segment_{kind}", [ROWS, np.array([4, 0, 1, 1, 2]), np.array([0, 0, 2, 2, 4])], {}, {"num_segments": 7})

add("matmul", [drawn(2, 3, 4), drawn(4, 5)])
add("matmul", [drawn(5, 4, 3), drawn(1, 2, 3)], {"transpose_b": True})
add("ops.matmul", [drawn(3), drawn(3, 2)])
add("ops.matmul", [drawn(2, 3, 4), drawn(4)])
add("matvec", [drawn(4, 3), drawn(2, 4)], {"transpose_a": True})
add("tensordot", [drawn(2, 3, 4), drawn(3, 4, 2)], {"axes": [[1, 0], [0, 2]]}, {"axes": [1, 0]})
add("batch_dot", [drawn(2, 3), drawn(2, 3)], {"axes": 1})
add("batch_dot", [drawn(2, 3, 4), drawn(2, 5, 4)], {"axes": 2})
for function in ("det", "slogdet", "logdet", "inverse", "cholesky", "eigvalsh", "expm", "sqrtm", "pinv"):
    add(function, [POSITIVE])
add("eigvalsh", [np.zeros((3, 3), "float32")])
add("pinv", [drawn(2, 4, 3)])
add("pinv", [drawn(3, 5)])
add("svd", [drawn(2, 3, 5)], {"compute_uv": False})
add("qr", [drawn(3, 5)])
add("qr", [drawn(4, 3)])
add("solve", [POSITIVE, drawn(2, 3, 2)], {"adjoint": True})
add("lstsq", [drawn(3, 5), drawn(3, 2)], {"l2_regularizer": 0.5})
add(
    "triangular_solve",
    [POSITIVE, drawn(2, 3, 2)],
    *({"lower": lo, "adjoint": ad} for lo in (False, True) for ad in (False, True)),
)
add("band_part", [BLOCK], {"num_lower": -1, "num_upper": 0}, {"num_lower": 0, "num_upper": 1})
add("matrix_diag", [drawn(2, 3)], {"k": 1}, {"k": -1}, {"padding_value": 7.0})
add("diag_part", [BLOCK], {"k": 1})
add("set_diag", [BLOCK, drawn(2, 3)])
add("ops.trace", [BLOCK], {"offset": 1, "axis1": 1, "axis2": 2})

for value in (BLOCK, ZEROS, TIES):
    add("l2_normalize", [value], {}, {"axis": -1, "epsilon": 1e-3})
    add("normalize", [value], {}, {"order": 1, "axis": 0})
    add("norm_and_normalized", [value], {"axis": -1}, {"ord": 1})
    add("moments", [value], {"axes": [0]}, {"axes": [0, 1], "keepdims": True})
    add("clip_by_norm", [value, 1.0])
    add("clip_by_norm", [value, 0.1], {"axes": [-1]})
    add("global_norm", [value, drawn(3)])
    add("clip_by_global_norm", [value, drawn(3)], {"clip_norm": 1.0})
    add("sparsemax", [value])
    add("top_k", [value], {"k": 2})
add("softmax", [LOGITS], {}, {"axis": 0})
add("log_softmax", [LOGITS], {}, {"axis": 0})
add("softmax_cross_entropy_with_logits", [np.eye(4, dtype="float32"), LOGITS], {}, {"axis": 0})
add("sparse_softmax_cross_entropy_with_logits", [np.array([0, 1, 2, 3]), LOGITS])
add("local_response_normalization", [IMAGE], {"depth_radius": 2, "bias": 0.5, "alpha": 0.3, "beta": 0.75})
PHRASES, FRAMES = np.array([[1, 2, 2], [3, 1, 0]]), drawn(6, 2, 5)
for scale in (0, 1, 100):
    lengths = {"label_length": np.array([3, 2]), "logit_length": np.array([6, 5])}
    add("ctc_loss", [PHRASES, scale * FRAMES], lengths, {**lengths, "blank_index": -1})

for padding in ("SAME", "VALID"):
    for step in (1, 2):
        steps = {"strides": step, "padding": padding}
        add("convolution", [IMAGE, drawn(3, 2, 4, 5)], steps)
        add("depthwise_convolution", [IMAGE, drawn(3, 2, 4, 2)], {**steps, "strides": [1, step, step, 1]})
        add("max_pool", [IMAGE], {**steps, "ksize": 3})
        add("average_pool", [IMAGE], {**steps, "ksize": 3})
    add("max_pool", [0 * IMAGE], {"ksize": 2, "strides": 2, "padding": padding})
    gaps = {"strides": [1, 1, 1, 1], "padding": padding, "dilations": [2, 2]}
    add("depthwise_convolution", [IMAGE, drawn(2, 2, 4, 3)], gaps)
add("convolution", [IMAGE, drawn(3, 2, 4, 5)], {"strides": 1, "padding": [[0, 0], [1, 2], [0, 1], [0, 0]]})

add("angle", [of(1, -1, 0, -0.0)])
add("angle", [SPECTRUM * (np.arange(6) > 0)])
for length in (None, [9]):
    add("rfft", [drawn(2, 6)], {"fft_length": length})
add("irfft", [SPECTRUM], {})
for length in (None, [4, 9]):
    add("rfft2d", [drawn(2, 3, 6)], {"fft_length": length})
for name in ("fft2d", "ifft2d"):
    add(name, [np.stack([SPECTRUM, 2 * SPECTRUM])])
add("irfft2d", [SPECTRUM[None]], {})
add("stft", [drawn(2, 11)], {"frame_length": 4, "frame_step": 3, "pad_end": True})
add("stft", [drawn(2, 11)], {"frame_length": 5, "frame_step": 3, "fft_length": 8})
for settings in ({"pad_end": True}, {"pad_end": True, "pad_value": 3.0}, {"axis": 0}, {"axis": -2, "frame_step": 2}):
    add("frame", [drawn(5, 7)], {"frame_length": 3, "frame_step": 2, **settings})
add("frame", [drawn(2, 11)], {"frame_length": 4, "frame_step": 3})
add("rgb_to_hsv", [COLOURS])
add("per_image_standardization", [0 * IMAGE])
add("total_variation", [IMAGE[0]])
add("resize", [IMAGE], *({"size": [5, 9], "method": method} for method in ("bilinear", "nearest")))
add("resize", [IMAGE], {"size": [3, 12], "antialias": True})

LINE = np.linspace(-4, 4, 65).astype("float32")
LABELS, SHARES = np.eye(3, dtype="float32")[[0, 2, 1]], np.abs(drawn(3, 3)) + 0.1
CLASSES = np.array([0, 2, 1], "int64")

add(
    "keras.activations.relu",
    [LINE],
    {"max_value": 2.0},
    {"max_value": 6.0},
    {"alpha": 0.125},
    {"threshold": 0.5},
    {"alpha": 0.125, "max_value": 2.0, "threshold": 0.5},
)
add("leaky_relu", [LINE], {"alpha": 0.25})
add("ops.elu", [LINE], {"alpha": 0.5})
add("celu", [LINE], {"alpha": 0.5})
add("gelu", [LINE], {"approximate": True})
add("silu", [LINE], {"beta": 1.5})
add("soft_shrink", [LINE], {"threshold": 1.0})
add("hard_shrink", [LINE], {"threshold": 1.0})
add("squareplus", [LINE], {"b": 0.5})
add("ops.round", [LINE], {"decimals": 1})
add("nan_to_num", [of(NAN, INF, -INF, 1)], {}, {"nan": 7.0, "posinf": 8.0, "neginf": -8.0})
add("binary_crossentropy", [LABELS, SHARES], {"from_logits": True}, {"label_smoothing": 0.1}, {"axis": 0})
add("categorical_crossentropy", [LABELS, SHARES], {"from_logits": True}, {"label_smoothing": 0.1}, {"axis": 0})
add("sparse_categorical_crossentropy", [CLASSES, SHARES], {"from_logits": True}, {"ignore_class": 1})
add("sparse_categorical_crossentropy", [CLASSES[:, None], SHARES], {})
add("backend_binary_crossentropy", [LABELS, SHARES], {"from_logits": True})
add("backend_categorical_crossentropy", [LABELS, SHARES], {"from_logits": True}, {"axis": 0})
add("backend_sparse_categorical_crossentropy", [CLASSES, SHARES], {"from_logits": True})
add("mean_squared_error", [LABELS[..., None], SHARES], {})
add("mean_absolute_error", [LABELS[:, 0], SHARES[:, :1]], {})
add("mean_absolute_error", [LABELS, SHARES[..., None]], {})
add("hinge", [LABELS, SHARES], {})
add("squared_hinge", [2 * LABELS - 1, SHARES], {})
add("huber", [LABELS, SHARES], {"delta": 0.2})
add("cosine_similarity", [LABELS, SHARES], {"axis": 0})
add("v1_huber_loss", [LABELS, SHARES], {"delta": 0.25})
add("v1_log_loss", [LABELS, SHARES / 2], {"epsilon": 1e-3})
add("v1_sigmoid_cross_entropy", [LABELS, SHARES], {"label_smoothing": 0.1})
add("v1_softmax_cross_entropy", [LABELS, SHARES], {"label_smoothing": 0.1})
add("v1_sparse_softmax_cross_entropy", [CLASSES, SHARES, of(0.5, 0.0, 2.0)], {})
add("v1_mean_squared_error", [LABELS, SHARES, np.array(0.0, "float32")], {})
add("v1_mean_squared_error", [LABELS, SHARES, of([0.5], [0.0], [2.0])], {})
REDUCTIONS = "none weighted_sum weighted_mean weighted_sum_over_batch_size".split()
add("v1_absolute_difference", [LABELS, SHARES, of([0.5], [0.0], [2.0])], *({"reduction": word} for word in REDUCTIONS))


def spelling_of(name: str) -> tuple[Any, Spelling, str]:
    """(the row, a spelling, its name) of an op or of a spelling."""
    if name in SPELLINGS:
        return *SPELLINGS[name], name
    return OPS[name], *main_spelling(OPS[name])


def called(name: str, operands: list[Any], settings: dict[str, Any]) -> Any:
    """What the function gives for operands and parameters by their canonical names."""
    op, spelling, spelled = spelling_of(name)
    function = functions(spelled)[0]
    taken = {one.name for one in parameters(function)}
    pairs = [*((canonical, word) for word, canonical in spelling.keywords.items()), *spelling.parameters]
    words = {canonical: word for canonical, word in pairs if word in taken}
    several = op.operands[0].startswith("*")
    given = {op.operands[0]: operands} if several else dict(zip(op.operands, operands, strict=False))
    return function(**{words[key]: value for key, value in {**given, **settings}.items()})


@pytest.mark.parametrize(
    ("name", "operands", "settings"),
    [pytest.param(*case, id=f"{case[0]}-{place}") for place, case in enumerate(CASES)],
)
def test_a_setting_changes_what_it_does_in_tensorflow(name: str, operands: list[Any], settings: dict[str, Any]) -> None:
    op, spelling, _ = spelling_of(name)
    attrs = {**op.attrs, **spelling.defaults, **settings}
    tensors = [tf.constant(v) if isinstance(v, np.ndarray) else v for v in operands]
    watched = [t for t in tensors if isinstance(t, tf.Tensor) and t.dtype.is_floating | t.dtype.is_complex]
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(watched)
        wanted = called(name, tensors, settings)
    results = [tf.convert_to_tensor(one) for one in tf.nest.flatten(wanted) if one is not None]
    with np.errstate(all="ignore"):
        found = op.run(*operands, **attrs)
    got = tf.nest.flatten(found)
    assert len(got) == len(results)
    for one, want in zip(got, results, strict=True):
        agree(one, want.numpy())
    real = [r for r in results if r.dtype.is_floating or r.dtype.is_complex]
    if op.pull is None or not real or not watched:
        return
    weights = [RNG.uniform(0.5, 2.0, r.shape).astype(r.dtype.as_numpy_dtype) for r in real]
    handed_in = iter(weights)
    grads = [next(handed_in) if any(r is one for one in real) else None for r in results]
    with np.errstate(all="ignore"):
        handed = pulled(op, tf.nest.pack_sequence_as(found, grads), found, operands, attrs)
    for place, tensor in enumerate(tensors):
        if not any(tensor is one for one in watched) or op.blocks(place):
            continue
        want = tape.gradient(real, tensor, output_gradients=[tf.constant(w) for w in weights])
        if want is None:
            assert handed[place] is None or not np.any(handed[place])
        else:
            agree(handed[place], tf.convert_to_tensor(want).numpy())


def agree(got: Any, want: np.ndarray) -> None:
    """One shape and type, one value up to rounding, NaN and infinities at the same places."""
    assert np.shape(got) == want.shape
    assert np.asarray(got).dtype.kind == want.dtype.kind
    largest = float(np.max(np.abs(want), initial=1.0, where=np.isfinite(want)))
    np.testing.assert_allclose(got, want, rtol=2e-4, atol=2e-5 * largest)


@pytest.mark.parametrize(
    ("name", "operands", "settings"),
    [
        ("zeros", [(1 << 20, 1 << 20)], {}),
        ("range", [1e12], {}),
        ("tile", [BLOCK], {"multiples": [1 << 30, 1, 1]}),
        ("reduce_sum", [BLOCK], {"axis": 3}),
        ("reshape", [BLOCK], {"shape": "unknown"}),
        ("matmul", [drawn(2, 3), drawn(4, 5)], {}),
        ("tensordot", [drawn(2, 1), drawn(3, 2)], {"axes": 1}),
        ("gather", [drawn(2, 3), np.array([["a"]])], {}),
        ("boolean_mask", [drawn(2, 3), np.array([True, False, True])], {}),
        ("convolution", [IMAGE, drawn(3, 3, 3, 2)], {"strides": 1, "padding": "SAME"}),
        ("cast", [BLOCK], {"dtype": "(nothing"}),
    ],
)
def test_what_cannot_be_computed_is_a_value_error(name: str, operands: list[Any], settings: dict[str, Any]) -> None:
    op = OPS[name]
    with pytest.raises(ValueError):  # noqa: PT011 - whatever NumPy says of it
        op.run(*operands, **{**op.attrs, **settings})


def test_a_compiled_cross_entropy_takes_no_label_of_0_times_an_infinite_logarithm() -> None:
    labels, logits = of([1, 0]), of([0, -INF])
    op = OPS["softmax_cross_entropy_with_logits"]
    with np.errstate(all="ignore"):
        assert np.isnan(op.run(labels, logits, axis=-1))
        with compiled():
            assert op.run(labels, logits, axis=-1) == 0
    eager = tf.nn.softmax_cross_entropy_with_logits
    assert np.isnan(eager(labels, logits))
    assert tf.function(eager, jit_compile=True)(labels, logits) == 0


@pytest.mark.parametrize("rate", [0.1, 0.5, 0.9])
def test_dropout_keeps_some_of_each_line_and_hands_back_the_gradient_of_what_it_kept(rate: float) -> None:
    op, x = OPS["dropout"], np.ones((5, 4), "float32")
    attrs = {**op.attrs, "rate": rate}
    kept = op.run(x, **attrs)
    assert ((kept == 0).any(axis=1) & (kept > 0).any(axis=1)).all()
    np.testing.assert_allclose(kept[kept > 0], 1 / (1 - rate), rtol=1e-5)
    np.testing.assert_array_equal(op.pull(x, kept, x, **attrs), kept)
    np.testing.assert_array_equal(op.run(x, **{**attrs, "rate": 0.0}), x)
