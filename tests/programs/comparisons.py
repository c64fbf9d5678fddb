"""Two unlike things are equal quite ordinarily, also when their difference was scaled or bent."""

import numpy as np
import tensorflow as tf
from tensorflow.keras import backend as K


def metres_loss(y_true, y_pred):
    x = (y_true[:, 0] - y_pred[:, 0]) * 111.0
    y = (y_true[:, 1] - y_pred[:, 1]) * 96.0
    return K.mean(tf.sqrt(tf.add(tf.square(x), tf.square(y))))  # HAZARD sqrt-at-zero


def sound_metres_loss(y_true, y_pred):
    x = (y_true[:, 0] - y_pred[:, 0]) * 111.0
    y = (y_true[:, 1] - y_pred[:, 1]) * 96.0
    return K.mean(tf.sqrt(tf.square(x) + tf.square(y) + 1e-10))


def haversine_loss(y_true, y_pred):
    here, there = y_true * np.pi / 180, y_pred * np.pi / 180
    a = tf.sin((there[:, 0] - here[:, 0]) / 2) ** 2
    a += tf.cos(here[:, 0]) * tf.cos(there[:, 0]) * tf.sin((there[:, 1] - here[:, 1]) / 2) ** 2
    return 2 * 6371 * tf.asin(tf.sqrt(a))  # HAZARD sqrt-at-zero


def sound_haversine_loss(y_true, y_pred):
    here, there = y_true * np.pi / 180, y_pred * np.pi / 180
    a = tf.sin((there[:, 0] - here[:, 0]) / 2) ** 2
    a += tf.cos(here[:, 0]) * tf.cos(there[:, 0]) * tf.sin((there[:, 1] - here[:, 1]) / 2) ** 2
    return 2 * 6371 * tf.asin(tf.sqrt(tf.clip_by_value(a, 1e-12, 1.0 - 1e-6)))


def gaze_loss(y_true, y_pred):
    return tf.acos(-tf.keras.losses.cosine_similarity(y_true, y_pred))  # HAZARD inverse-sine-at-one


def sound_gaze_loss(y_true, y_pred):
    return tf.acos(0.999999 * -tf.keras.losses.cosine_similarity(y_true, y_pred))


def pairwise_distance_loss(embeddings):
    products = tf.matmul(embeddings, embeddings, transpose_b=True)
    squares = tf.linalg.diag_part(products)
    distances = tf.maximum(squares[:, None] - 2.0 * products + squares[None, :], 0.0)
    zero = tf.cast(tf.equal(distances, 0.0), tf.float32)
    sound = tf.sqrt(distances + zero * 1e-16) * (1.0 - zero)
    return tf.sqrt(distances) + sound  # HAZARD sqrt-at-zero


def encoded(boxes, anchors):
    size = tf.maximum(boxes[:, 2:] - boxes[:, :2], 0.0)
    return tf.math.log((size + 1e-6) / anchors[:, 2:]) + tf.math.log(size / anchors[:, 2:])  # HAZARD log-reaches-zero


def removable_loss(y_true, y_pred):
    ratio = tf.where(tf.abs(y_pred) < 0.1, 0.5 + y_pred / 12.0, 1.0 / (1.0 - tf.exp(-y_pred)) - 1.0 / y_pred)  # HAZARD where-too-late exp-overflow  # FALSE divide-by-zero
    small = tf.abs(y_pred) < 0.1
    safe = tf.where(small, tf.ones_like(y_pred), y_pred)
    sound = tf.where(small, 0.5 + y_pred / 12.0, 1.0 / (1.0 - tf.exp(-safe)) - 1.0 / safe)  # HAZARD exp-overflow
    return tf.reduce_mean(tf.square(ratio - y_true) + tf.square(sound - y_true))


def missing_loss(y_true, y_pred):
    known = tf.logical_not(tf.math.is_nan(y_true))
    late = tf.square(y_true - y_pred) * tf.cast(known, tf.float32)  # HAZARD missing-label-too-late
    sound = tf.square(tf.where(known, y_true, 0.0) - y_pred) * tf.cast(known, tf.float32)
    return tf.reduce_sum(late + sound)
