"""What is read twice of an object, of a dictionary or by a method without arguments is the same value."""

import numpy as np
import tensorflow as tf
from tensorflow import keras


class Categorical:
    def __init__(self, logits):
        self.logits = logits

    def kl(self, other):
        a0 = self.logits - tf.reduce_max(self.logits, axis=1, keepdims=True)
        a1 = other.logits - tf.reduce_max(other.logits, axis=1, keepdims=True)
        e0, e1 = tf.exp(a0), tf.exp(a1)
        z0, z1 = tf.reduce_sum(e0, axis=1, keepdims=True), tf.reduce_sum(e1, axis=1, keepdims=True)
        return tf.reduce_sum(e0 / z0 * (a0 - tf.math.log(z0) - a1 + tf.math.log(z1)), axis=1)

    def unshifted_kl_loss(self, other):
        e1 = tf.exp(other.logits)
        return tf.reduce_mean(tf.math.log(tf.reduce_sum(e1, axis=1)))  # HAZARD log-sum-exp


def by_key(batch):
    shifted = batch["logits"] - tf.reduce_max(batch["logits"], axis=1, keepdims=True)
    return tf.math.log(tf.reduce_sum(tf.exp(shifted), axis=1))


def by_keys(batch):
    shifted = batch["head"][0] - tf.reduce_max(batch["head"][0], axis=1, keepdims=True)
    return tf.math.log(tf.reduce_sum(tf.exp(shifted), axis=1))


def by_method(policy):
    shifted = policy.get("scores") - tf.reduce_max(policy.get("scores"), axis=1, keepdims=True)
    other = policy.mode() - tf.reduce_max(policy.mode(), axis=1, keepdims=True)
    return tf.math.log(tf.reduce_sum(tf.exp(shifted), axis=1)) + tf.math.log(tf.reduce_sum(tf.exp(other), axis=1))


def of_what_is_drawn_each_time(policy, x):
    p = tf.nn.softmax(keras.layers.Dense(3)(x))
    return tf.reduce_mean(tf.math.log(p) * policy.sample() - policy.sample())  # HAZARD log-softmax


def taken_from(queue, x):
    return x / tf.reduce_sum(tf.square(queue.pop(0) - queue.pop(0)))


def assigned_between(batch):
    top = tf.reduce_max(batch["x"])
    batch["x"] = tf.nn.relu(batch["x"])
    return tf.reduce_mean(tf.math.log(batch["x"])) - top  # HAZARD log-relu


def spread_of(low_and_high=(0.5, 2.0), x=None):
    width = tf.clip_by_value(keras.layers.Dense(1)(x), *low_and_high)
    return tf.math.log(width) + 1.0 / width


def drawn_labels(logits, n_classes):
    rng = np.random.default_rng(0)
    labels = tf.constant(rng.integers(0, n_classes, 8))
    return tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
