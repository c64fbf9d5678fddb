"""A blank image is 0 behind convolutions without trained biases, also where a skip connection joins two of them."""

import tensorflow as tf

layers = tf.keras.layers


class Joined(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.first = layers.Conv2D(8, 3, padding="same", activation="relu")
        self.second = layers.Conv2D(8, 3, padding="same", activation="relu")
        self.last = layers.Conv2D(3, 1)

    def call(self, pixels):
        first = self.first(pixels)
        return tf.nn.softmax(self.last(tf.concat([first, self.second(first)], axis=-1)))

    def train_step(self, data):
        pixels, labels = data
        with tf.GradientTape() as tape:
            shares = tf.clip_by_value(self(pixels), 1e-6, 1.0 - 1e-6)
            across, down = shares[:, :-1, 1:] - shares[:, :-1, :-1], shares[:, 1:, :-1] - shares[:, :-1, :-1]
            loss = tf.reduce_mean(tf.sqrt(tf.square(across) + tf.square(down)))  # HAZARD sqrt-at-zero
        gradients = tape.gradient(loss, self.trainable_variables)
        self.optimizer.apply_gradients(zip(gradients, self.trainable_variables))
        return {"loss": loss}


class Floored(Joined):
    """The same with a floor under the root."""

    def train_step(self, data):
        pixels, labels = data
        with tf.GradientTape() as tape:
            shares = tf.clip_by_value(self(pixels), 1e-6, 1.0 - 1e-6)
            across, down = shares[:, :-1, 1:] - shares[:, :-1, :-1], shares[:, 1:, :-1] - shares[:, :-1, :-1]
            loss = tf.reduce_mean(tf.sqrt(tf.square(across) + tf.square(down) + 1e-12))
        gradients = tape.gradient(loss, self.trainable_variables)
        self.optimizer.apply_gradients(zip(gradients, self.trainable_variables))
        return {"loss": loss}
