"""the gradient of a cube root at 0 is infinite

The derivative is 1 / (3 x ** (2 / 3)), or NaN as Keras computes it. If the argument is never negative, keep it above 0.
If it has either sign, no finite derivative exists at 0: take the root of a value that is not differentiated.
"""
from keras import ops

from tfnanlint.template import differentiated, reaches, within

code = "TFN1301"


def before_of_a_number_from_zero_up(x: reaches(0) & within(0.0, 1e999) & differentiated = 0.0):
    return ops.cbrt(x)


def guard_of_a_number_from_zero_up(x):
    return ops.cbrt(ops.maximum(x, 1e-12))


def before(x: reaches(0) & differentiated = 0.0):
    return ops.cbrt(x)


def quiet_of_a_sigmoid_above_zero(x=0.0):
    return ops.cbrt(ops.sigmoid(ops.clip(x, -5.0, 5.0)) + 1.0)
