"""The Python stack of a graph operation: which of its frames is the user's line, and which library calls lie below it.

TensorFlow keeps for every operation the frames that were active when it was made. Reading a frame costs microseconds,
so the inner end is read for every operation, and the rest only for what is reported.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from typing import Any

Frame = tuple[str, int, str]
"""(file, line, function name)"""

TRACE_ENTRY = "func_graph_from_py_func"
"""The TensorFlow function below which the traced function's own frames begin."""


class Kind(Enum):
    """Whose code a frame runs."""

    FRAMEWORK = "TensorFlow or Keras"
    STANDARD = "Python's standard library"
    PACKAGE = "an installed package"
    USER = "the user's own code"


_FRAMEWORK = re.compile(
    r"[/\\](tensorflow[/\\](python|core|dtensor|compiler|lite|_api|include)|keras[/\\]src|tf_keras[/\\]src)[/\\]"
    r"|__autograph_generated_file|[/\\]tfnanlint[/\\]graph[/\\]"
)
_PACKAGE = re.compile(r"[/\\](site|dist)-packages[/\\]")
_STANDARD = re.compile(r"[/\\]lib[/\\]python3[^/\\]*[/\\]|[/\\]Lib[/\\]|^<frozen ")


@lru_cache(maxsize=8192)
def kind_of(path: str) -> Kind:
    """Whose file this is."""
    if _FRAMEWORK.search(path):
        return Kind.FRAMEWORK
    if _PACKAGE.search(path):
        return Kind.PACKAGE
    return Kind.STANDARD if _STANDARD.search(path) else Kind.USER


@dataclass(frozen=True)
class Stack:
    """The inner end of an operation's stack.

    `site` is the innermost frame that is not TensorFlow's or Keras's own, `depth` how many frames lie above it, and
    `inner` are the frames below it, outermost first: the library calls that made the operation.
    """

    site: Frame | None
    depth: int
    inner: tuple[Frame, ...]


NOWHERE = Stack(None, 0, ())


def stack_of(operation: Any) -> Stack:
    """The stack of an operation, read from its inner end up to the first frame outside the framework."""
    trace = operation.traceback
    if trace is None:
        return NOWHERE
    inner: list[Frame] = []
    for place in range(len(trace) - 1, -1, -1):
        frame = trace[place]
        found = (frame.filename, frame.lineno, frame.name)
        if kind_of(found[0]) in (Kind.USER, Kind.PACKAGE):
            inner.reverse()
            return Stack(found, place, tuple(inner))
        inner.append(found)
    inner.reverse()
    return Stack(None, 0, tuple(inner))


def calls_of(operation: Any) -> list[Frame]:
    """The user's frames from the traced function down to the operation's line, outermost first.

    Where no frame is the user's (a library traced by itself), those of installed packages.
    """
    trace = operation.traceback
    if trace is None:
        return []
    frames: list[Frame] = [(frame.filename, frame.lineno, frame.name) for frame in trace]
    entries = [place for place, frame in enumerate(frames) if frame[2] == TRACE_ENTRY]
    inside = frames[entries[0] :] if entries else frames
    for part in (inside, frames):
        for kind in (Kind.USER, Kind.PACKAGE):
            found = [frame for frame in part if kind_of(frame[0]) is kind]
            if found:
                return found
    return []
