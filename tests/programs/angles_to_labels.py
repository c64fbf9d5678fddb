"""The angle between a prediction and its label, whose cosine is 1 or slightly above it where they agree."""

import tensorflow as tf

head = tf.keras.layers.Dense(3)


def geodesic_loss(target, features):
    q = tf.math.l2_normalize(head(features), axis=-1)
    t = tf.math.l2_normalize(target, axis=-1)
    cosine = tf.abs(tf.reduce_sum(q * t, axis=-1))
    return 2.0 * tf.acos(cosine)  # HAZARD inverse-sine-outside


def angular_loss(labels, features):
    predicted = head(features)
    length = tf.sqrt(tf.reduce_sum(tf.square(predicted), axis=-1, keepdims=True))
    predicted = predicted / tf.maximum(length, 1e-6)  # HAZARD sqrt-under-xla
    cosine = tf.reduce_sum(predicted * tf.math.l2_normalize(labels, -1), axis=-1)
    return tf.acos(cosine)  # HAZARD inverse-sine-outside


def geodesic_in_layers_loss(target, features):
    cosine = tf.reduce_sum(tf.nn.l2_normalize(target, -1) * tf.nn.l2_normalize(head(features), -1), axis=-1)
    return tf.asin(cosine)  # HAZARD inverse-sine-outside


def guarded_geodesic_loss(target, features):
    q = tf.math.l2_normalize(head(features), axis=-1)
    t = tf.math.l2_normalize(target, axis=-1)
    cosine = tf.abs(tf.reduce_sum(q * t, axis=-1))
    return 2.0 * tf.acos(tf.clip_by_value(cosine, 0.0, 1.0 - 1e-6))


def cosine_distance_loss(target, features):
    q = tf.math.l2_normalize(head(features), axis=-1)
    return 1.0 - tf.reduce_sum(q * tf.math.l2_normalize(target, axis=-1), axis=-1)
