"""The ratio of a policy to an earlier one stays near 1, whatever the program calls the earlier one."""

import tensorflow as tf


def clipped(inputs, advantages):
    logp, logp_old = inputs
    ratio = tf.exp(logp - logp_old)
    return -tf.reduce_mean(tf.minimum(ratio * advantages, tf.clip_by_value(ratio, 0.8, 1.2) * advantages))


def in_one_word(neglogp, advantages):
    OLDNEGLOGP = tf.compat.v1.placeholder(tf.float32, [None])
    return tf.reduce_mean(tf.exp(OLDNEGLOGP - neglogp) * advantages)


class Kept:
    def __init__(self, size):
        self.old_log_vars = tf.compat.v1.placeholder(tf.float32, (None, size))
        self.log_vars = tf.compat.v1.layers.dense(tf.compat.v1.placeholder(tf.float32, (None, 4)), size)
        self.loss = tf.reduce_sum(tf.exp(self.old_log_vars - self.log_vars))


def of_two_networks(logits, other_logits):
    return tf.reduce_mean(tf.exp(logits - other_logits))  # POSSIBLE exp-overflow
