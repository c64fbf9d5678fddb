"""Counts and sizes that a program states are not 0: a place that `enumerate` gives, a number that is fed."""

import tensorflow as tf

tf1 = tf.compat.v1


def mean(losses):
    total, count = losses[0], 1
    for count, loss in enumerate(losses[1:], 2):
        total += loss
    return total / count


def weighted(first, second):
    total = first
    for place, value in enumerate([first, second], start=1):
        total += value / place
    return total


def weighted_from_zero(first, second):
    total = first
    for place, value in enumerate([first, second]):
        total += tf.reduce_mean(value) / tf.cast(place, tf.float32)  # HAZARD divide-by-zero
    return total


class Network:
    def __init__(self, units):
        self.x = tf1.placeholder(tf.float32, [None, 8])
        self.training_size = tf1.placeholder(tf.int32)
        mean = tf1.layers.dense(self.x, units)
        self.cost = tf.reduce_sum(tf.square(mean)) / tf.cast(self.training_size, tf.float32)


def resume(step, images, settings):
    per_epoch = len(images.train_images) // settings["batch_size"]
    return step // per_epoch, step % per_epoch


class Tree:
    def __init__(self, capacity):
        self.capacity, self.entries, self.total = capacity, 0, 0.0

    def add(self, priority):
        self.entries += 1
        self.total += priority


class Buffer:
    def __init__(self, capacity):
        self.tree = Tree(capacity)

    def store(self, priority):
        self.tree.add(priority)

    def weights(self, shares):
        return tf.square(self.tree.entries * shares / self.tree.total)
