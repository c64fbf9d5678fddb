"""TensorFlow that a function hands over, that an object holds, that is imported by a call or where it is used."""

import importlib

from framework.utils import try_import_tf

tf1, tf, version = try_import_tf()
tensorflow = importlib.import_module("tensorflow")
log = tf.math.log


def handed_over(x):
    p = tf.nn.softmax(x)
    return tf.math.log(p), tf.math.log(p + 1e-6)  # HAZARD log-softmax


def by_a_call(x):
    p = tensorflow.nn.softmax(x)
    return tensorflow.math.log(p), tensorflow.math.log(p + 1e-6)  # HAZARD log-softmax


def by_its_own_name(x):
    p = tf.nn.softmax(x)
    return log(p), log(p + 1e-6)  # HAZARD log-softmax


def where_it_is_used(x):
    import tensorflow as inner

    nn = inner.nn
    p = nn.softmax(x)
    return inner.math.log(p), inner.math.log(p + 1e-6)  # HAZARD log-softmax


class Held:
    def __init__(self):
        self.tf = tf

    def run(self, x):
        p = self.tf.nn.softmax(x)
        return self.tf.math.log(p), self.tf.math.log(p + 1e-6)  # HAZARD log-softmax


def by_attribute(x):
    p = tf.nn.softmax(x)
    return tf.math.log(p), tf.math.log(p + 1e-6)  # HAZARD log-softmax
