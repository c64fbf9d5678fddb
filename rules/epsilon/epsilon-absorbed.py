"""an epsilon next to 1 rounds away in float32: 1 + 1e-10 and 1 - 1e-8 are 1

The float32 neighbors of 1 are 6e-8 below and 1.2e-7 above it. Anything closer to 1 rounds to 1. Where p is 1, the
argument of the log or the divisor is then exactly 0, as if there were no epsilon. Subtract first, then keep the
difference above a bound that float32 can tell from 0.
"""
import tensorflow as tf

from tfnanlint.template import literal, within

code = "TFN1001"


def before(p=1.0, one: literal & within(1.0000000000000002, 1.00000005) = 1.0000000001):
    return tf.math.log(one - p)


def guard(p):
    return tf.math.log(tf.maximum(1.0 - p, 1e-7))


def before_divisor(y=1.0, p=1.0, one: literal & within(1.0000000000000002, 1.00000005) = 1.0000000001):
    return y / (one - p)


def guard_divisor(y, p):
    return tf.math.divide_no_nan(y, 1.0 - p)


def before_clipped(
    h=2.0, low: literal = 1e-8, high: literal & within(0.99999998, 0.9999999999999999) = 0.99999999
):
    p = tf.clip_by_value(h, low, high)
    return tf.math.log(1.0 - p)


def guard_clipped(p):
    return tf.math.log(tf.maximum(1.0 - p, 1e-7))


def before_clipped_negated(
    h=2.0, low: literal = 1e-8, high: literal & within(0.99999998, 0.9999999999999999) = 0.99999999
):
    p = tf.clip_by_value(h, low, high)
    return tf.math.log1p(-p)


def guard_clipped_negated(p):
    return tf.math.log(tf.maximum(1.0 - p, 1e-7))


def quiet_epsilon_that_stays(p=1.0):
    return tf.math.log(1.0 - tf.minimum(p, 1.0 - 1e-6))


def quiet_clipped_with_a_wider_bound(h=2.0):
    p = tf.clip_by_value(h, 1e-7, 1.0 - 1e-6)
    return tf.math.log(p) + tf.math.log(1.0 - p)


def quiet_bounded_below(p=1.0):
    return tf.math.log(tf.maximum(1.0 - p, 1e-7))
