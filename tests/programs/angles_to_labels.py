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


def rotation(features):
    first, second = head(features), tf.keras.layers.Dense(3)(features)
    x = tf.math.l2_normalize(first, -1)
    y = tf.math.l2_normalize(second - tf.reduce_sum(x * second, -1, keepdims=True) * x, -1)
    return tf.stack([x, y, tf.linalg.cross(x, y)], axis=-1)


def rotation_loss(target_rotation, features):
    turned = tf.matmul(rotation(features), target_rotation, transpose_b=True)
    cosine = 0.5 * (tf.linalg.trace(turned) - 1.0)
    return tf.reduce_mean(tf.acos(tf.clip_by_value(cosine, -1.0, 1.0)))  # HAZARD inverse-sine-at-one


def guarded_rotation_loss(target_rotation, features):
    turned = tf.matmul(rotation(features), target_rotation, transpose_b=True)
    cosine = 0.5 * (tf.linalg.trace(turned) - 1.0)
    return tf.reduce_mean(tf.acos(tf.clip_by_value(cosine, -0.999999, 0.999999)))


def rotation_distance_loss(target_rotation, features):
    turned = tf.matmul(rotation(features), target_rotation, transpose_b=True)
    return tf.reduce_mean(3.0 - tf.linalg.trace(turned))
