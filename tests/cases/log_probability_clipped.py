"""Bounds for a log that float32 does not hold, and bounds that it does (TF 2)."""
import tensorflow as tf

w = tf.Variable(tf.ones([2, 1]) * 60.0)


def loss_of(x, labels):
    p = tf.clip_by_value(tf.sigmoid(tf.matmul(x, w)), 1e-8, 1.0 - 1e-8)
    lost = -tf.reduce_mean(labels * tf.math.log(p) + (1.0 - labels) * tf.math.log(1.0 - p))  # HAZARD epsilon-absorbed
    q = tf.nn.softmax(tf.matmul(x, tf.concat([w, -w], axis=1)))
    kept = -tf.reduce_mean(tf.math.log(tf.clip_by_value(q, 1e-8, tf.reduce_max(q))))
    return lost + kept


def main():
    x, labels = tf.ones([3, 2]), tf.zeros([3, 1])
    with tf.GradientTape() as tape:
        loss = loss_of(x, labels)
    w.assign_sub(0.01 * tape.gradient(loss, w))
    return [w.numpy(), loss.numpy()]


RESULT = main()

# TRAIL 9: 8 8 23 18
