"""What counts the decisions of a network only measures it: no gradient passes, and nothing is trained on it."""

import tensorflow as tf


def share_of_false_alarms(logits, labels):
    decided = tf.argmax(logits, axis=-1)
    wrong = tf.reduce_sum(tf.cast(tf.logical_and(tf.equal(decided, 1), tf.equal(labels, 0)), tf.float32))
    return wrong / tf.reduce_sum(tf.cast(tf.equal(decided, 1), tf.float32))  # POSSIBLE divide-by-zero


def micro_f_score(logits, labels, mask):
    decided = tf.cast(tf.round(tf.sigmoid(logits)), tf.int32)
    labels, mask = tf.cast(labels, tf.int32), tf.cast(mask, tf.int32)
    right = tf.math.count_nonzero(decided * labels * mask)
    wrong = tf.math.count_nonzero(decided * (labels - 1) * mask)
    return right / (right + wrong)  # POSSIBLE divide-by-zero


def loss_of_what_is_decided(logits, labels, errors):
    chosen = tf.cast(tf.equal(tf.argmax(logits, axis=-1), labels), tf.float32)
    return tf.reduce_sum(errors * chosen) / tf.reduce_sum(chosen)  # HAZARD divide-by-mask-sum


def loss_in_the_type_of_another(logits, labels, errors, like):
    chosen = tf.cast(tf.equal(tf.argmax(logits, axis=-1), labels), like.dtype)
    return tf.reduce_sum(tf.cast(errors, like.dtype) * chosen) / tf.reduce_sum(chosen)  # HAZARD divide-by-mask-sum
