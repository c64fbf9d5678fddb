"""The masked regression, its distances in a module beside it (TF 2)."""
import tensorflow as tf
from distances import column_lengths

weights = tf.Variable(tf.ones([2, 3]))
mask = tf.linalg.diag([0.0, 1.0, 0.0])


def main():
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    y = tf.constant([[0.0, 1.0, 0.0], [0.0, 2.0, 0.0]])
    with tf.GradientTape() as tape:
        prediction = tf.matmul(tf.matmul(x, weights), mask)
        loss = tf.reduce_mean(column_lengths(y, prediction))
    weights.assign_sub(0.01 * tape.gradient(loss, weights))
    return [weights.numpy(), loss.numpy()]


RESULT = main()

# TRAIL distances.py:6: 19 14 15
