"""Library calls in a graph: the operations of one Python call, found by their stacks and name scopes.

The calls of one function at one line follow one another in the order of the graph. Name scopes separate them or, for
functions that open no scope, the repetition of frames.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from tfnanlint.graph.model import Operation
from tfnanlint.graph.spellings import Call, Table
from tfnanlint.graph.stack import Frame, Stack
from tfnanlint.ops import GRAPH_TYPES

HELPERS = frozenset("Const Pack Placeholder ReadVariableOp Shape Rank Range Identity StridedSlice Cast".split())
"""What one call may well make twice on one line, converting its arguments say."""


_WRAPPERS = ("/tensorflow/python/util/traceback_utils.py", "/tensorflow/python/util/dispatch.py")
"""The files of what TensorFlow wraps around functions that it exports."""


@dataclass(eq=False)
class Group:
    """Operations of one library call (`call`), or a single operation outside of any (`call` is None)."""

    call: Call | None
    stack: Stack
    operations: list[Operation] = field(default_factory=list)


@dataclass(eq=False)
class _Run:
    """Operations of the same call site, not yet told apart into single calls."""

    call: Call
    stack: Stack
    operations: list[Operation] = field(default_factory=list)
    frames: list[tuple[Any, ...]] = field(default_factory=list)


class _Site(NamedTuple):
    """What the stacks of one point of a program say: which call they lie in, what tells it from other calls."""

    call: Call
    key: Any
    frames: int
    """A number for the frames from the call on, equal where they are."""


def groups_of(operations: Sequence[Operation], table: Table) -> list[Group]:
    """All operations in groups, each group standing where its last operation stands."""
    runs: list[_Run | Group] = []
    open_runs: dict[Any, _Run] = {}
    sites: dict[Stack, _Site | None] = {}
    numbers: dict[Any, int] = {}
    for operation in operations:
        stack = operation.graph.stacks.of(operation)
        if stack not in sites:
            found = match(stack, table)
            sites[stack] = None
            if found is not None:
                frames = numbers.setdefault(stack.inner[found[1] :], len(numbers))
                sites[stack] = _Site(found[0], _key(stack, found[1]), frames)
        site = sites[stack]
        if open_runs:
            for key in [k for k, run in open_runs.items() if run.stack.depth >= stack.depth]:
                if site is None or key != site.key:
                    del open_runs[key]
        if site is None:
            runs.append(Group(None, stack, [operation]))
            continue
        run = open_runs.get(site.key)
        if run is None:
            run = open_runs[site.key] = _Run(site.call, stack)
            runs.append(run)
        run.operations.append(operation)
        run.frames.append((operation,) if _helps(operation, site.call) else (operation.type, site.frames))
    groups: list[Group] = []
    for part in runs:
        groups.extend([part] if isinstance(part, Group) else _split(part))
    order = {operation: place for place, operation in enumerate(operations)}
    groups.sort(key=lambda group: order[group.operations[-1]])
    return groups


def _helps(operation: Operation, call: Call) -> bool:
    """Whether an operation may be there any number of times, and is not what the call is about."""
    return operation.type in HELPERS and GRAPH_TYPES.get(operation.type) is not call.op


def match(stack: Stack, table: Table) -> tuple[Call, int] | None:
    """The outermost library call of a stack that the table knows, and its frame's place."""
    inner = stack.inner
    for place, frame in enumerate(inner):
        call = table.call(frame)
        if call is None:
            continue
        if call.activated and _is_activation(inner, place):
            continue
        return call, place
    return None


def _is_activation(inner: tuple[Frame, ...], place: int) -> bool:
    """Whether a layer's own `call` does nothing here but call the activation it was given."""
    paths = (frame[0].replace("\\", "/") for frame in inner[place + 1 :])
    path = next((path for path in paths if not path.endswith(_WRAPPERS)), "")
    return path.endswith("/activations.py") and "/keras/" in path.replace("tf_keras", "keras")


def _key(stack: Stack, place: int) -> Any:
    """What tells call sites apart: the user's frame, and the frames from there to the call, its own line left out."""
    path, _, name = stack.inner[place]
    return (stack.site, stack.depth, stack.inner[:place], path, name)


def _split(run: _Run) -> list[Group]:
    """The single calls of a run."""
    if len(set(run.frames)) == len(run.frames):
        return [Group(run.call, run.stack, run.operations)]
    parts = _by_scope(run.operations)
    if len(parts) == 1 and run.call.op is not None:
        parts = _by_repetition(run)
    return [Group(run.call, run.stack, operations) for operations in parts]


def _by_scope(operations: list[Operation]) -> list[list[Operation]]:
    """Operations by the first name scope in which they differ; one list where there is no such scope."""
    scopes = [operation.name.split("/")[:-1] for operation in operations]
    common = 0
    while all(len(s) > common and s[common] == scopes[0][common] for s in scopes):
        common += 1
    if not all(len(s) > common for s in scopes):
        return [operations]
    parts: dict[str, list[Operation]] = {}
    for scope, operation in zip(scopes, operations, strict=True):
        parts.setdefault(scope[common], []).append(operation)
    return list(parts.values())


def _by_repetition(run: _Run) -> list[list[Operation]]:
    """Calls that made the same operations in the same order, one after the other; one list where that is not so."""
    pairs = zip(run.operations, run.frames, strict=True)
    sequence = [frames for operation, frames in pairs if not _helps(operation, run.call)]
    length = _period(sequence)
    if length is None:
        starts = [place for place, frames in enumerate(sequence) if frames == sequence[0]]
        if GRAPH_TYPES.get(sequence[0][0]) is run.call.op:
            return _cut(run, set(starts))
        return [run.operations]
    return _cut(run, set(range(0, len(sequence), length)))


def _period(sequence: list[Any]) -> int | None:
    """The shortest length after which a sequence repeats itself to its end."""
    for length in range(1, len(sequence) // 2 + 1):
        if len(sequence) % length == 0 and all(a == b for a, b in zip(sequence, sequence[length:], strict=False)):
            return length
    return None


def _cut(run: _Run, starts: set[int]) -> list[list[Operation]]:
    """A run's operations cut before some of those that are not helpers; the helpers that prepare one go with it."""
    parts: list[list[Operation]] = [[]]
    prepared: list[Operation] = []
    place = 0
    for operation in run.operations:
        if _helps(operation, run.call):
            prepared.append(operation)
            continue
        if place in starts and parts[-1]:
            made = set(parts[-1])
            behind = [o for o in prepared if any(t.op in made for t in o.inputs)]
            parts[-1].extend(behind)
            prepared = [o for o in prepared if o not in behind]
            parts.append([])
        parts[-1].extend([*prepared, operation])
        prepared = []
        place += 1
    parts[-1].extend(prepared)
    return parts
