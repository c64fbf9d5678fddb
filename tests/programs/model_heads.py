"""Keras models: heads in lists and comprehensions, layers in loops, several outputs, `train_step`, `add_loss`."""

import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import layers


class PassOn(layers.Layer):
    def call(self, x):
        return x * 1.0


def plain(y_true, y_pred):
    return -tf.reduce_sum(y_true * tf.math.log(y_pred))  # HAZARD log-reaches-zero


def floored(y_true, y_pred):
    return -tf.reduce_sum(y_true * tf.math.log(y_pred + 1e-6))


def behind_reshapes():
    inputs = keras.Input((4, 4))
    h = layers.Flatten()(inputs)
    h = layers.Dense(6, activation="softmax")(h)
    h = layers.Reshape((2, 3))(h)
    model = keras.Model(inputs, h)
    model.compile("adam", loss=plain)
    other = keras.Model(inputs, h)
    other.compile("adam", loss=floored)


def second(y_true, y_pred):
    return -tf.reduce_sum(y_true * tf.math.log(y_pred))  # HAZARD log-reaches-zero


def behind_an_own_layer():
    model = keras.Sequential([layers.Dense(3, activation="softmax"), PassOn()])
    model.compile("adam", loss=second)


def third(y_true, y_pred):
    return -tf.reduce_sum(y_true * tf.math.log(y_pred))  # HAZARD log-reaches-zero


def by_concatenation():
    inputs = keras.Input((4,))
    heads = [layers.Dense(3, activation="softmax")(inputs) for _ in range(2)]
    model = keras.Model(inputs, layers.Concatenate()(heads))
    model.compile("adam", loss=third)


def named(y_true, y_pred):
    return -tf.reduce_sum(y_true * tf.math.log(y_pred))  # HAZARD log-softmax


def squared(y_true, y_pred):
    return tf.reduce_sum(tf.square(y_true - y_pred))


def by_names():
    inputs = keras.Input((4,))
    h = layers.Dense(3, activation="softmax", name="p")(inputs)
    v = layers.Dense(1, name="v")(inputs)
    model = keras.Model(inputs, [v, h])
    model.compile("adam", loss={"p": named, "v": squared})


def of_a_table(y_true, y_pred):
    return -tf.reduce_sum(y_true * tf.math.log(y_pred))  # HAZARD log-softmax


def by_a_table_of_outputs():
    inputs = keras.Input((4,))
    h = layers.Dense(3, activation="softmax")(inputs)
    v = layers.Dense(1)(inputs)
    model = keras.Model(inputs=inputs, outputs={"value": v, "share": h})
    model.compile("adam", loss={"share": of_a_table, "value": squared})


def in_a_loop(y_true, y_pred):
    return -tf.reduce_sum(y_true * tf.math.log(y_pred))  # HAZARD log-softmax


def by_a_loop(depth=3):
    inputs = keras.Input((4,))
    h = inputs
    for _ in range(depth):
        h = layers.Dense(8, activation="relu")(h)
        h = layers.BatchNormalization()(h)
    model = keras.Model(inputs, layers.Dense(3, activation="softmax")(h))
    model.compile("adam", loss=in_a_loop)


class Stacked(keras.Model):
    def __init__(self, depth=2):
        super().__init__()
        self.blocks = [layers.Dense(8, activation="relu") for _ in range(depth)]
        self.blocks.append(layers.Dense(3, activation="softmax"))

    def call(self, x):
        for block in self.blocks:
            x = block(x)
        return tf.math.log(x), tf.math.log(x + 1e-6)  # HAZARD log-softmax


class Heads(keras.Model):
    def __init__(self):
        super().__init__()
        self.heads = {name: layers.Dense(3, activation="softmax") for name in ("a", "b")}

    def call(self, x):
        shares = {name: head(x) for name, head in self.heads.items()}
        return tf.math.log(shares["a"]), tf.math.log(shares["b"] + 1e-6)  # HAZARD log-softmax


class Named(keras.Model):
    def __init__(self):
        super().__init__()
        for number in range(2):
            setattr(self, f"head_{number}", layers.Dense(3, activation="softmax"))

    def call(self, x):
        h = getattr(self, "head_0")(x)
        return tf.math.log(h), tf.math.log(h + 1e-6)  # HAZARD log-softmax


class Trained(keras.Model):
    def __init__(self):
        super().__init__()
        self.head = layers.Dense(3, activation="softmax")

    def call(self, x):
        return self.head(x)

    def train_step(self, data):
        x, y = data
        with tf.GradientTape() as tape:
            h = self(x, training=True)
            loss = -tf.reduce_sum(y * tf.math.log(h))  # HAZARD log-softmax
            loss += -tf.reduce_sum(y * tf.math.log(h + 1e-6))
        return tape.gradient(loss, self.trainable_variables)


class Wrapped(keras.Model):
    def __init__(self, net):
        super().__init__()
        self.net = net

    def train_step(self, data):
        x, y = data
        h = self.net(x)
        return {"a": tf.math.log(h), "b": tf.math.log(h + 1e-6)}  # HAZARD log-reaches-zero


def wrap():
    return Wrapped(keras.Sequential([layers.Dense(3), layers.Softmax()]))


def subclass_loss(y_true, y_pred):
    return -tf.reduce_sum(y_true * tf.math.log(y_pred))  # HAZARD log-softmax


def compiled_elsewhere():
    model = Trained()
    model.compile("adam", subclass_loss)


def added_loss():
    inputs = keras.Input((4,))
    h = layers.Dense(3, activation="softmax")(inputs)
    model = keras.Model(inputs, h)
    model.add_loss(tf.reduce_sum(h * tf.math.log(h)))  # HAZARD log-times-argument
    model.add_loss(tf.reduce_sum(h * tf.math.log(h + 1e-6)))
    return model


def rectified_logits():
    model = keras.Sequential([layers.Dense(3, activation="relu")])
    model.compile("adam", loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True))  # HAZARD softmax-of-relu
    other = keras.Sequential([layers.Dense(3)])
    other.compile("adam", loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True))


def rectified_after():
    model = keras.Sequential()
    model.add(layers.Dense(3))
    model.add(layers.ReLU())
    model.compile("adam", loss=keras.losses.CategoricalCrossentropy(from_logits=True))  # HAZARD softmax-of-relu


def rectified_functional():
    inputs = keras.Input((4,))
    model = keras.Model(inputs, layers.Dense(3, activation="relu")(inputs))
    model.compile(optimizer="adam", loss=tf.keras.losses.BinaryCrossentropy(from_logits=True))  # HAZARD softmax-of-relu


def cloned(y_true, y_pred):
    return -tf.reduce_sum(y_true * tf.math.log(y_pred))  # HAZARD log-softmax


def by_a_base():
    base = keras.applications.MobileNetV2(include_top=False)
    model = keras.Sequential([base, layers.GlobalAveragePooling2D(), layers.Dense(3, activation="softmax")])
    model.compile("adam", loss=cloned)


def distributed(y_true, y_pred):
    return -tf.reduce_sum(y_true * tf.math.log(y_pred))  # HAZARD log-softmax


def by_time():
    inputs = keras.Input((4, 4))
    h = layers.Bidirectional(layers.LSTM(8, return_sequences=True))(inputs)
    h = layers.TimeDistributed(layers.Dense(3, activation="softmax"))(h)
    model = keras.Model(inputs, h)
    model.compile("adam", loss=distributed)
