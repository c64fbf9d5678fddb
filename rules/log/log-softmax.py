"""`log` of a softmax is -inf where the softmax underflows to 0

In float32 a logit 104 below another one has a softmax of exactly 0: the log is -inf, and the gradient of
the whole row is NaN. `log_softmax` computes the same function from the logits, with nothing to underflow.
"""
import tensorflow as tf


def before(logits=(200.0, 0.0, -200.0), axis=-1):
    return tf.math.log(tf.nn.softmax(logits, axis=axis))


def after(logits, axis):
    return tf.nn.log_softmax(logits, axis=axis)
