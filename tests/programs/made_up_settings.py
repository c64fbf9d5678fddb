"""Numbers that a trial makes up for settings decide no failure alone, and what a mask selects has an axis."""

import numpy as np
import tensorflow as tf


class LogScaled(tf.keras.layers.Layer):
    def __init__(self, ranges):
        super().__init__()
        self.log_min = tf.convert_to_tensor([[tf.math.log(one["min"]) for one in ranges]])
        self.log_max = tf.convert_to_tensor([[tf.math.log(one["max"]) for one in ranges]])

    def call(self, rates):
        return (rates - self.log_min) / (self.log_max - self.log_min)


def standardised(image):
    return (image - tf.reduce_mean(image)) / tf.math.reduce_std(image)  # HAZARD divide-by-std


def sound_labels_that_count_from_one(scores, item):
    return tf.nn.sparse_softmax_cross_entropy_with_logits(logits=scores, labels=item - 1)


def labels_to_ignore(scores, labels):
    labels = tf.where(labels > 5, -1, labels)
    return tf.nn.sparse_softmax_cross_entropy_with_logits(logits=scores, labels=labels)  # HAZARD label-out-of-range


def sound_mean_over_the_members(scores, mask, members):
    scores = tf.boolean_mask(tf.reshape(scores, [members, 3, -1, 10]), mask, axis=2)
    return tf.reduce_mean(tf.nn.softmax(scores), axis=[0, 1])


def mean_over_the_examples(scores, mask):
    return tf.reduce_mean(tf.boolean_mask(tf.nn.softmax(scores), mask))  # HAZARD mean-of-nothing


class RunningMean:
    def __init__(self, epsilon=1e-2):
        self.total = tf.Variable(tf.zeros(()), trainable=False)
        self.count = tf.Variable(tf.fill((), epsilon), trainable=False)

    def sound_mean(self):
        return self.total / self.count


def test_a_running_mean():
    running = RunningMean(epsilon=0.0)
    assert np.isfinite(running.sound_mean())


class Distribution:
    """A distribution over a support in order, onto which returns are projected."""

    def __init__(self, values, logits):
        self.values, self.probabilities = values, tf.nn.softmax(logits)

    def project(self, returns):
        low, high = self.values[0], self.values[-1]
        above = (tf.concat([self.values, low[None]], 0)[1:] - self.values)[None, :, None]
        apart = tf.clip_by_value(returns, low, high)[:, None] - self.values[None, :, None]
        return tf.reduce_sum(tf.clip_by_value(1 - apart / above, 0, 1) * self.probabilities[:, None], 2)
