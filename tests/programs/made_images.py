"""Images that a program makes or reads: their sizes are known, and each may be of one colour."""

import tensorflow as tf
from tensorflow.keras import layers

SIZE = 128


def stretched(image):
    image = tf.cast(image, tf.float32)
    low, high = tf.reduce_min(image), tf.reduce_max(image)
    return (image - low) / (high - low)  # HAZARD divide-by-zero


def example(image, label):
    image = tf.image.resize(image, [SIZE, SIZE], method="nearest")
    return stretched(image), label


def data_set(train, batch=32):
    return train.map(example).batch(batch).prefetch(2)


def contrast(raw):
    return (raw - tf.reduce_min(raw)) / (tf.reduce_max(raw) - tf.reduce_min(raw))  # HAZARD divide-by-zero


def slices_of(volumes, labels):
    rows = tf.data.Dataset.from_tensor_slices((volumes, labels))
    return rows.map(lambda volume, label: (contrast(tf.image.resize(volume[..., tf.newaxis], [64, 64])), label))


def sound_contrast(raw):
    low, high = tf.reduce_min(raw), tf.reduce_max(raw)
    return tf.math.divide_no_nan(raw - low, high - low)


def sound_slices_of(volumes, labels):
    rows = tf.data.Dataset.from_tensor_slices((volumes, labels))
    return rows.map(lambda volume, label: (sound_contrast(tf.image.resize(volume[..., tf.newaxis], [64, 64])), label))


def make_generator():
    return tf.keras.Sequential([
        tf.keras.Input((64,)),
        layers.Dense(7 * 7 * 64, activation="relu"),
        layers.Reshape((7, 7, 64)),
        layers.Conv2DTranspose(32, 4, strides=2, padding="same", activation="relu"),
        layers.Conv2DTranspose(1, 4, strides=2, padding="same", activation="tanh"),
    ])


def make_critic():
    return tf.keras.Sequential([
        tf.keras.Input((28, 28, 1)),
        layers.Conv2D(32, 4, strides=2, padding="same", activation="relu"),
        layers.Conv2D(64, 4, strides=2, padding="same", activation="relu"),
        layers.Flatten(),
        layers.Dense(1),
    ])


class Gan:
    def __init__(self):
        self.generator, self.critic = make_generator(), make_critic()
        self.optimizer = tf.keras.optimizers.Adam(1e-4)

    def penalty(self, real, fake):
        share = tf.random.uniform([tf.shape(real)[0], 1, 1, 1])
        mixed = real + share * (fake - real)
        with tf.GradientTape() as tape:
            tape.watch(mixed)
            score = self.critic(mixed, training=True)
        grad = tape.gradient(score, mixed)
        norm = tf.sqrt(tf.reduce_sum(tf.square(grad), axis=[1, 2, 3]))  # HAZARD sqrt-at-zero
        return tf.reduce_mean((norm - 1.0) ** 2)

    def train_critic(self, real):
        fake = self.generator(tf.random.normal([tf.shape(real)[0], 64]), training=True)
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(self.critic(fake)) - tf.reduce_mean(self.critic(real))
            loss += 10.0 * self.penalty(real, fake)
        variables = self.critic.trainable_variables
        self.optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))


class Cells(layers.Layer):
    def call(self, points, features):
        cell = tf.clip_by_value(tf.cast(tf.floor((points + 1.0) * 4.0), tf.int32), 0, 7)
        ids = tf.reshape((cell[..., 0] * 8 + cell[..., 1]) * 8 + cell[..., 2], [-1])
        rows = tf.reshape(features, [-1, features.shape[-1]])
        total = tf.math.unsorted_segment_sum(rows, ids, 512)
        count = tf.math.unsorted_segment_sum(tf.ones_like(rows[:, :1]), ids, 512)
        return total / count  # HAZARD divide-by-zero


class SoundCells(layers.Layer):
    def call(self, points, features):
        cell = tf.clip_by_value(tf.cast(tf.floor((points + 1.0) * 4.0), tf.int32), 0, 7)
        ids = tf.reshape((cell[..., 0] * 8 + cell[..., 1]) * 8 + cell[..., 2], [-1])
        rows = tf.reshape(features, [-1, features.shape[-1]])
        total = tf.math.unsorted_segment_sum(rows, ids, 512)
        count = tf.math.unsorted_segment_sum(tf.ones_like(rows[:, :1]), ids, 512)
        return total / tf.maximum(count, 1.0)


class Mixing(layers.Layer):
    def build(self, input_shape):
        channels = input_shape[-1]
        self.w = self.add_weight(name="w", shape=(channels, channels), initializer="random_normal")

    def call(self, x):
        pixels = tf.cast(tf.shape(x)[1] * tf.shape(x)[2], tf.float32)
        log_det = tf.math.log(tf.abs(tf.linalg.det(tf.convert_to_tensor(self.w))))  # HAZARD log-det
        return tf.nn.conv2d(x, self.w[None, None], strides=1, padding="SAME"), pixels * log_det
