"""A dead network gives features of 0, and a caller any lengths; what is fed to a program is data of its own."""

import tensorflow as tf

features = tf.compat.v1.placeholder(tf.float32, [None, 6], name="features")
fed = features / tf.reduce_sum(features)


def hidden(features):
    return features / tf.reduce_sum(features)  # HAZARD divide-by-zero


def scores(batch):
    mask = tf.sequence_mask(batch["length"], dtype=tf.float32)
    return tf.reduce_sum(batch["x"] * mask, axis=1) / tf.reduce_sum(mask, axis=1)


def scores_of_any(x, lengths):
    mask = tf.sequence_mask(lengths, dtype=tf.float32)
    return tf.reduce_sum(x * mask, axis=1) / tf.reduce_sum(mask, axis=1)  # POSSIBLE divide-by-mask-sum


def margins(cosines, s):
    """Margins of a softmax.

    :param s: the scale, by default 64
    """
    return tf.nn.softmax(tf.acos(tf.clip_by_value(cosines * s / s, -0.99, 0.99)))


def margins_by_scores(cosines, scores):
    return tf.nn.softmax(tf.acos(tf.clip_by_value(cosines * scores / scores, -0.99, 0.99)))  # MISSED divide-by-zero
