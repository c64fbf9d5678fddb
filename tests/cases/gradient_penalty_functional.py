"""The gradient penalty as free functions, its slopes computed by hand (TF 2)."""
import tensorflow as tf

w = tf.Variable(tf.ones([3, 1]) * 9.0)


def critic(x):
    return tf.tanh(tf.matmul(x, w))


def slopes(x):
    with tf.GradientTape() as inner:
        inner.watch(x)
        out = critic(x)
    gradient = inner.gradient(out, x)
    return tf.sqrt(tf.reduce_sum(tf.square(gradient), axis=[1]))  # HAZARD sqrt-at-zero


def main():
    x = tf.constant([[1.0, 2.0, 3.0], [3.0, 2.0, 1.0]])
    with tf.GradientTape() as outer:
        penalty = tf.reduce_mean((slopes(x) - 1.0) ** 2)
    w.assign_sub(0.1 * outer.gradient(penalty, w))
    return [penalty.numpy(), w.numpy()]


RESULT = main()

# TRAIL 16: 27 22 23
