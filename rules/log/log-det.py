"""`log` of a determinant over- and underflows with the size of the matrix

A determinant is a product of as many factors as the matrix has rows: that of 0.1 times the identity of size 60 is
0 in float32, that of 100 times it infinite. `slogdet` adds up the logarithms of the factors instead. Of a negative
determinant it gives the logarithm of the magnitude, where the original is NaN.
"""
import tensorflow as tf

modes = ("eager", "graph")


def before(a=((1e-30, 0.0), (0.0, 1e-30))):
    return tf.math.log(tf.linalg.det(a))


def rework(a):
    return tf.linalg.slogdet(a)[1]


def before_magnitude(a=((1e-30, 0.0), (0.0, 1e-30))):
    return tf.math.log(tf.abs(tf.linalg.det(a)))


def after_magnitude(a):
    return tf.linalg.slogdet(a)[1]


def before_overflow(a=((1e30, 0.0), (0.0, 1e30))):
    return tf.math.log(tf.linalg.det(a))


def quiet_slogdet(a=((1e-30, 0.0), (0.0, 1e-30))):
    return tf.linalg.slogdet(a)[1]
