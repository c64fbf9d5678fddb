"""A fix in a file for TensorFlow 1 keeps to what all versions of TensorFlow 1 have."""

from __future__ import annotations

from importlib import import_module
from inspect import signature

import pytest

from tfnanlint import lint_source
from tfnanlint.source.generation import GONE_FUNCTIONS, GONE_LAYERS, GONE_MODULES, first_names, is_of_first

HEAD = "import tensorflow as tf\n\n\n"
PAIRS = "def bpr(x):\n    return -tf.reduce_mean(tf.{}(tf.sigmoid(x)))\n"
RANGED = "def scaled(x):\n    y = {}\n    return (y - tf.reduce_min(y)) / (tf.reduce_max(y) - tf.reduce_min(y))\n"
MASKED = (
    "def loss(x, lengths):\n    mask = tf.cast(tf.sequence_mask(lengths, 10), tf.float32)\n    y = {}\n"
    "    return tf.reduce_sum(y * mask, axis=1) / tf.reduce_sum(mask, axis=1)\n"
)
OLD, NEW, COMPAT = "tf.log1p(tf.abs(x))", "tf.math.log1p(tf.abs(x))", "import tensorflow.compat.v1 as tf\n\n\n"


def message(text: str) -> str:
    (finding,) = lint_source(text, "program.py", pedantic=True)
    assert finding.fix is not None, finding.no_fix
    return finding.fix.message


@pytest.mark.parametrize("program", [RANGED, MASKED])
def test_a_function_of_the_last_versions_only_is_written_where_the_file_writes_such_a_name(program: str) -> None:
    assert "divide_no_nan" not in message(HEAD + program.format(OLD))
    assert "tf.maximum(" in message(HEAD + program.format(OLD))
    assert "tf.math.divide_no_nan(" in message(HEAD + program.format(NEW))
    assert "tf.math.divide_no_nan(" in message(COMPAT + program.format(OLD))


def test_a_file_that_writes_names_of_tensorflow_1_gets_those_in_its_fixes() -> None:
    assert "tf.log_sigmoid(x)" in message(HEAD + PAIRS.format("log"))
    assert "tf.math.log_sigmoid(x)" in message(HEAD + PAIRS.format("math.log"))


def test_a_finding_without_another_fix_says_what_to_do_in_an_old_file() -> None:
    text = "def loss(x, mask):\n    return tf.reduce_sum(tf.log1p(tf.abs(x)) * mask) / tf.reduce_sum(mask)\n"
    (finding,) = lint_source(HEAD + text, "program.py")
    assert finding.fix is None
    assert finding.no_fix is not None
    assert "keep the operand away from 0" in finding.no_fix


def test_the_names_of_tensorflow_1_are_not_in_tensorflow_2() -> None:
    import tensorflow as tf

    assert "tf.log" in first_names()
    assert not [name for name in sorted(first_names()) if hasattr(tf, name.removeprefix("tf."))]


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("import tensorflow as tf\ny = tf.log(x)\n", True),
        ("import tensorflow\ny = tensorflow.matrix_inverse(x)\n", True),
        ("import tensorflow as tf\ny = tf.contrib.layers.flatten(x)\n", True),
        ("import tensorflow as tf\ny = tf.log(tf.div_no_nan(x, z))\n", False),
        ("import tensorflow as tf\ny = tf.sqrt(x)\n", False),
        ("import torch as tf\ny = tf.log(x)\n", False),
    ],
)
def test_a_file_is_for_tensorflow_1_by_the_names_in_it(text: str, first: bool) -> None:
    assert is_of_first(text) is first


LAYER = """\
{imports}
from keras import backend as K
from keras.layers import Layer


class Normalization(Layer):
    def call(self, inputs):
        return (inputs - K.mean(inputs, 0, keepdims=True)) / (K.std(inputs, 0, keepdims=True) + 1e-3)
"""


@pytest.mark.parametrize(
    ("imports", "reported"),
    [
        ("import keras", True),
        ("from keras.layers.merge import _Merge", False),
        ("from keras.layers import LocallyConnected2D", False),
        ("from keras.backend.tensorflow_backend import set_session", False),
        ("import tensorflow as tf\n\nsession = tf.Session(config=tf.ConfigProto())\nx = tf.log(1.0)", False),
        ("from keras.layers.merge import _Merge\n\nOPTIONS = dict(global_jit_level=2)", True),
    ],
)
def test_what_only_xla_breaks_is_no_finding_where_nothing_compiles(imports: str, reported: bool) -> None:
    """Keras 3 is the first to compile unasked; a file that only earlier versions run meets no XLA."""
    found = [one for one in lint_source(LAYER.format(imports=imports)) if one.rule == "sqrt-under-xla"]
    assert [one.line for one in found] == ([imports.count("\n") + 8] if reported else [])


@pytest.mark.tensorflow
def test_keras_3_is_the_first_that_compiles_unasked() -> None:
    import keras
    import tf_keras

    assert signature(keras.Model.compile).parameters["jit_compile"].default == "auto"
    assert signature(tf_keras.Model.compile).parameters["jit_compile"].default is None


@pytest.mark.tensorflow
def test_keras_3_has_not_what_tells_an_earlier_one() -> None:
    import keras

    assert keras.__version__.startswith("3.")
    for path in GONE_MODULES:
        with pytest.raises(ImportError):
            import_module(f"keras.{path}")
    for name in GONE_LAYERS:
        assert not hasattr(keras.layers, name)
    for name in GONE_FUNCTIONS:
        assert not hasattr(keras.Model, name)
        assert not hasattr(keras.backend, name)
