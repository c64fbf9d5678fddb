"""a sparse cross-entropy with an out-of-range label (such as -1) is NaN under XLA

A label of -1 for examples to ignore, or a label as large as the number of classes, raises an error on a CPU. Under XLA
and on a GPU the loss of that example is NaN, and so is the mean of the batch. Drop such examples first, or pass
`ignore_class=-1` to the Keras loss.
"""
import tensorflow as tf

from tfnanlint.template import below

code = "TFN802"
modes = ("xla",)


def before(y: below(-1) = (-1,), x=((1.0, 2.0, 3.0),)):
    return tf.nn.sparse_softmax_cross_entropy_with_logits(y, x)


def quiet_kept_at_zero(y=(-1,), x=((1.0, 2.0, 3.0),)):
    return tf.nn.sparse_softmax_cross_entropy_with_logits(tf.maximum(y, 0), x)
