"""a sparse cross-entropy of a label that is no class is NaN under XLA

A label of -1 for what is to be ignored, or one as large as the number of classes, raises an error on a processor; under
XLA, and on a GPU, the loss of that example is NaN, and with it the mean of the batch. Leave such examples out, or say
`ignore_class=-1` to the Keras loss.
"""
import tensorflow as tf

from tfnanlint.template import below

modes = ("xla",)


def before(y: below(-1) = (-1,), x=((1.0, 2.0, 3.0),)):
    return tf.nn.sparse_softmax_cross_entropy_with_logits(y, x)


def quiet_kept_at_zero(y=(-1,), x=((1.0, 2.0, 3.0),)):
    return tf.nn.sparse_softmax_cross_entropy_with_logits(tf.maximum(y, 0), x)
