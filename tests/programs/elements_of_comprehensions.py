"""Single elements of a list that a comprehension makes of values whose number nothing states."""

import tensorflow as tf

heads = tf.keras.layers.Dense(2)


def last_share(features):
    """What is divided by is the last row, not any of them: a row minus itself is 0."""
    rows = [tf.nn.relu(row) for row in tf.unstack(heads(features), axis=-1)]
    return rows[0] / (1.0 + rows[-1] - rows[1])


def share_of_two(features):
    """Two different rows: their difference is any number, and 1 plus their sum is positive."""
    rows = [tf.nn.relu(row) for row in tf.unstack(heads(features), axis=-1)]
    return rows[0] / (rows[0] + rows[1])  # HAZARD divide-by-zero


def share_of_unpacked(features):
    rows = [tf.nn.relu(row) for row in tf.unstack(heads(features), axis=-1)]
    first, second = rows
    return first / (first + second)  # HAZARD divide-by-zero


def share_through_two_lists(features):
    rows = [2.0 * row for row in tf.unstack(heads(features), axis=-1)]
    parts = [tf.nn.relu(row / 2.0) for row in rows]
    return parts[0] / (parts[0] + parts[1])  # HAZARD divide-by-zero


def difference_of_two(features):
    rows = [tf.nn.sigmoid(row) for row in tf.unstack(heads(features), axis=-1)]
    return tf.math.log(rows[0] - rows[1] + 1e-6)  # HAZARD log-below-zero


def difference_of_one(features):
    rows = [tf.nn.sigmoid(row) for row in tf.unstack(heads(features), axis=-1)]
    return tf.math.log(rows[0] - rows[0] + 1e-6)
