"""What a fix does not repair is said beside it."""

from __future__ import annotations

import io
import json
from contextlib import redirect_stdout
from pathlib import Path

import pytest

from tfnanlint import cli, lint_source
from tfnanlint.finding import Fix
from tfnanlint.vocabulary import FORMATS

HIDDEN = """\
import tensorflow as tf


def loss(x, y):
    p = tf.keras.layers.Dense({units}, activation="{activation}")(x)
    return -tf.reduce_mean(tf.math.log({argument}))
"""


def fix_of(**parts: object) -> Fix:
    (finding,) = lint_source(HIDDEN.format(**{"units": 3, "argument": "p"} | parts))
    assert finding.fix is not None
    return finding.fix


@pytest.mark.parametrize(
    "parts",
    [
        {"activation": "sigmoid"},
        {"activation": "sigmoid", "argument": "1.0 - p"},
        {"activation": "softmax"},
        {"activation": "softmax", "argument": "tf.gather(p, y, batch_dims=1)"},
        {"activation": "softmax", "argument": "tf.reduce_sum(p * tf.cast(y, tf.float32), -1)"},
        {"activation": "sigmoid", "argument": "tf.where(y == 1, p, 1.0 - p)"},
    ],
    ids=str,
)
def test_a_guard_behind_a_saturated_activation_stops_the_gradient(parts: dict[str, object]) -> None:
    fix = fix_of(**parts)
    assert fix.kind == "guard"
    assert "without a gradient" in fix.note
    assert "from_logits=True" in fix.note


def test_a_guard_elsewhere_and_an_equivalent_fix_need_no_note() -> None:
    (finding,) = lint_source("import tensorflow as tf\n\n\ndef loss(x):\n    return x / tf.norm(x)\n")
    assert finding.fix is not None
    assert (finding.fix.kind, finding.fix.note) == ("guard", "")
    (finding,) = lint_source("import tensorflow as tf\n\n\ndef loss(x):\n    return tf.math.log(tf.sigmoid(x))\n")
    assert finding.fix is not None
    assert (finding.fix.kind, finding.fix.note) == ("after", "")


COMPILED = """\
from tensorflow import keras

model = keras.Sequential([keras.layers.Input((4,)), keras.layers.Dense(1)])
model.compile("adam", "binary_crossentropy", metrics={metrics})
"""


@pytest.mark.parametrize(
    ("metrics", "noted"),
    [('["accuracy"]', True), ("['AUC', 'binary_accuracy']", True), ('["mae"]', False), ("[]", False)],
)
def test_a_loss_of_logits_leaves_metrics_that_compare_with_a_half(metrics: str, noted: bool) -> None:
    (finding,) = lint_source(COMPILED.format(metrics=metrics))
    assert finding.fix is not None
    assert "from_logits=True" in finding.fix.message
    assert ("BinaryAccuracy(threshold=0.0)" in finding.fix.note) is noted


def test_keras_compares_logits_with_a_half_unless_it_is_told_otherwise() -> None:
    import keras
    import tensorflow as tf

    positive = ([[1.0]], [[0.2]])  # a logit above 0: the class is 1
    assert float(tf.reduce_mean(keras.metrics.binary_accuracy(*positive))) == 0.0
    assert float(tf.reduce_mean(keras.metrics.binary_accuracy(*positive, threshold=0.0))) == 1.0


def test_a_mixture_of_densities_is_no_probability_of_a_class() -> None:
    for product in ("p * tf.exp(-tf.square(x - y))", "tf.exp(-tf.square(x)) * p"):
        argument = f"tf.reduce_sum({product}, -1)"
        fix = fix_of(activation="softmax", argument=argument)
        assert (fix.kind, fix.note) == ("guard", "")


EVERYWHERE = sorted(set(FORMATS) - {"concise"})  # whose line has no room


@pytest.mark.parametrize("kind", EVERYWHERE)
def test_the_note_is_reported(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "loss.py"
    path.write_text(HIDDEN.format(units=1, activation="sigmoid", argument="p"))
    for cached in range(2):
        shown = io.StringIO()
        with redirect_stdout(shown):
            arguments = ["--isolated", "--cache-dir", str(tmp_path / "cache"), "--output-format", kind]
            cli.main([str(path), *arguments])
        assert "without a gradient" in shown.getvalue(), cached
        if kind == "json":
            assert "without a gradient" in json.loads(shown.getvalue())[0]["fix"]["note"]
