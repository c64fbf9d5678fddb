"""Lints files in the workers of any `concurrent.futures.Executor`: threads, processes or other machines.

An executor may run a task in any thread of any process, and several at once, so each thread that gets one has a linter
of its own, which it keeps as long as the run lasts. All that a worker needs travels with the task.
"""

from __future__ import annotations

import os
import pickle
import threading
import warnings
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import BrokenExecutor, Executor, Future, as_completed
from uuid import uuid4

from tfnanlint.config.settings import Settings
from tfnanlint.errors import TfnanlintError
from tfnanlint.run.problem import Problem
from tfnanlint.run.single import Linter, Raw

Overlay = dict[str, bytes | str]
LARGEST_CHUNK = 32
FEWEST_CHUNKS = 32
"""Tasks into which the files are divided at least, as nobody says how many workers there are."""


class Job:
    """What the workers need to know of a run: the settings of all its files, and the folder of its paths."""

    def __init__(self, settings: Mapping[str, Settings]) -> None:
        self.name = uuid4().hex
        self.folder = os.getcwd()
        self._packed = zlib.compress(pickle.dumps(dict(settings)))

    @property
    def settings(self) -> dict[str, Settings]:
        """The settings by path; only this package writes what is unpacked here."""
        settings: dict[str, Settings] = pickle.loads(zlib.decompress(self._packed))
        return settings


class _Held(threading.local):
    """A thread's linter, and the run that it is for."""

    job = ""
    linter: Linter | None = None


_held = _Held()


def lint_in_worker(job: Job, paths: Sequence[str], overlay: Overlay) -> list[Raw]:
    """Lint files of a job in this thread; raises what no file can be linted with."""
    if os.getcwd() != job.folder:
        raise TfnanlintError(f"a worker runs in {os.getcwd()}: start the workers in {job.folder}, where the run was")
    if _held.linter is None or _held.job != job.name:
        _held.job, _held.linter = job.name, Linter(job.settings)
    _held.linter.revise(overlay)
    return [_held.linter.lint(path) for path in paths]


def lint_on(
    executor: Executor,
    job: Job,
    paths: Sequence[str],
    overlay_for: Callable[[Sequence[str]], Overlay],
    without: Callable[[Sequence[str]], Iterator[Raw]],
) -> Iterator[Raw]:
    """Lint files on an executor, in any order. The files of a task that fails are tried again, each in its own task.

    Where the executor is broken for good, `without` lints what is left.
    """
    lost: list[str] = []
    pending: dict[Future[list[Raw]], Sequence[str]] = {}
    failure: BaseException | None = None
    try:
        for chunk in _chunks(paths):
            try:
                pending[_submit(executor, job, chunk, overlay_for)] = chunk
            except BrokenExecutor as error:
                lost += chunk
                failure = error
        for future in as_completed(list(pending)):
            chunk = pending.pop(future)
            try:
                yield from future.result()
            except TfnanlintError:
                raise
            except Exception as error:
                lost += chunk
                failure = error
    finally:
        for future in pending:
            future.cancel()
    if failure is not None:
        warnings.warn(f"{_told(failure)}; its {len(lost)} files are linted again", RuntimeWarning, stacklevel=2)
        yield from _again(executor, job, sorted(lost), overlay_for, without)


def _again(
    executor: Executor,
    job: Job,
    paths: Sequence[str],
    overlay_for: Callable[[Sequence[str]], Overlay],
    without: Callable[[Sequence[str]], Iterator[Raw]],
) -> Iterator[Raw]:
    """Lint one file after the other, so that one which kills its worker takes no other file with it."""
    for place, path in enumerate(paths):
        try:
            future = _submit(executor, job, [path], overlay_for)
        except BrokenExecutor:
            yield from without(paths[place:])
            return
        try:
            yield from future.result()
        except TfnanlintError:
            raise
        except Exception as error:
            raw = Raw(path)
            raw.fail(Problem(path, 0, 0, f"internal error: {_told(error)}, twice; lint the file without an executor"))
            yield raw


def _submit(
    executor: Executor, job: Job, paths: Sequence[str], overlay_for: Callable[[Sequence[str]], Overlay]
) -> Future[list[Raw]]:
    try:
        return executor.submit(lint_in_worker, job, paths, overlay_for(paths))
    except BrokenExecutor:
        raise
    except RuntimeError as error:  # it has been shut down
        raise TfnanlintError(f"the executor takes no task: {error}") from error


def _told(failure: BaseException) -> str:
    """What became of a worker, in one line."""
    said = " ".join(str(failure).split())
    return f"a worker of the executor failed ({type(failure).__name__}{f': {said}' if said else ''})"


def _chunks(paths: Sequence[str]) -> Iterator[Sequence[str]]:
    """Paths in chunks that grow smaller towards the end, so that all workers end at about the same time."""
    done = 0
    while done < len(paths):
        size = max(1, min(LARGEST_CHUNK, (len(paths) - done) // FEWEST_CHUNKS))
        yield paths[done : done + size]
        done += size
