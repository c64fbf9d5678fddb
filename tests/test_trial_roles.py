"""What an input is taken for: told by its use, then by what it is, then by its name, then by its docstring."""

from __future__ import annotations

import ast
import importlib
import pkgutil
import re
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from trial_programs import findings, function, program, trained

import tfnanlint.trial
from tfnanlint.flow import GIVEN_LABELS
from tfnanlint.ops import OPS
from tfnanlint.trial import roles
from tfnanlint.trial.evidence import role_of
from tfnanlint.trial.nodes import SPECIAL
from tfnanlint.trial.ordinary import calm, setting_named
from tfnanlint.trial.uses import is_of_pairs

NO_OPS = frozenset("input placeholder variable attribute downstream unknown custom_gradient identity const".split())
"""The flow's own kinds of nodes that a run computes without a function of their own."""
KINDS = NO_OPS | SPECIAL.keys()


def named(table: dict[str, str]) -> list[Any]:
    return [pytest.param(*case, id=case[0]) for case in table.items()]


def role(parameter: str, *lines: str, **given: str) -> str:
    """The role of a parameter of a function."""
    return program(function(*lines, **given)).role(parameter).name


# By use: `given`, a name that tells nothing.


BY_USE = {
    "tf.nn.softmax(given)": roles.LOGITS,
    "tf.nn.softmax(tf.reshape(given, [-1, 3]) / 2.0)": roles.LOGITS,
    "tf.sigmoid(-given)": roles.LOGITS,
    "tf.nn.softmax(given * w)": roles.LOGITS,
    "tf.nn.sigmoid_cross_entropy_with_logits(labels=y, logits=given)": roles.LOGITS,
    "tf.nn.sigmoid_cross_entropy_with_logits(labels=given, logits=x)": roles.NOTHING,
    "tf.exp(given) / tf.reduce_sum(tf.exp(given))": roles.LOGITS,
    "tf.math.log(1.0 + tf.exp(-2.0 * given))": roles.LOGITS,
    "tf.reduce_sum(tf.exp(given))": roles.NOTHING,
    "tf.exp(given) / tf.exp(w)": roles.NOTHING,
    "tf.sinh(given) / tf.cosh(given)": roles.LOGITS,
    "x[int(given):]": roles.NOTHING,
    "tf.exp(given * w) / 2.0": roles.NOTHING,
    "tf.nn.relu(given)": roles.ACTIVATED,
    "tf.tanh(given - 1.0)": roles.ACTIVATED,
    "tf.where(given, x, 0.0)": roles.MASK,
    "tf.where(x > 0.0, given, 0.0)": roles.NOTHING,
    "tf.where(tf.cast(given, tf.bool), x, 0.0)": roles.MASK,
    "tf.boolean_mask(x, given)": roles.MASK,
    "tf.boolean_mask(given, x)": roles.NOTHING,
    "x + (1.0 - given) * -1e9": roles.MASK,
    "tf.nn.softmax(x + given * float('-inf'))": roles.MASK,
    "x + given * 1e9": roles.NOTHING,
    "x + (1.0 - given) * 2.0": roles.NOTHING,
    "tf.one_hot(x, given + 1)": roles.SETTING,
    "tf.reduce_sum(x * given) / tf.reduce_sum(given)": roles.MASK,
    "tf.reduce_sum(x * given) / tf.reduce_sum(w)": roles.NOTHING,
    "tf.gather(x, given)": roles.INDICES,
    "tf.gather(given, x)": roles.NOTHING,
    "tf.one_hot(given, 3)": roles.INDICES,
    "tf.math.segment_sum(x, given)": roles.INDICES,
    "tf.math.segment_sum(given, x)": roles.NOTHING,
    "tf.math.unsorted_segment_mean(x, given, 3)": roles.INDICES,
    "tf.math.bincount(given)": roles.INDICES,
    "tf.scatter_nd(given, x, [5])": roles.INDICES,
    "tf.keras.losses.sparse_categorical_crossentropy(given, x)": roles.INDICES,
    "x[given]": roles.NOTHING,
    "tf.keras.losses.poisson(y, given)": roles.NOTHING,
    "tf.signal.stft(given, 128, 64)": roles.SIGNAL,
    "tf.norm(given, axis=-1)": roles.FEATURES,
    "tf.sqrt(tf.reduce_sum(tf.square(given)))": roles.FEATURES,
    "tf.sqrt(given)": roles.NOTHING,
    "tf.keras.losses.mean_squared_error(y, given)": roles.OUTPUT,
    "tf.keras.losses.mean_squared_error(given, x)": roles.NOTHING,
}


@pytest.mark.parametrize(("expression", "expected"), named(BY_USE))
def test_a_name_that_tells_nothing_leaves_the_role_to_the_use(expression: str, expected: str) -> None:
    assert role("given", f"return {expression}", parameters="given, x, y, w") == expected


def test_use_goes_before_the_name() -> None:
    assert role("mask", "return tf.nn.softmax(mask)", parameters="mask") == roles.LOGITS
    assert role("image", "return tf.where(image, 1.0, 0.0)", parameters="image") == roles.MASK


def test_a_telling_name_goes_before_a_use_that_fits_every_input() -> None:
    assert role("image", "return tf.nn.relu(image)", parameters="image") == roles.IMAGE
    assert role("weights", "return tf.norm(weights)", parameters="weights") == roles.MASK


def test_a_prediction_whose_logarithm_is_taken_is_a_probability() -> None:
    assert role("y_pred", "return -y_true * tf.math.log(y_pred)", parameters="y_true, y_pred") == roles.PROBABILITY
    assert role("y_pred", "return y_true - y_pred", parameters="y_true, y_pred") == roles.OUTPUT


@pytest.mark.parametrize(
    ("operand", "expected"),
    [
        ("y_pred + 1", roles.OUTPUT),
        ("1 + y_pred", roles.OUTPUT),
        ("y_pred + 1e-7", roles.PROBABILITY),
        ("y_pred", roles.PROBABILITY),
    ],
)
def test_a_logarithm_of_what_1_is_added_to_is_none_of_a_probability(operand: str, expected: str) -> None:
    assert role("y_pred", f"return tf.math.log({operand})", parameters="y_pred") == expected


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("tf.matmul(x, k, transpose_b=True)", roles.FEATURES),
        ("x / tf.reduce_sum(k, -1)", roles.FEATURES),
        ("x * k", roles.SETTING),
        ("tf.nn.softmax(x / k)", roles.SETTING),
    ],
)
def test_a_tensor_is_no_setting_whatever_its_name(expression: str, expected: str) -> None:
    assert role("k", f"return {expression}", parameters="x, k") == expected


@pytest.mark.parametrize(("default", "expected"), [("True", roles.LOGITS), ("False", roles.PROBABILITY)])
def test_a_flag_that_is_off_by_default_says_that_a_sigmoid_was_taken_before(default: str, expected: str) -> None:
    lines = "p = tf.sigmoid(given) if from_logits else given", "return tf.math.log(p)"
    assert role("given", *lines, parameters=f"given, from_logits={default}") == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("max_value", roles.SETTING),
        ("lower_val", roles.SETTING),
        ("value", roles.OUTPUT),
        ("x_ids", roles.INDICES),
        ("num_params", roles.SETTING),
        ("survival_prob", roles.SETTING),
        ("keep_probability", roles.SETTING),
        ("class_prob", roles.PROBABILITY),
        ("pos_embedding", roles.EMBEDDING),
        ("diffusion_time", roles.POSITIVE),
        ("time_series", roles.NOTHING),
        ("image_scaler", roles.NOTHING),
        ("radius_min", roles.SETTING),
        ("clips", roles.SIGNAL),
        ("clip", roles.SETTING),
    ],
)
def test_what_names_say(name: str, expected: str) -> None:
    assert role(name, f"return x + {name}", parameters=f"x, {name}") == expected


def test_an_epsilon_that_divides_is_no_small_number() -> None:
    assert setting_named("sinkhorn_eps", roles.DIVISOR) == 0.5
    assert setting_named("num_steps", roles.DIVISOR) == 3
    assert role("eps", "return x / eps", parameters="x, eps") == roles.SETTING
    text = "def plan(cost, eps):\n    return tf.reduce_sum(tf.exp(-cost / eps))\n"
    assert not findings("import tensorflow as tf\n\n\n" + text)


@pytest.mark.parametrize(("name", "usual"), [("num_steps", 3), ("layer_norm_eps", 1e-7), ("tolerance", 1e-7)])
def test_the_ordinary_number_of_a_setting_follows_from_its_name(name: str, usual: float) -> None:
    assert setting_named(name) == usual


NUMBERS = {
    "def step(x, every):\n    if (every > 0) and (not x % every):\n        x = x * 0.5\n    return tf.abs(x)\n\n\n"
    "def run(x):\n    return step(x, 0)\n": False,
    "def scale(model, x):\n    return 0.1 / model.count_params() * tf.reduce_sum(x)\n": False,
    "def scale(x, n=0):\n    return x * (1.0 / n)\n": False,
    "import time\n\n\ndef speed(x, t):\n    took = (time.time() - 1.0) / float(t)\n    return tf.abs(x), took\n": False,
    "def mean(x):\n    count = 0\n    for _ in x:\n        count += 1\n    return tf.reduce_sum(x) / count\n": False,
    "def mean(x, batches):\n    return tf.reduce_sum(x) / (batches.num_examples // 50)\n": False,
    "def scale(x, dim, num_heads):\n    return x * (dim // num_heads) ** -0.5\n": False,
    "def step(x, total_steps, warmup_steps):\n    return x / (total_steps - warmup_steps)\n": False,
    "def scale(x, mask):\n    return tf.reduce_sum(x * mask) / tf.reduce_sum(mask)\n": True,
}


@pytest.mark.parametrize(("text", "reported"), NUMBERS.items())
def test_python_raises_an_error_where_it_divides_its_own_numbers_by_0(text: str, reported: bool) -> None:
    assert bool(findings("import tensorflow as tf\n\n\n" + text)) == reported


@pytest.mark.parametrize(("name", "reported"), [("features", True), ("embedding", False)])
def test_features_may_be_0_and_an_embedding_is_not(name: str, reported: bool) -> None:
    text = function(f"return {name} / tf.norm({name}, axis=-1, keepdims=True)", parameters=name)
    assert bool(findings(text)) == reported


@pytest.mark.parametrize(("inner", "reported"), [("tf.square(g)", False), ("g", True)])
def test_what_an_unknown_function_computes_of_a_square_is_positive(inner: str, reported: bool) -> None:
    lines = "g = tf.gradients(x, x)[0]", f"return tf.sqrt(allreduce({inner}) + 1.0)"
    assert bool(findings(function(*lines, parameters="x, allreduce"))) == reported


def test_keras_gives_a_loss_its_labels_first_whatever_their_name() -> None:
    text = """\
import tensorflow as tf


class Structure(tf.keras.losses.Loss):
    def call(self, points, features):
        spread = tf.reduce_mean(points ** 2) ** 0.5{line}
        return tf.reduce_mean(tf.abs(points - features)) * spread
"""
    assert not findings(text.format(line=""))
    both = findings(text.format(line=" + tf.reduce_mean(features ** 2) ** 0.5"))
    assert {(one.rule, one.column) for one in both} == {("sqrt-at-zero", 55)}


@pytest.mark.parametrize(
    ("last", "reported"),
    [("tf.summary.scalar('ratio', ratio)", False), ("logging.info(ratio)", False), ("print(ratio)", True)],
)
def test_an_infinity_that_is_only_logged_is_no_failure(last: str, reported: bool) -> None:
    lines = "ratio = tf.reduce_sum(x) / tf.reduce_sum(mask)", last, "return tf.reduce_mean(x)"
    assert bool(findings(function(*lines, parameters="x, mask, logging"))) == reported


def test_the_elements_that_a_comprehension_is_unpacked_into_differ() -> None:
    lines = "a, b = [tf.abs(one) for one in pair]", "return 1.0 / tf.reduce_sum(tf.square(a - b))"
    assert not findings(function(*lines, parameters="pair"))
    equal = "a, b = [tf.abs(one) for one in (pair, pair)]"
    assert findings(function(equal, lines[1], parameters="pair"))


def test_each_entry_of_an_unknown_dictionary_is_an_input_of_its_own() -> None:
    lines = "kept = bundle.get('kept')", "return tf.cast(x - kept['low'], tf.float32) / (kept['high'] - kept['low'])"
    assert not findings(function(*lines, parameters="x, bundle"))


def test_a_use_is_seen_through_an_assignment_a_helper_and_a_branch() -> None:
    text = (
        "def inner(score):\n"
        "    return tf.nn.softmax(score)\n\n\n"
        "def f(given, flag):\n"
        "    shifted = given - 1.0\n"
        "    if flag:\n"
        "        shifted = tf.squeeze(given)\n"
        "    return inner(shifted)\n"
    )
    assert program(text).role("given").name == roles.LOGITS


# By what it is.


PARAMETERS = {
    "given=True": roles.SETTING,
    "given='mean'": roles.SETTING,
    "given=None": roles.NOTHING,
    "given: float": roles.SETTING,
    "given: int": roles.SETTING,
    "given: Optional[float]": roles.SETTING,
    "given: float | None": roles.SETTING,
    "given: Callable[[tf.Tensor], tf.Tensor]": roles.SETTING,
    "given: tf.Tensor": roles.NOTHING,
    "logits=False": roles.SETTING,
    "image: float": roles.SETTING,
}


@pytest.mark.parametrize(("parameter", "expected"), named(PARAMETERS))
def test_a_default_or_an_annotation_goes_before_the_name(parameter: str, expected: str) -> None:
    name = parameter.replace("=", ":").partition(":")[0]
    assert role(name, f"return tf.sqrt({name})", parameters=parameter) == expected


def test_a_default_that_is_a_number_is_that_number() -> None:
    assert (
        program(function("return tf.sqrt(logits)", parameters="logits=0.25")).last("sqrt").operands[0].constant == 0.25
    )


VARIABLES = {
    "tf.Variable(tf.zeros([3]))": roles.ZERO_WEIGHT,
    "tf.Variable(0.0)": roles.ZERO_WEIGHT,
    "tf.Variable(tf.random.normal([3]))": roles.DRAWN_WEIGHT,
    "tf.Variable(tf.ones([3]))": roles.WEIGHT,
    "tf.Variable(tf.zeros([3]), trainable=False)": roles.STATE,
}


@pytest.mark.parametrize(("made", "expected"), named(VARIABLES))
def test_a_variable_is_told_by_what_it_starts_at_and_whether_it_is_trained(made: str, expected: str) -> None:
    assert program(f"w = {made}\ny = tf.sqrt(w)\n").role("w").name == expected


@pytest.mark.parametrize(("name", "expected"), [("rolling_scales", roles.POSITIVE), ("gains", roles.WEIGHT)])
def test_a_scale_that_starts_above_0_stays_there(name: str, expected: str) -> None:
    assert program(f"{name} = tf.Variable(tf.ones([3]))\ny = tf.sqrt({name})\n").role(name).name == expected


UPDATES = {
    "w.assign_sub(0.1 * x)": roles.DRAWN_WEIGHT,
    "w.assign(tf.clip_by_value(w, -1.0, 1.0))": roles.DRAWN_WEIGHT,
    "w.assign(tf.maximum(w, largest))": roles.STATE,
    "w.assign(0.9 * w + 0.1 * x)": roles.STATE,
    "w.assign(tf.square(x))": roles.STATE,
}


@pytest.mark.parametrize(("update", "expected"), named(UPDATES))
def test_a_variable_is_a_state_unless_its_update_moves_or_clips_a_weight(update: str, expected: str) -> None:
    text = f"w = tf.Variable(tf.random.normal([3]))\nlargest = tf.Variable(tf.ones([3]))\ny = tf.sqrt(w)\n{update}\n"
    assert program(text).role("w").name == expected


def test_a_weight_whose_length_is_part_of_the_loss_is_minimised() -> None:
    text = (
        "w = tf.Variable(tf.ones([3]))\n"
        "with tf.GradientTape() as tape:\n"
        "    loss = tf.reduce_sum(x * w) + {}\n"
        "g = tape.gradient(loss, w)\n"
    )
    assert program(text.format("0.01 * tf.norm(w)")).role("w").name == roles.MINIMISED
    assert program(text.format("tf.reduce_sum(w)")).role("w").name == roles.WEIGHT


def test_what_an_object_is_set_up_with_is_a_setting() -> None:
    text = (
        "class Scaled(tf.keras.layers.Layer):\n"
        "    def __init__(self, given):\n"
        "        super().__init__()\n"
        "        self.given = given\n\n"
        "    def call(self, x):\n"
        "        return x / self.given\n"
    )
    assert program(text).role("given").name == roles.SETTING
    assert program(text).role("x").name == roles.FEATURES


def test_what_a_layer_gives_is_a_network_output_and_what_an_unknown_function_makes_of_data_is_data() -> None:
    layer = program(function("return tf.sqrt(tf.keras.layers.Dense(3)(x))"))
    assert role_of(layer.last("layer"), layer.facts).name == roles.OUTPUT
    made = program("from elsewhere import made\n\n\n" + function("return tf.sqrt(made(image))", parameters="image"))
    (unknown,) = made.last("sqrt").operands
    assert role_of(unknown, made.facts).name == roles.IMAGE


STEP = """\
with tf.GradientTape() as tape:
    tape.watch({name})
    loss = tf.reduce_mean(tf.math.log(tf.sigmoid({product})))
return tape.gradient(loss, {name})
"""


@pytest.mark.parametrize("name", ["weights", "v", "a", "theta", "mask_params"])
@pytest.mark.parametrize("product", ["tf.linalg.matvec(x, {name})", "tf.reduce_sum(x * {name}, -1)"])
def test_what_a_loss_of_its_product_with_data_is_differentiated_by_is_a_weight(name: str, product: str) -> None:
    lines = STEP.format(name=name, product=product.format(name=name)).splitlines()
    assert role(name, *lines, parameters=f"{name}, x") == roles.WEIGHT
    assert {one.rule for one in findings(function(*lines, parameters=f"{name}, x"))} == {"log-sigmoid"}


def test_the_point_at_which_a_network_is_differentiated_is_no_weight() -> None:
    lines = STEP.format(name="x", product="tf.matmul(x, w)").splitlines()
    assert program("w = tf.Variable(tf.ones([3, 1]))\n\n\n" + function(*lines)).role("x").name == roles.FEATURES


def test_the_sum_of_settings_is_a_setting() -> None:
    lines = "total = sum(blocks)", "rates = []", "for i in range(len(blocks)):", "    for j in range(blocks[i]):"
    text = function(
        *lines, "        rates.append(0.1 * j / total)", "return x * rates[0]", parameters="x, blocks=(3, 3, 9)"
    )
    assert not findings(text)
    given = function(*lines, "        rates.append(0.1 * j / total)", "return x * rates[0]", parameters="x, **kwargs")
    assert not findings(given.replace("blocks", "kwargs['blocks']"))


BOXES = {
    "columns": ("h, w = {b}[:, 2] - {b}[:, 0], {b}[:, 3] - {b}[:, 1]",),
    "the last axis": ("h, w = {b}[..., 2] - {b}[..., 0], {b}[..., 3] - {b}[..., 1]",),
    "split": ("top, left, bottom, right = tf.split({b}, 4, axis=-1)", "h, w = bottom - top, right - left"),
    "unstacked": ("top, left, bottom, right = tf.unstack({b}, axis=-1)", "h, w = bottom - top, right - left"),
    "corners": ("near, far = {b}[:, :2], {b}[:, 2:]", "h, w = tf.unstack(far - near, axis=-1)"),
    "halves": ("near, far = tf.split({b}, 2, axis=-1)", "h, w = tf.unstack(far - near, axis=-1)"),
}


@pytest.mark.parametrize("name", ["given", "gt", "x"])
@pytest.mark.parametrize("lines", BOXES.values(), ids=list(BOXES))
def test_of_a_box_whose_width_and_height_are_taken_the_second_corner_is_the_larger_one(
    lines: tuple[str, ...], name: str
) -> None:
    text = function(*(line.format(b=name) for line in lines), "return tf.math.log(h / w)", parameters=name)
    assert role(name, *(line.format(b=name) for line in lines), "return h / w", parameters=name) == roles.BOX
    assert not findings(text)


@pytest.mark.parametrize(
    "lines",
    [
        ("h = given[:, 2] - given[:, 0]", "w = given[:, 1]"),
        ("h, w = given[:, 1] - given[:, 0], given[:, 3] - given[:, 2]"),
        ("h, w = given[:, 0] - given[:, 2], given[:, 1] - given[:, 3]"),
        ("h, w = tf.maximum(given[:, 2] - given[:, 0], 0.0), tf.maximum(given[:, 3] - given[:, 1], 0.0)"),
    ],
)
def test_other_differences_of_columns_make_no_box(lines: str | tuple[str, ...]) -> None:
    given = (lines,) if isinstance(lines, str) else lines
    assert role("given", *given, "return h / w", parameters="given") != roles.BOX


@pytest.mark.parametrize(("name", "box"), [("gt_boxes", True), ("proposals", False)])
def test_labels_whose_corners_are_subtracted_are_boxes_whatever_bounds_their_extent(name: str, box: bool) -> None:
    lines = (f"wide = tf.maximum({name}[..., 2:] - {name}[..., :2], 0.0)", "return tf.reduce_prod(wide, -1)")
    assert (role(name, *lines, parameters=name) == roles.BOX) is box


def test_the_corners_that_a_network_predicts_are_any_numbers() -> None:
    lines = "y_pred[:, 2] - y_pred[:, 0]", "y_pred[:, 3] - y_pred[:, 1]"
    text = trained(
        f"return tf.reduce_mean(tf.math.log({lines[0]}) + tf.math.log({lines[1]}))", parameters="y_true, y_pred"
    )
    assert {one.rule for one in findings(text)} == {"log-below-zero"}


@pytest.mark.parametrize(
    ("name", "expected"),
    [("std_labels", roles.POSITIVE), ("log_std_labels", roles.LABELS), ("var_labels", roles.LABELS)],
)
def test_a_name_that_begins_with_a_deviation_is_one(name: str, expected: str) -> None:
    assert roles.by_name(name) == roles.Role(expected, f"its name, {name}", by_name=True)


@pytest.mark.parametrize(("called", "reported"), [("dist", False), ("distance", False), ("energy", True)])
def test_a_function_that_is_called_a_distance_gives_no_negative_numbers(called: str, reported: bool) -> None:
    loss = f"tf.reduce_mean(tf.math.log(1.0 + tf.exp(-manifold.{called}(a, b))))"
    assert bool(findings(function(f"return {loss}", parameters="manifold, a, b"))) == reported


@pytest.mark.parametrize(("data", "reported"), [("images", True), ("y_pred", False), ("features", False)])
def test_what_an_unknown_function_computes_from_data_may_be_anything(data: str, reported: bool) -> None:
    loss = f"tf.reduce_mean(1.0 / tf.norm(crop({data}), axis=-1))"
    text = function(f"return {loss}", parameters=f"crop, {data}").replace("def f(", "def crop_loss(")
    assert bool(findings(text)) == reported


@pytest.mark.parametrize(
    ("formula", "reported", "if_known"),
    [
        ("values / tf.exp({})", False, False),
        ("tf.math.log(tf.exp({}) + 1.0)", True, True),
        ("tf.exp(4.0 * {}) / tf.nn.softplus(values)", False, True),
    ],
)
@pytest.mark.parametrize("known", [False, True])
def test_what_an_unknown_function_computes_is_a_score_only_where_exponentials_are_added_up(
    formula: str, reported: bool, if_known: bool, known: bool
) -> None:
    loss = formula.format("scores" if known else "width(scores)")
    given = role("scores", f"return tf.reduce_mean({loss})", parameters="width, scores, values")
    assert not known or given == roles.LOGITS
    text = function(f"return tf.reduce_mean({loss})", parameters="width, scores, values")
    assert bool(findings(text)) == (if_known if known else reported)


def test_a_label_is_an_index_through_a_choice() -> None:
    loss = "tf.nn.sparse_softmax_cross_entropy_with_logits(tf.where(tf.equal(labels, -1), 0, labels), logits)"
    assert role("labels", f"return {loss}", parameters="labels, logits") == roles.INDICES
    assert not findings(function(f"return {loss}", parameters="labels, logits"))


def test_a_gradient_is_one_whatever_it_is_called() -> None:
    lines = (
        "with tf.GradientTape() as tape:",
        "    y = tf.square(x)",
        "mask = tape.gradient(y, x)",
        "return 1.0 / mask",
    )
    gradient = program(function(*lines))
    assert role_of(gradient.last("gradient"), gradient.facts).name == roles.GRADIENT


# By name, and by docstring.


NAMES = {
    "attention_mask": roles.PADDING_MASK,
    "maskLogits": roles.LOGITS,
    "y_true": roles.LABELS,
    "y_pred": roles.OUTPUT,
    "box_pred": roles.OUTPUT,
    "true_labels": roles.LABELS,
    "log_probs": roles.LOG_PROBABILITY,
    "old_log_prob": roles.DRAWN_LOG_PROBABILITY,
    "logp_old_ph": roles.DRAWN_LOG_PROBABILITY,
    "prob_a": roles.PROBABILITY,
    "attn_probs": roles.PROBABILITY,
    "num_layers": roles.SETTING,
    "num_positives": roles.COUNT,
    "confusion_matrix": roles.POSITIVE,
    "distance_matrix": roles.POSITIVE,
    "rotation_matrix": roles.ROTATION,
    "trainable_weights": roles.WEIGHT,
    "sample_weights": roles.MASK,
    "norm_constraint": roles.SETTING,
    "learning_rate": roles.SETTING,
    "seq_lengths": roles.SIZE,
    "mel_spectrogram": roles.SIGNAL,
    "input_image": roles.IMAGE,
    "hidden_state": roles.STATE,
    "discounted_returns": roles.REWARD,
    "stddev": roles.POSITIVE,
    "camera_pose": roles.TRANSFORMATION,
    "grad_norm": roles.GRADIENT,
    "query": roles.FEATURES,
    "foo": roles.NOTHING,
    "_": roles.NOTHING,
}


@pytest.mark.parametrize(("name", "expected"), named(NAMES))
def test_a_name_is_read_by_its_last_word_then_its_first_then_any(name: str, expected: str) -> None:
    assert role(name, f"return 2.0 * {name}", parameters=name) == expected


DOCSTRINGS = {
    "a binary mask of shape [batch, n]": roles.MASK,
    "The predicted probabilities, in [0, 1].": roles.PROBABILITY,
    "Tensor of images": roles.NOTHING,
    "an image tensor with three channels": roles.IMAGE,
    "Batch of values.": roles.NOTHING,
    "A real positive `Tensor` of shape `[dim]`.": roles.POSITIVE,
    "Strictly positive float, the step": roles.POSITIVE,
    "": roles.NOTHING,
}


@pytest.mark.parametrize(("said", "expected"), named(DOCSTRINGS))
def test_a_docstring_tells_by_the_last_noun_of_its_first_words(said: str, expected: str) -> None:
    lines = ('"""Scale it.', "", "Args:", f"    given: {said}", '"""', "return 2.0 * given")
    assert role("given", *lines, parameters="given") == expected


@pytest.mark.parametrize(("said", "expected"), [("scale, default is 64", roles.SETTING), ("scale", roles.LOGITS)])
def test_what_has_a_default_in_its_docstring_is_a_setting(said: str, expected: str) -> None:
    lines = ('"""Scale it.', "", "Args:", f"    given: {said}", '"""', "return tf.nn.softmax(w * given)")
    assert role("given", *lines, parameters="given") == expected


BOUNDS_OF_SETTINGS = {
    "max_importance_weight": roles.SETTING,
    "min_scale": roles.SETTING,
    "importance_weight": roles.MASK,
}


@pytest.mark.parametrize(("name", "expected"), named(BOUNDS_OF_SETTINGS))
def test_a_bound_of_weights_or_scales_is_a_setting(name: str, expected: str) -> None:
    assert role(name, f"return x * tf.math.log({name})", parameters=f"x, {name}") == expected


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("given == 0", roles.SETTING),
        ("given > 0.5 and training", roles.SETTING),
        ("tf.equal(given, 0.0)", roles.NOTHING),
    ],
)
def test_what_an_if_compares_with_a_number_is_a_setting(condition: str, expected: str) -> None:
    lines = (f"if {condition}:", "    return x", "return x / (1.0 - given)")
    assert role("given", *lines, parameters="x, given, training") == expected


@pytest.mark.parametrize(
    ("entropy", "expected"),
    [
        ("tf.multiply(tf.math.log(weights), weights)", roles.CLASS_PROBABILITIES),
        ("tf.reduce_sum(tf.math.log(weights) * x)", roles.MASK),
    ],
)
def test_weights_of_which_the_entropy_is_taken_are_probabilities(entropy: str, expected: str) -> None:
    assert role("weights", f"return {entropy}", parameters="x, weights") == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("tf.reduce_sum(-outputs * tf.math.log(outputs), axis=1)", roles.CLASS_PROBABILITIES),
        ("-tf.reduce_mean(-(outputs * tf.math.log(outputs)))", roles.CLASS_PROBABILITIES),
        ("outputs * tf.math.log(outputs) - outputs", roles.PROBABILITY),
        ("tf.reduce_sum(zork * tf.math.log(zork))", roles.NOTHING),
    ],
)
def test_a_sum_of_products_with_the_own_logarithm_is_an_entropy_of_what_a_network_gives(
    value: str, expected: str
) -> None:
    name = "zork" if "zork" in value else "outputs"
    assert role(name, f"return {value}", parameters=name) == expected


def test_the_columns_of_a_list_of_indices_name_different_things() -> None:
    lines = (
        "pairs = tf.repeat(tf.expand_dims(given, 0), 4, axis=0)",
        "first = tf.gather(x, pairs[:, :, 0], axis=1, batch_dims=1)",
        "second = tf.gather(x, pairs[:, :, 1], axis=1, batch_dims=1)",
        "return tf.sqrt(tf.reduce_sum(tf.square(first - second), -1))",
    )
    one = program(function(*lines, parameters="x, given"))
    assert one.role("given").name == roles.INDICES
    assert is_of_pairs(one.named("given"))


@pytest.mark.parametrize(
    ("made", "name"),
    [("np.hanning(5, 7)", "a"), ("np.hanning(5, 7)", "features"), ("solve(x).states", "states")],
)
def test_a_table_of_numbers_and_what_a_solver_gives_are_no_units_and_no_state(made: str, name: str) -> None:
    one = program(function(f"{name} = {made}", f"return x / {name}", parameters="x, solve"))
    assert one.role(name).name == roles.NOTHING


def test_a_logarithmic_table_holds_its_numbers() -> None:
    one = program(function("a = np.logspace(-2.0, 0.0, 3)", "return x / a", parameters="x"))
    assert np.allclose(one.run().values[one.last("divide").operands[1]], [0.01, 0.1, 1.0])


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("boxes[..., :2] - boxes[..., 2:] / 2.0, tf.atan(boxes[..., 2] / boxes[..., 3])", roles.RECORD),
        ("boxes", roles.LABELS),
    ],
)
def test_labels_have_parts_where_columns_are_taken_of_some_of_their_rows(given: str, expected: str) -> None:
    lines = ("boxes = tf.boolean_mask(targets, valid)", f"return {given}")
    assert role("targets", *lines, parameters="targets, valid") == expected


@pytest.mark.parametrize("places", ["(x == 0.0).nonzero()", "np.where(x == 0.0)", "x == 0.0"])
def test_a_mask_and_its_places_choose_what_an_array_changes(places: str) -> None:
    one = program(function(f"x[{places}] = 1.0", "return tf.constant(1.0 / x)", parameters="x"))
    changed = one.last("divide").operands[1]
    assert (changed.op, changed.operands[0].op) == ("where", "equal")


DIVISORS = {
    "x / weights": roles.SETTING,
    "x / weights[0]": roles.SETTING,
    "x / tf.split(weights, 2)[1]": roles.SETTING,
    "x / tf.reduce_sum(weights)": roles.MASK,
}


@pytest.mark.parametrize(("given", "expected"), named(DIVISORS))
def test_weights_whose_elements_are_divisors_mask_nothing(given: str, expected: str) -> None:
    assert role("weights", f"return {given}", parameters="x, weights") == expected


WINDOWS = {"2, 0, 3, 1": roles.BOX, "1, 0, 2, 1": roles.NOTHING}


@pytest.mark.parametrize(("places", "expected"), named(WINDOWS))
def test_the_sides_of_a_single_box_are_differences_of_its_elements(places: str, expected: str) -> None:
    a, b, c, d = places.split(", ")
    lines = (f"height, width = window[{a}] - window[{b}], window[{c}] - window[{d}]", "return 1.0 / (height * width)")
    assert role("window", *lines, parameters="window") == expected


UNPACKED = {"y, x, href, wref": roles.SIZE, "y, x, href, depth": roles.NOTHING, "y, x, href, h": roles.NOTHING}


@pytest.mark.parametrize(("names", "expected"), named(UNPACKED))
def test_a_height_is_a_size_if_a_width_of_the_same_name_is_given_with_it(names: str, expected: str) -> None:
    assert role("href", f"{names} = anchors", "return x / href", parameters="anchors, x") == expected


FILLED = {"numpy.zeros((3,))": roles.NOTHING, "numpy.load(path)": roles.NOTHING, "recall(path)": roles.FEATURES}


@pytest.mark.parametrize(("made", "expected"), named(FILLED))
def test_the_name_of_an_array_that_is_filled_tells_nothing(made: str, expected: str) -> None:
    text = f"import numpy\nfrom web import recall\n\nh = {made}\nshare = x / h\n"
    assert program(text).role("h").name == expected


@pytest.mark.parametrize(("made", "expected"), named({"ones": [], "zeros": ["divide-by-zero"]}))
def test_weights_that_are_ones_unless_they_are_set_are_no_mask(made: str, expected: list[str]) -> None:
    lines = [f"weights = numpy.{made}(rows)", "weights[:few] = 0.5", "return x / tf.reduce_sum(weights)"]
    assert [one.rule for one in findings("import numpy\n\n" + trained(*lines, parameters="x, rows, few"))] == expected


FILES = {
    "tf.keras.datasets.boston_housing.load_data()": roles.NOTHING,
    'pandas.read_csv("values.csv").values': roles.NOTHING,
    'np.load("values.npy")': roles.NOTHING,
    'pandas.read_csv("values.csv")': roles.NOTHING,
    "np.load(path)": roles.NOTHING,
    'np.load(path, allow_pickle=True)[()]["tile"]': roles.NOTHING,
    "pickle.load(open(path, mode))": roles.NOTHING,
    "load(path)": roles.FEATURES,
    'fetch("values")': roles.FEATURES,
}


@pytest.mark.parametrize(("given", "expected"), named(FILES))
def test_what_the_program_reads_from_a_file_has_no_role(given: str, expected: str) -> None:
    text = f"import pandas\nimport pickle\nfrom web import fetch, load\n\ndata = {given}\nmean = tf.reduce_mean(data)\n"
    assert program(text).role("data").name == expected


DRAWS = {
    "tf.random.normal([rows, 3])": roles.DRAWN_WEIGHT,
    "0.01 * tf.random.normal([rows, 3])": roles.DRAWN_WEIGHT,
    "tf.random.normal([rows])": roles.MINIMISED,
    "tf.zeros([3, 3])": roles.ZERO_WEIGHT,
}


@pytest.mark.parametrize(("start", "expected"), named(DRAWS))
def test_the_norm_of_a_whole_matrix_that_is_drawn_does_not_shrink_to_0(start: str, expected: str) -> None:
    text = (
        f"w = tf.Variable({start})\n"
        "with tf.GradientTape() as tape:\n"
        "    loss = tf.reduce_sum(x * w) + 0.01 * tf.norm(w)\n"
        "g = tape.gradient(loss, w)\n"
    )
    assert program(text).role("w").name == expected


def test_a_docstring_tells_only_what_the_name_does_not() -> None:
    lines = ('"""Scale it.', "", "Args:", "    labels: a mask.", '"""', "return 2.0 * labels")
    assert role("labels", *lines, parameters="labels") == roles.LABELS


def test_a_word_stands_in_the_list_of_one_role_and_once() -> None:
    words = [word for _, text in roles.NAMES for word in text.split()]
    assert {word for word in words if words.count(word) > 1} == set(), "it has the role of the first list alone"


# The tables.


def tables() -> list[Any]:
    """The frozensets and dicts in the modules of the trials whose words are ops, most of them at least."""
    found = []
    for module in pkgutil.iter_modules(tfnanlint.trial.__path__):
        for name, value in vars(importlib.import_module(f"tfnanlint.trial.{module.name}")).items():
            if isinstance(value, (frozenset, dict)) and value is not OPS:
                words = {word for word in value if isinstance(word, str)}
                if len(words & (OPS.keys() | KINDS)) > len(words) / 2:
                    found.append(pytest.param(words, id=f"{module.name}.{name}"))
    return found


@pytest.mark.parametrize("table", tables())
def test_every_op_that_a_table_names_exists(table: set[str]) -> None:
    assert table <= OPS.keys() | KINDS


def test_the_tables_of_ops_are_found() -> None:
    ids = {case.id for case in tables()}
    assert {
        "by_use.SCORES",
        "by_use.OPS_WITH_A_LOG",
        "chance.POINTWISE",
        "limits.CLIPPING",
        "shapes.KEEPING_RANK",
        "plan.LEAVES",
    } <= ids


@pytest.mark.parametrize(
    ("loss", "expected"),
    [
        ("tf.nn.sparse_softmax_cross_entropy_with_logits(tf.cast(y, tf.int32), p)", roles.INDICES),
        ("tf.nn.sparse_softmax_cross_entropy_with_logits(tf.reshape(tf.cast(y, tf.int64), [-1]), p)", roles.INDICES),
        ("tf.reduce_sum(tf.one_hot(tf.cast(y, tf.int32), 3) * p, axis=-1)", roles.INDICES),
        ("tf.square(y - p)", roles.LABELS),
        ("tf.nn.softmax_cross_entropy_with_logits(y, p)", roles.LABELS),
    ],
)
def test_labels_that_keras_gives_are_class_ids_where_a_loss_takes_ids(loss: str, expected: str) -> None:
    text = function(f"return {loss}", parameters="y, p")
    text += "\n\nnet = tf.keras.Sequential([tf.keras.layers.Dense(3)])\nnet.compile(loss=f)\n"
    built = program(text)
    given = [node for node in built.flow if GIVEN_LABELS in node.attrs]
    assert [role_of(node, built.facts).name for node in given] == [expected]


MODULES = sorted(Path(tfnanlint.trial.__file__).parent.glob("*.py"))


def asked(path: Path) -> set[str]:
    """The words that a module compares the op of a node with."""
    found: set[str] = set()
    for compared in ast.walk(ast.parse(path.read_text())):
        if isinstance(compared, ast.Compare) and re.search(r"\bop$|^row.name$", ast.unparse(compared.left)):
            texts = [
                one.value for part in compared.comparators for one in ast.walk(part) if isinstance(one, ast.Constant)
            ]
            found |= {text for text in texts if isinstance(text, str)}
    return found


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_every_op_that_a_module_asks_for_exists(path: Path) -> None:
    assert asked(path) <= OPS.keys() | KINDS


def test_the_ops_that_modules_ask_for_are_seen() -> None:
    assert {"where", "reduce_sum", "one_hot", "phi"} <= set().union(*map(asked, MODULES))


@pytest.mark.parametrize(
    ("taken", "expected"),
    [
        ("tf.round(y_pred)", roles.PROBABILITY),
        ("tf.reshape(y_pred, [-1])", roles.PROBABILITY),
        ("y_pred + y_true", roles.OUTPUT),
    ],
)
def test_a_prediction_whose_overlap_with_its_label_is_added_up_is_a_probability(taken: str, expected: str) -> None:
    lines = (
        f"found = {taken}",
        "both = tf.reduce_sum(found * y_true)",
        "return 2.0 * both / (tf.reduce_sum(found) + tf.reduce_sum(y_true) + 1.0)",
    )
    assert role("y_pred", *lines, parameters="y_true, y_pred") == expected


def test_a_value_that_is_converted_and_clipped_goes_by_the_name_of_the_parameter_that_takes_it() -> None:
    helper = "def rescale(image):\n    return image / tf.reduce_max(image)\n\n\n"
    body = "def prepare(slices):\n    return rescale({})\n"
    clipped = program(helper + body.format("tf.clip_by_value(tf.cast(slices, tf.float32), -1000.0, 1000.0)"))
    assert clipped.role("slices").name == roles.IMAGE
    computed = program(helper + body.format("tf.exp(slices)"))
    assert computed.role("slices").name == roles.NOTHING


def test_an_attribute_goes_by_the_name_of_the_variable_that_holds_it() -> None:
    body = "def loss(heads):\n    action, {} = [head.tensor for head in heads]\n    return {} * tf.math.log(action)\n"
    named = program(body.format("prob", "prob"))
    roles_of = {named.flow.renamed[node][0]: role_of(node, named.facts).name for node in named.flow.renamed}
    assert roles_of == {"action": roles.FEATURES, "prob": roles.PROBABILITY}


def test_anchors_with_corners_are_boxes_and_anchors_that_divide_are_sizes() -> None:
    sides = ("x1, y1, x2, y2 = tf.split(anchors, 4, axis=-1)", "return x / (x2 - x1) + x / (y2 - y1)")
    assert role("anchors", *sides, parameters="x, anchors") == roles.BOX
    assert role("anchors", "return x / anchors", parameters="x, anchors") == roles.POSITIVE


def test_labels_of_very_many_classes_take_no_matrix_of_all_classes() -> None:
    tracemalloc.start()
    labels = calm(roles.Role(roles.LABELS), (2, 20_000), {}, seed=0)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert labels.shape == (2, 20_000)
    assert labels.sum(-1).tolist() == [1.0, 1.0]
    assert most < 50e6
