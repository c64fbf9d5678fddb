"""Predicted scales by the name of their logarithm: training keeps them from the ends of the type."""

import tensorflow as tf


def sound_mean_variance(z_logvar):
    return tf.reduce_mean(tf.exp(z_logvar), axis=0)


def sound_quotient(mean, log_var, prior_log_var):
    first, second = tf.exp(log_var), tf.exp(prior_log_var)
    return mean * second / (first + second)


def sound_deviation(action, mean, log_std):
    return (action - mean) / tf.exp(log_std)


def unnormalised(logits):
    scores = tf.exp(logits)  # POSSIBLE exp-overflow
    return tf.reduce_sum(scores, axis=-1) * tf.reduce_max(logits, axis=-1)


def scale_that_is_not_positive(x, log_scale):
    return x / tf.nn.relu(log_scale)  # HAZARD divide-by-zero
