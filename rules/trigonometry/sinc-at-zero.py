"""the gradient of `sinc` at 0 is NaN

The value at 0 is 1, selected by a `where` around sin(x) / x. The gradient of the quotient that was not selected is 0/0,
and 0 times that is NaN. Replace 0 by a tiny number before the call: `sinc` of it rounds to 1.
"""
from keras import ops

from tfnanlint.template import differentiated, float32, float64, reaches

code = "TFN1508"


def before(x: reaches(0) & differentiated & float32 & float64 = 0.0):
    return ops.sinc(x)


def guard(x):
    return ops.sinc(ops.where(ops.equal(x, 0.0), 1e-6, x))


def quiet_away_from_zero(x=0.0):
    return ops.sinc(ops.relu(x) + 1.0)
