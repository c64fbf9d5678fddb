"""under XLA the gradient of `sqrt` at 0 is NaN even if the incoming gradient is 0

In eager and graph mode the gradient of `sqrt` passes an incoming 0 on as 0. That hides the infinite derivative of a
root whose result is clamped, squared or divided by itself plus an epsilon. XLA has no such guard: it multiplies 0 by
infinity. `jit_compile=True` compiles with XLA, and Keras 3 does so by default on an accelerator. Put the epsilon inside
the root.

https://github.com/tensorflow/tensorflow/issues/118673
"""
import tensorflow as tf

from tfnanlint.template import differentiated, literal, reaches, within

code = "TFN305"
modes = ("xla",)
severity = "warning"
dtypes = ("float32", "float64")


def before_clamped_norm(
    x: differentiated = (0.0, 0.0), axis=-1, keepdims=False, e: literal & within(1e-30, 1e30) = 1e-6
):
    return tf.maximum(tf.norm(x, axis=axis, keepdims=keepdims), e)


def guard_clamped_norm(x, axis, keepdims, e):
    return tf.sqrt(tf.maximum(tf.reduce_sum(tf.square(x), axis=axis, keepdims=keepdims), e * e))


def before_clamped_root(x: reaches(0) & differentiated = 0.0, e: literal & within(1e-30, 1e30) = 1e-6):
    return tf.maximum(tf.sqrt(x), e)


def guard_clamped_root(x, e):
    return tf.sqrt(tf.maximum(x, e * e))


def before_clamped_reciprocal_root(x: reaches(0) & differentiated = 0.0, e: literal & within(1.0, 1e15) = 1e6):
    return tf.minimum(tf.math.rsqrt(x), e)


def guard_clamped_reciprocal_root(x, e):
    return tf.math.rsqrt(tf.maximum(x, 1.0 / (e * e)))


def before_clamped_deviation(
    x: differentiated = (1.0, 1.0), axis=-1, keepdims=False, e: literal & within(1e-30, 1e30) = 1e-6
):
    return tf.maximum(tf.math.reduce_std(x, axis=axis, keepdims=keepdims), e)


def guard_clamped_deviation(x, axis, keepdims, e):
    return tf.sqrt(tf.maximum(tf.math.reduce_variance(x, axis=axis, keepdims=keepdims), e * e))


def before_squared_norm(x: differentiated = (0.0, 0.0), axis=-1, keepdims=False):
    return tf.square(tf.norm(x, axis=axis, keepdims=keepdims))


def after_squared_norm(x, axis, keepdims):
    return tf.reduce_sum(tf.square(x), axis=axis, keepdims=keepdims)


def before_normalized(x: differentiated = (0.0, 0.0), axis=-1, e: literal & within(1e-30, 1.0) = 1e-6):
    return x / (tf.norm(x, axis=axis, keepdims=True) + e)


def guard_normalized(x, axis, e):
    return x / (tf.sqrt(tf.maximum(tf.reduce_sum(tf.square(x), axis=axis, keepdims=True), 1e-30)) + e)


def before_normalized_as_a_whole(x: differentiated = (0.0, 0.0), e: literal & within(1e-30, 1.0) = 1e-6):
    return x / (tf.norm(x) + e)


def guard_normalized_as_a_whole(x, e):
    return x / (tf.sqrt(tf.maximum(tf.reduce_sum(tf.square(x)), 1e-30)) + e)


def before_normalized_by_root(v: differentiated = (0.0, 0.0), axis=-1, e: literal & within(1e-30, 1.0) = 1e-6):
    return v / (tf.sqrt(tf.reduce_sum(tf.square(v), axis=axis, keepdims=True)) + e)


def guard_normalized_by_root(v, axis, e):
    return v / (tf.sqrt(tf.maximum(tf.reduce_sum(tf.square(v), axis=axis, keepdims=True), 1e-30)) + e)


def before_standardized(x: differentiated = (1.0, 1.0), axis=-1, e: literal & within(1e-30, 1.0) = 1e-6):
    centred = x - tf.reduce_mean(x, axis=axis, keepdims=True)
    return centred / (tf.math.reduce_std(x, axis=axis, keepdims=True) + e)


def guard_standardized(x, axis, e, centred):
    return centred / (tf.sqrt(tf.maximum(tf.math.reduce_variance(x, axis=axis, keepdims=True), 1e-30)) + e)


def before_standardized_as_a_whole(x: differentiated = (1.0, 1.0), e: literal & within(1e-30, 1.0) = 1e-6):
    centred = x - tf.reduce_mean(x)
    return centred / (tf.math.reduce_std(x) + e)


def guard_standardized_as_a_whole(x, e, centred):
    return centred / (tf.sqrt(tf.maximum(tf.math.reduce_variance(x), 1e-30)) + e)


def before_inside_a_where(x: reaches(0) & differentiated = (0.0, 1.0), c=(0.0, 0.0)):
    return tf.where(x > 0.0, tf.sqrt(x), c)


def after_inside_a_where(x, c):
    return tf.where(x > 0.0, tf.sqrt(tf.where(x > 0.0, x, tf.ones_like(x))), c)


def quiet_with_the_epsilon_inside(x=(0.0, 0.0)):
    return x / tf.sqrt(tf.reduce_sum(tf.square(x), axis=-1, keepdims=True) + 1e-12)


def quiet_with_the_clamp_inside(x=(0.0, 0.0)):
    return tf.sqrt(tf.maximum(tf.reduce_sum(tf.square(x), axis=-1), 1e-12))


def quiet_norm_away_from_zero(x=(0.0, 0.0)):
    return tf.maximum(tf.norm(1.0 + tf.square(x), axis=-1), 1e-6)


def quiet_squares_only(x=(0.0, 0.0)):
    return tf.square(tf.reduce_sum(tf.square(x), axis=-1))
