"""What a SavedModel's variables were saved with decides what is found in it, and is read as data."""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from tfnanlint.graph import lint_graph


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model that divides by one variable and takes the logarithm of another."""
    import tensorflow as tf

    class Model(tf.Module):
        def __init__(self) -> None:
            super().__init__()
            self.scale = tf.Variable([2.0, 0.5], name="scale")
            self.dead = tf.Variable([0.0, 1.0], name="dead")
            self.count = tf.Variable(0, name="count", trainable=False)

        @tf.function(input_signature=[tf.TensorSpec([None, 2], tf.float32, name="x")])
        def __call__(self, x: Any) -> Any:
            shares = x / self.scale
            return shares / self.dead, 1.0 / tf.cast(self.count, tf.float32)

    folder = tmp_path_factory.mktemp("stored") / "model"
    model = Model()
    tf.saved_model.save(model, str(folder))
    return folder


def test_a_variable_that_was_saved_with_a_zero_is_a_zero_to_divide_by(saved: Path) -> None:
    (found,) = lint_graph(saved)
    assert (found.rule, found.certainty) == ("divide-by-zero", "likely")
    assert "the saved weights of the model" in found.evidence


def test_a_range_that_is_given_takes_the_place_of_what_was_saved(saved: Path) -> None:
    assert lint_graph(saved, ranges={"dead": (1.0, 2.0)}) == []


def test_a_model_whose_checkpoint_is_damaged_is_linted_without_it(saved: Path, tmp_path: Path) -> None:
    copy = tmp_path / "damaged"
    shutil.copytree(saved, copy)
    index = copy / "variables" / "variables.index"
    index.write_bytes(index.read_bytes()[:20])
    assert lint_graph(copy) == []


def test_what_a_file_of_keras_holds_is_known_of_the_forward_pass_and_not_of_the_training_step(tmp_path: Path) -> None:
    import keras

    from tfnanlint.graph.targets import subjects

    model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(2, kernel_initializer="ones")])
    model.compile("sgd", "mse")
    path = str(tmp_path / "model.keras")
    model.save(path)
    forward, step = ({**subject.saved(subject.lowered())} for subject in subjects(path))
    assert step == {}
    assert sorted((held.outer.lo, held.outer.hi) for held in forward.values()) == [(0.0, 0.0), (1.0, 1.0)]


@contextmanager
def pipe(path: Path, data: bytes) -> Iterator[list[bytes]]:
    """A pipe with a writer, and what was written: whoever waits for the pipe gets an answer."""
    path.parent.mkdir(exist_ok=True)
    path.unlink(missing_ok=True)
    os.mkfifo(path)
    written: list[bytes] = []

    def write() -> None:
        with suppress(BrokenPipeError), open(path, "wb") as file:
            written.append(data)
            file.write(data)

    writer = threading.Thread(target=write, daemon=True)
    writer.start()
    try:
        yield written
    finally:
        reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        writer.join(60)
        os.close(reader)


needs_pipes = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes in the file system")


@needs_pipes
def test_a_pipe_among_the_saved_weights_is_not_opened(saved: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(saved, tmp_path / "copy"))
    (data,) = copy.glob("variables/variables.data-*")
    with pipe(data, b"") as written:
        assert lint_graph(copy) == []
        assert written == []


@needs_pipes
def test_a_pipe_in_the_place_of_saved_stacks_is_not_read(tmp_path: Path) -> None:
    from tensorflow.core.framework.graph_debug_info_pb2 import GraphDebugInfo

    from tfnanlint.graph.stored import _debug_info

    info = GraphDebugInfo(files=["model.py"]).SerializeToString()
    with pipe(tmp_path / "debug" / "saved_model_debug_info.pb", info):
        assert _debug_info(str(tmp_path / "saved_model.pb")) is None


@needs_pipes
@pytest.mark.parametrize("name", ["fingerprint.pb", "assets/words.txt"])
def test_a_model_with_a_pipe_is_not_loaded(name: str, saved: Path, tmp_path: Path) -> None:
    from tfnanlint.graph.importing import TargetError
    from tfnanlint.graph.stored import load_stored

    copy = Path(shutil.copytree(saved, tmp_path / "copy"))
    with pipe(copy / name, b""), pytest.raises(TargetError, match="not a regular file"):
        list(load_stored(str(copy)))
