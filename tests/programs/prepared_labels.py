"""Labels that NumPy scales before any training: a data set whose labels are all equal is merely possible."""

import numpy as np
import tensorflow as tf


def scaled(labels):
    return (labels - np.min(labels)) / (np.max(labels) - np.min(labels))  # POSSIBLE divide-by-zero


def load(path):
    held = np.load(path)
    return held["images"], scaled(held["labels"].astype("float32"))


images, labels = load("data.npz")
model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
model.compile("adam", "mse")
model.fit(images, labels)
