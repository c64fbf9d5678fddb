"""an epsilon below 3e-8 is 0 in float16

The smallest positive float16 number is 6e-8, so 1e-8, 1e-10 and 1e-12 round to 0. The log, the root or the division
that the epsilon protects then fails at 0. An epsilon of 1e-4 keeps the gradient finite as well. Better still, compute
this part in float32.

https://github.com/tensorflow/tensorflow/pull/24979
https://github.com/keras-team/keras-core/pull/412
https://github.com/tensorflow/tensorflow/issues/21929
"""

import tensorflow as tf

from tfnanlint.template import differentiated, float16, literal, sinking, within

code = "TFN1002"
dtypes = ("float16",)


def before(x: float16 = 0.0, e: literal & within(1e-45, 2.9e-8) = 1e-8):
    return tf.math.log(x + e)


def guard(x):
    return tf.math.log(tf.maximum(x, 1e-4))


def before_maximum(x: float16 = 0.0, e: literal & within(1e-45, 2.9e-8) = 1e-8):
    return tf.math.log(tf.maximum(x, e))


def before_divisor(y: float16 = 1.0, d: float16 = 0.0, e: literal & within(1e-45, 2.9e-8) = 1e-8):
    return y / (d + e)


def before_root(v: float16 & differentiated = 0.0, e: literal & within(1e-45, 2.9e-8) = 1e-12):
    return tf.sqrt(v + e)


def guard_root(v):
    return tf.sqrt(tf.maximum(v, 1e-4))


def before_reciprocal_root(w: float16 = 0.0, e: literal & within(1e-45, 2.9e-8) = 1e-12):
    return tf.math.rsqrt(w + e)


def guard_reciprocal_root(w):
    return tf.math.rsqrt(tf.maximum(w, 1e-4))


def before_divided_by_a_root(y: float16 = 1.0, s: float16 = 0.0, e: literal & within(1e-45, 2.9e-8) = 1e-8):
    return y / tf.sqrt(s + e)


def guard_divided_by_a_root(y, s):
    return y / tf.sqrt(tf.maximum(s, 1e-4))


def before_gradient(g: float16 & differentiated & sinking(5e-5) = 0.0, e: literal & within(3e-8, 1.4e-5) = 1e-7):
    return tf.math.log(g + e)


def guard_gradient(g, e):
    return tf.math.log(tf.maximum(g, 1e-4) + e)


def before_gradient_of_a_reciprocal_root(
    w: float16 & differentiated & sinking(5e-4) = 0.0, e: literal & within(3e-8, 3e-4) = 1e-7
):
    return tf.math.rsqrt(w + e)


def guard_gradient_of_a_reciprocal_root(w, e):
    return tf.math.rsqrt(tf.maximum(w, 1e-3) + e)


def quiet_larger_epsilon(x=0.0):
    return tf.math.log(tf.abs(x) + 1e-3)


def quiet_of_a_bounded_operand(x=0.0):
    return tf.math.log(tf.maximum(x, 1e-3) + 1e-7)


def quiet_in_float32(x=0.0):
    return tf.math.log(tf.abs(tf.cast(x, tf.float32)) + 1e-4)
