"""What a file reaches in the modules of its project: the ops in the functions and classes that it imports.

Like the look at the file itself this reads text, not syntax: a module is cut into its top-level definitions at the
lines that start at the margin, and each says which of the others it names.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from tfnanlint.look import Written, dotted_names, names_in, written_in
from tfnanlint.source.imports import aliases_of, without_imports
from tfnanlint.source.packages import ROOT_PACKAGES

if TYPE_CHECKING:
    from tfnanlint.source.project import Project

DEPTH = 3
"""How far definitions are looked for in those that they name: calls are not followed further."""

_TOP = re.compile(r"^(?:(?:async[ ]+)?def|class)[ ]+(\w+)|^(\w+)[ ]*(?::[^=\n]*)?=(?!=)", re.MULTILINE)

Part = tuple[str, str]
"""A module's path and the name of one of its definitions; no name stands for all of them."""


@dataclass(frozen=True)
class _Definition:
    """What is written in one definition, and which others it names."""

    written: Written
    uses: tuple[Part, ...]


def reached(text: str, path: str, project: Project) -> list[Written]:
    """What each thing is written of that a text imports from its project and uses."""
    names = names_in(without_imports(text))
    first = {name.partition(".")[0].rstrip() for name in names}
    aliases = {alias: dotted for alias, dotted in aliases_of(text).items() if alias in first or alias == "*"}
    parts = sorted(set(_imported(_foreign(names, aliases), path, project)))
    return [written for part in parts if (written := _closure(part, project)).ours]


def _closure(part: Part, project: Project) -> Written:
    """What a definition is written of, with those that it names."""

    def gather() -> Written:
        found = Written()
        seen: set[Part] = set()
        parts = {part}
        for _ in range(DEPTH):
            seen |= parts
            definitions = [project.remembered(one, partial(_definition, *one, project)) for one in sorted(parts)]
            for definition in definitions:
                found |= definition.written
            parts = {one for definition in definitions for one in definition.uses} - seen
        return found

    return project.remembered((part[0], ("closure", part[1])), gather)


def _imported(dotted: Iterable[str], importer: str, project: Project) -> Iterator[Part]:
    """The definitions that dotted paths lead to."""
    for one in sorted(dotted):
        place = project.find(one.removesuffix(".*"), importer)
        if place is not None and (place[1] or one.endswith(".*")):
            yield place[0], place[1].partition(".")[0]


def _definition(module: str, name: str, project: Project) -> _Definition:
    """One definition of a module; without a name, all of them."""
    data = project.content(module)
    if data is None:
        return _Definition(Written(), ())
    aliases, parts = project.remembered((module, _outline), partial(_outline, data), len(data))
    if not name:
        passed_on = [path for path in aliases.values() if path.endswith(".*")]
        uses = (*((module, other) for other in parts), *_imported(passed_on, module, project))
        return _Definition(Written(), uses)
    text = parts.get(name, name)  # what is not defined here may be imported
    names = names_in(text)
    first = {used.partition(".")[0].rstrip() for used in names}
    used = {alias: path for alias, path in aliases.items() if alias in first}
    uses = (
        *((module, other) for other in sorted(first & parts.keys()) if other != name),
        *_imported(_foreign(names, used), module, project),
    )
    return _Definition(written_in(text, names, used) if name in parts else Written(), uses)


def _foreign(names: Iterable[str], aliases: Mapping[str, str]) -> set[str]:
    """The dotted paths that names lead to in other packages than TensorFlow and Keras."""
    return dotted_names(names, {a: p for a, p in aliases.items() if p.partition(".")[0] not in ROOT_PACKAGES})


def _outline(data: bytes) -> tuple[dict[str, str], dict[str, str]]:
    """What a module's imported names stand for, and the texts of its definitions."""
    text = data.decode("utf-8", "replace")
    return aliases_of(text), dict(_cut(text))


def _cut(text: str) -> Iterator[tuple[str, str]]:
    tops = list(_TOP.finditer(text))
    for at, top in enumerate(tops):
        end = tops[at + 1].start() if at + 1 < len(tops) else len(text)
        yield top[1] or top[2], text[top.start() : end]
