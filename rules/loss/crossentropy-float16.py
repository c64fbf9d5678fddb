"""a cross-entropy of float16 probabilities is infinite: the 1e-7 clip of Keras rounds away

Keras clips probabilities to [1e-7, 1 - 1e-7] before taking their log. In float16 the upper bound rounds to 1, so the
loss takes log(0) for a probability that rounds to 1. KL divergence divides by the lower bound, and the quotient exceeds
the largest float16 number. Pass the loss float32 values, or logits.

https://www.tensorflow.org/guide/mixed_precision
"""
import tensorflow as tf

from tfnanlint.template import float16, numbers, reaches

code = "TFN801"
dtypes = ("float16",)


def before(y=((0.0, 1.0),), p: float16 & numbers & reaches(1) = ((1.0, 0.5),)):
    return tf.keras.losses.binary_crossentropy(y, p)


def rework(y, p):
    return tf.keras.losses.binary_crossentropy(y, tf.cast(p, "float32"))


def before_divergence(y=((0.5, 0.5),), p: float16 & reaches(0) = ((0.0, 1.0),)):
    return tf.keras.losses.KLD(y, p)


def rework_divergence(y, p):
    return tf.keras.losses.KLD(y, tf.cast(p, "float32"))


def quiet_in_single_precision(y=((0.0, 1.0),), p=((1.0, 0.5),)):
    return tf.keras.losses.binary_crossentropy(tf.cast(y, tf.float32), tf.cast(tf.sigmoid(p), tf.float32))


def quiet_by_a_loss_object(y=((0.0, 1.0),), x=((20.0, 0.5),)):
    p = tf.reshape(tf.sigmoid(tf.cast(x, tf.float16)), [1, 2])
    return tf.keras.losses.BinaryCrossentropy()(y, p)


def quiet_of_an_activation(y=((0.0, 1.0),), x=((20.0, 0.5),)):
    return tf.keras.losses.binary_crossentropy(y, tf.keras.activations.sigmoid(tf.cast(x, tf.float16)))


def quiet_of_logits(y=((0.0, 1.0),), x=((20.0, 0.5),)):
    return tf.keras.losses.binary_crossentropy(y, x, from_logits=True)
