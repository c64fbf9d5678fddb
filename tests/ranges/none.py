import tensorflow as tf


def f(x, eps=None):
    if eps is None:
        eps = 1e-6
    return tf.nn.relu(x) + eps


x = tf.Variable([1.0])
reveal(f(x))  # [1e-06, inf): a ReLU plus 1e-06
reveal(f(x, eps=0.5))  # [0.5, inf): a ReLU plus 0.5
