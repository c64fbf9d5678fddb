"""`log(exp(x) - 1)` overflows where x is above 88, and is -inf for small x

In float32 the exponential of anything above 88.7 is inf. The exponential of anything below 6e-8 rounds to 1, so the
difference is 0. `x + log(-expm1(-x))` is the same function for every positive x.
"""
import tensorflow as tf

code = "TFN122"


def before(x=100.0):
    return tf.math.log(tf.exp(x) - 1.0)


def before_with_expm1(x=100.0):
    return tf.math.log(tf.math.expm1(x))


def after(x):
    return x + tf.math.log(-tf.math.expm1(-x))


def quiet_in_the_stable_form(x=100.0):
    return x + tf.math.log(-tf.math.expm1(-x))
