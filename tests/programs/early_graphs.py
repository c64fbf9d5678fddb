"""Code for TensorFlow 1.15: a session keeps an epsilon where it computes the gradient as well, and loses it elsewhere."""

import tensorflow as tf


class Discriminator:
    def __init__(self, size):
        self.real = tf.placeholder(tf.float32, [None, size])
        self.fake = tf.placeholder(tf.float32, [None, size])
        real_scores, fake_scores = self.scores(self.real), self.scores(self.fake)
        self.loss = -tf.reduce_mean(
            tf.log(tf.sigmoid(real_scores) + 1e-8) + tf.log(1 - tf.sigmoid(fake_scores) + 1e-8)
        )
        self.step = tf.train.AdamOptimizer(1e-4).minimize(self.loss)
        self.reward = -tf.log(1 - tf.sigmoid(fake_scores) + 1e-8)  # HAZARD epsilon-reassociated

    def scores(self, x):
        with tf.variable_scope("scores", reuse=tf.AUTO_REUSE):
            return tf.squeeze(tf.layers.dense(tf.layers.dense(x, 64, tf.nn.tanh), 1), -1)

    def rewards(self, session, states):
        return session.run(self.reward, {self.fake: states})
