"""Conditions that a program asks before it computes: `if`, conditional expressions, early returns, `assert`, `tf.cond`."""

import tensorflow as tf

w = tf.Variable([[1.0, 2.0]])


def branch(values, mask):
    selected = tf.reduce_sum(tf.cast(mask > 0.0, tf.float32))
    if selected > 0:
        return tf.reduce_sum(values) / selected
    return tf.constant(0.0)


def the_other_branch(values, mask):
    selected = tf.reduce_sum(tf.cast(mask > 0.0, tf.float32))
    if selected > 0:
        return tf.constant(0.0)
    return tf.reduce_sum(values) / selected  # HAZARD divide-by-zero


def early(values, mask):
    selected = tf.reduce_sum(tf.cast(mask > 0.0, tf.float32))
    if tf.equal(selected, 0.0):
        return tf.constant(0.0)
    return tf.reduce_sum(values) / selected


def raising(values, mask):
    selected = tf.reduce_sum(tf.cast(mask > 0.0, tf.float32))
    if selected == 0:
        raise ValueError("nothing is selected")
    ratio = tf.reduce_sum(values) / selected
    return ratio


def expression(values, mask):
    selected = tf.reduce_sum(tf.cast(mask > 0.0, tf.float32))
    sound = tf.reduce_sum(values) / selected if selected > 0 else tf.constant(0.0)
    lost = tf.reduce_sum(values) / selected if selected >= 0 else tf.constant(0.0)  # HAZARD divide-by-zero
    return sound + lost


def both(values, mask):
    selected = tf.reduce_sum(tf.cast(mask > 0.0, tf.float32))
    if selected > 0 and tf.reduce_sum(values) > 0:
        return tf.reduce_sum(values) / selected
    if not selected > 0 or tf.reduce_sum(values) < 0:
        return tf.constant(0.0)
    return tf.reduce_sum(values) / selected


def asserted(values, mask):
    selected = tf.reduce_sum(tf.cast(mask > 0.0, tf.float32))
    assert selected > 0
    return tf.reduce_sum(values) / selected


def in_a_cond(values, mask):
    selected = tf.reduce_sum(tf.cast(mask > 0.0, tf.float32))
    sound = tf.cond(selected > 0, lambda: tf.reduce_sum(values) / selected, lambda: tf.constant(0.0))
    lost = tf.cond(selected > 0, lambda: tf.constant(0.0), lambda: tf.reduce_sum(values) / selected)  # HAZARD divide-by-zero
    return sound + lost


def rooted(x):
    with tf.GradientTape() as tape:
        total = tf.reduce_sum(tf.square(w - x))
        if total > 1e-6:
            loss = tf.sqrt(total)
        else:
            loss = tf.constant(0.0)
    return tape.gradient(loss, w)


def after_the_branch(values, mask):
    selected = tf.reduce_sum(tf.cast(mask > 0.0, tf.float32))
    if selected > 0:
        values = values * 2.0
    return tf.reduce_sum(values) / selected  # HAZARD divide-by-zero


def in_a_helper(values, selected):
    return tf.reduce_sum(values) / selected


def guarded_call(values, mask):
    selected = tf.reduce_sum(tf.cast(mask > 0.0, tf.float32))
    if selected > 0:
        return in_a_helper(values, selected)
    return tf.constant(0.0)


def asserted_by_tensorflow(values, mask):
    selected = tf.reduce_sum(tf.cast(mask > 0.0, tf.float32))
    with tf.control_dependencies([tf.debugging.assert_greater(selected, 0.0)]):
        return tf.reduce_sum(values) / selected


def asserted_too_little(values, mask):
    selected = tf.reduce_sum(tf.cast(mask > 0.0, tf.float32))
    tf.debugging.assert_greater_equal(selected, 0.0)
    return tf.reduce_sum(values) / selected  # HAZARD divide-by-zero


def after_one_of_several_modes(x, mode):
    if mode == "zero":
        return tf.zeros_like(x)
    h = tf.nn.softmax(x)
    return tf.math.log(h), tf.math.log(h + 1e-6)  # HAZARD log-softmax


def in_one_of_several_modes(x, mode=None):
    if mode != "share":
        out = tf.nn.softmax(x) + 1e-6
    else:
        out = tf.nn.softmax(x)
    return tf.math.log(out)  # HAZARD log-reaches-zero


class OfAMode:
    def __init__(self, mode):
        self.mode = mode

    def run(self, x):
        if self.mode == tf.estimator.ModeKeys.PREDICT:
            return x
        h = tf.nn.softmax(x)
        return tf.math.log(h), tf.math.log(h + 1e-6)  # HAZARD log-softmax
