"""Values on their way: through configurations, containers, objects that are built late, functions of other kinds."""

import argparse
import dataclasses
import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import layers


@dataclasses.dataclass
class Cfg:
    floor: float = 0.0
    activation: str = "softmax"
    normalize: bool = True


cfg = Cfg()


def by_a_floor_of_a_config(x):
    out = tf.nn.softmax(x)
    if cfg.floor:
        out = tf.maximum(out, cfg.floor)
    return tf.math.log(out), tf.math.log(out + 1e-6)  # HAZARD log-reaches-zero


def by_an_activation_of_a_config(x):
    out = layers.Activation(cfg.activation)(x)
    return tf.math.log(out), tf.math.log(out + 1e-6)  # HAZARD log-softmax


class WithoutActivation:
    activation = None

    def run(self, x):
        out = self.activation(x)
        return tf.math.log(out), tf.math.log(out + 1e-6)  # HAZARD log-softmax


class WithActivation(WithoutActivation):
    activation = staticmethod(tf.nn.softmax)


class OfKeywords:
    def __init__(self, **kwargs):
        self.eps = kwargs.get("eps", 0.0)
        self.sound = kwargs.pop("sound", 1e-6)

    def run(self, x):
        out = tf.nn.softmax(x)
        return tf.math.log(out + self.eps), tf.math.log(out + self.sound)  # HAZARD log-reaches-zero


def by_a_tensor_array(x):
    ta = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
    ta = ta.write(0, tf.nn.softmax(x))
    out = ta.stack()
    return tf.math.log(out), tf.math.log(out + 1e-6)  # HAZARD log-reaches-zero


class Scaled(layers.Layer):
    def build(self, shape):
        self.w = self.add_weight(name="w", shape=(3,), initializer="ones", constraint=keras.constraints.NonNeg())

    def call(self, x):
        return x / self.w, x / (self.w + 1e-6)  # HAZARD divide-by-zero


def by_names_in_a_loop(x):
    nets = {}
    for name in ("actor", "critic"):
        nets[name] = keras.Sequential([layers.Dense(3, activation="softmax")])
    out = nets["actor"](x)
    return tf.math.log(out), tf.math.log(out + 1e-6)  # HAZARD log-softmax


def by_a_state(x):
    state = {"x": x}

    def step(state):
        state["out"] = tf.nn.softmax(state["x"])
        return state

    state = step(state)
    return tf.math.log(state["out"])  # HAZARD log-softmax


def by_map(xs):
    outs = list(map(tf.nn.softmax, xs))
    return [tf.math.log(o) for o in outs]  # HAZARD log-reaches-zero


def by_a_choice_of_pairs(x):
    out, aux = (tf.nn.softmax(x), None) if x is not None else (None, None)
    return tf.math.log(out), aux  # HAZARD log-softmax


class Encoder(keras.Model):
    def __init__(self):
        super().__init__()
        self.enc = self._make("tanh")
        self.head = self._make("softmax")

    @staticmethod
    def _make(activation):
        return keras.Sequential([layers.Dense(4, activation=activation)])

    def call(self, x):
        return self.head(self.enc(x))


def given_a_model(model: Encoder, x, y):
    out = model(x)
    return tf.reduce_sum(y * tf.math.log(out))  # HAZARD log-softmax


def by_predict(x):
    model = Encoder()
    out = model.predict(x)
    return tf.math.log(out), tf.math.log(out + 1e-6)  # HAZARD log-softmax


def by_dropout(x, training):
    out = tf.nn.softmax(x)
    out = tf.cond(training, lambda: tf.nn.dropout(out, 0.5), lambda: out)
    return tf.math.log(out), tf.math.log(out + 1e-6)  # HAZARD log-reaches-zero


def by_places(x):
    outs = [None] * 2
    for i in range(2):
        outs[i] = tf.nn.softmax(x)
    return tf.math.log(outs[0])  # HAZARD log-softmax


def by_a_python_function(x):
    out = tf.py_function(lambda v: tf.nn.softmax(v), [x], tf.float32)
    return tf.math.log(out), tf.math.log(out + 1e-6)  # HAZARD log-softmax


def by_one_or_two(inputs):
    if isinstance(inputs, (list, tuple)):
        x, mask = inputs
    else:
        x, mask = inputs, None
    out = tf.nn.softmax(x)
    if mask is not None:
        out = out * mask
    return tf.math.log(out), tf.math.log(out + 1e-6)  # HAZARD log-reaches-zero


class Late:
    @property
    def net(self):
        if not hasattr(self, "_net"):
            self._net = keras.Sequential([layers.Dense(3), layers.Softmax()])
        return self._net

    def run(self, x):
        out = self.net(x)
        return tf.math.log(out), tf.math.log(out + 1e-6)  # HAZARD log-softmax


class Built:
    def __init__(self, config):
        self.config = config
        self.build()

    def run(self, x):
        out = self.net(x)
        return tf.math.log(out), tf.math.log(out + 1e-6)  # HAZARD log-softmax


class BuiltBelow(Built):
    def build(self):
        self.net = keras.Sequential([layers.Dense(3), layers.Softmax()])


def by_a_custom_gradient(x):
    @tf.custom_gradient
    def f(v):
        out = tf.nn.softmax(v)

        def grad(upstream):
            return upstream

        return out, grad

    return tf.math.log(f(x))  # HAZARD log-reaches-zero


parser = argparse.ArgumentParser()
parser.add_argument("--act", default="softmax", choices=["softmax", "relu"])


def by_arguments(x):
    flags = vars(parser.parse_args())
    out = keras.activations.get(flags["act"])(x)
    return tf.math.log(out), tf.math.log(out + 1e-6)  # HAZARD log-softmax


def by_getattr(x):
    out = getattr(tf.nn, cfg.activation)(x)
    return tf.math.log(out), tf.math.log(out + 1e-6)  # HAZARD log-softmax


def by_a_loop_over_functions(x):
    out = x
    for f in (tf.identity, tf.nn.softmax):
        out = f(out)
    return tf.math.log(out), tf.math.log(out + 1e-6)  # HAZARD log-softmax


def minimised(tower, optimizer, xs):
    def loss_fn():
        out = tf.nn.softmax(tower(xs))
        return tf.reduce_sum(tf.math.log(out))  # HAZARD log-softmax

    optimizer.minimize(loss_fn, tower.trainable_variables)
