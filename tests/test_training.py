"""Findings while a program trains: the callback for `fit`, and what explains a traceback of `enable_check_numerics`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np

import tfnanlint

LOSS = """\
import tensorflow as tf


def loss(y, p):
    return -tf.reduce_mean(y * tf.math.log(tf.nn.relu(p)))


def sound(y, p):
    return tf.reduce_mean(tf.square(y - p))
"""


def trained(tmp_path: Path, monkeypatch: Any, name: str, scale: float) -> tuple[Any, list[str], Any]:
    """The callback after training on one loss, what it said, and the history."""
    import importlib

    import keras

    module = f"losses_{tmp_path.name}"
    (tmp_path / f"{module}.py").write_text(LOSS)
    monkeypatch.syspath_prepend(str(tmp_path))
    held = getattr(importlib.import_module(module), name)
    said: list[str] = []
    callback = tfnanlint.keras_callback(say=said.append)
    keras.utils.set_random_seed(1)
    model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(4)])
    model.compile("sgd", held)
    x = np.ones((8, 3), np.float32) * scale
    history = model.fit(x, np.ones((8, 4), np.float32), batch_size=2, epochs=3, verbose=0, callbacks=[callback])
    return callback, said, history


def test_the_callback_names_the_finding_that_explains_the_first_nan_and_ends_the_training(
    tmp_path: Path, monkeypatch: Any
) -> None:
    callback, said, history = trained(tmp_path, monkeypatch, "loss", 100.0)
    assert [(found.rule, found.line) for found in callback.findings] == [("log-relu", 5)]
    assert callback.explained == callback.findings[0]
    assert len(history.history["loss"]) == 1
    assert "log-relu" in said[0]
    assert "tfnanlint: loss is not finite at batch 0 of epoch 0; the likely cause: " in said[-1]


def test_the_callback_is_silent_where_nothing_goes_wrong(tmp_path: Path, monkeypatch: Any) -> None:
    callback, said, history = trained(tmp_path, monkeypatch, "sound", 0.1)
    assert (callback.findings, callback.explained, said) == ([], None, [])
    assert len(history.history["loss"]) == 3


def test_a_nan_that_nothing_explains_is_told_all_the_same(tmp_path: Path, monkeypatch: Any) -> None:
    callback, said, _ = trained(tmp_path, monkeypatch, "sound", float("nan"))
    assert callback.explained is None
    start = "tfnanlint: loss is not finite at batch 0 of epoch 0, "
    assert said == [f"{start}and tfnanlint found no hazard in the traced functions: check the data"]


PROGRAM = """\
import tensorflow as tf
import tfnanlint

tf.debugging.enable_check_numerics()


def entropy(x):
    return tf.math.log(tf.nn.softmax(x))


@tf.function
def total(x):
    y = entropy(x)
    return tf.reduce_sum(y)


try:
    with tfnanlint.watch() as findings:
        total(tf.constant([[1000.0, 0.0]]))
except tf.errors.InvalidArgumentError as error:
    found = tfnanlint.explaining(error, findings)
    print(found.rule, found.line)
    print(tfnanlint.explaining("nothing of that kind", findings))
"""


def test_a_traceback_of_check_numerics_leads_to_its_finding(tmp_path: Path) -> None:
    path = tmp_path / "checked.py"
    path.write_text(PROGRAM)
    done = subprocess.run([sys.executable, str(path)], capture_output=True, text=True, timeout=300, check=False)
    assert done.stdout.splitlines() == ["log-softmax 8", "None"], done.stderr
