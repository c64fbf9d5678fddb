"""Where an obvious rewriting is a wrong one: the repairs of the built-in rules avoid it, and TensorFlow agrees."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tfnanlint.lint import lint_source
from tfnanlint.run.rounds import fix_text
from tfnanlint.run.text import Linted

HEAD = "import tensorflow as tf\n\n\n"
TAPE = """

def train(*given):
    with tf.GradientTape() as tape:
        loss = f(*given)
    return tape.gradient(loss, given)
"""


def repaired(text: str, unsafe: bool = True) -> str:
    """A program after all its repairs, the unsafe ones included."""
    return fix_text(text, "a.py", lambda now: Linted(lint_source(now, "a.py")), unsafe=unsafe)


def function(*lines: str, parameters: str = "x") -> str:
    """A program with a function that is differentiated."""
    return f"{HEAD}def f({parameters}):\n" + "".join(f"    {line}\n" for line in lines) + TAPE


def body(text: str) -> str:
    return text.removeprefix(HEAD).split("\n", 1)[1].removesuffix(TAPE).strip()


def runs(text: str, *arguments: Any, dtype: str = "float32") -> tuple[np.ndarray, list[np.ndarray]]:
    """What `f` of a program computes, and its gradients."""
    import tensorflow as tf

    names: dict[str, Any] = {}
    exec(compile(text, "a.py", "exec"), names)
    given = [tf.constant(a, dtype) if np.asarray(a).dtype.kind == "f" else tf.constant(a) for a in arguments]
    floats = [a for a in given if a.dtype.is_floating]
    with tf.GradientTape() as tape:
        tape.watch(floats)
        value = names["f"](*given)
    return np.asarray(value), [np.asarray(g) for g in tape.gradient(value, floats) if g is not None]


@pytest.mark.tensorflow
def test_labels_that_do_not_sum_to_one_keep_their_gradient() -> None:
    text = function("return -tf.reduce_sum(y * tf.math.log(tf.nn.softmax(x)))", parameters="y, x")
    after = repaired(text)
    assert body(after) == "return -tf.reduce_sum(y * tf.nn.log_softmax(x))"
    labels, logits = [[0.5, 0.2]], [[1.0, -0.5]]
    for old, new in zip(runs(text, labels, logits)[1], runs(after, labels, logits)[1], strict=True):
        np.testing.assert_allclose(new, old, rtol=1e-5)


def test_a_norm_keeps_its_axes_its_shape_and_its_name() -> None:
    text = function("return tf.norm(x, 'fro', axis=[0, 1], keepdims=True, name='n')")
    assert "axis=[0, 1], keepdims=True" in body(repaired(text))
    assert "name='n')" in body(repaired(text))


@pytest.mark.parametrize(
    "text",
    [
        "tf.norm(tf.cast(x, tf.complex64), axis=-1)",
        "tf.norm(x, ord=2, axis=[0, 1])",
        "tf.norm(x, ord=1, axis=-1)",
        "tf.norm(x, ord=3, axis=-1)",
    ],
)
def test_a_norm_that_is_no_root_of_squares_is_not_made_one(text: str) -> None:
    assert body(repaired(function(f"return {text}"))) == f"return {text}"


@pytest.mark.parametrize("text", ["tf.math.log(tf.linalg.det(x))", "tf.math.log(tf.reduce_prod(x))"])
def test_the_sign_of_a_determinant_or_a_product_is_not_lost_unasked(text: str) -> None:
    after = repaired(function(f"return {text}"), unsafe=False)
    assert "slogdet" not in after
    assert "logdet" not in after
    assert "reduce_sum" not in after


@pytest.mark.tensorflow
def test_a_quotient_of_whole_numbers_keeps_its_type() -> None:
    text = function(
        "kept = tf.cast(tf.greater(k, 2), tf.int32)",
        "return tf.reduce_sum(k * kept) / tf.reduce_sum(kept)",
        parameters="k",
    )
    after = repaired(text)
    old, new = runs(text, [1, 3, 4])[0], runs(after, [1, 3, 4])[0]
    assert old.dtype == new.dtype
    assert old == new


@pytest.mark.tensorflow
def test_an_epsilon_is_one_that_the_type_can_hold() -> None:
    text = function("h = tf.cast(x, tf.float16)", "return tf.sqrt(tf.reduce_sum(tf.square(h)))")
    after = repaired(text)
    assert after != text
    value, gradients = runs(after, [0.0, 0.0])
    assert np.isfinite(value)
    assert all(np.isfinite(g).all() for g in gradients)
    assert value > 0  # the bound is no 0


def test_what_is_added_is_a_bound_and_no_term() -> None:
    # The term would be folded into the difference by a graph optimiser, and a difference a little below 0 stays there.
    text = function("return tf.sqrt(tf.nn.relu(x - y))", parameters="x, y")
    assert "1e-12" in repaired(text)
    assert "+ 1e-12" not in repaired(text)


SAME = {
    "tf.math.log1p(tf.exp(x))": (np.linspace(-80, 80, 1001), 1e-6),
    "tf.math.log(1.0 + tf.exp(x))": (np.linspace(-3, 80, 1001), 1e-5),
    "tf.math.log(1.0 - tf.sigmoid(x))": (np.linspace(-8, 9, 1001), 2e-4),
    "tf.exp(x) - 1.0": (np.linspace(0.5, 80, 101), 1e-6),
    "tf.math.log(tf.reduce_sum(tf.exp(x), axis=-1))": (np.linspace(-8, 80, 1001), 1e-6),
}


@pytest.mark.parametrize("text", SAME)
@pytest.mark.tensorflow
def test_a_rewriting_differs_by_rounding_and_is_nearer_to_the_truth(text: str) -> None:
    before = function(f"return {text}")
    after = repaired(before)
    points, tolerance = SAME[text]
    old, new = runs(before, points)[0], runs(after, points)[0]
    truth = runs(before, points, dtype="float64")[0]
    np.testing.assert_allclose(new, old, rtol=tolerance, atol=tolerance)
    assert np.max(np.abs(new - truth)) <= np.max(np.abs(old - truth)) * (1 + 1e-6)


def test_the_first_generation_has_its_own_keywords() -> None:
    text = "import tensorflow.compat.v1 as tf\ny = tf.log(tf.nn.softmax(x, dim=1))\n"
    assert repaired(text).endswith("y = tf.nn.log_softmax(x, axis=1)\n")


def test_the_old_backend_has_no_log_softmax() -> None:
    text = "from tensorflow.keras import backend as K\ny = K.log(K.softmax(x))\n"
    assert repaired(text) == "import tensorflow as tf\ny = tf.nn.log_softmax(x)\n"


@pytest.mark.parametrize(
    "text",
    [
        'keras.layers.Dense(3, activation="softmax")])\nmodel.compile("sgd", keras.losses.CategoricalCrossentropy())\n',
        'keras.layers.Dense(3)])\nmodel.compile("sgd", keras.losses.CategoricalCrossentropy(from_logits=True))\n',
    ],
)
def test_a_loss_and_an_activation_that_belong_together_are_not_separated(text: str) -> None:
    whole = "from tensorflow import keras\n\nmodel = keras.Sequential([" + text
    assert repaired(whole) == whole


def test_a_loss_told_of_logits_is_not_told_of_a_softmax() -> None:
    text = (
        "from tensorflow import keras\n\nmodel = keras.Sequential([keras.layers.Dense(3)])\n"
        'model.compile("sgd", "categorical_crossentropy")\n'
    )
    after = repaired(text)
    assert "from_logits=True" in after
    assert "softmax" not in after


@pytest.mark.parametrize(
    "text",
    [
        "tf.where(x > 0.0, tf.math.log(tf.nn.relu(x)), 0.0)",
        "tf.where(x > 0.0, tf.sqrt(tf.nn.relu(x)), 0.0)",
        "tf.where(x > 0.0, 1.0 / tf.nn.relu(x), 0.0)",
    ],
)
@pytest.mark.tensorflow
def test_a_branch_that_is_not_chosen_has_a_finite_gradient(text: str) -> None:
    after = repaired(function(f"return tf.reduce_sum({text})"))
    _, gradients = runs(after, [0.0, -1.0, 2.0])
    assert all(np.isfinite(g).all() for g in gradients), after


def test_a_draw_for_a_gumbel_sample_never_is_infinite() -> None:
    text = function("u = tf.random.uniform(tf.shape(x))", "return tf.reduce_mean(x - tf.math.log(-tf.math.log(u)))")
    assert "tf.math.log(tf.maximum(u, 1e-30))" in repaired(text)


def test_an_infinity_that_decides_something_does_not_become_a_zero() -> None:
    text = function(
        "q = tf.reduce_max(tf.nn.relu(x)) / tf.reduce_sum(tf.nn.relu(x))",
        "return tf.where(q > 0.5, 1.0, tf.minimum(q, y))",
        parameters="x, y",
    )
    for finding in lint_source(text, "a.py"):
        assert "would change the comparison" in (finding.no_fix or "")
    assert repaired(text) == text


def test_an_infinity_that_is_only_handed_out_is_left_to_those_who_take_it() -> None:
    text = f"{HEAD}def log_probability(x):\n    return tf.math.log(tf.reduce_sum(tf.square(x), axis=-1)) - 1.0\n"
    (finding,) = lint_source(text, "a.py")
    assert "returns this value directly" in (finding.no_fix or "")
    assert "1e-30" in repaired(function("return tf.math.log(tf.reduce_sum(tf.square(x), axis=-1)) - 1.0"))


def test_a_quotient_by_what_rounds_to_nothing_is_large_and_no_zero() -> None:
    text = function("return tf.exp(tf.minimum(-x, 80.0)) / tf.sigmoid(x)")
    (finding,) = lint_source(text, "a.py")
    assert "0 only by rounding, and no constant can replace the large quotient" in (finding.no_fix or "")
    assert repaired(text) == text


@pytest.mark.parametrize("line", ["tf.math.log(r / tf.reduce_sum(r))", "1.0 / (r / tf.reduce_sum(r))"])
def test_a_quotient_that_is_a_pole_to_what_takes_it_does_not_become_a_zero(line: str) -> None:
    findings = lint_source(function("r = tf.nn.relu(x)", f"return tf.reduce_sum({line})"), "a.py")
    assert any("the next op is infinite at 0" in (finding.no_fix or "") for finding in findings)


def test_what_two_repairs_take_apart_is_dropped_by_the_second() -> None:
    lines = ("p = tf.sigmoid(x)", "return -tf.reduce_mean(y * tf.math.log(p) + (1 - y) * tf.math.log(1 - p))")
    after = "return -tf.reduce_mean(y * tf.math.log_sigmoid(x) - (1 - y) * tf.nn.softplus(x))"
    assert body(repaired(function(*lines, parameters="y, x"))) == after


@pytest.mark.parametrize(
    ("line", "floor"),
    [("other = tf.exp(-tf.abs(z) / (2 * d)) / tf.sqrt(d)", "1e-12"), ("other = z / d + tf.math.log(d)", "1e-6")],
    ids=["scaled", "plain"],
)
def test_a_value_that_breaks_all_that_uses_it_is_bounded_where_it_is_defined(line: str, floor: str) -> None:
    text = function("d = tf.nn.relu(x)", line, "return tf.reduce_sum(other)", parameters="x, z")
    assert repaired(text) == text.replace("d = tf.nn.relu(x)", f"d = tf.maximum(tf.nn.relu(x), {floor})")


def test_a_value_that_is_of_other_use_is_bounded_where_it_breaks() -> None:
    text = function("d = tf.nn.relu(x)", "return tf.reduce_sum(z / d + tf.tanh(d))", parameters="x, z")
    assert repaired(text) == text.replace("z / d", "z / tf.maximum(d, 1e-6)")


def test_a_missing_label_is_replaced_where_the_loss_is_computed() -> None:
    lines = ("error = tf.square(y - x)", "return tf.where(tf.math.is_nan(y), tf.zeros_like(error), error)")
    text = function(*lines, parameters="x, y")
    known = "tf.where(tf.math.is_nan(y), tf.zeros_like(y), y)"
    assert repaired(text) == text.replace("tf.square(y - x)", f"tf.square({known} - x)")


def test_an_error_that_is_of_other_use_keeps_its_missing_labels() -> None:
    text = function(
        "error = tf.square(y - x)",
        "print(tf.reduce_max(error))",
        "return tf.where(tf.math.is_nan(y), tf.zeros_like(error), error)",
        parameters="x, y",
    )
    (finding,) = lint_source(text, "a.py")
    assert "used elsewhere, too" in (finding.no_fix or "")


def test_a_line_that_speaks_to_a_tool_is_not_broken() -> None:
    long = "distance_to_the_others = tf.reduce_sum(tf.norm(x - tf.stop_gradient(x), axis=-1))"
    text = function(f"{long}  # pylint: disable=invalid-name", "return distance_to_the_others")
    text += "".join(f"\n\ndef f{i}():\n    return {i}\n" for i in range(30))
    assert next(line for line in repaired(text).splitlines() if "pylint" in line).startswith("    distance")
    assert repaired(text).count("\n") == text.count("\n")
    assert repaired(text.replace("  # pylint: disable=invalid-name", "")).count("\n") > text.count("\n")


@pytest.mark.parametrize(
    ("layer", "loss", "wanted"),
    [
        ("Dense(1, activation='softmax')", "binary_crossentropy", "Dense(1, activation='sigmoid')"),
        ("Dense(3, activation='relu')", "categorical_crossentropy", "Dense(3, activation='softmax')"),
    ],
)
def test_an_activation_is_exchanged_where_the_layer_is_made(layer: str, loss: str, wanted: str) -> None:
    text = "from keras.models import Sequential\nfrom keras.layers import Dense\n"
    text += f"model = Sequential()\nmodel.add({layer})\n"
    text += f"model.compile(loss={loss!r})\n"
    assert repaired(text) == text.replace(layer, wanted)
