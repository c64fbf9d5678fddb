"""a squared distance written as x*x - 2*x*y + y*y rounds below 0, and its root is NaN

The three terms cancel where the points coincide. What remains is rounding error, which is negative as often as
positive. A small epsilon inside the root does not make up for it. `maximum` with a number above 0 does.
https://github.com/tensorflow/tensorflow/issues/30199
"""
import tensorflow as tf

code = "TFN401"


def before(
    x=((-0.1, -0.2, -1.2, -4.2, -5.1), (-0.1, -0.2, -1.2, -4.2, -5.1)),
    y=((-0.1, -0.2, -1.2, -4.2, -5.1), (-0.1, -0.2, -1.2, -4.2, -5.1)),
    axis=1,
):
    a = tf.reduce_sum(tf.square(x), axis=axis, keepdims=True)
    b = tf.reduce_sum(tf.square(y), axis=axis, keepdims=True)
    d = a - 2.0 * tf.matmul(x, y, transpose_b=True) + tf.transpose(b)
    return tf.sqrt(d)


def guard(d):
    return tf.sqrt(tf.maximum(d, 1e-12))


def before_sums_first(
    x=((-0.1, -0.2, -1.2, -4.2, -5.1), (-0.1, -0.2, -1.2, -4.2, -5.1)),
    y=((-0.1, -0.2, -1.2, -4.2, -5.1), (-0.1, -0.2, -1.2, -4.2, -5.1)),
    axis=1,
):
    a = tf.reduce_sum(tf.square(x), axis=axis, keepdims=True)
    b = tf.reduce_sum(tf.square(y), axis=axis, keepdims=True)
    d = a + tf.transpose(b) - 2.0 * tf.matmul(x, y, transpose_b=True)
    return tf.sqrt(d)


def quiet_bounded(x=((1.1, 2.3, 3.7), (1.1, 2.3, 3.7))):
    s = tf.reduce_sum(tf.square(x), axis=1, keepdims=True)
    d = s - 2.0 * tf.matmul(x, x, transpose_b=True) + tf.transpose(s)
    return tf.sqrt(tf.maximum(d, 1e-12))
