"""The graph pass for Python programs: lint a function, a graph, or everything that is traced meanwhile.

What a comment on a line of the source ignores is left out, as everywhere else.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from tfnanlint.errors import SourceError
from tfnanlint.finding import Finding
from tfnanlint.graph.lint import checked, examined, lint_concrete, trace
from tfnanlint.graph.model import GraphError
from tfnanlint.run.files import FileError, read
from tfnanlint.suppress.meta import MARK, Scope
from tfnanlint.suppress.pragma import Silenced, silence


def lint_function(function: Any, *specs: Any, **options: Any) -> list[Finding]:
    """The findings in a function, traced with `tf.function` on arguments like `specs`.

    A spec is a tensor, a `tf.TensorSpec`, an array, or a plain Python value that the function is to be called with.
    Options are those of `lint_concrete`; what the function raises while it is traced is raised here.
    """
    return heard(lint_concrete(trace(function, *specs), **options)).findings


def lint_graph(graph: Any, **options: Any) -> list[Finding]:
    """The findings in a graph, however it is held, or in the file or folder of a path.

    Held, it is a (concrete) `tf.function`, a FuncGraph, a Graph or a GraphDef; a `tf.function` is linted through every
    trace it has so far. A path is that of a SavedModel, a `.pb`, `.pbtxt`, `.keras` or HDF5 file; no code in it is run.
    Options are those of `lint_concrete`. Raises `GraphError`, for a path that cannot be read as well.
    """
    import tensorflow as tf

    if isinstance(graph, (str, os.PathLike)):
        return heard(_in_file(os.fspath(graph), options)).findings
    traces = getattr(graph, "_list_all_concrete_functions", None)
    if traces is not None:
        return heard(told_once(f for concrete in traces() for f in lint_concrete(concrete, **options))).findings
    if not hasattr(graph, "graph") and not isinstance(graph, (tf.Graph, tf.compat.v1.GraphDef)):
        raise GraphError(f"{type(graph).__name__} is no graph")
    return heard(lint_concrete(graph, **options)).findings


def _in_file(path: str, options: dict[str, Any]) -> list[Finding]:
    from tfnanlint.graph.targets import subjects

    found: list[Finding] = []
    for subject in subjects(path):
        lowered = subject.lowered()
        checked(lowered, options.get("ranges"))
        of_file = {"differentiate": subject.differentiate, "saved": subject.saved(lowered)}
        found += placed((finding for finding, _ in examined(lowered, **{**of_file, **options})), subject.path)
    return told_once(found)


def placed(findings: Iterable[Finding], path: str) -> list[Finding]:
    """Findings with a path for those that stand at no line of source."""
    return [found if found.has_source else replace(found, path=path) for found in findings]


def told_once(findings: Iterable[Finding]) -> list[Finding]:
    """Findings without what several traces have in common, in order."""
    best: dict[Any, Finding] = {}
    for found in findings:
        key = (*found.position, "" if found.has_source else found.node)
        if key not in best or (_is_proved(found) and not _is_proved(best[key])):
            best[key] = found
    return sorted(best.values(), key=lambda found: (found.position, found.node or ""))


def _is_proved(finding: Finding) -> bool:
    return finding.proof is not None and finding.proof["status"] == "proved"


def heard(findings: Iterable[Finding]) -> Silenced:
    """Findings without those that a comment in their files ignores."""
    by_path: dict[str, list[Finding]] = {}
    for found in findings:
        by_path.setdefault(found.path if found.has_source else "", []).append(found)
    result = Silenced([], [])
    for path, there in by_path.items():
        text = _text(path)
        try:
            left = silence(text, path, there, _ALL, None) if MARK in text else Silenced(there, [])
        except SourceError:
            left = Silenced(there, [])
        result.findings += left.findings
        result.silenced += left.silenced
    result.findings.sort(key=lambda found: (found.position, found.node or ""))
    return result


_ALL = Scope((), (), frozenset())
"""An ignore that seems to silence nothing may be there for the source pass: nothing is said of the comments."""


def _text(path: str) -> str:
    try:
        return read(path).text if path else ""
    except (FileError, SourceError):
        return ""
