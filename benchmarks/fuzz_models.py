"""Fuzz the graph command with damaged and hostile model files for some minutes: .h5, .keras, .pb, .pbtxt, SavedModels.

    python benchmarks/fuzz_models.py --minutes 30

Nothing may come of a file but findings, or one line that says what is wrong with it: no internal error, no crash of
the command, no file that it did not ask for. What fails is printed and kept. The exit status is 1 if anything failed.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import random
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any
from zipfile import ZipFile

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
sys.path.insert(0, str(Path(__file__).parent.parent))

from tests.hostile_models import write_h5, write_keras
from tfnanlint.cli import main as command

BATCH = 25
"""Files that one process reads, as long as none of them ends it."""
VALUES: list[Any] = [
    *(None, True, -1, 0, 2**31, 10**9, 10**30, 1e308, float("nan"), "", "\0", "../x", "/etc/passwd", [], {}, [[]]),
    *("Lambda", "TFOpLambda", "SlicingOpLambda", "ClassMethod", "TensorFlowOpLayer", "TFSMLayer", "__lambda__"),
    *("os", "builtins", "system", "keras.utils", "tensorflow.io", "io.write_file", "print", "function", "math.log"),
    *({"class_name": "function", "config": "system", "module": "os"}, ["_CONSTANT_VALUE", -1, 1, {}], "a" * 100_000),
]
OPS = "PyFunc WriteFile ReadFile Fill Range Tile Const Placeholder While If PartitionedCall NoOp Log _Arg Merge".split()


def originals(folder: Path) -> list[Path]:
    """Whole models of each format."""
    import keras
    import tensorflow as tf
    import tf_keras
    from google.protobuf import text_format

    for library in (keras, tf_keras):
        rows = library.Input((6, 4))
        x = library.layers.Bidirectional(library.layers.LSTM(3, return_sequences=True))(rows)
        x = library.layers.TimeDistributed(library.layers.Dense(5, activation="gelu"))(x)
        x = tf.math.log1p(tf.nn.softplus(x[:, 0] * 2.0)) if library is tf_keras else library.layers.Flatten()(x)
        model = library.Model(rows, library.layers.Dense(3, activation="softmax")(x))
        model.compile("adam", "mse", metrics=["accuracy"])
        model.save(folder / f"{library.__name__}.keras")
        model.save(folder / f"{library.__name__}.h5")

    class Scorer(tf.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            self.w = tf.Variable(tf.random.normal((4, 3)))

        @tf.function(input_signature=[tf.TensorSpec([None, 4], tf.float32)])
        def score(self, x: Any) -> Any:
            for _ in tf.range(3):
                x = x * 0.5 + tf.constant([1.0, 2.0, 3.0, 4.0])
            return tf.math.log(tf.nn.softmax(tf.where(x > 0.0, x, -x) @ self.w))

    scorer = Scorer()
    options = tf.saved_model.SaveOptions(save_debug_info=True)
    tf.saved_model.save(scorer, str(folder / "saved"), signatures={"score": scorer.score}, options=options)
    definition = scorer.score.get_concrete_function().graph.as_graph_def()
    (folder / "graph.pb").write_bytes(definition.SerializeToString())
    (folder / "graph.pbtxt").write_text(text_format.MessageToString(definition))
    return sorted(folder.iterdir())


def main() -> int:
    """Fuzz until the time is over; the exit status."""
    made = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    made.add_argument("--minutes", type=float, default=10.0)
    made.add_argument("--seed", type=int, default=0, help="where the random numbers start")
    made.add_argument("--failures", default="fuzz-failures", metavar="FOLDER", help="where to write what fails")
    options = made.parse_args()
    chance = random.Random(options.seed)
    end = time.monotonic() + 60 * options.minutes
    ends: Counter[str] = Counter()
    done = failed = 0
    with tempfile.TemporaryDirectory() as name:
        whole = originals(Path(tempfile.mkdtemp(dir=name)))
        while time.monotonic() < end:
            folder = Path(tempfile.mkdtemp(dir=name))
            targets = [damaged(chance.choice(whole), folder / str(number), chance) for number in range(BATCH)]
            trouble = failure(folder, targets, ends)
            done += BATCH
            if trouble:
                failed += 1
                kept = Path(options.failures) / f"models-{options.seed}-{done}"
                shutil.copytree(folder, kept)
                print(f"{kept}: {trouble}", flush=True)
            shutil.rmtree(folder)
    print(f"{done} files, {failed} batches failed")
    for reason, count in ends.most_common(25):
        print(f"{count:6} {reason}")
    return 1 if failed else 0


def failure(folder: Path, targets: list[Path], ends: Counter[str]) -> str:
    """What is wrong with how files are answered, "" where nothing is."""
    before = sorted(map(str, folder.rglob("*")))
    here, said = os.getcwd(), io.StringIO()
    os.chdir(folder)
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(said):
            status = command(["graph", *(target.name for target in targets), "--quiet"])
    except BaseException as error:
        return f"{type(error).__name__}: {error}"
    finally:
        os.chdir(here)
    names = {target.name for target in targets}
    for line in said.getvalue().splitlines():
        target, _, reason = line.partition(": ")
        if target.partition("/")[0] not in names or "internal error" in line:
            return line
        ends[" ".join(reason.split()[:5])] += 1
    if sorted(map(str, folder.rglob("*"))) != before:
        return "a file was written"
    return "" if status in (0, 1, 2) else f"status {status}"


def damaged(original: Path, target: Path, chance: random.Random) -> Path:
    """A damaged copy of a model."""
    copy = target.with_name(target.name + original.suffix)
    if original.is_dir():
        shutil.copytree(original, copy)
        victim = chance.choice([path for path in sorted(copy.rglob("*")) if path.is_file()])
    else:
        shutil.copy(original, copy)
        victim = copy
    ways: list[Callable[[Path, random.Random], None]] = [flipped, truncated, spliced]
    if victim.suffix in (".keras", ".h5"):
        ways += [reconfigured] * 5
    if victim.name == "saved_model.pb" or original.suffix == ".pb":
        ways += [rewired] * 5
    chance.choice(ways)(victim, chance)
    return copy


def flipped(path: Path, chance: random.Random) -> None:
    """Some bytes are others."""
    data = bytearray(path.read_bytes())
    for _ in range(chance.choice((1, 3, 30))):
        data[chance.randrange(len(data))] = chance.randrange(256)
    path.write_bytes(data)


def truncated(path: Path, chance: random.Random) -> None:
    """The end is missing."""
    data = path.read_bytes()
    path.write_bytes(data[: chance.randrange(len(data))])


def spliced(path: Path, chance: random.Random) -> None:
    """A piece stands somewhere else, too."""
    data = path.read_bytes()
    start, at = chance.randrange(len(data)), chance.randrange(len(data))
    path.write_bytes(data[:at] + data[start : start + chance.randrange(1, 2000)] + data[at:])


def reconfigured(path: Path, chance: random.Random) -> None:
    """The description of a Keras model holds something else in a few places."""
    import h5py

    version = chance.choice(("2.15.0", "3.5.0"))
    if path.suffix == ".keras":
        with ZipFile(path) as archive:
            config = json.loads(archive.read("config.json"))
            weights = archive.read("model.weights.h5")
        write_keras(path, json.dumps(changed(config, chance)), version, {"model.weights.h5": weights})
    else:
        with h5py.File(path) as file:
            config = json.loads(file.attrs["model_config"])
        write_h5(path, json.dumps(changed(config, chance)), version)


def changed(config: Any, chance: random.Random) -> Any:
    """A JSON value with a few places changed."""
    for _ in range(chance.choice((1, 1, 2, 4))):
        places: list[tuple[Any, Any]] = []
        waiting = [config]
        while waiting:
            held = waiting.pop()
            inner = list(held.items()) if isinstance(held, dict) else list(enumerate(held))
            places += [(held, key) for key, _ in inner]
            waiting += [value for _, value in inner if isinstance(value, (dict, list)) and value]
        owner, key = chance.choice(places)
        owner[key] = chance.choice([*VALUES, owner[chance.choice(list(owner))] if isinstance(owner, dict) else 7])
    return config


def rewired(path: Path, chance: random.Random) -> None:
    """A few nodes of a graph are of other types, have other inputs, shapes and attributes."""
    from tensorflow.core.framework import graph_pb2
    from tensorflow.core.protobuf import saved_model_pb2

    whole: Any = saved_model_pb2.SavedModel() if path.name == "saved_model.pb" else graph_pb2.GraphDef()
    whole.ParseFromString(path.read_bytes())
    graph = whole.meta_graphs[0].graph_def if path.name == "saved_model.pb" else whole
    nodes = [*graph.node, *(node for function in graph.library.function for node in function.node_def)]
    for _ in range(chance.choice((1, 2, 5))):
        node, other = chance.choice(nodes), chance.choice(nodes)
        way = chance.randrange(7)
        if way == 0:
            node.op = chance.choice([*OPS, other.op])
        elif way == 1:
            node.input.extend([chance.choice([other.name, "nothing", "^" + other.name, f"{other.name}:99999", ""])])
        elif way == 2:
            del node.input[:]
        elif way == 3:
            node.name = chance.choice([other.name, "", "\x1b[2J", "a" * 10_000])
        elif way == 4 and node.attr:
            del node.attr[chance.choice(sorted(node.attr))]
        elif way == 5 and node.attr:
            if other.attr:
                node.attr[chance.choice(sorted(node.attr))].CopyFrom(other.attr[chance.choice(sorted(other.attr))])
        else:
            shape = node.attr["value"].tensor.tensor_shape
            for _ in range(chance.choice((1, 4, 300))):
                shape.dim.add(size=chance.choice((-1, 0, 3, 10**9, 2**62)))
    with contextlib.suppress(ValueError):
        path.write_bytes(whole.SerializeToString())


if __name__ == "__main__":
    sys.exit(main())
