"""The cache of earlier runs: results are reused until something they depend on changes.

An entry holds for a file's bytes, its settings, the files that its imports lead to, where its imports were found, and
which files of the project call its functions.
An index holds for this version with these rules and one working directory. One index is one JSON file, read whole and
replaced atomically, so that parallel runs at worst lose each other's entries. An unreadable entry is a miss, and a
folder that cannot be written to is left alone: a cache never makes a run fail.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Collection, Iterable, Mapping
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, TypeVar

from tfnanlint import __version__
from tfnanlint.config.settings import Settings
from tfnanlint.contents import LARGEST_SETTING, contents, files_below
from tfnanlint.ruleset.files import PACKAGE, rules_folder, stamp
from tfnanlint.run.files import shown
from tfnanlint.run.problem import Problem
from tfnanlint.run.single import Raw
from tfnanlint.source.callers import callers_of
from tfnanlint.source.project import LARGEST_FILE, Project, digest, project_around
from tfnanlint.vocabulary import CACHE, CERTAINTIES, FIX_KINDS, SEVERITIES

if TYPE_CHECKING:
    from tfnanlint.finding import Finding, Value

Made = TypeVar("Made")
TAG = "CACHEDIR.TAG"
_SIGNATURE = b"Signature: 8a477f597d28d172789f06886806bc55\n# Made by tfnanlint; `tfnanlint clean` removes it.\n"
MOST_ENTRIES = 50_000
MOST_NAMES = 2
"""How many names tell a function: its own, and that of its class."""
MOST_STALE = 20_000
"""Contents of files that no entry may ask for any more, before an index is begun anew."""
MOST_INDEXES = 8
"""Indexes of other versions and working directories that are kept."""
SETTLED = 2_000_000_000
"""Nanoseconds after which a time of modification tells of the next change: file systems count coarsely."""
UNSETTLED = ""
"""Stands for the files of a project some of which changed too recently for their times to tell of the next change."""


class Cache:
    """The entries of one run's index, in a folder that is made when there is something to keep."""

    def __init__(self, folder: str, settings: Mapping[str, Settings], project: Project) -> None:
        self._settings, self._project = settings, project
        self._folder = folder
        self._path = os.path.join(folder, f"{_index_name(settings.values())}.json")
        self._index = _read(self._path)
        self._now: dict[str, str | None] = {}
        self._stands: dict[int, bool] = {}
        self._judges: dict[str, str | None] = {}
        self._here = os.path.join(os.getcwd(), "")
        self._began = time.time_ns()
        self._projects: dict[str, str] = {}
        self._asked: dict[int, tuple[bool, str]] = {}
        self._stats: dict[str, list[Any]] = {}
        self._new: dict[str, str] = {}
        self._held: set[str] = set()

    def get(self, path: str) -> Raw | None:
        """What linting a file gave, if it would give the same now."""
        try:
            key = self._key(path)
            entry = self._index["entries"][key]
            if not self._holds(path, entry):
                return None
            self._held.add(key)
            raw = Raw(path)
            raw.findings = [_finding(found) for found in entry["findings"]]
            raw.problems = [_problem(problem) for problem in entry["problems"]]
            raw.digest, raw.marked, raw.unreadable = entry["digest"], entry["marked"], entry["unreadable"]
            raw.trace.files = dict(map(self._source, entry["files"]))
            return raw
        except (KeyError, IndexError, TypeError, ValueError, AttributeError):
            return None

    def put(self, raw: Raw) -> None:
        """Keep what linting a file gave, but for what another run may see otherwise: an error of reading, a crash."""
        if raw.book is None and raw.digest and all(p.line and not p.traceback for p in raw.problems):
            key = self._key(raw.path)
            projects = {path: self._project_of(path) for path, *_ in raw.trace.callers}
            self._growing.add(key, raw, self._around(raw.trace.files), projects)
            self._new[key] = raw.path

    def save(self) -> None:
        """Write what is new; what has changed since it was linted is left out."""
        old, unmoved = self._index, self._unmoved
        known = all(old["files"].get(at) == now for at, now in self._stats.items())
        known &= all(old["asked"][at] == project for at, (_, project) in self._asked.items())
        if not self._new and unmoved and known:
            return
        if self._growing.grown_from is old:
            for at, (holds, project) in self._asked.items():
                self._growing.asked[at] = project if holds else UNSETTLED
        index = self._index = self._growing.whole()
        self._now.clear()
        self._stands.clear()
        for key, path in self._new.items():
            if key in index["entries"] and not self._is_current(path, index["entries"][key]):
                del index["entries"][key]
        index["files"].update(self._stats)
        index["folders"] = _times({*old["folders"], *self._project.folders})
        if not unmoved and not self._held.issuperset(old["entries"]):
            index["folders"] |= old["folders"]  # where imports of other entries lead now was not looked up
        self._new.clear()
        del self._growing
        _write(self._folder, self._path, index)

    @cached_property
    def _growing(self) -> _Growing:
        """The index to come."""
        try:
            return _Growing(self._index)
        except (TypeError, ValueError, KeyError):  # somebody else has written it
            return _Growing(_empty())

    def _key(self, path: str) -> str:
        return f"{path}\n{_name(self._settings[path])}"

    def _around(self, files: Collection[str]) -> dict[str, str]:
        """By what settings the files that a file leads into are judged in this run."""
        for file in files:
            if file not in self._judges:
                settings = self._settings.get(shown(file))
                self._judges[file] = None if settings is None else _name(settings)
        return {file: name for file in files if (name := self._judges[file]) is not None}

    def _holds(self, path: str, entry: dict[str, Any]) -> bool:
        if not self._has_its_files(path, entry):
            return False
        files = [self._source(at)[0] for at in entry["files"]]
        if self._around(files) != dict(map(self._judged, entry["around"])):
            return False
        return (self._unmoved or self._has_its_imports(entry)) and all(map(self._has_its_callers, entry["callers"]))

    def _is_current(self, path: str, entry: dict[str, Any]) -> bool:
        return self._has_its_files(path, entry) and self._has_its_imports(entry)

    def _has_its_files(self, path: str, entry: dict[str, Any]) -> bool:
        """Whether a file, and those that it leads into, hold what they held."""
        return self._content(path) == entry["digest"] and all(map(self._has_stayed, entry["files"]))

    def _has_stayed(self, at: int) -> bool:
        if at not in self._stands:
            path, content = self._source(at)
            self._stands[at] = self._followed(path) == content
        return self._stands[at]

    def _has_its_imports(self, entry: dict[str, Any]) -> bool:
        imports = map(self._import, entry["imports"])
        return all(self._find(folder, dotted) == place for folder, dotted, place in imports)

    def _has_its_callers(self, at: int) -> bool:
        """Whether the files that call a function are those that called it, as new ones may have come."""
        if at not in self._asked:
            place, names, files = self._index["callers"][at]
            if not isinstance(names, list) or not 0 < len(names) <= MOST_NAMES:
                raise TypeError("a function is known by its name and that of its class")
            path = self._index["paths"][place]
            project = self._project_of(path)
            stayed = self._index["asked"][at] == project != UNSETTLED
            were = tuple(self._index["paths"][file] for file in files)
            self._asked[at] = stayed or callers_of(names, path, self._project) == were, project
        return self._asked[at][0]

    def _project_of(self, path: str) -> str:
        """A digest of the names and times of the Python files of a project; of one that is just changing, nothing."""
        root = project_around(os.path.dirname(path))
        if root not in self._projects:
            self._projects[root] = _files_below(root, self._began - SETTLED)
        return self._projects[root]

    def _find(self, folder: str, dotted: str) -> str | None:
        """Where a file in a folder finds what it imports."""
        place = self._project.find(dotted, os.path.join(folder, "_.py"))
        return place[0] if place is not None else None

    def _source(self, at: int) -> tuple[str, str]:
        path, content = self._index["sources"][at]
        return self._index["paths"][path], content

    def _judged(self, at: int) -> tuple[str, str]:
        path, settings = self._index["judged"][at]
        return self._index["paths"][path], settings

    def _import(self, at: int) -> tuple[str, str, str | None]:
        folder, dotted, place = self._index["imports"][at]
        paths = self._index["paths"]
        return paths[folder], dotted, None if place is None else paths[place]

    @cached_property
    def _unmoved(self) -> bool:
        """Whether nothing has come into or gone from any folder in which imports were looked for."""
        return all(_time(folder) == then for folder, then in self._index["folders"].items())

    def _content(self, path: str) -> str | None:
        """The digest of a file as it is, from its size and time where they have not changed."""
        full = path if os.path.isabs(path) else self._here + path
        if full not in self._now:
            self._now[full] = self._looked_at(full)
        return self._now[full]

    def _looked_at(self, full: str) -> str | None:
        try:
            status = os.stat(full)
            known = _known(self._index["files"].get(full), status)
            content = digest(contents(full)) if known is None else known
        except OSError:
            return None
        if known is not None or time.time_ns() - status.st_mtime_ns > SETTLED:
            self._stats[full] = [*_stamp(status), content]
        return content

    def _followed(self, path: str) -> str:
        """The digest of a file that others lead into; of none, and of one that is too large to follow, nothing."""
        content = self._content(path)
        try:
            return content if content is not None and os.path.getsize(path) <= LARGEST_FILE else ""
        except OSError:  # it has gone meanwhile
            return ""


def _stamp(status: os.stat_result) -> list[int]:
    """What tells that a file is what it was: a program can set back the time of modification, but not of change."""
    return [status.st_size, status.st_mtime_ns, status.st_ctime_ns]


def _known(kept: Any, status: os.stat_result) -> str | None:
    """The digest that is kept of a file of this size and time; nothing for another one, and for what is no entry."""
    if not isinstance(kept, list) or kept[:-1] != _stamp(status):
        return None
    return kept[-1] if isinstance(kept[-1], str) else None


class _Growing:
    """An index to which entries are added: what several of them hold stands in it once, and they name it by number.

    `paths` numbers files and folders, `sources` files with their contents, `judged` files with the settings that they
    are judged by, `imports` folders with a dotted path and where that leads from there, `callers` a module with the
    names of a function in it and the files that call that; `asked` tells of each how the project was then.
    """

    def __init__(self, index: dict[str, Any]) -> None:
        if len(index["sources"]) > MOST_STALE + 4 * len(index["entries"]):
            index = _empty()  # what files once held has piled up
        self.grown_from = index
        self.entries: dict[str, Any] = dict(index["entries"])
        self.paths: dict[str, int] = {path: at for at, path in enumerate(index["paths"])}
        self.sources: dict[tuple[int, str], int] = {tuple(one): at for at, one in enumerate(index["sources"])}
        self.judged: dict[tuple[int, str], int] = {tuple(one): at for at, one in enumerate(index["judged"])}
        self.imports: dict[tuple[int, str, int | None], int] = {tuple(i): at for at, i in enumerate(index["imports"])}
        self.callers: dict[tuple[int, tuple[str, ...], tuple[int, ...]], int] = {
            (place, tuple(names), tuple(files)): at for at, (place, names, files) in enumerate(index["callers"])
        }
        self.files: dict[str, Any] = dict(index["files"])
        self.asked: list[str] = list(index["asked"])

    def add(self, key: str, raw: Raw, around: dict[str, str], projects: dict[str, str]) -> None:
        from dataclasses import asdict

        self.entries.pop(key, None)  # the newest stand last
        imports = [
            (self._path(folder), dotted, None if place is None else self._path(place))
            for (folder, dotted), place in raw.trace.imports.items()
        ]
        files = [(self._path(file), content) for file, content in raw.trace.files.items()]
        judged = [(self._path(file), settings) for file, settings in around.items()]
        callers = [
            (self._path(place), tuple(names), tuple(map(self._path, found)))
            for (place, *names), found in raw.trace.callers.items()
        ]
        self.entries[key] = {
            "digest": raw.digest,
            "marked": raw.marked,
            "unreadable": raw.unreadable,
            "files": [_number(self.sources, one) for one in files],
            "imports": [_number(self.imports, one) for one in imports],
            "around": [_number(self.judged, one) for one in judged],
            "callers": [_number(self.callers, one) for one in callers],
            "findings": [asdict(found) for found in raw.findings],
            "problems": [problem._asdict() for problem in raw.problems],
        }
        self.asked += [UNSETTLED] * (len(self.callers) - len(self.asked))
        for at, (place, *_) in zip(self.entries[key]["callers"], raw.trace.callers, strict=True):
            self.asked[at] = projects[place]

    def _path(self, path: str) -> int:
        return _number(self.paths, path)

    def whole(self) -> dict[str, Any]:
        entries = dict(list(self.entries.items())[-MOST_ENTRIES:])
        return {
            "entries": entries,
            "paths": list(self.paths),
            "sources": list(self.sources),
            "judged": list(self.judged),
            "imports": list(self.imports),
            "callers": list(self.callers),
            "asked": self.asked,
            "files": self.files,
            "folders": {},
        }


def _number(table: dict[Any, int], one: Any) -> int:
    return table.setdefault(one, len(table))


def _times(folders: Iterable[str]) -> dict[str, int]:
    """When each folder last changed; one that has changed just now is not trusted next time."""
    now = time.time_ns()
    times = {folder: _time(folder) for folder in folders}
    return {folder: then if now - then > SETTLED else -1 for folder, then in times.items()}


def _files_below(root: str, settled: int) -> str:
    """A digest of the paths, sizes and times of the Python files below a folder; none if one has changed since."""
    told: list[str] = []
    try:
        for path in files_below(root, (".py",)):
            status = os.stat(path, follow_symlinks=False)
            if max(status.st_mtime_ns, status.st_ctime_ns) > settled:
                return UNSETTLED
            told.append(f"{path}\n{status.st_size} {status.st_mtime_ns} {status.st_ctime_ns}")
    except (OSError, OverflowError):
        return UNSETTLED
    return digest("\n".join(told).encode("utf-8", "surrogateescape"))


def _time(path: str) -> int:
    """When a folder last changed, 0 where there is none."""
    try:
        return os.stat(path).st_mtime_ns
    except (OSError, ValueError):  # what an index names may be no path
        return 0


@cache
def _name(settings: Settings) -> str:
    """What tells settings apart, without those that are about what becomes of findings."""
    lasting = settings._replace(fix=False, unsafe_fixes=None, fail_on="", min_certainty="", unfixable=())
    return digest(repr(lasting).encode())


def _index_name(every: Iterable[Settings]) -> str:
    """What tells indexes apart: the program, its rules, those of the run, and the folder in which it is run."""
    given = sorted({folder for one in set(every) for folder in one.folders})
    folders = [PACKAGE, rules_folder(), *given]
    told = [__version__, sys.version, os.getcwd(), *map(stamp, folders)]
    return digest("\n".join(told).encode("utf-8", "surrogateescape"))


def _empty() -> dict[str, Any]:
    lists: dict[str, Any] = {name: [] for name in ("paths", "sources", "judged", "imports", "callers", "asked")}
    return lists | {"entries": {}, "files": {}, "folders": {}}


def _read(path: str) -> dict[str, Any]:
    try:
        index = json.loads(contents(path))
    except (OSError, ValueError, RecursionError):
        return _empty()
    return index if _is_index(index) else _empty()


def _is_index(index: Any) -> bool:
    return isinstance(index, dict) and all(type(index.get(key)) is type(kind) for key, kind in _empty().items())


def is_cache(folder: str) -> bool:
    """Whether a folder is a cache that this program has made; other programs mark theirs with the same file.

    One of this program's own name may be damaged.
    """
    tag = os.path.join(folder, TAG)
    if os.path.basename(os.path.abspath(folder)) == CACHE and os.path.isfile(tag):
        return True
    try:
        return contents(tag, LARGEST_SETTING).replace(b"\r\n", b"\n") == _SIGNATURE
    except OSError:
        return False


def _write(folder: str, path: str, index: dict[str, Any]) -> None:
    """Replace an index in one step; nothing happens where that is not possible."""
    import tempfile

    temporary = ""
    try:
        os.makedirs(folder, exist_ok=True)
        if not os.listdir(folder):
            for name, text in ((".gitignore", b"*\n"), (TAG, _SIGNATURE)):
                with open(os.path.join(folder, name), "wb") as mark:
                    mark.write(text)
        if not is_cache(folder):  # somebody else's folder: what is in it stays
            return
        handle, temporary = tempfile.mkstemp(prefix=".new-", dir=folder)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(index, file, separators=(",", ":"))
        os.replace(temporary, path)
        temporary = ""
        _drop_old(folder)
    except (OSError, ValueError):
        return
    finally:
        if temporary:
            _remove(temporary)


def _drop_old(folder: str) -> None:
    indexes = [os.path.join(folder, name) for name in os.listdir(folder) if name.endswith(".json")]
    for path in sorted(indexes, key=_time, reverse=True)[MOST_INDEXES:]:
        _remove(path)


def _remove(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:
        return


def _finding(plain: dict[str, Any]) -> Finding:
    """A finding from what `asdict` has made of it; `TypeError` or `ValueError` for anything else."""
    from tfnanlint.finding import Edit, Finding, Fix, Step

    fix = plain["fix"]
    if fix is not None:
        fix = _checked(Fix(**{**fix, "edits": tuple(_checked(Edit(**edit)) for edit in fix["edits"])}))
    found = Finding(
        **{
            **plain,
            "trail": tuple(_checked(Step(**step)) for step in plain["trail"]),
            "fix": fix,
            "slice": tuple(_value(value) for value in plain["slice"]),
        }
    )
    if found.severity not in SEVERITIES or found.certainty not in CERTAINTIES or (fix and fix.kind not in FIX_KINDS):
        raise ValueError("these are words of no finding")
    if found.proof is not None or not all(0 <= at < len(found.slice) for one in found.slice for at in one.operands):
        raise ValueError("nothing is proved in source code, and operands are in the same slice")
    hash(found)
    trial = found.trial
    if trial is not None and not all(isinstance(trial[name], str) for name in ("situation", "description", "run")):
        raise TypeError("a trial holds texts")
    return _checked(found)


def _problem(plain: dict[str, Any]) -> Problem:
    found = Problem(**plain)
    if [type(found.path), type(found.line), type(found.column), type(found.message)] != [str, int, int, str]:
        raise TypeError("a problem has a path, a position and a message")
    return found


def _value(plain: dict[str, Any]) -> Value:
    from tfnanlint.finding import Value

    found = _checked(Value(**{key: _tuples(part) for key, part in plain.items()}))
    if not all(type(operand) is int for operand in found.operands):
        raise TypeError("operands are numbers of values")
    if found.place is not None and list(map(type, found.place)) != [str, int, int, int, int]:
        raise TypeError("a place is a path with four numbers")
    for pair in (*(() if found.bounds is None else (found.bounds,)), *found.breaks):
        if [type(bound) in (int, float) for bound in pair] != [True, True]:
            raise TypeError("bounds are two numbers")
    return found


_KINDS: dict[str, tuple[type, ...]] = {
    "str": (str,),
    "int": (int,),
    "bool": (bool,),
    "str | None": (str, type(None)),
    "int | None": (int, type(None)),
    "bool | None": (bool, type(None)),
}
"""The types of what a field of an annotation holds."""
_MOST = 2**31
"""No line, column or cell has a higher number."""


def _checked(made: Made) -> Made:
    """An object of a result whose simple fields hold what their annotations say; `TypeError` for another one."""
    cls: type = type(made)
    for name, annotation in _annotations(cls):
        kinds, value = _KINDS.get(annotation), getattr(made, name)
        if (kinds and type(value) not in kinds) or (type(value) is int and not 0 <= value < _MOST):
            raise TypeError(f"{name} cannot be {value!r}")
    return made


@cache
def _annotations(cls: type) -> list[tuple[str, str]]:
    from dataclasses import fields

    return [(one.name, str(one.type)) for one in fields(cls)]


def _tuples(part: Any) -> Any:
    return tuple(map(_tuples, part)) if isinstance(part, list) else part
