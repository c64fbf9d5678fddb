"""Models as they are built, given their losses, and handed to what trains them."""

import dataclasses
import functools

import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import layers


def growing():
    model = keras.Sequential()
    for units in (8, 8):
        model.add(layers.Dense(units, activation="relu"))
        model.add(layers.Dropout(0.5))
    model.add(layers.Dense(3))
    model.add(layers.Activation("softmax"))
    return model


def by_growth(x):
    h = growing()(x)
    return tf.math.log(h), tf.math.log(h + 1e-6)  # HAZARD log-softmax


def by_a_list(x):
    parts = [layers.Dense(8) for _ in range(2)]
    parts += [layers.Dense(3, activation=tf.nn.softmax)]
    h = keras.Sequential(parts)(x)
    return tf.math.log(h), tf.math.log(h + 1e-6)  # HAZARD log-softmax


def by_a_starred_list(x, depth=2):
    body = [layers.Dense(8) for _ in range(depth)]
    h = keras.Sequential([layers.InputLayer((4,)), *body, layers.Dense(3, activation="softmax")], name="net")(x)
    return tf.math.log(h), tf.math.log(h + 1e-6)  # HAZARD log-softmax


def by_keyword(x):
    h = keras.Sequential(name="net", layers=[layers.Dense(3, activation="softmax")])(x)
    return tf.math.log(h), tf.math.log(h + 1e-6)  # HAZARD log-softmax


def by_a_backbone(x):
    inputs = keras.Input((8, 8, 3))
    backbone = keras.applications.ResNet50(include_top=False, input_tensor=inputs)
    out = layers.Dense(3, activation="softmax")(layers.GlobalAveragePooling2D()(backbone.output))
    h = keras.Model(inputs=backbone.input, outputs=out)(x)
    return tf.math.log(h), tf.math.log(h + 1e-6)  # HAZARD log-softmax


def by_a_head(x):
    inputs = keras.Input((4,))
    body = keras.Model(inputs, layers.Dense(8)(inputs))
    head = keras.Sequential([layers.Dense(3), layers.Softmax()])
    h = keras.Model(inputs, head(body.output))(x)
    return tf.math.log(h), tf.math.log(h + 1e-6)  # HAZARD log-softmax


def by_a_layer_of_another(x):
    inputs = keras.Input((4,))
    body = keras.Model(inputs, layers.Dense(3, activation="softmax", name="share")(inputs))
    h = keras.Model(body.inputs, body.get_layer("share").output)(x)
    return tf.math.log(h), tf.math.log(h + 1e-6)  # HAZARD log-softmax


def by_the_last_layer(x):
    body = keras.Sequential([layers.Dense(8), layers.Dense(3, activation="softmax")])
    h = body.layers[-1](x)
    return tf.math.log(h), tf.math.log(h + 1e-6)  # HAZARD log-softmax


def block(units, activation="relu"):
    def apply(x):
        x = layers.Dense(units)(x)
        x = layers.BatchNormalization()(x)
        return layers.Activation(activation)(x)

    return apply


def by_blocks(x):
    h = block(3, "softmax")(block(8)(x))
    return tf.math.log(h), tf.math.log(h + 1e-6)  # HAZARD log-softmax


class Block(layers.Layer):
    def __init__(self, units, activation=None, **kwargs):
        super().__init__(**kwargs)
        self.units = units
        self.activation = keras.activations.get(activation)

    def build(self, shape):
        self.kernel = self.add_weight("kernel", (shape[-1], self.units))
        super().build(shape)

    def call(self, inputs, training=None):
        out = tf.matmul(inputs, self.kernel)
        if self.activation is not None:
            out = self.activation(out)
        return out


def by_own_blocks(x):
    h = keras.Sequential([Block(8, "relu"), Block(3, activation="softmax")])(x)
    return tf.math.log(h), tf.math.log(h + 1e-6)  # HAZARD log-softmax


@dataclasses.dataclass
class Config:
    units: int = 3
    activation: str = "softmax"
    out_activation: object = tf.nn.softmax


class Configured(keras.Model):
    def __init__(self, config=None):
        super().__init__()
        config = config or Config()
        self.head = layers.Dense(config.units, activation=config.activation)
        self.other = layers.Dense(config.units)
        self.activate = config.out_activation

    def call(self, x):
        h, g = self.head(x), self.activate(self.other(x))
        return tf.math.log(h), tf.math.log(g), tf.math.log(h + 1e-6)  # HAZARD log-softmax


PARAMS = {"head": {"activation": "softmax", "units": 3}, "loss": "own"}


def by_params(x):
    h = layers.Dense(**PARAMS["head"])(x)
    return tf.math.log(h), tf.math.log(h + 1e-6)  # HAZARD log-softmax


def first(y_true, y_pred, eps=1e-6):
    return -tf.reduce_sum(y_true * tf.math.log(y_pred + eps))  # HAZARD log-reaches-zero


def compile_by_partial():
    model = keras.Sequential([layers.Dense(3, activation="softmax")])
    model.compile("adam", loss=functools.partial(first, eps=0.0))


def second(y_true, y_pred):
    return -tf.reduce_sum(y_true * tf.math.log(y_pred))  # HAZARD log-softmax


def compile_by_lambda():
    model = keras.Sequential([layers.Dense(3, activation="softmax")])
    model.compile("adam", loss=lambda y, z: second(y, z))


def third(y_true, y_pred):
    return -tf.reduce_sum(y_true * tf.math.log(y_pred))  # HAZARD log-softmax


def compile_by_settings():
    settings = {"optimizer": "adam", "loss": third, "metrics": []}
    model = keras.Sequential([layers.Dense(3, activation="softmax")])
    model.compile(**settings)


class Own(keras.losses.Loss):
    def call(self, y_true, y_pred):
        return -tf.reduce_sum(y_true * tf.math.log(y_pred))  # HAZARD log-softmax


def compile_an_object():
    model = keras.Sequential([layers.Dense(3, activation="softmax")])
    model.compile(loss=Own(), optimizer="adam")


def fourth(y_true, y_pred):
    return -tf.reduce_sum(y_true * tf.math.log(y_pred))  # HAZARD log-softmax


def build():
    inputs = keras.Input((4,))
    shared = layers.Dense(8)(inputs)
    outputs = [layers.Dense(3, activation="softmax", name=f"head_{i}")(shared) for i in range(2)]
    return keras.Model(inputs, outputs)


def compile_all():
    model = build()
    model.compile("adam", loss=[fourth, fourth])


def fifth(y_true, y_pred):
    return -tf.reduce_sum(y_true * tf.math.log(y_pred))  # HAZARD log-reaches-zero


def compile_by_comprehension():
    inputs = keras.Input((4,))
    outputs = {name: layers.Dense(3, activation="softmax", name=name)(inputs) for name in ("a", "b")}
    model = keras.Model(inputs, outputs)
    model.compile("adam", loss={name: fifth for name in outputs})


class Trained(keras.Model):
    def __init__(self):
        super().__init__()
        self.head = layers.Dense(3, activation="softmax")

    def call(self, x):
        return self.head(x)

    def train_step(self, data):
        x, y = data
        with tf.GradientTape() as tape:
            y_pred = self(x, training=True)
            loss = self.compiled_loss(y, y_pred)
        gradients = tape.gradient(loss, self.trainable_variables)
        self.optimizer.apply_gradients(zip(gradients, self.trainable_variables))


def sixth(y_true, y_pred):
    return -tf.reduce_sum(y_true * tf.math.log(y_pred))  # HAZARD log-softmax


def train():
    model = Trained()
    model.compile(optimizer="adam", loss=sixth)


class OwnCompute(keras.Model):
    def __init__(self):
        super().__init__()
        self.head = layers.Dense(3, activation="softmax")

    def call(self, x):
        return self.head(x)

    def compute_loss(self, x=None, y=None, y_pred=None, sample_weight=None):
        return -tf.reduce_sum(y * tf.math.log(y_pred)) - tf.reduce_sum(y * tf.math.log(y_pred + 1e-6))  # HAZARD log-reaches-zero


class Regularized(layers.Layer):
    def call(self, x):
        h = tf.nn.softmax(x)
        self.add_loss(tf.reduce_sum(h * tf.math.log(h + 1e-6)))
        self.add_loss(-tf.reduce_sum(tf.math.log(h)))  # HAZARD log-softmax
        return x


def masked(x, mask):
    h = layers.Softmax()(x)
    h = layers.Permute((2, 1))(layers.Dropout(0.1)(h))
    h = layers.Reshape((-1,))(layers.RepeatVector(2)(h))
    return tf.math.log(h), tf.math.log(h + 1e-6)  # HAZARD log-reaches-zero


class OfATable(keras.Model):
    def __init__(self):
        super().__init__()
        self.head = layers.Dense(3)

    def call(self, inputs):
        out = {"logits": self.head(inputs["x"])}
        out["share"] = tf.nn.softmax(out["logits"])
        return out


def by_a_table(x):
    h = OfATable()({"x": x})["share"]
    return tf.math.log(h), tf.math.log(h + 1e-6)  # HAZARD log-softmax


def mapped_layers(x):
    h = layers.TimeDistributed(keras.Sequential([layers.Dense(3), layers.Softmax()]))(x)
    return tf.math.log(h), tf.math.log(h + 1e-6)  # HAZARD log-softmax


def cloned(x):
    h = keras.models.clone_model(growing())(x)
    return tf.math.log(h), tf.math.log(h + 1e-6)  # HAZARD log-softmax
