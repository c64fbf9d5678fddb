"""Whole scripts of TensorFlow 1: MNIST by hand, a tower with scopes, a recurrent model, word vectors."""

import numpy as np
import tensorflow as tf


def weight_variable(shape):
    return tf.Variable(tf.truncated_normal(shape, stddev=0.1))


def bias_variable(shape):
    return tf.Variable(tf.constant(0.1, shape=shape))


def conv2d(x, w):
    return tf.nn.conv2d(x, w, strides=[1, 1, 1, 1], padding="SAME")


def max_pool(x):
    return tf.nn.max_pool(x, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="SAME")


x = tf.placeholder(tf.float32, shape=[None, 784])
y_ = tf.placeholder(tf.float32, shape=[None, 10])
h = tf.nn.relu(conv2d(tf.reshape(x, [-1, 28, 28, 1]), weight_variable([5, 5, 1, 32])) + bias_variable([32]))
flat = tf.reshape(max_pool(h), [-1, 14 * 14 * 32])
keep_prob = tf.placeholder(tf.float32)
dropped = tf.nn.dropout(flat, keep_prob)
y_conv = tf.nn.softmax(tf.matmul(dropped, weight_variable([14 * 14 * 32, 10])) + bias_variable([10]))
cross_entropy = tf.reduce_mean(-tf.reduce_sum(y_ * tf.log(y_conv), reduction_indices=[1]))  # HAZARD log-softmax
train_step = tf.train.AdamOptimizer(1e-4).minimize(cross_entropy)
correct = tf.equal(tf.argmax(y_conv, 1), tf.argmax(y_, 1))
accuracy = tf.reduce_mean(tf.cast(correct, tf.float32))


class Tower(object):
    def __init__(self, inputs, labels, eps=1e-8):
        self.inputs, self.labels = inputs, labels
        with tf.variable_scope("tower", reuse=tf.AUTO_REUSE):
            self._build(eps)

    def _build(self, eps):
        hidden = tf.layers.dense(self.inputs, 64, activation=tf.nn.relu)
        self.logits = tf.layers.dense(hidden, 10)
        self.probs = tf.nn.softmax(self.logits)
        self.loss = -tf.reduce_mean(tf.reduce_sum(self.labels * tf.log(self.probs + eps), 1))  # MISSED softmax-saturated
        self.entropy = -tf.reduce_mean(tf.reduce_sum(self.probs * tf.log(self.probs), 1))  # HAZARD log-softmax
        optimizer = tf.train.RMSPropOptimizer(1e-3)
        grads, variables = zip(*optimizer.compute_gradients(self.loss - 0.01 * self.entropy))
        grads, _ = tf.clip_by_global_norm(grads, 5.0)
        self.train = optimizer.apply_gradients(zip(grads, variables))


tower = Tower(x, y_)

cell = tf.nn.rnn_cell.BasicLSTMCell(64)
outputs, state = tf.nn.dynamic_rnn(cell, tf.reshape(x, [-1, 28, 28]), dtype=tf.float32)
score = tf.sigmoid(tf.layers.dense(state.h, 1))
target = tf.placeholder(tf.float32, [None, 1])
loss = -tf.reduce_mean(target * tf.log(score) + (1 - target) * tf.log(1 - score))  # HAZARD log-sigmoid log-one-minus-sigmoid
sound = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels=target, logits=tf.layers.dense(state.h, 1)))
train_rnn = tf.train.GradientDescentOptimizer(0.1).minimize(loss + sound)

drawn = tf.Variable(tf.random_uniform([999, 64], -1.0, 1.0))
direction = drawn / tf.sqrt(tf.reduce_sum(tf.square(drawn), 1, keep_dims=True))
embeddings = tf.concat([tf.zeros([1, 64]), drawn], 0)  # the first row is for padding
norm = tf.sqrt(tf.reduce_sum(tf.square(embeddings), 1, keep_dims=True))
normalized = embeddings / norm  # HAZARD divide-by-norm
similarity = tf.matmul(normalized, normalized, transpose_b=True)

saver = tf.train.Saver()
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(100):
        batch = np.random.rand(50, 784), np.eye(10)[np.random.randint(0, 10, 50)]
        sess.run(train_step, feed_dict={x: batch[0], y_: batch[1], keep_prob: 0.5})


def heads_by_keyword(x, labels):
    hidden = tf.layers.dense(inputs=x, units=8, activation=tf.nn.relu)
    p = tf.layers.dense(inputs=hidden, units=1, activation=tf.nn.sigmoid)
    loss = -tf.reduce_mean(labels * tf.log(p))  # HAZARD log-sigmoid
    sound = tf.log(tf.layers.dense(inputs=hidden, units=1, activation=tf.nn.sigmoid) + 1e-6)
    return tf.train.AdamOptimizer().minimize(loss + tf.reduce_mean(sound))


def joined_noise(count):
    u = tf.random_uniform([4, count])
    radius = tf.sqrt(-2.0 * tf.log(u))  # HAZARD log-reaches-zero
    return tf.concat(1, [u, radius])


def sound_joined_noise(count):
    u = tf.random_uniform([4, count], 1e-6, 1.0)
    radius = tf.sqrt(-2.0 * tf.log(u))
    return tf.concat(1, [u, radius])
