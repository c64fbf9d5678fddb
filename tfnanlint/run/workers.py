"""Who lints: this process while that is faster, then a pool of workers.

Most runs have few files, and the prefilter skips most files, so workers start only when a run takes longer than
starting them. Results do not depend on where a file was linted.
"""

from __future__ import annotations

import gc
import os
import sys
import time
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

from tfnanlint.config.settings import Settings
from tfnanlint.limits import ends_on_request
from tfnanlint.run.problem import Problem
from tfnanlint.run.single import Linter, Raw

if TYPE_CHECKING:
    from concurrent.futures import Executor, Future, ProcessPoolExecutor

    from tfnanlint.run.cache import Cache
    from tfnanlint.run.remote import Job

PATIENCE = 0.15
"""Seconds in this process before workers are worth their start."""

HEED = 1.0
"""Seconds after which a wait for workers looks for signals."""
CHUNK = 32
FEW = 32
"""Files at which a look is quicker than one at all that is kept of a project."""
Overlay = dict[str, bytes | str]
Result = TypeVar("Result")


class Workers:
    """Lints the files of a run, each under its settings; a context that ends what it has started.

    `cache` is a folder in which what linting gives is kept from run to run. An `executor` lints instead of a pool of
    this process; it is not shut down.
    """

    def __init__(
        self,
        settings: Mapping[str, Settings],
        jobs: int = 1,
        overlay: Mapping[str, bytes] | None = None,
        cache: str | None = None,
        executor: Executor | None = None,
    ) -> None:
        self._executor = executor
        self.settings = settings
        self.overlay: Overlay = dict(overlay or {})
        self.linter = Linter(settings, self.overlay)
        self._folder = cache if not overlay else None
        self._jobs = jobs
        self._pool: _ProcessPool | None = None

    def __enter__(self) -> Workers:  # noqa: PYI034
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._dismiss(kind is not None)

    def revise(self, texts: Mapping[str, str]) -> None:
        """Use these texts in place of files from now on."""
        self.overlay = {**self.overlay, **texts}
        self.linter.revise(self.overlay)

    def lint(self, paths: Sequence[str], needs: Mapping[str, set[str]] | None = None) -> Iterator[Raw]:
        """Lint files, in any order. `needs` says which files each is known to import from."""
        keeps = self._folder is not None and not self.overlay
        for raw in self._remembered(paths, needs) if keeps else self._lint(paths, needs):
            raw.trace.imports.clear()  # of which only the cache asks
            raw.trace.callers.clear()
            yield raw

    def _remembered(self, paths: Sequence[str], needs: Mapping[str, set[str]] | None) -> Iterator[Raw]:
        """Lint files that an earlier run has not linted as they are; of a few, look at what can be dismissed first."""
        looked_at = paths if len(paths) <= FEW else ()
        known = {path: raw for path in looked_at if (raw := self.linter.dismissed(path)) is not None}
        yield from known.values()
        left = [path for path in paths if path not in known]
        if not left:
            return
        cache = self._cache
        known = {path: raw for path in left if (raw := cache.get(path)) is not None}
        yield from known.values()
        for raw in self._lint([path for path in left if path not in known], needs):
            cache.put(raw)
            yield raw
        cache.save()

    @cached_property
    def _cache(self) -> Cache:
        from tfnanlint.run.cache import Cache

        assert self._folder is not None
        return Cache(self._folder, self.settings, self.linter.project)

    def _lint(self, paths: Sequence[str], needs: Mapping[str, set[str]] | None) -> Iterator[Raw]:
        if self._executor is not None:
            yield from self._on(self._executor, paths, needs or {})
            return
        start = time.monotonic()
        for done, path in enumerate(paths):
            if self._jobs > 1 and done + 1 < len(paths) and time.monotonic() - start > PATIENCE:
                yield from self._in_workers(paths[done:], needs or {})
                return
            yield self.linter.lint(path)

    def _in_workers(self, paths: Sequence[str], needs: Mapping[str, set[str]]) -> Iterator[Raw]:
        from concurrent.futures.process import BrokenProcessPool

        chunks = list(_chunks(paths, self._jobs))
        lost: list[str] = []
        if self._pool is None:
            self._pool = _ProcessPool(min(self._jobs, len(chunks)), self.settings)
        pool = self._pool.executor
        pending: dict[Future[list[Raw]], Sequence[str]] = {}
        for chunk in chunks:
            pending[pool.submit(_lint_chunk, chunk, self._overlay_for(chunk, needs))] = chunk
        for future in as_completed(pending):
            try:
                yield from future.result()
            except BrokenProcessPool:
                lost += pending[future]
            del pending[future]
        if lost:
            self._dismiss(True)
            yield from self._one_by_one(sorted(lost), needs)

    def _on(self, executor: Executor, paths: Sequence[str], needs: Mapping[str, set[str]]) -> Iterator[Raw]:
        from tfnanlint.run.remote import lint_on

        def overlay_for(some: Sequence[str]) -> Overlay:
            return self._overlay_for(some, needs)

        def without(some: Sequence[str]) -> Iterator[Raw]:
            return self._one_by_one(some, needs)

        yield from lint_on(executor, self._job, paths, overlay_for, without)

    @cached_property
    def _job(self) -> Job:
        from tfnanlint.run.remote import Job

        return Job(self.settings)

    def _overlay_for(self, paths: Sequence[str], needs: Mapping[str, set[str]]) -> Overlay:
        """What stands for files that some others are, or import."""
        wanted = set(paths).union(*(needs.get(path, ()) for path in paths))
        return {path: text for path, text in self.overlay.items() if path in wanted}

    def _one_by_one(self, paths: Sequence[str], needs: Mapping[str, set[str]]) -> Iterator[Raw]:
        """Lint files in a worker that gets the next one only when it has survived the last.

        A worker died, from lack of memory or a crash below Python; this finds the file that does it, and the others
        go on.
        """
        from concurrent.futures.process import BrokenProcessPool

        for path in paths:
            self._pool = self._pool or _ProcessPool(1, self.settings)
            try:
                submitted = self._pool.executor.submit(_lint_chunk, [path], self._overlay_for([path], needs))
                yield from next(as_completed([submitted])).result()
            except BrokenProcessPool:
                reason = "internal error: the worker process died, possibly out of memory"
                raw = Raw(path)
                raw.fail(Problem(path, 0, 0, reason))
                yield raw
                self._dismiss(True)
        self._dismiss(False)

    def _dismiss(self, at_once: bool) -> None:
        if self._pool is not None:
            self._pool.end(at_once)
            self._pool = None


def _chunks(paths: Sequence[str], jobs: int) -> Iterator[Sequence[str]]:
    """Paths in chunks that grow smaller towards the end, so that all workers end at about the same time."""
    done = 0
    while done < len(paths):
        size = max(1, min(CHUNK, (len(paths) - done) // (jobs * 4)))
        yield paths[done : done + size]
        done += size


def as_completed(futures: Iterable[Future[Result]]) -> Iterator[Future[Result]]:
    """Futures as they end. A signal that comes just before a wait is handled only after it: so no wait is long."""
    from concurrent.futures import FIRST_COMPLETED, wait

    left = set(futures)
    while left:
        done, left = wait(left, HEED, FIRST_COMPLETED)
        while done:
            yield done.pop()


class _ProcessPool:
    """A process pool that does not outlive an interrupt, nor a request to end."""

    def __init__(self, count: int, settings: Mapping[str, Settings]) -> None:
        import multiprocessing
        from concurrent.futures import ProcessPoolExecutor

        # Forked workers start with everything imported. Beside TensorFlow's threads, a fork can hang.
        fork = sys.platform == "linux" and "tensorflow" not in sys.modules
        context = multiprocessing.get_context("fork" if fork else None)
        self._others = set(multiprocessing.active_children())
        self._request = ExitStack()
        self._request.enter_context(ends_on_request())
        count = min(count, 61) if sys.platform == "win32" else count
        self.executor: ProcessPoolExecutor = ProcessPoolExecutor(
            count, mp_context=context, initializer=_start_worker, initargs=(settings,)
        )

    def end(self, at_once: bool) -> None:
        self._request.close()
        if not at_once:
            self.executor.shutdown()
            return
        import multiprocessing

        self.executor.shutdown(wait=False, cancel_futures=True)
        for process in set(multiprocessing.active_children()) - self._others:
            process.kill()  # one that is just starting can lose a request to end


_linter = Linter({})
"""A worker's own."""


def _start_worker(settings: Mapping[str, Settings]) -> None:
    """Let an interrupt end a worker at once and in silence, and the end of its parent as well: it writes nothing."""
    import signal
    import threading

    global _linter  # noqa: PLW0603
    for kind in (signal.SIGINT, signal.SIGTERM):
        signal.signal(kind, signal.SIG_DFL)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    gc.disable()  # the linter knows when there is something to throw away
    _linter = Linter(settings)
    if not sys.warnoptions:
        warnings.simplefilter("ignore")


def _end_with_parent() -> None:
    """End this worker when the process that started it is gone, however that has ended."""
    from multiprocessing import connection, parent_process

    parent = parent_process()
    if parent is not None:
        connection.wait([parent.sentinel])
        os._exit(1)


def _lint_chunk(paths: Sequence[str], overlay: Overlay) -> list[Raw]:
    _linter.revise(overlay)
    return [_linter.lint(path) for path in paths]
