"""an epsilon inside `log(softmax + eps)` stops learning where the model is most wrong

The value is finite, but it never falls below the log of the epsilon. The gradient is exactly 0 for the classes that the
model rates least likely, even if one of them is the label. `log_softmax` does not saturate.
"""
import tensorflow as tf

from tfnanlint.template import apart, literal, within

code = "TFN604"
severity = "info"


def before(y: apart = ((0.0, 1.0, 0.0),), x=((200.0, 0.0, -200.0),), axis=-1, e: literal & within(1e-37, 1e-3) = 1e-8):
    return y * tf.math.log(tf.nn.softmax(x, axis=axis) + e)


def rework(y, x, axis):
    return y * tf.nn.log_softmax(x, axis=axis)


def quiet_entropy(x=((200.0, 0.0, -200.0),)):
    p = tf.nn.softmax(x)
    return p * tf.math.log(p + 1e-8)


def quiet_clipped(x=((200.0, 0.0, -200.0),), y=((0.0, 1.0, 0.0),)):
    return y * tf.math.log(tf.clip_by_value(tf.nn.softmax(x), 1e-7, 1.0))


def quiet_log_softmax(x=((200.0, 0.0, -200.0),), y=((0.0, 1.0, 0.0),)):
    return y * tf.nn.log_softmax(x)
