"""The elements of what a loop gives are inputs of their own: the two items of a pair are not the same."""

import tensorflow as tf


class Ranking(tf.Module):
    def __init__(self, users, items):
        self.users = tf.Variable(tf.random.normal([users, 32], stddev=0.1))
        self.items = tf.Variable(tf.random.normal([items, 32], stddev=0.1))

    def score(self, user, item):
        return tf.reduce_sum(tf.gather(self.users, user) * tf.gather(self.items, item), -1)


def train(triples, optimizer):
    model = Ranking(100, 200)
    for user, liked, other in triples:
        with tf.GradientTape() as tape:
            margin = model.score(user, liked) - model.score(user, other)
            loss = -tf.reduce_mean(tf.math.log(tf.sigmoid(margin)))  # HAZARD log-sigmoid
        optimizer.apply_gradients(zip(tape.gradient(loss, model.trainable_variables), model.trainable_variables))


def train_soundly(triples, optimizer):
    model = Ranking(100, 200)
    for user, liked, other in triples:
        with tf.GradientTape() as tape:
            margin = model.score(user, liked) - model.score(user, other)
            loss = -tf.reduce_mean(tf.math.log_sigmoid(margin))
        optimizer.apply_gradients(zip(tape.gradient(loss, model.trainable_variables), model.trainable_variables))
