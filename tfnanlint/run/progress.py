"""A progress bar on standard error for runs that take long."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

DELAY = 1.0
_INTERVAL = 0.1


class Bar:
    """Counts files; shows itself after a second, and only on a terminal."""

    def __init__(self, total: int, quiet: bool = False) -> None:
        self._total, self._done = total, 0
        self._watched = not quiet and sys.stderr.isatty()
        self._next = time.monotonic() + DELAY
        self._bar: Progress | None = None
        self._task: TaskID | None = None

    def advance(self) -> None:
        """One file more is done."""
        self._done += 1
        if self._watched and time.monotonic() > self._next:
            self._next = time.monotonic() + _INTERVAL
            self._show()

    def close(self) -> None:
        """Take the bar away."""
        if self._bar:
            self._bar.stop()
            self._bar = None

    def _show(self) -> None:
        if self._bar is None or self._task is None:
            from rich.console import Console
            from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

            columns = (TextColumn("linting"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
            # Refreshed by hand: a refreshing thread would be alive when workers are forked.
            self._bar = Progress(*columns, console=Console(stderr=True), auto_refresh=False, transient=True)
            self._task = self._bar.add_task("linting", total=self._total)
            self._bar.start()
        self._bar.update(self._task, completed=self._done, refresh=True)
