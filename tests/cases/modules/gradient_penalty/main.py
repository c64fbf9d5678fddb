"""The gradient penalty, its slopes in a module beside the training loop (TF 2)."""
import tensorflow as tf
from penalties import slope_penalty

w = tf.Variable(tf.ones([3, 1]) * 9.0)


def critic(x):
    return tf.tanh(tf.matmul(x, w))


def main():
    x = tf.constant([[1.0, 2.0, 3.0], [3.0, 2.0, 1.0]])
    with tf.GradientTape() as outer:
        loss = 10.0 * slope_penalty(critic, x)
    w.assign_sub(0.1 * outer.gradient(loss, w))
    return [loss.numpy(), w.numpy()]


RESULT = main()

# TRAIL penalties.py:10: 20 15 16
