"""Entries of a batch under keys that are constants of a module that cannot be read: each key has its own values."""

import tensorflow as tf
from elsewhere import constants, keys
from elsewhere.names import LOWER, UPPER


def weighted(batch, predictions):
    weights = batch[constants.ATOM_WEIGHTS]
    error = tf.abs(predictions[constants.ENERGY] - batch[constants.ENERGY])
    return tf.reduce_sum(weights * error) / (1.0 + tf.reduce_sum(error))


def between_names(batch):
    return 1.0 / (batch[UPPER] - batch[LOWER])


def ratio_of_two(batch):
    return batch[constants.HEIGHT] / (batch[constants.TOP] - batch[constants.BOTTOM])


def ratio_of_two_others(batch):
    return batch[keys.height] / (batch[keys.top] - batch[keys.bottom])


def ratio_of_one(batch):
    return batch[keys.height] / (batch[keys.top] - batch[keys.top])  # HAZARD divide-by-zero


def ratio_of_a_constant(batch):
    return batch[constants.HEIGHT] / (batch[constants.TOP] - batch[constants.TOP])  # HAZARD divide-by-zero
