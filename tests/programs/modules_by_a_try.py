"""TensorFlow imported in a `try`, in a function, lazily, by an attribute of another module."""

import sys

try:
    import tensorflow.compat.v1 as tf
except ImportError:
    import tensorflow as tf
try:
    import tensorflow as tf_or_none
except ImportError:
    tf_or_none = None
if sys.version_info > (3, 8):
    from tensorflow import keras
else:
    import keras
from lazy import LazyLoader

lazy = LazyLoader("lazy", globals(), "tensorflow")
nn, math = tf.nn, tf.math
softmax, log = tf.nn.softmax, tf.math.log
from tensorflow.python.ops import math_ops
from tensorflow.python.ops import nn_ops as operations


def by_a_try(x):
    h = tf.nn.softmax(x)
    return tf.math.log(h), tf.math.log(h + 1e-6)  # HAZARD log-softmax


def where_there_is_one(x):
    h = tf_or_none.nn.softmax(x)
    return tf_or_none.math.log(h), tf_or_none.math.log(h + 1e-6)  # HAZARD log-softmax


def by_a_branch(x):
    h = keras.activations.softmax(x)
    return keras.backend.log(h), keras.backend.log(h + 1e-6)  # HAZARD log-softmax


def by_a_loader(x):
    h = lazy.nn.softmax(x)
    return lazy.math.log(h), lazy.math.log(h + 1e-6)  # HAZARD log-softmax


def by_parts(x):
    h = nn.softmax(x)
    return math.log(h), math.log(h + 1e-6)  # HAZARD log-softmax


def by_names(x):
    h = softmax(x)
    return log(h), log(h + 1e-6)  # HAZARD log-softmax


def by_inner_modules(x):
    h = operations.softmax(x)
    return math_ops.log(h), math_ops.log(h + 1e-6)  # HAZARD log-softmax


def import_it():
    global tfg
    import tensorflow as tfg


def once_imported(x):
    h = tfg.nn.softmax(x)
    return tfg.math.log(h), tfg.math.log(h + 1e-6)  # HAZARD log-softmax
