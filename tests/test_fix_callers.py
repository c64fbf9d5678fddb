"""A fix that changes what is computed is not offered in code that serves another caller, too."""

from __future__ import annotations

from pathlib import Path

from tfnanlint import lint_paths, lint_source
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


def test_a_caller_in_another_file_is_not_the_only_one_that_the_code_serves(tmp_path: Path) -> None:
    (tmp_path / "nets.py").write_text(NET)
    (tmp_path / "train.py").write_text(
        "import tensorflow as tf\n\nfrom nets import net\n\n\n"
        "def loss(x):\n    return tf.reduce_mean(tf.math.log(net(x, 1) + 1e-3))\n"
    )
    (found,) = lint_paths([tmp_path])
    assert found.path.endswith("nets.py")
    assert found.fix is None
    assert found.no_fix is not None
    assert "the code is shared" in found.no_fix
