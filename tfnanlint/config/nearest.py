"""The configuration: `[tool.tfnanlint]` in the nearest pyproject.toml above a file, or a tfnanlint.toml beside it.

A file may extend another one; where both speak, the nearer one holds.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from tfnanlint.config.keys import KEYS, read_keys, suggestion
from tfnanlint.errors import ConfigError
from tfnanlint.given import NOTHING_GIVEN, Given
from tfnanlint.run.files import shown

if TYPE_CHECKING:
    from tfnanlint.template import Rules

FILES = ("tfnanlint.toml", "pyproject.toml")

FixMode = Literal["none", "safe", "unsafe"]


@dataclass(frozen=True)
class Config:
    """What holds for the files of a folder: the values of `KEYS`, and where each comes from.

    `exclude` is relative to `root`; `per_file_ignores` are (folder, pattern relative to it, names), `severity` pairs
    of a rule or group and its severity, `assume` inputs with their bounds. `sources` has the file of each key, and of
    each entry of a table as `key.entry`.
    """

    path: str | None = None
    root: str = ""
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    per_file_ignores: tuple[tuple[str, str, tuple[str, ...]], ...] = ()
    severity: tuple[tuple[str, str], ...] = ()
    assume: tuple[tuple[str, float, float], ...] = ()
    modes: tuple[str, ...] = ()
    target: str = ""
    sources: Mapping[str, str] = field(default_factory=dict, compare=False)

    @property
    def names(self) -> tuple[str, ...]:
        """Every name of a rule or group that the configuration holds."""
        in_tables = [name for *_, names in self.per_file_ignores for name in names] + [
            name for name, _ in self.severity
        ]
        return (*self.select, *self.ignore, *in_tables)


@dataclass(frozen=True)
class Settings:
    """All that a worker must know to check a file; equal settings share their rules."""

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()
    pedantic: bool = False
    fix: FixMode = "none"
    severity: tuple[tuple[str, str], ...] = ()
    modes: tuple[str, ...] = ()
    given: Given = NOTHING_GIVEN


def read_config(path: str) -> Config:
    """Read a tfnanlint.toml, a pyproject.toml, or any TOML file of either form; `ConfigError` if it cannot be used."""
    values, sources = _extended(path, ())
    select = values.get("select", ())
    exclude_root = os.path.dirname(os.path.abspath(sources.get("exclude", path)))
    return Config(
        path,
        exclude_root,
        select=(*select, *values.get("extend-select", ())) if select else (),
        ignore=values.get("ignore", ()),
        exclude=values.get("exclude", ()),
        rules=values.get("rules", ()),
        per_file_ignores=tuple(values.get("per-file-ignores", {}).values()),
        severity=tuple(values.get("severity", {}).values()),
        assume=tuple(values.get("assume", {}).values()),
        modes=values.get("modes", ()),
        target=values.get("target", ""),
        sources=sources,
    )


def _extended(path: str, extending: tuple[str, ...]) -> tuple[dict[str, Any], dict[str, str]]:
    """The values by key in a file and in those that it extends, and where each comes from."""
    own = read_keys(_table_in(path), path)
    values: dict[str, Any] = {}
    sources: dict[str, str] = {}
    if "extend" in own:
        chain = (*extending, os.path.realpath(path))
        if os.path.realpath(own["extend"]) in chain:
            raise ConfigError(f"{shown(path)}: `extend` leads back to {shown(own['extend'])}, which extends this file")
        if not os.path.isfile(own["extend"]):
            raise ConfigError(f"{shown(path)}: `extend` names {shown(own['extend'])}, which is no file")
        values, sources = _extended(own["extend"], chain)
        sources.pop("extend", None)
    if "select" in own and values.pop("extend-select", ()):
        del sources["extend-select"]
    for name, value in own.items():
        entries = [f"{name}.{entry}" for entry in value] if KEYS[name].adds else [name]
        sources.update(dict.fromkeys(entries, path))
        if KEYS[name].adds:
            value = {**values.get(name, {}), **value}
        elif name == "extend-select":
            value = (*values.get(name, ()), *value)
        values[name] = value
    return values, sources


def _table_in(path: str) -> Mapping[str, Any]:
    """The table of a TOML file that configures this tool."""
    where = shown(path)
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise ConfigError(f"{where}: cannot be read: {(error.strerror or str(error)).lower()}") from None
    table = _parse(data, where)
    if os.path.basename(path) != "pyproject.toml" and "tool" not in table:
        return table
    tool = table.get("tool", {})
    table = tool.get("tfnanlint", {}) if isinstance(tool, dict) else {}
    if not isinstance(table, dict):
        raise ConfigError(f"{where}: `tool.tfnanlint` is not a table")
    return table


def _parse(data: bytes, path: str) -> dict[str, Any]:
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    try:
        return tomllib.loads(data.decode("utf-8"))
    except UnicodeDecodeError:
        raise ConfigError(f"{path}: is not UTF-8, as TOML has to be") from None
    except RecursionError:
        raise ConfigError(f"{path}: is nested too deeply") from None
    except ValueError as error:
        raise ConfigError(f"{path}: is not valid TOML: {error}") from None


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
    tool = _parse(Path(path).read_bytes(), shown(path)).get("tool", {})
    return tool if isinstance(tool, dict) else ()


@cache
def all_rules(folders: tuple[str, ...]) -> Rules:
    """The built-in rules and those of the given folders."""
    from tfnanlint.rulebook import known_rules

    return known_rules([Path(folder) for folder in folders])


@cache
def known_names(folders: tuple[str, ...]) -> frozenset[str]:
    """Every name that `select` and `ignore` may hold: rules, groups, and those about ignore comments."""
    from tfnanlint.suppress.pragma import GROUP, META

    rules = all_rules(folders)
    return frozenset({*rules.names, *rules.groups, *META, GROUP})


def check_names(names: Iterable[str], folders: tuple[str, ...], where: str) -> None:
    """`ConfigError` for a name that no rule and no group has."""
    for name in names:
        known = known_names(folders)
        if name not in known:
            hint = suggestion(name, known) or "; `tfnanlint rule` lists them"
            raise ConfigError(f"{where}: no rule or group is named `{name}`{hint}")
