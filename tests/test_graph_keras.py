"""Keras layers and models, traced forward and in training, go through the graph pass without a crash."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest

from tfnanlint.graph import lint_concrete, trace
from tfnanlint.graph.lower import lower


def _layers() -> Any:
    import keras

    return keras.layers


def _sequential(shape: tuple[int, ...], make: Callable[[Any], list[Any]]) -> Callable[[], Any]:
    @cache
    def build() -> Any:
        import keras

        return keras.Sequential([keras.Input(shape), *make(_layers())])

    return build


@cache
def _transformer() -> Any:
    import keras

    layers = _layers()
    x = keras.Input((8, 16))
    attended = layers.LayerNormalization()(x + layers.MultiHeadAttention(2, 8)(x, x))
    hidden = layers.Dropout(0.1)(layers.Dense(16)(layers.Dense(32, activation="gelu")(attended)))
    return keras.Model(x, layers.LayerNormalization()(attended + hidden))


@cache
def _autoencoder() -> Any:
    import keras
    import tensorflow as tf

    class Sampling(keras.layers.Layer):
        def call(self, inputs: Any) -> Any:
            mean, logvar = inputs
            return mean + tf.exp(0.5 * logvar) * tf.random.normal(tf.shape(mean))

    layers = _layers()
    x = keras.Input((6,))
    hidden = layers.Dense(8, activation="relu")(x)
    code = Sampling()([layers.Dense(2)(hidden), layers.Dense(2)(hidden)])
    return keras.Model(x, layers.Dense(6, activation="sigmoid")(code))


@cache
def _mobile() -> Any:
    import keras

    return keras.applications.MobileNetV2(weights=None, input_shape=(32, 32, 3), classes=5, alpha=0.35)


MODELS: dict[str, tuple[Callable[[], Any], set[str]]] = {
    "dense": (
        _sequential((5,), lambda k: [k.Dense(4, activation="relu"), k.Dense(3, activation="softmax")]),
        {"layer", "relu", "softmax"},
    ),
    "convolutions": (
        _sequential(
            (8, 8, 3),
            lambda k: [k.Conv2D(4, 3, activation="elu"), k.BatchNormalization(), k.MaxPooling2D(), k.Flatten()],
        ),
        {"layer", "elu"},
    ),
    "separable": (
        _sequential(
            (8, 8, 4), lambda k: [k.SeparableConv2D(4, 3), k.DepthwiseConv2D(3), k.PReLU(), k.GroupNormalization(2)]
        ),
        {"layer"},
    ),
    "one dimension": (
        _sequential((6, 3), lambda k: [k.Conv1D(4, 3), k.LeakyReLU(), k.GlobalAveragePooling1D(), k.Softmax()]),
        {"layer", "leaky_relu", "softmax"},
    ),
    "transposed": (
        _sequential((4, 4, 3), lambda k: [k.Conv2DTranspose(2, 3, strides=2), k.UpSampling2D(), k.ZeroPadding2D()]),
        {"layer"},
    ),
    "lstm": (_sequential((6, 3), lambda k: [k.LSTM(4, return_sequences=True), k.GRU(3), k.Dense(1)]), {"layer"}),
    "simple recurrence": (_sequential((6, 3), lambda k: [k.SimpleRNN(4)]), {"layer"}),
    "bidirectional": (_sequential((6, 3), lambda k: [k.Bidirectional(k.LSTM(4)), k.Dense(1)]), {"layer"}),
    "distributed": (_sequential((6, 3), lambda k: [k.TimeDistributed(k.Dense(3)), k.GlobalMaxPooling1D()]), {"layer"}),
    "normalised": (_sequential((6,), lambda k: [k.LayerNormalization(), k.UnitNormalization(), k.Dense(2)]), {"layer"}),
    "noise": (_sequential((6,), lambda k: [k.GaussianNoise(0.1), k.Dropout(0.5), k.Dense(2, "tanh")]), {"tanh"}),
    "transformer": (_transformer, {"layer", "add"}),
    "variational autoencoder": (_autoencoder, {"layer", "relu", "exp", "sigmoid"}),
    "mobilenet": (_mobile, {"layer", "softmax"}),
}


@pytest.mark.parametrize(("build", "ops"), MODELS.values(), ids=MODELS)
def test_a_model_is_seen_as_its_layers_and_gives_no_finding(build: Callable[[], Any], ops: set[str]) -> None:
    import tensorflow as tf

    model = build()
    concrete = trace(model, tf.TensorSpec((2, *model.input_shape[1:])))
    lowered = lower(concrete)
    assert ops <= {node.op for node in lowered.flow}
    assert lint_concrete(concrete) == []
    assert all(node.origin is not None and node.origin.name for node in lowered.flow)


@pytest.mark.parametrize("build", [build for build, _ in MODELS.values()], ids=MODELS)
def test_a_training_step_is_differentiated_through_the_model_and_gives_no_finding(build: Callable[[], Any]) -> None:
    import tensorflow as tf

    from tfnanlint.facts import Facts

    model = build()

    def step(x: Any, y: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(model(x, training=True) - y))
        return loss, tape.gradient(loss, model.trainable_variables)

    shapes = (2, *model.input_shape[1:]), (2, *model.output_shape[1:])
    concrete = trace(step, *(tf.TensorSpec(shape) for shape in shapes))
    lowered = lower(concrete)
    facts = Facts(lowered.flow, lowered.assumptions)
    assert lowered.differentiates
    assert any(facts.differentiated(node) for node in lowered.flow if node.op == "layer")
    assert lint_concrete(concrete) == []


def test_a_layer_is_one_node_of_its_kind_made_of_its_input() -> None:
    import keras
    import tensorflow as tf

    layers = [keras.layers.Dense(3, activation="relu"), keras.layers.LayerNormalization(), keras.layers.Dense(2)]
    model = keras.Sequential(layers)
    flow = lower(trace(model, tf.TensorSpec((2, 5)))).flow
    found = [node for node in flow if node.op == "layer"]
    assert [node.attrs["kind"] for node in found] == ["Dense", "LayerNormalization", "Dense"]
    assert [[o.op for o in node.operands] for node in found] == [["input"], ["relu"], ["layer"]]


def test_what_users_put_into_layers_is_seen_beside_the_layer() -> None:
    import keras
    import tensorflow as tf

    class Own(keras.layers.Layer):
        def __init__(self) -> None:
            super().__init__()
            self.inner = keras.layers.Dense(4, activation=lambda v: tf.math.log(tf.nn.softmax(v)))

        def call(self, inputs: Any) -> Any:
            return self.inner(inputs)

    (found,) = lint_concrete(trace(Own(), tf.TensorSpec((2, 5))))
    line = inspect.getsourcelines(Own)[1] + 3
    assert (found.path.endswith("test_graph_keras.py"), found.line, found.node.endswith("/Log")) == (True, line, True)
