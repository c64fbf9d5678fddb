"""`log(1 + exp(x))` overflows to inf where x is above 88

In float32 the exponential of anything above 88.7 is inf. The value is then inf instead of x, and its gradient is NaN
instead of 1. `log1p(exp(x))` overflows in the same way. `softplus` is the same function without overflow.
"""
import tensorflow as tf

code = "TFN121"


def before(x=100.0):
    return tf.math.log(1.0 + tf.exp(x))


def before_with_log1p(x=100.0):
    return tf.math.log1p(tf.exp(x))


def after(x):
    return tf.nn.softplus(x)


def quiet_softplus(x=100.0):
    return tf.nn.softplus(x)


def quiet_of_a_negative_exponent(x=100.0):
    return tf.maximum(x, 0.0) + tf.math.log1p(tf.exp(-tf.abs(x)))


def quiet_of_a_bounded_exponent(x=100.0):
    return tf.math.log(1.0 + tf.exp(tf.minimum(x, 30.0)))
