"""Keras models from files: checked first, then built by Keras.

A model must be built before it can be linted, and its file names the classes and functions to build it from. Those in
the lists of `permitted` are accepted. Other names, and code inside the file, need the user's permission.
"""

from __future__ import annotations

import json
import os
import re
import sys
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from types import FunctionType
from typing import TYPE_CHECKING, Any

from tfnanlint.graph.confinement import MEGABYTE, limits_of
from tfnanlint.graph.importing import TargetError, blame, imported
from tfnanlint.graph.permitted import needs, objects_in, refuse_code
from tfnanlint.graph.tracing import Call

if TYPE_CHECKING:
    from zipfile import ZipFile

ENDINGS = (".keras", ".h5", ".hdf5")
_LARGEST = 16 * MEGABYTE
"""Bytes of JSON beyond which it describes no model."""
_UNPACKED, _RATIO = 100 * MEGABYTE, 20
"""Bytes that a file may unpack to whatever its size, and how many times its size a larger one may."""
_MOST_MEMBERS = 1_000
_LAYERS_A_SECOND = 120
"""Layers that Keras builds in a second of what a file may take."""
_MEMBERS = frozenset({"config.json", "metadata.json", "model.weights.h5"})


def load_keras(path: str, allow_code: bool, imports: Sequence[str] = ()) -> Any:
    """The model in a `.keras` or HDF5 file, built but never trained or called here; `TargetError`.

    Its classes and functions may be those of the modules in `imports`.
    """
    if not os.path.isfile(path):
        raise TargetError(f"{path}: {'not a regular file' if os.path.exists(path) else 'no such file'}")
    configuration, version = _in_zip(path) if path.endswith(".keras") else _in_hdf5(path)
    package = "tf_keras" if version.startswith(("1.", "2.")) else "keras"
    custom = _custom_objects(package, imports)
    if not allow_code:
        refuse_code(path, configuration, custom)
        _check_layers(path, configuration)
    return _loaded(path, package, allow_code, custom, _is_compiled(configuration))


def _check_layers(path: str, configuration: Any) -> None:
    """`TargetError` for more layers than can be built in the time that a file of its size may take."""
    lists = (held.get("layers") for held in objects_in(path, configuration))
    count = sum(len(layers) for layers in lists if isinstance(layers, list))
    most = int(_LAYERS_A_SECOND * limits_of(path).seconds)
    if count > most:
        raise TargetError(f"{path}: describes {count:,} layers; a file of its size may describe {most:,}")


def _custom_objects(package: str, imports: Sequence[str]) -> dict[str, Any]:
    """The classes and functions that modules define, by name, and those that they register with Keras."""
    found: dict[str, Any] = {}
    for text in imports:
        module = imported(text)
        top = module.__name__.partition(".")[0]
        held = {name: one for name, one in vars(module).items() if isinstance(one, (type, FunctionType))}
        found.update({name: one for name, one in held.items() if one.__module__.partition(".")[0] == top})
    if found:
        registered = import_module(f"{package}.saving" if package == "keras" else f"{package}.utils")
        found.update(registered.get_custom_objects())
    return found


def _loaded(path: str, package: str, allow_code: bool, custom: dict[str, Any], is_compiled: bool) -> Any:
    try:
        load_model = import_module(f"{package}.models").load_model
    except ImportError:
        raise TargetError(f"{path}: saved with {package}, which is not installed: pip install {package}") from None
    if allow_code and os.getcwd() not in sys.path:  # a console script starts without it
        sys.path.insert(0, os.getcwd())
    errors = []
    for compiling in (True, False) if is_compiled else (False,):
        try:
            with _building_once(package):
                return load_model(path, custom_objects=custom, compile=compiling, safe_mode=not allow_code)
        except Exception as error:
            errors.append(error)
    raise _refusal(path, errors[0], errors[-1])


def _refusal(path: str, first: Exception, last: Exception) -> TargetError:
    """What is wrong with a model, by the errors when it was loaded as it was compiled, and by itself."""
    if isinstance(last, MemoryError) or type(last).__name__ == "ResourceExhaustedError":
        return TargetError(f"{path}: exceeds the memory limit for a model file of its size")
    missing = _NOT_KERASS.search(str(first))
    if missing is not None:
        return TargetError(f"{path}: {needs(missing[1], path.endswith('.keras'))}")
    return TargetError(f"{path}: cannot load the model: {blame(first)}")


def _is_compiled(configuration: Any) -> bool:
    """Whether a file says how its model is trained: a description of it in HDF5, a part of a `.keras` file's."""
    if isinstance(configuration, dict):
        return bool(configuration.get("compile_config"))
    return len(configuration) > 1


@contextmanager
def _building_once(package: str) -> Iterator[None]:
    """Let Keras build a sequence when all its layers are there; it builds all of them again with each that it adds."""
    if package != "keras":
        yield
        return
    sequential = import_module(package).Sequential
    deserialize = import_module(f"{package}.saving").deserialize_keras_object
    as_it_was = sequential.__dict__["from_config"]

    def from_config(kind: type, config: Any, custom_objects: Any = None) -> Any:
        layers, shape = config.get("layers"), config.get("build_input_shape")
        if not layers or any("module" not in layer for layer in layers):
            return as_it_was.__func__(kind, config, custom_objects)
        model = as_it_was.__func__(kind, {"name": config["name"], "layers": []})
        made = [deserialize(layer, custom_objects=custom_objects) for layer in layers]
        for layer in made:
            model.add(layer, rebuild=layer is made[-1])
        if not model.built and isinstance(shape, (tuple, list)):
            model.build(shape)
        return model

    sequential.from_config = classmethod(from_config)
    try:
        yield
    finally:
        sequential.from_config = as_it_was


_NOT_KERASS = re.compile(r"(?:Could not locate (?:class|function)|Unknown [\w ]+:) '(?:[^'>]*>)?([^']+)'")
"""What Keras says of a class or a function that it does not know."""


def call_of(path: str, model: Any) -> Call:
    """How Python gets at the model in a `.keras` or HDF5 file."""
    package = "tf_keras" if any(kind.__module__.startswith("tf_keras.") for kind in type(model).__mro__) else "keras"
    return Call(f"import {package}; model = {package}.models.load_model({path!r}, safe_mode=False)", "model", "*x")


def _in_zip(path: str) -> tuple[Any, str]:
    """(configuration, version of Keras) of a `.keras` file."""
    import zipfile

    try:
        with zipfile.ZipFile(path) as archive:
            _check_members(path, archive)
            configuration, metadata = (_json_in(path, archive, name) for name in ("config.json", "metadata.json"))
            _check_weights(path, archive)
    except (zipfile.BadZipFile, zlib.error, KeyError, ValueError, OSError, EOFError, RuntimeError) as error:
        raise TargetError(f"{path}: not a Keras model: {error.args[0] if error.args else error}") from None
    return configuration, str(metadata.get("keras_version", ""))


def _check_members(path: str, archive: ZipFile) -> None:
    """`TargetError` for an archive that holds something else than a model, or unpacks to far more than its size."""
    if len(archive.infolist()) > _MOST_MEMBERS:
        raise TargetError(f"{path}: not a Keras model: it contains more than {_MOST_MEMBERS:,} files")
    names = set()
    for member in archive.infolist():
        name = member.filename
        if name in names or not (name in _MEMBERS or (name.startswith("assets/") and ".." not in name)):
            raise TargetError(f"{path}: not a Keras model: it contains {name[:_SHOWN]!r}")
        if member.flag_bits & _ENCRYPTED:
            raise TargetError(f"{path}: not a Keras model: its {name[:_SHOWN]} is encrypted")
        names.add(name)
    unpacked = sum(member.file_size for member in archive.infolist())
    if unpacked > max(_UNPACKED, _RATIO * os.path.getsize(path)):
        raise TargetError(f"{path}: not a Keras model: it unpacks to {unpacked // MEGABYTE:,} MB")


_SHOWN = 60
"""Characters of a member's name in a message."""
_ENCRYPTED = 1
"""The flag of a member that is not read without a password."""


def _json_in(path: str, archive: ZipFile, name: str) -> dict[str, Any]:
    """One of the objects in a `.keras` file."""
    if archive.getinfo(name).file_size > _LARGEST:
        raise TargetError(f"{path}: not a Keras model: its {name} is larger than {_LARGEST // MEGABYTE} MB")
    try:
        held = json.loads(archive.read(name))
    except RecursionError:
        raise TargetError(f"{path}: not a Keras model: its {name} is nested too deeply") from None
    except ValueError as error:
        raise TargetError(f"{path}: not a Keras model: its {name} is not JSON: {error}") from None
    if not isinstance(held, dict):
        raise TargetError(f"{path}: not a Keras model: its {name} is not a JSON object")
    return held


def _check_weights(path: str, archive: ZipFile) -> None:
    """`TargetError` where the weights in an archive are not a complete HDF5 file."""
    import io

    import h5py

    for member in archive.infolist():
        if member.filename.endswith(".h5"):
            try:
                with h5py.File(io.BytesIO(archive.read(member)), "r") as file:
                    _check_self_contained(path, file)
            except (OSError, RuntimeError, ValueError, KeyError, TypeError) as error:
                said = str(error).partition("\n")[0].lower()
                raise TargetError(f"{path}: its {member.filename} is not a complete HDF5 file: {said}") from None


def _in_hdf5(path: str) -> tuple[Any, str]:
    """(configuration, version of Keras) of a model in HDF5."""
    try:
        import h5py
    except ImportError:
        raise TargetError(f"{path}: needs h5py: pip install h5py") from None
    try:
        with h5py.File(path, "r") as file:
            _check_self_contained(path, file)
            held = file.attrs.get("model_config")
            version = file.attrs.get("keras_version", "2.")
            extra = file.attrs.get("training_config")
            for text in (held, extra):
                if not isinstance(text, (str, bytes, type(None))) or len(text or ()) > _LARGEST:
                    raise ValueError("its configuration is not text, or too long")
            found = [json.loads(text) for text in (held, extra) if text is not None]
    except (OSError, ValueError, KeyError, TypeError, RecursionError, RuntimeError) as error:
        said = str(error).partition("\n")[0].lower() or type(error).__name__
        raise TargetError(f"{path}: not a Keras model in HDF5: {said}") from None
    if held is None:
        raise TargetError(f"{path}: contains weights but no model; name the model in Python instead")
    return found, version.decode("utf-8", "replace") if isinstance(version, bytes) else str(version)


def _leads_out(group: Any, name: str) -> bool:
    """Whether a link in an HDF5 file leads to another one, as one of a kind that HDF5 does not know may."""
    import h5py

    kind = group.id.links.get_info(name.encode("utf-8", "surrogateescape")).type
    return kind not in (h5py.h5l.TYPE_HARD, h5py.h5l.TYPE_SOFT)


def _check_self_contained(path: str, file: Any) -> None:
    """`TargetError` where an HDF5 file has its contents read from other files, or claims far more than it holds."""
    import h5py

    waiting, seen, claimed = [file], set(), 0
    while waiting:
        group = waiting.pop()
        place = h5py.h5o.get_info(group.id).addr
        if place in seen:
            continue
        seen.add(place)
        for name in group:
            if _leads_out(group, name):
                raise TargetError(f"{path}: links to another file, which tfnanlint does not read")
            held = group.get(name)
            if isinstance(held, h5py.Group):
                waiting.append(held)
            elif isinstance(held, h5py.Dataset):
                if held.external or held.is_virtual:
                    raise TargetError(f"{path}: stores its weights in another file, which tfnanlint does not read")
                claimed += max(0, held.nbytes - _RATIO * held.id.get_storage_size())
        if claimed > _UNPACKED:
            raise TargetError(f"{path}: declares {claimed // MEGABYTE:,} MB of weights that it does not contain")
