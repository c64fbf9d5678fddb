"""the gradient of the QR factors of a singular matrix is NaN

The gradient solves a system with R, which has a 0 on its diagonal when the matrix is singular. That is the case for a
Gram matrix of fewer points than features, or of points that coincide. XLA computes other factors, whose gradient is
finite but large. Factor the points themselves, or add a small multiple of the identity first.
"""
import tensorflow as tf

from tfnanlint.template import differentiated

code = "TFN1702"
modes = ("eager", "graph")


def before(x: differentiated = ((1.0, 2.0),)):
    return tf.linalg.qr(tf.matmul(x, x, transpose_a=True))[0]


def before_triangle(x: differentiated = ((1.0, 2.0),)):
    return tf.linalg.qr(tf.matmul(x, x, transpose_a=True))[1]


def quiet_with_a_diagonal_added(x=((1.0, 2.0),)):
    return tf.linalg.qr(tf.matmul(x, x, transpose_a=True) + 1e-2 * tf.eye(2))[1]


def quiet_of_an_unknown_matrix(k=((2.0, 0.0), (0.0, 2.0))):
    return tf.linalg.qr(k)[1]
