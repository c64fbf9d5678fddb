"""graph mode loses a tiny epsilon added to `1 - p`: the gradient of `cumprod` is wrong where p is 1

TensorFlow's graph optimizer rewrites (1 - p) + e to (1 + e) - p, and so does XLA. For an e below 6e-8 the factor is then
exactly 0 where p is 1. No value is NaN, but the gradient of a running product is wrong at a factor of 0: an opaque
sample of a rendered ray hides those behind it from training. An epsilon of 1e-7 stays.
"""
import tensorflow as tf

from tfnanlint.template import differentiated, literal, single_use, unbounded, within

code = "TFN1405"
modes = ("graph", "xla")
severity = "info"


def before(
    p: unbounded(1.0) & single_use & differentiated = (0.2, 1.0, 0.5),
    e: literal & within(1e-37, 2.9e-8) = 1e-10,
    axis=0,
    exclusive=True,
    reverse=False,
):
    return tf.math.cumprod(1.0 - p + e, axis=axis, exclusive=exclusive, reverse=reverse)


def rework(p, axis, exclusive, reverse):
    return tf.math.cumprod(1.0 - p + 1e-7, axis=axis, exclusive=exclusive, reverse=reverse)


def quiet_larger_epsilon(p=(0.2, 1.0, 0.5)):
    return tf.math.cumprod(1.0 - tf.minimum(p, 1.0) + 1e-6)
