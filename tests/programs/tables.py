"""Rows of tables of embeddings, looked up by several indices: two indices do not name the same row."""

import tensorflow as tf

users = tf.Variable(tf.random.normal([100, 8]))
items = tf.Variable(tf.random.normal([500, 8]))


def score(user, item):
    return tf.reduce_sum(tf.gather(users, user) * tf.gather(items, item), axis=-1)


def ranking_loss(user, pos, neg):
    margin = score(user, pos) - score(user, neg)
    return -tf.reduce_mean(tf.math.log(tf.sigmoid(margin)))  # HAZARD log-sigmoid


def sound_ranking_loss(user, pos, neg):
    margin = score(user, pos) - score(user, neg)
    return -tf.reduce_mean(tf.math.log_sigmoid(margin))


def odds_loss(user, pos, neg):
    a = tf.nn.embedding_lookup(users, user) * tf.nn.embedding_lookup(items, pos)
    b = tf.nn.embedding_lookup(users, user) * tf.nn.embedding_lookup(items, neg)
    return tf.reduce_mean(tf.math.log(1.0 + tf.exp(tf.reduce_sum(b - a, -1))))  # HAZARD softplus-by-hand


def sound_odds_loss(user, pos, neg):
    a = tf.nn.embedding_lookup(users, user) * tf.nn.embedding_lookup(items, pos)
    b = tf.nn.embedding_lookup(users, user) * tf.nn.embedding_lookup(items, neg)
    return tf.reduce_mean(tf.math.softplus(tf.reduce_sum(b - a, -1)))
