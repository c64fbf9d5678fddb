"""Whether a number in the place of what is not finite is an answer: a repair where it is, and none elsewhere."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tfnanlint.lint import lint_source

HEAD = "import tensorflow as tf\n\n\ndef f(x, k):\n    "

PARTS = {
    "a share of a sum": "a = tf.abs(x)\n    return a / tf.reduce_sum(a)",
    "a place among all": "return (x - tf.reduce_min(x)) / (tf.reduce_max(x) - tf.reduce_min(x))",
    "what a deviation is to their spread": "return (x - tf.reduce_mean(x)) / tf.math.reduce_std(x)",
    "a vector by its length": "return x / tf.norm(x, ord=1, axis=-1, keepdims=True)",
    "what a mask keeps": "m = tf.equal(k, 0)\n    return tf.reduce_sum(tf.where(m, x, 0.0)) / "
    "tf.reduce_sum(tf.cast(m, tf.float32))",
    "what is selected": "m = tf.equal(k, 0)\n    return tf.reduce_sum(tf.boolean_mask(x, m)) / "
    "tf.cast(tf.math.count_nonzero(m), tf.float32)",
    "a product with a part": "n = tf.reduce_sum(tf.square(x))\n    return k * tf.reduce_max(x) * tf.sqrt(n) / n",
}
OTHERS = {
    "another sum": "return tf.abs(k) / tf.reduce_sum(tf.abs(x))",
    "a constant": "return 1.0 / tf.reduce_sum(tf.abs(x))",
    "more than a part": "n = tf.reduce_sum(tf.square(x))\n    return (n + tf.abs(k)) / n",
    "what is not selected": "m = tf.equal(k, 0)\n    return tf.reduce_sum(tf.where(m, 0.0, k)) / "
    "tf.reduce_sum(tf.cast(m, tf.float32))",
    "one of two parts": "n = tf.reduce_sum(tf.abs(x))\n    return (tf.abs(x) + tf.abs(k)) / n",
    "an exponential of a part": "n = tf.reduce_sum(tf.abs(x))\n    return tf.exp(n) / n",
}
WITNESS = np.zeros(3, "float32"), np.ones(3, "float32")


def repairs(body: str) -> list[str]:
    """The repairs of the quotients reported in a program, empty where there is none."""
    found = [found for found in lint_source(HEAD + body + "\n") if found.group == "divide"]
    return [one.fix.message if one.fix is not None else "" for one in found]


@pytest.mark.parametrize("name", PARTS)
def test_a_part_is_0_where_its_total_is(name: str) -> None:
    (repair,) = repairs(PARTS[name])
    assert repair


@pytest.mark.parametrize("name", OTHERS)
def test_what_is_not_0_with_its_divisor_is_not_made_0(name: str) -> None:
    (repair,) = repairs(OTHERS[name])
    assert "no_nan" not in repair


def test_numbers_that_the_code_states_are_left_to_it() -> None:
    (found,) = lint_source(HEAD + "return x * tf.math.log(tf.constant([0.5, 0.0]))\n")
    assert found.fix is None
    assert found.no_fix is not None
    assert found.no_fix == "the operands are constants in the code; change them"


CONSTANT_DIVISORS = {
    "x / tf.constant(0.0)": "the divisor is the constant 0; change it",
    "x / tf.linalg.trace(k - k)": "the divisor is always 0; change it",
    "x / tf.constant([0.0, 1.0, 2.0])": "the divisor consists of constants, one of them 0; change them",
    "x / tf.maximum(tf.constant([0.0, 1.0, 2.0]), 0.0)": "the divisor consists of constants, one of them 0",
}


@pytest.mark.parametrize("quotient", CONSTANT_DIVISORS)
def test_a_divisor_that_is_0_whatever_the_data_is_gets_no_bound(quotient: str) -> None:
    (found,) = lint_source(HEAD + f"return {quotient}\n")
    assert found.fix is None
    assert found.no_fix is not None
    assert found.no_fix.startswith(CONSTANT_DIVISORS[quotient])


COUNTS = (
    "return x / tf.reduce_sum(tf.cast(tf.equal(x, k), tf.float32))",
    "hit = tf.cast(tf.equal(x, k), tf.float32)\n    return tf.reduce_sum(x) / tf.reduce_sum(hit)",
    "hit = tf.equal(k, 1.0)\n    n = tf.reduce_sum(tf.cast(hit, tf.float32))\n    return tf.reduce_sum(x) / n",
)


@pytest.mark.parametrize("body", COUNTS)
def test_a_count_is_kept_at_1_however_it_is_written(body: str) -> None:
    (repair,) = repairs(body)
    assert repair.endswith(", 1.0)")


@pytest.mark.tensorflow
def test_what_is_told_of_parts_is_so() -> None:
    import tensorflow as tf

    for name, body in {**PARTS, **OTHERS}.items():
        names: dict[str, Any] = {}
        above, _, quotient = (HEAD + body).rpartition(" / ")
        exec(f"{above}, {quotient}", names)
        parts, totals = map(np.asarray, names["f"](*map(tf.constant, WITNESS)))
        assert not np.any(totals), name
        assert np.any(parts) == (name in OTHERS), name


PROBABILITY = "p = tf.clip_by_value(x, 0.0, 1.0)\n    "
MEANT = (
    "return tf.math.log(p)",
    "return (1.0 + k) * tf.math.log1p(-p)",
    "return -tf.math.log(p) / k",
    "return tf.where(k < 0.0, 0.0, tf.math.log(p))",
)
LOST = (
    "return tf.reduce_mean(tf.math.log(p))",
    "return p * tf.math.log1p(-p)",
    "return tf.where(k < 0.0, 0.0, 1.0) * tf.math.log(p)",
)


@pytest.mark.parametrize("body", MEANT)
def test_an_infinity_that_is_handed_out_element_by_element_is_left_alone(body: str) -> None:
    (found,) = lint_source(HEAD + PROBABILITY + body + "\n")
    assert found.fix is None
    assert found.no_fix is not None
    assert "returns this value directly, and -inf may be intended. If not: `tf.math.log" in found.no_fix
    assert "tf.maximum(" in found.no_fix or "tf.minimum(" in found.no_fix


def test_a_gradient_is_lost_wherever_the_infinity_goes() -> None:
    gradient = "\n\n\ndef g(x, k):\n    return tf.gradients(f(x, k), x)\n"
    (found,) = lint_source(HEAD + PROBABILITY + MEANT[0] + gradient)
    assert found.fix is not None


@pytest.mark.parametrize("body", LOST)
def test_an_infinity_that_makes_a_nan_or_spoils_a_sum_is_repaired(body: str) -> None:
    assert all(found.fix is not None for found in lint_source(HEAD + PROBABILITY + body + "\n"))
