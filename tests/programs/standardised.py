"""Values that a program standardises by their own mean and deviation are data, whatever their names are."""

import numpy as np
import scipy.io
import tensorflow as tf


def of_two(adv, ret):
    adv = (adv - tf.reduce_mean(adv)) / tf.math.reduce_std(adv)  # HAZARD divide-by-std
    ret = (ret - tf.reduce_mean(ret)) / tf.math.reduce_std(ret)  # HAZARD divide-by-std
    return adv, ret


def sound_of_two(adv, ret):
    adv = (adv - tf.reduce_mean(adv)) / (tf.math.reduce_std(adv) + 1e-8)
    ret = (ret - tf.reduce_mean(ret)) / (tf.math.reduce_std(ret) + 1e-8)
    return adv, ret


def not_centred(zork):
    return zork / tf.math.reduce_std(zork)  # HAZARD divide-by-std


def by_moments(zork):
    mean, variance = tf.nn.moments(zork, axes=[0])
    return (zork - mean) / tf.sqrt(variance)  # HAZARD divide-by-root


def converted(zork):
    zork = tf.cast(tf.convert_to_tensor(zork), tf.float32)
    return (zork - tf.reduce_mean(zork)) / tf.math.reduce_std(zork)  # HAZARD divide-by-std


def of_a_batch(batch):
    _, ret = batch
    return (ret - tf.reduce_mean(ret)) / tf.math.reduce_std(ret)  # HAZARD divide-by-std


def of_a_table(batch):
    ret = batch["ret"]
    return (ret - tf.reduce_mean(ret)) / tf.math.reduce_std(ret)  # HAZARD divide-by-std


class Agent:
    def update(self):
        _, ret = self.memory.sample()
        return (ret - tf.reduce_mean(ret)) / tf.math.reduce_std(ret)  # HAZARD divide-by-std


def of_another(zork, ret):
    return (ret - tf.reduce_mean(zork)) / tf.math.reduce_std(zork)  # POSSIBLE divide-by-std


def sound_of_a_file():
    zork = np.load("zork.npy")
    return (zork - tf.reduce_mean(zork)) / tf.math.reduce_std(zork)  # POSSIBLE divide-by-std


def sound_of_a_call():
    zork, _ = make_moons(500)
    return (zork - tf.reduce_mean(zork)) / tf.math.reduce_std(zork)  # POSSIBLE divide-by-std


def sound_of_an_entry_of_a_file():
    zork = scipy.io.loadmat("zork.mat")["x"]
    return (zork - tf.reduce_mean(zork)) / tf.math.reduce_std(zork)  # POSSIBLE divide-by-std


def sound_by_the_extremes_of_columns(x, y):
    low, high = tf.reduce_min(x, axis=0), tf.reduce_max(x, axis=0)
    return (x - low) / (high - low), y / tf.reduce_max(tf.abs(y), axis=0)


def by_the_extremes_of_each_row(x):
    return x / tf.reduce_max(x, axis=1, keepdims=True)  # HAZARD divide-by-zero


def by_the_extremes_of_what_a_network_gives(network, x):
    hidden = tf.nn.relu(network(x))
    return hidden / tf.reduce_max(hidden, axis=0)  # HAZARD divide-by-zero


class Standardiser:
    def __init__(self, points):
        self.mean = points.mean(0)
        self.std = points.std(0)
        self.points = tf.convert_to_tensor(self.scaled(points), tf.float32)

    def scaled(self, points):
        return (points - self.mean) / self.std


def of_sampled_points(count):
    return Standardiser(np.random.rand(count, 2)).points
