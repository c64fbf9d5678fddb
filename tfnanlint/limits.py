"""Limits of time and memory for what no other bound covers: this process, and programs that it starts."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

WAY_OUT = "split it, or name it in `exclude`"
"""What to do about a file that is beyond a limit."""
SECONDS = 10.0
"""Beyond any file that people write: the largest ones take most of it on a slow machine."""
COMMENTS = 1.5
"""Seconds for applying the ignore comments of a file, which nobody writes by the thousand."""
REPAIRING = 6.0
"""Seconds for linting a file in all rounds of repairs, the first look included; no round begins after that."""


class TooLong(BaseException):
    """The time limit is exceeded. It is not an `Exception`, so that no error handler on the way catches it."""


@contextmanager
def ends_on_request() -> Iterator[None]:
    """Let a request to end (SIGTERM) leave by an exception: temporary files go, and workers end as well.

    Nothing changes in another thread than the main one, and where somebody else handles the signal.
    """

    def end(*_: object) -> None:
        raise SystemExit(128 + signal.SIGTERM)

    is_main = threading.current_thread() is threading.main_thread()
    if not is_main or signal.getsignal(signal.SIGTERM) != signal.SIG_DFL:
        yield
        return
    signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


@contextmanager
def processor_time(seconds: float) -> Iterator[None]:
    """Raise `TooLong` once this process has computed for so long; without a bound where the platform has no timers.

    A limit around it stands still meanwhile.
    """
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(*_: Any) -> None:
        raise TooLong

    left, _ = signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
        signal.setitimer(signal.ITIMER_VIRTUAL, left)


def give_back_memory() -> None:
    """Give the system back what was freed, which the C library of Linux keeps in pieces: it grows with each file."""
    if sys.platform == "linux":
        import ctypes

        with suppress(OSError, AttributeError):  # another C library has no such function
            ctypes.CDLL(None).malloc_trim(0)


def lower(kind: int, value: int, process: int = 0) -> None:
    """Set the limit that a process feels, and leave the one up to which it may be raised again; 0: this process."""
    import resource

    if process:
        _, hard = resource.prlimit(process, kind)
    else:
        _, hard = resource.getrlimit(kind)
    limits = (value if hard == resource.RLIM_INFINITY else min(value, hard), hard)
    if process:
        resource.prlimit(process, kind, limits)
    else:
        resource.setrlimit(kind, limits)


def hold_memory(process: int, most: int) -> None:
    """Hold a program that was started to so many bytes that it can write to, where the platform can."""
    if sys.platform == "linux":
        import resource

        with suppress(ProcessLookupError, PermissionError):  # it has ended, or the system forbids it
            lower(resource.RLIMIT_DATA, most, process)
