"""The files of a project that may call a function: they name it, and import its module."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from tfnanlint.source.imports import aliases_of
from tfnanlint.source.packages import is_test_module

if TYPE_CHECKING:
    from tfnanlint.source.project import Project

MOST_CALLERS = 6
"""The most files that may call a function if what they give it is to be known."""
LARGEST_CALLER = 200_000
"""Bytes beyond which a file is not read for its calls."""
INIT = "__init__.py"


def callers_of(names: Sequence[str], path: str, project: Project) -> tuple[str, ...]:
    """The files that hold all of these names and import the module at a path, or a package around it.

    None, if there are more than `MOST_CALLERS`: what some of them give a function shows nothing about the others.
    """
    first = tuple(islice(_calling([name.encode() for name in names], path, project), MOST_CALLERS + 1))
    found = first if len(first) <= MOST_CALLERS else ()
    project.trace.ask((path, *names), found)
    return found


def _calling(names: Sequence[bytes], path: str, project: Project) -> Iterator[str]:
    for other, text in project.texts_around(path):
        if other == path or len(text) > LARGEST_CALLER or not all(name in text for name in names):
            continue
        if not all(re.search(rb"\b%s\b" % re.escape(name), text) for name in names):
            continue
        code = text.decode("utf-8", "replace")
        if not is_test_module(other, code) and _imports(code, other, path, project):
            yield other


def _imports(code: str, other: str, path: str, project: Project) -> bool:
    """Whether a file imports another one, or a package around that, which may hand on what it defines."""
    for dotted in dict.fromkeys(aliases_of(code).values()):
        place = project.find(dotted.removesuffix(".*"), other)
        if place is not None and (
            place[0] == path or (place[0].endswith(INIT) and path.startswith(place[0].removesuffix(INIT)))
        ):
            return True
    return False
