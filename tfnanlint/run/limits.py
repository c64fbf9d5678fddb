"""A CPU time limit for each file, for cases that no other bound covers."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

SECONDS = 8.0
"""Beyond any file that people write: the largest ones take half of it."""
REPAIRING = 8.0
"""Seconds for linting a file in all rounds of repairs, the first look included; no round begins after that."""


class TooLong(BaseException):
    """The time limit is exceeded. It is not an `Exception`, so that no error handler on the way catches it."""


@contextmanager
def processor_time(seconds: float) -> Iterator[None]:
    """Raise `TooLong` once this process has computed for so long; without a bound where the platform has no timers."""
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(*_: Any) -> None:
        raise TooLong

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
