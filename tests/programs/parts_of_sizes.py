"""Numbers of the program that go with each other: a trial that takes the width of one model and the heads of another
shows nothing. A number that a caller gives may be too small."""

import tensorflow as tf


def per_head(x, kind, size):
    width = 12 if kind == "narrow" else 96
    heads = 24 if size == "large" else 3
    return x / (width // heads)


def per_difference(x, kind):
    width = 12 if kind == "narrow" else 96
    return x / tf.cast(width - 12, tf.float32)  # HAZARD divide-by-zero
