"""Gradient contexts: nested tapes, persistent tapes, stopped gradients, where around a root."""

import tensorflow as tf

w = tf.Variable([[1.0, 2.0]])


def penalty(critic, x):
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            inner.watch(x)
            score = critic(x)
        g = inner.gradient(score, x)
        loss = tf.reduce_mean((tf.norm(g, axis=-1) - 1.0) ** 2)  # HAZARD norm-at-zero
    return outer.gradient(loss, critic.trainable_variables)


def sound_penalty(critic, x):
    with tf.GradientTape() as inner:
        inner.watch(x)
        score = critic(x)
    g = inner.gradient(score, x)
    return tf.norm(g, axis=-1)


def chosen(x):
    with tf.GradientTape() as tape:
        r = tf.reduce_sum(tf.square(w - x), axis=-1)
        loss = tf.where(r > 0.0, tf.sqrt(r), 0.0)  # MISSED sqrt-under-xla
    return tape.gradient(loss, w)


def chosen_twice(x):
    with tf.GradientTape() as tape:
        r = tf.reduce_sum(tf.square(w - x), axis=-1)
        safe = tf.where(r > 0.0, r, 1.0)
        loss = tf.where(r > 0.0, tf.sqrt(safe), 0.0)
    return tape.gradient(loss, w)


def chosen_by_name(x):
    with tf.GradientTape() as tape:
        r = tf.reduce_sum(tf.square(w - x), axis=-1)
        positive = tf.greater(r, 0.0)
        safe = tf.where(positive, r, tf.ones_like(r))
        loss = tf.where(positive, tf.sqrt(safe), tf.zeros_like(r))
    return tape.gradient(loss, w)


def value_only(x):
    r = tf.nn.relu(x)
    return tf.where(r > 0.0, tf.math.log(r), 0.0)


def persistent(x):
    with tf.GradientTape(persistent=True) as tape:
        a = tf.reduce_sum(tf.sqrt(tf.nn.relu(w * x)))  # HAZARD sqrt-of-relu
        b = tf.reduce_sum(tf.sqrt(tf.nn.relu(w * x)))
    print(b)
    return tape.gradient(a, w)


def stopped(x):
    with tf.GradientTape() as tape:
        with tape.stop_recording():
            scale = tf.norm(w)
        loss = tf.reduce_sum(w * x) / (tf.stop_gradient(tf.norm(w)) + 1e-3)
    return tape.gradient(loss, w), scale


def jacobian(x):
    with tf.GradientTape() as tape:
        n = tf.norm(w * x, axis=-1)  # HAZARD norm-at-zero
    return tape.jacobian(n, w)


def accumulated(x):
    losses = []
    with tf.GradientTape() as tape:
        losses.append(tf.reduce_sum(tf.norm(w - x, axis=-1)))  # MISSED norm-at-zero
        losses.append(tf.reduce_sum(tf.square(w)))
        loss = tf.add_n(losses)
    return tape.gradient(loss, [w])


def optimised(x):
    tf.keras.optimizers.Adam().minimize(lambda: tf.reduce_sum(tf.norm(w - x, axis=-1)), [w])  # MISSED norm-at-zero
