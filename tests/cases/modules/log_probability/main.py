"""The cross-entropy of a softmax, by a function of a module beside it (TF 2)."""
import tensorflow as tf
from losses import cross_entropy

w = tf.Variable(tf.ones([4, 3]) * [1.0, 60.0, -60.0])


def main():
    x = tf.ones([2, 4])
    labels = tf.constant([[0.0, 1.0, 0.0], [0.0, 1.0, 0.0]])
    with tf.GradientTape() as tape:
        probabilities = tf.nn.softmax(tf.matmul(x, w))
        loss = cross_entropy(labels, probabilities)
    w.assign_sub(0.1 * tape.gradient(loss, w))
    return [w.numpy(), loss.numpy()]


RESULT = main()

# TRAIL losses.py:6: 12 18 13
