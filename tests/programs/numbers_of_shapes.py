"""Numbers of a shape are whole, whatever they are called: they come from a parameter or from a configuration."""

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
