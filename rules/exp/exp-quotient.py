"""a quotient of exponentials is NaN where both overflow or underflow

In float32 the exponential of anything above 88.7 is inf and of anything below -104 is 0: the quotient of two of them is
NaN, however close the arguments are; binomial coefficients written with `exp(lgamma(n))` break at n = 36. The
exponential of the difference is the same function.
"""
import tensorflow as tf

def before(a=100.0, b=99.0):
    return tf.exp(a) / tf.exp(b)


def after(a, b):
    return tf.exp(a - b)


def before_two_below(a=100.0, b=60.0, c=39.0):
    return tf.exp(a) / (tf.exp(b) * tf.exp(c))


def after_two_below(a, b, c):
    return tf.exp(a - b - c)


def before_two_above(a=60.0, b=39.0, c=100.0):
    return tf.exp(a) * tf.exp(b) / tf.exp(c)


def after_two_above(a, b, c):
    return tf.exp(a + b - c)


def quiet_of_the_difference(a=100.0, b=99.0):
    return tf.exp(tf.minimum(a - b, 0.0))


def quiet_of_bounded_exponents(a=1.0, b=1.0):
    return tf.exp(tf.tanh(a)) / tf.exp(tf.sigmoid(b))
