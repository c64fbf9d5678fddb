"""Models of a GAN: a loss counts where the program trains the model that is compiled with it."""

from tensorflow import keras
from tensorflow.keras import layers


def images():
    return keras.Sequential([keras.Input((4,)), layers.Dense(8, activation="relu"), layers.Dense(1, activation="tanh")])


def scores():
    return keras.Sequential([keras.Input((1,)), layers.Dense(8, activation="relu"), layers.Dense(1)])


class Adversaries:
    def __init__(self):
        self.judge = scores()
        self.judge.compile("adam", "binary_crossentropy")  # HAZARD logits-as-probabilities
        self.generator = images()
        self.generator.compile("adam", "binary_crossentropy")  # it is trained in `combined` only
        noise = keras.Input((4,))
        self.combined = keras.Model(noise, self.judge(self.generator(noise)))
        self.combined.compile("adam", keras.losses.BinaryCrossentropy(from_logits=True))

    def train(self, real, noise, ones):
        self.judge.train_on_batch(real, ones)
        self.combined.train_on_batch(noise, ones)


class Others:
    def __init__(self):
        self.drawing = images()
        self.drawing.compile("adam", "binary_crossentropy")  # HAZARD logits-as-probabilities

    def train(self, noise, real):
        self.drawing.fit(noise, real)
