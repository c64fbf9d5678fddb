"""Numbers of a shape are whole, whatever they are called, and a type may be given: by a caller or a configuration."""

import numpy as np
import tensorflow as tf


def box_muller(b, n):
    u = tf.random.uniform([b, n], -1, 1)
    u = (u + 1) / 2
    return tf.sqrt(-2 * tf.math.log(u)) * tf.cos(2 * np.pi * u)  # HAZARD log-reaches-zero


def sound_box_muller(b, n):
    u = tf.random.uniform([b, n], -1, 1)
    u = (u + 1 + 1e-6) / 2
    return tf.sqrt(-2 * tf.math.log(u)) * tf.cos(2 * np.pi * u)


def polar_noise(config):
    u = tf.random.uniform([config["batch_size"], config["gan.width"]], dtype=config["dtype"])
    radius = tf.slice(u, [0, 0], [config["batch_size"], config["gan.width"] // 2])
    return tf.sqrt(-2 * tf.math.log(radius))  # HAZARD log-reaches-zero


def sound_polar_noise(config):
    u = tf.random.uniform([config["batch_size"], config["gan.width"]], 1e-6, dtype=config["dtype"])
    radius = tf.slice(u, [0, 0], [config["batch_size"], config["gan.width"] // 2])
    return tf.sqrt(-2 * tf.math.log(radius))


def drawn_class(batch_size, size):
    drawn = tf.random.categorical(tf.math.log(tf.ones([batch_size, size])), 1)[:, 0]
    return tf.one_hot(drawn, size)


def drawn_classes(config):
    return [drawn_class(config["batch_size"], size) for size in config["sizes"]]


def entropy_of_a_prior(scores, config):
    category = drawn_classes(config)[0]
    likelihood = tf.reduce_sum(tf.math.log(tf.nn.softmax(scores) + 1e-12) * category, axis=1)
    return tf.reduce_mean(tf.math.log(likelihood))  # HAZARD log-below-zero log-reaches-zero


def sound_entropy_of_a_prior(scores, config):
    category = drawn_classes(config)[0]
    likelihood = tf.reduce_sum(tf.math.log(tf.nn.softmax(scores) + 1e-12) * category, axis=1)
    return tf.reduce_mean(tf.math.log(1e-6 + tf.abs(likelihood)))


def even_odds_loss(category):
    size = int(category.shape[1])
    prior = tf.ones([4, size]) * np.float32(1.0 / size)
    return tf.math.log(tf.reduce_sum(tf.math.log(prior + 1e-12), axis=1))  # HAZARD log-below-zero


def sound_against_even_odds(category):
    size = int(category.shape[1])
    prior = tf.ones([4, size]) * np.float32(1.0 / size)
    return tf.math.log(-tf.reduce_sum(tf.math.log(prior + 1e-12), axis=1))


def share_of_the_marked(x, labels, dtype):
    marked = tf.cast(tf.sign(labels), dtype)
    return x * marked / tf.reduce_mean(marked)  # HAZARD divide-by-zero


def sound_share_of_the_marked(x, labels, dtype):
    marked = tf.cast(tf.sign(labels), dtype)
    return x * marked / (tf.reduce_mean(marked) + 1e-6)
