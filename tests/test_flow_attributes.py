"""What a program says of its inputs, variables and layers stands in the flow, from a sketch and from the tree alike."""

from __future__ import annotations

import ast
from typing import Any

import libcst as cst
import pytest

from tfnanlint.flow import Flow
from tfnanlint.lint import lint_source
from tfnanlint.source import functions
from tfnanlint.source.lower import lower
from tfnanlint.source.source_file import SourceFile

PROGRAM = '''
import tensorflow as tf
from tensorflow.keras import layers


def google(x: tf.Tensor, mode: str = "train", mask: "Mask | None" = None, eps=0.0, sizes: list[int] = (1, 2)):
    """Computes something.

    Args:
      x: what it is computed of,
        row by row
      mask (tensor): 0 for padding
    """
    return tf.math.log(x) * mask


def numpy_style(y_hat):
    """Computes something.

    Parameters
    ----------
    y_hat : array_like
        the predictions
    """
    return tf.sqrt(y_hat)


def sphinx(weight):
    """:param tf.Tensor weight: of each sample"""
    return tf.sqrt(weight)


class Scaled(layers.Layer):
    """A layer.

    Arguments:
      units: how many there are.
    """

    def __init__(self, units):
        self.units = units
        self.inner = layers.Conv2D(filters=8, kernel_size=(3, 1), activation="relu", use_bias=False)

    def build(self, shape):
        kept = tf.keras.constraints.NonNeg()
        self.scale = self.add_weight("scale", shape=(shape[-1], 3), initializer="ones", constraint=kept)

    def call(self, inputs):
        return self.inner(inputs) * self.scale


step = tf.Variable(tf.zeros((3,)), trainable=False, name="step")
gain = tf.Variable(0.5)
bias = tf.get_variable("bias", [8], initializer=tf.zeros_initializer())
images = tf.keras.Input((28, None), name="images")
rows = tf.keras.Input(batch_shape=(16, 4))
chosen = layers.Dense(2, tf.nn.softmax)(rows)
'''


def flow_of(text: str, sketched: bool) -> Flow:
    if sketched:
        return lower(SourceFile.sketched("program.py", text, ast.parse(text)))
    return lower(SourceFile("program.py", text, cst.parse_module(text)))


@pytest.fixture(params=[True, False], ids=["sketch", "tree"])
def told(request: pytest.FixtureRequest) -> dict[tuple[str, Any], dict[str, Any]]:
    """The attributes of nodes, by their op and their name or kind."""
    flow = flow_of(PROGRAM, request.param)
    return {(n.op, n.attrs.get("name", n.attrs.get("kind", n.attrs.get("initializer")))): dict(n.attrs) for n in flow}


@pytest.mark.parametrize(
    ("node", "attributes"),
    [
        (("input", "x"), {"annotation": "tf.Tensor", "doc": "what it is computed of, row by row"}),
        (("input", "mode"), {"annotation": "str", "default": "train"}),
        (("input", "mask"), {"annotation": "Mask | None", "default": None, "doc": "0 for padding"}),
        (("input", "eps"), {"default": 0.0}),
        (("input", "sizes"), {"annotation": "list[int]", "default": (1, 2)}),
        (("input", "y_hat"), {"doc": "array_like the predictions"}),
        (("input", "weight"), {"doc": "of each sample"}),
        (("input", "units"), {"doc": "how many there are."}),
        (("variable", "scale"), {"initializer": "ones", "constraint": "NonNeg", "shape": (None, 3)}),
        (("placeholder", "step"), {"initializer": "zeros", "trainable": False}),
        (("variable", 0.5), {"initializer": 0.5}),
        (("variable", "bias"), {"initializer": "zeros", "shape": (8,)}),
        (("placeholder", "images"), {"shape": (None, 28, None)}),
        (("layer", "Conv2D"), {"filters": 8, "kernel_size": (3, 1), "activation": "relu", "use_bias": False}),
        (("layer", "Dense"), {"units": 2, "activation": "softmax"}),
    ],
    ids=lambda part: str(part[1]) if isinstance(part, tuple) else "",
)
def test_a_node_keeps_what_the_program_says_of_it(
    told: dict[tuple[str, Any], dict[str, Any]], node: tuple[str, Any], attributes: dict[str, Any]
) -> None:
    assert node in told
    assert told[node].items() >= attributes.items()
    assert {"annotation", "default", "doc"} & told[node].keys() <= attributes.keys()


def test_what_is_said_of_a_variable_makes_no_two_of_them_one() -> None:
    flow = flow_of("import tensorflow as tf\na, b = tf.Variable(1.0), tf.Variable(1.0)\nc = a / b\n", sketched=True)
    (quotient,) = [node for node in flow if node.op == "divide"]
    assert quotient.operands[0].value != quotient.operands[1].value


@pytest.mark.parametrize("depth", [1, 2, 8])
def test_a_lambda_that_is_not_followed_is_not_computed_without_its_condition(
    depth: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(functions, "INLINE_DEPTH", depth)
    text = (
        "import tensorflow as tf\n"
        "def scale(outputs):\n"
        "    std = tf.math.reduce_std(outputs)\n"
        "    return tf.cond(std < 1e-5, lambda: 1.0, lambda: 1.0 / std)\n"
        "def scaled(outputs):\n"
        "    return outputs * scale(outputs)\n"
    )
    assert lint_source(text, "program.py") == []


PATHS = """
from pathlib import Path
from images import load

def files(names, base=None):
    folder = Path(base or "")
    if not folder.is_absolute():
        folder = (Path("here") / folder).resolve()
    return [{} for name in names]
"""


@pytest.mark.parametrize(
    ("element", "divisions"), [("folder / name", 0), ("folder.parent / name", 0), ("load(folder) / 255.0", 1)]
)
@pytest.mark.parametrize("sketched", [True, False], ids=["sketch", "tree"])
def test_a_path_is_joined_with_a_name_and_what_is_loaded_from_it_is_divided(
    element: str, divisions: int, sketched: bool
) -> None:
    assert [node.op for node in flow_of(PATHS.format(element), sketched)].count("divide") == divisions


RANGES = [("4", "identity"), ("0, n", "identity"), ("4.0", "variable"), ("0.0, 1.0, 0.1", "variable")]


@pytest.mark.parametrize(("made", "op"), RANGES)
def test_a_variable_of_whole_numbers_from_a_range_is_not_trained(made: str, op: str) -> None:
    text = f"import tensorflow as tf\n\n\ndef f(n):\n    return tf.Variable(tf.range({made}))\n"
    (made_of_it,) = flow_of(text, sketched=True).kept
    assert made_of_it.op == op
