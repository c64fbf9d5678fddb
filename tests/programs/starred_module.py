"""TensorFlow and NumPy under names that `from module import *` gives, of a module that cannot be read."""

from settings_and_imports import *

WEIGHTS = np.ones(3)


def entropy(x):
    h = tf.nn.softmax(x)
    return tf.reduce_sum(tf.math.log(h)), tf.reduce_sum(tf.math.log(h + 1e-6))  # HAZARD log-softmax


def weighted(x):
    h = K.softmax(x) * WEIGHTS
    return K.log(h), K.log(h + 1e-6)  # HAZARD log-reaches-zero


def normalised(x):
    h = keras.ops.softmax(x)
    return keras.ops.log(h)  # HAZARD log-softmax
