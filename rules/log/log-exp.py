"""`log` of a scaled exponential is -inf where the exponential underflows to 0

In float32 the exponential of anything below -104 is 0, and above 88 it is inf. The log of a hand-written density is
then -inf for a point thirteen standard deviations out. The log of exp(x) is x: add the logs of the other factors to it.
"""
import tensorflow as tf

from tfnanlint.template import apart, sinking, within

code = "TFN108"


def before_quotient(x: sinking(-104.0) = -200.0, c: apart = 2.0):
    return tf.math.log(tf.exp(x) / c)


def after_quotient(x, c):
    return x - tf.math.log(c)


def before_product(x: sinking(-104.0) = -200.0, c: within(1e-30, 1e30) & apart = 2.0):
    return tf.math.log(c * tf.exp(x))


def after_product(x, c):
    return x + tf.math.log(c)


def quiet_of_a_bounded_exponent(x=-200.0):
    return tf.math.log(tf.exp(tf.clip_by_value(x, -20.0, 20.0)) / 2.0)


def quiet_in_the_stable_form(x=-200.0):
    return x - tf.math.log(2.0)
