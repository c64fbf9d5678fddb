"""`tfnanlint config`: print the configuration of a file or folder, and where each setting comes from."""

from __future__ import annotations

import argparse
import json
import math
import os
import sys
from collections.abc import Iterator, Mapping, Sequence

from tfnanlint.commands import CLEAN
from tfnanlint.commands.options import add_configuration, parser
from tfnanlint.config.discovery import Configs
from tfnanlint.config.keys import schema
from tfnanlint.config.settings import Config, Settings, all_rules, known_names
from tfnanlint.errors import ConfigError
from tfnanlint.run.files import shown
from tfnanlint.run.many import tasks_for
from tfnanlint.run.plan import plan_of

_BARE = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")


def run(arguments: Sequence[str]) -> int:
    """Print the configuration that holds for a path, as TOML, or the schema; the exit status."""
    options = grammar().parse_args(arguments)
    configs = Configs(options.config, options.isolated)
    if options.schema:
        names = known_names(configs.of(os.getcwd()).rules)
        print(json.dumps(schema(names), indent=2))
        return CLEAN
    if not os.path.exists(options.path):
        raise ConfigError(f"{options.path}: no such file or folder")
    full = os.path.abspath(options.path)
    file = os.path.join(full, "__init__.py") if os.path.isdir(full) else full
    ((_, settings),) = tasks_for([file], configs, Settings())
    lines = _lines(configs.of(os.path.dirname(file)), settings, options.path)
    sys.stdout.writelines(f"{line}\n" for line in lines)
    return CLEAN


def _lines(home: Config, settings: Settings, path: str) -> Iterator[str]:
    """The configuration as TOML, with the source of each setting as its comment."""
    yield f"# {len(plan_of(settings).rules)} of {len(all_rules(settings.folders))} rules apply to {path}"
    sources = dict(home.sources)
    here = settings.ignore[len(home.ignore) :]
    if here:
        yield f"# per-file-ignores removes {', '.join(here)}"
    for folder in home.installed:
        yield f"# an installed package adds the rules in {folder}"
    single: Mapping[str, object] = {
        "select": home.select,
        "extend-select": home.extend_select,
        "ignore": home.ignore,
        "exclude": home.exclude,
        "modes": home.modes,
        "target": home.target,
        "rules": tuple(shown(folder) for folder in home.rules if folder not in home.installed),
        "fail-on": home.fail_on,
        "min-certainty": home.min_certainty,
        "unfixable": home.unfixable,
        "unsafe-fixes": home.unsafe_fixes,
        "line-length": home.line_length,
        "output-format": home.output_format,
        "required-version": home.required_version,
    }
    for key, value in single.items():
        if key in sources:
            yield _setting(key, value, sources[key])
    tables: Mapping[str, Mapping[str, object]] = {
        "per-file-ignores": {pattern: names for _, pattern, names in home.per_file_ignores},
        "severity": dict(home.severity),
        "assume": {name: (low, high) for name, low, high in home.assume},
    }
    unset = [key for key in single if key not in sources] + [key for key, table in tables.items() if not table]
    if unset:
        yield f"# not set: {', '.join(unset)}"
    for key, table in tables.items():
        if table:
            yield ""
            yield f"[{key}]"
        yield from (_setting(entry, value, sources[f"{key}.{entry}"]) for entry, value in table.items())


def _setting(key: str, value: object, source: str) -> str:
    """A line of TOML, with the file that says so."""
    key = key if key and _BARE.issuperset(key) else _toml(key)
    return f"{key} = {_toml(value)}  # {shown(source)}"


def _toml(value: object) -> str:
    """A value as TOML writes it."""
    if isinstance(value, (str, bool)):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return f"{value:g}" if math.isinf(value) or value != int(value) or abs(value) > 1e15 else str(int(value))
    assert isinstance(value, tuple)
    return f"[{', '.join(map(_toml, value))}]"


def grammar() -> argparse.ArgumentParser:
    """The options of this subcommand."""
    made = parser("config", "Print the configuration of a file or folder, and where each setting comes from.")
    made.add_argument("path", nargs="?", default=".", metavar="PATH", help="a file or folder (default: .)")
    made.add_argument("--schema", action="store_true", help="print the JSON schema of configuration files, for editors")
    add_configuration(made)
    return made
