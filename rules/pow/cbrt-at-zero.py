"""the gradient of a cube root at 0 is infinite

The derivative is 1 / (3 x ** (2 / 3)), or NaN as Keras computes it. There is no finite derivative to repair it with:
keep the argument away from 0, or take the root of numbers that are not differentiated.
"""
from keras import ops

from tfnanlint.template import differentiated, reaches


def before(x: reaches(0) & differentiated = 0.0):
    return ops.cbrt(x)


def quiet_of_a_sigmoid_above_zero(x=0.0):
    return ops.cbrt(ops.sigmoid(ops.clip(x, -5.0, 5.0)) + 1.0)
