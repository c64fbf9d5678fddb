"""Values that pass through functions: closures, partial, lambdas, defaults, decorators, early returns, map_fn."""

import functools
from functools import partial

import tensorflow as tf

w = tf.Variable([[1.0, 2.0]])


def head(x, activation=tf.nn.softmax):
    return activation(x)


def log_of(p, eps=0.0):
    return tf.math.log(p + eps)  # HAZARD log-reaches-zero


safe_log = partial(log_of, eps=1e-6)
also_safe_log = functools.partial(log_of, eps=1e-6)


@tf.function
def entropy(x):
    p = head(x)
    return tf.reduce_sum(p * log_of(p)) + tf.reduce_sum(p * safe_log(p))


@tf.function(jit_compile=True)
def sound_entropy(x):
    p = head(x)
    return tf.reduce_sum(p * also_safe_log(p))


def make_loss(eps):
    def inner(y, p):
        return -tf.reduce_sum(y * tf.math.log(p + eps))  # HAZARD log-reaches-zero

    return inner


def closures(x, y):
    p = tf.sigmoid(x)
    bad, good = make_loss(0.0), make_loss(1e-6)
    return bad(y, p) + good(y, p)


def early(x, training=True):
    p = tf.sigmoid(x)
    if training:
        return p
    return tf.clip_by_value(p, 1e-6, 1.0)


def sound_early(x):
    p = tf.sigmoid(x)
    if p.shape.rank == 1:
        return p + 1e-6
    return tf.clip_by_value(p, 1e-6, 1.0)


def users(x):
    return tf.math.log(early(x)), tf.math.log(sound_early(x))  # HAZARD log-sigmoid


def per_row(x):
    rows = tf.map_fn(lambda row: tf.nn.softmax(row), x)
    bad = tf.math.log(rows)  # HAZARD log-reaches-zero
    good = tf.math.log(tf.map_fn(lambda row: tf.nn.softmax(row) + 1e-6, x))
    return bad, good


def vectorised(x):
    rows = tf.vectorized_map(tf.nn.softmax, x)
    inside = tf.vectorized_map(lambda row: tf.math.log(tf.nn.softmax(row)), x)  # HAZARD log-softmax
    good = tf.vectorized_map(lambda row: tf.math.log(tf.nn.softmax(row) + 1e-6), x)
    return tf.math.log(rows), inside, good  # HAZARD log-reaches-zero


def conditional(x, flag):
    p = tf.cond(flag, lambda: tf.sigmoid(x), lambda: tf.nn.softmax(x))
    q = tf.cond(flag, lambda: tf.sigmoid(x) + 1e-6, lambda: tf.nn.softmax(x) + 1e-6)
    return tf.math.log(p), tf.math.log(q)  # HAZARD log-reaches-zero


def starred(*tensors, **options):
    p = tensors[0]
    return tf.math.log(p), tf.math.log(options["q"])  # HAZARD log-sigmoid


def calls_starred(x):
    return starred(tf.sigmoid(x), q=tf.sigmoid(x) + 1e-6)


def unpacked(x):
    parts = (tf.sigmoid(x), 1e-6)
    named = {"p": tf.sigmoid(x), "eps": 1e-6}
    return added_log(*parts), added_log(**named)


def added_log(p, eps):
    return tf.math.log(p + eps)


def plain_log(p, eps=0.0):
    return tf.math.log(p)  # HAZARD log-sigmoid


def unpacked_badly(x):
    named = {"p": tf.sigmoid(x)}
    return plain_log(**named)


def decorated(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        return function(*args, **kwargs)

    return wrapper


@decorated
def probability(x):
    return tf.sigmoid(x)


def uses_decorated(x):
    return tf.math.log(probability(x))  # HAZARD log-sigmoid


@tf.custom_gradient
def own(x):
    y = tf.sqrt(tf.nn.relu(x))

    def grad(upstream):
        return upstream * 0.5 / (y + 1e-3)

    return y, grad


def differentiates_own():
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(own(w))
    return tape.gradient(loss, w)


def differentiates_root():
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.sqrt(tf.nn.relu(w)))  # HAZARD sqrt-of-relu
    return tape.gradient(loss, w)
