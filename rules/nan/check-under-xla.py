"""a check for NaN in a function that XLA compiles never fails: XLA leaves it out

`check_numerics` raises an error in eager mode and in a graph. Under `jit_compile=True` it hands on what it is given, NaN
or not, and the training goes on with it. Check what the compiled function returns, outside of it.

https://github.com/tensorflow/tensorflow/issues/59215
"""
import tensorflow as tf

from tfnanlint.template import compiled

severity = "warning"
modes = ("xla",)


def before(x: compiled = (float("nan"), 1.0), message="finite"):
    return tf.debugging.check_numerics(x, message)


def quiet_in_a_function_that_is_not_compiled(x=(1.0, 2.0)):
    return tf.debugging.check_numerics(x, "finite")
