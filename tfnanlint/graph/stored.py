"""Models from files: a SavedModel, a GraphDef, a Keras model.

SavedModels and GraphDefs are read as data: nothing of them is loaded into TensorFlow, and none of their code runs. A
Keras model has to be built, and for that its file names classes and functions; those of Keras itself are let through,
others, and code that the file brings along, only where the user allows it.
"""

from __future__ import annotations

import json
import os
import re
import sys
import zlib
from collections.abc import Iterator, Sequence
from graphlib import CycleError, TopologicalSorter
from importlib import import_module
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from tfnanlint.graph import hdf5
from tfnanlint.graph.checkpoint import Checkpoint
from tfnanlint.graph.importing import TargetError, blame
from tfnanlint.graph.lint import plain_name
from tfnanlint.graph.model import dtype_of
from tfnanlint.graph.statics import DIFFERENTIABLE
from tfnanlint.graph.tracing import Call, Subject

if TYPE_CHECKING:
    from zipfile import ZipFile

ENDINGS = (".pb", ".pbtxt", ".keras", ".h5", ".hdf5")
NOT_RUN = "a model from a file is not run; --allow-code permits it"
_ALLOW = "pass --allow-code to run it all the same"
_LONGEST = 200
"""A message that quotes a file is cut after so many characters."""
_LARGEST = 200_000_000
"""Bytes of JSON that describe no model."""
_SAVED = ("saved_model.pb", "saved_model.pbtxt")


FUNCTIONS, GRADIENTS = attrgetter("library.function"), attrgetter("library.gradient")
"""The function definitions of a GraphDef, and which function is the gradient of which."""

Definition = tuple[Any, "Sequence[str] | None"]
"""A GraphDef, and the tensors that are its results, where that is said."""


def is_stored(target: str) -> bool:
    """Whether a target names a file or folder that holds a model, or would."""
    return target.endswith(ENDINGS) or os.path.isdir(target)


def saved_model_in(folder: str) -> str | None:
    """The file of the SavedModel in a folder."""
    return next((path for name in _SAVED if os.path.isfile(path := os.path.join(folder, name))), None)


def read_stored(target: str) -> Iterator[Subject]:
    """The graphs in a SavedModel's folder, a `.pb` or a `.pbtxt`; `TargetError` where there are none."""
    path: str | None = target
    if os.path.isdir(target):
        path = saved_model_in(target)
        if path is None:
            raise TargetError(f"{target}: is a folder without a saved_model.pb")
    assert path is not None
    try:
        with open(path, "rb") as file:
            data = file.read()
    except OSError as error:
        raise TargetError(f"{path}: cannot be read: {(error.strerror or str(error)).lower()}") from None
    if not data:
        raise TargetError(f"{path}: is empty")
    parse = _from_text if path.endswith(".pbtxt") else _from_bytes
    debug_info = _debug_info(path)
    checkpoint = Checkpoint(os.path.dirname(path))
    for definition, outputs in parse(path, data):
        given = {
            "graph": definition,
            "debug_info": debug_info,
            "path": path,
            "why_not": NOT_RUN,
            "checkpoint": checkpoint,
        }
        try:
            kept_only = _kept_only(definition)
        except CycleError as error:
            names = " calls ".join(error.args[1])
            raise TargetError(f"{path}: its functions call one another without end: {names}") from None
        if definition.node:
            yield Subject(target, outputs=outputs, **given)
        for function in kept_only:
            yield Subject(f"{target} ({plain_name(function)})", function=function, **given)


def load_stored(target: str) -> Iterator[Subject]:
    """The graphs in a SavedModel or a GraphDef, loaded into TensorFlow so that they can be run; `TargetError`."""
    import tensorflow as tf

    read = list(read_stored(target))  # says what is wrong with the file
    path = read[0].path
    if os.path.basename(path) == _SAVED[0]:
        try:
            model = tf.saved_model.load(os.path.dirname(path) or ".")
        except Exception as error:
            raise TargetError(f"{target}: cannot be loaded: {blame(error)}") from None
        brought = f"held = tf.saved_model.load({os.path.dirname(path) or '.'!r})"
        for name, signature in model.signatures.items():
            names = sorted(signature.structured_input_signature[1])
            words = ", ".join(f"{key!r}: x[{place}]" for place, key in enumerate(names))
            call = Call(brought, f"held.signatures[{name!r}]", f"**{{{words}}}")
            yield Subject(f"{target} ({name})", signature, path=path, call=call)
        return
    for subject in read:
        if subject.function is None:
            yield _imported(target, subject.graph, path)


def _imported(target: str, definition: Any, path: str) -> Subject:
    """A GraphDef as a function of its placeholders."""
    import tensorflow as tf

    try:
        whole = tf.compat.v1.wrap_function(lambda: tf.graph_util.import_graph_def(definition, name=""), [])
        operations = whole.graph.get_operations()
        used = {tensor.op.name for operation in operations for tensor in operation.inputs}
        inputs = [operation.outputs[0].name for operation in operations if operation.type == "Placeholder"]
        results = [t.name for operation in operations if operation.name not in used for t in operation.outputs]
        pruned = whole.prune(inputs, results)
    except Exception as error:
        raise TargetError(f"{target}: cannot be imported: {blame(error)}") from None
    read = f"tf.compat.v1.GraphDef.FromString(open({path!r}, 'rb').read())"
    if path.endswith(".pbtxt"):
        read = f"text_format.Parse(open({path!r}).read(), tf.compat.v1.GraphDef())"
        read = f"from google.protobuf import text_format; definition = {read}"
    else:
        read = f"definition = {read}"
    whole = "tf.compat.v1.wrap_function(lambda: tf.graph_util.import_graph_def(definition, name=''), [])"
    return Subject(
        target, pruned, path=path, call=Call(f"{read}; held = {whole}.prune({inputs}, {results})", "held", "*x")
    )


def _from_bytes(path: str, data: bytes) -> list[Definition]:
    """The GraphDefs in the bytes of a SavedModel or of a GraphDef."""
    from google.protobuf.message import DecodeError
    from tensorflow.core.framework import graph_pb2
    from tensorflow.core.protobuf import saved_model_pb2

    whole = True
    try:
        saved = saved_model_pb2.SavedModel.FromString(data)
        found = _graphs(saved)
        if found:
            return found
    except DecodeError:
        whole = False
    try:
        graph = graph_pb2.GraphDef.FromString(data)
        if _holds(graph):
            return [(graph, None)]
    except DecodeError:
        whole = False
    what = "a whole SavedModel nor a whole GraphDef" if not whole else "a SavedModel nor a GraphDef"
    raise TargetError(f"{path}: is neither {what}: it is damaged, truncated or something else")


def _from_text(path: str, data: bytes) -> list[Definition]:
    """The GraphDefs in the text of a SavedModel or of a GraphDef."""
    from google.protobuf import text_format
    from tensorflow.core.framework import graph_pb2
    from tensorflow.core.protobuf import saved_model_pb2

    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise TargetError(f"{path}: is no text: byte {error.start} is not UTF-8") from None
    troubles = []
    for message in (saved_model_pb2.SavedModel(), graph_pb2.GraphDef()):
        try:
            text_format.Parse(text, message)
        except (text_format.ParseError, RecursionError, UnicodeError, ValueError) as error:
            troubles.append(str(error).splitlines()[0][:_LONGEST] if str(error) else type(error).__name__)
            continue
        if isinstance(message, saved_model_pb2.SavedModel):
            found = _graphs(message)
        else:
            found = [(message, None)] if _holds(message) else []
        if found:
            return found
    said = troubles[-1] if troubles else "it has no operations"
    raise TargetError(f"{path}: is no SavedModel or GraphDef in text form: {said}")


def _graphs(saved: Any) -> list[Definition]:
    """The graphs of a SavedModel, with the results of all their signatures."""
    found: list[Definition] = []
    for meta in saved.meta_graphs:
        if _holds(meta.graph_def):
            nodes = {node.name for node in meta.graph_def.node}
            results = {
                tensor.name: None
                for signature in meta.signature_def.values()
                for tensor in signature.outputs.values()
                if tensor.name.partition(":")[0] in nodes and dtype_of(tensor.dtype) in DIFFERENTIABLE
            }
            found.append((meta.graph_def, list(results) or None))
    return found


def _holds(graph: Any) -> bool:
    """Whether a GraphDef holds anything that could have been meant."""
    return any(node.name and node.op for node in graph.node) or any(f.signature.name for f in FUNCTIONS(graph))


def _debug_info(path: str) -> Any:
    """The stacks that a SavedModel keeps beside its graphs; None where it keeps none that can be read."""
    from google.protobuf.message import DecodeError
    from tensorflow.core.framework import graph_debug_info_pb2

    try:
        with open(os.path.join(os.path.dirname(path), "debug", "saved_model_debug_info.pb"), "rb") as file:
            return graph_debug_info_pb2.GraphDebugInfo.FromString(file.read())
    except (OSError, DecodeError):
        return None


def _kept_only(definition: Any) -> list[str]:
    """The functions of a GraphDef's library that its own operations do not lead to, those in others left out.

    Raises `CycleError` where functions call one another in a circle.
    """
    called = _called(node for node in definition.node)
    bodies = {function.signature.name: function for function in FUNCTIONS(definition)}
    calls = {name: _called(function.node_def) for name, function in bodies.items()}
    TopologicalSorter(calls).prepare()
    called.update(gradient.gradient_func for gradient in GRADIENTS(definition))
    reached = _closure(called, calls)
    inner = {name for names in calls.values() for name in names}
    return [name for name in bodies if name not in reached and name not in inner and not _is_derived(name)]


def _called(nodes: Any) -> set[str]:
    """The functions that nodes name in their attributes."""
    found: set[str] = set()
    for node in nodes:
        for value in node.attr.values():
            if value.HasField("func"):
                found.add(value.func.name)
            elif value.HasField("list"):
                found.update(function.name for function in value.list.func)
    return found


def _closure(names: set[str], calls: dict[str, set[str]]) -> set[str]:
    reached: set[str] = set()
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name not in reached:
            reached.add(name)
            waiting.extend(calls.get(name, ()))
    return reached


def _is_derived(name: str) -> bool:
    """Whether a function was made from another one: to save and restore variables, or to compute its gradient."""
    return bool(re.match(r"__(?:inference__traced_(?:save|restore)|forward|backward)_", name))


# Keras.


def load_keras(path: str, allow_code: bool) -> Any:
    """The model in a `.keras` or HDF5 file, built but never trained or called here; `TargetError`."""
    if not os.path.isfile(path):
        raise TargetError(f"{path}: there is no such file")
    configuration, version = _keras_zip(path) if path.endswith(".keras") else _keras_hdf5(path)
    if not allow_code:
        _refuse_code(path, configuration)
    package = "tf_keras" if version.startswith(("1.", "2.")) else "keras"
    return _loaded(path, package, allow_code)


def _loaded(path: str, package: str, allow_code: bool) -> Any:
    try:
        load_model = import_module(f"{package}.models").load_model
    except ImportError:
        raise TargetError(f"{path}: was made by {package}, which is not installed: pip install {package}") from None
    if allow_code and os.getcwd() not in sys.path:  # a console script starts without it
        sys.path.insert(0, os.getcwd())
    try:
        return load_model(path, compile=True, safe_mode=not allow_code)
    except Exception as first:
        try:
            return load_model(path, compile=False, safe_mode=not allow_code)
        except Exception:
            missing = _NOT_KERASS.search(str(first))
            if missing is not None:
                raise TargetError(f"{path}: needs {missing[1]!r}, which is not Keras's own; {_IN_PYTHON}") from None
            raise TargetError(f"{path}: cannot be loaded: {blame(first)}") from None


_NOT_KERASS = re.compile(r"(?:Could not locate (?:class|function)|Unknown [\w ]+:) '(?:[^'>]*>)?([^']+)'")
"""What Keras says of a class or a function that it does not know."""
_IN_PYTHON = "name the model in Python instead, such as train.py:model"


def call_of(path: str, model: Any) -> Call:
    """How Python gets at the model in a `.keras` or HDF5 file."""
    package = "tf_keras" if any(kind.__module__.startswith("tf_keras.") for kind in type(model).__mro__) else "keras"
    return Call(f"import {package}; model = {package}.models.load_model({path!r}, safe_mode=False)", "model", "*x")


def _keras_zip(path: str) -> tuple[Any, str]:
    """(configuration, version of Keras) of a `.keras` file."""
    import zipfile

    try:
        with zipfile.ZipFile(path) as archive:
            configuration, metadata = (_json_in(path, archive, name) for name in ("config.json", "metadata.json"))
            hdf5.check_inside(path, archive)
    except (zipfile.BadZipFile, zlib.error, KeyError, ValueError, OSError, EOFError, NotImplementedError) as error:
        raise TargetError(f"{path}: is no model of Keras: {error.args[0] if error.args else error}") from None
    return configuration, str(metadata.get("keras_version", ""))


def _json_in(path: str, archive: ZipFile, name: str) -> dict[str, Any]:
    """One of the objects in a `.keras` file."""
    if archive.getinfo(name).file_size > _LARGEST:
        raise TargetError(f"{path}: is no model of Keras: its {name} is larger than {_LARGEST // 10**6} MB")
    try:
        held = json.loads(archive.read(name))
    except RecursionError:
        raise TargetError(f"{path}: is no model of Keras: its {name} is nested too deeply") from None
    except ValueError as error:
        raise TargetError(f"{path}: is no model of Keras: its {name} is no JSON: {error}") from None
    if not isinstance(held, dict):
        raise TargetError(f"{path}: is no model of Keras: its {name} holds no object")
    return held


def _keras_hdf5(path: str) -> tuple[Any, str]:
    """(configuration, version of Keras) of a model in HDF5."""
    try:
        import h5py
    except ImportError:
        raise TargetError(f"{path}: is read with h5py, which is not installed: pip install h5py") from None
    hdf5.check(path)
    try:
        with h5py.File(path, "r") as file:
            held = file.attrs.get("model_config")
            version = file.attrs.get("keras_version", "2.")
            extra = file.attrs.get("training_config")
            found = [json.loads(text) for text in (held, extra) if text is not None]
    except (OSError, ValueError, KeyError, RecursionError, RuntimeError) as error:
        raise TargetError(f"{path}: is no model in HDF5: {str(error).splitlines()[0].lower()}") from None
    if held is None:
        raise TargetError(f"{path}: holds weights without a model; name the model in Python instead")
    return found, version.decode() if isinstance(version, bytes) else str(version)


_HARMLESS = re.compile(
    r"(?:tf_)?keras(?:\.src|\.api)?(?:\._tf_keras\.keras)?"
    r"(?:\.(?:engine|layers|models|activations|losses|metrics|initializers|regularizers|constraints|optimizers|"
    r"dtype_policies|mixed_precision|ops|random|backend)(?:\.\w+)*)?|builtins"
)
"""Modules whose classes and functions a model's file may name."""


_HARMLESS_FUNCTION = re.compile(
    r"(?:compat\.v1\.)?(?:(?:math|nn|linalg|image|signal|random|strings)\.)?(?!load_|.*_function$|function$)\w+"
)
"""Functions of TensorFlow that a layer in a model's file may call by their names."""
_RUN_CODE = ("Lambda", "__lambda__", "TFSMLayer", "TorchModuleWrapper", "JaxLayer", "FlaxLayer")


def _refuse_code(path: str, configuration: Any) -> None:
    """`TargetError` where building a model would run code that its file brings along or names."""
    waiting = [configuration]
    while waiting:
        held = waiting.pop()
        if isinstance(held, list):
            waiting.extend(held)
        if not isinstance(held, dict):
            continue
        waiting.extend(held.values())
        kind, module = held.get("class_name"), held.get("module")
        if kind in _RUN_CODE:
            what = "Lambda" if kind == "__lambda__" else kind
            raise TargetError(f"{path}: has a {what} layer, whose code is not run; {_ALLOW}")
        named = held.get("config", {}).get("function") if kind == "TFOpLambda" else None
        if isinstance(named, str) and not _HARMLESS_FUNCTION.fullmatch(named):
            raise TargetError(f"{path}: has a layer that calls tf.{named}; {_ALLOW}")
        if isinstance(module, str) and "class_name" in held and not _HARMLESS.fullmatch(module):
            raise TargetError(f"{path}: names {module}.{kind}, which is not Keras's own; {_ALLOW}")
