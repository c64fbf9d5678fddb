"""Generative adversarial networks: hand-written losses, gradient penalties, relativistic and hinge losses."""

import tensorflow as tf
from tensorflow.keras import layers


def make_discriminator():
    model = tf.keras.Sequential()
    model.add(layers.Conv2D(64, (5, 5), strides=(2, 2), padding="same", input_shape=[28, 28, 1]))
    model.add(layers.LeakyReLU())
    model.add(layers.Dropout(0.3))
    model.add(layers.Flatten())
    model.add(layers.Dense(1, activation="sigmoid"))
    return model


def make_generator():
    model = tf.keras.Sequential([layers.Dense(49, input_shape=(100,)), layers.BatchNormalization(), layers.Reshape((7, 7, 1))])
    return model


discriminator = make_discriminator()
generator = make_generator()
optimizer = tf.keras.optimizers.Adam(1e-4)


@tf.function
def train_step(images):
    noise = tf.random.normal([16, 100])
    with tf.GradientTape() as gen_tape, tf.GradientTape() as disc_tape:
        fake = generator(noise, training=True)
        real_output = discriminator(images, training=True)
        fake_output = discriminator(fake, training=True)
        gen_loss = -tf.reduce_mean(tf.math.log(fake_output))  # HAZARD log-sigmoid
        disc_loss = -tf.reduce_mean(tf.math.log(real_output) + tf.math.log(1.0 - fake_output))  # HAZARD log-sigmoid log-one-minus-sigmoid
    g = gen_tape.gradient(gen_loss, generator.trainable_variables)
    d = disc_tape.gradient(disc_loss, discriminator.trainable_variables)
    optimizer.apply_gradients(zip(g, generator.trainable_variables))
    optimizer.apply_gradients(zip(d, discriminator.trainable_variables))


cross_entropy = tf.keras.losses.BinaryCrossentropy(from_logits=True)
critic = tf.keras.Sequential([layers.Flatten(), layers.Dense(1)])


@tf.function
def sound_step(images):
    noise = tf.random.normal([16, 100])
    with tf.GradientTape() as gen_tape, tf.GradientTape() as disc_tape:
        fake = generator(noise, training=True)
        real_output = critic(images, training=True)
        fake_output = critic(fake, training=True)
        gen_loss = cross_entropy(tf.ones_like(fake_output), fake_output)
        disc_loss = cross_entropy(tf.ones_like(real_output), real_output)
        disc_loss += cross_entropy(tf.zeros_like(fake_output), fake_output)
        hinge = tf.reduce_mean(tf.nn.relu(1.0 - real_output)) + tf.reduce_mean(tf.nn.relu(1.0 + fake_output))
    g = gen_tape.gradient(gen_loss, generator.trainable_variables)
    d = disc_tape.gradient(disc_loss + hinge, critic.trainable_variables)
    return g, d


def gradient_penalty(real, fake):
    alpha = tf.random.uniform([real.shape[0], 1, 1, 1])
    mixed = alpha * real + (1 - alpha) * fake
    with tf.GradientTape() as tape:
        tape.watch(mixed)
        scores = critic(mixed)
    grads = tape.gradient(scores, mixed)
    slopes = tf.sqrt(tf.reduce_sum(tf.square(grads), axis=[1, 2, 3]))  # HAZARD sqrt-at-zero
    return tf.reduce_mean((slopes - 1.0) ** 2)


def sound_penalty(real, fake):
    alpha = tf.random.uniform([real.shape[0], 1, 1, 1])
    mixed = alpha * real + (1 - alpha) * fake
    with tf.GradientTape() as tape:
        tape.watch(mixed)
        scores = critic(mixed)
    grads = tape.gradient(scores, mixed)
    slopes = tf.sqrt(tf.reduce_sum(tf.square(grads), axis=[1, 2, 3]) + 1e-12)
    return tf.reduce_mean((slopes - 1.0) ** 2)


def critic_step(real):
    fake = generator(tf.random.normal([16, 100]))
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(critic(fake)) - tf.reduce_mean(critic(real))
        loss += 10.0 * gradient_penalty(real, fake)
        loss += 10.0 * sound_penalty(real, fake)
    return tape.gradient(loss, critic.trainable_variables)


def r1(real):
    with tf.GradientTape() as outer:
        with tf.GradientTape() as tape:
            tape.watch(real)
            score = tf.reduce_sum(critic(real))
        penalty = tf.reduce_sum(tf.square(tape.gradient(score, real)), axis=[1, 2, 3])
        loss = tf.reduce_mean(penalty)
    return outer.gradient(loss, critic.trainable_variables)


def penalty_for_others(critic, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        judged = critic(x)
    slopes = tape.gradient(judged, x)
    length = tf.norm(tf.reshape(slopes, [tf.shape(x)[0], -1]), axis=1)  # HAZARD norm-at-zero
    return tf.reduce_mean((length - 1.0) ** 2)


def one_sided_penalty_for_others(critic, x):
    slopes = tf.gradients(critic(x), [x])[0]
    length = tf.sqrt(tf.reduce_sum(tf.square(slopes), axis=1))  # HAZARD sqrt-at-zero
    return tf.reduce_mean(tf.square(tf.maximum(length - 1.0, 0.0)))


def guarded_penalty_for_others(critic, x):
    slopes = tf.gradients(critic(x), [x])[0]
    return tf.reduce_mean(tf.square(tf.sqrt(tf.reduce_sum(tf.square(slopes), axis=1) + 1e-12) - 1.0))


def length_of_a_gradient(critic, x):
    return tf.norm(tf.gradients(critic(x), [x])[0])


def penalty_between_the_data_and_what_is_near_it(critic, real):
    """The point that the gradient is taken at is data: its own spread is not trained."""

    def spread(x):
        return x + 0.5 * tf.math.reduce_std(x) * tf.random.uniform([8, 1])

    near = spread(real)
    with tf.GradientTape() as tape:
        tape.watch(near)
        score = critic(near)
    length = tf.norm(tape.gradient(score, near), axis=1)  # HAZARD norm-at-zero
    return tf.reduce_mean((length - 1.0) ** 2)
