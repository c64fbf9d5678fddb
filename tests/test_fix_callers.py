"""A fix that changes what is computed is not offered in code that serves another caller, too."""

from __future__ import annotations

from tfnanlint import lint_source
from tfnanlint.finding import Finding

NET = """\
import tensorflow as tf


def net(x, classes):
    h = tf.keras.layers.Dense(classes)(x)
    return tf.nn.softmax(h)


"""
CALL = "def {0}(x):\n    return net(x, {1})\n\n\n"


def finding(text: str) -> Finding:
    (found,) = lint_source(text, "program.py")
    assert found.rule == "softmax-of-one"
    return found


def test_two_callers_of_different_sizes_forbid_a_fix_for_one_of_them() -> None:
    found = finding(NET + CALL.format("regression", 1) + CALL.format("classification", 10))
    assert found.fix is None
    assert found.no_fix is not None
    assert "the code is shared" in found.no_fix


def test_callers_that_agree_and_code_without_callers_get_the_fix() -> None:
    for calls in (CALL.format("a", 1), CALL.format("a", 1) + CALL.format("b", 1)):
        found = finding(NET + calls)
        assert found.fix is not None
        assert found.fix.message == "tf.sigmoid(h)"
    assert finding(NET.replace("classes)(", "1)(")).fix is not None
