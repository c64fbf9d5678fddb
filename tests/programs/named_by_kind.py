"""Functions named after a kind of loss return what training differentiates; what weighs or shows losses does not."""

import tensorflow as tf


def loss_logistic(outputs, y):
    margins = -y * tf.transpose(outputs)
    return tf.minimum(tf.math.log(1.0 + tf.exp(margins)), 100.0)  # HAZARD softplus-by-hand


def loss_logistic_sound(outputs, y):
    margins = -y * tf.transpose(outputs)
    return tf.minimum(tf.math.softplus(margins), 100.0)


def loss_weights(outputs, y):
    margins = -y * tf.transpose(outputs)
    return tf.minimum(tf.math.log(1.0 + tf.exp(margins)), 100.0)
