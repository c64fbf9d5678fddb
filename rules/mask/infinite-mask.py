"""masking with -inf gives 0 * -inf = NaN; use a large finite number or `tf.where`

A mask of ones and zeros times -inf is -inf at the ones, as intended, but NaN at the zeros. Logits that are masked with
-inf have a softmax of 0, so that times their log-softmax is NaN, as in an entropy. Either NaN spreads to the whole row.
Select with `tf.where` instead of multiplying, and use a large finite number instead of -inf.
"""
import tensorflow as tf

from tfnanlint.template import bfloat16, float32, float64, reaches, sinking

code = "TFN901"
dtypes = ("float32", "float64")


def before_of_a_mask(mask: reaches(0) & float32 & float64 & bfloat16 = (0.0, 1.0)):
    return mask * float("-inf")


def rework_of_a_mask(mask):
    return mask * -1e9


def before_infinity(mask: reaches(0) & float32 & float64 & bfloat16 = (0.0, 1.0)):
    return mask * float("inf")


def rework_infinity(mask):
    return mask * 1e9


def before_of_a_cast_mask(mask=((False, True),), dtype="float32"):
    return tf.cast(mask, dtype) * float("-inf")


def rework_of_a_cast_mask(mask, dtype):
    return tf.cast(mask, dtype) * -1e9


def before_of_one_minus_the_mask(kept: sinking(1.0) & float32 & float64 & bfloat16 = (0.0, 1.0)):
    return (1.0 - kept) * float("-inf")


def rework_of_one_minus_the_mask(kept):
    return (1.0 - kept) * -1e9


def before_entropy(mask=((True, False),), x=((1.0, 2.0),)):
    logits = tf.where(mask, x, float("-inf"))
    return tf.nn.softmax(logits) * tf.nn.log_softmax(logits)


def rework_entropy(mask, x):
    return tf.nn.softmax(tf.where(mask, x, -1e9)) * tf.nn.log_softmax(tf.where(mask, x, -1e9))


def before_entropy_of_scores(x: reaches(-1e999) = ((1.0, -1e999),)):
    return tf.nn.softmax(x) * tf.nn.log_softmax(x)


def guard_entropy_of_scores(x):
    return tf.nn.softmax(tf.maximum(x, -3e4)) * tf.nn.log_softmax(tf.maximum(x, -3e4))


def before_product(y=((1.0, 0.0),), mask=((True, False),), x=((1.0, 2.0),)):
    return y * tf.nn.log_softmax(tf.where(mask, x, float("-inf")))


def rework_product(y, mask, x):
    return y * tf.nn.log_softmax(tf.where(mask, x, -1e9))


def before_cross_entropy(labels=((1.0, 0.0),), mask=((True, False),), x=((1.0, 2.0),)):
    return tf.nn.softmax_cross_entropy_with_logits(labels, tf.where(mask, x, float("-inf")))


def rework_cross_entropy(labels, mask, x):
    return tf.nn.softmax_cross_entropy_with_logits(labels, tf.where(mask, x, -1e9))


def quiet_times_ones(x=(1.0, 2.0)):
    return tf.maximum(x, -float("inf") * tf.ones_like(x))


def quiet_start_of_an_unknown_maximum(x=(1.0, 2.0)):
    return tf.maximum(x, tf.stop_gradient(x) * float("-inf"))


def quiet_finite(mask=(0.0, 1.0), x=(1.0, 2.0)):
    return tf.nn.softmax(x + mask * -1e9)


def quiet_chosen(mask=(False, True), x=(1.0, 2.0)):
    return tf.nn.softmax(tf.where(mask, tf.zeros_like(x) - 1e9, x))


def quiet_softmax_of_chosen(mask=(True, False), x=(1.0, 2.0)):
    logits = tf.where(mask, x, tf.zeros_like(x) - 1e9)
    return tf.nn.softmax(logits) * tf.nn.log_softmax(logits)
