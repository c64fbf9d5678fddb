"""Helpers are judged by what their callers give them, wherever a file defines them."""

import tensorflow as tf


def loss(scores, labels):
    return sound_cross_entropy(labels, tf.nn.softmax(scores) + 1e-6)


def sound_cross_entropy(labels, probs):
    return -tf.reduce_sum(labels * tf.math.log(probs))


def another_loss(scores, labels):
    return cross_entropy(labels, tf.nn.softmax(scores))


def cross_entropy(labels, probs):
    return -tf.reduce_sum(labels * tf.math.log(probs))  # HAZARD log-softmax


def first(scores):
    return second(tf.nn.sigmoid(scores) + 1e-3)


def second(probs):
    return third(probs) + fourth(probs)


def third(probs):
    return 1.0 / tf.reduce_sum(probs)


def fourth(probs):
    return tf.math.log(probs)


class Critic(tf.keras.Model):
    def sound_entropy(self, probs):
        return -tf.reduce_sum(probs * tf.math.log(probs), -1)

    def entropy(self, probs):
        return -tf.reduce_sum(probs * tf.math.log(probs), -1)  # HAZARD log-times-argument

    def call(self, scores):
        probs = tf.nn.softmax(scores)
        return self.sound_entropy(tf.clip_by_value(probs, 1e-6, 1.0)), self.entropy(probs)
