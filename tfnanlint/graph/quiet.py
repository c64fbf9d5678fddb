"""Silencing TensorFlow: the output of TensorFlow, its libraries and the linted program stays out of the report.

TensorFlow logs from C++ to the file descriptor of standard error, and no setting silences it completely. This module
redirects that descriptor to nowhere, while Python's `sys.stderr` keeps its target. Output of imported programs is
dropped too.
"""

from __future__ import annotations

import io
import logging
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout, suppress
from typing import IO

_SETTINGS = {"TF_CPP_MIN_LOG_LEVEL": "3", "TF_ENABLE_ONEDNN_OPTS": "0", "KERAS_BACKEND": "tensorflow"}


@contextmanager
def quiet() -> Iterator[None]:
    """Keep TensorFlow's output off the terminal, and standard output free for the report."""
    for name, value in _SETTINGS.items():
        os.environ.setdefault(name, value)
    for name in ("tensorflow", "absl"):
        logging.getLogger(name).setLevel(logging.ERROR)
    try:
        kept = os.dup(2)
    except OSError:  # started without standard error
        yield
        return
    sys.stderr.flush()
    python_errors = sys.stderr
    is_real = _number(python_errors) == 2
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)
    os.close(nowhere)
    if is_real:
        sys.stderr = io.TextIOWrapper(
            os.fdopen(os.dup(kept), "wb"),
            encoding=python_errors.encoding,
            errors="backslashreplace",
            line_buffering=True,
        )
    try:
        with redirect_stdout(sys.stderr):
            yield
    finally:
        if is_real:
            with suppress(OSError, ValueError):
                sys.stderr.close()
            sys.stderr = python_errors
        os.dup2(kept, 2)
        os.close(kept)


def _number(stream: IO[str]) -> int | None:
    """The file behind a stream; None where there is none."""
    try:
        return stream.fileno()
    except (AttributeError, OSError, ValueError):
        return None
