"""Folds of tensors by Python's own functions: sums, products, `functools.reduce`, operators as functions."""

import functools
import math
import operator

import tensorflow as tf


def product(x, y):
    p = functools.reduce(operator.mul, [tf.nn.softmax(x), tf.nn.softmax(y)])
    return tf.math.log(p), tf.math.log(p + 1e-6)  # HAZARD log-reaches-zero


def product_of_a_list(x, y):
    p = math.prod([tf.nn.relu(x), tf.nn.relu(y)])
    return tf.math.log(p), tf.math.log(p + 1e-6)  # HAZARD log-reaches-zero


def product_by_a_function(x, y):
    p = functools.reduce(tf.multiply, (tf.nn.softmax(x), tf.nn.softmax(y)))
    return tf.math.log(p), tf.math.log(p + 1e-6)  # HAZARD log-reaches-zero


def total(xs):
    s = sum([tf.nn.relu(x) for x in xs])
    return 1.0 / s, 1.0 / (s + 1.0)  # HAZARD divide-by-zero


def total_of_a_generator(xs):
    s = sum(tf.nn.relu(x) for x in xs)
    return 1.0 / s, 1.0 / (s + 1.0)  # HAZARD divide-by-zero


def total_by_an_operator(x, y, z):
    s = functools.reduce(operator.add, [tf.nn.relu(x), tf.nn.relu(y), tf.nn.relu(z)])
    return 1.0 / s, 1.0 / (s + 1.0)  # HAZARD divide-by-zero


def total_with_a_start(xs):
    s = functools.reduce(lambda a, x: a + tf.square(x), xs, tf.constant(1.0))
    return 1.0 / s


def share(x, y):
    return operator.truediv(x, tf.nn.relu(y)), operator.truediv(x, tf.nn.relu(y) + 1.0)  # HAZARD divide-by-zero


def size(x):
    n = math.prod([2, 3]) * functools.reduce(operator.mul, [4, 5])
    return x / n
