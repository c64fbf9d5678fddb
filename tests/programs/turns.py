"""What fails in one iteration of a loop and reaches a result through the next ones."""

import tensorflow as tf


def largest_singular_value(features, iterations=3):
    u = tf.random.normal((1, 3))
    for _ in range(iterations):
        u = tf.matmul(tf.matmul(u, features, transpose_b=True), features)
        size = tf.norm(u)
        u /= size  # HAZARD divide-by-norm
    return size


def largest_singular_value_guarded(features, iterations=3):
    u = tf.random.normal((1, 3))
    for _ in range(iterations):
        u = tf.matmul(tf.matmul(u, features, transpose_b=True), features)
        size = tf.norm(u)
        u /= size + 1e-6
    return size


def normalised_in_turn(features):
    scores = tf.exp(-tf.square(features))
    for _ in tf.range(5):
        total = tf.reduce_sum(scores, axis=-1, keepdims=True)
        scores = tf.maximum(scores / total - 0.5, 0.0)  # HAZARD divide-by-zero
    return total


def normalised_in_turn_with_a_floor(features):
    scores = tf.exp(-tf.square(features))
    for _ in tf.range(5):
        total = tf.reduce_sum(scores, axis=-1, keepdims=True)
        scores = tf.maximum(scores / tf.maximum(total, 1e-6) - 0.5, 0.0)
    return total


def weighed_by_a_loop(x, mask):
    def turn(step, centre):
        weights = mask * tf.exp(-tf.square(x - centre))
        return step + 1, tf.reduce_sum(weights * x) / tf.reduce_sum(weights)  # HAZARD divide-by-mask-sum

    return tf.while_loop(lambda step, centre: step < 4, turn, (0, tf.constant(0.0)))


def weighed_by_a_loop_soundly(x, mask):
    def turn(step, centre):
        weights = mask * tf.exp(-tf.square(x - centre))
        return step + 1, tf.math.divide_no_nan(tf.reduce_sum(weights * x), tf.reduce_sum(weights))

    return tf.while_loop(lambda step, centre: step < 4, turn, (0, tf.constant(0.0)))


def replaced_in_the_next_turn(features):
    scale = tf.constant(1.0)
    for _ in range(3):
        kept = tf.where(tf.math.is_finite(scale), scale, 1.0)
        total = tf.reduce_sum(tf.abs(features)) * kept
        scale = 1.0 / total
    return total


def solved(features, iterations=10):
    x = tf.zeros_like(features)
    rest = direction = features
    left = tf.reduce_sum(tf.square(rest))
    for _ in range(iterations):
        step = left / tf.reduce_sum(tf.square(direction))  # HAZARD divide-by-zero
        x += step * direction
        rest -= step * direction
        left = tf.reduce_sum(tf.square(rest))
        direction = rest + 0.1 * direction * left
    return x


def solved_until_nothing_is_left(features, iterations=10):
    x = tf.zeros_like(features)
    rest = direction = features
    left = tf.reduce_sum(tf.square(rest))
    for _ in range(iterations):
        if left < 1e-12:
            break
        step = left / tf.reduce_sum(tf.square(direction))
        x += step * direction
        rest -= step * direction
        left = tf.reduce_sum(tf.square(rest))
        direction = rest + 0.1 * direction * left
    return x
