"""What holds for every test: a quiet, CPU-only TensorFlow, and a bound on the time that it may take."""

from __future__ import annotations

import faulthandler
import os
import signal
import threading
from collections.abc import Generator, Iterator
from pathlib import Path
from types import FrameType

import pytest

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")
os.environ.setdefault("KERAS_BACKEND", "tensorflow")
os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")
# The workers share the cores already.
for name in ("TF_NUM_INTRAOP_THREADS", "TF_NUM_INTEROP_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(name, "1")

LIMIT = 900
"""Seconds after which a test hangs: many times what the longest one takes on a busy machine."""
GRACE = 60
"""Seconds after which a test that hangs in C, where no signal is heard, takes the process with it."""


QUICK = frozenset(
    "absorption adoption cli config discover edits files fingerprint formats gradient_context pragma report"
    " server_positions settings sketch slices substitute tidy traps trial_roles trial_shapes wrap".split()
)
"""The modules `test_*.py` that `-m quick` runs in a minute, but for their tests that are marked `tensorflow`."""
GAPS = Path(__file__).parent / "known_gaps.txt"
"""The tests whose verdict the trials do not reach yet, one a line."""
STANDARD_ERROR = pytest.StashKey[int]()
"""Where standard error leads while pytest does not capture it."""


def pytest_configure(config: pytest.Config) -> None:
    """Keep a way to standard error for a test that hangs."""
    config.stash[STANDARD_ERROR] = os.dup(2)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """With `-m quick`, leave the other modules unread: they import TensorFlow, which need not be there."""
    kind, _, name = collection_path.stem.partition("_")
    unread = config.getoption("markexpr") == "quick" and kind == "test" and name not in QUICK
    return unread or None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the quick tests, and those that state what the trials do not find out yet."""
    gaps = {line for line in GAPS.read_text().splitlines() if line and not line.startswith("#")}
    for item in items:
        if item.path.stem.removeprefix("test_") in QUICK and not item.get_closest_marker("tensorflow"):
            item.add_marker(pytest.mark.quick)
        if item.nodeid in gaps:
            item.add_marker(pytest.mark.xfail(reason="a gap of the trials, listed in known_gaps.txt", strict=False))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Fail a test that hangs, and say where it does; what it waits for may never come."""
    heard = hasattr(signal, "SIGALRM") and threading.current_thread() is threading.main_thread()

    def hangs(_: int, frame: FrameType | None) -> None:
        raise TimeoutError(f"{item.nodeid} takes more than {LIMIT} seconds")

    faulthandler.dump_traceback_later(
        LIMIT + GRACE if heard else LIMIT, exit=True, file=item.config.stash[STANDARD_ERROR]
    )
    before = signal.signal(signal.SIGALRM, hangs) if heard else None
    if heard:
        signal.alarm(LIMIT)
    try:
        return (yield)
    finally:
        faulthandler.cancel_dump_traceback_later()
        if heard:
            signal.alarm(0)
            signal.signal(signal.SIGALRM, before)


@pytest.fixture(autouse=True, scope="session")
def slow_machine() -> Iterator[None]:
    """A file may take as long as it likes: what a test says of it does not depend on how fast the machine is."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tfnanlint.run.single.SECONDS", float(LIMIT))
        yield


@pytest.fixture
def interruptible() -> Iterator[None]:
    """Programs that a test starts hear Control-C, also where the tests themselves run in the background of a script."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
