"""What a program computes beside its loss: a penalty that it leaves out is not differentiated."""

import tensorflow.compat.v1 as tf


def fc(x, scope, units):
    with tf.variable_scope(scope):
        w = tf.get_variable("w", [x.get_shape()[1], units], initializer=tf.orthogonal_initializer())
        b = tf.get_variable("b", [units], initializer=tf.zeros_initializer())
        return tf.matmul(x, w) + b


class Discriminator:
    def __init__(self, scope):
        self.scope = scope
        self.generated = tf.placeholder(tf.float32, (None, 5))
        self.expert = tf.placeholder(tf.float32, (None, 5))
        generated = self.graph(self.generated)
        expert = self.graph(self.expert)

        own = tf.gradients(generated, [self.generated])
        length = tf.sqrt(tf.reduce_sum(tf.square(own[0]), axis=1))
        self.monitored = tf.reduce_mean(tf.square(length - 1.0))

        mixed = 0.5 * self.generated + 0.5 * self.expert
        slope = tf.gradients(self.graph(mixed), [mixed])
        length = tf.sqrt(tf.reduce_sum(tf.square(slope[0]), axis=1))  # HAZARD sqrt-at-zero
        self.penalty = tf.reduce_mean(tf.square(length - 1.0))

        self.loss = tf.reduce_mean(generated) - tf.reduce_mean(expert) + 10.0 * self.penalty
        self.update = tf.train.AdamOptimizer(1e-4).minimize(self.loss, var_list=self.weights())

    def graph(self, x):
        with tf.variable_scope(self.scope, reuse=tf.AUTO_REUSE):
            hidden = tf.nn.relu(fc(x, "hidden", 16))
            return fc(hidden, "score", 1)

    def weights(self):
        return tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, self.scope)
