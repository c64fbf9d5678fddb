"""`bessel_i0` and `bessel_i1` overflow to inf above 91

They grow as fast as the exponential of their argument. `bessel_i0e` and `bessel_i1e` are the same functions scaled by
exp(-abs(x)). For a log, take the log of the scaled function and add abs(x). XLA has no kernel for these ops.
"""
import tensorflow as tf

from tfnanlint.template import above, below

code = "TFN501"
modes = ("eager", "graph")


def before(x: above(88.8) = 1000.0):
    return tf.math.bessel_i0(x)


def before_negative(x: below(-88.8) = -1000.0):
    return tf.math.bessel_i0(x)


def before_first_order(x: above(88.8) = 1000.0):
    return tf.math.bessel_i1(x)


def before_first_order_negative(x: below(-88.8) = -1000.0):
    return tf.math.bessel_i1(x)


def quiet_scaled(x=1000.0):
    return tf.math.bessel_i0e(x)


def quiet_clipped(x=1000.0):
    return tf.math.bessel_i0(tf.clip_by_value(x, -50.0, 50.0))
