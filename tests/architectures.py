"""Models as people build them, each traced forward and through a training step: the graph pass has to be quiet on them.

Every family of `keras.applications` in its smallest variant with random weights, and small models of the common kinds.
Calling a model's builder gives (model, input shape, label: a number of classes, or "same" for a reconstruction).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Built = tuple[Any, Any]
"""A model, and what it is trained on: a number of classes, "binary", or "values"."""

CLASSES = 5


def _application(name: str, size: int = 32, **options: Any) -> Callable[[], Built]:
    def build() -> Built:
        import keras

        make = getattr(keras.applications, name)
        return make(weights=None, input_shape=(size, size, 3), classes=CLASSES, **options), CLASSES

    return build


def multilayer_perceptron() -> Built:
    import keras

    k = keras.layers
    layers = [k.Dense(32, "relu"), k.BatchNormalization(), k.Dropout(0.3), k.Dense(16, "gelu"), k.Dense(1, "sigmoid")]
    return keras.Sequential([keras.Input((20,)), k.Normalization(), *layers]), "binary"


def convolutional_classifier() -> Built:
    import keras

    k = keras.layers
    layers = [k.Rescaling(1 / 255), k.Conv2D(8, 3, activation="relu"), k.MaxPooling2D(), k.Conv2D(16, 3), k.ELU()]
    top = [k.GlobalAveragePooling2D(), k.Dense(CLASSES, activation="softmax")]
    return keras.Sequential([keras.Input((28, 28, 1)), *layers, *top]), CLASSES


def recurrent_classifier() -> Built:
    import keras

    k = keras.layers
    layers = [k.Embedding(100, 8, mask_zero=True), k.LSTM(8, return_sequences=True), k.GRU(8), k.Dense(1, "sigmoid")]
    return keras.Sequential([keras.Input((12,), dtype="int32"), *layers]), "binary"


def bidirectional_tagger() -> Built:
    import keras

    k = keras.layers
    x = keras.Input((10, 6))
    hidden = k.Bidirectional(k.LSTM(8, return_sequences=True, dropout=0.1))(x)
    return keras.Model(x, k.TimeDistributed(k.Dense(3, "tanh"))(hidden)), "values"


def convolutional_lstm() -> Built:
    import keras

    k = keras.layers
    layers = [k.ConvLSTM2D(4, 3, padding="same"), k.LayerNormalization(), k.Conv2D(1, 1, activation="sigmoid")]
    return keras.Sequential([keras.Input((4, 8, 8, 1)), *layers]), "values"


def text_transformer() -> Built:
    import keras

    k = keras.layers
    tokens = keras.Input((16,), dtype="int32")
    positions = k.Embedding(16, 16)(keras.ops.arange(16)[None])
    x = k.Embedding(100, 16)(tokens) + positions
    for _ in range(2):
        x = k.LayerNormalization()(x + k.MultiHeadAttention(2, 8, dropout=0.1)(x, x, use_causal_mask=True))
        x = k.LayerNormalization()(x + k.Dense(16)(k.Dense(32, "gelu")(x)))
    return keras.Model(tokens, k.Dense(CLASSES, "softmax")(k.GlobalMaxPooling1D()(x))), CLASSES


def vision_transformer() -> Built:
    import keras

    k = keras.layers
    image = keras.Input((16, 16, 3))
    x = k.Reshape((16, 16))(k.Conv2D(16, 4, strides=4)(image))
    for _ in range(2):
        normal = k.LayerNormalization(epsilon=1e-6)(x)
        x = k.Add()([x, k.MultiHeadAttention(2, 8)(normal, normal)])
        x = k.Add()([x, k.Dense(16)(k.Dense(32, "gelu")(k.LayerNormalization(epsilon=1e-6)(x)))])
    return keras.Model(image, k.Dense(CLASSES)(k.GlobalAveragePooling1D()(x))), "logits"


def attention_translator() -> Built:
    import keras

    k = keras.layers
    source, target = keras.Input((7, 8)), keras.Input((5, 8))
    keys = k.GRU(8, return_sequences=True)(source)
    queries = k.GRU(8, return_sequences=True)(target)
    context = k.Attention(use_scale=True)([queries, keys]) + k.AdditiveAttention()([queries, keys])
    return keras.Model([source, target], k.Dense(8, "softplus")(context)), "values"


def u_net() -> Built:
    import keras

    k = keras.layers
    x = image = keras.Input((16, 16, 3))
    held = []
    for width in (4, 8):
        x = k.BatchNormalization()(k.Conv2D(width, 3, padding="same", activation="relu")(x))
        held.append(x)
        x = k.MaxPooling2D()(x)
    x = k.Conv2D(16, 3, padding="same", activation="relu")(x)
    for width, skip in zip((8, 4), reversed(held), strict=True):
        x = k.Concatenate()([k.Conv2DTranspose(width, 2, strides=2)(x), skip])
        x = k.Conv2D(width, 3, padding="same", activation="relu")(x)
    return keras.Model(image, k.Conv2D(1, 1, activation="sigmoid")(x)), "binary values"


def variational_autoencoder() -> Built:
    import keras
    import tensorflow as tf

    class Sampling(keras.layers.Layer):
        def call(self, inputs: Any) -> Any:
            mean, logvar = inputs
            divergence = -0.5 * tf.reduce_mean(1.0 + logvar - tf.square(mean) - tf.exp(logvar))
            self.add_loss(tf.cast(divergence, "float32"))
            return mean + tf.exp(0.5 * logvar) * tf.random.normal(tf.shape(mean), dtype=mean.dtype)

    k = keras.layers
    x = keras.Input((20,))
    hidden = k.Dense(16, "relu")(x)
    code = Sampling()([k.Dense(2)(hidden), k.Dense(2)(hidden)])
    return keras.Model(x, k.Dense(20, "sigmoid")(k.Dense(16, "relu")(code))), "binary values"


def adversarial_pair() -> Built:
    import keras
    import tensorflow as tf

    k = keras.layers
    generator = keras.Sequential(
        [keras.Input((8,)), k.Dense(64), k.Reshape((4, 4, 4)), k.Conv2DTranspose(4, 4, strides=2), k.LeakyReLU(),
         k.Conv2D(1, 3, activation="tanh")]
    )  # fmt: skip
    critic = keras.Sequential(
        [keras.Input((8, 8, 1)), k.Conv2D(4, 3, strides=2), k.LeakyReLU(0.2), k.Dropout(0.3), k.Flatten(), k.Dense(1)]
    )

    class Adversarial(keras.Model):
        def __init__(self) -> None:
            super().__init__()
            self.generator, self.critic = generator, critic

        def call(self, noise: Any, training: bool | None = None) -> Any:
            made = self.generator(noise, training=training)
            real = self.critic(tf.random.uniform(tf.shape(made), dtype=made.dtype), training=training)
            fake = self.critic(made, training=training)
            loss = keras.losses.BinaryCrossentropy(from_logits=True)
            self.add_loss(tf.cast(loss(tf.ones_like(real), real) + loss(tf.zeros_like(fake), fake), "float32"))
            return fake

    model = Adversarial()
    model.build((None, 8))
    return model, "values"


def wide_and_deep() -> Built:
    import keras

    k = keras.layers
    x, kind = keras.Input((8,)), keras.Input((1,), dtype="int32")
    deep = k.Dense(16, "selu")(k.Concatenate()([x, k.Flatten()(k.Embedding(10, 4)(kind))]))
    crossed = k.Dot(1, normalize=True)([k.Dense(4)(x), k.Dense(4)(deep)])
    return keras.Model([x, kind], k.Add()([k.Dense(1)(x), k.Dense(1)(deep), crossed])), "values"


def graph_convolution() -> Built:
    import keras

    k = keras.layers
    features, adjacency = keras.Input((6, 4)), keras.Input((6, 6))
    hidden = k.Dense(8, "relu")(keras.ops.matmul(adjacency, features))
    scores = keras.ops.softmax(k.Dense(6)(keras.ops.matmul(adjacency, hidden)), axis=-1)
    return keras.Model([features, adjacency], k.GlobalAveragePooling1D()(keras.ops.matmul(scores, hidden))), "values"


def temporal_convolution() -> Built:
    import keras

    k = keras.layers
    x = series = keras.Input((24, 3))
    for rate in (1, 2, 4):
        x = k.Add()([k.Conv1D(8, 1)(x), k.Conv1D(8, 3, padding="causal", dilation_rate=rate, activation="swish")(x)])
        x = k.SpatialDropout1D(0.1)(k.GroupNormalization(2)(x))
    return keras.Model(series, k.Dense(1)(k.GlobalAveragePooling1D()(x))), "values"


SMALL: dict[str, Callable[[], Built]] = {
    builder.__name__: builder
    for builder in (
        multilayer_perceptron, convolutional_classifier, recurrent_classifier, bidirectional_tagger,
        convolutional_lstm, text_transformer, vision_transformer, attention_translator, u_net,
        variational_autoencoder, adversarial_pair, wide_and_deep, graph_convolution, temporal_convolution,
    )
}  # fmt: skip

APPLICATIONS: dict[str, Callable[[], Built]] = {
    "ConvNeXtTiny": _application("ConvNeXtTiny"),
    "DenseNet121": _application("DenseNet121"),
    "EfficientNetB0": _application("EfficientNetB0"),
    "EfficientNetV2B0": _application("EfficientNetV2B0"),
    "InceptionResNetV2": _application("InceptionResNetV2", 75),
    "InceptionV3": _application("InceptionV3", 75),
    "MobileNet": _application("MobileNet", alpha=0.25),
    "MobileNetV2": _application("MobileNetV2", alpha=0.35),
    "MobileNetV3Small": _application("MobileNetV3Small"),
    "NASNetMobile": _application("NASNetMobile"),
    "ResNet50": _application("ResNet50"),
    "ResNet50V2": _application("ResNet50V2"),
    "VGG16": _application("VGG16"),
    "VGG19": _application("VGG19"),
    "Xception": _application("Xception", 71),
}

LOSSES: dict[Any, str | None] = {
    CLASSES: "sparse_categorical_crossentropy",
    "binary": "binary_crossentropy",
    "binary values": "binary_crossentropy",
    "values": "mse",
}


def built(build: Callable[[], Built], mixed: bool = False) -> tuple[Any, Any]:
    """A model, compiled for training, and its labels' kind; with `mixed`, in float16 with float32 variables."""
    import keras

    keras.utils.clear_session()
    keras.config.set_dtype_policy("mixed_float16" if mixed else "float32")
    try:
        model, kind = build()
    finally:
        keras.config.set_dtype_policy("float32")
    if kind == "logits":
        loss: Any = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    else:
        loss = LOSSES[kind]
    model.compile(
        optimizer=keras.optimizers.Adam(1e-3, clipnorm=1.0),
        loss=loss,
        metrics=["accuracy" if kind in (CLASSES, "logits") else "mae"],
    )
    return model, kind


def traces(model: Any, kind: Any, batch: int = 2) -> dict[str, Callable[[], Any]]:
    """What traces a model: its forward pass, and one step of its training."""
    import keras
    import tensorflow as tf

    inputs = getattr(model, "inputs", None) or [keras.Input((8,))]
    given = [tf.TensorSpec((batch, *tensor.shape[1:]), tensor.dtype) for tensor in inputs]
    x = given if len(given) > 1 else given[0]
    classes = kind == CLASSES or kind == "logits"
    y = tf.TensorSpec((batch,), tf.int32)
    if not classes:
        example = tf.nest.map_structure(lambda s: tf.zeros(s.shape, s.dtype), x)
        y = tf.TensorSpec(model(example).shape, tf.float32)

    def forward() -> Any:
        return tf.function(lambda x: model(x, training=False), autograph=False).get_concrete_function(x)

    def training() -> Any:
        labels = tf.zeros(y.shape, y.dtype)
        example = tf.nest.map_structure(lambda s: tf.zeros(s.shape, s.dtype), x)
        model._symbolic_build(data_batch=(example, labels))
        model.optimizer.build(model.trainable_variables)
        return tf.function(lambda x, y: model.train_step((x, y)), autograph=False).get_concrete_function(x, y)

    return {"forward": forward, "training": training}
