"""The cross-entropy of the old digits tutorial: the log of a softmax output (TF 1)."""
import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 4])
y_ = tf.placeholder(tf.float32, [None, 3])
W = tf.Variable(tf.ones([4, 3]) * [1.0, 60.0, -60.0])
b = tf.Variable(tf.zeros([3]))

y = tf.nn.softmax(tf.matmul(x, W) + b)
cross_entropy = -tf.reduce_sum(y_ * tf.log(y))  # HAZARD log-softmax
train_step = tf.train.GradientDescentOptimizer(0.01).minimize(cross_entropy)
correct = tf.equal(tf.argmax(y, 1), tf.argmax(y_, 1))


def main():
    feed = {x: np.ones([2, 4], np.float32), y_: np.array([[0, 1, 0], [0, 1, 0]], np.float32)}
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(train_step, feed)
        return session.run([W, b, cross_entropy], feed)


RESULT = main()

# TRAIL 11: 10
