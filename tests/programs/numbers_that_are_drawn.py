"""Two draws differ, and what a program fills from its own numbers is no data."""

import numpy as np
import tensorflow as tf


def diversity_loss(first, second, images, others):
    images = tf.reduce_mean(tf.abs(images - others), axis=[1, 2, 3])
    codes = tf.reduce_mean(tf.abs(first - second), axis=1)
    return 1.0 / (tf.reduce_mean(images / codes) + 1e-5)


def train_step(generator, size):
    first = tf.random.normal((size, 16))
    second = tf.random.normal((size, 16))
    with tf.GradientTape() as tape:
        loss = diversity_loss(first, second, generator(first), generator(second))
    return tape.gradient(loss, generator.trainable_variables)


def nearest_other(vectors, count=20):
    others = np.ones(count**2, dtype=bool).reshape(count, count)
    others[np.diag_indices(count)] = False
    products = tf.matmul(vectors, vectors, transpose_b=True)
    return tf.reduce_max(tf.boolean_mask(products, others))


def nearest_allowed(vectors, allowed):
    products = tf.matmul(vectors, vectors, transpose_b=True)
    return tf.reduce_max(tf.boolean_mask(products, allowed))  # HAZARD extreme-of-nothing
