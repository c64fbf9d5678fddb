"""`--watch`: lint again whenever a linted file or a configuration changes."""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Callable, Sequence
from typing import Protocol

from tfnanlint.commands import WRONG
from tfnanlint.config.discovery import FILES
from tfnanlint.contents import SKIPPED_FOLDERS
from tfnanlint.errors import TfnanlintError
from tfnanlint.report.terminal import printable_lines
from tfnanlint.run.discover import SUFFIXES

QUIET_FOR = 200
"""Milliseconds without a change after which a run starts: who saves ten files wants one report."""


class Ended(Protocol):
    """How a run has ended."""

    @property
    def written(self) -> Sequence[str]:
        """The files that it has written."""


def watch(paths: Sequence[str], run: Callable[[], Ended]) -> int:
    """Run at once and after every change below some paths, until interrupted; the status if that cannot be.

    What a run itself has written is not a change.
    """
    if importlib.util.find_spec("watchfiles") is None:
        raise TfnanlintError("--watch needs watchfiles: pip install 'tfnanlint[watch]'")
    missing = [path for path in paths if not os.path.exists(path)]
    if missing:
        raise TfnanlintError(f"{missing[0]}: no such file or folder")
    from watchfiles import watch as changes_in

    full = [os.path.realpath(path) for path in paths]
    # An editor replaces a file by another one of its name, so its folder is watched.
    folders = {path if os.path.isdir(path) else os.path.dirname(path) for path in full}
    started = False
    written: dict[str, tuple[int, int]] = {}
    for changed in changes_in(
        *sorted(folders),
        watch_filter=lambda _, path: _matters(path, full),
        debounce=QUIET_FOR * 8,
        step=QUIET_FOR,
        rust_timeout=QUIET_FOR,
        yield_on_timeout=True,
    ):
        # The first report comes when changes are seen already, so that none is lost behind it.
        new = [path for _, path in changed if written.get(os.path.realpath(path)) != _state(path)]
        if new or not started:
            started = True
            written = {os.path.realpath(path): _state(path) for path in _run(run)}
    return WRONG


def _state(path: str) -> tuple[int, int]:
    """What tells whether a file has changed."""
    try:
        status = os.stat(path)
    except OSError:
        return (0, 0)
    return (status.st_mtime_ns, status.st_size)


def _run(run: Callable[[], Ended]) -> Sequence[str]:
    """One run, and what it has written; what is wrong with it does not end the watching."""
    if sys.stdout.isatty():
        sys.stdout.write("\x1b[2J\x1b[H")
    written: Sequence[str] = ()
    try:
        written = run().written
    except TfnanlintError as error:
        print(printable_lines(f"tfnanlint: {error}"), file=sys.stderr)
    print("Watching for changes; press Ctrl-C to end.", file=sys.stderr)
    sys.stdout.flush()
    return written


def _matters(path: str, watched: Sequence[str]) -> bool:
    """Whether a change of a file may change the report."""
    if os.path.basename(path) in FILES:
        return True
    if not path.endswith(SUFFIXES) or not SKIPPED_FOLDERS.isdisjoint(path.split(os.sep)):
        return path in watched
    return any(path == other or path.startswith(other.rstrip(os.sep) + os.sep) for other in watched)
