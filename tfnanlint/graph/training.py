"""Findings during training: a Keras callback that lints what `fit` traces, and an explanation of a NaN.

`tf.debugging.enable_check_numerics` tells which operation produced the first NaN, and its Python stack. A finding at
one of these lines explains the NaN and how to fix it.
"""

from __future__ import annotations

import math
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib import import_module
from typing import Any

from tfnanlint.finding import Finding
from tfnanlint.graph.model import require_tensorflow
from tfnanlint.graph.watching import Listener

_FRAME = re.compile(r'File "(?P<file>[^"\n]+)", line (?P<line>\d+)|\+ (?P<path>[^\n]+?) \(L(?P<at>\d+)\)')
"""A frame as Python writes it, and as TensorFlow does, which cuts long paths at their beginning."""
_ORDER = ("certain", "likely", "possible")


def explaining(error: BaseException | str, findings: Iterable[Finding]) -> Finding | None:
    """The finding at the innermost line in a traceback of `enable_check_numerics`, given as an error or as its text."""
    held = sorted(findings, key=_weight)
    for path, line in reversed(list(_frames(str(error)))):
        for found in held:
            if found.has_source and _is_file(found.path, path) and found.line <= line <= found.end_line:
                return found
    return None


def _frames(text: str) -> Iterator[tuple[str, int]]:
    """(file, line) of the frames in a text, outermost first."""
    for found in _FRAME.finditer(text):
        yield found["file"] or found["path"], int(found["line"] or found["at"])


def _is_file(path: str, said: str) -> bool:
    """Whether a frame's file, which may be cut at its beginning, is that of a path."""
    full = os.path.abspath(path)
    return full.endswith(said.removeprefix("...")) if said.startswith("...") else full == os.path.abspath(said)


def _weight(finding: Finding) -> tuple[bool, int]:
    return finding.severity != "error", _ORDER.index(finding.certainty)


def keras_callback(*, stop: bool = True, say: Callable[[str], None] | None = None, **options: Any) -> Any:
    """A callback for Keras `fit` that lints what training traces, after the first batch.

    It prints the findings and keeps them in `findings`. At the first loss that is not finite it prints the finding that
    explains it, keeps it in `explained`, and stops the training unless `stop` is False. `say` receives the printed
    text, by default on standard error. The other options are those of `watch`.
    """
    require_tensorflow()
    base: Any = import_module("keras.callbacks").Callback

    class NanCallback(base):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.findings: list[Finding] = []
            self.explained: Finding | None = None
            self._listener = Listener()
            self._is_over = False
            self._epoch = 0

        def on_train_begin(self, logs: Any = None) -> None:
            self._is_over = False
            self._listener.start()

        def on_train_end(self, logs: Any = None) -> None:
            self._listener.stop()

        def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
            self._epoch = epoch

        def on_train_batch_end(self, batch: int, logs: Mapping[str, Any] | None = None) -> None:
            new = self._listener.findings(**options)
            self.findings += new
            for found in new:
                tell(_told(found))
            lost = [name for name, value in (logs or {}).items() if not _is_finite(value)]
            if lost and not self._is_over:
                self._is_over = True
                self._explain(lost[0], batch)

        def _explain(self, name: str, batch: int) -> None:
            self.explained = min(self.findings, key=_weight, default=None)
            where = f"tfnanlint: {name} is not finite at batch {batch} of epoch {self._epoch}"
            if self.explained is None:
                tell(f"{where}, and tfnanlint found no hazard in the traced functions: check the data")
            else:
                others = len(self.findings) - 1
                more = f", one of {others + 1} findings" if others else ""
                tell(f"{where}; the likely cause{more}: {_told(self.explained)}")
            if stop:
                self.model.stop_training = True

    tell = say or _on_standard_error
    return NanCallback()


def _on_standard_error(text: str) -> None:
    print(text, file=sys.stderr)


def _told(found: Finding) -> str:
    return f"{found.path}:{found.line}:{found.column} {found.rule}: {found.message}"


def _is_finite(value: Any) -> bool:
    try:
        return math.isfinite(float(value))
    except (TypeError, ValueError):
        return True
