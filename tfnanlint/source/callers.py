"""The files of a project that may call a function, or that set the precision in which its layers compute.

The former name the function and import its module. The latter may import it through other modules.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING

from tfnanlint.source.imports import aliases_of
from tfnanlint.source.packages import is_test_module
from tfnanlint.source.project import project_around
from tfnanlint.vocabulary import POLICY_SETTERS

if TYPE_CHECKING:
    from tfnanlint.source.project import Project

ALTERNATIVE = "|"
"""What stands between the names of which one is enough."""
MOST_CALLERS = 6
"""The most files that may call a function if what they give it is to be known."""
LARGEST_CALLER = 200_000
"""Bytes beyond which a file is not read for its calls."""
INIT = "__init__.py"
HALF = "mixed_float16"
"""The policy under which layers compute in float16, in all modules of a program."""
SETTERS = "|".join(sorted({path.rpartition(".")[2] for path in POLICY_SETTERS}))
SETS_HALF = re.compile(rf"""\b(?:{SETTERS})\((?:\s|[\w.]+Policy\(|\w+=)*["']{HALF}["']""".encode())
FURTHEST = 200
"""The most modules of a program that are looked at."""


def callers_of(names: Sequence[str], path: str, project: Project) -> tuple[str, ...]:
    """The files that hold all of these names and import the module at a path, or a package around it.

    A name may be several alternatives, with `ALTERNATIVE` between them.

    None, if there are more than `MOST_CALLERS`: what some of them give a function shows nothing about the others. For
    the name `HALF`, they are the files that set this policy and import the module, through others, too.
    """
    if list(names) == [HALF]:
        programs = project.remembered((project_around(os.path.dirname(path)), HALF), partial(_in_half, path, project))
        half = tuple(file for file, modules in programs.items() if path in modules)
        project.trace.ask((path, *names), half)
        return half
    first = tuple(islice(_calling([name.encode() for name in names], path, project), MOST_CALLERS + 1))
    found = first if len(first) <= MOST_CALLERS else ()
    project.trace.ask((path, *names), found)
    return found


def is_in_half(path: str, project: Project) -> bool:
    """Whether a program that imports a module lets its layers compute in float16."""
    return bool(callers_of([HALF], path, project))


def _in_half(path: str, project: Project) -> dict[str, frozenset[str]]:
    """The files of a project that set the policy, each with the modules that it imports, and these in turn."""
    found: dict[str, frozenset[str]] = {}
    with project.untraced():
        for file, text in project.texts_around(path):
            if len(text) > LARGEST_CALLER or not SETS_HALF.search(text):
                continue
            if not is_test_module(file, text.decode("utf-8", "replace")):
                found[file] = _modules_of(file, text, project)
    return found


def _modules_of(file: str, text: bytes, project: Project) -> frozenset[str]:
    """The modules of the project that a file imports, and these in turn."""
    seen: set[str] = set()
    left: list[tuple[str, bytes | None]] = [(file, text)]
    while left and len(seen) < FURTHEST:
        importer, code = left.pop()
        for dotted in aliases_of((code or b"").decode("utf-8", "replace")).values():
            place = project.find(dotted.removesuffix(".*"), importer)
            if place is not None and place[0] not in seen:
                seen.add(place[0])
                left.append((place[0], project.content(place[0])))
    return frozenset(seen)


def _calling(names: Sequence[bytes], path: str, project: Project) -> Iterator[str]:
    asked = [name.split(ALTERNATIVE.encode()) for name in names]
    words = [re.compile(rb"\b(?:%s)\b" % b"|".join(map(re.escape, each))) for each in asked]
    for other, text in project.texts_around(path):
        if other == path or len(text) > LARGEST_CALLER or not all(any(n in text for n in each) for each in asked):
            continue
        if not all(word.search(text) for word in words):
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
