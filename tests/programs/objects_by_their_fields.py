"""A parameter is of the class that has the fields which are taken of it, be they its own or those of a module of weights."""

import dataclasses

import numpy as np
import tensorflow as tf


@dataclasses.dataclass
class Rod:
    radius: float = 1.0
    source: float = 2.0
    points: int = 33

    def grid(self):
        return tf.constant(np.linspace(0.0, self.radius, self.points)[:, None], tf.float32)

    def grid_off_the_axis(self):
        return tf.constant(np.linspace(0.1, self.radius, self.points)[:, None], tf.float32)


def residual(rod, net, r):
    with tf.GradientTape() as tape:
        tape.watch(r)
        u = net(r)
    return tape.gradient(u, r) / r + rod.source  # HAZARD divide-by-zero


def residual_in_the_tube(rod, net, r):
    with tf.GradientTape() as tape:
        tape.watch(r)
        u = net(r)
    return tape.gradient(u, r) / r + rod.source


def solve(rod):
    net = tf.keras.Sequential([tf.keras.layers.Dense(8, activation="tanh"), tf.keras.layers.Dense(1)])
    inner = tf.reduce_mean(tf.square(residual(rod, net, rod.grid())))
    return inner + tf.reduce_mean(tf.square(residual_in_the_tube(rod, net, rod.grid_off_the_axis())))


class Cap:
    level = 5.0
    least = 0.05


class CensoredHead(tf.Module):
    def __init__(self):
        super().__init__()
        self.w = tf.Variable(tf.random.normal([4, 2]))
        self.b = tf.Variable(tf.zeros([2]))

    def moments(self, x):
        loc, raw = tf.unstack(x @ self.w + self.b, axis=-1)
        return loc, Cap.least + tf.nn.softplus(raw)

    def log_tail(self, x, y):
        loc, scale = self.moments(x)
        above = 0.5 * tf.math.erfc((Cap.level - loc) / (scale * 1.4142135))
        return tf.where(y >= Cap.level, tf.math.log(above), -tf.square((y - loc) / scale))  # HAZARD log-erfc

    def bounded_log_tail(self, x, y):
        loc, scale = self.moments(x)
        above = 0.5 * tf.math.erfc((Cap.level - loc) / (scale * 1.4142135))
        return tf.where(y >= Cap.level, tf.math.log(above + 1e-6), -tf.square((y - loc) / scale))


def fit(head, x, y):
    with tf.GradientTape() as tape:
        nll = -tf.reduce_mean(head.log_tail(x, y)) - tf.reduce_mean(head.bounded_log_tail(x, y))
    return tape.gradient(nll, head.trainable_variables)


class Camera(tf.Module):
    def __init__(self):
        super().__init__()
        self.matrix = tf.Variable(tf.eye(3))
        self.gains = tf.Variable(tf.ones(3))

    def __call__(self, rgb):
        return tf.nn.relu(tf.einsum("...c,dc->...d", rgb * self.gains, self.matrix))


def lightness(camera, image):
    t = camera(image)
    return tf.reduce_mean(tf.where(t > 0.008856, tf.pow(t, 1.0 / 3.0), 7.787 * t))  # HAZARD pow-at-zero


def sound_lightness(camera, image):
    t = camera(image)
    return tf.reduce_mean(tf.where(t > 0.008856, tf.pow(tf.maximum(t, 0.008856), 1.0 / 3.0), 7.787 * t))


def calibrate(camera, image):
    with tf.GradientTape() as tape:
        loss = lightness(camera, image) + sound_lightness(camera, image)
    return tape.gradient(loss, camera.trainable_variables)
