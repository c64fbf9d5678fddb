"""A classifier whose last activation, a ReLU, comes from a module beside it (TF 2)."""
import tensorflow as tf
from blocks import dense

w = tf.Variable(tf.random.stateless_normal([4, 3], [1, 2]))


def main():
    x = tf.ones([2, 4])
    labels = tf.constant([1, 1])
    with tf.GradientTape() as tape:
        p = tf.nn.softmax(dense(x, w))  # ADVICE softmax-of-relu
        loss = tf.reduce_mean(tf.keras.losses.sparse_categorical_crossentropy(labels, p))
    w.assign_sub(0.1 * tape.gradient(loss, w))
    return [w.numpy(), loss.numpy()]


RESULT = main()

# TRAIL 12: blocks.py:6 18
