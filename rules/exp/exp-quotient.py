"""a quotient of exponentials is NaN where both overflow or underflow

In float32 the exponential of anything above 88.7 is inf, and of anything below -104 it is 0. The quotient of two such
values is NaN, however close the arguments are. Binomial coefficients written with `exp(lgamma(n))` fail at n = 36. The
exponential of the difference is the same function.
"""

import tensorflow as tf

from tfnanlint.template import told

code = "TFN506"


def before(a: told = 100.0, b: told = 99.0):
    return tf.exp(a) / tf.exp(b)


def after(a, b):
    return tf.exp(a - b)


def before_two_below(a: told = 100.0, b: told = 60.0, c: told = 39.0):
    return tf.exp(a) / (tf.exp(b) * tf.exp(c))


def after_two_below(a, b, c):
    return tf.exp(a - b - c)


def before_two_above(a: told = 60.0, b: told = 39.0, c: told = 100.0):
    return tf.exp(a) * tf.exp(b) / tf.exp(c)


def after_two_above(a, b, c):
    return tf.exp(a + b - c)


def quiet_of_the_difference(a=100.0, b=99.0):
    return tf.exp(tf.minimum(a - b, 0.0))


def quiet_of_bounded_exponents(a=1.0, b=1.0):
    return tf.exp(tf.tanh(a)) / tf.exp(tf.sigmoid(b))


def quiet_of_unknown_exponents(rate=0.03, start=1.0, end=2.0):
    return tf.exp(-rate * end) / tf.exp(-rate * start)
