"""Numbers that float16 does not hold: what TensorFlow makes of them, and what is reported."""

from __future__ import annotations

from pathlib import Path
from runpy import run_path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from tfnanlint import lint_function, lint_source
from tfnanlint.cli import main
from tfnanlint.commands import CLEAN

CAST, SQUARE = "cast-overflow-float16", "square-overflow-float16"
SCORES, MASK = tf.TensorSpec([None, 4]), tf.TensorSpec([None, 4], tf.bool)


def masked_after_a_cast(x: Any, mask: Any, least: float) -> Any:
    added = tf.where(mask, 0.0, least)
    return tf.nn.softmax(tf.cast(x, tf.float16) + tf.cast(added, tf.float16))


def squared(x: Any, most: float) -> Any:
    return tf.reduce_mean(tf.cast(tf.square(tf.cast(tf.clip_by_value(x, 1.0, most), tf.float16)), tf.float32))


def narrowed(x: Any, most: float) -> Any:
    return tf.cast(tf.cast(tf.clip_by_value(x, 1.0, most), tf.float16), tf.float32)


def found(function: Any, *specs: Any, **options: Any) -> list[str]:
    return [finding.rule for finding in lint_function(function, *specs, **options)]


@pytest.mark.parametrize(("least", "rules"), [(-1e9, [CAST]), (-3e4, [])])
def test_a_large_negative_number_that_is_cast_makes_a_masked_row_nan(least: float, rules: list[str]) -> None:
    result = masked_after_a_cast(np.zeros((1, 4), np.float32), np.zeros((1, 4), bool), least)
    assert bool(np.isfinite(result.numpy()).all()) is not bool(rules)
    assert found(lambda x, mask: masked_after_a_cast(x, mask, least), SCORES, MASK) == rules


@pytest.mark.parametrize(("most", "rules"), [(400.0, [SQUARE]), (200.0, [])])
@pytest.mark.parametrize("offset", [0.0, 390.0])
def test_a_square_overflows_where_its_numbers_are_known_to_be_large(
    most: float, offset: float, rules: list[str]
) -> None:
    result = squared(np.full((4,), 1e6, np.float32), most)
    assert bool(np.isfinite(result.numpy())) is not bool(rules)
    ranges = {"x": (offset, 1e6)}
    assert found(lambda x: squared(x, most), tf.TensorSpec([4]), ranges=ranges) == rules


@pytest.mark.parametrize(("most", "rules"), [(1e6, [CAST]), (6e4, [])])
def test_a_cast_overflows_where_its_numbers_are_known_to_be_large(most: float, rules: list[str]) -> None:
    result = narrowed(np.full((4,), 1e7, np.float32), most)
    assert bool(np.isfinite(result.numpy()).all()) is not bool(rules)
    assert found(lambda x: narrowed(x, most), tf.TensorSpec([4]), ranges={"x": (1e5, 1e7)}) == rules


def test_what_nothing_is_known_of_is_cast_and_squared_in_silence() -> None:
    def ordinary(x: Any) -> Any:
        half = tf.cast(x, tf.float16)
        return tf.reduce_mean(tf.cast(tf.square(half), tf.float32))

    assert found(ordinary, SCORES) == found(ordinary, SCORES, pedantic=True) == []


def test_a_layer_in_mixed_precision_is_silent_beside_its_square() -> None:
    import keras

    layer = keras.layers.Dense(4, dtype="mixed_float16")
    layer.build((None, 4))
    assert found(lambda x: tf.reduce_mean(tf.cast(tf.square(layer(x)), tf.float32)), SCORES) == []


ADDED = """import tensorflow as tf

{policy}

class Masked(tf.keras.layers.Layer):
    def __init__(self):
        super().__init__()
        self.scores = tf.keras.layers.Dense(8)

    def call(self, x, mask):
        scores = self.scores(x)
        mask = tf.cast(mask, {dtype})
        return tf.nn.softmax(scores + (1.0 - mask) * tf.cast(-1e9, {dtype}))
"""


@pytest.mark.parametrize("dtype", ["scores.dtype", "(scores + 1.0).dtype", "self.compute_dtype"])
@pytest.mark.parametrize(
    ("policy", "rules"), [('tf.keras.mixed_precision.set_global_policy("mixed_float16")\n', ["mask-float16"]), ("", [])]
)
def test_a_type_that_another_value_has_is_known(dtype: str, policy: str, rules: list[str]) -> None:
    """The cast that overflows and the product that is NaN are one finding."""
    text = ADDED.format(policy=policy, dtype=dtype)
    assert [finding.rule for finding in lint_source(text)] == rules


TYPED = [
    "tf.where(tf.cast(m, tf.bool), h, tf.zeros_like(h))",
    "tf.gather(h, tf.cast(i, tf.int32))",
    "tf.boolean_mask(h, tf.cast(m, tf.bool))",
    "tf.math.segment_sum(h, tf.cast(i, tf.int32))",
]


@pytest.mark.parametrize("expression", TYPED)
def test_a_condition_and_an_index_do_not_give_their_type_to_the_result(expression: str) -> None:
    ones, index = tf.ones([3], tf.float16), tf.constant([0, 1, 2])
    assert eval(expression, {"tf": tf, "h": ones, "m": ones, "i": index}).dtype == tf.float16
    masked = "(tf.cast(k, {}.dtype) * -1e9)"
    text = "import tensorflow as tf\n\n\ndef f(x, m, i, k):\n    h = tf.cast(x, {})\n    y = {}\n    return y + {}\n"
    rules = [f.rule for f in lint_source(text.format("tf.float16", expression, masked.format("y")))]
    assert rules == ["mask-float16"]
    assert lint_source(text.format("tf.float32", expression, masked.format("y"))) == []


NORMED = """import tensorflow as tf


def rms_norm(x):
    half = tf.cast(x, tf.float16)
    return half * tf.math.rsqrt(tf.reduce_mean(half**2, axis=-1, keepdims=True) + 1e-8)
"""


def test_a_root_with_an_epsilon_that_rounds_to_0_is_one_finding_with_the_fix_that_is_written(tmp_path: Path) -> None:
    (finding,) = lint_source(NORMED)
    assert finding.rule == "epsilon-float16"
    assert finding.fix is not None
    before, after = tmp_path / "before.py", tmp_path / "after.py"
    for path in (before, after):
        path.write_text(NORMED)
    assert main(["--isolated", "--no-cache", "--quiet", "--fix", str(after)]) == CLEAN
    assert finding.fix.message in after.read_text()
    assert "1e-8" not in after.read_text()
    written, repaired = (run_path(str(path))["rms_norm"] for path in (before, after))
    assert found(written, SCORES) == ["epsilon-float16"]
    assert found(repaired, SCORES) == []
    for size in (0.0, 0.02, 1.0, 30.0):
        x = tf.constant([[size, -size, size, size]])
        with tf.GradientTape() as tape:
            tape.watch(x)
            result = repaired(x)
        assert np.isfinite(result.numpy()).all()
        assert np.isfinite(tape.gradient(result, x).numpy()).all()
        if size:
            np.testing.assert_array_equal(result.numpy(), written(x).numpy())


@pytest.mark.parametrize("reduce", [tf.reduce_sum, tf.reduce_mean], ids=["sum", "mean"])
def test_a_reduction_of_large_numbers_overflows_on_a_cpu_and_not_in_single_precision(reduce: Any) -> None:
    values = tf.constant([40000.0, 40000.0], tf.float16)
    with tf.device("CPU"):
        assert np.isinf(reduce(values).numpy())
        assert np.isfinite(reduce(tf.cast(values, tf.float32)).numpy())
