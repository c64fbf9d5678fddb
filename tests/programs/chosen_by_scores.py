"""NaN among scores makes the choice by them meaningless; an infinity is chosen, or never is."""

import tensorflow as tf


class Bandit(tf.Module):
    def __init__(self, arms, explore=2.0):
        super().__init__()
        self.explore = explore
        self.counts = tf.Variable(tf.zeros([arms]), trainable=False)
        self.means = tf.Variable(tf.zeros([arms]), trainable=False)
        self.rounds = tf.Variable(1.0, trainable=False)

    def choose(self):
        spread = tf.math.log(self.rounds) / self.counts  # HAZARD divide-by-zero
        return int(tf.argmax(self.means + tf.sqrt(self.explore * spread)))

    def choose_soundly(self):
        spread = tf.math.log(self.rounds) / tf.maximum(self.counts, 1.0)
        return int(tf.argmax(self.means + tf.sqrt(self.explore * spread)))

    def choose_of_allowed(self, allowed):
        return int(tf.argmax(tf.where(allowed, self.means, -float("inf"))))

    def update(self, arm, reward):
        self.counts.scatter_nd_add([[arm]], [1.0])
        self.means.scatter_nd_add([[arm]], [reward])
        self.rounds.assign_add(1.0)
