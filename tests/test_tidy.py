"""What a repair leaves around it: no statement that nothing reads, no parentheses without use, the file's own names."""

from __future__ import annotations

import pytest

from tfnanlint.lint import lint_source
from tfnanlint.run.rounds import fix_text
from tfnanlint.run.text import Linted

HEAD = "import tensorflow as tf\n\n\n"


def repaired(text: str) -> str:
    """A program after all its repairs, the unsafe ones included."""
    return fix_text(text, "a.py", lambda now: Linted(lint_source(now, "a.py")), unsafe=True)


def body(*lines: str) -> str:
    """The lines of a function after its repairs."""
    text = HEAD + "def f(x, y, k, scores):\n" + "".join(f"    {line}\n" for line in lines)
    return repaired(text).split("scores):\n")[1].replace("\n    ", "\n").strip()


def test_statements_that_only_one_another_read_go_together() -> None:
    after = body("e = tf.exp(tf.matmul(scores, y))", "s = tf.reduce_sum(e, axis=-1, keepdims=True)", "return e / s")
    assert after == "logits = tf.matmul(scores, y)\nreturn tf.nn.softmax(logits, axis=-1)"


def test_a_statement_that_another_use_needs_stays_with_what_it_reads() -> None:
    lines = (
        "e = tf.exp(tf.matmul(scores, y))",
        "s = tf.reduce_sum(e, axis=-1, keepdims=True)",
        "tf.print(s)",
        "return e / s",
    )
    assert body(*lines).startswith(
        "logits = tf.matmul(scores, y)\ne = tf.exp(logits)\ns = tf.reduce_sum(e, axis=-1, keepdims=True)"
    )


def test_a_long_sum_that_a_repair_reads_twice_is_written_once() -> None:
    after = body("return tf.math.log(tf.exp(x * 2.0 + k) + tf.exp(y * scores + k))")
    assert after == "exponent = y * scores + k\nreturn exponent + tf.nn.softplus(x * 2.0 + k - exponent)"
    inside = "return (lambda z: tf.math.log(tf.exp(x * 2.0 + z) + tf.exp(y * scores + z)))(k)"
    assert body(inside) == inside


def test_a_name_that_is_bound_anew_from_itself_is_not_computed_in_vain() -> None:
    after = body(
        "w = tf.exp(tf.matmul(scores, y))", "w = w / tf.reduce_sum(w, axis=-1, keepdims=True)", "return tf.unstack(w)"
    )
    assert after == "logits = tf.matmul(scores, y)\nw = tf.nn.softmax(logits, axis=-1)\nreturn tf.unstack(w)"


@pytest.mark.parametrize("between", ["tf.print(w)", "if k:\n        z = w"])
def test_a_name_that_is_read_before_it_is_bound_anew_is_kept(between: str) -> None:
    after = body(
        "w = tf.exp(tf.matmul(scores, y))", between, "w = w / tf.reduce_sum(w, axis=-1, keepdims=True)", "return w"
    )
    assert "w = tf.exp(logits)" in after
    assert "w = tf.nn.softmax(logits, axis=-1)" in after


def test_parentheses_that_held_two_lines_together_go_with_the_break() -> None:
    lines = ("p = tf.cast(x > 0.5, tf.float32)", "return (tf.reduce_sum(y * p) /\n            tf.reduce_sum(p))")
    assert body(*lines).endswith("\nreturn tf.math.divide_no_nan(tf.reduce_sum(y * p), tf.reduce_sum(p))")


def test_parentheses_with_a_comment_in_them_stay() -> None:
    lines = (
        "p = tf.cast(x > 0.5, tf.float32)",
        "return (  # kept\n            tf.reduce_sum(y * p) / tf.reduce_sum(p))",
    )
    assert "(  # kept\n" in body(*lines)


def test_a_factor_keeps_its_sign() -> None:
    assert body("m = tf.cast(x > 0, tf.float32)", "return m * -float('inf')").endswith("return m * -1e9")


def test_a_number_is_one_that_half_precision_holds() -> None:
    after = body("x = tf.cast(x, tf.float16)", "return x + tf.cast(tf.not_equal(k, 0), tf.float16) * -1e9")
    assert "* -3e4" in after


def test_the_mean_of_what_is_chosen_names_it_once() -> None:
    after = body("return tf.reduce_mean(tf.boolean_mask(x, k))")
    assert after == (
        "chosen = tf.boolean_mask(x, k)\n"
        "return tf.math.divide_no_nan(tf.reduce_sum(chosen), tf.cast(tf.size(chosen), chosen.dtype))"
    )


def test_code_of_the_library_itself_is_written_with_its_own_modules() -> None:
    text = (
        "from tensorflow.python.ops import gradients_impl\nfrom tensorflow.python.ops import math_ops\n\n\n"
        "def f(x):\n    d = math_ops.sqrt(math_ops.reduce_sum(math_ops.square(x), 1))\n"
        "    return gradients_impl.gradients(d, x)\n"
    )
    after = repaired(text)
    assert "math_ops.sqrt(math_ops.maximum(math_ops.reduce_sum(math_ops.square(x), 1), 1e-12))" in after
    assert "import tensorflow as tf" not in after


@pytest.mark.tensorflow
def test_what_is_said_to_be_in_a_module_of_the_library_is_there() -> None:
    from tensorflow.python.ops import math_ops

    from tfnanlint.fix.dialect import HELD_INSIDE

    assert [name for name in sorted(HELD_INSIDE) if not callable(getattr(math_ops, name, None))] == []
