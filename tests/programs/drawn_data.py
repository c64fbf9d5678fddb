"""Data that the program draws itself is never constant, also where NumPy puts it together."""

import numpy as np
from tensorflow import keras

from elsewhere import given

x_1, x_2 = np.random.uniform(-1.5, 1.5, 1000), np.random.uniform(-3, -1.5, 500)
y_1 = x_1 * np.sin(x_1) + np.random.normal(0.0, 0.3, size=x_1.shape)
y_2 = x_2 * np.sin(x_2) + np.random.normal(0.0, 1.0, size=x_2.shape)
x = np.hstack((x_1, x_2)).ravel()
y = np.hstack((y_1, y_2)).ravel()
inputs = np.hstack((given, x_1)).ravel()


def normalize(data, mean, std):
    return (data - mean) / std


def normalize_inputs(data, mean, std):
    return (data - mean) / std  # HAZARD divide-by-zero


model = keras.Sequential([keras.layers.Dense(1)])
model.compile(loss="mse", optimizer="adam")
model.fit(normalize(x, np.mean(x), np.std(x)), normalize(y, np.mean(y), np.std(y)))
model.fit(normalize_inputs(inputs, np.mean(inputs), np.std(inputs)), y)


class Trials:
    """The recordings of all trials are put together, and each channel is scaled by its deviation over all of them."""

    def __init__(self, recordings, share):
        first, rest = [], []
        for one in recordings:
            count = int(share * len(one))
            first += (one[:count, :100:2, :3],)
            rest += (one[count:, :100:2, :3],)
        self.first, self.rest = self.scaled(first), self.scaled(rest)

    def scaled(self, recordings):
        joined = np.concatenate(recordings, 0)
        return keras.ops.tanh((joined - joined.mean((0, 1))) / (3 * joined.std((0, 1))))
