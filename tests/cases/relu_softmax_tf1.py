"""ReLU right before softmax, and the log of the result (TF 1)."""
import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 4])
y_ = tf.placeholder(tf.float32, [None, 3])
W = tf.get_variable("W", [4, 3], initializer=tf.constant_initializer(60.0))
h = tf.nn.relu(tf.matmul(x, W))
y = tf.nn.softmax(h)  # ADVICE softmax-of-relu
loss = -tf.reduce_mean(tf.reduce_sum(y_ * tf.log(tf.clip_by_value(y, 1e-8, 1.0)), axis=1))
train = tf.train.GradientDescentOptimizer(0.01).minimize(loss)


def main():
    feed = {x: np.ones([2, 4], np.float32), y_: np.array([[0, 1, 0], [0, 1, 0]], np.float32)}
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(train, feed)
        return session.run([loss], feed)


RESULT = main()

# TRAIL 9: 8
