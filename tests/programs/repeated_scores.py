"""Scores of pairs, one of which is repeated to be as many as the others."""

import tensorflow as tf


class PairwiseLogisticLoss:
    def __call__(self, pos_score, neg_score):
        pos_score = tf.repeat(pos_score, int(neg_score.shape[0] / pos_score.shape[0]))
        return tf.reduce_sum(tf.math.log(1 + tf.exp(neg_score - pos_score)))  # HAZARD softplus-by-hand


class PairwiseSoftplusLoss:
    def __call__(self, pos_score, neg_score):
        pos_score = tf.repeat(pos_score, int(neg_score.shape[0] / pos_score.shape[0]))
        return tf.reduce_sum(tf.nn.softplus(neg_score - pos_score))


def tiled_loss(pos_score, neg_score):
    pos_score = tf.tile(tf.expand_dims(pos_score, 1), [1, tf.shape(neg_score)[1]])
    return tf.reduce_mean(tf.math.log(1.0 + tf.exp(neg_score - pos_score)))  # HAZARD softplus-by-hand


def tiled_softplus_loss(pos_score, neg_score):
    pos_score = tf.tile(tf.expand_dims(pos_score, 1), [1, tf.shape(neg_score)[1]])
    return tf.reduce_mean(tf.nn.softplus(neg_score - pos_score))


def broadcast_loss(pos_score, neg_score):
    pos_score = tf.broadcast_to(pos_score[:, None], tf.shape(neg_score))
    return tf.reduce_mean(tf.math.log(1.0 + tf.exp(neg_score - pos_score)))  # HAZARD softplus-by-hand


def broadcast_softplus_loss(pos_score, neg_score):
    pos_score = tf.broadcast_to(pos_score[:, None], tf.shape(neg_score))
    return tf.reduce_mean(tf.nn.softplus(neg_score - pos_score))
