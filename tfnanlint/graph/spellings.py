"""The op of a library frame: the code objects behind the spellings in the op table.

A row lists how its op is spelled in Python. The function behind each spelling tells the file and lines of its frames.
So rows need no second description of their traced form, and a new spelling works at once.
"""

from __future__ import annotations

import inspect
import sys
from functools import cache
from typing import Any, NamedTuple

from tfnanlint.graph.stack import Frame
from tfnanlint.ops import SPELLINGS, Op

BUILDS = frozenset({"add_weight", "build"})
"""What the `build` method of a layer with weights of its own, or of parts that have them, calls."""


HANDED_IN = frozenset({"layer", "cell", "cells"})
"""What a layer that wraps others is made with: the program's own ones may be among them."""


class Call(NamedTuple):
    """The callee of a frame: an op of the table, or a Keras layer by its possible class names.

    `activated`: the layer applies an activation passed to it, which is a separate call.
    """

    op: Op | None
    kinds: tuple[str, ...] = ()
    activated: bool = False


class _Entry(NamedTuple):
    first: int
    last: int
    call: Call | None


class Table:
    """Frames to calls, for the libraries that are loaded now."""

    def __init__(self) -> None:
        self._entries: dict[tuple[str, str], list[_Entry]] = {}
        self._found: dict[Frame, Call | None] = {}
        for name, (op, spelling) in SPELLINGS.items():
            if spelling.through is None:
                for function in _functions(name):
                    self._enter(function, Call(op))
        for layers in _layer_modules():
            self._layers(layers)

    def call(self, frame: Frame) -> Call | None:
        """What this frame is a call of, if the table knows."""
        if frame not in self._found:
            path, line, name = frame
            entries = self._entries.get((path, name), ())
            self._found[frame] = next((e.call for e in entries if e.first <= line <= e.last), None)
        return self._found[frame]

    def _enter(self, function: Any, call: Call) -> None:
        code = getattr(inspect.unwrap(function), "__code__", None)
        if code is None:
            return
        last = max((line for _, _, line in code.co_lines() if line is not None), default=code.co_firstlineno)
        entries = self._entries.setdefault((code.co_filename, code.co_name), [])
        known = next((entry for entry in entries if entry.first == code.co_firstlineno), None)
        if known is None:
            entries.append(_Entry(code.co_firstlineno, last, call))
        elif code.co_freevars and known.call is not None and known.call.op is not call.op:
            # Functions that one factory makes share their code, as `rfft` and `rfft2d` do: the frame tells neither.
            entries[entries.index(known)] = known._replace(call=None)

    def _layers(self, module: Any) -> None:
        """The `call` methods of the layers that have weights."""
        kinds: dict[Any, list[str]] = {}
        for name, member in vars(module).items():
            cls: Any = member if inspect.isclass(member) and hasattr(member, "call") else module.Layer
            if cls.build is module.Layer.build or not HANDED_IN.isdisjoint(inspect.signature(cls.__init__).parameters):
                continue
            build = getattr(inspect.unwrap(cls.build), "__code__", None)
            if build is not None and not BUILDS.isdisjoint(build.co_names):
                kinds.setdefault(cls.call, []).append(name)
        for function, names in kinds.items():
            code = getattr(inspect.unwrap(function), "__code__", None)
            activated = code is not None and "activation" in code.co_names
            self._enter(function, Call(None, tuple(names), activated))


@cache
def _table_for(loaded: tuple[str, ...]) -> Table:
    return Table()


def table() -> Table:
    """The table for what is loaded: Keras joins it when it is imported."""
    return _table_for(tuple(name for name in ("tensorflow", "keras", "tf_keras") if name in sys.modules))


def _functions(name: str) -> list[Any]:
    """The functions that a canonical spelling names, in every loaded generation of the library."""
    head, *rest = name.split(".")
    found: list[Any] = []
    for root in _roots(head):
        value = root
        for part in rest:
            value = getattr(value, part, None)
            if value is None:
                break
        if callable(value):
            found.append(value)
    return found


def _roots(head: str) -> tuple[Any, ...]:
    """Where the names under a canonical prefix live. Keras is looked at only where the program has loaded it."""
    if head == "tf":
        import tensorflow as tf

        return (tf, tf.compat.v1)
    keras, tf_keras = sys.modules.get("keras"), sys.modules.get("tf_keras")
    if head == "keras":
        return tuple(m for m in (keras, tf_keras) if m is not None)
    if head == "tnp":
        import tensorflow as tf

        return (tf.experimental.numpy,)
    if head == "ops":
        return tuple(m for m in (getattr(keras, "ops", None),) if m is not None)
    if head == "K":
        legacy = sys.modules.get("keras.src.legacy.backend")
        return tuple(m for m in (legacy, getattr(tf_keras, "backend", None)) if m is not None)
    return ()


def _layer_modules() -> list[Any]:
    found = [getattr(sys.modules.get(name), "layers", None) for name in ("keras", "tf_keras")]
    return [module for module in found if module is not None]
