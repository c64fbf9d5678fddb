"""A regression that is fed NaN, patched by a function of a module beside it (TF 2)."""
import tensorflow as tf
from cleaning import without_nans

w1 = tf.Variable(tf.ones([2, 4]))
w2 = tf.Variable(tf.ones([4, 1]))


def predict(x):
    return without_nans(tf.matmul(tf.nn.relu(tf.matmul(x, w1)), w2))


def main():
    x = tf.constant([[1.0, float("nan")], [1.0, 2.0]])
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(predict(x) - 1.0))
    grads = tape.gradient(loss, [w1, w2])
    return [loss.numpy(), *[g.numpy() for g in grads]]


RESULT = main()

# TRAIL cleaning.py:6: 6 10 10 21 16 10 17
