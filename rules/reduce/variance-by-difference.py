"""a variance written as mean(x**2) - mean(x)**2 loses precision and can be negative

Both terms are close to the square of the mean, and float32 keeps seven digits of each. For values around 1000 the
difference is off by 0.1, negative as often as positive, and the root of a negative one is NaN. `reduce_variance`
subtracts the mean first.
"""
import tensorflow as tf

from tfnanlint.template import data

code = "TFN1404"
severity = "warning"


def before(x: data = (1000.0, 1000.5, 1001.0), axis=-1, keepdims=False):
    return tf.reduce_mean(tf.square(x), axis=axis, keepdims=keepdims) - tf.square(
        tf.reduce_mean(x, axis=axis, keepdims=keepdims)
    )


def after(x, axis, keepdims):
    return tf.math.reduce_variance(x, axis=axis, keepdims=keepdims)


def quiet_reduce_variance(x=(1000.0, 1000.5, 1001.0)):
    return tf.math.reduce_variance(x, axis=-1)


def quiet_of_two_different_things(x=(1000.0, 1000.5, 1001.0), y=(1.0, 2.0, 3.0)):
    return tf.reduce_mean(tf.square(x)) - tf.square(tf.reduce_mean(y))


def quiet_of_draws(x=(1000.0, 1000.5, 1001.0)):
    drawn = tf.random.stateless_uniform((64,), seed=(1, 2))
    return tf.reduce_mean(x) + tf.sqrt(tf.reduce_mean(tf.square(drawn)) - tf.square(tf.reduce_mean(drawn)))
