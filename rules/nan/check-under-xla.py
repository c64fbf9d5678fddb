"""`check_numerics` never fails in a function that XLA compiles: XLA removes the check

`check_numerics` raises an error in eager mode and in a graph. Under `jit_compile=True` it passes NaN on, and training
continues with it. Check the result of the compiled function, outside of that function.

https://github.com/tensorflow/tensorflow/issues/59215
"""
import tensorflow as tf

from tfnanlint.template import compiled

code = "TFN1201"
severity = "warning"
modes = ("xla",)


def before(x: compiled = (float("nan"), 1.0), message="finite"):
    return tf.debugging.check_numerics(x, message)


def quiet_in_a_function_that_is_not_compiled(x=(1.0, 2.0)):
    return tf.debugging.check_numerics(x, "finite")
