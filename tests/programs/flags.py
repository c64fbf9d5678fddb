"""Flags that differ from their defaults: what is switched on is tried as well, and a guard stays where it is."""

import tensorflow as tf


def switched_on(x, normalize=False):
    total = tf.reduce_sum(x)
    if normalize:
        return x / tf.norm(x), total  # HAZARD divide-by-norm
    return x, total


def switched_on_and_guarded(x, normalize=False):
    total = tf.reduce_sum(x)
    if normalize:
        return x / tf.maximum(tf.norm(x), 1e-6), total
    return x, total


def dice_of_present_classes(logits, labels, include_background=True, only_present=False):
    probabilities, wanted = tf.nn.softmax(logits), tf.one_hot(labels, 3)
    overlap = tf.reduce_sum(wanted * probabilities, axis=1)
    count = tf.reduce_sum(wanted, axis=1)
    dice = (2.0 * overlap + 1e-5) / (count + tf.reduce_sum(probabilities, axis=1) + 1e-5)
    if not include_background:
        dice, count = dice[:, 1:], count[:, 1:]
    dice, count = tf.reshape(dice, (-1,)), tf.reshape(count, (-1,))
    if only_present:
        dice = tf.boolean_mask(dice, tf.not_equal(count, 0.0))
    return 1.0 - tf.reduce_mean(dice)  # HAZARD mean-of-nothing


def dice_of_present_classes_with_background(logits, labels, only_present=False):
    probabilities, wanted = tf.nn.softmax(logits), tf.one_hot(labels, 3)
    overlap = tf.reduce_sum(wanted * probabilities, axis=1)
    count = tf.reduce_sum(wanted, axis=1)
    dice = (2.0 * overlap + 1e-5) / (count + tf.reduce_sum(probabilities, axis=1) + 1e-5)
    dice, count = tf.reshape(dice, (-1,)), tf.reshape(count, (-1,))
    if only_present:
        dice = tf.boolean_mask(dice, tf.not_equal(count, 0.0))
    return 1.0 - tf.reduce_mean(dice)


class Entropy:
    def __init__(self, in_bits=False, clipped=True):
        self.in_bits = in_bits
        self.clipped = clipped

    def of(self, x):
        p = tf.nn.softmax(x)
        if self.clipped:
            p = tf.maximum(p, 1e-6)
        if self.in_bits:
            return -tf.reduce_sum(p * tf.math.log(p), -1) / tf.math.log(2.0)
        return -tf.reduce_sum(p * tf.math.log(p), -1)

    def of_a_share(self, x, mask):
        p = tf.nn.softmax(x)
        if self.in_bits:
            return tf.reduce_sum(p * mask) / tf.reduce_sum(mask)  # HAZARD divide-by-mask-sum
        return tf.reduce_mean(p)


def chosen_by_the_caller(x):
    return switched_off(x, normalize=False)


def switched_off(x, normalize=False):
    return x / tf.norm(x) if normalize else x  # HAZARD divide-by-norm


def guarded_unless_asked_otherwise(x, raw=False):
    h = tf.nn.softmax(x)
    if not raw:
        h = h + 1e-6
    return tf.math.log(h)  # HAZARD log-reaches-zero


def guarded_by_a_true_flag(x, smooth=True):
    h = tf.nn.softmax(x)
    if not smooth:
        return h
    h = h + 1e-6
    return tf.math.log(h)


def kept_by_a_true_flag(x, smooth=True):
    h = tf.nn.softmax(x)
    if not smooth:
        h = h * 2.0
    else:
        h = h + 1e-6
    return tf.math.log(h)


def chosen_by_another_caller(gradient):
    return normalized(gradient, order="inf")


def normalized(gradient, order="inf"):
    if order == "inf":
        return tf.sign(gradient)
    return gradient / tf.reduce_sum(tf.abs(gradient))  # HAZARD divide-by-zero


def guarded_by_the_caller(x):
    return standardized(x, least=1e-6)


def standardized(x, least=0.0):
    deviation = tf.math.reduce_std(x, -1, keepdims=True)
    if least > 0:
        deviation = tf.maximum(deviation, least)
    return x / deviation
