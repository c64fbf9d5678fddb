"""What a dataset has dropped does not get to the functions that it is mapped with afterwards."""

import tensorflow as tf


def is_loud(clip):
    return tf.reduce_max(tf.abs(clip)) > 1e-3


def louder_than(peak):
    return lambda clip: tf.reduce_max(tf.abs(clip)) > peak


def scaled(clip):
    return clip / tf.reduce_max(tf.abs(clip))


def scaled_alike(clip):
    return clip / tf.reduce_max(tf.abs(clip))


def scaled_first(clip):
    return clip / tf.reduce_max(tf.abs(clip))  # HAZARD divide-by-zero


def scaled_batch(clips):
    return clips / tf.reduce_max(tf.abs(clips), axis=1, keepdims=True)  # HAZARD divide-by-zero


def clips_of(clips):
    return tf.data.Dataset.from_tensor_slices(clips).filter(is_loud).shuffle(64).map(scaled).batch(4)


def clips_above(clips, peak: float = 1e-3):
    return tf.data.Dataset.from_tensor_slices(clips).filter(louder_than(peak)).map(scaled_alike)


def filtered_too_late(clips):
    return tf.data.Dataset.from_tensor_slices(clips).map(scaled_first).filter(is_loud)


def filtered_one_by_one(clips):
    return tf.data.Dataset.from_tensor_slices(clips).filter(is_loud).batch(4).map(scaled_batch)
