"""dividing by the norm of a zero vector is NaN or inf

Padding, a dead unit or a constant signal can make the vector zero. Divided by its own norm it is 0/0 = NaN, and so is
its gradient; another number divided by that norm is inf.
`l2_normalize` keeps the squared norm at 1e-12 or above. It divides vectors shorter than 1e-6 by 1e-6 and all other
vectors by their norm.
"""
import tensorflow as tf

code = "TFN202"
dtypes = ("float32", "float64")


def before(x=((0.0, 0.0), (3.0, 4.0)), axis=-1):
    return x / tf.norm(x, axis=axis, keepdims=True)


def guard(x, axis):
    return tf.math.l2_normalize(x, axis=axis)


def before_normalize(x=((0.0, 0.0), (3.0, 4.0)), axis=-1):
    return tf.linalg.normalize(x, axis=axis)[0]


def before_normalize_with_norm(w=((0.0, 0.0), (3.0, 4.0)), axis=-1):
    return tf.linalg.normalize(w, axis=axis)


def before_as_a_whole(x=(0.0, 0.0)):
    return x / tf.norm(x)


def guard_as_a_whole(x):
    return tf.math.l2_normalize(x)


def before_by_root(u=((0.0, 0.0), (3.0, 4.0)), axis=-1, keepdims=True):
    squares = tf.reduce_sum(tf.square(u), axis=axis, keepdims=keepdims)
    return u / tf.sqrt(squares)


def guard_by_root(u, squares):
    return u / tf.sqrt(tf.maximum(squares, 1e-12))


def before_times_reciprocal_root(u=((0.0, 0.0), (3.0, 4.0)), axis=-1, keepdims=True):
    squares = tf.reduce_sum(tf.square(u), axis=axis, keepdims=keepdims)
    return u * tf.math.rsqrt(squares)


def guard_times_reciprocal_root(u, squares):
    return u * tf.math.rsqrt(tf.maximum(squares, 1e-12))


def before_of_another(y=(1.0, 2.0), v=(0.0, 0.0), axis=-1, keepdims=False):
    return y / tf.norm(v, axis=axis, keepdims=keepdims)


def guard_of_another(y, v, axis, keepdims):
    return y / tf.sqrt(tf.maximum(tf.reduce_sum(tf.square(v), axis=axis, keepdims=keepdims), 1e-12))


def before_cosine(a=((0.0, 0.0),), b=((1.0, 2.0),), axis=-1):
    return tf.reduce_sum(a * b, axis=axis) / (tf.norm(a, axis=axis) * tf.norm(b, axis=axis))


def guard_cosine(a, b, axis):
    return tf.reduce_sum(tf.math.l2_normalize(a, axis=axis) * tf.math.l2_normalize(b, axis=axis), axis=axis)


def quiet_normalized(x=(0.0, 0.0)):
    return tf.math.l2_normalize(x)


def quiet_with_the_epsilon_inside(x=(0.0, 0.0)):
    return x / tf.sqrt(tf.reduce_sum(tf.square(x)) + 1e-12)


def quiet_without_gradient(x=(0.0, 0.0)):
    v = tf.stop_gradient(x)
    return x * (tf.norm(v) / (tf.norm(v) + 1e-6))


def quiet_away_from_zero(x=(0.0, 0.0)):
    v = tf.stack((x[0], 1.0 + tf.square(x[1])))
    return v / tf.sqrt(1.0 + tf.square(x[0]))
