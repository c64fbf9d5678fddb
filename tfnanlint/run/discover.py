"""Which files a run lints: the named ones and, in named folders, the Python files that git would not ignore.

Notebooks count as Python files. Folders behind symbolic links are not entered (as in git). A link to a file counts only
if its target is in a named folder or below the working directory, so that no file elsewhere is read or changed, and no
loop is followed. A file reachable by two names is linted once.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from tfnanlint.config.discovery import Configs
from tfnanlint.config.patterns import fault_of
from tfnanlint.config.settings import MOST_PATTERNS, Config
from tfnanlint.contents import LARGEST_SETTING, SKIPPED_FOLDERS, contents, lies_below
from tfnanlint.errors import ConfigError
from tfnanlint.run.files import shown

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

SUFFIXES = (".py", ".pyi", ".ipynb")
SAVED = (".pb", ".pbtxt", ".keras", ".h5", ".hdf5")

DEEPEST = 100
"""How far below a named folder others are entered."""


class Found(NamedTuple):
    """The files of a run, as reports show them, in order; and the paths that could not be taken, with the reason."""

    files: list[str]
    problems: list[tuple[str, str]]


def discover(paths: Sequence[str], configs: Configs, exclude: Sequence[str] = (), force_exclude: bool = False) -> Found:
    """The files to lint under the given paths.

    `exclude` holds patterns in the form of .gitignore, relative to the working directory; those of the configuration
    are relative to its file and, like the folders that are skipped by default, bind named files only if forced to.
    """
    problems: list[tuple[str, str]] = []
    here = configured(os.getcwd(), exclude)
    links: set[str] = set()
    files: set[str] = set()
    for path in paths:
        full = os.path.abspath(path)
        if not os.path.exists(full):
            problems.append((path, "no such file or folder"))
        elif _is_saved(full):
            problems.append((path, f"a saved graph or model, not Python; lint it with `tfnanlint graph {path}`"))
        elif here.exclude(full) or (force_exclude and _excluded_by_config(full, configs)):
            continue
        elif os.path.isdir(full):
            for file in _Walk(configs, here, problems).files(full):
                (links if os.path.islink(file) else files).add(file)
        else:
            (links if os.path.islink(full) else files).add(full)
    if links or any(os.path.realpath(path) != os.path.abspath(path) for path in paths):
        files = _once(sorted(files), sorted(links))
    return Found(sorted(map(shown, files)), problems)


def _is_saved(full: str) -> bool:
    """Whether a path is what the graph pass reads."""
    return full.endswith(SAVED) or os.path.isfile(os.path.join(full, "saved_model.pb"))


def _once(files: Sequence[str], links: Sequence[str]) -> set[str]:
    """Every real file under one name only, its own if it has been named by that."""
    real: dict[str, str] = {}
    for file in (*files, *links):
        target = os.path.realpath(file)
        if target not in real or file == target:
            real[target] = file
    return set(real.values())


class Patterns:
    """Patterns in the form of .gitignore, relative to one folder."""

    def __init__(self, root: str, lines: Sequence[str]) -> None:
        self.root, self.lines = root, lines
        self._spec = _spec(lines, root) if any(line.strip() for line in lines) else None

    def verdict(self, full: str, is_folder: bool = False) -> bool | None:
        """True if the path is excluded, False if a pattern includes it again, None if no pattern matches."""
        if self._spec is None or not full.startswith(self.root.rstrip(os.sep) + os.sep):
            return None
        relative = full[len(self.root.rstrip(os.sep)) + 1 :].replace(os.sep, "/")
        return self._spec.check_file(relative + "/" if is_folder else relative).include

    def exclude(self, full: str, is_folder: bool | None = None) -> bool:
        """Whether the path is excluded."""
        if self._spec is None:
            return False
        return self.verdict(full, os.path.isdir(full) if is_folder is None else is_folder) is True

    def without_those_for(self, folder: str) -> Patterns:
        """These patterns without any that excludes the folder itself: who names a folder means what is in it."""
        if not self.exclude(folder, True):
            return self
        others = [line for line in self.lines if not Patterns(self.root, [line]).exclude(folder, True)]
        return Patterns(self.root, others)


_HERE = re.compile(r"^(!?)\./")


def configured(root: str, lines: Sequence[str]) -> Patterns:
    """The patterns of a configuration or of the command line; in a .gitignore, one that begins with ./ fits nothing."""
    return Patterns(root, [_HERE.sub(r"\1/", line) for line in lines])


def _spec(lines: Sequence[str], root: str) -> GitIgnoreSpec:
    from pathspec import GitIgnoreSpec

    if len(lines) > MOST_PATTERNS:
        raise ConfigError(f"{root}: more than {MOST_PATTERNS:,} file patterns")
    for line in lines:
        if fault := fault_of(line):
            raise ConfigError(f"{root}: invalid file pattern: {fault}")
    try:
        return GitIgnoreSpec.from_lines(lines)
    except (ValueError, re.error) as error:
        raise ConfigError(f"{root}: invalid file pattern: {error}") from None


def is_excluded(path: str, configs: Configs, exclude: Sequence[str]) -> bool:
    """Whether a file that need not exist, such as standard input under a name, is excluded by any pattern."""
    full = os.path.abspath(path)
    return configured(os.getcwd(), exclude).exclude(full, False) or _excluded_by_config(full, configs)


def _excluded_by_config(full: str, configs: Configs) -> bool:
    below = shown(full)
    if not os.path.isabs(below) and not SKIPPED_FOLDERS.isdisjoint(below.split(os.sep)):
        return True
    config = configs.of(os.path.dirname(full))
    return configured(config.root, config.exclude).exclude(full)


def ignored_in(file: str, config: Config) -> tuple[str, ...]:
    """The rules and groups that a configuration ignores in a file."""
    full = os.path.abspath(file)
    patterns = [(_one_pattern(root, pattern), names) for root, pattern, names in config.per_file_ignores]
    return tuple(name for pattern, names in patterns if pattern.exclude(full, False) for name in names)


@lru_cache(maxsize=MOST_PATTERNS)
def _one_pattern(root: str, pattern: str) -> Patterns:
    return configured(root, (pattern,))


class _Walk:
    """One named folder: its Python files and notebooks, without what is ignored."""

    def __init__(self, configs: Configs, here: Patterns, problems: list[tuple[str, str]]) -> None:
        self._configs, self._here, self._problems = configs, here, problems
        self._excludes: dict[str | None, Patterns] = {}

    def files(self, top: str) -> Iterator[str]:
        """The files below a folder, which is entered whatever the patterns say of itself."""
        above = [patterns.without_those_for(top) for patterns in _git_ignores_above(top)]
        yield from self._below(top, top, above)

    def _below(self, folder: str, top: str, ignores: list[Patterns], depth: int = 0) -> Iterator[str]:
        if depth > DEEPEST:
            self._problems.append((shown(top), f"has folders nested more than {DEEPEST} deep, which are left out"))
            return
        try:
            with os.scandir(folder) as entries:
                listed = sorted(entries, key=lambda entry: entry.name)
        except OSError as error:
            self._problems.append((shown(folder), f"cannot read it: {(error.strerror or str(error)).lower()}"))
            return
        names = {entry.name for entry in listed}
        if "pyvenv.cfg" in names and folder != top:
            return
        if ".gitignore" in names:
            ignores = [*ignores, *_git_ignore(folder)]
        exclude = self._exclude(folder, top)
        for entry in listed:
            is_folder = entry.is_dir(follow_symlinks=False)
            if is_folder:
                if entry.name in SKIPPED_FOLDERS:
                    continue
            elif not entry.name.endswith(SUFFIXES) or not _is_file(entry) or not _stays(entry, top):
                continue
            if self._here.exclude(entry.path, is_folder) or exclude.exclude(entry.path, is_folder):
                continue
            if _git_ignored(entry.path, is_folder, ignores):
                continue
            if is_folder:
                yield from self._below(entry.path, top, ignores, depth + 1)
            else:
                yield entry.path

    def _exclude(self, folder: str, top: str) -> Patterns:
        """The exclude patterns of the configuration that holds in a folder."""
        config = self._configs.of(folder)
        if config.path not in self._excludes:
            self._excludes[config.path] = configured(config.root, config.exclude).without_those_for(top)
        return self._excludes[config.path]


def _is_file(entry: os.DirEntry[str]) -> bool:
    """Whether an entry is a file, or a link to one; False for a link that leads to itself."""
    try:
        return entry.is_file()
    except OSError:
        return False


def _stays(entry: os.DirEntry[str], top: str) -> bool:
    """Whether a file lies, wherever a link leads to, in a named folder or below the working directory."""
    if not entry.is_symlink():
        return True
    target = os.path.realpath(entry.path)
    return any(lies_below(target, os.path.realpath(folder)) for folder in (top, os.getcwd()))


def _git_ignored(full: str, is_folder: bool, ignores: Sequence[Patterns]) -> bool:
    """Whether git ignores a path: the nearest .gitignore that speaks of it decides."""
    for patterns in reversed(ignores):
        verdict = patterns.verdict(full, is_folder)
        if verdict is not None:
            return verdict
    return False


def _git_ignores_above(folder: str) -> list[Patterns]:
    """The .gitignore files between a folder and the root of its repository, the outermost first."""
    found: list[Patterns] = []
    while not os.path.exists(os.path.join(folder, ".git")):
        parent = os.path.dirname(folder)
        if parent == folder:
            return []
        found = [*_git_ignore(parent), *found]
        folder = parent
    return found


def _git_ignore(folder: str) -> list[Patterns]:
    """The patterns of the .gitignore in a folder, if there is one that can be read."""
    try:
        text = contents(os.path.join(folder, ".gitignore"), LARGEST_SETTING).decode("utf-8", "surrogateescape")
    except OSError:
        return []
    lines = text.splitlines()[:MOST_PATTERNS]
    try:
        return [Patterns(folder, lines)]
    except ConfigError:
        return [Patterns(folder, [line]) for line in lines if _is_pattern(line, folder)]


def _is_pattern(line: str, folder: str) -> bool:
    """Whether a line can be read as a pattern; git passes over those that cannot."""
    try:
        Patterns(folder, [line])
    except ConfigError:
        return False
    return True
