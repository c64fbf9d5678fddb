"""Model files that attack whoever loads them, made here: nothing of them is stored.

`python tests/hostile_models.py FOLDER` writes them, for a look at what a tool makes of them.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

import h5py
import numpy as np

Config = dict[str, Any]
INPUT: Config = {
    "class_name": "InputLayer",
    "name": "in",
    "config": {"batch_input_shape": [None, 4], "dtype": "float32", "sparse": False, "ragged": False, "name": "in"},
    "inbound_nodes": [],
}
NEW_INPUT: Config = {
    "module": "keras.layers",
    "class_name": "InputLayer",
    "config": {"batch_shape": [None, 4], "dtype": "float32", "sparse": False, "name": "in"},
    "registered_name": None,
}
WITH_INPUT = [[["in", 0, 0, {}]]]


def constant(value: Any, **keywords: Any) -> list[Any]:
    """A call of a layer with a constant: older Keras makes it while the model is loaded, and eagerly."""
    return [["_CONSTANT_VALUE", -1, value, keywords]]


def layer(kind: Any, inbound: Any = None, /, **config: Any) -> Config:
    """A layer as the older formats describe it."""
    shared = {"name": "evil", "trainable": True, "dtype": "float32"}
    nodes = WITH_INPUT if inbound is None else inbound
    return {"class_name": kind, "name": "evil", "config": {**shared, **config}, "inbound_nodes": nodes}


def functional(*layers: Config, result: str = "evil") -> Config:
    """A functional model as the older formats describe it."""
    config = {"name": "m", "trainable": True, "layers": [INPUT, *layers]}
    return {
        "class_name": "Functional",
        "config": {**config, "input_layers": [["in", 0, 0]], "output_layers": [[result, 0, 0]]},
    }


def sequential(*layers: Config) -> Config:
    """A sequential model as Keras 3 describes it."""
    return {
        "module": "keras",
        "class_name": "Sequential",
        "config": {"name": "m", "trainable": True, "layers": [NEW_INPUT, *layers]},
        "registered_name": None,
    }


def named(module: str | None, kind: str, registered: str | None = None, /, **config: Any) -> Config:
    """An object as Keras 3 describes it."""
    return {"module": module, "class_name": kind, "config": {"name": "evil", **config}, "registered_name": registered}


def write_h5(path: Path, config: Any, version: str = "2.15.0", training: Any = None) -> Path:
    """A model in HDF5, without weights."""
    with h5py.File(path, "w") as file:
        file.attrs["model_config"] = config if isinstance(config, (str, bytes)) else json.dumps(config)
        file.attrs["keras_version"], file.attrs["backend"] = version, "tensorflow"
        if training is not None:
            file.attrs["training_config"] = json.dumps(training)
        weights = file.create_group("model_weights")
        weights.attrs["layer_names"] = np.array([], "S8")
        weights.attrs["backend"], weights.attrs["keras_version"] = "tensorflow", version
    return path


def write_keras(path: Path, config: Any, version: str = "3.5.0", more: dict[str, bytes] | None = None) -> Path:
    """A `.keras` file with empty weights."""
    weights = path.with_suffix(".weights")
    with h5py.File(weights, "w") as file:
        file.create_group("layers")
    with ZipFile(path, "w", ZIP_DEFLATED) as archive:
        archive.writestr("metadata.json", json.dumps({"keras_version": version, "date_saved": ""}))
        archive.writestr("config.json", config if isinstance(config, (str, bytes)) else json.dumps(config))
        for name, data in {"model.weights.h5": weights.read_bytes(), **(more or {})}.items():
            archive.writestr(name, data)
    weights.unlink()
    return path


def dense(**config: Any) -> Config:
    """A harmless layer, but for what it is given."""
    return named("keras.layers", "Dense", None, **{"units": 2, "activation": "linear", **config})


def function(module: str, name: Any, registered: str | None = None) -> Config:
    """A function as Keras describes it."""
    return {"module": module, "class_name": "function", "config": name, "registered_name": registered or name}


def attacks(owned: Path) -> dict[str, tuple[Callable[[Path], Any], str]]:
    """Each attack by its file's name: what writes it, and what is said of it. All would leave something at `owned`."""
    text, place = "the text of whoever sent the file", str(owned)
    shell = {"value": "system", "defaults": [f"touch {place}"], "closure": None}

    def calls(name: str, kind: str = "TFOpLambda", inbound: Any = None, **more: Any) -> Config:
        return functional(
            layer(kind, constant(place, contents=text) if inbound is None else inbound, function=name, **more),
            result="in",
        )

    code, calling, own = "whose code is not run", "has a layer that calls tf.", "which is not part of Keras"
    found: dict[str, tuple[Callable[[Path], Any], str]] = {}

    def h5(name: str, config: Any, said: str, **more: Any) -> None:
        found[f"{name}.h5"] = (lambda path: write_h5(path, config, **more)), said
        if config is not None and isinstance(config, dict):
            found[f"{name}-2.keras"] = (lambda path: write_keras(path, config, "2.15.0")), said

    def keras(name: str, config: Any, said: str, **more: Any) -> None:
        found[f"{name}.keras"] = (lambda path: write_keras(path, config, **more)), said

    h5("print", calls("print", inbound=constant(text, output_stream=f"file://{place}")), calling + "print")
    h5("write", calls("io.write_file", "SlicingOpLambda"), calling + "io.write_file")
    h5("write-v1", calls("compat.v1.write_file", "SlicingOpLambda"), calling + "compat.v1.write_file")
    h5("library", calls("load_library", "SlicingOpLambda", constant(place + ".so")), calling + "load_library")
    h5("raw", calls("raw_ops.WriteFile"), calling + "raw_ops.WriteFile")
    h5("keras-function", calls("keras.utils.get_file"), calling + "keras.utils.get_file")
    h5("no-name", calls(["io", "write_file"]), "has a layer that calls \"tf.['io', 'write_file']\"")  # type: ignore[arg-type]
    method = layer("ClassMethod", constant([place]), cls_symbol="io.gfile.GFile", method_name="write")
    h5("method", functional(method, result="in"), code)
    h5("instance", functional(layer("InstanceMethod", attr_name="__reduce__")), code)
    node = {"name": "w", "op": "WriteFile", "input": ["a", "b"]}
    h5("node", functional(layer("TensorFlowOpLayer", node_def=node)), "the graph operation 'WriteFile'")
    h5("node-text", functional(layer("TensorFlowOpLayer", node_def="x")), "the graph operation None")
    h5("lambda", functional(layer("Lambda", function=["4wE=", None, None], function_type="lambda")), code)
    h5("registered-lambda", functional(layer("Custom>Lambda", function=["4wE=", None, None])), code)
    wrapped = layer("TimeDistributed", layer={"class_name": "Lambda", "config": {"name": "x", "function": shell}})
    h5("wrapped", functional(wrapped), code)
    h5("list", functional(layer(["Dense"], units=2)), "a class_name in its configuration is not text: ['Dense']")
    h5("object", functional(layer({"a": 1}, units=2)), "a class_name in its configuration is not text: {'a': 1}")
    h5("function-name", functional(layer("Dense", units=2, activation="deserialize")), own)
    h5("vocabulary", functional(layer("StringLookup", vocabulary="/etc/passwd")), "reads the file '/etc/passwd'")
    h5("type", functional(layer("Dense", units={"class_name": "TypeSpec", "type_spec": "x", "serialized": []})), own)
    trained = {"optimizer_config": {"class_name": "os>system", "config": {}}, "loss": "mse", "metrics": []}
    h5("training", functional(layer("Dense", units=2)), "needs 'system', which is not part of Keras", training=trained)
    del found["training-2.keras"]
    h5("nested", "[" * 100_000, "not a Keras model in HDF5")
    h5("not-a-model", "[]" * 2, "not a Keras model in HDF5: extra data")
    keras("module", sequential(named("os", "system", None, command=f"touch {place}")), "names os.system, " + own)
    keras("builtins", sequential(named("builtins", "exec")), "needs 'exec', " + own)
    keras("odd-home", sequential(named("keras.utils", "get_file")), "names keras.utils.get_file, " + own)
    keras("looks-like", sequential(named("keras_evil.layers", "Dense")), "names keras_evil.layers.Dense, " + own)
    keras("module-list", sequential({**dense(), "module": ["keras"]}), "a module in its configuration is not text")
    keras("registered", sequential({**dense(), "registered_name": "evil>Run"}), "registers 'Dense' as 'evil>Run'")
    keras("function", sequential(dense(activation=function("os", "system"))), "names os.system, " + own)
    keras("builtin", sequential(dense(activation=function("builtins", "eval"))), "needs 'eval', " + own)
    keras("function-dict", sequential(dense(activation=function("builtins", {"a": 1}, "x"))), own)
    keras("lambda-3", sequential(dense(activation=named("builtins", "__lambda__", None, **shell))), code)
    keras("spec", sequential(dense(units={"class_name": "__typespec__", "config": []})), "needs '__typespec__', " + own)
    keras("saved", sequential(named("keras.layers", "TFSMLayer", None, filepath=place)), code)
    keras("torch", sequential(named("keras.layers", "TorchModuleWrapper", None, module="x")), code)
    keras("map", sequential(named("keras.src.ops.core", "Map", "Map", f=function("os", "system"))), own)
    keras("words", sequential(named("keras.layers", "TextVectorization", None, vocabulary=place)), "reads the file")
    compiled = {**sequential(dense()), "compile_config": {"loss": function("subprocess", "call")}}
    keras("compiled", compiled, "names subprocess.call, " + own)
    deep: Any = named("os", "system")
    for _ in range(12):
        deep = named("keras.layers", "TimeDistributed", None, layer=deep)
    keras("deep", sequential(deep), "names os.system, " + own)
    ladder: Any = dense()
    for _ in range(60):
        ladder = named("keras.layers", "TimeDistributed", None, layer=ladder)
    keras("ladder", sequential(ladder), "its configuration is nested too deeply")
    keras("pickle", sequential(dense()), "it contains 'model.weights.npz'", more={"model.weights.npz": b"\0" * 10})
    keras("outside", sequential(dense()), "it contains '../owned'", more={"../owned": b"x"})
    return found


def external(path: Path) -> None:
    """Weights that are a link to another file."""
    write_h5(path, functional(layer("Dense", units=2)))
    with h5py.File(path, "a") as file:
        file["model_weights"]["evil"] = h5py.ExternalLink("/etc/passwd", "/x")


def elsewhere(path: Path) -> None:
    """Weights whose bytes stand in another file."""
    write_h5(path, functional(layer("Dense", units=2)))
    with h5py.File(path, "a") as file:
        file["model_weights"].create_dataset("w", (16,), "u1", external=[("/etc/passwd", 0, 16)])


def unknown_link(path: Path, member: str = "") -> None:
    """Weights with a link of a class that HDF5 does not know, in a file of their own or in an archive."""
    weights = path.with_suffix(".weights")
    write_h5(weights, functional(layer("Dense", units=2)))
    with h5py.File(weights, "a") as file:
        file["evil"] = h5py.ExternalLink("/etc/passwd", "/x")
    data = bytearray(weights.read_bytes())
    weights.unlink()
    data[data.index(b"\x04evil") - 1] += 1
    if not member:
        path.write_bytes(data)
        return
    write_keras(path, sequential(dense()))
    with ZipFile(path) as whole:
        held = {name: whole.read(name) for name in whole.namelist()}
    with ZipFile(path, "w") as archive:
        for name, contents in {**held, member: bytes(data)}.items():
            archive.writestr(name, contents)


def encrypted(path: Path) -> None:
    """An archive whose members claim to need a password."""
    write_keras(path, sequential(dense()))
    data = path.read_bytes()
    for mark, flags in ((b"PK\x01\x02", 8), (b"PK\x03\x04", 6)):
        first, *others = data.split(mark)
        at = flags - len(mark)
        data = mark.join([first, *(one[:at] + bytes([one[at] | 1]) + one[at + 1 :] for one in others)])
    path.write_bytes(data)


def claimed(path: Path) -> None:
    """Weights of 40 GB that take no room in the file."""
    write_h5(path, functional(layer("Dense", units=2)))
    with h5py.File(path, "a") as file:
        file["model_weights"].create_dataset("w", (10_000_000_000,), "f4", chunks=(1_000_000,))


def bombs() -> dict[str, tuple[Callable[[Path], Any], str]]:
    """What would take memory or time without a bound, or read other files: as in `attacks`."""
    huge = functional(layer("Dense", units=500_000_000))
    wide: Sequence[Config] = [{**dense(), "config": {"name": f"d{n}", "units": 60_000}} for n in range(2)]
    return {
        "external.h5": (external, "links to another file, which tfnanlint does not read"),
        "elsewhere.h5": (elsewhere, "stores its weights in another file, which tfnanlint does not read"),
        "link.h5": (unknown_link, "links to another file, which tfnanlint does not read"),
        "link.keras": (lambda path: unknown_link(path, "model.weights.h5"), "links to another file"),
        "encrypted.keras": (encrypted, "not a Keras model: its metadata.json is encrypted"),
        "claimed.h5": (claimed, "declares 40,000 MB of weights that it does not contain"),
        "units.h5": (
            lambda path: write_h5(path, huge),
            "exceeds the memory limit for a model file of its size",
        ),
        "wide.keras": (lambda path: write_keras(path, sequential(*wide)), "exceeds the memory limit for a model file"),
        "zip.keras": (
            lambda path: write_keras(path, sequential(dense()), more={"assets/x": b"\0" * 200_000_000}),
            "it unpacks to 200 MB",
        ),
        "members.keras": (
            lambda path: write_keras(path, sequential(dense()), more={f"assets/{n}": b"" for n in range(1_000)}),
            "it contains more than 1,000 files",
        ),
        "layers.keras": (
            lambda path: write_keras(path, sequential(*[dense(name=f"d{n}") for n in range(1_500)])),
            "describes 1,501 layers; a file of its size may describe ",
        ),
        "json.keras": (
            lambda path: write_keras(path, "[" + "[]," * 6_000_000 + "[]]"),
            "its config.json is larger than 16 MB",
        ),
        "values.keras": (
            lambda path: write_keras(path, '{"a": [' + "0," * 2_000_000 + "0]}"),
            "its configuration holds more than 1,000,000 values",
        ),
    }


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for file_name, (write, _) in {**attacks(folder / "owned"), **bombs()}.items():
        write(folder / file_name)
