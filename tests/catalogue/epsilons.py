"""Patterns 102 to 114: constants that rounding, a narrow type or a graph optimiser makes useless."""

import numpy as np
import tensorflow as tf


@pattern(102, "eps-on-difference-graph-reassociation", p=(1.0, 0.5))
def log_of_difference_and_epsilon(p):
    return tf.math.log(1.0 - p + 1e-8)  # hazard


@pattern(102, "eps-on-difference-graph-reassociation", x=(200.0, 0.5))
def log_of_one_minus_sigmoid_and_epsilon(x):
    return -tf.math.log(1 - tf.nn.sigmoid(x) + 1e-10)  # hazard


@pattern(102, "eps-on-difference-graph-reassociation", a=(1.0, 2.0), b=(1.0, 2.0), i=(1.0, 2.0),
         why="harmless: a union is at least as large as the larger box, so it is 0 only where no value absorbs the epsilon")
def overlap(a, b, i):
    return i / (a + b - i + 1e-8)


@pattern(102, "eps-on-difference-graph-reassociation", c=(1.0, 0.5))
def sine_and_epsilon_loss(c):
    return tf.sqrt(1.0 - c**2 + 1e-8)  # hazard


@pattern(103, "eps-absorbed-by-one", x=(1.0, 0.5))
def epsilon_first(x):
    return tf.math.log(1e-10 + 1.0 - x)  # hazard


@pattern(103, "eps-absorbed-by-one", x=(200.0, 0.5))
def barely_clipped(x):
    p = tf.clip_by_value(tf.sigmoid(x), 1e-8, 1 - 1e-8)
    return tf.math.log(1.0 - p)  # hazard


@pattern(103, "eps-absorbed-by-one", x=(200.0, 0.5))
def clipped_by_a_double_epsilon(x):
    e = np.finfo(float).eps
    p = tf.clip_by_value(tf.sigmoid(x), e, 1 - e)
    return tf.math.log(1.0 - p)  # hazard


@pattern(104, "eps-underflows-float16", x=(0.0, 0.5))
def half_logarithm(x):
    return tf.math.log(tf.cast(x, tf.float16) + 1e-8)  # hazard


@pattern(104, "eps-underflows-float16", x=(0.0, 0.5))
def half_quotient(x):
    return 1.0 / (tf.nn.relu(tf.cast(x, tf.float16)) + 1e-8)  # hazard


@pattern(104, "eps-underflows-float16", x=(0.0, 0.5))
def half_maximum(x):
    return tf.math.log(tf.maximum(tf.cast(x, tf.float16), 1e-8))  # hazard


@pattern(105, "eps-too-small-for-float16-gradient", x=(0.0, 0.5))
def half_gradient_loss(x):
    return tf.math.log(tf.nn.relu(tf.cast(x, tf.float16)) + 1e-7)  # hazard


@pattern(105, "eps-too-small-for-float16-gradient", x=(0.0, 0.5))
def half_reciprocal_root_loss(x):
    return tf.math.rsqrt(tf.nn.relu(tf.cast(x, tf.float16)) + 1e-7)  # hazard


@pattern(106, "eps-denormal-or-squared", x=(0.0, 0.5))
def denormal_epsilon(x):
    return tf.math.log(tf.nn.relu(x) + 1e-45)  # hazard


@pattern(106, "eps-denormal-or-squared", x=(200.0, 0.5))
def vanishing_clip(x):
    return tf.math.log(tf.clip_by_value(tf.nn.softmax(x), 1e-50, 1.0))  # hazard


@pattern(106, "eps-denormal-or-squared", x=(0.0, 0.5))
def squared_epsilon_loss(x):
    return 1.0 / (tf.nn.relu(x) + 1e-20)  # hazard


@pattern(107, "eps-zero", x=((1.0, 1.0), (2.0, 2.0)))
def normalised_without_epsilon(x):
    mean, variance = tf.nn.moments(x, [1], keepdims=True)
    return tf.nn.batch_normalization(x, mean, variance, None, None, 0.0)  # hazard


@pattern(108, "norm-layer-epsilon-float16", x=((1.0, 1.0), (2.0, 2.0)))
def half_layer_normalisation(x):
    x = tf.cast(x, tf.float16)
    mean, variance = tf.nn.moments(x, [1], keepdims=True)
    return (x - mean) / tf.sqrt(variance + 1e-8)  # hazard


@pattern(108, "norm-layer-epsilon-float16", x=((0.0, 0.0), (2.0, 2.0)))
def half_pixel_normalisation(x):
    x = tf.cast(x, tf.float16)
    return x * tf.math.rsqrt(tf.reduce_mean(x * x, -1, keepdims=True) + 1e-8)  # hazard


@pattern(109, "l2-normalize-float16", x=((0.0, 0.0), (2.0, 2.0)))
def half_normalised(x):
    return tf.math.l2_normalize(tf.cast(x, tf.float16), axis=-1)  # hazard


@pattern(110, "big-negative-mask-float16", x=((1.0, 2.0),), m=((1.0, 0.0),))
def half_mask(x, m):
    x, m = tf.cast(x, tf.float16), tf.cast(m, tf.float16)
    return tf.nn.softmax(x + (1.0 - m) * -1e9)  # hazard


@pattern(111, "dtype-min-added", x=((-40.0, -40.0),), m=((0.0, 0.0),))
def half_least_number(x, m):
    x = tf.cast(x, tf.float16)
    return tf.nn.softmax(x + (1.0 - tf.cast(m, tf.float16)) * x.dtype.min)  # hazard


@pattern(112, "adam-epsilon-float16", only="source",
         why="neither the source nor a trace of the model shows what an optimiser computes")
def half_adam():
    tf.keras.backend.set_floatx("float16")
    return tf.keras.optimizers.Adam(epsilon=1e-8)


@pattern(113, "float16-range", x=((300.0, 300.0),), only="pedantic")
def half_square(x):
    return tf.exp(tf.cast(x, tf.float16))  # hazard


@pattern(113, "float16-range", x=((300.0, 300.0),),
         why="whether a sum or a square exceeds 65504 depends on shapes that the source does not state")
def half_sum(x):
    return tf.reduce_sum(tf.square(tf.cast(x, tf.float16)))


@pattern(114, "float16-softmax-output", x=((20.0, 2.0),), y=((0.0, 1.0),))
def half_probabilities_loss(x, y):
    p = tf.sigmoid(tf.cast(x, tf.float16))
    return tf.keras.losses.binary_crossentropy(y, tf.reshape(p, [1, 2]))  # hazard


@pattern(114, "float16-softmax-output", x=((1.0, 2.0),), y=((1.0, 0.0),), only="source",
         why="Keras goes back to the logits behind a softmax that ends a model, whatever its dtype")
def half_output(x, y):
    tf.keras.mixed_precision.set_global_policy("mixed_float16")
    model = tf.keras.Sequential([tf.keras.layers.Dense(2), tf.keras.layers.Dense(2, activation="softmax")])
    model.compile("adam", "categorical_crossentropy")
    return model
