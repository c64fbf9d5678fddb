"""Functions that are made, kept, chosen and handed on: factories, registries, `partial`, activations of a config."""

import functools

import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import layers


def focal(gamma, eps):
    def loss(y_true, y_pred):
        return -tf.reduce_sum(y_true * (1 - y_pred) ** gamma * tf.math.log(y_pred + eps))  # HAZARD log-reaches-zero

    return loss


def compile_focal():
    model = keras.Sequential([layers.Dense(3, activation="softmax")])
    model.compile("adam", loss=focal(2.0, 0.0))


def plain(y_true, y_pred):
    return -tf.reduce_sum(y_true * tf.math.log(y_pred))  # HAZARD log-softmax


def floored(y_true, y_pred):
    return -tf.reduce_sum(y_true * tf.math.log(y_pred + 1e-6))


LOSSES = {"plain": plain, "floored": floored}


def compile_by_name(name="plain"):
    model = keras.Sequential([layers.Dense(3, activation="softmax")])
    model.compile("adam", loss=LOSSES[name])


class Registry(dict):
    def register(self, function):
        self[function.__name__] = function
        return function


REGISTRY = {}


def register_loss(function):
    REGISTRY[function.__name__] = function
    return function


@register_loss
def entropy(h):
    return -tf.reduce_sum(h * tf.math.log(h))  # HAZARD log-times-argument


@register_loss
def sound_entropy(h):
    return -tf.reduce_sum(h * tf.math.log(h + 1e-6))


def by_registry(x):
    return REGISTRY["entropy"](tf.nn.softmax(x)) + REGISTRY["sound_entropy"](tf.nn.softmax(x))


def get_activation(name):
    if name == "relu":
        return tf.nn.relu
    elif name == "softmax":
        return tf.nn.softmax
    raise ValueError(name)


def by_a_getter(x):
    h = get_activation("softmax")(x)
    return tf.math.log(h), tf.math.log(h + 1e-6)  # HAZARD log-softmax


def log_of(values, floor):
    return tf.math.log(values + floor)  # HAZARD log-reaches-zero


def by_partial(x):
    plain_log, sound_log = functools.partial(log_of, floor=0.0), functools.partial(log_of, floor=1e-6)
    return plain_log(tf.nn.softmax(x)) + sound_log(tf.nn.softmax(x))


def applied(function, x):
    h = tf.nn.softmax(x)
    return function(h)  # HAZARD log-softmax


def hands_on(x):
    return applied(tf.math.log, x), applied(tf.math.exp, x)


class WithOp:
    def __init__(self):
        self.activate = tf.nn.softmax
        self.log = tf.math.log

    def run(self, x):
        h = self.activate(x)
        return self.log(h), self.log(h + 1e-6)  # HAZARD log-softmax


class OwnLayer(layers.Layer):
    def __init__(self, units, activation=None, **kwargs):
        super().__init__(**kwargs)
        self.dense = layers.Dense(units)
        self.activation = keras.activations.get(activation)

    def call(self, x):
        return self.activation(self.dense(x))


def by_own_activation(x):
    h = OwnLayer(3, activation="softmax")(x)
    return tf.math.log(h), tf.math.log(h + 1e-6)  # HAZARD log-softmax


CONFIG = {"activation": "softmax", "units": 3}


def by_config(x):
    h = OwnLayer(CONFIG["units"], CONFIG["activation"])(x)
    return tf.math.log(h), tf.math.log(h + 1e-6)  # HAZARD log-softmax


def by_a_lambda_layer(x):
    h = layers.Dense(3, activation="softmax")(x)
    return layers.Lambda(lambda v: tf.math.log(v))(h), layers.Lambda(lambda v: tf.math.log(v + 1e-6))(h)  # HAZARD log-softmax


def by_map_fn(xs):
    sound = tf.map_fn(lambda x: tf.math.log(tf.nn.softmax(x) + 1e-6), xs)
    return tf.map_fn(lambda x: tf.math.log(tf.nn.softmax(x)), xs), sound  # HAZARD log-softmax


def one(x):
    h = tf.nn.softmax(x)
    return tf.math.log(h), tf.math.log(h + 1e-6)  # HAZARD log-softmax


def by_vectorized_map(xs):
    return tf.vectorized_map(one, xs)


def composed(*functions):
    def run(x):
        for function in functions:
            x = function(x)  # HAZARD log-softmax
        return x

    return run


def by_composition(x):
    return composed(tf.nn.softmax, tf.math.log)(x)


class CallableLoss:
    def __init__(self, floor):
        self.floor = floor

    def __call__(self, y_true, y_pred):
        return -tf.reduce_sum(y_true * tf.math.log(y_pred + self.floor))  # HAZARD log-reaches-zero


def compile_objects():
    model = keras.Sequential([layers.Dense(3, activation="softmax")])
    model.compile("adam", loss=CallableLoss(0.0))
    other = keras.Sequential([layers.Dense(3, activation="softmax")])
    other.compile("adam", loss=CallableLoss(1e-6))


def by_lambda(x):
    safe = lambda v: tf.math.log(v + 1e-6)  # noqa: E731
    unsafe = lambda v: tf.math.log(v)  # noqa: E731  # HAZARD log-softmax
    h = tf.nn.softmax(x)
    return safe(h), unsafe(h)


def decorated(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        return function(*args, **kwargs)

    return wrapper


@decorated
def through_a_wrapper(x):
    h = tf.nn.softmax(x)
    return tf.math.log(h), tf.math.log(h + 1e-6)  # HAZARD log-softmax


def by_getattr(x):
    h = getattr(tf.nn, "softmax")(x)
    return tf.math.log(h), tf.math.log(h + 1e-6)  # HAZARD log-softmax
