"""Watching TensorFlow trace: every function traced in the meantime is collected and linted afterwards.

TensorFlow creates every trace in one function of one module. That function is replaced only while someone watches. If
TensorFlow is not imported yet, the replacement happens on import.
"""

from __future__ import annotations

import importlib.abc
import importlib.util
import sys
import threading
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import ModuleType
from typing import TYPE_CHECKING, Any

from tfnanlint.finding import Finding
from tfnanlint.graph.collected import heard, told_once
from tfnanlint.graph.lint import Bounds
from tfnanlint.graph.model import require_tensorflow

if TYPE_CHECKING:
    from importlib.machinery import ModuleSpec

    from tfnanlint.ruleset.rule import Rules

_HOME = "tensorflow.python.eager.polymorphic_function.tracing_compilation"
_MAKER = "_create_concrete_function"

_lock = threading.RLock()
_listeners: list[Listener] = []
_original: Any = None
_here = threading.local()
"""`linting` while this thread lints: what a proof traces then is not the program's."""


class Listener:
    """What has been traced since it was started, in any thread: concrete functions, the inner ones left out."""

    def __init__(self) -> None:
        self._traced: list[Any] = []

    def start(self) -> None:
        with _lock:
            _listeners.append(self)
            if len(_listeners) == 1:
                _install()

    def stop(self) -> None:
        with _lock:
            _listeners.remove(self)
            if not _listeners:
                _remove()

    def note(self, concrete: Any) -> None:
        self._traced.append(concrete)

    def findings(
        self,
        *,
        rules: Rules | None = None,
        ranges: Mapping[str, Bounds] | None = None,
        pedantic: bool = False,
        prove: bool | float = False,
    ) -> list[Finding]:
        """The findings in what was traced since the last time.

        What the program has called under a tape counts as differentiated; a trace that cannot be linted is a warning.
        """
        from tfnanlint.graph.proving import settled
        from tfnanlint.graph.tracing import Subject

        traced, self._traced = self._traced, []
        found: list[Finding] = []
        for concrete in traced:
            _here.linting = True
            try:
                subject = Subject("trace", concrete)
                options = {"rules": rules, "ranges": ranges, "differentiate": _is_taped(concrete), "pedantic": pedantic}
                found += settled(subject, subject.lowered(), prove, options)
            except Exception as error:
                name = getattr(concrete, "name", "a function")
                warnings.warn(f"tfnanlint: cannot lint {name!s}: {error!r}", RuntimeWarning, stacklevel=2)
            finally:
                _here.linting = False
        return heard(told_once(found)).findings


@contextmanager
def watch(
    *,
    rules: Rules | None = None,
    ranges: Mapping[str, Bounds] | None = None,
    pedantic: bool = False,
    prove: bool | float = False,
) -> Iterator[list[Finding]]:
    """Lint every function traced inside the `with` block, in any thread; the list holds the findings afterwards.

    Code that runs eagerly is not linted. A trace is differentiated if it takes gradients itself, or if it was called
    under a tape. `ranges` bound inputs by name; traces without these inputs ignore them. `prove` is as in
    `lint_function`.
    """
    require_tensorflow()
    findings: list[Finding] = []
    listener = Listener()
    listener.start()
    try:
        yield findings
    finally:
        listener.stop()
        findings += listener.findings(rules=rules, ranges=ranges, pedantic=pedantic, prove=prove)


def _is_taped(concrete: Any) -> bool:
    """Whether a tape outside of the function has asked for what its gradient needs."""
    return bool(
        getattr(concrete, "_first_order_tape_functions", None)
        or getattr(concrete, "_higher_order_tape_functions", None)
    )


# The place where TensorFlow makes its traces.


def _install() -> None:
    module = sys.modules.get(_HOME)
    if module is not None and hasattr(module, _MAKER):
        _replace(module)
    else:
        sys.meta_path.insert(0, _finder)


def _remove() -> None:
    global _original  # noqa: PLW0603
    if _finder in sys.meta_path:
        sys.meta_path.remove(_finder)
    if _original is not None:
        setattr(sys.modules[_HOME], _MAKER, _original)
        _original = None


def _replace(module: ModuleType) -> None:
    """Let the listeners know of each trace that a module makes from now on."""
    global _original  # noqa: PLW0603
    from tensorflow.python.framework import ops

    make = _original = getattr(module, _MAKER)

    def noted(*arguments: Any, **named: Any) -> Any:
        inner = ops.inside_function()  # the function outside holds what is traced inside
        concrete = make(*arguments, **named)
        if not (inner or getattr(_here, "linting", False)):
            with _lock:
                for listener in _listeners:
                    listener.note(concrete)
        return concrete

    setattr(module, _MAKER, noted)


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds the one module as others do, and changes it once it has run."""

    def __init__(self) -> None:
        self._loader: Any = None

    def find_spec(self, fullname: str, path: Any, target: Any = None) -> ModuleSpec | None:
        if fullname != _HOME:
            return None
        with _lock:
            if self in sys.meta_path:
                sys.meta_path.remove(self)
        spec = importlib.util.find_spec(fullname)
        if spec is not None:
            self._loader, spec.loader = spec.loader, self
        return spec

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        made: ModuleType | None = self._loader.create_module(spec)
        return made

    def exec_module(self, module: ModuleType) -> None:
        self._loader.exec_module(module)
        with _lock:
            if _listeners and hasattr(module, _MAKER):
                _replace(module)


_finder = _Finder()
