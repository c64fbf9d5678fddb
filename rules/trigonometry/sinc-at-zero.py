"""the gradient of `sinc` at 0 is NaN

Its value there is 1, chosen by a `where` around sin(x) / x; the gradient of the quotient that was not chosen is
0 / 0, and 0 times that is NaN. Choose another number in the place of 0 before: next to it, `sinc` rounds to 1.
"""
from keras import ops

from tfnanlint.template import differentiated, float32, float64, reaches


def before(x: reaches(0) & differentiated & float32 & float64 = 0.0):
    return ops.sinc(x)


def guard(x):
    return ops.sinc(ops.where(ops.equal(x, 0.0), 1e-6, x))


def quiet_away_from_zero(x=0.0):
    return ops.sinc(ops.relu(x) + 1.0)
