"""`log` of a normal tail probability is -inf where the tail underflows to 0

In float32 `erfc` of anything above 10 is 0. The log of a hand-written distribution function is then -inf for a point
fourteen standard deviations out, and its gradient is NaN. TensorFlow has no op for this function. TensorFlow
Probability has: `tfp.distributions.Normal(0.0, 1.0).log_cdf(x)`, and `log_survival_function` for the other tail.
"""
import tensorflow as tf

from tfnanlint.template import literal, unbounded, within

code = "TFN107"


def before(x: unbounded(10.1) = 11.0):
    return tf.math.log(tf.math.erfc(x))


def before_scaled(x: unbounded(10.1) = 11.0, c: literal & within(0.1, 2.0) = 0.5):
    return tf.math.log(c * tf.math.erfc(x))


def quiet_with_an_epsilon(x=11.0):
    return tf.math.log(0.5 * tf.math.erfc(x) + 1e-6)


def quiet_of_a_bounded_argument(x=11.0):
    return tf.math.log(tf.math.erfc(tf.tanh(x)))
