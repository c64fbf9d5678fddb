"""What a network gives is its output, also under a letter by which labels go."""

import tensorflow as tf


def step(model, x, target):
    with tf.GradientTape() as tape:
        y = model(x)
        squares = tf.reduce_sum(y * y, -1) + tf.reduce_sum(target * target, -1)
        squares -= 2.0 * tf.reduce_sum(y * target, -1)
        loss = tf.reduce_mean(tf.sqrt(tf.maximum(squares, 0.0)))  # HAZARD sqrt-at-zero
        cosine = tf.reduce_sum(tf.math.l2_normalize(y, -1) * tf.math.l2_normalize(target, -1), -1)
        loss += tf.reduce_mean(tf.acos(tf.clip_by_value(cosine, -1.0, 1.0)))  # HAZARD inverse-sine-at-one
    return tape.gradient(loss, model.trainable_variables)


def sound_step(model, x, target):
    with tf.GradientTape() as tape:
        y = model(x)
        squares = tf.reduce_sum(tf.square(y - target), -1)
        loss = tf.reduce_mean(tf.sqrt(tf.maximum(squares, 1e-12)))
        cosine = tf.reduce_sum(tf.math.l2_normalize(y, -1) * tf.math.l2_normalize(target, -1), -1)
        loss += tf.reduce_mean(tf.acos(tf.clip_by_value(cosine, -0.999999, 0.999999)))
    return tape.gradient(loss, model.trainable_variables)
