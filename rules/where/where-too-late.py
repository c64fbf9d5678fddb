"""`where` selects too late: the gradient of the branch that is not selected is 0 * inf = NaN

The program tests whether the argument is a point where the op is not finite, so some inputs reach it. `where` then
selects another value. In the backward pass the branch that is not selected gets a gradient of 0 and multiplies it by an
infinite derivative. The NaN is added to the gradient of the other branch. Replace the argument first, then select.
https://github.com/tensorflow/tensorflow/issues/38349
https://github.com/tensorflow/tensorflow/issues/2540
"""
import tensorflow as tf

from tfnanlint.template import differentiated, downstream, literal, within

code = "TFN1103"


def before_divisor(x=(1.0, 1.0), y: differentiated = (0.0, 2.0), c=(0.0, 0.0)):
    return tf.where(tf.not_equal(y, 0.0), x / y, c)


def after_divisor(x, y, c):
    return tf.where(tf.not_equal(y, 0.0), x / tf.where(tf.not_equal(y, 0.0), y, tf.ones_like(y)), c)


def before_dividend(x: differentiated = (1.0, 1.0), y=(0.0, 2.0), c=(0.0, 0.0)):
    return tf.where(tf.not_equal(y, 0.0), x / y, c)


def after_dividend(x, y, c):
    return tf.where(tf.not_equal(y, 0.0), x / tf.where(tf.not_equal(y, 0.0), y, tf.ones_like(y)), c)


def before_divisor_with_the_branches_exchanged(x=(1.0, 1.0), y: differentiated = (0.0, 2.0), c=(0.0, 0.0)):
    return tf.where(tf.equal(y, 0.0), c, x / y)


def after_divisor_with_the_branches_exchanged(x, y, c):
    return tf.where(tf.equal(y, 0.0), c, x / tf.where(tf.equal(y, 0.0), tf.ones_like(y), y))


def before_positive_divisor(x=(1.0, 1.0), y: differentiated = (0.0, 2.0), c=(0.0, 0.0)):
    return tf.where(y > 0.0, x / y, c)


def after_positive_divisor(x, y, c):
    return tf.where(y > 0.0, x / tf.where(y > 0.0, y, tf.ones_like(y)), c)


def before_positive_dividend(x: differentiated = (1.0, 1.0), y=(0.0, 2.0), c=(0.0, 0.0)):
    return tf.where(y > 0.0, x / y, c)


def after_positive_dividend(x, y, c):
    return tf.where(y > 0.0, x / tf.where(y > 0.0, y, tf.ones_like(y)), c)


def before_near_zero(x=(1.0, 1.0), y: differentiated = (0.0, 2.0), little: literal & within(0.0, 1.0) = 0.1, c=(0.0, 0.0)):
    return tf.where(tf.abs(y) < little, c, downstream(x / y))


def before_log(y: differentiated = (0.0, 2.0), c=(0.0, 0.0)):
    return tf.where(y > 0.0, tf.math.log(y), c)


def after_log(y, c):
    return tf.where(y > 0.0, tf.math.log(tf.where(y > 0.0, y, tf.ones_like(y))), c)


def before_computed_from_a_log(y: differentiated = (0.0, 2.0), c=(0.0, 0.0)):
    return tf.where(y > 0.0, downstream(tf.math.log(y)), c)


def after_computed_from_a_log(y, c):
    return tf.where(y > 0.0, downstream(tf.math.log(tf.where(y > 0.0, y, tf.ones_like(y)))), c)


def before_log_with_the_branches_exchanged(y: differentiated = (0.0, 2.0), c=(0.0, 0.0)):
    return tf.where(y <= 0.0, c, tf.math.log(y))


def after_log_with_the_branches_exchanged(y, c):
    return tf.where(y <= 0.0, c, tf.math.log(tf.where(y <= 0.0, tf.ones_like(y), y)))


def before_log_unless_zero(y: differentiated = (0.0, 2.0), c=(0.0, 0.0)):
    return tf.where(tf.equal(y, 0.0), c, tf.math.log(y))


def after_log_unless_zero(y, c):
    return tf.where(tf.equal(y, 0.0), c, tf.math.log(tf.where(tf.equal(y, 0.0), tf.ones_like(y), y)))


def before_weighted_log(y=(0.0, 2.0), w: differentiated = (1.0, 1.0), c=(0.0, 0.0)):
    return tf.where(y > 0.0, w * tf.math.log(y), c)


def after_weighted_log(y, w, c):
    return tf.where(y > 0.0, w * tf.math.log(tf.where(y > 0.0, y, tf.ones_like(y))), c)


def before_weighted_log_from_zero(y=(-1.0, 2.0), w: differentiated = (1.0, 1.0), c=(0.0, 0.0)):
    return tf.where(y >= 0.0, w * tf.math.log(y), c)


def before_power(y: differentiated = (0.0, 2.0), p: literal & within(0.001, 0.999) = 0.3, c=(0.0, 0.0)):
    return tf.where(y > 0.0, tf.pow(y, p), c)


def after_power(y, p, c):
    return tf.where(y > 0.0, tf.pow(tf.where(y > 0.0, y, tf.ones_like(y)), p), c)


def before_arc_cosine(y: differentiated = (1.0, 0.5), c=(0.0, 0.0)):
    return tf.where(tf.abs(y) < 1.0, tf.acos(y), c)


def after_arc_cosine(y, c):
    return tf.where(tf.abs(y) < 1.0, tf.acos(tf.where(tf.abs(y) < 1.0, y, tf.zeros_like(y))), c)


def before_arc_sine(y: differentiated = (1.0, 0.5), c=(0.0, 0.0)):
    return tf.where(tf.abs(y) < 1.0, tf.asin(y), c)


def after_arc_sine(y, c):
    return tf.where(tf.abs(y) < 1.0, tf.asin(tf.where(tf.abs(y) < 1.0, y, tf.zeros_like(y))), c)


def before_log_shifted(y: differentiated = (-1.0, 2.0), c=(0.0, 0.0)):
    return tf.where(y < 0.0, c, tf.math.log(y + 1.0))


def after_log_shifted(y, c):
    return tf.where(y < 0.0, c, tf.math.log1p(tf.where(y < 0.0, tf.zeros_like(y), y)))


def before_exp(y: differentiated = (100.0, 1.0), most: literal = 50.0, c=(0.0, 0.0)):
    return tf.where(y < most, tf.exp(y), c)


def after_exp(y, most, c):
    return tf.where(y < most, tf.exp(tf.where(y < most, y, tf.zeros_like(y))), c)


def quiet_logarithm_chosen_before_and_after(y=(0.0, 2.0), w=(1.0, 1.0)):
    safe = tf.where(y > 0.0, y, tf.ones_like(y))
    return tf.where(y > 0.0, w * tf.math.log(safe), tf.zeros_like(y))


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
