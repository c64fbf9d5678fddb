"""A run in another process, which is ended where TensorFlow does not come back, or ends itself in a crash.

While XLA compiles, or a library loops in C++, nothing within the process can stop it. A process that had to be ended is
started again behind what it could not get through: its events are the same up to there, and are not handed on twice.
"""

from __future__ import annotations

import os
import pickle
import queue
import signal
import subprocess
import sys
import threading
import warnings
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from typing import IO

from tfnanlint.finding import Finding
from tfnanlint.graph.job import Event, Failed, Job, Proved, Proving, Reading
from tfnanlint.graph.job import events as events_within

GRACE = 2.0
"""Seconds that a search is given to end by itself once its time is over."""
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
        with closing(_Process(job, first, settled)) as process:
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
    return job.proving + GRACE if isinstance(last, Proving) and job.proving is not None else reading


def _instead(last: Event, place: int, stopped: _Stopped) -> Event:
    """The event in the place of what does not come."""
    if not isinstance(last, Proving):
        return Failed(place, f"importing, tracing or reading it {stopped}")
    proof = {"status": "not reached", "reason": f"running it {stopped}"}
    return Proved(last.number, replace(last.finding, proof=proof))


class _Process:
    """A process that does a job from one target on."""

    def __init__(self, job: Job, first: int, settled: Sequence[Finding]) -> None:
        code = _START.format(path=[entry or os.getcwd() for entry in sys.path], argv=sys.argv)
        self._process = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._came: queue.Queue[Event | EOFError | None] = queue.Queue()
        assert self._process.stdin is not None
        pickle.dump((job, first, settled), self._process.stdin)
        self._process.stdin.flush()
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        assert self._process.stdout is not None
        event: Event | EOFError | None = EOFError()
        while event is not None:
            try:
                event = pickle.load(self._process.stdout)
            except (EOFError, pickle.UnpicklingError, OSError, ValueError):
                self._came.put(EOFError())
                return
            self._came.put(event)

    def next(self, seconds: float | None) -> Event | None:
        """The next event, None behind the last one; `_Stopped`."""
        try:
            event = self._came.get(timeout=seconds)
        except queue.Empty:
            raise _Stopped(f"does not come to an end in {seconds:g} s") from None
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


def _ended(status: int) -> str:
    """How a process ended, by its status."""
    if status < 0:
        try:
            return f"ends in a crash ({signal.Signals(-status).name})"
        except ValueError:
            pass
    return f"ends the process, with status {status}"


def serve() -> None:
    """Do the job that comes from standard input, its events to standard output; nothing else is written there."""
    from tfnanlint.graph.quiet import quiet

    signal.signal(signal.SIGINT, signal.SIG_DFL)
    if not sys.warnoptions:
        warnings.simplefilter("ignore")
    job, first, settled = pickle.load(sys.stdin.buffer)
    threading.Thread(target=_end_with, args=(sys.stdin.buffer,), daemon=True).start()
    sys.stdin = open(os.devnull)  # noqa: SIM115 (for as long as the process lives)
    with os.fdopen(os.dup(1), "wb") as told:
        os.dup2(2, 1)
        with quiet():
            for event in events_within(job, first, settled):
                pickle.dump(event, told)
                told.flush()
        pickle.dump(None, told)


def _end_with(given: IO[bytes]) -> None:
    """End this process when the one that started it has gone."""
    given.read(1)
    os._exit(1)
