"""the gradient of `sinc` at 0 is NaN

Its value there is 1, chosen by a `where` around sin(x) / x; the gradient of the quotient that was not chosen is
0 / 0, and 0 times that is NaN. Near 0 use 1 - (pi x) ** 2 / 6, chosen before anything is divided.
"""
from keras import ops

from tfnanlint.template import differentiated, reaches


def before(x: reaches(0) & differentiated = 0.0):
    return ops.sinc(x)


def quiet_away_from_zero(x=0.0):
    return ops.sinc(ops.relu(x) + 1.0)
