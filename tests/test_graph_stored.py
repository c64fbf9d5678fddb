"""What users say of saved models: the signature to lint, and the module that defines a Keras model's own classes."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tfnanlint import lint_graph
from tfnanlint.cli import main
from tfnanlint.commands import CLEAN, FINDINGS, WRONG
from tfnanlint.errors import TfnanlintError

LAYERS = """\
import keras
import tensorflow as tf


@keras.saving.register_keras_serializable("stored_own")
class Share(keras.layers.Layer):
    def call(self, x):
        return tf.math.log(tf.nn.softmax(x))


class Plain(keras.layers.Layer):
    def call(self, x):
        return 2.0 * x


def distance(y, p):
    return tf.reduce_mean(tf.abs(y - p))
"""


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    tf = pytest.importorskip("tensorflow")
    keras = pytest.importorskip("keras")
    folder = tmp_path_factory.mktemp("stored")

    class Served(tf.Module):  # type: ignore[misc]
        @tf.function(input_signature=[tf.TensorSpec([None, 3], name="x")])
        def sound(self, x: object) -> object:
            return tf.nn.softplus(x)

        @tf.function(input_signature=[tf.TensorSpec([None, 3], name="x")])
        def share(self, x: object) -> object:
            return tf.math.log(tf.nn.softmax(x))

        @tf.function(input_signature=[tf.TensorSpec([None], name="total")])
        def inverse(self, total: object) -> object:
            return 1.0 / total

    served = Served()
    signatures = {name: getattr(served, name) for name in ("sound", "share", "inverse")}
    tf.saved_model.save(served, str(folder / "served"), signatures=signatures)
    (folder / "stored_layers.py").write_text(LAYERS)
    sys.path.insert(0, str(folder))
    import stored_layers  # type: ignore[import-not-found]

    x = keras.Input((4,))
    hidden = stored_layers.Plain()(keras.layers.Dense(3)(x))
    model = keras.Model(x, stored_layers.Share()(hidden))
    model.compile("sgd", stored_layers.distance)
    model.save(folder / "own.keras")
    yield folder
    sys.path.remove(str(folder))


def run(saved: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, *options: str) -> list[str]:
    """The status and the lines of a run in the folder."""
    monkeypatch.chdir(saved)
    try:
        status = main(["graph", "--isolated", "--output-format", "concise", *options])
    except SystemExit as error:
        status = int(error.code or 0)
    said = capsys.readouterr()
    return [str(status), *said.out.splitlines(), *said.err.splitlines()]


@pytest.mark.parametrize(("name", "status"), [("sound", CLEAN), ("share", FINDINGS)])
def test_a_signature_is_linted_alone(
    saved: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, name: str, status: int
) -> None:
    said = run(saved, capsys, monkeypatch, "served", "--signature", name)
    assert int(said[0]) == status, said
    assert ["log-softmax" in line for line in said[1:-1]] == [True] * status


def test_an_unknown_signature_is_answered_with_the_known_ones(
    saved: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    said = run(saved, capsys, monkeypatch, "served", "--signature", "serve")
    assert int(said[0]) == WRONG
    assert said[1].endswith("no signature is named 'serve'; its signatures: inverse, share, sound")
    said = run(saved, capsys, monkeypatch, "own.keras", "--signature", "sound")
    assert said == ["2", "tfnanlint graph: --signature needs a SavedModel, and no target is a folder"]


def test_arguments_of_signatures_are_named_as_in_the_signature(
    saved: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    options = "served", "--signature", "inverse", "--pedantic", "--fail-on", "info"
    assert int(run(saved, capsys, monkeypatch, *options)[0]) == FINDINGS
    assert int(run(saved, capsys, monkeypatch, *options, "--range", "total=1..5")[0]) == CLEAN
    assert int(run(saved, capsys, monkeypatch, "served", "--range", "sum=1..5")[0]) == WRONG


def test_a_signature_is_chosen_in_python_too(saved: Path) -> None:
    assert lint_graph(saved / "served", signature="sound") == []
    assert [found.rule for found in lint_graph(saved / "served", signature="share")] == ["log-softmax"]
    with pytest.raises(TfnanlintError, match="no signature is named 'serve'"):
        lint_graph(saved / "served", signature="serve")


def test_an_imported_module_defines_what_a_model_file_names(
    saved: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    refused = run(saved, capsys, monkeypatch, "own.keras")
    assert int(refused[0]) == WRONG
    assert "or import what defines it with --import" in refused[1]
    for module in ("stored_layers", "stored_layers.py"):
        said = run(saved, capsys, monkeypatch, "own.keras", "--import", module)
        assert int(said[0]) == FINDINGS, said
        assert said[1].startswith("stored_layers.py:8:16: error (likely) TFN118 log-softmax")


def test_a_module_allows_its_own_names_alone(
    saved: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (saved / "other_layers.py").write_text("from stored_layers import Plain\nfrom os import path\n")
    said = run(saved, capsys, monkeypatch, "own.keras", "--import", "other_layers")
    assert int(said[0]) == WRONG
    assert "which is not part of Keras" in said[1]
    said = run(saved, capsys, monkeypatch, "own.keras", "--import", "no_such_layers")
    assert said[1] == f"own.keras: no_such_layers: no module named 'no_such_layers' (searched from {os.getcwd()})"


def test_the_stack_of_a_saved_operation_consists_of_lines_in_files() -> None:
    """The interpreter's own frames and those of `python -c` were saved, too."""
    pytest.importorskip("tensorflow")
    from tensorflow.core.framework.graph_debug_info_pb2 import GraphDebugInfo

    from tfnanlint.graph.stack import RecordedStacks

    recorded = GraphDebugInfo(files=["<string>", "<frozen importlib._bootstrap>", "model.py", "/etc/passwd"])
    for number in range(4):
        recorded.frames_by_id[number].file_index = number
        recorded.frames_by_id[number].line = 10 + number
        recorded.traces_by_id[7].frame_id.append(number)
    recorded.name_to_trace_id["log"] = 7

    class Operation:
        name = "log"
        node = None

        class graph:
            name = ""

    assert RecordedStacks(recorded).of(Operation).path == (("model.py", 12, ""),)


def test_variables_hold_what_was_saved_in_functions_that_no_signature_calls(tmp_path: Path) -> None:
    """A velocity of Adam is an average of squares: its root is no root of an arbitrary number."""
    tf = pytest.importorskip("tensorflow")
    keras = pytest.importorskip("keras")
    net = keras.Sequential([keras.layers.Input((3,)), keras.layers.Dense(1)])
    optimizer = keras.optimizers.Adam()
    optimizer.build(net.trainable_variables)

    @tf.function(input_signature=[tf.TensorSpec([None, 3]), tf.TensorSpec([None, 1])])
    def train(x: object, y: object) -> object:
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(net(x) - y))
        optimizer.apply_gradients(
            zip(tape.gradient(loss, net.trainable_variables), net.trainable_variables, strict=True)
        )
        return loss

    module = tf.Module()
    module.train, module.held = train, net.variables + optimizer.variables
    tf.saved_model.save(module, str(tmp_path), signatures={"train": train.get_concrete_function()})
    assert lint_graph(str(tmp_path)) == []
