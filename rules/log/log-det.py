"""`log` of a determinant overflows or underflows for large matrices

A determinant multiplies as many factors as the matrix has rows. In float32 the determinant of 0.1 times the identity of
size 60 is 0, and that of 100 times the identity is inf. `slogdet` adds the logs of the factors instead. For a negative
determinant it returns the log of the magnitude, where the original is NaN.
"""
import tensorflow as tf

code = "TFN105"
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
