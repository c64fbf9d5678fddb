"""A patch of NaN behind trained layers is moved to before them, and then the weights stay finite."""

from __future__ import annotations

from typing import Any

import keras
import numpy as np
import pytest

from tfnanlint.finding import Finding
from tfnanlint.lint import lint_source
from tfnanlint.run.edits import apply_edits

FUNCTIONAL = """\
import tensorflow as tf
from tensorflow import keras


def patch_nans(t):
    return tf.where(tf.math.is_nan(t), tf.zeros_like(t), t)


inputs = keras.Input((2,))
h = keras.layers.Dense(4)(inputs)
h = keras.layers.ReLU()(h)
h = keras.layers.Dense(1)(h)
outputs = keras.layers.Lambda(patch_nans)(h)
model = keras.Model(inputs, outputs)
model.compile(loss="mse", optimizer="sgd")
"""

SUBCLASSED = """\
import tensorflow as tf


class Net(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.first = tf.keras.layers.Dense(4)
        self.last = tf.keras.layers.Dense(1)

    def call(self, x):
        y = self.last(tf.nn.relu(self.first(x)))
        return tf.where(tf.math.is_nan(y), tf.zeros_like(y), y)


model = Net()
model.compile(loss="mse", optimizer="sgd")
"""

SEQUENTIAL = """\
import tensorflow as tf
from tensorflow import keras

model = keras.Sequential(
    [
        keras.layers.Input((2,)),
        keras.layers.Dense(2),
        keras.layers.Dense(1),
        keras.layers.Lambda(lambda t: tf.where(tf.math.is_nan(t), tf.zeros_like(t), t)),
    ]
)
model.compile(loss="mse", optimizer="sgd")
"""

ADDED = """\
import tensorflow as tf
from tensorflow import keras


def patch_nans(t):
    return tf.where(tf.math.is_nan(t), tf.zeros_like(t), t)


model = keras.Sequential()
model.add(keras.layers.Dense(2))
model.add(keras.layers.Dense(1))
model.add(keras.layers.Lambda(patch_nans))
model.compile(loss="mse", optimizer="sgd")
"""

PATCH = "keras.layers.Lambda(lambda t: tf.where(tf.math.is_nan(t), tf.zeros_like(t), t)),\n"

REPAIRED = {
    SEQUENTIAL: [
        (f"        {PATCH}", ""),
        ("keras.layers.Dense(2),", f"{PATCH}        keras.layers.Dense(2),"),
    ],
    ADDED: [
        ("model.add(keras.layers.Lambda(patch_nans))\n", ""),
        (
            "model.add(keras.layers.Dense(2))",
            "model.add(keras.layers.Lambda(patch_nans))\nmodel.add(keras.layers.Dense(2))",
        ),
    ],
    FUNCTIONAL: [
        ("Dense(4)(inputs)", "Dense(4)(keras.layers.Lambda(patch_nans)(inputs))"),
        ("outputs = keras.layers.Lambda(patch_nans)(h)", "outputs = h"),
    ],
    SUBCLASSED: [
        ("self.first(x)", "self.first(tf.where(tf.math.is_finite(x), x, tf.zeros_like(x)))"),
        ("return tf.where(tf.math.is_nan(y), tf.zeros_like(y), y)", "return y"),
    ],
}

NAMES = ["a list of layers", "layers that are added", "functional", "subclassed"]


def only(text: str) -> Finding:
    (finding,) = lint_source(text, "a.py")
    return finding


def repaired(text: str) -> str:
    fix = only(text).fix
    assert fix is not None
    assert fix.kind == "rework"
    return apply_edits(text, fix.edits)


@pytest.mark.parametrize("text", REPAIRED, ids=NAMES)
def test_the_patch_moves_to_before_the_first_layer(text: str) -> None:
    expected = text
    for old, new in REPAIRED[text]:
        assert expected.count(old) == 1
        expected = expected.replace(old, new)
    assert repaired(text) == expected
    assert lint_source(expected, "a.py") == []


@pytest.mark.parametrize("text", REPAIRED, ids=NAMES)
def test_the_weights_stay_finite_where_they_did_not_before(text: str) -> None:
    x, y = np.array([[1.0, 2.0], [np.nan, 1.0], [0.5, -1.0]], "float32"), np.ones((3, 1), "float32")
    finite = []
    for program in (text, repaired(text)):
        names: dict[str, Any] = {}
        exec(compile(program, "a.py", "exec"), names)
        names["model"].fit(x, y, batch_size=3, verbose=0)
        finite.append(all(np.isfinite(w).all() for w in names["model"].get_weights()))
    assert finite == [False, True]


GIVEN = """\
import tensorflow as tf


def train_step(model, x, labels):
    with tf.GradientTape() as tape:
        y = model(x, training=True)
        y = tf.where(tf.math.is_nan(y), tf.zeros_like(y), y)
        loss = tf.reduce_mean(tf.square(y - labels))
    return tape.gradient(loss, model.trainable_variables)
"""


def test_the_gradients_of_a_model_that_is_a_parameter_stay_finite() -> None:
    expected = GIVEN.replace("model(x,", "model(tf.where(tf.math.is_finite(x), x, tf.zeros_like(x)),")
    expected = expected.replace("        y = tf.where(tf.math.is_nan(y), tf.zeros_like(y), y)\n", "")
    assert repaired(GIVEN) == expected
    x, y = np.array([[1.0, 2.0], [np.nan, 1.0]], "float32"), np.ones((2, 1), "float32")
    model = keras.Sequential([keras.layers.Dense(4), keras.layers.Dense(1)])
    finite = []
    for program in (GIVEN, expected):
        names: dict[str, Any] = {}
        exec(compile(program, "a.py", "exec"), names)
        finite.append(all(np.isfinite(one).all() for one in names["train_step"](model, x, y)))
    assert finite == [False, True]


REFUSED = {
    "the function is not there yet": (
        FUNCTIONAL.replace(FUNCTIONAL[FUNCTIONAL.index("def patch") : FUNCTIONAL.index("inputs =")], "").replace(
            "outputs =",
            "def patch_nans(t):\n    return tf.where(tf.math.is_nan(t), tf.zeros_like(t), t)\n\n\noutputs =",
        ),
        "not defined yet",
    ),
    "the first layer says what comes in": (
        SEQUENTIAL.replace("Dense(2)", "Dense(2, input_shape=(2,))"),
        "no layer can precede it",
    ),
}


@pytest.mark.parametrize(("text", "reason"), REFUSED.values(), ids=list(REFUSED))
def test_where_the_patch_cannot_move_the_report_says_why(text: str, reason: str) -> None:
    finding = only(text)
    assert finding.fix is None
    assert reason in (finding.no_fix or "")
