"""Data that its name tells: recordings before and after noise, and what users did with items."""

import tensorflow as tf


def level(x):
    return tf.sqrt(tf.reduce_mean(tf.square(x), axis=-1, keepdims=True))


def at_a_level(clean):
    return 0.05 / level(clean) * clean  # HAZARD divide-by-root


def at_a_sound_level(clean):
    return 0.05 / (level(clean) + 1e-6) * clean


def relative_to_the_peak(noisy_speech):
    return noisy_speech / tf.reduce_max(tf.abs(noisy_speech), axis=-1, keepdims=True)  # HAZARD divide-by-zero


def relative_to_a_sound_peak(noisy_speech):
    return noisy_speech / tf.maximum(tf.reduce_max(tf.abs(noisy_speech), axis=-1, keepdims=True), 1e-6)


def mean_of_liked(scores, ratings):
    liked = tf.cast(ratings > 0.5, tf.float32)
    return tf.reduce_sum(scores * liked, -1) / tf.reduce_sum(liked, -1)  # HAZARD divide-by-mask-sum


def sound_mean_of_liked(scores, ratings):
    liked = tf.cast(ratings > 0.5, tf.float32)
    return tf.math.divide_no_nan(tf.reduce_sum(scores * liked, -1), tf.reduce_sum(liked, -1))
