"""States that one function fills and another one uses: what they hold at first is no data, unless it is used before."""

import tensorflow as tf


class Mixture:
    def __init__(self, count):
        self.shares = tf.Variable(tf.zeros([count]), trainable=False)
        self.counts = tf.Variable(tf.zeros([count]), trainable=False)

    def fit(self, responsibilities):
        self.shares.assign(tf.reduce_mean(tf.nn.softmax(responsibilities) + 0.01, 0))
        self.counts.assign_add(tf.reduce_sum(tf.nn.softmax(responsibilities), 0))

    def energy(self, likelihoods):
        return tf.math.log(self.shares) + tf.nn.log_softmax(likelihoods)

    def rate(self, likelihoods):
        return tf.nn.softmax(likelihoods) / self.counts  # HAZARD divide-by-zero


class Speed:
    def __init__(self):
        self.last = tf.Variable(0.0, trainable=False)

    def update(self, distance):
        relative = distance / self.last  # HAZARD divide-by-zero
        self.last.assign(distance)
        return relative


class Balancer:
    def __init__(self, count):
        self.reference = tf.Variable(tf.zeros([count]), trainable=False)
        self.floored = tf.Variable(tf.zeros([count]), trainable=False)
        self.started = False

    def start(self, losses):
        self.reference.assign(losses)
        self.floored.assign(tf.maximum(losses, 0.05))
        self.started = True

    def update(self, labels, logits):
        measured = tf.cast(labels >= 0.0, tf.float32)
        losses = tf.reduce_mean(tf.square(tf.maximum(labels, 0.0) - tf.sigmoid(logits)) * measured, 0)
        if not self.started:
            self.start(losses)
        return losses / self.reference + losses / self.floored  # HAZARD divide-by-zero


def a_context(scores, mask):
    count = tf.Variable(1.0, trainable=False)
    with tf.name_scope("counting"):
        count.assign(tf.reduce_sum(tf.cast(mask > 0.0, tf.float32)))
    return tf.reduce_sum(tf.nn.softmax(scores) * mask) / count  # HAZARD divide-by-zero


def an_operation_of_a_graph(scores):
    count = tf.Variable(1.0, trainable=False)
    reset = count.assign(0.0)
    return tf.nn.softmax(scores) / count, reset


def under_a_control_dependency(scores):
    count = tf.Variable(1.0, trainable=False)
    reset = count.assign(0.0)
    with tf.control_dependencies([reset]):
        lost = tf.nn.softmax(scores) / count  # HAZARD divide-by-zero
    return lost, tf.nn.softmax(scores) / count
