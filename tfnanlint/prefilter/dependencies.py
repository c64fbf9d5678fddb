"""The mentions in definitions that a file imports from other modules of its project.

This reads text, not syntax: a module is split into its top-level definitions at the lines without indentation, and each
definition lists the others that it names.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from tfnanlint.prefilter.mentions import Mentions, code_of, dotted_names, mentions_in, names_in
from tfnanlint.source.imports import aliases_of, without_imports
from tfnanlint.source.packages import is_ours
from tfnanlint.source.project import PASSED_ON

if TYPE_CHECKING:
    from tfnanlint.source.project import Project

DEPTH = 3
"""How far definitions are looked for in those that they name: calls are not followed further."""

_TOP = re.compile(r"^(?:(?:async[ ]+)?def|class)[ ]+(\w+)|^(\w+)[ ]*(?::[^=\n]*)?=(?!=)", re.MULTILINE)

Part = tuple[str, str]
"""A module's path and the name of one of its definitions; no name stands for all of them."""


@dataclass(frozen=True)
class _Definition:
    """What one definition mentions, and which others it names."""

    mentions: Mentions
    uses: tuple[Part, ...]


def imported(text: str, path: str, project: Project, hops: int = PASSED_ON) -> dict[str, str]:
    """The dotted path of each imported name, followed through modules of the project."""
    aliases = aliases_of(text)
    found = _starred(aliases, path, project, hops)
    return found | {alias: _origin(dotted, path, project, hops) for alias, dotted in aliases.items()}


def _starred(aliases: Mapping[str, str], importer: str, project: Project, hops: int = PASSED_ON) -> dict[str, str]:
    """What `import *` gives of ours, where it is from a module of the project."""
    given = _given(aliases["*"].removesuffix(".*"), importer, project, hops)[0] if "*" in aliases else {}
    return {name: dotted for name, dotted in given.items() if is_ours(dotted) and not name.startswith("_")}


def _origin(dotted: str, importer: str, project: Project, hops: int = PASSED_ON) -> str:
    """What an imported dotted path stands for, if a module only passes it on, else the path."""
    given, rest = _given(dotted, importer, project, hops)
    first, dot, more = rest.partition(".")
    return f"{given[first]}{dot}{more}" if is_ours(given.get(first, "")) else dotted


def _given(dotted: str, importer: str, project: Project, hops: int) -> tuple[dict[str, str], str]:
    """The imported names of the module that a dotted path leads to, and what follows the module in the path."""
    place = project.find(dotted, importer) if hops and not is_ours(dotted) else None
    data = project.content(place[0]) if place is not None else None
    if place is None or data is None:
        return {}, ""
    make = partial(imported, data.decode("utf-8", "replace"), place[0], project, hops - 1)
    return project.remembered((place[0], ("imported", hops)), make), place[1]


def imported_mentions(text: str, path: str, project: Project) -> tuple[list[Mentions], dict[str, str]]:
    """What each thing mentions that a text imports from its project and uses; what the used names stand for."""
    names = names_in(without_imports(code_of(text)))
    first = {name.partition(".")[0].rstrip() for name in names}
    used = {alias: dotted for alias, dotted in aliases_of(text).items() if alias in first or alias == "*"}
    aliases = {alias: _origin(dotted, path, project) for alias, dotted in used.items()}
    return import_mentions(names, aliases, path, project), _starred(used, path, project) | aliases


def import_mentions(names: Iterable[str], aliases: Mapping[str, str], path: str, project: Project) -> list[Mentions]:
    """What each thing mentions that names lead to in other files of the project."""
    parts = sorted(set(_imported(_foreign(names, aliases), path, project)))
    return [found for part in parts if (found := _closure(part, project)).ours or found.traits]


def _closure(part: Part, project: Project) -> Mentions:
    """What a definition and those that it names mention."""

    def gather() -> Mentions:
        found = Mentions()
        seen: set[Part] = set()
        parts = {part}
        for _ in range(DEPTH):
            seen |= parts
            definitions = [project.remembered(one, partial(_definition, *one, project)) for one in sorted(parts)]
            for definition in definitions:
                found |= definition.mentions
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
        return _Definition(Mentions(), ())
    aliases, parts = project.remembered((module, _outline), partial(_outline, data, module, project), len(data))
    if not name:
        passed_on = [path for path in aliases.values() if path.endswith(".*")]
        uses = (*((module, other) for other in parts), *_imported(passed_on, module, project))
        return _Definition(Mentions(), uses)
    text = parts.get(name, name)  # what is not defined here may be imported
    names = names_in(text)
    first = {used.partition(".")[0].rstrip() for used in names}
    used = {alias: _origin(path, module, project) for alias, path in aliases.items() if alias in first}
    uses = (
        *((module, other) for other in sorted(first & parts.keys()) if other != name),
        *_imported(_foreign(names, used), module, project),
    )
    keras = any(map(is_ours, aliases.values()))
    return _Definition(mentions_in(text, names, used, keras) if name in parts else Mentions(), uses)


def _foreign(names: Iterable[str], aliases: Mapping[str, str]) -> set[str]:
    """The dotted paths that names lead to in other packages than TensorFlow and Keras."""
    return dotted_names(names, {a: p for a, p in aliases.items() if not is_ours(p)})


def _outline(data: bytes, module: str, project: Project) -> tuple[dict[str, str], dict[str, str]]:
    """What a module's imported names stand for, and the texts of its definitions."""
    text = data.decode("utf-8", "replace")
    aliases = aliases_of(text)
    return _starred(aliases, module, project) | aliases, dict(_cut(code_of(text)))


def _cut(text: str) -> Iterator[tuple[str, str]]:
    tops = list(_TOP.finditer(text))
    for at, top in enumerate(tops):
        end = tops[at + 1].start() if at + 1 < len(tops) else len(text)
        yield top[1] or top[2], text[top.start() : end]
