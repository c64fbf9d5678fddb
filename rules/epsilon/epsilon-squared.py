"""the gradient of a division squares the divisor: an epsilon below 5e-20 underflows to 0

x / (d + e) is finite at d = 0. Its derivative is -x / (d + e) ** 2, and 1e-20 squared is 0 in float32, so the gradient
is not finite. Use an epsilon of 1e-12 or more.
"""
import tensorflow as tf

from tfnanlint.template import differentiated, literal, reaches, within

code = "TFN1005"


def before(x=1.0, d: reaches(0) & differentiated = 0.0, e: literal & within(1.2e-38, 5e-20) = 1e-20):
    return x / (d + e)


def rework(x, d):
    return x / tf.maximum(d, 1e-12)


def quiet_larger(x=1.0, d=0.0):
    return x / (tf.square(d) + 1e-12)


def quiet_without_gradient(x=1.0, d=0.0):
    return x / (tf.stop_gradient(tf.square(d)) + 1e-20)
