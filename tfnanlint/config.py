"""The configuration: `[tool.tfnanlint]` in the nearest pyproject.toml above a file, or a tfnanlint.toml beside it.

What is not understood is an error that names the nearest thing that would be: a setting that is silently ignored
is a rule that someone believes to be on.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from tfnanlint.errors import ConfigError

if TYPE_CHECKING:
    from tfnanlint.template import Rules

FILES = ("tfnanlint.toml", "pyproject.toml")
KEYS = ("select", "ignore", "exclude", "rules")

FixMode = Literal["none", "safe", "unsafe"]


@dataclass(frozen=True)
class Config:
    """One configuration file: rule and group names, exclude patterns (relative to `root`), folders of own rules."""

    path: str | None = None
    root: str = ""
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()


@dataclass(frozen=True)
class Settings:
    """All that a worker must know to check a file; equal settings share their rules."""

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()
    pedantic: bool = False
    fix: FixMode = "none"


def read_config(path: str) -> Config:
    """Read a tfnanlint.toml, a pyproject.toml, or any TOML file of either form; `ConfigError` if it cannot be used."""
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {(error.strerror or str(error)).lower()}") from None
    table = _parse(data, path)
    in_pyproject = os.path.basename(path) == "pyproject.toml" or "tool" in table
    if in_pyproject:
        tool = table.get("tool", {})
        table = tool.get("tfnanlint", {}) if isinstance(tool, dict) else {}
        if not isinstance(table, dict):
            raise ConfigError(f"{path}: `tool.tfnanlint` is not a table")
    return _config(table, path)


def _parse(data: bytes, path: str) -> dict[str, Any]:
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    try:
        return tomllib.loads(data.decode("utf-8"))
    except UnicodeDecodeError:
        raise ConfigError(f"{path}: is not UTF-8, as TOML has to be") from None
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{path}: is not valid TOML: {error}") from None


def _config(table: Mapping[str, Any], path: str) -> Config:
    """The configuration in a table, after a look at every key and type."""
    for key in table:
        if key not in KEYS:
            raise ConfigError(f"{path}: unknown key `{key}`{suggestion(key, KEYS, ', '.join(KEYS))}")
    lists: dict[str, tuple[str, ...]] = {}
    for key, value in table.items():
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise ConfigError(f'{path}: `{key}` must be a list of strings, such as {key} = ["..."]')
        lists[key] = tuple(value)
    root = os.path.dirname(os.path.abspath(path))
    folders = tuple(os.path.normpath(os.path.join(root, folder)) for folder in lists.pop("rules", ()))
    for folder in folders:
        if not os.path.isdir(folder):
            raise ConfigError(f"{path}: `rules` names {folder}, which is not a folder")
    return Config(path, root, rules=folders, **lists)


class Configs:
    """Finds the configuration that holds for a folder: the nearest one above it, or one fixed for the whole run."""

    def __init__(self, fixed: str | None = None, isolated: bool = False) -> None:
        self._fixed = Config() if isolated else read_config(fixed) if fixed else None
        self._known: dict[str, Config] = {}

    def of(self, folder: str) -> Config:
        """The configuration for the files in a folder, given by its absolute path."""
        if self._fixed is not None:
            return self._fixed
        found = self._known.get(folder)
        if found is None:
            parent = os.path.dirname(folder)
            found = _in_folder(folder) or (self.of(parent) if parent != folder else Config())
            self._known[folder] = found
        return found


def _in_folder(folder: str) -> Config | None:
    """The configuration in one folder; a pyproject.toml that does not speak of this tool is passed by."""
    for name in FILES:
        path = os.path.join(folder, name)
        try:
            with open(path, "rb") as file:
                speaks = name != "pyproject.toml" or b"tfnanlint" in file.read()
        except OSError:
            continue
        if speaks and (name != "pyproject.toml" or "tfnanlint" in _tool_tables(path)):
            return read_config(path)
    return None


def _tool_tables(path: str) -> Collection[str]:
    tool = _parse(Path(path).read_bytes(), path).get("tool", {})
    return tool if isinstance(tool, dict) else ()


def suggestion(name: str, known: Iterable[str], otherwise: str = "") -> str:
    """`; did you mean ...?` for the nearest name, else the list of what there is."""
    import difflib

    near = difflib.get_close_matches(name, sorted(known), n=1)
    return f"; did you mean `{near[0]}`?" if near else f"; there are: {otherwise}" if otherwise else ""


@cache
def all_rules(folders: tuple[str, ...]) -> Rules:
    """The built-in rules and those of the given folders."""
    from tfnanlint.template import load_rules

    return load_rules([Path(folder) for folder in folders])


@cache
def known_names(folders: tuple[str, ...]) -> frozenset[str]:
    """Every name that `select` and `ignore` may hold: rules, groups, and those about ignore comments."""
    from tfnanlint.pragma import GROUP, META

    rules = all_rules(folders)
    return frozenset({*rules.names, *rules.groups, *META, GROUP})


def check_names(names: Iterable[str], folders: tuple[str, ...], where: str) -> None:
    """`ConfigError` for a name that no rule and no group has."""
    for name in names:
        known = known_names(folders)
        if name not in known:
            hint = suggestion(name, known) or "; `tfnanlint rule` lists them"
            raise ConfigError(f"{where}: no rule or group is named `{name}`{hint}")
