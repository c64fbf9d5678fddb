"""`log` of 0 is -inf, and its gradient is infinite

The first 0 makes the loss infinite. The backward pass then multiplies the infinite gradient by a 0, and the NaN reaches
every weight. Keep the argument above 0 before taking the log. An epsilon after the log, a `where` around it or a mask
multiplied with it comes too late for the gradient. Where the bound is active, the gradient is 0 and that element does
not train: for a probability, compute the loss from the logits instead.

https://stackoverflow.com/questions/33712178
"""
import tensorflow as tf
from keras import ops

from tfnanlint.template import reaches

code = "TFN115"


def before(x: reaches(0) = 0.0):
    return tf.math.log(x)


def guard(x):
    return tf.math.log(tf.maximum(x, 1e-30))


def before_log1p(x: reaches(-1) = -1.0):
    return tf.math.log1p(x)


def guard_log1p(x):
    return tf.math.log1p(tf.maximum(x, -0.9999999))


def before_log2(x: reaches(0) = 0.0):
    return ops.log2(x)


def guard_log2(x):
    return ops.log2(ops.maximum(x, 1e-30))


def before_log10(x: reaches(0) = 0.0):
    return ops.log10(x)


def guard_log10(x):
    return ops.log10(ops.maximum(x, 1e-30))


def quiet_when_clipped(p=(0.0, 1.0)):
    return tf.math.log(tf.clip_by_value(tf.nn.softmax(p), 1e-7, 1.0))


def quiet_with_an_epsilon_inside(h=(0.0, 0.0)):
    return tf.math.log(tf.reduce_sum(tf.square(h), axis=-1) + 1e-12)


def quiet_of_an_exponential(x=1.0):
    return tf.math.log(tf.exp(x) + 1e-6)


def quiet_of_a_softplus_with_an_epsilon(x=-200.0):
    return tf.math.log(tf.nn.softplus(x) + 1e-6)


def quiet_of_a_uniform_draw_that_keeps_clear_of_zero():
    return tf.math.log(tf.random.uniform((3,), minval=1e-6, maxval=1.0))


def quiet_of_one_minus_a_uniform_draw():
    return tf.math.log(1.0 - tf.random.uniform((3,)))


def quiet_where_the_argument_was_replaced_first(h=(0.0, 2.0)):
    n = tf.reduce_sum(tf.square(h), axis=-1)
    return tf.where(n > 0.0, tf.math.log(tf.where(n > 0.0, n, 1.0)), 0.0)


def quiet_of_a_number(x=1.0):
    return x * tf.math.log(2.0)


def quiet_of_an_unknown_value(x=1.0):
    return tf.math.log(x)


def quiet_log1p_of_a_square(x=0.0):
    return tf.math.log1p(tf.square(x))
