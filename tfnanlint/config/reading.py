"""Reading a configuration file and the files that it extends."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping
from typing import Any

from tfnanlint.config.keys import KEYS, read_keys
from tfnanlint.config.settings import Config
from tfnanlint.contents import LARGEST_SETTING, contents
from tfnanlint.errors import ConfigError
from tfnanlint.run.files import shown

_DEEPEST = 500
_TEXTS = re.compile(r"\"[^\"\n]*\"|'[^'\n]*'")


def read_config(path: str) -> Config:
    """Read a tfnanlint.toml, a pyproject.toml, or any TOML file of either form; `ConfigError` if it cannot be used."""
    values, sources = _extended(path, ())
    exclude_root = os.path.dirname(os.path.abspath(sources.get("exclude", path)))
    return Config(
        path,
        exclude_root,
        select=values.get("select", ()),
        extend_select=values.get("extend-select", ()),
        ignore=values.get("ignore", ()),
        exclude=values.get("exclude", ()),
        rules=values.get("rules", ()),
        per_file_ignores=tuple(values.get("per-file-ignores", {}).values()),
        severity=tuple(values.get("severity", {}).values()),
        assume=tuple(values.get("assume", {}).values()),
        modes=values.get("modes", ()),
        target=values.get("target", ""),
        fail_on=values.get("fail-on", ""),
        min_certainty=values.get("min-certainty", ""),
        unfixable=values.get("unfixable", ()),
        unsafe_fixes=values.get("unsafe-fixes", False),
        line_length=values.get("line-length", 0),
        output_format=values.get("output-format", ""),
        required_version=values.get("required-version", ""),
        sources=tuple(sources.items()),
    )


def has_table(path: str) -> bool:
    """Whether a pyproject.toml has a table for this tool."""
    tool = _parse(contents(path), shown(path)).get("tool", {})
    return isinstance(tool, dict) and "tfnanlint" in tool


def _extended(path: str, extending: tuple[str, ...]) -> tuple[dict[str, Any], dict[str, str]]:
    """The values by key in a file and in those that it extends, and where each comes from."""
    own = read_keys(_table_in(path), path)
    values: dict[str, Any] = {}
    sources: dict[str, str] = {}
    if "extend" in own:
        chain = (*extending, os.path.realpath(path))
        if os.path.realpath(own["extend"]) in chain:
            raise ConfigError(f"{shown(path)}: `extend` is circular: {shown(own['extend'])} extends this file")
        if not os.path.isfile(own["extend"]):
            raise ConfigError(f"{shown(path)}: `extend`: file not found: {shown(own['extend'])}")
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
        data = contents(path)
    except OSError as error:
        raise ConfigError(f"{where}: cannot read the file: {(error.strerror or str(error)).lower()}") from None
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
    if len(data) > LARGEST_SETTING:
        raise ConfigError(f"{path}: larger than {LARGEST_SETTING // 1_000_000} MB, which no configuration is")
    if data.startswith(b"\xef\xbb\xbf"):
        raise ConfigError(f"{path}: starts with a byte order mark; save the file as UTF-8 without one")
    try:
        text = data.decode("utf-8")
        if any(line.count(".") > _DEEPEST for line in _TEXTS.sub("", text).splitlines()):
            raise RecursionError  # the parser would take time by the square of a dotted key's length
        return tomllib.loads(text)
    except UnicodeDecodeError:
        raise ConfigError(f"{path}: not UTF-8, which TOML requires") from None
    except RecursionError:
        raise ConfigError(f"{path}: nested too deeply") from None
    except ValueError as error:
        at = re.search(r" \(at (?:line (\d+), column (\d+)|end of document)\)$", str(error))
        reason = str(error)[: at.start()] if at else str(error)
        end = (text.count("\n") + 1, len(text) - text.rfind("\n"))
        line, column = at.groups() if at and at[1] else end
        raise ConfigError(f"{path}:{line}:{column}: invalid TOML: {reason[:1].lower()}{reason[1:]}") from None
