"""Shapes of a trial: how many axes an input has follows from its use, and what does not fit is approximate."""

from __future__ import annotations

import math

import numpy as np
import pytest
from trial_programs import Program, function, program

from tfnanlint.flow import Flow, Node
from tfnanlint.ops import OPS
from tfnanlint.ops.work import MOST_MADE
from tfnanlint.trial.arrays import fit, spread
from tfnanlint.trial.shape_fitting import fitted, product
from tfnanlint.trial.shapes import (
    BATCH,
    CHANNELS,
    LARGEST,
    LARGEST_CHANNELS,
    LARGEST_INNER,
    LARGEST_RANK,
    LARGEST_SIZE,
    LENGTH,
    MOST_AXES,
    agrees,
    shape_of,
    shape_of_traced,
)
from tfnanlint.trial.slices import index_of


def of(expression: str, *parameters: str) -> Program:
    return program(function(f"return {expression}", parameters=", ".join(parameters or ("foo",))))


def returned(one: Program) -> Node:
    """The value that the function gives."""
    (node,) = one.flow.kept
    return node


def result(one: Program) -> tuple[tuple[int, ...], bool]:
    """The shape of the value that the function gives, and whether it was fitted."""
    run = one.run()
    return np.shape(run.values[returned(one)]), returned(one) in run.approximate


# How many axes, and of which sizes.


def test_a_signal_is_as_long_as_its_frames() -> None:
    one = of("tf.abs(tf.signal.stft(0.5 * foo, 64, 16, 64))")
    assert one.run().values[one.named("foo")].shape == (BATCH, 64)
    assert result(one) == ((BATCH, 1, 33), False)


def test_an_input_has_an_axis_for_each_of_the_computed_multiples_of_a_tile() -> None:
    one = of("tf.tile(foo, [1, n, 1, 1])", "foo", "n")
    assert one.run().values[one.named("foo")].ndim == 4


def test_each_factor_of_a_batch_dot_has_the_axis_over_which_it_says_that_the_product_adds_up() -> None:
    one = of("K.batch_dot(foo, bar, [2, 3])", "foo", "bar")
    values = one.run().values
    assert (values[one.named("foo")].ndim, values[one.named("bar")].ndim) == (3, 4)


def test_an_operand_of_an_einstein_sum_has_an_axis_for_each_letter_which_are_as_long_as_others_of_the_letter() -> None:
    one = of("tf.einsum('jid,bij->bjd', foo, bar)", "foo", "bar")
    assert [one.run().values[one.named(name)].ndim for name in ("foo", "bar")] == [3, 3]
    assert result(one) == ((BATCH, BATCH, CHANNELS), True)


@pytest.mark.parametrize(
    ("condition", "rank"),
    [
        ("foo <= bar", 0),
        ("foo == 1 or not bar < 2", 0),
        ("tf.reduce_all(foo <= bar)", 2),
        ("(foo <= bar).any()", 2),
        ("foo is None", 2),
    ],
)
def test_what_python_compares_in_an_if_is_a_number(condition: str, rank: int) -> None:
    one = program(function(f"if {condition}:\n        return bar\n    return foo - bar", parameters="foo, bar"))
    assert len(one.shape("foo")) == rank


RANKS = {
    "2.0 * foo": 2,
    "tf.reduce_sum(foo)": 2,
    "tf.reduce_sum(foo, 2)": 3,
    "tf.reduce_sum(foo, -3)": 3,
    "tf.reduce_sum(foo, [1, 2, 3])": 4,
    "tf.reduce_sum(tf.reduce_sum(foo, 1), 1)": 3,
    "tf.reduce_sum(tf.reduce_sum(foo, 1, keepdims=True), 1)": 2,
    "tf.reduce_sum(tf.abs(2.0 * foo + 1.0), 2)": 3,
    "tf.reduce_sum(tf.expand_dims(foo, 1), 2)": 2,
    "tf.reduce_sum(foo[:, None], 3)": 3,
    "tf.transpose(foo, [0, 2, 1])": 3,
    "tf.transpose(foo, [3, 2, 0, 1])": 4,
    "tf.nn.softmax(foo, axis=2)": 3,
    "tf.cumsum(foo, 2)": 3,
    "tf.squeeze(foo, 2)": 3,
    "tf.matmul(tf.reduce_sum(foo, 3), bar)": 4,
    "tf.nn.conv2d(foo, bar, 1, 'SAME')": 4,
    "tf.nn.max_pool2d(foo, 2, 2, 'SAME')": 4,
    "tf.keras.layers.Conv2D(8, 3)(foo)": 4,
    "tf.keras.layers.LSTM(8)(foo)": 3,
    "foo[:, :, 1:]": 3,
    "foo[0, 1, 2]": 3,
    "tf.reduce_sum(foo[:, None, :2], 2)": 2,
    "tf.transpose(foo[:, tf.newaxis], [0, 2, 1])": 2,
    "foo[..., 0]": 2,
    "tf.reduce_sum(foo[..., 0], 2)": 4,
    "tf.reduce_sum(foo, 40)": LARGEST_RANK,
    "tf.equal(foo[:, None], foo[None, :])": 1,
    "tf.equal(tf.reshape(foo, [-1])[:, None], tf.reshape(foo, [-1])[None])": 1,
    "tf.equal(tf.reshape(foo, [-1, 1]), tf.transpose(tf.reshape(foo, [-1, 1])))": 1,
    "tf.equal(tf.reshape(foo, [-1]), bar)": 2,
}


@pytest.mark.parametrize(("expression", "rank"), RANKS.items(), ids=list(RANKS))
def test_an_input_has_the_axes_that_its_uses_need(expression: str, rank: int) -> None:
    assert len(of(expression, "foo", "bar").shape("foo")) == rank


def test_two_inputs_that_are_brought_together_may_need_different_axes() -> None:
    both = of("tf.reduce_sum(foo, 2) * bar", "foo", "bar")
    assert (both.shape("foo"), both.shape("bar")) == ((BATCH, LENGTH, CHANNELS), (BATCH, CHANNELS))


@pytest.mark.parametrize("rank", range(1, LARGEST_RANK + 1))
def test_batch_and_channels_differ_and_no_axis_is_one_element_long(rank: int) -> None:
    shape = shape_of(rank, {})
    assert len(shape) == rank
    assert shape[0] == BATCH
    assert all(size > 1 for size in shape)
    assert rank == 1 or shape[-1] == CHANNELS
    assert len({BATCH, LENGTH, CHANNELS}) == 3


STATED = {
    "tf.keras.Input([28, 28, 1])": (BATCH, LARGEST_INNER, LARGEST_INNER, 1),
    "tf.keras.Input(shape=(None, 40))": (BATCH, LENGTH, LARGEST_CHANNELS),
    "tf.keras.Input(shape=(7,))": (BATCH, 7),
    "tf.compat.v1.placeholder(tf.float32, [None, 10])": (BATCH, 10),
    "tf.compat.v1.placeholder(tf.float32, [2, 10])": (2, 10),
    "tf.compat.v1.placeholder(tf.float32, [])": (),
}


@pytest.mark.parametrize(("made", "shape"), STATED.items(), ids=list(STATED))
def test_a_shape_that_the_program_states_goes_first_and_is_cut_to_what_is_small(
    made: str, shape: tuple[int, ...]
) -> None:
    stated = program(f"x = {made}\ny = tf.sin(x)\n")
    assert np.shape(stated.run().values[stated.last("sin")]) == shape


def test_a_weight_has_the_shape_that_it_is_made_with() -> None:
    text = (
        "class Own(tf.keras.layers.Layer):\n"
        "    def build(self, shape):\n"
        "        self.w = self.add_weight(shape=(3, 7))\n\n"
        "    def call(self, x):\n"
        "        return tf.matmul(x, self.w)\n"
    )
    own = program(text)
    run = own.run()
    assert np.shape(run.values[own.last("matmul")]) == (BATCH, 7)
    assert own.last("matmul") not in run.approximate


def test_a_trace_knows_its_shapes_and_large_axes_are_cut() -> None:
    assert shape_of_traced([None, 1000, 2]) == (BATCH, LARGEST_SIZE, 2)
    assert agrees((9, LARGEST_SIZE), [None, 1000])
    assert not agrees((9, 5), [None, 1000])
    assert not agrees((9, 5), [None, 5, 5])


# What ops make of shapes.


RESULTS = {
    "tf.reduce_sum(foo, 2)": (BATCH, LENGTH),
    "tf.transpose(foo, [0, 2, 1])": (BATCH, CHANNELS, LENGTH),
    "tf.reshape(foo, [-1, 6])": (2, 6),
    "tf.reshape(foo, [2, -1, 3])": (2, 2, 3),
    "tf.matmul(foo, bar, transpose_b=True)": (BATCH, BATCH),
    "tf.matmul(foo, bar)": (BATCH, CHANNELS),
    "tf.matmul(tf.nn.softmax(foo), tf.math.l2_normalize(bar, 0))": (BATCH, CHANNELS),
    "tf.linalg.inv(2.0 * foo)": (CHANNELS, CHANNELS),
    "foo[:, None] - bar[None]": (BATCH, BATCH, CHANNELS),
    "tf.concat([foo, bar], -1)": (BATCH, 2 * CHANNELS),
    "tf.stack([foo, bar], -1)": (BATCH, CHANNELS, 2),
    "foo[..., 0]": (BATCH,),
    "foo[..., None, 0]": (BATCH, 1),
    "foo[0, ..., 1:]": (CHANNELS - 1,),
    "foo[:, 1:] - foo[:, :-1]": (BATCH, CHANNELS - 1),
    "foo / tf.shape(foo)[0]": (BATCH, CHANNELS),
    "tf.reshape(foo, [tf.shape(foo)[0], -1, 1])": (BATCH, CHANNELS, 1),
}


@pytest.mark.parametrize(("expression", "shape"), RESULTS.items(), ids=list(RESULTS))
def test_an_op_gives_the_shape_that_it_has_in_the_program(expression: str, shape: tuple[int, ...]) -> None:
    assert result(of(expression, "foo", "bar")) == (shape, False)


# What does not fit.


UNFIT = {
    "tf.matmul(foo, tf.transpose(bar)[:2])": (BATCH, BATCH),
    "tf.reduce_sum(foo, 2) - bar": (BATCH, LENGTH),
    "tf.reshape(foo, [5, 7])": (5, 7),
    "foo[:, 1:] + foo": (BATCH, CHANNELS),
    "tf.reduce_sum(foo, 40)": (BATCH, 2, LENGTH, LENGTH),
    "tf.einsum('bij,bjk->bik', foo, bar)": (BATCH, LENGTH, CHANNELS),
    "tf.linalg.inv(foo[:2])": (2, CHANNELS),
    "foo[100]": (CHANNELS,),
}


@pytest.mark.parametrize(("expression", "shape"), UNFIT.items(), ids=list(UNFIT))
def test_what_does_not_fit_is_fitted_and_approximate(expression: str, shape: tuple[int, ...]) -> None:
    assert result(of(expression, "foo", "bar")) == (shape, True)


def test_what_is_made_of_an_approximate_value_is_approximate_and_nothing_else_is() -> None:
    one = program(function("y = tf.reshape(foo, [5, 7])", "z = tf.abs(y)", "return z, tf.sin(foo)", parameters="foo"))
    approximate = one.run().approximate
    assert {one.last("reshape"), one.last("abs")} <= approximate
    assert one.last("sin") not in approximate


def test_a_hazard_in_what_was_fitted_is_found_all_the_same() -> None:
    fitted = of("tf.reduce_sum(tf.matmul(x, bar) * mask) / tf.reduce_sum(mask)", "x", "bar", "mask")
    (failure, *_) = [one for one in fitted.failures() if one.situation.name == "empty mask"]
    assert failure.likely


LARGE = {
    "more axes than are kept": "foo" + "[None]" * (MOST_AXES + 1),
    "more axes than NumPy has": "foo" + "[None]" * 80,
    "more elements than are kept": f"tf.tile(foo, [{LARGEST}, 1])",
    "more elements than are made, by broadcasting": f"tf.reshape(tf.tile(foo, [{LARGEST // 100}, 1]), [-1, 1]) "
    f"* tf.reshape(tf.tile(bar, [{LARGEST // 100}, 1]), [1, -1])",
    "more elements than memory has": "tf.zeros([1000000, 1000000]) + foo",
    "an outer product": "tf.tensordot(tf.tensordot(foo, foo, 0), tf.tensordot(bar[:, None] + bar, bar, 0), 0)",
}


@pytest.mark.parametrize("expression", LARGE.values(), ids=list(LARGE))
def test_what_is_too_large_is_cut_and_approximate_and_never_a_crash(expression: str) -> None:
    one = of(f"tf.math.log(1.0 + tf.square({expression}))", "foo", "bar")
    run = one.run()
    assert all(np.size(value) <= LARGEST and np.ndim(value) <= MOST_AXES for value in run.values.values())
    assert returned(one) in run.approximate
    assert one.failing() == set()


def test_an_array_with_the_most_axes_is_kept() -> None:
    assert result(of("foo" + "[None]" * (MOST_AXES - 2))) == ((1,) * (MOST_AXES - 2) + (BATCH, CHANNELS), False)


def test_a_slice_that_takes_nothing_is_one_of_a_larger_array() -> None:
    empty = of("tf.reduce_sum(foo[:, 70:90], -1)")
    assert empty.last("getitem") in empty.run().approximate
    assert all(np.size(value) for value in empty.run().values.values() if isinstance(value, np.ndarray))


# Fitting.


@pytest.mark.parametrize(
    ("shape", "wanted"), [((4, 3), (4, 3)), ((4,), (4, 5)), ((3,), (4, 3)), ((4, 3), (5, 2)), ((), (2,)), ((2, 2), ())]
)
def test_an_array_is_brought_to_any_shape_of_its_own_numbers(shape: tuple[int, ...], wanted: tuple[int, ...]) -> None:
    value = np.arange(1.0, 1.0 + math.prod(shape)).reshape(shape)
    fitted = fit(value, wanted)
    assert fitted.shape == wanted
    assert set(fitted.ravel()) <= set(value.ravel())


def test_a_vector_is_fitted_along_the_axis_that_has_its_length() -> None:
    rows = np.arange(4.0)
    assert (fit(rows, (4, 3)) == rows[:, None]).all()
    columns = np.arange(3.0)
    assert (fit(columns, (4, 3)) == columns).all()


def test_a_product_of_matrices_that_do_not_fit_has_the_rows_of_one_and_the_columns_of_the_other() -> None:
    assert product(np.ones((4, 3)), np.ones((4, 7))).shape == (4, 7)
    assert product(np.ones(3), np.ones((4, 7))).shape == (1, 7)
    assert product(np.ones((4, 5, 3)), np.ones((2, 6))).shape == (4, 5, 6)


def test_a_mask_of_another_rank_still_selects() -> None:
    row = OPS["boolean_mask"]
    x = np.arange(4.0, dtype="float32")
    assert fitted(row, [x, np.zeros((4, 3), bool)], {}, False).size == 0
    assert fitted(row, [x, np.ones((4, 3), bool)], {}, False).tolist() == x.tolist()


def test_a_gradient_through_what_nobody_knows_is_finite_where_the_incoming_one_is() -> None:
    assert spread(np.ones(3), np.zeros((4, 3))).shape == (4, 3)
    assert spread(np.ones(3), np.zeros(3, "int32")) is None
    assert np.isnan(spread(np.full(3, np.nan), np.zeros(3))).all()


def test_no_array_is_made_that_is_much_larger_than_what_is_kept() -> None:
    assert LARGEST < MOST_MADE < 100 * LARGEST * LARGEST_CHANNELS


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x[k + 1:]", slice(2, None)),
        ("x[1:-k]", slice(1, None)),
        ("x[:-(k + 1)]", slice(None, -2)),
        ("x[:n - 1]", slice(None, None)),
    ],
)
def test_each_name_in_a_bound_of_a_slice_stands_for_1(text: str, expected: slice) -> None:
    node = Flow().add("getitem", (Flow().add("input"),), {"slices": text})
    assert index_of(node, []) == (expected,)


# Layers of Keras.

LAYERS = {
    "a pooling": ((8, 8, 3), "layers.MaxPooling2D()"),
    "a pooling by three": ((9, 9, 3), "layers.AveragePooling2D(3)"),
    "a pooling that moves on by its own steps": ((8, 8, 3), "layers.MaxPool2D((4, 4), strides=2, padding='same')"),
    "a pooling of a sequence": ((6, 3), "layers.MaxPooling1D(2)"),
    "a pooling over all places": ((8, 8, 3), "layers.GlobalAveragePooling2D()"),
    "a pooling over all steps": ((6, 3), "layers.GlobalMaxPooling1D()"),
    "a pooling that keeps its axes": ((8, 8, 3), "layers.GlobalAveragePooling2D(keepdims=True)"),
    "flat": ((4, 4, 3), "layers.Flatten()"),
    "a shape that is stated": ((8,), "layers.Reshape((2, 4))"),
    "another order of axes": ((2, 8, 3), "layers.Permute((2, 1, 3))"),
    "repetition": ((3,), "layers.RepeatVector(5)"),
    "enlargement": ((4, 4, 3), "layers.UpSampling2D()"),
    "enlargement of each axis by its own factor": ((2, 4, 3), "layers.UpSampling2D(size=(4, 2))"),
    "a convolution that moves on by two": ((8, 8, 3), "layers.Conv2D(5, 3, strides=2, padding='same')"),
    "a convolution the other way round": ((4, 4, 3), "layers.Conv2DTranspose(5, 3, strides=(2, 2), padding='same')"),
    "a convolution of each channel": ((8, 8, 3), "layers.DepthwiseConv2D(3, padding='same')"),
    "a normalization": ((8, 8, 3), "layers.BatchNormalization()"),
    "an embedding": ((6,), "layers.Embedding(9, 5)"),
    "the last step of a sequence": ((6, 3), "layers.LSTM(5)"),
    "every step of a sequence": ((6, 3), "layers.GRU(5, return_sequences=True)"),
}


@pytest.mark.tensorflow
@pytest.mark.parametrize(("shape", "layer"), LAYERS.values(), ids=LAYERS)
def test_a_layer_gives_the_shape_that_keras_gives(shape: tuple[int, ...], layer: str) -> None:
    tf = pytest.importorskip("tensorflow")
    built = eval(layer, {"layers": tf.keras.layers})
    expected = built(tf.zeros((BATCH, *shape))).shape
    text = f"from tensorflow.keras import layers\n\nx = layers.Input({shape})\ny = {layer}(x)\nz = tf.abs(y)\n"
    one = program(text)
    run = one.run()
    assert (np.shape(run.values[one.last("abs")]), one.last("abs") in run.approximate) == (tuple(expected), False)


def test_joined_layers_keep_their_axes_where_other_sizes_differ() -> None:
    one = program(
        "from tensorflow.keras import layers\n\n"
        "x = layers.Input((8, 8, 3))\n"
        "y = layers.Concatenate()([x, layers.MaxPooling2D()(x)])\n"
        "z = tf.abs(y)\n"
    )
    assert np.shape(one.run().values[one.last("abs")]) == (BATCH, 8, 8, 6)
