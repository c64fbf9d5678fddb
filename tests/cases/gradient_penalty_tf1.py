"""The gradient penalty with `tf.gradients` and an optimizer (TF 1)."""
import numpy as np
import tensorflow as tf

real = tf.placeholder(tf.float32, [None, 3])
fake = tf.placeholder(tf.float32, [None, 3])
w = tf.Variable(tf.ones([3, 1]) * 9.0)


def critic(x):
    return tf.tanh(tf.matmul(x, w))


alpha = tf.random_uniform(shape=[4, 1], minval=0.0, maxval=1.0)
interpolates = real + alpha * (fake - real)
gradients = tf.gradients(critic(interpolates), [interpolates])[0]
slopes = tf.sqrt(tf.reduce_sum(tf.square(gradients), reduction_indices=[1]))  # HAZARD sqrt-at-zero
gradient_penalty = tf.reduce_mean((slopes - 1.0) ** 2)
critic_loss = tf.reduce_mean(critic(fake)) - tf.reduce_mean(critic(real)) + 10.0 * gradient_penalty
train = tf.train.AdamOptimizer(1e-4).minimize(critic_loss, var_list=[w])


def main():
    feed = {real: np.full([4, 3], 2.0, np.float32), fake: np.full([4, 3], 1.0, np.float32)}
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(train, feed)
        return session.run([w, gradient_penalty], feed)


RESULT = main()

# TRAIL 17: 20
