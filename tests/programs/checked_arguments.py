"""Arguments that a function checks with an error, and arguments that it reads from `**kwargs` by name."""

import tensorflow as tf
from math_helpers import is_abstract


def sound_relaxation(t1, tg):
    if not is_abstract(t1) and t1 <= 0:
        raise ValueError("t1")
    if not is_abstract(t1 - tg) and t1 - tg > 0:
        raise ValueError("tg")
    return tf.exp(-tg / t1)


def sound_check_on_a_line(t1, tg):
    if t1 <= 0 and is_abstract(t1): raise ValueError("t1")
    return tf.exp(-tg / t1)


def a_check_of_something_else(x, strict):
    if strict and tf.rank(x) != 2:
        raise ValueError("x")
    return x / tf.reduce_max(tf.nn.relu(x))  # HAZARD divide-by-zero


def scalar(order):
    return 1 / (order - 1)


def expression(x, order):
    if order == 1:
        return x
    if order == 2:
        return x * 0.5
    return x * scalar(order)


def sound_product(time, **kwargs):
    return expression(tf.exp(-tf.abs(time)), kwargs["order"])


def sound_product_of_parameters(time, order):
    return expression(tf.exp(-tf.abs(time)), order)


def norm_of_an_argument(x, **kwargs):
    return tf.math.log(tf.nn.softmax(x * kwargs["scale"]))  # HAZARD log-softmax
