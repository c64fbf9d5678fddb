"""Single letters that one function of a module counts up to stand for sizes in the others, too."""

import tensorflow as tf


def rays(H, W, focal, pose):
    i, j = tf.meshgrid(tf.range(W, dtype=tf.float32), tf.range(H, dtype=tf.float32), indexing="xy")
    return tf.stack([(i - W * 0.5) / focal, -(j - H * 0.5) / focal, -tf.ones_like(i)], -1) @ pose


def projected(H, W, near, origins):
    x = -1.0 / (W / (2.0 * 0.5)) * origins[..., 0]
    y = -1.0 / (H / (2.0 * 0.5)) * origins[..., 1]
    return near * tf.stack([x, y], -1)


def by_features(Z, origins):
    return origins / tf.nn.relu(Z)  # HAZARD divide-by-zero


def padded(paths, target):
    w, h = measure(paths)  # noqa: F821
    return target[0] * (w / h)


def gated_loss(x, split):
    w, h = split(x)
    return tf.sqrt(tf.nn.relu(h)) / tf.nn.relu(x * w)  # HAZARD divide-by-zero
