"""`-1e9` is -inf in float16: a softmax over a row that is fully masked with it is NaN

The largest float16 number is 65504, so a cast of -1e9 is -inf. The softmax of a row that holds only -inf is 0/0. A
padded example makes such a row. A mixed_float16 policy does this to code that is sound in float32. Mask with a number
that float16 holds, such as -3e4.
"""
import tensorflow as tf

from tfnanlint.template import data, float16, literal, reaches, within

code = "TFN905"
dtypes = ("float16",)
severity = "warning"


def before(
    mask: reaches(0) & data = ((False, False),),
    x: float16 = ((1.0, 2.0),),
    c: literal & within(-1e999, -65520.0) = -1e9,
):
    return tf.nn.softmax(tf.where(mask, x, c))


def rework(mask, x):
    return tf.nn.softmax(tf.where(mask, x, -3e4))


def quiet_that_float16_holds(mask=((False, False),), x=((1.0, 2.0),)):
    return tf.nn.softmax(tf.where(mask, x, tf.zeros_like(x) - 1e4))
