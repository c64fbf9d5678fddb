"""Runs programs on TensorFlow, each in a process of its own; TensorFlow is imported once for all of them.

A forked process starts with the imported TensorFlow, so that a program takes a second instead of five.
"""

from __future__ import annotations

import multiprocessing
import sys
import traceback
import warnings
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

LIMIT = 600
"""Seconds after which a program hangs."""


def outcome(path: Path, legacy: bool) -> str:
    """What the `RESULT` of a program is: FINITE, NOT FINITE, or the error in which it ends.

    A `legacy` program runs on the graph mode of TensorFlow 1.
    """
    forking = "forkserver" in multiprocessing.get_all_start_methods()
    context = multiprocessing.get_context("forkserver" if forking else "spawn")
    if forking:
        context.set_forkserver_preload(["tensorflow"])
    heard, said = context.Pipe(duplex=False)
    process = context.Process(target=_run, args=(str(path), legacy, said))
    process.start()
    said.close()
    try:
        told = heard.recv() if heard.poll(LIMIT) else "it hangs"
    except EOFError:
        told = "it ends without a result"
    process.kill()
    process.join()
    return str(told)


def _run(path: str, legacy: bool, said: Connection) -> None:
    try:
        said.send(_result(path, legacy))
    except Exception:
        said.send(traceback.format_exc()[-2000:])


def _result(path: str, legacy: bool) -> str:
    warnings.simplefilter("ignore")
    sys.path.insert(0, str(Path(path).parent))
    if legacy:
        import tensorflow.compat.v1 as v1

        v1.disable_v2_behavior()
        sys.modules["tensorflow"] = v1
    names = {"__name__": "case"}
    exec(compile(Path(path).read_text(), path, "exec"), names)
    return "FINITE" if _is_finite(names["RESULT"]) else "NOT FINITE"


def _is_finite(value: Any) -> bool:
    import numpy as np

    if isinstance(value, (list, tuple)):
        return all(map(_is_finite, value))
    return bool(np.all(np.isfinite(np.asarray(value))))
