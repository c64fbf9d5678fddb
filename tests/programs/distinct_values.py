"""The distinct numbers of labels: each occurs at least once, and there may be one of them only."""

import tensorflow as tf


def repulsion(prediction, label):
    labels, ids, counts = tf.unique_with_counts(label)
    total = tf.size(labels)
    mu = tf.math.unsorted_segment_sum(prediction, ids, total) / tf.cast(counts, tf.float32)[:, None]
    gaps = tf.reduce_sum(tf.abs(mu[:, None] - mu[None]), axis=-1)
    kept = tf.boolean_mask(gaps, gaps > 0.0)
    return tf.reduce_mean(tf.square(tf.nn.relu(3.0 - kept)))  # HAZARD mean-of-nothing


def sound_means_by_label(prediction, label):
    labels, ids, counts = tf.unique_with_counts(label)
    sums = tf.math.unsorted_segment_sum(prediction, ids, tf.size(labels))
    return tf.reduce_mean(tf.square(sums / tf.cast(counts, tf.float32)[:, None]))


def train(x, label):
    model = tf.keras.Sequential([tf.keras.Input((3,)), tf.keras.layers.Dense(4)])
    with tf.GradientTape() as tape:
        loss = repulsion(model(x), label) + sound_means_by_label(model(x), label)
    return tape.gradient(loss, model.trainable_variables)
