"""Models as Keras 1 took them: `Model(input=..., output=...)`."""

import keras.backend as K
from keras import activations
from keras.engine import Layer
from keras.layers import Dense, Input
from keras.models import Model


class Mixing(Layer):
    def __init__(self, units, activation="linear", **kwargs):
        self.activation = activations.get(activation)
        self.units = units
        super().__init__(**kwargs)

    def build(self, input_shape):
        self.kernel = self.add_weight((3, self.units), name="kernel")

    def call(self, inputs, mask=None):
        return self.activation(K.dot(inputs[0], self.kernel))


def classifier():
    x, others = Input(shape=(3,)), Input(shape=(3,))
    hidden = Mixing(3, activation="relu")([x, others])
    model = Model(input=[x, others], output=Mixing(4, activation="softmax")([hidden, others]))
    model.compile(loss="categorical_crossentropy", optimizer="adam")
    return model


def without_activation():
    x = Input(shape=(3,))
    model = Model(input=x, output=Dense(4)(x))
    model.compile(loss="categorical_crossentropy", optimizer="adam")  # HAZARD logits-as-probabilities
    return model


def own_loss(y_true, y_pred):
    return -K.sum(y_true * K.log(y_pred), axis=-1)  # HAZARD log-softmax


def with_own_loss():
    x = Input(shape=(3,))
    model = Model(input=x, output=Dense(4, activation="softmax")(x))
    model.compile(loss=own_loss, optimizer="adam")
    return model
