"""a mean over a masked selection is 0/0 = NaN when the mask selects no element

`boolean_mask` then returns an empty tensor, whose sum and count are both 0. The NaN reaches the loss and the moving
averages of every later batch normalization. Divide the sum by the count with `divide_no_nan`: the result is then 0,
with a gradient of 0.

https://github.com/qq456cvb/VoteNet/issues/9
https://github.com/tensorflow/tensorflow/issues/61281
https://github.com/hq-jiang/instance-segmentation-with-discriminative-loss-tensorflow/issues/15
https://github.com/fizyr/keras-maskrcnn/pull/30
"""
import tensorflow as tf

from tfnanlint.template import selection

code = "TFN1403"
dtypes = ("float32", "float64")


def before(x=(1.0, 2.0), mask=(False, False), axis=None, keepdims=False):
    return tf.reduce_mean(tf.boolean_mask(x, mask), axis=axis, keepdims=keepdims)


def before_of_all(x=(1.0, 2.0), mask=(False, False)):
    chosen = tf.boolean_mask(x, mask)
    return tf.reduce_mean(chosen)


def rework_of_all(chosen):
    return tf.math.divide_no_nan(tf.reduce_sum(chosen), tf.cast(tf.size(chosen), chosen.dtype))


def before_of_a_computed_value(loss: selection = (), axis=None, keepdims=False):
    return tf.reduce_mean(loss, axis=axis, keepdims=keepdims)


def before_masked_absolute_difference(x=(1.0, 2.0), y=(1.0, 2.0), mask=(False, False)):
    errors = tf.abs(tf.boolean_mask(x, mask) - tf.boolean_mask(y, mask))
    return tf.reduce_mean(errors)


def rework_masked_absolute_difference(errors):
    return tf.math.divide_no_nan(tf.reduce_sum(errors), tf.cast(tf.size(errors), errors.dtype))


def before_masked_squared_difference(x=(1.0, 2.0), y=(1.0, 2.0), mask=(False, False)):
    errors = tf.square(tf.boolean_mask(x, mask) - tf.boolean_mask(y, mask))
    return tf.reduce_mean(errors)


def rework_masked_squared_difference(errors):
    return tf.math.divide_no_nan(tf.reduce_sum(errors), tf.cast(tf.size(errors), errors.dtype))


def before_squared_error(y=(), p: selection = ()):
    return tf.keras.losses.mse(y, p)


def rework_squared_error(y, p):
    return tf.math.divide_no_nan(tf.reduce_sum(tf.square(y - p)), tf.cast(tf.size(p), p.dtype))


def before_absolute_error(y=(), p: selection = ()):
    return tf.keras.losses.mae(y, p)


def rework_absolute_error(y, p):
    return tf.math.divide_no_nan(tf.reduce_sum(tf.abs(y - p)), tf.cast(tf.size(p), p.dtype))


def before_variance(x=(1.0, 2.0), mask=(False, False), axis=None, keepdims=False):
    return tf.math.reduce_variance(tf.boolean_mask(x, mask), axis=axis, keepdims=keepdims)


def before_deviation(x=(1.0, 2.0), mask=(False, False), axis=None, keepdims=False):
    return tf.math.reduce_std(tf.boolean_mask(x, mask), axis=axis, keepdims=keepdims)


def before_moments(x=(1.0, 2.0), mask=(False, False), axes=(0,)):
    return tf.nn.moments(tf.boolean_mask(x, mask), axes=axes)


def quiet_sum(x=(1.0, 2.0), mask=(False, False)):
    return tf.reduce_sum(tf.boolean_mask(x, mask))


def quiet_masked_mean(x=(1.0, 2.0), mask=(False, False)):
    weights = tf.cast(mask, x.dtype)
    return tf.math.divide_no_nan(tf.reduce_sum(x * weights), tf.reduce_sum(weights))
