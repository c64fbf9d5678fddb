"""A time limit for building and running TensorFlow functions; raises `OutOfTime`."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

AGAIN = 0.1
"""Seconds until the alarm rings again where an exception would be lost."""


class OutOfTime(Exception):
    """The time is over."""


class Deadline:
    """The end of a time limit.

    It cancels what TensorFlow runs inside `running`. An exception in TensorFlow permanently cancels everything under
    the same manager, so each run has its own manager.
    """

    def __init__(self, seconds: float) -> None:
        self._ends = time.monotonic() + seconds
        self._manager: Any = None

    def check(self) -> None:
        """Raise `OutOfTime` when the time is over."""
        if time.monotonic() > self._ends:
            raise OutOfTime

    @contextmanager
    def running(self) -> Iterator[None]:
        """Whatever TensorFlow runs inside ends with the time."""
        from tensorflow.python.eager import cancellation

        manager = self._manager = cancellation.CancellationManager()
        self.check()
        with cancellation.CancellationManagerContext(manager):
            yield

    def cancel(self) -> None:
        """Cancel what runs now."""
        if self._manager is not None:
            self._manager.start_cancel()


@contextmanager
def limited(seconds: float) -> Iterator[Deadline]:
    """So many seconds for what happens inside.

    What TensorFlow builds is interrupted where the system has a timer for that, and nobody else uses it; only XLA
    cannot be, while it compiles.
    """
    deadline = Deadline(seconds)
    timer = threading.Timer(seconds, deadline.cancel)
    timer.daemon = True
    timer.start()
    try:
        with _alarm(seconds):
            yield deadline
    finally:
        timer.cancel()


def _is_swallowing(frame: Any) -> bool:
    """Whether Python only prints what is raised here: in a finaliser, or where a weak reference ends."""
    return frame is not None and (frame.f_code.co_name == "__del__" or frame.f_globals.get("__name__") == "weakref")


@contextmanager
def _alarm(seconds: float) -> Iterator[None]:
    """`OutOfTime` is raised in the main thread when the time is over."""
    is_main = threading.current_thread() is threading.main_thread()
    if not is_main or not hasattr(signal, "setitimer") or signal.getitimer(signal.ITIMER_REAL)[0]:
        yield
        return

    def ring(number: int, frame: Any) -> None:
        if not _is_swallowing(frame):
            raise OutOfTime
        signal.setitimer(signal.ITIMER_REAL, AGAIN)

    held = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, held)
