"""The action that was taken, as a one-hot placeholder or argument: it picks one of the probabilities of a softmax."""

import tensorflow as tf
from tensorflow.keras import backend as K
from tensorflow.keras import layers

states = layers.Input((4,))
policy = tf.keras.Model(states, layers.Dense(3, activation="softmax")(layers.Dense(8)(states)))
taken = K.placeholder(shape=(None, 3))
worth = K.placeholder(shape=(None,))


def loss_of_a_placeholder():
    weighted = K.sum(taken * policy.output, axis=1)
    return -K.sum(K.log(weighted + 1e-10) * K.stop_gradient(worth))


def loss_without_guard():
    weighted = K.sum(taken * policy.output, axis=1)
    return -K.sum(K.log(weighted) * K.stop_gradient(worth))  # HAZARD log-softmax


def loss_of_an_argument(chosen, scores):
    p = tf.nn.softmax(scores)
    return -tf.reduce_mean(tf.math.log(tf.reduce_sum(tf.multiply(p, chosen), axis=-1) + 1e-8))


def loss_of_an_argument_without_guard(chosen, scores):
    p = tf.nn.softmax(scores)
    return -tf.reduce_mean(tf.math.log(tf.reduce_sum(tf.multiply(p, chosen), axis=-1)))  # HAZARD log-softmax


def context(values, scores):
    return tf.reduce_sum(tf.nn.softmax(scores, axis=1)[:, :, None] * values, axis=1)


def log_of_a_context(values, scores):
    weighted = tf.reduce_sum(tf.nn.softmax(scores, axis=1)[:, :, None] * values, axis=1)
    return tf.math.log(tf.abs(weighted) + 1e-6)
