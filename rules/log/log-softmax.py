"""`log` of a softmax is -inf where the softmax underflows to 0

In float32 the softmax of a logit that is 104 below another one is exactly 0. The log is then -inf, and the gradient of
the whole row is NaN. `log_softmax` computes the same function from the logits without underflow.

https://stackoverflow.com/questions/33712178
"""
import tensorflow as tf

from tfnanlint.template import differentiated, sinking

code = "TFN118"


def before(logits=((200.0, 0.0, -200.0),), axis=-1):
    return tf.math.log(tf.nn.softmax(logits, axis=axis))


def after(logits, axis):
    return tf.nn.log_softmax(logits, axis=axis)


def before_of_one_class(logits=((0.0, 200.0),), at=(0,)):
    return tf.math.log(tf.gather(tf.nn.softmax(logits), at, batch_dims=1))


def after_of_one_class(logits, at):
    return tf.gather(tf.nn.log_softmax(logits), at, batch_dims=1)


def before_of_the_class_taken(logits=((0.0, 200.0),), at=(0,), depth=2, axis=-1):
    return tf.math.log(tf.reduce_sum(tf.nn.softmax(logits) * tf.one_hot(at, depth), axis=axis))


def after_of_the_class_taken(logits, at, depth, axis):
    return tf.reduce_sum(tf.nn.log_softmax(logits) * tf.one_hot(at, depth), axis=axis)


def before_of_the_picked_class(logits=((0.0, 200.0),), picked: sinking(-1.0) = ((1.0, 0.0),), axis=-1):
    return tf.math.log(tf.reduce_sum(tf.nn.softmax(logits) * picked, axis=axis))


def guard_of_the_picked_class(logits, picked, axis):
    return tf.math.log(tf.maximum(tf.reduce_sum(tf.nn.softmax(logits) * picked, axis=axis), 1e-30))


def before_diagonal(logits=((0.0, 200.0), (0.0, 200.0)), axis=-1):
    return tf.math.log(tf.linalg.diag_part(tf.nn.softmax(logits, axis=axis)))


def after_diagonal(logits, axis):
    return tf.linalg.diag_part(tf.nn.log_softmax(logits, axis=axis))


def before_quotient(p=((200.0, 0.0, -200.0),), q=((200.0, 0.0, -200.0),), axis=-1, other=-1):
    return tf.math.log(tf.nn.softmax(p, axis=axis) / tf.nn.softmax(q, axis=other))


def after_quotient(p, q, axis, other):
    return tf.nn.log_softmax(p, axis=axis) - tf.nn.log_softmax(q, axis=other)


def before_of_a_softmax_over(p=((200.0, 0.0, -200.0),), q=((0.7, 0.2, 0.1),), axis=-1):
    return tf.math.log(tf.nn.softmax(p, axis=axis) / q)


def after_of_a_softmax_over(p, q, axis):
    return tf.nn.log_softmax(p, axis=axis) - tf.math.log(q)


def before_over_a_softmax(p=((0.7, 0.2, 0.1),), q: differentiated = ((200.0, 0.0, -200.0),), axis=-1):
    return tf.math.log(p / tf.nn.softmax(q, axis=axis))


def after_over_a_softmax(p, q, axis):
    return tf.math.log(p) - tf.nn.log_softmax(q, axis=axis)


def quiet_when_the_log_softmax_is_taken(logits=((200.0, 0.0, -200.0),), labels=((0.0, 1.0, 0.0),)):
    return -tf.reduce_sum(labels * tf.nn.log_softmax(logits), axis=-1)


def quiet_when_softmax_is_clipped(logits=((200.0, 0.0, -200.0),)):
    return tf.math.log(tf.clip_by_value(tf.nn.softmax(logits), 1e-7, 1.0))


def quiet_of_a_mean_of_positive_numbers(logits=((0.0, 200.0),), x=((1.0, 0.0),)):
    return tf.math.log(tf.reduce_sum(tf.nn.softmax(logits) * (tf.nn.relu(x) + 1e-3), axis=-1))


def quiet_with_an_epsilon_inside(logits=((200.0, 0.0, -200.0),)):
    return tf.math.log(tf.nn.softmax(logits) + 1e-8)


def quiet_when_the_loss_takes_logits(logits=((200.0, 0.0, -200.0),), labels=((0.0, 1.0, 0.0),)):
    return tf.nn.softmax_cross_entropy_with_logits(labels, logits)
