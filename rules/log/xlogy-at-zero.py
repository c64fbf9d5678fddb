"""`xlogy(x, y)` is -inf where y is 0 and x is not

`xlogy` is 0 where x is 0. That suits an entropy, or a cross-entropy whose labels are 0 wherever the probability is. If x
is never 0, `xlogy` is just x * log(y): -inf at y = 0, with an infinite gradient.

https://stackoverflow.com/questions/38608159
"""
import tensorflow as tf

from tfnanlint.template import below, reaches, within

code = "TFN123"


def before(x: within(1e-30, 1e30) = 1.0, y: reaches(0) = 0.0):
    return tf.math.xlogy(x, y)


def guard(x, y):
    return tf.math.xlogy(x, tf.maximum(y, 1e-30))


def before_of_any_factor(a: below(0.999) = -0.5, y: reaches(0) = 0.0):
    return tf.math.xlogy(a, y)


def before_log1p(x: within(1e-30, 1e30) = 1.0, z: reaches(-1) = -1.0):
    return tf.math.xlog1py(x, z)


def guard_log1p(x, z):
    return tf.math.xlog1py(x, tf.maximum(z, -0.9999999))


def quiet_of_an_entropy(logits=(0.0, 1.0)):
    p = tf.nn.softmax(logits)
    return -tf.reduce_sum(tf.math.xlogy(p, p))
