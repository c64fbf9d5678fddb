"""Functions that nothing can run: a private or a nested one that its file names once, to define it."""

import functools

import tensorflow as tf


def _inverse_softplus(x):
    return tf.math.log(tf.math.expm1(tf.nn.relu(x)))


def _entropy(logits):
    p = tf.nn.softmax(logits)
    return -tf.reduce_sum(p * tf.math.log(p), axis=-1)  # HAZARD log-softmax


def public(logits):
    p = tf.nn.softmax(logits)
    return -tf.reduce_sum(p * tf.math.log(p), axis=-1)  # HAZARD log-softmax


def loss(labels, logits):
    def normalise(x):
        low = tf.reduce_min(x)
        return (x - low) / (tf.reduce_max(x) - low)

    def penalty(p):
        return tf.reduce_sum(tf.math.log(p))  # HAZARD log-softmax

    # return normalise(logits)
    return penalty(tf.nn.softmax(logits)) + tf.reduce_sum(labels * _entropy(logits))


LOSSES = {}


def registered(function):
    LOSSES[function.__name__] = function
    return function


@registered
def _focal(logits):
    p = tf.nn.softmax(logits)
    return -tf.reduce_sum((1.0 - p) * tf.math.log(p), axis=-1)  # HAZARD log-softmax


@functools.cache
def _cached(logits):
    return tf.math.log(tf.nn.softmax(logits))  # HAZARD log-softmax


def handed_out():
    def inner(logits):
        return tf.math.log(tf.nn.softmax(logits))  # HAZARD log-softmax

    return inner
