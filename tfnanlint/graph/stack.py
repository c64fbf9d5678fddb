"""The Python stack of a graph operation: the frame of the user's line, and the library calls below it.

TensorFlow stores the active frames for every operation. Thousands of operations share a few stacks. Each stack is read
once: its inner end at once, the rest only for findings.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from enum import Enum
from functools import lru_cache
from typing import Any, overload

Frame = tuple[str, int, str]
"""(file, line, function name)"""

TRACE_ENTRY = "func_graph_from_py_func"
"""The TensorFlow function below which the traced function's own frames begin."""


OWN = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
"""Where the files of this package lie."""


class Kind(Enum):
    """Whose code a frame runs."""

    FRAMEWORK = "TensorFlow or Keras"
    STANDARD = "Python's standard library"
    PACKAGE = "an installed package"
    USER = "the user's own code"
    LINTER = "this package"


_USERS = (Kind.USER, Kind.PACKAGE)


_FRAMEWORK = re.compile(
    r"[/\\](tensorflow[/\\](python|core|dtensor|compiler|lite|_api|include)|keras[/\\]src|tf_keras[/\\]src)[/\\]"
    r"|__autograph_generated_file|[/\\]tfnanlint[/\\]graph[/\\]"
)
_OPTIMIZER = re.compile(
    r"[/\\](keras|tf_keras)[/\\]src[/\\](optimizers[/\\]|backend[/\\].*optimizer)"
    r"|[/\\]tensorflow[/\\]python[/\\](training|keras[/\\]optimizer_v[12])[/\\.]"
)
"""Where the code of optimizers lies, and of the moving averages that they keep."""
_PACKAGE = re.compile(r"[/\\](site|dist)-packages[/\\]")
_STANDARD = re.compile(r"[/\\]lib[/\\]python3[^/\\]*[/\\]|[/\\]Lib[/\\]|^<frozen ")


@lru_cache(maxsize=8192)
def kind_of(path: str) -> Kind:
    """Whose file this is."""
    if path.startswith(OWN):
        return Kind.LINTER
    if _FRAMEWORK.search(path):
        return Kind.FRAMEWORK
    if _PACKAGE.search(path):
        return Kind.PACKAGE
    return Kind.STANDARD if _STANDARD.search(path) else Kind.USER


class Stack:
    """A stack: the frames of an operation, outermost first, and what its inner end says.

    `site` is the innermost frame that is not TensorFlow's or Keras's own, `depth` how many frames lie above it, and
    `inner` are the frames below it, outermost first: the library calls that made the operation. Operations made at
    the same point of a program share one.
    """

    __slots__ = ("_frames", "_path", "_updates", "depth", "inner", "site")

    def __init__(self, frames: Sequence[Frame]) -> None:
        self._frames = frames
        self._path: tuple[Frame, ...] | None = None
        self._updates: bool | None = None
        self.site: Frame | None = None
        inner: list[Frame] = []
        place = len(frames)
        while place > 0:
            place -= 1
            frame = frames[place]
            kind = kind_of(frame[0])
            if kind is Kind.LINTER:
                break  # above it stands whoever asked for the trace
            if kind in _USERS:
                self.site = frame
                break
            inner.append(frame)
        inner.reverse()
        self.depth = place
        self.inner = tuple(inner)

    @property
    def path(self) -> tuple[Frame, ...]:
        """The user's frames from the traced function down to the operation's line, outermost first.

        Where no frame is the user's (a library traced by itself), those of installed packages.
        """
        if self._path is None:
            self._path = tuple(self._user_frames())
        return self._path

    @property
    def updates(self) -> bool:
        """Whether an optimizer of TensorFlow or Keras made the operation, on its way to new weights."""
        if self._updates is None:
            self._updates = any(_OPTIMIZER.search(path) for path, _, _ in self.inner)
        return self._updates

    def _user_frames(self) -> Sequence[Frame]:
        frames = [self._frames[place] for place in range(self.depth + 1)] if self.site is not None else []
        entries = [place for place, frame in enumerate(frames) if frame[2] == TRACE_ENTRY]
        inside = frames[entries[0] :] if entries else frames
        for part in (inside, frames):
            for kind in (Kind.USER, Kind.PACKAGE):
                found = [frame for frame in part if kind_of(frame[0]) is kind]
                if found:
                    return found
        return []


NOWHERE = Stack(())


class Stacks:
    """The stacks of a graph's operations; of this one, none."""

    def of(self, operation: Any) -> Stack:
        """The stack of an operation, `NOWHERE` where there is none."""
        return NOWHERE


NO_STACKS = Stacks()


TELLING = 8
"""The frame, from the inner end, whose line tells most stacks apart: it lies above the making of operations."""


class NativeStacks(Stacks):
    """The stacks that TensorFlow keeps with the operations of a graph in memory, each read once.

    To hash one costs thirty times what comparing two costs, so they are looked up by their length and one line.
    """

    def __init__(self, native: Any) -> None:
        self._operations = {operation.name: operation for operation in native.get_operations()}
        self._known: dict[Any, list[tuple[Any, Stack]]] = {}

    def of(self, operation: Any) -> Stack:
        native = self._operations.get(operation.name)
        trace = native.traceback if native is not None else None
        if trace is None:
            return NOWHERE
        length = len(trace)
        key = (operation.type, length, trace[length - TELLING].lineno if length >= TELLING else 0)
        known = self._known.setdefault(key, [])
        for other, stack in known:
            if other == trace:
                return stack

        stack = Stack(_Printed(trace, length))
        known.append((trace, stack))
        return stack


_LINE = re.compile(r'File "(.*)", line (\d+), in (.*)')


@lru_cache(maxsize=32_768)
def _frame_of(line: str) -> Frame | None:
    """The frame of a line of a printed stack."""
    found = _LINE.fullmatch(line)
    return (found[1], int(found[2]), found[3]) if found is not None else None


MOST_INNER = 20
"""The frames that most stacks are read for: those below the user's line, and that."""


class _Printed(Sequence[Frame]):
    """The frames of a stack of TensorFlow, read one by one from its print: that costs a fifth of asking for each."""

    def __init__(self, trace: Any, length: int) -> None:
        self._trace = trace
        self._length = length
        self._text = str(trace).rstrip("\n")
        self._lines = self._text.rsplit("\n", MOST_INNER)
        self._printed = self._text.count("\n") + 1 == length

    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, place: int) -> Frame: ...

    @overload
    def __getitem__(self, place: slice) -> list[Frame]: ...

    def __getitem__(self, place: int | slice) -> Frame | list[Frame]:
        if isinstance(place, slice):
            return [self[at] for at in range(*place.indices(self._length))]
        if self._length - place >= len(self._lines) < self._length:
            self._lines = self._text.split("\n")
        found = _frame_of(self._lines[place - self._length]) if self._printed else None
        if found is None:
            frame = self._trace[place]
            found = (frame.filename, frame.lineno, frame.name)
        return found


class RecordedStacks(Stacks):
    """The stacks that were saved beside a graph, in a GraphDebugInfo."""

    def __init__(self, recorded: Any) -> None:
        self._recorded = recorded
        self._known: dict[Any, Stack] = {}

    def of(self, operation: Any) -> Stack:
        for key in self._keys(operation):
            recorded = self._recorded
            if key in recorded.name_to_trace_id:
                number = recorded.name_to_trace_id[key]
                if number not in self._known:
                    trace = recorded.traces_by_id.get(number)
                    self._known[number] = Stack(self._frames(trace)) if trace is not None else NOWHERE
                return self._known[number]
            if key in recorded.traces:
                if key not in self._known:
                    self._known[key] = Stack(self._frames(recorded.traces[key]))
                return self._known[key]
        return NOWHERE

    def _keys(self, operation: Any) -> Iterator[str]:
        """The names under which an operation may be recorded: its own, and those of what it was made from."""
        yield f"{operation.name}@{operation.graph.name}"
        if operation.node is not None and operation.node.HasField("experimental_debug_info"):
            made_from = operation.node.experimental_debug_info
            functions = [*made_from.original_func_names, *[""] * len(made_from.original_node_names)]
            for name, function in zip(made_from.original_node_names, functions, strict=False):
                yield f"{name}@{function}"
        yield operation.name

    def _frames(self, trace: Any) -> tuple[Frame, ...]:
        recorded = self._recorded
        lines = [recorded.frames_by_id[i] for i in trace.frame_id if i in recorded.frames_by_id]
        files = [_text(path) for path in recorded.files]
        # It may name any, to have it shown, and what can be the name of none.
        files = [path if path.endswith(_PYTHON) and "\0" not in path else "" for path in files]
        return tuple(
            (files[line.file_index], line.line, _text(line.func))
            for line in (lines or trace.file_line_cols)
            if 0 <= line.file_index < len(files) and files[line.file_index]
        )


def _text(recorded: str | bytes) -> str:
    """A text that was recorded; one that is not UTF-8 is given as bytes."""
    return recorded if isinstance(recorded, str) else recorded.decode("utf-8", "replace")


_PYTHON = (".py", ".ipynb")
