"""`log(1 - erf(x))` is -inf as soon as `erf` rounds to 1

In float32 the `erf` of anything above 3.9 is exactly 1. The log of a hand-written distribution function is then -inf
for a point less than six standard deviations out. The code that XLA generates for single numbers stops at 1 - 2e-7 and
returns -15.5 for everything beyond; its code for vectors reaches 1. `erfc` works up to 10.
`tfp.distributions.Normal(0.0, 1.0).log_cdf(x)` of TensorFlow Probability works for all numbers.
"""
import tensorflow as tf

from tfnanlint.template import literal, sinking, unbounded, within

code = "TFN109"
modes = ("eager", "graph")


def before(x: unbounded(4.0) = 5.0):
    return tf.math.log(1.0 - tf.math.erf(x))


def before_distribution(x: sinking(-4.0) = -5.0, c: literal & within(0.1, 2.0) = 0.5):
    return tf.math.log(c * (1.0 + tf.math.erf(x)))


def quiet_with_an_epsilon(x=5.0):
    return tf.math.log(0.5 * (1.0 + tf.math.erf(x)) + 1e-6)


def quiet_of_a_bounded_argument(x=5.0):
    return tf.math.log(1.0 - tf.math.erf(tf.tanh(x)))
