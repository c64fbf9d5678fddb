"""Each arm of an `if`, `elif` chain is tried, and gradients come as a list."""

import numpy as np
import tensorflow as tf


def perturbed(x, predictions, labels, ord=np.inf):
    loss = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits(labels=labels, logits=predictions))
    (grad,) = tf.compat.v1.gradients(loss, x)
    if ord == np.inf:
        step = tf.sign(grad)
    elif ord == 1:
        step = grad / tf.reduce_sum(tf.abs(grad), axis=[1], keepdims=True)  # HAZARD divide-by-zero
    elif ord == 2:
        square = tf.reduce_sum(tf.square(grad), axis=[1], keepdims=True)
        step = grad / tf.sqrt(square)  # HAZARD divide-by-norm
    else:
        raise NotImplementedError(ord)
    return x + 0.1 * step


def perturbed_within_reason(x, predictions, labels, ord=np.inf):
    loss = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits(labels=labels, logits=predictions))
    (grad,) = tf.compat.v1.gradients(loss, x)
    if ord == np.inf:
        step = tf.sign(grad)
    elif ord == 1:
        step = grad / tf.maximum(tf.reduce_sum(tf.abs(grad), axis=[1], keepdims=True), 1e-12)
    elif ord == 2:
        square = tf.maximum(tf.reduce_sum(tf.square(grad), axis=[1], keepdims=True), 1e-12)
        step = grad / tf.sqrt(square)
    else:
        raise NotImplementedError(ord)
    return x + 0.1 * step


class Attack:
    def __init__(self, norm):
        self.norm = norm

    def step(self, x, loss):
        grad = tf.compat.v1.gradients(loss, x)[0]
        if self.norm == "sign":
            return tf.sign(grad)
        elif self.norm == "mean":
            scaled = grad / tf.reduce_mean(tf.abs(grad), axis=1, keepdims=True)  # HAZARD divide-by-zero
        else:
            scaled = tf.clip_by_value(grad, -1.0, 1.0)
        return scaled


def descended(x, grads, squares):
    """What is written to a list that was made of None is what is read there."""
    new = [None] * len(x)
    for i in range(len(x)):
        new[i] = 0.9 * tf.square(squares[i]) + 0.1 * grads[i] * grads[i]
        x[i] -= 0.1 * grads[i] / (tf.sqrt(new[i]) + 1e-7)
    return x, new


def scaled(x, mode=0):
    if mode == 0 or mode == 2:
        scale = tf.ones_like(x)
    else:
        scale = tf.reduce_max(x, axis=-1, keepdims=True) - tf.reduce_min(x, axis=-1, keepdims=True)
    return x / scale  # HAZARD divide-by-zero


def scaled_within_reason(x, mode=0):
    if mode == 0 or mode == 2:
        scale = tf.ones_like(x)
    else:
        scale = tf.reduce_max(x, axis=-1, keepdims=True) - tf.reduce_min(x, axis=-1, keepdims=True) + 1e-6
    return x / scale
