"""the Cholesky factor of a singular Gram or kernel matrix is NaN

The matrix is singular when two points coincide, or when there are fewer points than features. Rounding then makes a
pivot negative. TensorFlow raises no error: it returns NaN. Add a small multiple of the identity, such as 1e-6 in
float32; 1e-9 is lost when added to 1. `lstsq` uses a Cholesky factor too: pass it an `l2_regularizer`.
"""
import tensorflow as tf

from tfnanlint.template import deficient, literal, within

code = "TFN1701"
severity = "warning"


def before(x: deficient = ((1.0, 2.0),)):
    return tf.linalg.cholesky(tf.matmul(x, x, transpose_a=True))


def before_of_points(x: deficient = ((1.0, 2.0), (1.0, 2.0))):
    return tf.linalg.cholesky(tf.matmul(x, x, transpose_b=True))


def before_kernel(d=((0.0, 0.0), (0.0, 0.0))):
    return tf.linalg.cholesky(tf.exp(-d))


def before_scaled_kernel(d=((0.0, 0.0), (0.0, 0.0)), c: literal & within(-1e3, -1e-3) = -0.5):
    return tf.linalg.cholesky(tf.exp(c * d))


def before_divided_kernel(
    d=((0.0, 0.0), (0.0, 0.0)), s: within(0.0, 1e999) = 2.0, c: literal & within(-1e3, -1e-3) = -0.5
):
    return tf.linalg.cholesky(tf.exp(c * d / s))


def before_lost_jitter(k=((1.0, 1.0), (1.0, 1.0)), e: literal & within(1e-37, 2.9e-8) = 1e-9, n=2):
    return tf.linalg.cholesky(k + e * tf.eye(n))


def rework_lost_jitter(k, n):
    return tf.linalg.cholesky(k + 1e-6 * tf.eye(n))


def before_lost_diagonal(
    k=((1.0, 1.0), (1.0, 1.0)), e: literal & within(1e-37, 2.9e-8) = 1e-9, d: within(1.0, 1.0) = (1.0, 1.0)
):
    return tf.linalg.cholesky(k + e * tf.linalg.diag(d))


def before_least_squares(x=((1.0, 2.0),), b=((1.0,), (1.0,))):
    return tf.linalg.lstsq(tf.matmul(x, x, transpose_a=True), b)


def before_least_squares_of_points(x=((1.0, 2.0), (1.0, 2.0)), b=((1.0,), (1.0,))):
    return tf.linalg.lstsq(tf.matmul(x, x, transpose_b=True), b)


def quiet_least_squares_with_a_regularizer(x=((1.0, 2.0),), b=((1.0,), (1.0,))):
    return tf.linalg.lstsq(tf.matmul(x, x, transpose_a=True), b, l2_regularizer=1e-2)


def quiet_least_squares_of_points(x=((1.0, 2.0), (1.0, 3.0)), b=((1.0,), (1.0,))):
    return tf.linalg.lstsq(x, b)


def quiet_with_jitter(x=((1.0, 2.0),)):
    return tf.linalg.cholesky(tf.matmul(x, x, transpose_a=True) + 1e-3 * tf.eye(2))


def quiet_of_an_unknown_matrix(k=((2.0, 0.0), (0.0, 2.0))):
    return tf.linalg.cholesky(k)


def quiet_of_an_inverse(k=((2.0, 0.0), (0.0, 2.0))):
    root = tf.linalg.inv(k)
    return tf.linalg.cholesky(tf.matmul(root, root, transpose_a=True))
