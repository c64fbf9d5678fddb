"""`log(sum(exp(x)))` overflows above 88, and is -inf where all terms underflow to 0

In float32 the exponential of anything above 88.7 is inf. The sum and the log are inf too, and the gradient is NaN.
Where every x is below -104, all terms are 0 and the log is -inf. `reduce_logsumexp` subtracts the maximum first and
computes the same function. For two terms, `b + softplus(a - b)` does. If the weights are a softmax, use its log:
`tf.reduce_logsumexp(tf.nn.log_softmax(logits) + x, -1)`.
"""
import tensorflow as tf

from tfnanlint.template import literal, unbounded, within

code = "TFN119"


def before(x=(100.0, 1.0), axis=-1, keepdims=False):
    return tf.math.log(tf.reduce_sum(tf.exp(x), axis=axis, keepdims=keepdims))


def after(x, axis, keepdims):
    return tf.reduce_logsumexp(x, axis=axis, keepdims=keepdims)


def before_underflow(x=(-200.0, -201.0), axis=-1, keepdims=False):
    return tf.math.log(tf.reduce_sum(tf.exp(x), axis=axis, keepdims=keepdims))


def before_mean(x=(100.0, 1.0), axis=-1, keepdims=False):
    return tf.math.log(tf.reduce_mean(tf.exp(x), axis=axis, keepdims=keepdims))


def after_mean(x, axis, keepdims):
    return tf.reduce_logsumexp(x, axis=axis, keepdims=keepdims) - tf.reduce_logsumexp(
        tf.zeros_like(x), axis=axis, keepdims=keepdims
    )


def before_of_a_cumulative_sum(x=(100.0, 1.0), axis=-1):
    return tf.math.log(tf.cumsum(tf.exp(x), axis=axis))


def after_of_a_cumulative_sum(x, axis):
    return tf.math.cumulative_logsumexp(x, axis=axis)


def before_of_two(a=100.0, b=1.0):
    return tf.math.log(tf.exp(a) + tf.exp(b))


def after_of_two(a, b):
    return b + tf.nn.softplus(a - b)


def before_of_three(a=100.0, b=1.0, c=2.0):
    return tf.math.log(tf.exp(a) + tf.exp(b) + tf.exp(c))


def after_of_three(a, b, c):
    return c + tf.nn.softplus(b + tf.nn.softplus(a - b) - c)


def before_of_two_weighted(w: within(1e-3, 1e3) = 0.5, a=100.0, v: within(1e-3, 1e3) = 0.5, b=1.0):
    return tf.math.log(w * tf.exp(a) + v * tf.exp(b))


def after_of_two_weighted(w, a, v, b):
    return b + tf.math.log(v) + tf.nn.softplus(a - b + tf.math.log(w) - tf.math.log(v))


def before_masked(y: unbounded(88.0) = (100.0, 1.0), kept=(1.0, 0.0), axis=-1, keepdims=False):
    return tf.math.log(tf.reduce_sum(tf.exp(y) * kept, axis=axis, keepdims=keepdims))


def before_plus_epsilon(x=(100.0, 1.0), axis=-1, keepdims=False, e: literal & within(1e-45, 1e-3) = 1e-8):
    return tf.math.log(tf.reduce_sum(tf.exp(x), axis=axis, keepdims=keepdims) + e)


def rework_plus_epsilon(x, axis, keepdims):
    return tf.reduce_logsumexp(x, axis=axis, keepdims=keepdims)


def before_weighted(w: within(1e-30, 1e30) = (0.5, 0.5), x=(-200.0, -201.0), axis=-1, keepdims=False):
    return tf.math.log(tf.reduce_sum(w * tf.exp(x), axis=axis, keepdims=keepdims))


def after_weighted(w, x, axis, keepdims):
    return tf.reduce_logsumexp(x + tf.math.log(w), axis=axis, keepdims=keepdims)


def before_mixture(
    w: within(1e-30, 1e30) = (0.5, 0.5), x=(-200.0, -201.0), c: within(1e-30, 1e30) = 2.0, axis=-1, keepdims=False
):
    return tf.math.log(tf.reduce_sum(w * (tf.exp(x) / c), axis=axis, keepdims=keepdims))


def after_mixture(w, x, c, axis, keepdims):
    return tf.reduce_logsumexp(x + tf.math.log(w / c), axis=axis, keepdims=keepdims)


def before_softmax(logits=(1.0, -1.0), x=(-200.0, -201.0), keepdims=False):
    return tf.math.log(tf.reduce_sum(tf.nn.softmax(logits) * tf.exp(x), axis=-1, keepdims=keepdims))


def after_softmax(logits, x, keepdims):
    return tf.reduce_logsumexp(tf.nn.log_softmax(logits) + x, axis=-1, keepdims=keepdims)


def before_softmax_mixture(
    logits=(1.0, -1.0), x=(-200.0, -201.0), c: within(1e-30, 1e999) = (0.5, 2.0), keepdims=False
):
    return tf.math.log(tf.reduce_sum(tf.nn.softmax(logits) * (tf.exp(x) / c), axis=-1, keepdims=keepdims))


def after_softmax_mixture(logits, x, c, keepdims):
    return tf.reduce_logsumexp(tf.nn.log_softmax(logits) + x - tf.math.log(c), axis=-1, keepdims=keepdims)


def before_weights_down_to_zero(p: within(0.0, 1e30) = (0.5, 0.5), z=(-200.0, -201.0)):
    return tf.math.log(tf.reduce_sum(p * tf.exp(z), axis=-1))


def before_mixture_of_weights_down_to_zero(
    p: within(0.0, 1e30) = (0.5, 0.5), z=(-200.0, -201.0), c: within(1e-30, 1e30) = 2.0
):
    return tf.math.log(tf.reduce_sum(p * (tf.exp(z) / c), axis=-1))


def quiet_when_the_maximum_is_taken_out(x=(100.0, 1.0)):
    top = tf.stop_gradient(tf.reduce_max(x, axis=-1, keepdims=True))
    return tf.math.log(tf.reduce_sum(tf.exp(x - top), axis=-1)) + tf.squeeze(top, axis=-1)


def quiet_of_two_when_the_larger_is_taken_out(a=100.0, b=1.0):
    top = tf.maximum(a, b)
    return top + tf.math.log(tf.exp(a - top) + tf.exp(b - top))


def quiet_mean_when_the_maximum_is_taken_out(x=(100.0, 1.0)):
    top = tf.reduce_max(x, axis=0)
    return tf.math.log(tf.reduce_mean(tf.exp(x - top), axis=0)) + top


def quiet_of_bounded_exponents(x=(100.0, 1.0)):
    return tf.math.log(tf.reduce_sum(tf.exp(tf.tanh(x)), axis=-1))
