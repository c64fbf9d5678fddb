"""Models and objects that are handed on: to steps, to a second function that compiles them, through loops and lists."""

import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import layers


def build_net():
    inputs = keras.Input((4,))
    h = layers.Dense(8, activation="relu")(inputs)
    return keras.Model(inputs, layers.Dense(3, activation="softmax")(h))


def train_step(model, x, y):
    with tf.GradientTape() as tape:
        h = model(x, training=True)
        loss = -tf.reduce_sum(y * tf.math.log(h))  # HAZARD log-softmax
        sound = -tf.reduce_sum(y * tf.math.log(h + 1e-6))
    return tape.gradient(loss + sound, model.trainable_variables)


def step_of(net, x, y):
    h = net(x)
    return tf.reduce_sum(y * tf.math.log(h)), tf.reduce_sum(y * tf.math.log(h + 1e-6))  # HAZARD log-softmax


def main(x, y):
    model = build_net()
    for _ in range(3):
        train_step(model, x, y)


class Trainer:
    def __init__(self, model):
        self.model = model

    def step(self, x):
        h = self.model(x)
        return tf.math.log(h), tf.math.log(h + 1e-6)  # HAZARD log-softmax


class Holder:
    def __init__(self, net=None):
        self.net = net if net is not None else build_net()

    def run(self, x):
        h = self.net(x)
        return tf.math.log(h), tf.math.log(h + 1e-6)  # HAZARD log-softmax


class LateHolder:
    def __init__(self):
        self.net = None

    def build(self):
        self.net = build_net()

    def run(self, x):
        h = self.net(x)
        return tf.math.log(h), tf.math.log(h + 1e-6)  # HAZARD log-softmax


class LazyHolder:
    def __init__(self):
        self._net = None

    @property
    def net(self):
        if self._net is None:
            self._net = build_net()
        return self._net

    def run(self, x):
        h = self.net(x)
        return tf.math.log(h), tf.math.log(h + 1e-6)  # HAZARD log-softmax


class SelfBuilt:
    def __init__(self, net=None):
        self.net = net or self._build()

    def _build(self):
        return keras.Sequential([layers.Dense(4), layers.Dense(3, activation="softmax")])

    def run(self, x):
        h = self.net(x)
        return tf.math.log(h), tf.math.log(h + 1e-6)  # HAZARD log-softmax


class TestNet(tf.test.TestCase):
    def setUp(self):
        super().setUp()
        self.nets = {"a": build_net()}

    def test_log(self):
        h = self.nets["a"](tf.ones((2, 4)))
        return tf.math.log(h), tf.math.log(h + 1e-6)  # HAZARD log-softmax


def make_all():
    return build_net(), keras.optimizers.Adam()


def by_a_pair(x):
    net, optimizer = make_all()
    h = net(x)
    return tf.math.log(h), tf.math.log(h + 1e-6), optimizer  # HAZARD log-softmax


class Ensemble:
    def __init__(self, count=2):
        self.nets = [build_net() for _ in range(count)]

    def run(self, x):
        found = 0.0
        for net in self.nets:
            h = net(x)
            found += tf.math.log(h) + tf.math.log(h + 1e-6)  # HAZARD log-softmax
        return found

    def first(self, x):
        h = self.nets[0](x)
        return tf.math.log(h), tf.math.log(h + 1e-6)  # HAZARD log-softmax


def own_loss(y_true, y_pred):
    return -tf.reduce_sum(y_true * tf.math.log(y_pred))  # HAZARD log-softmax


def sound_loss(y_true, y_pred):
    return -tf.reduce_sum(y_true * tf.math.log(y_pred + 1e-6))


def compile_with(model, loss):
    model.compile(optimizer="adam", loss=loss)
    return model


def run_all():
    model = compile_with(build_net(), own_loss)
    compile_with(build_net(), sound_loss)
    return model


if __name__ == "__main__":
    net = build_net()
    step_of(net, tf.ones((2, 4)), tf.ones((2, 3)))
    Trainer(net).step(tf.ones((2, 4)))
