"""`log` of a normal tail is -inf where the tail underflows

In float32 `erfc` of anything above 10 is 0: the log of a distribution function written out is -inf for a point fourteen
deviations out, and its gradient NaN. TensorFlow has no function for it; of TensorFlow Probability,
`tfp.distributions.Normal(0.0, 1.0).log_cdf(x)` computes it, and `log_survival_function` the other tail.
"""
import tensorflow as tf

from tfnanlint.template import literal, unbounded, within


def before(x: unbounded(10.1) = 11.0):
    return tf.math.log(tf.math.erfc(x))


def before_scaled(x: unbounded(10.1) = 11.0, c: literal & within(0.1, 2.0) = 0.5):
    return tf.math.log(c * tf.math.erfc(x))


def quiet_with_an_epsilon(x=11.0):
    return tf.math.log(0.5 * tf.math.erfc(x) + 1e-6)


def quiet_of_a_bounded_argument(x=11.0):
    return tf.math.log(tf.math.erfc(tf.tanh(x)))
