"""A check whether a size is about 0 shows that it can be 0: what the gradient then fails at comes too early for it."""

import tensorflow as tf


def exponential_map(v):
    squared = tf.reduce_sum(v * v, axis=-1, keepdims=True)
    angle = tf.sqrt(squared)
    scale = tf.where(squared < 1e-12, 1.0, tf.sin(angle) / angle)  # HAZARD divide-by-root
    return scale * v


def exponential_map_of_safe_angles(v):
    squared = tf.reduce_sum(v * v, axis=-1, keepdims=True)
    small = squared < 1e-12
    angle = tf.sqrt(tf.where(small, 1.0, squared))
    return tf.where(small, 1.0, tf.sin(angle) / angle) * v


def unit_or_itself(v):
    length = tf.norm(v)
    if length > 1e-9:
        return v / length
    return v


class Chain(tf.keras.layers.Layer):
    def build(self, input_shape):
        self.joints = self.add_weight(name="joints", shape=(5, 3))

    def call(self, x):
        step = self.joints[1:] - self.joints[:-1]
        bent = exponential_map(step) + exponential_map_of_safe_angles(step)
        return tf.reduce_sum(tf.square(bent - x)) + tf.reduce_sum(unit_or_itself(step))


def gradients(chain, x):
    with tf.GradientTape() as tape:
        loss = chain(x)
    return tape.gradient(loss, chain.trainable_variables)
