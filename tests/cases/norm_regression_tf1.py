"""Multi-task linear regression whose loss goes through a norm over masked columns (TF 1)."""
import numpy as np
import tensorflow as tf

TASKS = 30

inputs = tf.placeholder(tf.float32, [None, 4], name="inputs")
targets = tf.placeholder(tf.float32, [None, TASKS], name="targets")
mask = tf.placeholder(tf.float32, [TASKS, TASKS], name="mask")
batch = tf.placeholder(tf.float32, [], name="batch")

weights = tf.Variable(tf.ones([4, TASKS]) * 0.1)
bias = tf.Variable(tf.zeros([TASKS]))

prediction = tf.matmul(tf.matmul(inputs, weights) + bias, mask)
dist = tf.norm(targets - prediction, axis=0)  # HAZARD norm-at-zero
mse = tf.reciprocal(batch) * tf.reduce_mean(tf.square(dist))

grads = tf.gradients(dist, [prediction])
train = tf.train.GradientDescentOptimizer(0.8).minimize(mse)


def main():
    one_task = np.zeros([TASKS, TASKS], np.float32)
    one_task[3, 3] = 1.0
    rng = np.random.RandomState(0)
    x = rng.rand(8, 4).astype(np.float32)
    y = np.zeros([8, TASKS], np.float32)
    y[:, 3] = x.sum(axis=1)
    feed = {inputs: x, targets: y, mask: one_task, batch: 8.0}
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run([train, grads], feed)
        return session.run([weights, bias, mse, grads], feed)


RESULT = main()

# TRAIL 16: 19
