"""Objects that a function is given are of the class whose attributes it takes; NumPy computes what a graph is made with."""

import numpy as np
import tensorflow as tf


class Schedule:
    def __init__(self, steps=200, start=1e-4, end=0.02):
        betas = np.linspace(start, end, steps)
        kept = np.cumprod(1.0 - betas)
        before = np.append(1.0, kept[:-1])
        variance = betas * (1.0 - before) / (1.0 - kept)
        self.root = np.sqrt(kept)
        self.log_variance = np.log(variance)  # HAZARD log-reaches-zero
        self.clipped_log_variance = np.log(np.append(variance[1], variance[1:]))


def noised(schedule, x, step):
    low = tf.gather(tf.constant(schedule.log_variance, tf.float32), step)
    return tf.gather(tf.constant(schedule.root, tf.float32), step) * x + tf.exp(0.5 * low) * low


def soundly_noised(schedule, x, step):
    low = tf.gather(tf.constant(schedule.clipped_log_variance, tf.float32), step)
    return tf.gather(tf.constant(schedule.root, tf.float32), step) * x + tf.exp(0.5 * low)


class Box:
    def __init__(self, length):
        self.length = tf.constant(length, tf.float32)

    def displacement(self, positions):
        apart = positions[:, tf.newaxis, :] - positions[tf.newaxis, :, :]
        return apart - self.length * tf.round(apart / self.length)


class Gas(tf.Module):
    def __init__(self, box):
        super().__init__()
        self.box = box
        self.log_size = tf.Variable(0.0)

    def energy(self, positions):
        squared = tf.reduce_sum(tf.square(self.box.displacement(positions)), axis=-1)
        pairs = tf.pow(tf.exp(self.log_size) / squared, 3)  # HAZARD divide-by-zero
        return tf.reduce_sum(tf.where(tf.eye(tf.shape(positions)[0]) > 0, 0.0, pairs))

    def sound_energy(self, positions):
        same = tf.eye(tf.shape(positions)[0])
        squared = tf.reduce_sum(tf.square(self.box.displacement(positions)), axis=-1) + same
        return tf.reduce_sum(tf.where(same > 0, 0.0, tf.pow(tf.exp(self.log_size) / squared, 3)))


    def forces(self, positions):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(positions)
            energy, sound = self.energy(positions), self.sound_energy(positions)
        return tape.gradient(energy, positions), tape.gradient(sound, positions)


def normalized(adj):
    root = np.power(adj.sum(axis=1), -0.5)  # HAZARD rsqrt-at-zero
    return root[:, None] * adj * root[None, :]


def soundly_normalized(adj):
    root = np.power(adj.sum(axis=1), -0.5)
    root[np.isinf(root)] = 0.0
    return root[:, None] * adj * root[None, :]


def soundly_normalized_at_places(adj):
    root = np.power(adj.sum(axis=1), -0.5)
    root[np.isinf(root).nonzero()] = 0.0
    other = np.power(adj.sum(axis=1), -0.5)
    other[np.where(np.isinf(other))] = 0.0
    return root[:, None] * adj * other[None, :]


def of_linked_nodes(adj):
    degree = adj.sum(axis=1)
    root = np.zeros_like(degree)
    linked = degree > 0
    root[linked] = np.power(degree[linked], -0.5)
    return root[:, None] * adj * root[None, :]


def convolved(adj, x, w):
    supports = [normalized(adj), soundly_normalized(adj), of_linked_nodes(adj)]
    return tf.add_n([tf.matmul(tf.constant(one, tf.float32), tf.matmul(x, w)) for one in supports])


def of_numpy_alone(counts):
    return np.log(counts.sum(axis=0))


def policy_loss(build, x, returns, actions):
    inputs, (policy, value) = build(x)
    chosen = tf.gather(tf.math.log(policy), actions, batch_dims=1)  # HAZARD log-reaches-zero
    return -tf.reduce_mean(chosen * tf.stop_gradient(returns - value))


def policy_loss_of_scores(build, x, returns, actions):
    inputs, (scores, value) = build(x)
    chosen = tf.gather(tf.nn.log_softmax(scores), actions, batch_dims=1)
    return -tf.reduce_mean(chosen * tf.stop_gradient(returns - value))
