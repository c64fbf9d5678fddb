"""Numbers that a program sets once: weights that scale boxes, and hyperparameters in variables."""

import numpy as np
import tensorflow as tf
from keras import backend as K
from keras.optimizers import Optimizer


def sound_decoding(boxes, weights):
    dy = boxes[..., 0:1] / weights[0]
    dx = boxes[..., 1:2] / weights[1]
    return tf.concat([dy, dx], -1)


def sound_encoding(boxes, anchors, weights=None):
    y, x = tf.split(boxes - anchors, 2, axis=-1)
    wy, wx = tf.unstack(weights)
    return tf.concat([y / wy, x / wx], -1)


def a_mean_of_nothing(losses, weights):
    return tf.reduce_sum(losses * weights) / tf.reduce_sum(weights)  # HAZARD divide-by-mask-sum


class Follower(Optimizer):
    def __init__(self, lr=0.0025, beta_1=0.6):
        self.lr = K.variable(lr)
        self.beta_1 = K.variable(beta_1)

    def sound_rate(self, gradient, step):
        rate = self.lr / (1.0 - K.pow(self.beta_1, step))
        return gradient / ((K.abs(gradient) + 1.0) / rate)


def anchors_of(sizes, ratios, shape):
    h = np.zeros((len(sizes),))
    h[0] = sizes[0] / shape[0]
    for i, ratio in enumerate(ratios):
        h[i + 1] = sizes[0] / shape[0] / np.sqrt(ratio)
    return h


def sound_encoded(boxes, sizes, ratios, shape):
    h = anchors_of(sizes, ratios, shape)
    return tf.math.log((boxes[:, 1] + 1.0) / h)
