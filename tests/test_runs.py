"""What every row of the op table computes, and the gradient that it hands back, are what TensorFlow gives."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import tensorflow as tf
from op_samples import SPECIAL, caller, is_real, main_spelling, measured, operand, stated_points

from tfnanlint.ops import FAMILIES, OPS, Op
from tfnanlint.ops.numeric import compiled, pulled
from tfnanlint.ops.row import INTEGER

BY_THE_ENGINE = frozenset("getitem phi".split())
"""Nodes that the engine computes: an index stands in the text, and which value joins is known in the run."""
FURTHER = (5.5, 6.0, 7.75, 8.25, -6.0, 30.0, -30.0, 90.0, -85.0, 800.0, -800.0)

FAMILY_OF = {op.name: family.__name__.rpartition(".")[2] for family in FAMILIES for op in family.ROWS}
RUNNING = [op for op in measured() if op.run is not None and op.name != "dropout"]  # which draws what it keeps
DTYPES = ("float32", "float64", "float16")
PRECISION = {"float16": 4e-3, "float32": 2e-5, "float64": 1e-6}
"""Some constants and polynomials of TensorFlow are of single precision for double, too."""
TENSORFLOW_ALONE = {("erf", "float64"): 1e100}
"""Numbers beyond which a kernel of TensorFlow's is wrong: the error function of double gives NaN where x * x is inf."""
XLA_ALONE = frozenset("backend_binary_crossentropy clip elu selu sinh cosh sinc".split())
"""Whose compiled gradient differs by rounding, by where it overflows, or by the side that a kink belongs to."""
COMPLEX = frozenset("elementwise arithmetic trigonometry activations".split())
"""The families of which the ops take complex numbers, where TensorFlow's do."""
UP_TO_SIGN = frozenset("svd eigh".split())
"""Whose vectors, which follow the values, may point the other way."""


def rows(ops: list[Op]) -> list[Any]:
    return [pytest.param(op, id=op.name) for op in ops]


# The columns.


@pytest.mark.parametrize("op", rows([op for op in OPS.values() if op.name not in BY_THE_ENGINE]))
def test_a_row_runs_and_pulls_or_says_why_it_does_not(op: Op) -> None:
    if op.opaque:
        assert op.run is None
        assert op.pull is None
        return
    assert op.run is not None
    differentiable = any(
        (is_real(op, o) or op.takes[o] == "complex") and not op.blocks(place) for place, o in enumerate(op.operands)
    )
    assert (op.pull is not None) == differentiable


# Operands.


def points(op: Op, name: str, dtype: str) -> list[float]:
    """Ordinary, extreme and singular numbers of one operand, in its type."""
    info = np.finfo(dtype)
    large, small = np.sqrt(float(info.max)) / 8, 4 * np.sqrt(float(info.tiny))  # no quotient is a denormal
    alone = len(op.operands) == 1
    found = [*(SPECIAL if alone else (0.0, -0.0, 0.5, -0.5, 1.0, -2.0, 3.0)), *stated_points(op, name)]
    found += [large, -large, small, -small, np.inf, -np.inf, np.nan]
    if alone:
        found += [*FURTHER, large**1.25, -(large**1.25)]  # no cube of its inverse root is a denormal
    if any(b.of == INTEGER for b in op.breaks):
        found += [-4.0, -5.0]
    limit = TENSORFLOW_ALONE.get((op.name, dtype), np.inf)
    return [v for v in found if not abs(v) > limit or limit == np.inf]


def elementwise_operands(op: Op, dtype: str) -> list[np.ndarray]:
    """All combinations of the operands' points, and ordinary draws; one long vector an operand."""
    rng = np.random.default_rng(0)
    columns = np.array(list(itertools.product(*(points(op, o, dtype) for o in op.operands)))).T
    drawn = np.concatenate([rng.uniform(-5, 5, (len(columns), 200)), rng.uniform(0, 1, (len(columns), 100))], axis=1)
    values = [np.concatenate(pair) for pair in zip(columns, drawn, strict=True)]
    return [typed(op, o, v, rng, dtype) for o, v in zip(op.operands, values, strict=True)]


def typed(op: Op, name: str, values: np.ndarray, rng: np.random.Generator, dtype: str) -> np.ndarray:
    """Numbers as what an operand takes."""
    kind = op.takes.get(name)
    if kind == "bool":
        return rng.random(values.shape) < 0.5
    if kind == "complex":
        return (rng.normal(size=values.shape) + 1j * rng.normal(size=values.shape)).astype("complex64")
    return (np.abs(values) if kind == "nonnegative" else values).astype(dtype)


def batches(op: Op) -> Iterator[list[Any]]:
    """Operands of an op that is not elementwise: ordinary ones, some with zeros and equal elements, large and small."""
    rng = np.random.default_rng(sum(map(ord, op.name)))

    def scaled(scale: float) -> Callable[[tuple[int, ...]], np.ndarray]:
        return lambda shape: (scale * rng.uniform(-1, 1, shape)).astype("float32")

    def special(shape: tuple[int, ...]) -> np.ndarray:
        drawn = rng.choice([0.0, 1.0, -1.0, 2.0, 0.5], shape)
        if len(shape) == 2:
            drawn = np.where(rng.random((shape[0], 1)) < 0.4, drawn[:, :1], drawn)
        if len(shape) == 3:  # matrices that are far from singular
            drawn = drawn + 4 * np.eye(shape[-1])
        return drawn.astype("float32")

    for draw in (scaled(1.0), scaled(5.0), special, special):
        yield [operand(op, o, draw, rng, 4) for o in op.operands]
    if all(op.takes.get(o, "real") == "real" for o in op.operands):
        for scale in (1e-30, 1e30):
            yield [operand(op, o, scaled(scale), rng, 4) for o in op.operands]


def filled(op: Op) -> tuple[Callable[..., Any], dict[str, Any]]:
    """The op as a function of its operands, and the static parameters that its `run` is given for the same."""
    call, static = caller(op)
    return call, {**op.attrs, **main_spelling(op)[0].defaults, **static}


# Agreement.


def flushed(value: Any) -> np.ndarray:
    """With denormal numbers as 0, which TensorFlow makes them in places."""
    array = np.asarray(value)
    if array.dtype.kind != "f":
        return array
    return np.where(np.abs(array) < np.finfo(array.dtype).tiny, array.dtype.type(0), array)


def disagreement(got: Any, want: Any, given: list[np.ndarray], looser: float = 1.0, *, contracted: bool = False) -> str:
    """What differs first: types, infinities and NaN, or finite values beyond rounding; nothing where none does.

    With `contracted`, `want` may be the rounding of a product where `got` cancels to 0: on some processors XLA
    computes a product and the sum that takes it as one instruction, which rounds once.
    """
    got, want = flushed(got), flushed(want)
    if got.shape != want.shape:
        return f"the shape is {got.shape}, not {want.shape}"
    if want.dtype.kind not in "fc":
        wrong = got != want
    else:
        if got.dtype != want.dtype:
            return f"the type is {got.dtype}, not {want.dtype}"
        precision = looser * PRECISION[want.real.dtype.name]
        fine = np.isfinite(got) & np.isfinite(want)
        rounding = looser * max(8 * float(np.finfo(want.dtype).eps), 1e-8)
        size = (
            1 if given else 1 + np.max(np.abs(want), initial=0, where=fine)
        )  # what was summed up may have been as large
        apart = np.abs(np.where(fine, got - want, 0))
        near = apart <= precision * np.abs(np.where(fine, want, 0)) + rounding * size
        cancelled = apart <= 2 * looser * np.finfo(want.dtype).eps * size_of(given, want)
        near |= contracted & cancelled & (got == 0)
        vanished = ((got == 0) != (want == 0)) & ~cancelled
        same = (np.isnan(got) & np.isnan(want)) | (got == want)
        wrong = ~np.where(fine, near & ~vanished, same)
    if not wrong.any():
        return ""
    place = np.unravel_index(np.argmax(wrong), wrong.shape)
    at = [v[place] if np.shape(v) == wrong.shape else v for v in given]
    return f"{got[place]!r} where TensorFlow has {want[place]!r}, of {at} ({int(wrong.sum())} of {wrong.size} differ)"


def size_of(given: list[np.ndarray], want: np.ndarray) -> Any:
    """The largest operand of each element, to which what cancels is relative."""
    sizes = [np.abs(v) for v in given if np.shape(v) == want.shape]
    return np.maximum(np.max(sizes, axis=0), 1e3 * np.finfo(want.dtype).tiny) if sizes else np.inf


def run_of(op: Op, values: list[Any], attrs: dict[str, Any]) -> Any:
    assert op.run is not None
    with np.errstate(all="ignore"):
        return op.run(*values, **attrs)


def pulled_of(op: Op, grad: Any, result: Any, values: list[Any], attrs: dict[str, Any]) -> tuple[Any, ...]:
    with np.errstate(all="ignore"):
        return pulled(op, grad, result, values, attrs)


def taken(op: Op, call: Callable[..., Any], values: list[Any]) -> Any:
    """What TensorFlow computes; None where it has no kernel for a type."""
    try:
        return call(*values)
    except (
        tf.errors.InvalidArgumentError,
        tf.errors.NotFoundError,
        tf.errors.UnimplementedError,
        TypeError,
        ValueError,
    ):
        return None


ELEMENTWISE = [op for op in RUNNING if op.elementwise and not op.operands[-1].startswith("*")]
TYPED = [
    pytest.param(op, dtype, id=f"{op.name}-{dtype}")
    for op in ELEMENTWISE
    for dtype in (DTYPES[:1] if {"bool", "complex"} & {*op.takes.values()} else DTYPES)
]


@pytest.mark.parametrize(("op", "dtype"), TYPED)
def test_an_elementwise_op_computes_what_tensorflow_does(op: Op, dtype: str) -> None:
    call, attrs = filled(op)
    values = elementwise_operands(op, dtype)
    result = taken(op, call, [tf.constant(v) for v in values])
    if result is None and dtype != "float32":
        pytest.skip(f"TensorFlow has no {op.name} of {dtype}")
    assert disagreement(run_of(op, values, attrs), result, values) == ""


def incoming(op: Op, shape: tuple[int, ...], dtype: Any) -> list[np.ndarray]:
    """Gradients of the result: all different and none 0; all 0; all infinite, where no slope underflows before ours."""
    size = int(np.prod(shape))
    found = [(1 - np.arange(size) / (2 * max(size, 1))).reshape(shape), np.zeros(shape)]
    if dtype != np.float16 and FAMILY_OF[op.name] != "special":
        found.append(np.full(shape, np.inf))
    return [one.astype(dtype) for one in found]


PULLED = [p for p in TYPED if p.values[0].pull is not None]


@pytest.mark.parametrize(("op", "dtype"), PULLED)
def test_an_elementwise_op_hands_back_the_gradient_that_tensorflow_does(op: Op, dtype: str) -> None:
    call, attrs = filled(op)
    values = elementwise_operands(op, dtype)
    tensors = [tf.constant(v) for v in values]
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(tensors)
        result = taken(op, call, tensors)
    if dtype != "float32" and (result is None or taken(op, lambda *_: tape.gradient(result, tensors), []) is None):
        pytest.skip(f"TensorFlow has no gradient of {op.name} of {dtype}")
    for grad in incoming(op, values[0].shape, result.dtype.as_numpy_dtype):
        wanted = tape.gradient(result, tensors, output_gradients=tf.constant(grad))
        handed = pulled_of(op, grad, run_of(op, values, attrs), values, attrs)
        for name, got, want in zip(op.operands, handed, wanted, strict=True):
            assert (got is None) == (want is None), f"a gradient for {name}"
            if want is not None:
                assert disagreement(got, want, [*values, grad]) == "", f"the gradient for {name}"


@pytest.mark.parametrize("op", rows([op for op in ELEMENTWISE if FAMILY_OF[op.name] in COMPLEX and not op.takes]))
def test_an_elementwise_op_of_complex_numbers_is_that_of_tensorflow(op: Op) -> None:
    call, attrs = filled(op)
    rng = np.random.default_rng(2)
    values = [(rng.normal(size=50) + 1j * rng.normal(size=50)).astype("complex64") for _ in op.operands]
    tensors = [tf.constant(v) for v in values]
    with tf.GradientTape() as tape:
        tape.watch(tensors)
        result = taken(op, call, tensors)
    if result is None or op.name == "cbrt":  # which Keras takes for a real one
        pytest.skip(f"TensorFlow has no {op.name} of complex numbers")
    found = run_of(op, values, attrs)
    assert disagreement(found, result, values) == ""
    if op.pull is None or not (result.dtype.is_floating or result.dtype.is_complex):
        return
    grad = np.linspace(0.5, 1.0, 50).astype(result.dtype.as_numpy_dtype) * (1 if result.dtype.is_floating else 1 - 0.5j)
    grad = grad.astype(result.dtype.as_numpy_dtype)
    wanted = tape.gradient(result, tensors, output_gradients=tf.constant(grad))
    for one, want in zip(pulled_of(op, grad, found, values, attrs), wanted, strict=True):
        assert (one is None) == (want is None)
        assert want is None or disagreement(one, want, values) == ""


def has_compiled_gradient(op: Op) -> bool:
    """Whether XLA has kernels for an op that round as the others do: of the special functions it has others."""
    return op.pull is not None and FAMILY_OF[op.name] != "special" and op.name not in XLA_ALONE


@pytest.mark.parametrize("op", rows([op for op in ELEMENTWISE if has_compiled_gradient(op)]))
def test_compiled_gradients_are_those_of_xla(op: Op) -> None:
    call, attrs = filled(op)
    values = elementwise_operands(op, "float32")

    @tf.function(jit_compile=True)
    def gradients(tensors: list[tf.Tensor], grad: tf.Tensor) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(tensors)
            result = call(*tensors)
        return tape.gradient(result, tensors, output_gradients=grad)

    for grad in incoming(op, values[0].shape, "float32"):
        wanted = gradients([tf.constant(v) for v in values], tf.constant(grad))
        with compiled():
            handed = pulled_of(op, grad, run_of(op, values, attrs), values, attrs)
        for name, got, want in zip(op.operands, handed, wanted, strict=True):
            assert disagreement(got, want, [*values, grad], contracted=True) == "", f"the gradient for {name}"


@pytest.mark.parametrize("op", rows([op for op in ELEMENTWISE if len(op.operands) == 2]))
def test_an_elementwise_op_broadcasts_and_sums_the_gradient_of_what_it_repeated(op: Op) -> None:
    call, attrs = filled(op)
    rng = np.random.default_rng(1)
    for shapes in (((2, 3, 1), (3, 4)), ((3,), (2, 1, 3)), ((2, 1, 4), ())):
        values = [rng.uniform(0.5, 2.0, shape).astype("float32") for shape in shapes]
        if "bool" in op.takes.values():
            values = [v > 1 for v in values]
        tensors = [tf.constant(v) for v in values]
        with tf.GradientTape() as tape:
            tape.watch(tensors)
            try:
                result = call(*tensors)
            except ValueError:
                return  # it wants operands of one shape
        got = run_of(op, values, attrs)
        assert disagreement(got, result, []) == ""
        if op.pull is None:
            continue
        wanted = tape.gradient(result, tensors)
        for one, want in zip(pulled_of(op, np.ones_like(got), got, values, attrs), wanted, strict=True):
            assert (one is None) == (want is None)
            assert want is None or disagreement(one, want, []) == ""


OTHERS = [op for op in RUNNING if op not in ELEMENTWISE and not op.random]


def is_static(op: Op, name: str) -> bool:
    """Whether an operand stays a Python value when TensorFlow is called."""
    return op.takes.get(name) in ("size", "shape", "start", "wide", "literal")


def is_several(value: Any) -> bool:
    """Whether an operand is that of "*xs", a list of tensors, which `run` takes one by one."""
    return isinstance(value, list) and any(isinstance(one, np.ndarray) for one in value)


@pytest.mark.parametrize("op", rows(OTHERS))
def test_an_op_computes_and_hands_back_what_tensorflow_does(op: Op) -> None:
    call, attrs = filled(op)
    for values in batches(op):
        tensors = [
            v if is_static(op, o) else [tf.constant(one) for one in v] if is_several(v) else tf.constant(v)
            for o, v in zip(op.operands, values, strict=True)
        ]
        operands = [one for v in values for one in (v if is_several(v) else [v])]
        leaves = [one for v, t in zip(values, tensors, strict=True) for one in (t if is_several(v) else [t])]
        watched = [t for t in leaves if isinstance(t, tf.Tensor) and (t.dtype.is_floating or t.dtype.is_complex)]
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(watched)
            results = [tf.convert_to_tensor(r) for r in tf.nest.flatten(call(*tensors)) if r is not None]
        attributes = {k: v(*values) if callable(v) else v for k, v in attrs.items()}
        found = run_of(op, operands, attributes)
        got = tf.nest.flatten(found)
        looser = 100.0 if FAMILY_OF[op.name] == "linalg" else 1.0  # a matrix exponential of TensorFlow's is off by 3e-4
        for one, want in zip(got, results, strict=True):
            signed = (one, want) if op.name not in UP_TO_SIGN else (np.abs(one), np.abs(want))
            assert disagreement(*signed, [], looser) == "", f"of {values}"
        if op.pull is None:
            continue
        smooth = [r.dtype.is_floating or r.dtype.is_complex for r in results]
        if op.name in UP_TO_SIGN:
            smooth[1:] = [False] * len(smooth[1:])
        for kind in range(2):
            grads = [
                incoming(op, r.shape, r.dtype.as_numpy_dtype)[kind] if s else None
                for r, s in zip(results, smooth, strict=True)
            ]
            handed = pulled_of(op, tf.nest.pack_sequence_as(found, grads), found, operands, attributes)
            wanted = tape.gradient(
                [r for r, s in zip(results, smooth, strict=True) if s],
                watched,
                output_gradients=[tf.constant(g) for g in grads if g is not None],
            )
            expected = {id(t): w for t, w in zip(watched, wanted, strict=True)}
            for place, (leaf, one) in enumerate(zip(leaves, handed, strict=True)):
                if not isinstance(leaf, tf.Tensor):
                    continue
                want = expected.get(id(leaf))
                none = one is None or (want is None and not np.any(one))
                assert none == (want is None), f"a gradient for operand {place}"
                if want is not None:
                    problem = disagreement(one, tf.convert_to_tensor(want), [], looser)
                    assert problem == "", f"the gradient for operand {place} of {values}"


# Draws.


@pytest.mark.parametrize("op", rows([op for op in RUNNING if op.random]))
def test_a_draw_has_the_shape_and_the_range_of_tensorflows_and_is_the_same_each_time(op: Op) -> None:
    call, attrs = filled(op)
    rng = np.random.default_rng(0)
    values = [operand(op, o, lambda shape: rng.normal(size=shape).astype("float32"), rng, 5) for o in op.operands]
    got, want = run_of(op, values, attrs), call(*values)
    assert got.shape == want.shape
    assert got.dtype.kind == want.dtype.as_numpy_dtype(0).dtype.kind
    if op.takes.get("shape") == "shape" and op.transfer is not None:
        assert all(float(v) in op.transfer(None, attrs=attrs) for v in np.ravel(got))
    assert (got == run_of(op, values, attrs)).all()
    if op.takes.get("shape") == "shape":
        assert np.shape(run_of(op, [()], attrs)) == np.shape(run_of(op, [], attrs)) == ()


def test_a_list_gives_the_sizes_of_parts_in_tensorflow_and_their_ends_in_keras() -> None:
    x = np.arange(12.0, dtype=np.float32).reshape(6, 2)
    run = OPS["split"].run
    assert run is not None
    rest = {"axis": 0, "num": None}
    for sizes in ([2, 4], [1, -1], [1, 2, 3]):
        made = run(x, num_or_size_splits=sizes, indices_or_sections=None, **rest)
        for ours, theirs in zip(made, tf.split(x, sizes), strict=True):
            np.testing.assert_array_equal(ours, theirs)
    for ends in ([2, 4], [3], [1, 2, 3]):
        made = run(x, num_or_size_splits=None, indices_or_sections=ends, **rest)
        for ours, theirs in zip(made, tf.keras.ops.split(x, ends), strict=True):
            np.testing.assert_array_equal(ours, theirs)
    with pytest.raises(ValueError, match="do not make up an axis of 6"):
        run(x, num_or_size_splits=[3, 2], indices_or_sections=None, **rest)


SLICES = [((0, 0), (2, 2)), ((4, 1), (-1, -1)), ((5, 0), (1, 1)), ((6, 0), (1, 1)), ((2, 0), (4, 2)), ((-1, 0), (1, 1))]


@pytest.mark.parametrize(("begin", "size"), SLICES)
def test_a_slice_lies_within_its_tensor_as_in_tensorflow(begin: tuple[int, int], size: tuple[int, int]) -> None:
    x = np.arange(10.0, dtype=np.float32).reshape(5, 2)
    run = OPS["slice"].run
    assert run is not None
    try:
        wanted = tf.slice(x, begin, size)
    except tf.errors.InvalidArgumentError:
        with pytest.raises(ValueError, match="is not within a tensor of shape"):
            run(x, begin, size)
    else:
        np.testing.assert_array_equal(run(x, begin, size), wanted)
