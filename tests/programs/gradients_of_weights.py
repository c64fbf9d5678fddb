"""The gradients of all weights of a network are never 0 together; those of its kernels, or of one layer, may be."""

import tensorflow as tf


def balanced(model, x, y, bound):
    with tf.GradientTape(persistent=True) as tape:
        loss = tf.reduce_mean(tf.square(model(x) - y))
        edge = tf.reduce_mean(tf.square(model(bound)))
    inner = tf.linalg.global_norm(tape.gradient(loss, model.trainable_variables))
    outer = tf.linalg.global_norm(tape.gradient(edge, model.trainable_variables))
    return loss + inner / outer * edge


def one_by_one(model, x, y):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(model(x) - y))
    gradients = tape.gradient(loss, model.trainable_variables)
    return [gradient / tf.norm(gradient) for gradient in gradients]  # HAZARD divide-by-norm


class Weighted:
    def __init__(self, depth):
        self.depth = depth
        self.kernels = [tf.Variable(tf.random.normal((4, 4))) for _ in range(depth)]

    def scale(self, x, y):
        gathered = tf.zeros((0,))
        for layer in range(self.depth):
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(tf.square(tf.matmul(x, self.kernels[layer]) - y))
            gradient = tape.gradient(loss, self.kernels[layer])
            gathered = tf.concat([gathered, tf.reshape(gradient, [-1])], axis=0)
        return 1.0 / tf.norm(gathered)  # HAZARD divide-by-norm


def attacked(model, x, y, steps):
    moved = tf.zeros_like(x)
    for _ in range(steps):
        with tf.GradientTape() as tape:
            tape.watch(x)
            loss = tf.reduce_mean(tf.square(model(x + moved) - y))
        slope = tape.gradient(loss, x)
        moved += slope / tf.norm(slope)  # HAZARD divide-by-norm
    return x + moved


def attacked_together(model, first, second, y):
    with tf.GradientTape() as tape:
        tape.watch([first, second])
        loss = tf.reduce_mean(tf.square(model(first) + model(second) - y))
    slopes = tape.gradient(loss, [first, second])
    return tf.stack(slopes) / tf.linalg.global_norm(slopes)  # HAZARD divide-by-zero
