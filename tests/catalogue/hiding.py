"""Patterns 126 to 134: what hides a NaN, and what does not remove it."""

import keras
import tensorflow as tf


@pattern(126, "nan-to-num", x=((1.0, 2.0),))
def replaced_loss(x):
    y = keras.layers.Dense(1)(x)
    return keras.ops.nan_to_num(y)  # hazard


@pattern(127, "clip-does-not-remove-nan", x=((0.0, 0.0),))
def clipped_as_a_guard(x):
    v = tf.nn.relu(x)
    return tf.clip_by_value(v / v, -1.0, 1.0)  # hazard


@pattern(128, "clip-global-norm-nan", x=((1.0, 2.0),),
         why="clipping is sound; the NaN that it spreads is reported at its origin")
def clipped_gradients(x):
    weights = tf.Variable([[1.0], [1.0]])
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.matmul(x, weights))
    return tf.clip_by_global_norm(tape.gradient(loss, [weights]), 1.0)[0]


@pattern(129, "multiply-no-nan-gradient", x=(-1.0, 2.0))
def multiplied_away_loss(x):
    v = tf.nn.relu(x)
    return tf.math.multiply_no_nan(tf.math.log(v), v)  # hazard


@pattern(130, "compare-with-nan", x=(1.0, 2.0))
def compared_with_nan(x):
    return tf.where(tf.equal(x, float("nan")), 0.0, x)  # hazard


@pattern(131, "silent-nan-metrics", x=((1.0, 2.0),),
         why="an accuracy of NaN logits is a number because argmax returns 0; the program does not show that they are NaN")
def accuracy(x):
    return tf.argmax(x, axis=-1)


@pattern(132, "batchnorm-poisoning", x=((1.0, 2.0),),
         why="one NaN batch spoils the moving averages, and only the data shows whether there is one")
def normalised(x):
    return tf.keras.layers.BatchNormalization()(x, training=True)


@pattern(133, "nan-blind-callbacks", only="source",
         why="a missing callback does not produce a NaN")
def callbacks():
    return [tf.keras.callbacks.EarlyStopping(patience=2)]


@pattern(134, "assertions-dropped-by-xla", x=(1.0, 2.0))
@tf.function(jit_compile=True)
def checked(x):
    return tf.debugging.check_numerics(tf.math.log1p(tf.square(x)), "finite")  # hazard
