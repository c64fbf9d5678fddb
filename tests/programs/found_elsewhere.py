"""Values that are not told at once: attributes that other code sets, results read by name, sparse tensors."""

import numpy as np
import tensorflow as tf


class Attack:
    def __init__(self, model, **settings):
        self.model = model
        for name, value in settings.items():
            setattr(self, name, value)

    def step(self, x, loss):
        (grad,) = tf.compat.v1.gradients(loss, x)
        if self.order == np.inf:
            step = tf.sign(grad)
        elif self.order == 1:
            step = grad / tf.reduce_sum(tf.abs(grad), axis=1, keepdims=True)  # HAZARD divide-by-zero
        elif self.order == 2:
            step = grad / tf.maximum(tf.norm(grad, axis=1, keepdims=True), 1e-12)
        return x + self.eps * step


class Averaged(tf.Module):
    def by_mask(self, x):
        return tf.reduce_sum(self.mask * x) / tf.reduce_sum(self.mask)  # HAZARD divide-by-mask-sum

    def by_sound_mask(self, x):
        return tf.reduce_sum(self.mask * x) / (tf.reduce_sum(self.mask) + 1e-6)

    def by_itself(self, x):
        return x * tf.math.log(1e-6 + self.signal * self.signal)


def total(x):
    found = tf.zeros([])
    found += tf.reduce_sum(tf.square(x))
    return x / tf.sqrt(found)  # HAZARD divide-by-root


def total_from_one(x):
    found = tf.ones([])
    found += tf.reduce_sum(tf.square(x))
    return x / tf.sqrt(found)


def ratio_of_draws(features):
    rate = tf.nn.softplus(features)
    first, second = (tf.random.gamma(shape=(), alpha=rate) for _ in range(2))
    return first / (first + second)  # HAZARD divide-by-zero


def ratio_of_draws_with_a_floor(features):
    rate = tf.nn.softplus(features)
    first, second = (tf.random.gamma(shape=(), alpha=rate) for _ in range(2))
    return first / (first + second + 1e-9)


def relative_to_the_best(scores):
    probabilities = tf.nn.softmax(scores)
    return tf.math.log(tf.math.top_k(probabilities, k=2).values[..., -1])  # HAZARD log-reaches-zero


def relative_to_the_very_best(scores):
    probabilities = tf.nn.softmax(scores)
    return tf.math.log(tf.math.top_k(probabilities, k=2).values[..., 0])


def mean_of_chosen(scores, sparse_mask):
    mask = tf.sparse.to_dense(sparse_mask)
    return tf.reduce_sum(scores * mask, -1) / tf.reduce_sum(mask, -1)  # HAZARD divide-by-mask-sum


def sound_mean_of_chosen(scores, sparse_mask):
    mask = tf.sparse.to_dense(sparse_mask)
    return tf.math.divide_no_nan(tf.reduce_sum(scores * mask, -1), tf.reduce_sum(mask, -1))
