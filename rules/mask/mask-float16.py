"""`-1e9` is -inf in float16, so multiplying by it is NaN wherever the other factor is 0

The largest float16 number is 65504. A mask of ones and zeros times -1e9 is -inf where the mask is 1 and NaN where it is
0, so the whole row is NaN. Select with `tf.where`, or multiply by -3e4.
https://github.com/openai/gpt-2/pull/122
"""
import tensorflow as tf

from tfnanlint.template import float16, literal, sinking, within

code = "TFN902"
dtypes = ("float16",)


def before(m: float16 & sinking(0.0) = (0.0, 1.0), c: literal & within(-1e999, -65520.0) = -1e9):
    return m * c


def rework(m):
    return m * -3e4


def before_positive(m: float16 & sinking(0.0) = (0.0, 1.0), c: literal & within(65520.0, 1e999) = 1e9):
    return m * c


def rework_positive(m):
    return m * 3e4


def before_with_the_least_number_of_float16(x: float16 = (-40.0, 1.0), m: float16 = (1.0, 0.0), c: literal & within(-65504.0, -65000.0) = -65504.0):
    return x + m * c


def rework_with_the_least_number_of_float16(x, m):
    return x + m * -3e4


def quiet_that_float16_holds(m=(0.0, 1.0)):
    return m * -1e4


def quiet_in_place_of_a_number(m=(0.0, 1.0)):
    return m / tf.where(m > 0.5, m, 1e999 * tf.ones_like(m))


def quiet_chosen(m=(False, True), x=(1.0, 2.0)):
    return tf.nn.softmax(tf.where(m, tf.zeros_like(x) - 1e4, x))
