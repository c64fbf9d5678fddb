"""Linting in the workers of an executor: what a local run finds, in its order, whatever becomes of a worker."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tfnanlint.errors import TfnanlintError
from tfnanlint.finding import Finding
from tfnanlint.run.many import lint_paths

SPAWN = multiprocessing.get_context("spawn")
COUNT = 40
HELPER = "import tensorflow as tf\n\n\ndef entropy(p):\n    return -tf.reduce_sum(p * tf.math.log(tf.nn.softmax(p)))\n"
USER = (
    "import tensorflow as tf\nfrom helper import entropy\n\n\n"
    "def loss(x):\n    return entropy(x) + tf.math.log(tf.nn.relu(x))\n"
)


@pytest.fixture(autouse=True)
def _files(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    Path("helper.py").write_text(HELPER)
    Path("broken.py").write_text("import tensorflow as tf\ndef f(:\n")
    for number in range(COUNT):
        Path(f"m{number:02}.py").write_text("\n" * number + USER)


Result = tuple[list[Finding], list[str]]


def linted(executor: Executor | None = None) -> Result:
    """What is found, and the errors."""
    errors: list[TfnanlintError] = []
    return lint_paths(["."], on_error=errors.append, executor=executor), list(map(str, errors))


@pytest.fixture(scope="module")
def local(tmp_path_factory: pytest.TempPathFactory) -> Callable[[], Result]:
    """What a local run finds in the files, linted once for all tests."""
    held: list[Result] = []

    def found() -> Result:
        if not held:
            held.append(linted())
        return held[0]

    return found


class Failing(Executor):
    """Runs tasks at once in this thread. It fails those that `fails` chooses, by their number and their files."""

    def __init__(self, fails: Callable[[int, list[str]], BaseException | None]) -> None:
        self.tasks: list[list[str]] = []
        self.fails = fails

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        paths = list(args[1])
        failure = self.fails(len(self.tasks), paths)
        self.tasks.append(paths)
        if failure is None:
            future.set_result(fn(*args, **kwargs))
        else:
            future.set_exception(failure)
        return future


def test_threads_find_what_a_local_run_finds(local: Callable[[], Result]) -> None:
    assert len(local()[0]) == COUNT + 1
    assert len(local()[1]) == 1
    with ThreadPoolExecutor(3) as executor:
        assert linted(executor) == local()
        assert executor.submit(int).result() == 0  # it is left running


def test_processes_find_what_a_local_run_finds(local: Callable[[], Result]) -> None:
    with ProcessPoolExecutor(2, mp_context=SPAWN) as executor:
        assert linted(executor) == local()


def test_a_worker_that_fails_once_costs_its_files_one_retry(local: Callable[[], Result]) -> None:
    executor = Failing(lambda number, _: ConnectionError("node 7 is gone") if number == 0 else None)
    with pytest.warns(RuntimeWarning, match=r"ConnectionError: node 7 is gone"):
        assert linted(executor) == local()
    lost = executor.tasks[0]
    assert [task for task in executor.tasks[1:] if set(task) & set(lost)] == [[path] for path in sorted(lost)]


def test_a_file_that_fails_twice_is_named_and_the_others_go_on(local: Callable[[], Result]) -> None:
    executor = Failing(lambda _, paths: MemoryError("killed") if "m03.py" in paths else None)
    with pytest.warns(RuntimeWarning, match="MemoryError"):
        findings, errors = linted(executor)
    assert findings == [found for found in local()[0] if found.path != "m03.py"]
    (error,) = set(errors) - set(local()[1])
    assert error.startswith("m03.py: internal error: ")
    assert "MemoryError: killed" in error


def test_a_broken_pool_of_processes_is_done_without(local: Callable[[], Result]) -> None:
    with ProcessPoolExecutor(1, mp_context=SPAWN) as executor:
        executor.submit(os._exit, 1).exception()
        with pytest.warns(RuntimeWarning, match="BrokenProcessPool"):
            assert linted(executor) == local()


def test_an_executor_that_was_shut_down_is_an_error() -> None:
    executor = ThreadPoolExecutor(1)
    executor.shutdown()
    with pytest.raises(TfnanlintError, match="takes no task"):
        linted(executor)


def test_a_worker_in_another_folder_says_where_it_has_to_run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()

    class Abroad(Failing):
        def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
            future: Future[Any] = Future()
            with monkeypatch.context() as moved:
                moved.chdir("elsewhere")
                try:
                    future.set_result(fn(*args, **kwargs))
                except TfnanlintError as error:
                    future.set_exception(error)
            return future

    with pytest.raises(TfnanlintError, match="start the workers in"):
        linted(Abroad(lambda *_: None))


def test_the_first_error_without_a_handler_ends_the_run() -> None:
    with ThreadPoolExecutor(2) as executor, pytest.raises(TfnanlintError, match=r"broken\.py"):
        lint_paths(["."], executor=executor)


def test_workers_of_dask_find_what_a_local_run_finds(local: Callable[[], Result]) -> None:
    distributed = pytest.importorskip("distributed", reason="needs dask.distributed")
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        cluster.get_client() as client,
    ):
        assert linted(client.get_executor()) == local()
