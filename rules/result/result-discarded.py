"""a tensor op as a statement changes nothing: its result is thrown away

A tensor op returns a new tensor and leaves its arguments as they are. `tf.clip_by_value(p, 1e-7, 1.0)` alone on a line
does not clip `p`, and what follows computes with the old values, 0 and NaN included. Assign the result:
`p = tf.clip_by_value(p, 1e-7, 1.0)`. If the statement is not needed, delete it.

The rule is about ops whose result takes the place of one argument, not about products of matrices, losses, elements at
indices and tensors that are only built. It is silent in tests, in a `try` that only checks whether an op works, where
the call gives the result a `name`, and at the end of a notebook's cell, which displays the result.
"""
import tensorflow as tf

code = "TFN1901"


def before(x=(1e999, 2.0)):
    tf.clip_by_value(x, -10.0, 10.0)
    return 2.0 * x


def before_of_a_where(x=(float("nan"), 2.0)):
    tf.where(tf.math.is_nan(x), 0.0, x)
    return tf.reduce_sum(x)


def before_minimum(x=(1e999, 2.0)):
    tf.minimum(x, 10.0)
    return 2.0 * x


def quiet_assigned(x=(1.0, 2.0)):
    x = tf.clip_by_value(x, 1e-7, 1.0)
    return tf.math.log(x)


def quiet_checked(x=(1.0, 2.0)):
    tf.debugging.check_numerics(x, "x")
    tf.ensure_shape(x, (2,))
    return 2.0 * x


def quiet_built(x=(1.0, 2.0)):
    tf.stack([x, x])
    return 2.0 * x


def quiet_timed(x=((1.0, 2.0), (3.0, 4.0))):
    tf.matmul(x, x)
    return 2.0 * x


def quiet_named(x=(1.0, 2.0)):
    tf.identity(x, name="x")
    return 2.0 * x
