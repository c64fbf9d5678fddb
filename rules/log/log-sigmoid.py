"""`log` of a sigmoid is -inf where the sigmoid underflows to 0

In float32 the sigmoid of anything below -88 is exactly 0. The log is then -inf and its gradient NaN. `log_sigmoid`
computes the same function from the logit. If a layer or another function hides the logit, the fix keeps the sigmoid
above 0. The loss is then finite, but a saturated element gets no gradient and does not train: return logits from the
model and use a loss with `from_logits=True` instead.

https://github.com/tensorflow/tensorflow/issues/3719
https://stackoverflow.com/questions/45506455
"""
import tensorflow as tf

code = "TFN117"


def before(x=-200.0):
    return tf.math.log(tf.sigmoid(x))


def after(x):
    return tf.math.log_sigmoid(x)


def before_by_hand(x=-200.0):
    return tf.math.log(1.0 / (1.0 + tf.exp(-x)))


def before_from_a_tanh(x=-200.0):
    return tf.math.log(0.5 * (1.0 + tf.tanh(x)))


def after_from_a_tanh(x):
    return tf.math.log_sigmoid(2.0 * x)


def before_one_plus_tanh(x=-200.0):
    return tf.math.log(1.0 + tf.tanh(x))


def after_one_plus_tanh(x):
    return 0.6931471805599453 + tf.math.log_sigmoid(2.0 * x)


def before_log1p_of_a_tanh(x=-200.0):
    return tf.math.log1p(tf.tanh(x))


def after_log1p_of_a_tanh(x):
    return 0.6931471805599453 + tf.math.log_sigmoid(2.0 * x)


def before_product(x=-200.0, y=-200.0):
    return tf.math.log(tf.sigmoid(x) * tf.sigmoid(y))


def after_product(x, y):
    return tf.math.log_sigmoid(x) + tf.math.log_sigmoid(y)


def quiet_when_clipped(x=-200.0):
    return tf.math.log(tf.clip_by_value(tf.sigmoid(x), 1e-7, 1.0))


def quiet_with_an_epsilon_inside(x=-200.0):
    return tf.math.log(tf.sigmoid(x) + 1e-7)


def quiet_when_the_logit_is_never_negative(x=-200.0):
    return tf.math.log(tf.sigmoid(tf.square(x)))


def quiet_when_bounded_away_from_zero(x=-200.0):
    return tf.math.log(tf.maximum(tf.sigmoid(x), 1e-6))
