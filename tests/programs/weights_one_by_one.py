"""Weights that a program takes one by one, and weights that hide elements."""

import tensorflow as tf


def loss_by_size(losses, sizes, weights=None):
    """The mean loss of several data sets, each by its weight and its size."""
    if weights is None:
        weights = [1 / len(losses)] * len(losses)
    elif len(weights) != len(losses):
        raise ValueError("as many weights as data sets")
    weights = [weight * tf.cast(size, tf.float32) for weight, size in zip(weights, sizes)]
    total = sum(weights)
    return tf.add_n([weight / total * tf.reduce_mean(loss) for weight, loss in zip(weights, losses)])


def masked_loss(losses, weights):
    return tf.reduce_sum(losses * weights) / tf.reduce_sum(weights)  # HAZARD divide-by-mask-sum
