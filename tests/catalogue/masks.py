"""Patterns 86 to 101: masks, clamps and patches through which a NaN passes, or behind which it hides."""

import keras
import numpy as np
import tensorflow as tf


@pattern(86, "logsumexp-all-neg-inf", x=(1.0, 2.0), y=(0, 0))
def masked_log_sum_exp_loss(x, y):
    return tf.reduce_logsumexp(tf.where(tf.not_equal(y, 0), x, float("-inf")))  # hazard


@pattern(87, "entropy-with-neg-inf-logits", x=(1.0, 2.0), m=(False, True))
def masked_entropy(x, m):
    logits = tf.where(m, x, -np.inf)
    return -tf.reduce_sum(tf.nn.softmax(logits) * tf.nn.log_softmax(logits))  # hazard


@pattern(87, "entropy-with-neg-inf-logits", x=((1.0, 2.0),), m=((False, True),), y=((0.0, 1.0),))
def masked_cross_entropy(x, m, y):
    logits = tf.where(m, x, float("-inf"))
    return tf.nn.softmax_cross_entropy_with_logits(labels=y, logits=logits)  # hazard


@pattern(88, "nan-times-zero-mask", x=(-1.0, 2.0))
def masked_logarithm(x):
    v = tf.nn.relu(x)
    return tf.math.log(v) * tf.cast(v > 0.0, tf.float32)  # hazard


@pattern(88, "nan-times-zero-mask", x=(-1.0, 2.0))
def masked_reciprocal(x):
    v = tf.nn.relu(x)
    return (1.0 / v) * tf.cast(v > 0.0, tf.float32)  # hazard


@pattern(89, "neg-inf-mask-multiply", x=(1.0, 2.0), m=(1.0, 0.0))
def infinite_mask(x, m):
    return tf.nn.softmax(x + (1.0 - m) * -np.inf)  # hazard


@pattern(89, "neg-inf-mask-multiply", x=((1.0, 2.0), (3.0, 4.0)))
def infinite_band(x):
    return x + (1.0 - tf.linalg.band_part(tf.ones((2, 2)), -1, 0)) * float("-inf")  # hazard


@pattern(90, "softmax-all-masked-row", x=(1.0, 2.0), y=(0, 0))
def softmax_of_a_masked_row(x, y):
    return tf.nn.softmax(tf.where(tf.not_equal(y, 0), x, -np.inf))  # hazard


@pattern(90, "softmax-all-masked-row", x=(1.0, 2.0), y=(0, 0),
         why="the logarithm of a mask is meant to be infinite, and the code does not show a fully masked row")
def softmax_of_a_masked_row_by_logarithm(x, y):
    m = tf.cast(tf.not_equal(y, 0), tf.float32)
    return tf.nn.softmax(x + tf.math.log(m))


@pattern(91, "renormalise-after-mask", x=(1.0, 2.0), y=(0, 0))
def renormalised(x, y):
    a = tf.nn.softmax(x) * tf.cast(tf.not_equal(y, 0), tf.float32)
    return a / tf.reduce_sum(a, -1, keepdims=True)  # hazard


@pattern(92, "nan-label-where-after", x=((1.0, 2.0),), y=((float("nan"), 1.0),))
def missing_label_loss(x, y):
    p = tf.keras.layers.Dense(2)(x)
    return tf.where(tf.math.is_nan(y), 0.0, tf.square(p - y))  # hazard


@pattern(93, "eps-added-outside-sqrt", x=((0.0, 0.0), (3.0, 4.0)))
def norm_plus_epsilon_loss(x):
    return tf.norm(x, axis=-1) + 1e-12  # hazard


@pattern(93, "eps-added-outside-sqrt", x=((0.0, 0.0), (3.0, 4.0)))
def clamped_norm_loss(x):
    return x / tf.maximum(tf.norm(x, axis=-1, keepdims=True), 1e-12)  # hazard


@pattern(93, "eps-added-outside-sqrt", x=((1.0, 1.0), (3.0, 4.0)))
def standardised_loss(x):
    mean = tf.reduce_mean(x, -1, keepdims=True)
    return (x - mean) / (tf.math.reduce_std(x, -1, keepdims=True) + 1e-6)  # hazard


@pattern(93, "eps-added-outside-sqrt", x=((0.0, 0.0), (3.0, 4.0)),
         why="finite in eager and graph mode, where no gradient comes back from a divisor of 0; NaN under XLA alone")
def guarded_quotient_loss(x):
    return tf.math.divide_no_nan(x, tf.norm(x, axis=-1, keepdims=True))


@pattern(94, "ineffective-clamp-before-sqrt", x=(-1.0, 0.0, 4.0))
def root_of_clamped_loss(x):
    return tf.sqrt(tf.maximum(x, 0.0))  # hazard


@pattern(94, "ineffective-clamp-before-sqrt", x=(-1.0, 0.0, 4.0))
def root_of_relu_loss(x):
    return tf.nn.relu(x) ** 0.5  # hazard


@pattern(94, "ineffective-clamp-before-sqrt", x=(-1.0, 0.0, 4.0))
def power_of_clipped_loss(x):
    return tf.pow(tf.clip_by_value(x, 0.0, 1.0), 1 / 2.2)  # hazard


@pattern(94, "ineffective-clamp-before-sqrt", x=((0.0, 0.0), (3.0, 4.0)))
def root_of_denormal_loss(x):
    return tf.sqrt(tf.reduce_sum(tf.square(x), -1) + 1e-38)  # hazard


@pattern(95, "log-softmax-plus-eps", x=((200.0, 0.0, -200.0),), y=((0.0, 1.0, 0.0),), only="pedantic")
def log_of_softmax_and_epsilon_loss(x, y):
    return -tf.reduce_sum(y * tf.math.log(tf.nn.softmax(x) + 1e-8), -1)  # hazard


@pattern(95, "log-softmax-plus-eps", x=((200.0, 0.0, -200.0),), y=((0.0, 1.0, 0.0),),
         why="a clipped logarithm is finite in value and gradient: it is one of the remedies")
def log_of_clipped_softmax_loss(x, y):
    return -tf.reduce_sum(y * tf.math.log(tf.clip_by_value(tf.nn.softmax(x), 1e-10, 1.0)), -1)


@pattern(96, "log-plus-eps-negative-argument", x=(-20.0, 1.0))
def log_of_tanh_and_epsilon(x):
    return tf.math.log(tf.tanh(x) + 1e-8)  # hazard


@pattern(97, "eps-outside-log", x=((200.0, 0.0),))
def log_and_epsilon(x):
    p = tf.nn.relu(x)
    return tf.math.log(p) + 1e-8  # hazard


@pattern(98, "clip-after-log-or-exp", x=(-1.0, 2.0))
def clipped_logarithm_loss(x):
    return tf.clip_by_value(tf.math.log(tf.nn.relu(x)), -100.0, 0.0)  # hazard


@pattern(98, "clip-after-log-or-exp", x=(100.0, 2.0))
def clipped_exponential_loss(x):
    return tf.clip_by_value(tf.exp(x), 0.0, 1e6)  # hazard


@pattern(98, "clip-after-log-or-exp", x=(100.0, 2.0))
def bounded_exponential_loss(x):
    return tf.minimum(tf.exp(x), 1e6)  # hazard


@pattern(99, "divide-eps-sign", x=(-1e-8, 1.0), only="pedantic")
def quotient_by_signed(x):
    return 1.0 / (tf.tanh(x) + 1e-8)  # hazard


@pattern(100, "nan-patching", x=((1.0, 2.0),))
def patched_loss(x):
    y = tf.keras.layers.Dense(1)(x)
    return tf.where(tf.math.is_nan(y), tf.zeros_like(y), y)  # hazard


@pattern(100, "nan-patching", x=((1.0, 2.0),))
def patched_by_comparison_loss(x):
    y = tf.keras.layers.Dense(1)(x)
    return tf.where(tf.not_equal(y, y), 0.0, y)  # hazard


@pattern(100, "nan-patching", x=((1.0, 2.0),))
def patched_mean_loss(x):
    loss = tf.reduce_mean(tf.keras.layers.Dense(1)(x))
    return tf.where(tf.math.is_nan(loss), 0.0, loss)  # hazard


@pattern(100, "nan-patching", x=((0.0, 0.0), (1.0, 2.0)))
def patched_infinity_loss(x):
    b = 1.0 / tf.reduce_sum(tf.square(x), -1)  # hazard
    return tf.where(tf.math.is_inf(b), 0.0, b)


@pattern(101, "gradient-nan-patching", x=((1.0, 2.0),),
         why="the patched step is finite; the NaN is reported at its origin")
def patched_gradients(x):
    weights = tf.Variable([[1.0], [1.0]])
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.matmul(x, weights))
    gradients = tape.gradient(loss, [weights])
    return [tf.where(tf.math.is_nan(g), tf.zeros_like(g), g) for g in gradients]
