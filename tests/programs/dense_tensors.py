"""Tensors are followed as dense ones, and a template of TensorFlow 1 is the function that it is made of."""

import tensorflow as tf
from tensorflow.keras import backend as K


def transposed(a):
    return tf.sparse.transpose(a) if K.is_sparse(a) else tf.transpose(a)


def product(a, b):
    if K.is_sparse(a):
        return tf.sparse.sparse_dense_matmul(a, b)
    return tf.matmul(a, b)


def balance_loss(scores):
    assigned = tf.nn.softmax(scores)
    return -tf.linalg.trace(tf.sqrt(product(transposed(assigned), assigned)))  # HAZARD sqrt-at-zero


def balance_of_positive_loss(scores):
    assigned = tf.nn.softmax(scores) + 1e-3
    return -tf.linalg.trace(tf.sqrt(product(transposed(assigned), assigned)))


class Scaled:
    def __init__(self, name):
        self._op = tf.make_template(name, self.layer_op, create_scope_now_=True)

    def layer_op(self, x):
        return tf.sigmoid(x)

    def __call__(self, *args):
        return self._op(*args)


def entropy(x):
    return tf.math.log(Scaled("scaled")(x)), tf.math.log(Scaled("again")(x) + 1e-6)  # HAZARD log-sigmoid
