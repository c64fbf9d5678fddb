"""a triangular solve is inf or NaN where the diagonal has a 0

Each unknown is divided by its diagonal element, and TensorFlow does not check it. A diagonal that is a ReLU, or that
was clamped at 0, gives inf in the first such row and NaN in the rows that depend on it. Keep the diagonal away from 0:
`tf.nn.softplus(d) + 1e-3`, or `tf.maximum(d, 1e-3)`.
"""
import tensorflow as tf

from tfnanlint.template import reaches

code = "TFN1703"


def before(d: reaches(0) = (0.0, 1.0), b=((1.0,), (1.0,))):
    return tf.linalg.triangular_solve(tf.linalg.diag(d), b)


def quiet_diagonal_kept_away_from_zero(t=((1.0, 0.0), (1.0, 1.0)), d=(0.0, 1.0), b=((1.0,), (1.0,))):
    return tf.linalg.triangular_solve(tf.linalg.set_diag(t, tf.nn.softplus(d) + 1e-3), b)


def quiet_of_an_unknown_matrix(t=((1.0, 0.0), (1.0, 1.0)), b=((1.0,), (1.0,))):
    return tf.linalg.triangular_solve(t, b)
