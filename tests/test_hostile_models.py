"""Model files that attack whoever loads them: refused in a line that names the reason, and nothing comes of them."""

from __future__ import annotations

import inspect
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.hostile_models import attacks, bombs, functional, layer, write_h5
from tfnanlint.cli import main
from tfnanlint.commands import CLEAN, WRONG
from tfnanlint.graph import child_process, confinement
from tfnanlint.graph.confinement import limits_of
from tfnanlint.graph.permitted import CLASSES, FUNCTIONS, is_op

HOLDS_CODE = {"Lambda", "TFSMLayer", "TorchModuleWrapper", "JaxLayer", "FlaxLayer"}
ABSTRACT = {"Layer", "Wrapper", "AbstractRNNCell", "Loss", "Metric", "Optimizer", "Initializer", "Regularizer"}
ABSTRACT |= {"Constraint", "LearningRateSchedule", "OptimizerMap", "Reduction"}
OLD = {"DenseFeatures"}
"""Takes feature columns, which hold functions."""


def said_of(folder: Path, made: dict[str, Any], monkeypatch: Any, capsys: Any) -> dict[str, str]:
    """What the command line says of files, by their names."""
    monkeypatch.chdir(folder)
    for name, (write, _) in made.items():
        write(folder / name)
    assert main(["graph", *made, "--quiet"]) == WRONG
    captured = capsys.readouterr()
    assert captured.out == ""
    said = dict(line.split(": ", 1) for line in captured.err.splitlines())
    assert said.keys() == made.keys()
    return said


def test_no_attack_runs_and_each_is_told_in_one_line(tmp_path: Path, monkeypatch: Any, capsys: Any) -> None:
    owned = tmp_path / "owned"
    made = attacks(owned)
    said = said_of(tmp_path, made, monkeypatch, capsys)
    assert {name: said[name] for name, (_, reason) in made.items() if reason not in said[name]} == {}
    assert sorted(os.listdir(tmp_path)) == sorted(made)


def test_bombs_and_links_are_told_in_one_line(tmp_path: Path, monkeypatch: Any, capsys: Any) -> None:
    made = bombs()
    said = said_of(tmp_path, made, monkeypatch, capsys)
    assert {name: said[name] for name, (_, reason) in made.items() if reason not in said[name]} == {}


def test_ordinary_models_of_both_generations_are_built(tmp_path: Path, monkeypatch: Any, capsys: Any) -> None:
    import keras
    import tensorflow as tf
    import tf_keras

    monkeypatch.chdir(tmp_path)
    for library in (keras, tf_keras):
        rows = library.Input((6, 4))
        cell = library.layers.LSTM(3, return_sequences=True, kernel_regularizer="l2")
        x = library.layers.Bidirectional(cell)(rows)
        x = library.layers.MultiHeadAttention(2, 3)(x, x)
        x = library.layers.TimeDistributed(library.layers.Dense(5, activation="gelu", kernel_constraint="non_neg"))(x)
        x = x[:, 0] * 2.0 + 1.0
        x = tf.math.log1p(tf.nn.softplus(x)) if library is tf_keras else keras.ops.log1p(keras.ops.softplus(x))
        model = library.Model(rows, library.layers.Dense(3, activation="softmax")(x))
        schedule = library.optimizers.schedules.CosineDecay(0.1, 100)
        model.compile(library.optimizers.Adam(schedule), "mse", metrics=["accuracy", "AUC"])
        model.save(f"{library.__name__}.keras")
    model.save("tf_keras.h5")
    files = ["keras.keras", "tf_keras.keras", "tf_keras.h5"]
    assert main(["graph", *files, "--quiet"]) == CLEAN, capsys.readouterr()
    assert capsys.readouterr() == ("", "")


def test_every_class_and_function_that_keras_offers_is_let_through_or_known_to_run_code() -> None:
    import keras
    import tf_keras

    packages = "layers models losses metrics initializers regularizers constraints optimizers optimizers.schedules"
    for library in (keras, tf_keras):
        for name in packages.split():
            package = library
            for part in name.split("."):
                package = getattr(package, part)
            classes = {n for n, held in vars(package).items() if inspect.isclass(held) and n[0].isupper()}
            assert classes <= CLASSES | HOLDS_CODE | ABSTRACT | OLD, (library, name)
        functions = {n for n, held in vars(library.activations).items() if inspect.isfunction(held)}
        assert functions <= FUNCTIONS | {"get", "serialize", "deserialize"}
    assert CLASSES.isdisjoint(HOLDS_CODE)


@pytest.mark.parametrize("name", "io.write_file print py_function load_op_library map_fn raw_ops.Log function".split())
def test_what_is_no_op_of_the_table_is_not_called(name: str) -> None:
    assert not is_op(name)


@pytest.mark.parametrize("name", "math.log compat.v1.transpose __operators__.add __operators__.getitem cast".split())
def test_ops_of_the_table_are_called(name: str) -> None:
    assert is_op(name)


ATTEMPTS = """
import os, socket, subprocess, sys
from tfnanlint.graph.confinement import confine
own, other, secret = sys.argv[1:]
if not confine(own, []):
    print("cannot")
    sys.exit()
open(os.path.join(own, "mine"), "w").write("x")
def attempt(name, what):
    try:
        what()
    except OSError:
        return
    print(name)
attempt("write", lambda: open(os.path.join(other, "new"), "w"))
attempt("truncate", lambda: os.truncate(secret, 0))
attempt("remove", lambda: os.remove(secret))
attempt("rename", lambda: os.rename(secret, secret + "2"))
attempt("link", lambda: os.symlink("/etc", os.path.join(other, "link")))
attempt("read", lambda: open(secret).read())
attempt("run", lambda: subprocess.run(["/bin/true"], check=False))
import tempfile, json, csv
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux holds a process to what it may do")
def test_a_confined_process_writes_elsewhere_reads_elsewhere_and_starts_nothing(tmp_path: Path) -> None:
    own, other = tmp_path / "own", tmp_path / "other"
    own.mkdir()
    other.mkdir()
    secret = other / "secret"
    secret.write_text("secret")
    command = [sys.executable, "-c", ATTEMPTS, str(own), str(other), str(secret)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    if done.stdout == "cannot\n":
        pytest.skip("this kernel has no Landlock")
    assert (done.stdout, done.stderr) == ("", "")
    assert (sorted(os.listdir(other)), secret.read_text(), os.listdir(own)) == (["secret"], "secret", ["mine"])


def test_what_a_model_may_take_grows_with_what_is_stored_of_it(tmp_path: Path) -> None:
    model, folder = tmp_path / "model.h5", tmp_path / "model"
    model.write_bytes(os.urandom(1_000_000))
    seconds, memory = limits_of(str(model))
    assert (seconds, memory) == (12.0, 508_000_000)
    (folder / "assets").mkdir(parents=True)
    os.rename(model, folder / "saved_model.pb")
    for number in range(9):
        os.link(folder / "saved_model.pb", folder / f"assets/{number}")
    assert limits_of(str(folder)) == (seconds, memory)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has a limit of memory")
def test_a_hole_in_a_file_adds_nothing_to_what_it_may_take(tmp_path: Path) -> None:
    (tmp_path / "model.h5").write_bytes(os.urandom(1_000_000))
    before = limits_of(str(tmp_path))
    os.truncate(tmp_path / "model.h5", 10**12)
    (tmp_path / "null").symlink_to("/dev/null")
    assert limits_of(str(tmp_path)).memory <= before.memory + 8 * 4096


def test_no_model_may_take_more_than_a_large_one(tmp_path: Path, monkeypatch: Any) -> None:
    (tmp_path / "model.h5").write_bytes(os.urandom(1_000_000))
    monkeypatch.setattr(confinement, "LARGEST", 400_000)
    assert limits_of(str(tmp_path)) == (10.8, 503_200_000)
    monkeypatch.setattr(confinement, "LONGEST", 10.5)
    assert limits_of(str(tmp_path)).seconds == 10.5


def test_of_a_confined_process_nothing_but_events_is_understood(tmp_path: Path) -> None:
    import io
    import pickle

    class Evil:
        def __reduce__(self) -> Any:
            return os.mkdir, (str(tmp_path / "owned"),)

    for harm in (Evil(), json.loads, subprocess.Popen, Path("x")):
        with pytest.raises(pickle.UnpicklingError):
            child_process._Events(io.BytesIO(pickle.dumps(harm))).load()
    assert os.listdir(tmp_path) == []


def test_a_layer_of_one_graph_node_is_let_through_where_its_op_is_in_the_table(
    tmp_path: Path, monkeypatch: Any, capsys: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    definition = {"name": "l", "op": "Log", "input": ["in"], "attr": {"T": {"type": "DT_FLOAT"}}}
    write_h5(tmp_path / "node.h5", functional(layer("TensorFlowOpLayer", node_def=definition, constants={})))
    assert main(["graph", "node.h5", "--quiet"]) == CLEAN, capsys.readouterr()
