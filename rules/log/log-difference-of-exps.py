"""`log(exp(a) - exp(b))` overflows above 88, and is -inf where both underflow or are equal

In float32 the exponential of anything above 88.7 is inf, and inf - inf is NaN. Below -104 both exponentials are 0.
Factor out the larger one: `a + log(-expm1(b - a))` is the same function wherever a is the larger one.
"""
import tensorflow as tf

code = "TFN106"


def before(a=100.0, b=99.0):
    return tf.math.log(tf.exp(a) - tf.exp(b))


def after(a, b):
    return a + tf.math.log(-tf.math.expm1(b - a))


def before_sinh(x=100.0):
    return tf.math.log(tf.sinh(x))


def after_sinh(x):
    return x + tf.math.log(-tf.math.expm1(-2.0 * x)) - 0.6931471805599453


def quiet_in_the_stable_form(a=100.0, b=99.0):
    return a + tf.math.log(-tf.math.expm1(b - a))


def quiet_of_bounded_exponents(a=1.0, b=1.0):
    return tf.math.log(tf.exp(2.0 + tf.sigmoid(a)) - tf.exp(tf.sigmoid(b)))
