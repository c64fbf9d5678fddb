"""A list that a loop or a comprehension fills has several elements: of one shape, and not equal."""

import numpy as np
import tensorflow as tf


def spread_of_heads(heads, y):
    outputs = [tf.reduce_mean(head) for head in heads]
    return y / tf.math.reduce_std(tf.stack(outputs))


def spread_of_appended_heads(heads, y):
    outputs = []
    for head in heads:
        outputs.append(tf.reduce_mean(head))
    return y / tf.math.reduce_std(tf.stack(outputs))


def column_of_joined_rows(pieces, x):
    joined = np.concatenate([piece.reshape(-1, 1) for piece in pieces], axis=1)
    return tf.abs(x) / np.std(joined[:, 0])


def share_of_units(towers):
    joined = tf.concat([tf.nn.relu(tower) for tower in towers], axis=-1)
    return joined / tf.reduce_sum(joined, axis=-1, keepdims=True)  # HAZARD divide-by-zero


def share_of_appended_units(towers):
    joined = []
    for tower in towers:
        joined.append(tf.nn.relu(tower))
    return joined[0] / tf.reduce_sum(tf.add_n(joined), axis=-1, keepdims=True)  # HAZARD divide-by-zero


def sound_share_of_units(towers):
    joined = tf.concat([tf.nn.softplus(tower) + 1e-3 for tower in towers], axis=-1)
    return joined / tf.reduce_sum(joined, axis=-1, keepdims=True)
