"""`log(1 + x)` loses precision for small x

When x is below 6e-8, 1 + x rounds to 1 and the result is exactly 0. At 1e-4, three digits are left. `log1p` computes
the same function at full precision.
"""
import tensorflow as tf

from tfnanlint.template import data, reaches

code = "TFN113"
severity = "info"
modes = ("eager", "xla")


def before(x: reaches(0) & data = 1e-8):
    return tf.math.log(1.0 + x)


def after(x):
    return tf.math.log1p(x)


def quiet_log1p(x=1e-8):
    return tf.math.log1p(tf.square(x))


def quiet_of_constants(x=1e-8):
    return x + tf.math.log(1.0 + tf.range(4.0))


def quiet_of_an_unknown_value(x=1e-8):
    return tf.math.log(1.0 + x)


def quiet_when_x_is_not_small(x=1e-8):
    return tf.math.log(1.0 + (1.0 + tf.square(x)))
