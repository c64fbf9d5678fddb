"""Importing a target such as `pkg.module:model` or `train.py:Trainer.step`.

Every error of the module becomes one sentence that names the user's own line.
"""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import os
import sys
import traceback
from types import ModuleType
from typing import Any

from tfnanlint.errors import TfnanlintError
from tfnanlint.graph.model import GraphError
from tfnanlint.graph.stack import Kind, kind_of
from tfnanlint.run.files import shown

_OWNERS: list[Any] = []
"""The instances made so far: a method that is a `tf.function` holds its object weakly."""
LONGEST = 500
"""The most characters of an error that are told: it may quote all of a file."""


class TargetError(GraphError):
    """A target that is not there, or that cannot be linted."""


def resolve(target: str) -> Any:
    """The object that `MODULE:NAME` or `FILE.py:NAME` names; a method is bound to an instance of its class.

    What has just this name in the file system is meant itself: who names a file does not ask for another one to be run.
    """
    if os.path.lexists(target):
        raise TargetError(f"{target}: is a file, and not one with a model; rename it to name what is in a module")
    where, _, name = target.rpartition(":")
    module = _from_file(target, where) if where.endswith(".py") else _by_name(target, where)
    held: Any = module
    owner: Any = None
    path = where
    for part in name.split("."):
        if not hasattr(held, part):
            raise TargetError(f"{target}: {path} has no attribute {part!r}{_near(part, held)}")
        owner, held = held, getattr(held, part)
        path = f"{path}:{part}" if path == where else f"{path}.{part}"
    if inspect.isclass(owner) and not _is_bound(owner, name.rpartition(".")[2]):
        return getattr(_instance(target, owner), name.rpartition(".")[2])
    return held


def imported(text: str) -> ModuleType:
    """The module that `pkg.module` or `path/file.py` names, imported as the user's own code; `TargetError`."""
    return _from_file(text, text) if text.endswith(".py") else _by_name(text, text)


def _near(name: str, held: Any) -> str:
    import difflib

    near = difflib.get_close_matches(name, [n for n in dir(held) if not n.startswith("__")], n=1)
    return f"; did you mean {near[0]!r}?" if near else ""


def _is_bound(owner: type, name: str) -> bool:
    """Whether an attribute of a class needs no instance: a static or class method, a value, a class."""
    raw = inspect.getattr_static(owner, name)
    return isinstance(raw, (staticmethod, classmethod, type)) or not callable(raw)


def _instance(target: str, owner: type) -> Any:
    """An instance of a class, to call a method of."""
    try:
        inspect.signature(owner).bind()
    except (TypeError, ValueError):
        name = f"{owner.__name__}{_signature(owner)}"
        raise TargetError(
            f"{target}: needs an instance, and {name} takes arguments; create one in the module and name its method"
        ) from None
    _OWNERS.append(guarded(target, "cannot create an instance", owner))
    return _OWNERS[-1]


def _signature(held: Any) -> str:
    try:
        return str(inspect.signature(held))
    except (TypeError, ValueError):
        return "()"


def _by_name(target: str, name: str) -> ModuleType:
    here = os.getcwd()
    if here not in sys.path:  # a console script starts without it
        sys.path.insert(0, here)
    try:
        missing = importlib.util.find_spec(name) is None
    except ModuleNotFoundError as error:
        if error.name is None or not (name == error.name or name.startswith(f"{error.name}.")):
            raise TargetError(f"{target}: cannot import its package: {blame(error)}") from None
        missing = True
    except (ImportError, ValueError):
        missing = name not in sys.modules
    except Exception as error:
        raise TargetError(f"{target}: cannot import its package: {blame(error)}") from None
    if missing:
        raise TargetError(f"{target}: no module named {name!r} (searched from {here})")
    module: ModuleType = guarded(target, "cannot import it", importlib.import_module, name)
    return module


def _from_file(target: str, path: str) -> ModuleType:
    """A module from its file. Like a script, it may import what lies beside it; in a package, it is a part of that."""
    if not os.path.isfile(path):
        raise TargetError(f"{target}: file not found: {path}")
    full = os.path.abspath(path)
    name = os.path.splitext(os.path.basename(full))[0]
    held = sys.modules.get(name)
    if held is not None and getattr(held, "__file__", None) == full:
        return held
    if held is not None or not name.isidentifier():
        name = "_tfnanlint_" + "".join(c if c.isalnum() else "_" for c in full)
    folder, dotted = _package_of(full)
    if folder not in sys.path:
        sys.path.insert(0, folder)
    if dotted:
        inside: ModuleType = guarded(target, "cannot import it", importlib.import_module, dotted)
        if os.path.abspath(inside.__file__ or "") == full:
            return inside
    spec = importlib.util.spec_from_file_location(name, full)
    if spec is None or spec.loader is None:
        raise TargetError(f"{target}: cannot import {path}")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        guarded(target, "cannot import it", spec.loader.exec_module, module)
    except TargetError:
        del sys.modules[name]
        raise
    return module


def _package_of(path: str) -> tuple[str, str]:
    """The folder from which a file is imported, and its name in a package; an empty name where it is in none."""
    folder, stem = os.path.dirname(path), os.path.splitext(os.path.basename(path))[0]
    names = [stem]
    while os.path.isfile(os.path.join(folder, "__init__.py")) and os.path.basename(folder).isidentifier():
        names.insert(0, os.path.basename(folder))
        folder = os.path.dirname(folder)
    return (folder, ".".join(names)) if len(names) > 1 and stem.isidentifier() else (os.path.dirname(path), "")


def guarded(target: str, what: str, function: Any, *arguments: Any) -> Any:
    """Call what belongs to the user; what it raises, exits included, becomes a `TargetError`."""
    try:
        return function(*arguments)
    except (TfnanlintError, KeyboardInterrupt, GeneratorExit):
        raise
    except BaseException as error:
        raise TargetError(f"{target}: {what}: {blame(error)}") from error


def blame(error: BaseException) -> str:
    """An exception in one line: the user's line that raised it, its type, the first line of its message."""
    if isinstance(error, SyntaxError) and error.filename:
        return f"{shown(error.filename)}:{error.lineno or 1}: SyntaxError: {error.msg}"
    kind, said = type(error).__name__, str(error)
    metadata = getattr(error, "ag_error_metadata", None)
    frames = [(f.filename, f.lineno or 0) for f in reversed(traceback.extract_tb(error.__traceback__))]
    if metadata is not None:  # AutoGraph knows the lines that its own files stand for
        frames = [(f.filename, f.lineno) for f in metadata.translated_stack]
        kind, _, said = metadata.cause_message.partition(":")
    elif said.startswith("Exception encountered when calling"):  # Keras wraps what a layer raises
        kept = [line.strip() for line in said.splitlines()[1:] if line.strip()]
        said = kept[0].replace("\x1b[1m", "").replace("\x1b[0m", "") if kept else said
    lines = [line.strip() for line in said.strip().splitlines() if line.strip()]
    message = f"{kind}: {' '.join(lines[: 1 + lines[0].endswith(':')])}" if lines else kind
    message = f"{message[:LONGEST]}..." if len(message) > LONGEST else message
    for wanted in (Kind.USER, Kind.PACKAGE):
        for path, line in frames:
            if kind_of(path) is wanted and not path.startswith("<"):
                return f"{shown(path)}:{line}: {message}"
    return message
