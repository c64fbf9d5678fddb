"""The masked regression with its loss in helper functions, trained by an optimizer's `minimize`."""
import tensorflow as tf
from tensorflow import linalg

weights = tf.Variable(tf.ones([2, 3]))
mask = tf.linalg.diag([0.0, 1.0, 0.0])


def residual(x, y):
    return y - tf.matmul(tf.matmul(x, weights), mask)


def column_lengths(difference):
    return linalg.norm(difference, axis=0)  # HAZARD norm-at-zero


def objective(x, y):
    return tf.reduce_mean(column_lengths(residual(x, y)))


def main():
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    y = tf.constant([[0.0, 1.0, 0.0], [0.0, 2.0, 0.0]])
    with tf.GradientTape() as tape:
        loss = objective(x, y)
    weights.assign_sub(0.01 * tape.gradient(loss, weights))
    return [weights.numpy(), loss.numpy()]


RESULT = main()

# TRAIL 14: 30 25 18 26
