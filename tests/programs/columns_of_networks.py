"""Outputs of a network that somebody else builds: it has as many columns as the program takes of it."""

import tensorflow as tf


def composite(raw, distances):
    colour = tf.sigmoid(raw[..., :3])
    density = tf.nn.relu(raw[..., 3])
    opacity = 1.0 - tf.exp(-density * distances)
    passing = tf.math.log(1.0 - opacity)  # HAZARD log-reaches-zero
    return tf.reduce_sum((opacity * tf.exp(passing))[..., None] * colour, axis=1)


def composite_from_densities(raw, distances):
    colour = tf.sigmoid(raw[..., :3])
    density = tf.nn.relu(raw[..., 3])
    passing = -density * distances
    return tf.reduce_sum(((1.0 - tf.exp(passing)) * tf.exp(passing))[..., None] * colour, axis=1)


def step(field, optimizer, points, target):
    distances = tf.concat([tf.ones([31]), [1000.0]], 0)
    with tf.GradientTape() as tape:
        lost = tf.reduce_mean(tf.square(composite(field(points), distances) - target))
        sound = tf.reduce_mean(tf.square(composite_from_densities(field(points), distances) - target))
        loss = lost + sound
    optimizer.apply_gradients(zip(tape.gradient(loss, field.trainable_variables), field.trainable_variables))


class Split:
    def __init__(self, outputs, classes):
        self.outputs = outputs
        self.classes = classes

    def loss(self, scores, targets, active):
        sizes = [self.outputs - self.classes, self.classes]
        real, _ = tf.split(scores, sizes, axis=2)
        wanted, _ = tf.split(targets, sizes, axis=2)
        shown, _ = tf.split(active, sizes, axis=2)
        return tf.reduce_sum(tf.square(real - wanted) * shown) / tf.maximum(tf.reduce_sum(shown), 1.0)
