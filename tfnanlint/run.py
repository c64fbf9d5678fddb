"""Many files: in this process as long as that is quickest, then in a pool of workers; and the Python API over it.

Most runs are over a few files, and most files are dismissed by a cheap look at their bytes, so workers are started only
when a run turns out to take longer than starting them does. Outcomes do not depend on where a file was checked.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
import time
import warnings
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING

from tfnanlint.config import Config, Configs, Settings, all_rules, check_names, known_names
from tfnanlint.errors import SourceError, TfnanlintError
from tfnanlint.files import shown
from tfnanlint.finding import Finding
from tfnanlint.given import Given
from tfnanlint.pragma import META, Scope
from tfnanlint.rounds import Problem
from tfnanlint.single import Outcome, Plan, check_file, lint_text, plan_of

if TYPE_CHECKING:
    from concurrent.futures import Future, ProcessPoolExecutor

    from tfnanlint.template import Rules

Task = tuple[str, Settings]

PATIENCE = 0.25
"""Seconds in this process before workers are worth their start."""

CHUNK = 32


def lint_source(
    text: str, path: str = "<string>", *, rules: Rules | None = None, pedantic: bool = False
) -> list[Finding]:
    """The findings in a source text, by its built-in rules or the given ones, without those that its comments ignore.

    Raises `SourceError` if the text is not Python.
    """
    plan = plan_of(Settings())
    if rules is not None:
        names = frozenset(rules.names)
        plan = Plan(rules, Scope(names, names.union(plan.scope.known), frozenset(META)))
    linted = lint_text(text, path, plan, pedantic)
    if linted.problems:
        raise TfnanlintError(str(linted.problems[0]))
    return linted.findings


def lint_paths(
    paths: Iterable[str | os.PathLike[str]],
    *,
    select: Sequence[str] = (),
    ignore: Sequence[str] = (),
    pedantic: bool = False,
    jobs: int = 1,
    on_error: Callable[[TfnanlintError], None] | None = None,
) -> list[Finding]:
    """The findings in files and folders, under the configuration nearest to each, sorted by path and position.

    What cannot be linted raises a `TfnanlintError`, or is handed to `on_error` while the rest goes on.
    """
    from tfnanlint.discover import discover

    def fail(error: TfnanlintError) -> None:
        if on_error is None:
            raise error
        on_error(error)

    configs = Configs()
    found = discover([os.fspath(path) for path in paths], configs)
    for path, reason in found.problems:
        fail(TfnanlintError(f"{path}: {reason}"))
    wanted = Settings(tuple(select), tuple(ignore), pedantic=pedantic)
    findings: list[Finding] = []
    with closing(check_files(tasks_for(found.files, configs, wanted), jobs)) as outcomes:
        for outcome in outcomes:
            findings += outcome.findings
            for problem in outcome.problems:
                fail(_as_error(problem))
    return sorted(findings, key=lambda found: found.position)


def tasks_for(files: Sequence[str], configs: Configs, wanted: Settings) -> list[Task]:
    """Each file with the settings that hold for it; `ConfigError` for a name that no rule has."""
    homes = [configs.of(os.path.dirname(os.path.abspath(file))) for file in files]
    distinct = list(dict.fromkeys(homes)) or [configs.of(os.getcwd())]
    settings = dict(zip(distinct, settings_for(distinct, wanted), strict=True))
    found = zip(files, homes, strict=True)
    return [(file, _for_file(chosen, home, file)) for file, home in found if (chosen := settings[home])]


def _for_file(settings: Settings, home: Config, file: str) -> Settings:
    """The settings for one file, with what its configuration ignores in files like it."""
    if not home.per_file_ignores:
        return settings
    from tfnanlint.discover import ignored_in

    return replace(settings, ignore=(*settings.ignore, *ignored_in(file, home)))


def settings_for(homes: Sequence[Config], wanted: Settings) -> list[Settings | None]:
    """The settings under each configuration: what the run selects replaces its `select`, the rest adds up.

    None where nothing of what is selected exists: a rule of one project's own is no rule in the next.
    """
    for home in homes:
        if home.rules:
            all_rules(home.rules)
        check_names(home.names, home.rules, shown(home.path) if home.path else "the configuration")
    folders = tuple(dict.fromkeys(folder for home in homes for folder in home.rules))
    check_names((*wanted.select, *wanted.ignore), folders, "the command line")
    return [_settings(home, wanted) for home in homes]


def _settings(home: Config, wanted: Settings) -> Settings | None:
    known = known_names(home.rules) if wanted.select or wanted.ignore else frozenset()
    select = tuple(name for name in wanted.select if name in known)
    if wanted.select and not select:
        return None
    ignore = (*home.ignore, *(name for name in wanted.ignore if name in known))
    given = Given(home.assume, home.target)
    how = (home.severity, home.modes, given)
    return Settings(select or home.select, ignore, home.rules, wanted.pedantic, wanted.fix, *how)


def check_files(tasks: Sequence[Task], jobs: int = 1) -> Generator[Outcome, None, None]:
    """The outcome of each task, as it becomes known: the order differs from run to run, the outcomes do not."""
    start = time.monotonic()
    if len(tasks) > 1:
        gc.enable()
    for done, (path, settings) in enumerate(tasks):
        if jobs > 1 and done + 1 < len(tasks) and time.monotonic() - start > PATIENCE:
            yield from _in_workers(tasks[done:], jobs)
            return
        yield check_file(path, settings)


def default_jobs() -> int:
    """How many workers this process may keep busy."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0)) or 1
    return os.cpu_count() or 1


def _in_workers(tasks: Sequence[Task], jobs: int) -> Iterator[Outcome]:
    from concurrent.futures import as_completed
    from concurrent.futures.process import BrokenProcessPool

    size = max(1, min(CHUNK, len(tasks) // (jobs * 4)))
    chunks = [tasks[i : i + size] for i in range(0, len(tasks), size)]
    lost: list[Task] = []
    with _Workers(min(jobs, len(chunks))) as pool:
        pending: dict[Future[list[Outcome]], Sequence[Task]] = {pool.submit(_check_chunk, c): c for c in chunks}
        for future in as_completed(pending):
            try:
                yield from future.result()
            except BrokenProcessPool:
                lost += pending[future]
            del pending[future]
    yield from _one_by_one(lost)


def _one_by_one(tasks: Sequence[Task]) -> Iterator[Outcome]:
    """Check files in a worker that gets the next one only when it has survived the last.

    A worker died, from lack of memory or a crash below Python; this finds the file that does it, and the others go on.
    """
    from concurrent.futures.process import BrokenProcessPool

    left = list(reversed(tasks))
    while left:
        with _Workers(1) as pool:
            while left:
                task = left.pop()
                try:
                    yield from pool.submit(_check_chunk, [task]).result()
                except BrokenProcessPool:
                    reason = "internal error: the process that linted it died, of lack of memory perhaps"
                    yield Outcome(task[0], problems=[Problem(task[0], 0, 0, reason)])
                    break


class _Workers:
    """A process pool that does not outlive an interrupt."""

    def __init__(self, count: int) -> None:
        import multiprocessing
        from concurrent.futures import ProcessPoolExecutor

        # Forked workers start with everything imported. Beside TensorFlow's threads, a fork can hang.
        fork = sys.platform == "linux" and "tensorflow" not in sys.modules
        context = multiprocessing.get_context("fork" if fork else None)
        self._others = set(multiprocessing.active_children())
        count = min(count, 61) if sys.platform == "win32" else count
        self._pool = ProcessPoolExecutor(count, mp_context=context, initializer=_start_worker)

    def __enter__(self) -> ProcessPoolExecutor:
        return self._pool

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            self._pool.shutdown()
            return
        import multiprocessing

        self._pool.shutdown(wait=False, cancel_futures=True)
        for process in set(multiprocessing.active_children()) - self._others:
            process.terminate()


def _start_worker() -> None:
    """Let an interrupt end a worker at once and in silence: nothing is written in it."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    if not sys.warnoptions:
        warnings.simplefilter("ignore")


def _check_chunk(tasks: Sequence[Task]) -> list[Outcome]:
    return [check_file(path, settings) for path, settings in tasks]


def _as_error(problem: Problem) -> TfnanlintError:
    if problem.line:
        return SourceError(problem.path, problem.line, problem.column, problem.message)
    return TfnanlintError(str(problem))
