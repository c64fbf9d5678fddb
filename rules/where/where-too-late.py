"""`where` chooses too late: the gradient of what it leaves out is 0 times infinity

The program asks whether the argument is one at which the op breaks, so it is one for some data. `where` then chooses
another value; but on the way back the branch that was left out gets a gradient of 0, multiplies it by an infinite
derivative, and the NaN is added to the other branch's gradient. Choose a harmless argument first, then the result.
https://github.com/tensorflow/tensorflow/issues/38349
https://github.com/tensorflow/tensorflow/issues/2540
"""
import tensorflow as tf

from tfnanlint.template import differentiated, literal


def before_divisor(x=(1.0, 1.0), y: differentiated = (0.0, 2.0), c=(0.0, 0.0)):
    return tf.where(tf.not_equal(y, 0.0), x / y, c)


def after_divisor(x, y, c):
    return tf.where(tf.not_equal(y, 0.0), x / tf.where(tf.not_equal(y, 0.0), y, tf.ones_like(y)), c)


def before_dividend(x: differentiated = (1.0, 1.0), y=(0.0, 2.0), c=(0.0, 0.0)):
    return tf.where(tf.not_equal(y, 0.0), x / y, c)


def after_dividend(x, y, c):
    return tf.where(tf.not_equal(y, 0.0), x / tf.where(tf.not_equal(y, 0.0), y, tf.ones_like(y)), c)


def before_divisor_otherwise(x=(1.0, 1.0), y: differentiated = (0.0, 2.0), c=(0.0, 0.0)):
    return tf.where(tf.equal(y, 0.0), c, x / y)


def after_divisor_otherwise(x, y, c):
    return tf.where(tf.equal(y, 0.0), c, x / tf.where(tf.equal(y, 0.0), tf.ones_like(y), y))


def before_positive_divisor(x=(1.0, 1.0), y: differentiated = (0.0, 2.0), c=(0.0, 0.0)):
    return tf.where(y > 0.0, x / y, c)


def after_positive_divisor(x, y, c):
    return tf.where(y > 0.0, x / tf.where(y > 0.0, y, tf.ones_like(y)), c)


def before_positive_dividend(x: differentiated = (1.0, 1.0), y=(0.0, 2.0), c=(0.0, 0.0)):
    return tf.where(y > 0.0, x / y, c)


def after_positive_dividend(x, y, c):
    return tf.where(y > 0.0, x / tf.where(y > 0.0, y, tf.ones_like(y)), c)


def before_log(y: differentiated = (0.0, 2.0), c=(0.0, 0.0)):
    return tf.where(y > 0.0, tf.math.log(y), c)


def after_log(y, c):
    return tf.where(y > 0.0, tf.math.log(tf.where(y > 0.0, y, tf.ones_like(y))), c)


def before_exp(y: differentiated = (100.0, 1.0), most: literal = 50.0, c=(0.0, 0.0)):
    return tf.where(y < most, tf.exp(y), c)


def after_exp(y, most, c):
    return tf.where(y < most, tf.exp(tf.where(y < most, y, tf.zeros_like(y))), c)


def quiet_chosen_before_and_after(x=1.0, y=0.0):
    nonzero = tf.not_equal(y, 0.0)
    return tf.where(nonzero, x / tf.where(nonzero, y, 1.0), 0.0)


def quiet_divide_no_nan(x=1.0, y=0.0):
    return tf.where(tf.not_equal(y, 0.0), tf.math.divide_no_nan(x, y), 0.0)


def quiet_without_gradient(x=(1.0, 2.0)):
    total = tf.stop_gradient(tf.reduce_sum(tf.abs(x)))
    return tf.stop_gradient(tf.where(tf.not_equal(total, 0.0), 1.0 / total, 1.0)) * x


def quiet_argument_away_from_zero(x=1.0, y=0.0):
    return tf.where(tf.square(y) + 1.0 > 0.0, x / (tf.square(y) + 1.0), 0.0)
