"""a Dice or IoU score is 0/0 = NaN when both masks are empty; add a smoothing term to both sides

Dice, IoU (Jaccard), F1 and recall divide the overlap of two masks by their size. When an image contains no object and
the prediction is empty too, both are 0. The NaN then spreads through the mean of the batch. Add the same smoothing term
to numerator and divisor: the score of two empty masks is then 1, and its gradient is finite. The repair adds 1, as is
common in training. It raises the scores of masks of a few pixels. To report a metric, use 1e-7 instead, which leaves all
other scores as they are; in a loss it makes the gradient at two empty masks as large as 1e7.

https://github.com/neuronets/nobrainer/issues/8
https://github.com/Project-MONAI/MONAI/issues/120
"""
import tensorflow as tf

code = "TFN203"
dtypes = ("float32", "float64")


def before_dice(a=((0.0, 0.0),), b=((0.0, 0.0),), axis=None):
    return 2.0 * tf.reduce_sum(a * b, axis=axis) / (tf.reduce_sum(a, axis=axis) + tf.reduce_sum(b, axis=axis))


def rework_dice(a, b, axis):
    return (2.0 * tf.reduce_sum(a * b, axis=axis) + 1.0) / (
        tf.reduce_sum(a, axis=axis) + tf.reduce_sum(b, axis=axis) + 1.0
    )


def before_dice_of_a_sum(a=((0.0, 0.0),), b=((0.0, 0.0),), axis=None):
    return 2.0 * tf.reduce_sum(a * b, axis=axis) / tf.reduce_sum(a + b, axis=axis)


def rework_dice_of_a_sum(a, b, axis):
    return (2.0 * tf.reduce_sum(a * b, axis=axis) + 1.0) / (tf.reduce_sum(a + b, axis=axis) + 1.0)


def before_jaccard(a=((0.0, 0.0),), b=((0.0, 0.0),), axis=None):
    common = tf.reduce_sum(a * b, axis=axis)
    return common / (tf.reduce_sum(a, axis=axis) + tf.reduce_sum(b, axis=axis) - common)


def rework_jaccard(a, b, axis):
    return (tf.reduce_sum(a * b, axis=axis) + 1.0) / (
        tf.reduce_sum(a, axis=axis) + tf.reduce_sum(b, axis=axis) - tf.reduce_sum(a * b, axis=axis) + 1.0
    )


def before_jaccard_of_a_sum(a=((0.0, 0.0),), b=((0.0, 0.0),), axis=None):
    common = tf.reduce_sum(a * b, axis=axis)
    return common / (tf.reduce_sum(a + b, axis=axis) - common)


def rework_jaccard_of_a_sum(a, b, axis):
    return (tf.reduce_sum(a * b, axis=axis) + 1.0) / (
        tf.reduce_sum(a + b, axis=axis) - tf.reduce_sum(a * b, axis=axis) + 1.0
    )


def before_recall(a=((0.0, 0.0),), b=((0.0, 0.0),), axis=None):
    common = tf.reduce_sum(a * b, axis=axis)
    return common / (common + tf.reduce_sum((1.0 - a) * b, axis=axis))


def rework_recall(a, b, axis):
    return (tf.reduce_sum(a * b, axis=axis) + 1.0) / (tf.reduce_sum(b, axis=axis) + 1.0)


def before_harmonic_mean(a=((0.0, 0.0),), b=((0.0, 0.0),), axis=None):
    common = tf.reduce_sum(a * b, axis=axis)
    return (2.0 * common) / (
        2.0 * common + tf.reduce_sum((1.0 - a) * b, axis=axis) + tf.reduce_sum(a * (1.0 - b), axis=axis)
    )


def rework_harmonic_mean(a, b, axis):
    return (2.0 * tf.reduce_sum(a * b, axis=axis) + 1.0) / (
        tf.reduce_sum(a, axis=axis) + tf.reduce_sum(b, axis=axis) + 1.0
    )


def before_of_a_confusion_matrix(counts=((3.0, 0.0), (0.0, 0.0))):
    common = tf.linalg.diag_part(counts)
    either = tf.reduce_sum(counts, axis=0) + tf.reduce_sum(counts, axis=1) - common
    return common / either


def guard_of_a_confusion_matrix(common, either):
    return tf.math.divide_no_nan(common, either)


def quiet_smoothed(a=((0.0, 0.0),), b=((0.0, 0.0),)):
    return (2.0 * tf.reduce_sum(a * b) + 1.0) / (tf.reduce_sum(a) + tf.reduce_sum(b) + 1.0)


def quiet_no_nan(a=((0.0, 0.0),), b=((0.0, 0.0),)):
    return tf.math.divide_no_nan(2.0 * tf.reduce_sum(a * b), tf.reduce_sum(a) + tf.reduce_sum(b))


def quiet_at_least_a_little(a=((0.0, 0.0),), b=((0.0, 0.0),)):
    common = tf.reduce_sum(a * b)
    return common / tf.maximum(tf.reduce_sum(a + b) - common, 1e-6)


def quiet_of_probabilities(a=((0.0, 0.0),), b=((0.0, 0.0),)):
    p, q = tf.nn.softmax(a, axis=-1), tf.nn.softmax(b, axis=-1)
    return 2.0 * tf.reduce_sum(p * q, axis=-1) / (tf.reduce_sum(p, axis=-1) + tf.reduce_sum(q, axis=-1))
