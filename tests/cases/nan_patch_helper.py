"""The NaN patch in a helper, behind weights that are multiplied by hand (TF 2)."""
import tensorflow as tf

w1 = tf.Variable(tf.ones([2, 4]))
w2 = tf.Variable(tf.ones([4, 1]))


def clean(t):
    return tf.where(tf.math.is_finite(t), t, tf.zeros_like(t))  # HAZARD nan-patched-late


def predict(x):
    return clean(tf.matmul(tf.nn.relu(tf.matmul(x, w1)), w2))


def main():
    x = tf.constant([[1.0, float("nan")], [1.0, 2.0]])
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(predict(x) - 1.0))
    grads = tape.gradient(loss, [w1, w2])
    return [loss.numpy(), *[g.numpy() for g in grads]]


RESULT = main()

# TRAIL 9: 5 13 13 24 19 13 20
