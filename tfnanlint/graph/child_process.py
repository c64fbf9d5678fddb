"""A run in a separate process, which is killed if TensorFlow hangs, and may crash without harm.

Nothing inside a process can interrupt XLA compilation or a loop in C++. After a process is killed, a new one starts
behind the step that failed. It produces the same events up to there, and those are not passed on twice.

A file from an unknown source is read in a confined process. That process writes only to a folder that is removed
afterwards, and its output is accepted only as events.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import queue
import signal
import subprocess
import sys
import threading
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import is_dataclass, replace
from functools import partial
from tempfile import TemporaryDirectory
from typing import Any

from tfnanlint.errors import TfnanlintError
from tfnanlint.finding import Finding
from tfnanlint.graph.confinement import MEGABYTE, NO_TIME_OF_ITS_OWN, Limits, confine, limit, limits_of
from tfnanlint.graph.job import Event, Failed, Job, Proved, Proving, Reading
from tfnanlint.graph.job import events as events_within

GRACE = 2.0
"""Seconds that a search is given to end by itself once its time is over."""
PROVING = 100_000.0
"""Seconds of the processor for all the proofs of a target, each of which has a limit by the clock."""
ROOM = 2000 * MEGABYTE
"""Bytes for what a graph that is run computes."""
STARTING = 60.0
"""Seconds in which TensorFlow is imported, on the slowest machine."""
_ALONE = {"CUDA_VISIBLE_DEVICES": "-1", "OMP_NUM_THREADS": "1", "TF_NUM_INTRAOP_THREADS": "1"}
"""A confined process leaves the accelerators and the other cores alone: each takes memory that is not the model's."""
_START = (
    "import sys; sys.path[:] = {path!r}; sys.argv[:] = {argv!r}; "
    "from tfnanlint.graph.child_process import serve; serve()"
)


class _Stopped(Exception):
    """The process does not go on, and why."""


def events(job: Job, reading: float | None = None) -> Iterator[Event]:
    """The events of a job; what takes longer than it may is ended, with an event that says so.

    `reading` is how many seconds there are to import, trace or read a target, None: as many as that takes.
    """
    first, told = 0, 0
    settled: list[Finding] = []
    while first < len(job.targets):
        seen = 0
        last: Event = Reading(first)
        with closing(_Process(job, first, settled, reading)) as process:
            while True:
                stopped = None
                try:
                    event = process.next(_limit(last, job, reading))
                except _Stopped as error:
                    event = stopped = _instead(last, first, error)
                if event is None:
                    return
                if isinstance(event, Reading) and event.place > first:
                    first, told, seen, settled = event.place, 0, 0, []
                seen, last = seen + 1, event
                if seen > told:
                    told = seen
                    if isinstance(event, Proved):
                        settled.append(event.finding)
                    yield event
                if stopped is not None:
                    break
        if isinstance(stopped, Failed):
            first, told, settled = first + 1, 0, []


def _limit(last: Event, job: Job, reading: float | None) -> float | None:
    """How long it may take until something comes behind an event."""
    if isinstance(last, Proving) and job.proving is not None:
        return job.proving + GRACE
    if job.confined and reading is None and isinstance(last, Reading):
        return STARTING + NO_TIME_OF_ITS_OWN * limits_of(job.targets[last.place]).seconds
    return reading


def _instead(last: Event, place: int, stopped: _Stopped) -> Event:
    """The event in the place of what does not come."""
    if not isinstance(last, Proving):
        return Failed(place, f"importing, tracing or reading it {stopped}")
    proof = {"status": "not reached", "reason": f"running it {stopped}"}
    return Proved(last.number, replace(last.finding, proof=proof))


class _Process:
    """A process that does a job from one target on."""

    def __init__(self, job: Job, first: int, settled: Sequence[Finding], reading: float | None = None) -> None:
        code = _START.format(path=[entry or os.getcwd() for entry in sys.path], argv=sys.argv)
        self._folder = TemporaryDirectory(prefix="tfnanlint-", ignore_cleanup_errors=True) if job.confined else None
        place = None if self._folder is None else self._folder.name
        environment = None if place is None else {**os.environ, **_ALONE, "TMPDIR": place, "KERAS_HOME": place}
        self._process = subprocess.Popen(
            [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment
        )
        self._came: queue.Queue[Event | EOFError | None] = queue.Queue()
        assert self._process.stdin is not None
        pickle.dump((job, first, settled, place, reading), self._process.stdin)
        self._process.stdin.flush()
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        assert self._process.stdout is not None
        event: Event | EOFError | None = EOFError()
        while event is not None:
            try:
                event = _Events(self._process.stdout).load()
            except (EOFError, pickle.UnpicklingError, OSError, ValueError, TypeError, AttributeError):
                self._came.put(EOFError())
                return
            self._came.put(event)

    def next(self, seconds: float | None) -> Event | None:
        """The next event, None behind the last one; `_Stopped`."""
        try:
            event = self._came.get(timeout=seconds)
        except queue.Empty:
            raise _Stopped(f"did not finish within {seconds:g} s") from None
        if isinstance(event, EOFError):
            raise _Stopped(_ended(self._process.wait()))
        return event

    def close(self) -> None:
        """End the process, whatever it does."""
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                stream.close()
        if self._folder is not None:
            self._folder.cleanup()


class _Events(pickle.Unpickler):
    """Reads events and what they consist of, and refuses to make anything else."""

    def find_class(self, module: str, name: str) -> Any:
        held = super().find_class(module, name) if module in _PARTS and "." not in name else None
        if not isinstance(held, type) or not is_dataclass(held):
            raise pickle.UnpicklingError(f"{module}.{name} is not part of an event")
        return held


_PARTS = ("tfnanlint.graph.job", "tfnanlint.finding")
"""The modules whose data classes are parts of events."""


def _ended(status: int) -> str:
    """How a process ended, by its status."""
    if hasattr(signal, "SIGXCPU") and status == -signal.SIGXCPU:
        return "exceeded its limit of processor time; --target-seconds sets another limit"
    if status < 0:
        try:
            return f"crashed the process ({signal.Signals(-status).name})"
        except ValueError:
            pass
    return f"ended the process with status {status}"


def serve() -> None:
    """Do the job that comes from standard input, its events to standard output; nothing else is written there."""
    from tfnanlint.graph.quiet import quiet

    signal.signal(signal.SIGINT, signal.SIG_DFL)
    if not sys.warnoptions:
        warnings.simplefilter("ignore")
    job, first, settled, folder, reading = pickle.load(sys.stdin.buffer)
    threading.Thread(target=_end_with, args=(os.dup(0),), daemon=True).start()
    sys.stdin = open(os.devnull)  # noqa: SIM115 (for as long as the process lives)
    with os.fdopen(os.dup(1), "wb") as told:
        os.dup2(2, 1)
        with quiet():
            before = None if folder is None else _confined(job, folder, reading)
            for event in events_within(job, first, settled, before):
                pickle.dump(event, told)
                told.flush()
        pickle.dump(None, told)


def _confined(job: Job, folder: str, reading: float | None) -> Callable[[str], None]:
    """Confine this process to reading a job's targets; what sets the limits for each of them."""
    import tensorflow as tf

    from tfnanlint.graph.importing import imported
    from tfnanlint.run.plan import plan_of

    plan_of(job.settings)  # reads the rules, wherever they are
    for module in job.imports:
        with contextlib.suppress(TfnanlintError):  # raised again where a target needs it
            imported(module)
    tf.constant(0.0)  # its threads are there now, and none of them counts as the model's
    confine(folder, [os.getcwd(), *(path for target in job.targets for path in _read_with(target))])
    return partial(_limited, reading, job.proving is not None)


def _read_with(target: str) -> Iterator[str]:
    """A file or folder, with what lies beside a graph and belongs to it, and what links in such folders lead to."""
    beside = os.path.dirname(target)

    for folder in (target, os.path.join(target, "variables"), os.path.join(beside, "variables")):
        yield folder
        if os.path.isdir(folder):
            yield from (entry.path for entry in os.scandir(folder) if entry.is_symlink() and entry.is_file())
    yield os.path.join(beside, "debug")


def _limited(reading: float | None, running: bool, target: str) -> None:
    """Set the limits for a target; what is run has those of each proof instead, and room for what it computes."""
    limits = limits_of(target)
    limits = limits if reading is None else limits._replace(seconds=reading)
    limit(Limits(PROVING, limits.memory + ROOM) if running else limits)


def _end_with(given: int) -> None:
    """End this process when the one that started it has gone."""
    os.read(given, 1)
    os._exit(1)
