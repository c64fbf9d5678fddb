"""A simulation: bodies attract each other, and each is at distance 0 from itself."""

import tensorflow as tf


def accelerations(pos, mass):
    apart = pos[None, :, :] - pos[:, None, :]
    squares = tf.reduce_sum(tf.square(apart), axis=-1)
    others = 1.0 - tf.eye(tf.shape(pos)[0])
    inverse = tf.pow(squares, -1.5) * others  # HAZARD pow-at-zero
    return tf.reduce_sum(mass[None, :, None] * inverse[..., None] * apart, axis=1)


def softened(pos, mass):
    apart = pos[None, :, :] - pos[:, None, :]
    squares = tf.reduce_sum(tf.square(apart), axis=-1) + 1e-4
    return tf.reduce_sum(mass[None, :, None] * tf.pow(squares, -1.5)[..., None] * apart, axis=1)


@tf.function
def simulate(pos, vel, mass, steps):
    acc = accelerations(pos, mass)
    for _ in tf.range(steps):
        vel = vel + 0.01 * acc
        pos = pos + 0.01 * vel
        acc = accelerations(pos, mass)
    return pos, vel


@tf.function
def simulate_soundly(pos, vel, mass, steps):
    acc = softened(pos, mass)
    for _ in tf.range(steps):
        vel = vel + 0.01 * acc
        pos = pos + 0.01 * vel
        acc = softened(pos, mass)
    return pos, vel


if __name__ == "__main__":
    mass = tf.ones([16]) / 16.0
    for advance in (simulate, simulate_soundly):
        pos, vel = advance(tf.random.normal([16, 3]), tf.zeros([16, 3]), mass, tf.constant(20))
        print(tf.reduce_sum(vel * mass[:, None], axis=0).numpy())
