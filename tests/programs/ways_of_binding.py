"""Names that are bound by other statements than assignments: what they hold is followed, and what they held is gone."""

import tensorflow as tf


def by_capture_of_the_subject(x):
    match tf.nn.softmax(x):
        case h:
            return tf.math.log(h), tf.math.log(h + 1e-6)  # HAZARD log-softmax


def by_capture_under_a_guard(x):
    match tf.nn.softmax(x):
        case h if h.shape[0] > 1:
            return tf.math.log(h)  # HAZARD log-softmax
        case other:
            return tf.math.log(other + 1e-6)


def capture_of_another_value(x, given):
    h = tf.nn.softmax(x)
    match given:
        case {"h": h}:
            return tf.math.log(h)
        case [h, *_]:
            return tf.math.log(h)
    return tf.math.log(h)  # HAZARD log-softmax


def capture_of_nothing(x, given):
    h = tf.nn.softmax(x)
    match given:
        case [first, *_]:
            return first
    return tf.math.log(h)  # HAZARD log-softmax


def name_of_an_exception(x, read):
    h = tf.nn.softmax(x)
    try:
        read()
    except ValueError as h:
        return h.args
    return tf.math.log(h)  # HAZARD log-softmax


def by_nonlocal(x):
    h = x

    def inner():
        nonlocal h
        h = tf.nn.softmax(x)

    inner()
    return tf.math.log(h)  # HAZARD log-softmax


def by_nonlocal_in_one_arm(x, smooth):
    h = tf.nn.softmax(x)

    def inner():
        nonlocal h
        if smooth:
            h = h + 1e-6

    inner()
    return tf.math.log(h)  # HAZARD log-reaches-zero


def sound_by_nonlocal(x):
    h = tf.nn.softmax(x)

    def inner():
        nonlocal h
        h = h + 1e-6

    inner()
    return tf.math.log(h)


def by_a_comprehension(x, rows):
    h = x
    made = [(h := tf.nn.softmax(row)) for row in (x, 2.0 * x)]
    return tf.math.log(h), made  # HAZARD log-softmax


def sound_by_a_comprehension(x):
    h = tf.nn.softmax(x)
    made = [(h := h + one) for one in (1e-6, 1e-5)]
    return tf.math.log(h), made


def target_of_a_comprehension_is_its_own(x, rows):
    h = tf.nn.softmax(x)
    made = [h for h in rows]
    return tf.math.log(h), made  # HAZARD log-softmax
