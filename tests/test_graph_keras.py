"""Keras models and layers, traced forward and in training: seen as their layers, and quiet where nothing is wrong."""

from __future__ import annotations

import inspect
from typing import Any

import pytest
from architectures import APPLICATIONS, SMALL, built, traces

from tfnanlint.facts import Facts
from tfnanlint.graph import lint_concrete, trace
from tfnanlint.graph.lower import lower

QUICK = (
    "multilayer_perceptron", "convolutional_classifier", "recurrent_classifier", "text_transformer", "u_net",
    "variational_autoencoder", "adversarial_pair", "wide_and_deep",
)  # fmt: skip
"""Those of the models that are quick to trace; `benchmarks/graphs.py models` goes through all of them."""
MIXED = ("multilayer_perceptron", "variational_autoencoder")


@pytest.mark.parametrize("name", QUICK)
def test_a_model_is_seen_as_its_layers_and_gives_no_finding_forward_or_in_training(name: str) -> None:
    made = traces(*built(SMALL[name]))
    forward, training = made["forward"](), made["training"]()
    flow = lower(forward).flow
    assert "layer" in {node.op for node in flow}
    assert all(node.origin is not None and node.origin.name for node in flow)
    lowered = lower(training)
    facts = Facts(lowered.flow, lowered.assumptions)
    assert lowered.differentiates
    assert any(facts.differentiated(node) for node in lowered.flow if node.op == "layer")
    assert [lint_concrete(forward), lint_concrete(training)] == [[], []]


@pytest.mark.parametrize("name", MIXED)
def test_a_model_in_mixed_precision_gives_no_finding_in_training(name: str) -> None:
    training = traces(*built(SMALL[name], mixed=True))["training"]()
    lowered = lower(training)
    assert {"is_finite", "sqrt"} <= {node.op for node in lowered.flow}  # the scaled loss, and Adam behind its condition
    assert lint_concrete(training) == []


def test_an_application_gives_no_finding() -> None:
    assert lint_concrete(traces(*built(APPLICATIONS["MobileNetV3Small"]))["forward"]()) == []


def test_a_layer_is_one_node_of_its_kind_made_of_its_input() -> None:
    import keras
    import tensorflow as tf

    layers = [keras.layers.Dense(3, activation="relu"), keras.layers.LayerNormalization(), keras.layers.Dense(2)]
    model = keras.Sequential(layers)
    flow = lower(trace(model, tf.TensorSpec((2, 5)))).flow
    found = [node for node in flow if node.op == "layer"]
    assert [node.attrs["kind"] for node in found] == ["Dense", "LayerNormalization", "Dense"]
    assert [[o.op for o in node.operands] for node in found] == [["input"], ["relu"], ["layer"]]


@pytest.mark.parametrize("generation", ["keras", "tf_keras"])
@pytest.mark.parametrize("name", ["softmax", "sigmoid", "softplus"])
def test_the_activation_of_a_layer_stands_behind_it(generation: str, name: str) -> None:
    import importlib

    import tensorflow as tf

    layers = importlib.import_module(generation).layers
    flow = lower(trace(layers.Dense(3, activation=name), tf.TensorSpec((2, 5)))).flow
    (node,) = (node for node in flow if node.op == name)
    assert [operand.op for operand in node.operands] == ["layer"]


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


def test_a_schedule_is_asked_in_step_0_too() -> None:
    """A count is 0 when it is read first, if the same graph raises it only then."""
    import keras
    import tensorflow as tf

    class Schedule(keras.optimizers.schedules.LearningRateSchedule):
        def __init__(self, of: Any) -> None:
            self.of = of

        def __call__(self, step: Any) -> Any:
            return 1e-3 * self.of(tf.cast(step, tf.float32))

    def rules(schedule: Any) -> list[str]:
        model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(2)])
        model.compile(keras.optimizers.SGD(schedule), "mse")
        return [finding.rule for finding in lint_concrete(traces(model, "regression")["training"]())]

    assert rules(Schedule(tf.math.rsqrt)) == ["divide-by-root"]
    assert rules(Schedule(lambda step: tf.minimum(tf.math.rsqrt(step), step * 1e-6))) == []
    assert rules(keras.optimizers.schedules.PolynomialDecay(0.1, 100, cycle=True)) == []

    count, mean = tf.Variable(0, trainable=False), tf.Variable(0.0)

    def before(x: Any) -> None:
        mean.assign_add((x - mean) / tf.cast(count, tf.float32))
        count.assign_add(1)

    def behind(x: Any) -> None:
        count.assign_add(1)
        mean.assign_add((x - mean) / tf.cast(count, tf.float32))

    assert [finding.rule for finding in lint_concrete(trace(before, tf.TensorSpec(())))] == ["divide-by-zero"]
    assert lint_concrete(trace(behind, tf.TensorSpec(()))) == []
