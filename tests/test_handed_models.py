"""Models that one file builds and another compiles or trains: the hazard is found where it is written."""

from __future__ import annotations

from pathlib import Path

import pytest

from tfnanlint import lint_paths, lint_source

MODELS = """\
import tensorflow as tf
from tensorflow.keras import layers


def build(n=3):
    inputs = tf.keras.Input((4,))
    h = layers.Dense(8, activation="relu", name="hidden")(inputs)
    return tf.keras.Model(inputs, layers.Dense(n, activation="softmax", name="shares")(h))


def stack():
    return tf.keras.Sequential([layers.Dense(8, activation="relu"), layers.Dense(3, activation="softmax")])


class Net(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.head = layers.Dense(3, activation="softmax")

    def call(self, x):
        return self.head(x)
"""
LOSSES = """\
import tensorflow as tf


def negative_log(y, p):
    return -tf.reduce_sum(y * tf.math.log(p), -1)
"""
STEPS = """\
import tensorflow as tf

from losses import negative_log


def step(model, x, y):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(negative_log(y, model(x, training=True)))
    return tape.gradient(loss, model.trainable_variables)


class Trainer:
    def __init__(self, model):
        self.model = model

    def step(self, x, y):
        return step(self.model, x, y)

    def run(self, data):
        for x, y in data:
            self.step(x, y)


def compiled(model):
    model.compile("adam", loss=negative_log)
    return model
"""
MAINS = {
    "compiled where it is used": """\
from losses import negative_log
from models import build

model = build()
model.compile("adam", loss=negative_log)
""",
    "compiled in a third file": """\
from models import stack
from steps import compiled

compiled(stack()).fit([[1.0, 2.0]], [0])
""",
    "compiled as an object": """\
import models
import steps


def main():
    net = models.Net()
    steps.compiled(net)
""",
    "trained step by step": """\
from models import Net
from steps import step


def main(data):
    net = Net()
    for x, y in data:
        step(net, x, y)
""",
    "trained by an object": """\
import models
from steps import Trainer


def main(data):
    Trainer(models.build(5)).run(data)
""",
    "taken apart": """\
from tensorflow import keras

from models import build
from steps import step


def main(x, y):
    model = build()
    step(keras.Model(model.input, model.get_layer("shares").output), x, y)
""",
}


@pytest.mark.parametrize("main", MAINS.values(), ids=MAINS)
def test_a_model_of_another_file_is_followed_to_its_loss(
    main: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in (("models", MODELS), ("losses", LOSSES), ("steps", STEPS), ("main", main)):
        Path(f"{name}.py").write_text(text)
    found = {(finding.path, finding.line, finding.rule) for finding in lint_paths(["."])}
    assert found == {("losses.py", 5, "log-softmax")}
    Path("losses.py").write_text(LOSSES.replace("log(p)", "log(p + 1e-7)"))
    assert lint_paths(["."]) == []


MODEL = """\
import tensorflow as tf
from tensorflow.keras import layers


class {name}(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.head = layers.Dense(3, activation="{activation}")

    def call(self, x):
        return self.head(x)


def step({net}, x, y):
    with tf.GradientTape() as tape:
        loss = -tf.reduce_mean(y * tf.math.log({net}(x)))
    return tape.gradient(loss, {net}.trainable_variables)
"""
OTHER = """

class Other(tf.keras.Model):
    def call(self, x):
        return x
"""


@pytest.mark.parametrize(
    ("text", "rules"),
    [
        (MODEL.format(name="Classifier", net="net", activation="softmax"), {"log-softmax"}),
        (MODEL.format(name="Classifier", net="net", activation="sigmoid"), {"log-sigmoid"}),
        (MODEL.format(name="Classifier", net="net", activation="exponential"), {"exp-overflow", "log-reaches-zero"}),
        (MODEL.format(name="Policy", net="policy", activation="softmax") + OTHER, {"log-softmax"}),
        (MODEL.format(name="Classifier", net="classifier", activation="softmax") + OTHER, {"log-softmax"}),
        (MODEL.format(name="Critic", net="policy", activation="softmax"), set()),
        (MODEL.format(name="Classifier", net="net", activation="softmax") + OTHER, set()),
    ],
)
def test_a_parameter_for_a_network_is_the_only_model_of_the_module(text: str, rules: set[str]) -> None:
    assert {one.rule for one in lint_source(text, "steps.py")} == rules


def test_a_parameter_for_a_loss_is_the_only_class_of_a_loss_in_the_module() -> None:
    text = """\
import tensorflow as tf


class Distance:
    def __init__(self, squared=False):
        self.squared = squared

    def __call__(self, labels, outputs):
        distance = tf.reduce_sum(tf.square(outputs - labels), -1)
        return tf.reduce_mean(distance if self.squared else tf.sqrt(distance))


def step(net, loss_fn, x, labels):
    with tf.GradientTape() as tape:
        loss = loss_fn(labels, net(x))
    return tape.gradient(loss, net.trainable_variables)
"""
    assert [(one.rule, one.line) for one in lint_source(text, "steps.py")] == [("sqrt-at-zero", 10)]
