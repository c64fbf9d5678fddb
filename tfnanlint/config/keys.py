"""The keys of a configuration file: meaning, type, and how each combines with inherited values.

An unknown key or value is an error that names the nearest valid one. A setting that is silently ignored would be a rule
that someone believes to be on.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from tfnanlint import __version__
from tfnanlint.assumptions import TARGETS
from tfnanlint.config.patterns import fault_of
from tfnanlint.config.settings import MOST_PATTERNS
from tfnanlint.config.versions import satisfies
from tfnanlint.errors import ConfigError, suggestion
from tfnanlint.run.files import shown
from tfnanlint.vocabulary import CERTAINTIES, FORMATS, MODES, OFF, SEVERITIES

SHORTEST, LONGEST = 40, 400
"""Between how many columns a line length makes sense."""


class Malformed(Exception):
    """What a key's value should have been."""


Read = Callable[[Any, str], Any]
"""From a TOML value and the folder of its file to what is kept; raises `Malformed`."""


class Key(NamedTuple):
    """One key: what it means, its JSON schema, how it is read; `adds` if entries add to inherited ones."""

    about: str
    schema: Mapping[str, Any]
    read: Read
    adds: bool = False


def _are_strings(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _strings(value: Any, _: str) -> tuple[str, ...]:
    if not _are_strings(value):
        raise Malformed('must be a list of strings, such as ["..."]')
    return tuple(value)


def _patterns(value: Any, root: str) -> tuple[str, ...]:
    patterns = _strings(value, root)
    _check_patterns(patterns)
    return patterns


def _check_patterns(patterns: Iterable[str]) -> None:
    for pattern in patterns:
        if fault := fault_of(pattern):
            raise Malformed(f"has an invalid pattern: {fault}")


def _selection(value: Any, root: str) -> tuple[str, ...]:
    if value == []:
        raise Malformed("is empty; leave it out to apply all rules, or `exclude` the files")
    return _strings(value, root)


def _path(value: Any, root: str) -> str:
    if not isinstance(value, str) or not value or "\0" in value:
        raise Malformed("must be the path of a TOML file")
    return os.path.normpath(os.path.join(root, os.path.expanduser(value)))


def _folders(value: Any, root: str) -> tuple[str, ...]:
    folders = tuple(os.path.normpath(os.path.join(root, folder)) for folder in _strings(value, root))
    for folder in folders:
        if not os.path.isdir(folder):
            raise Malformed(f"names {folder}, which is not a folder")
    return folders


def _words(words: Sequence[str]) -> Read:
    """A list of some of the given words."""

    def read(value: Any, root: str) -> tuple[str, ...]:
        given = _strings(value, root)
        for word in given:
            _known(word, words)
        if not given:
            raise Malformed(f"must name at least one of {', '.join(words)}")
        return tuple(word for word in words if word in given)

    return read


def _known(word: str, words: Sequence[str]) -> None:
    if word not in words:
        raise Malformed(f"cannot be `{word}`{suggestion(word, words, ', '.join(words))}")


def _target(value: Any, _: str) -> str:
    if isinstance(value, bool) or not isinstance(value, (str, int)):
        raise Malformed(f"must be one of {', '.join(TARGETS)}")
    _known(str(value), TARGETS)
    return str(value)


def _table(value: Any, example: str) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise Malformed(f"must be a table, such as {example}")
    return value


def _word(words: Sequence[str]) -> Read:
    """One of the given words."""

    def read(value: Any, _: str) -> str:
        if not isinstance(value, str):
            raise Malformed(f"must be one of {', '.join(words)}")
        _known(value, words)
        return value

    return read


def _switch(value: Any, _: str) -> bool:
    if not isinstance(value, bool):
        raise Malformed("must be true or false")
    return value


def _length(value: Any, _: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not SHORTEST <= value <= LONGEST:
        raise Malformed(f"must be a number of columns between {SHORTEST} and {LONGEST}")
    return value


def _version(value: Any, _: str) -> str:
    if not isinstance(value, str):
        raise Malformed('must be a string, such as ">=0.1"')
    try:
        is_there = satisfies(__version__, value)
    except ValueError:
        raise Malformed(
            f'cannot be `{value}`; write versions with ==, !=, >=, >, <= or <, such as ">=0.1,<2"'
        ) from None
    if not is_there:
        raise Malformed(
            f"requires tfnanlint {value}, and this is {__version__}: pip install 'tfnanlint{_pinned(value)}'"
        )
    return value


def _pinned(given: str) -> str:
    return given if given.lstrip()[:1] in "=!<>" else f"=={given}"


def _severities(value: Any, _: str) -> dict[str, tuple[str, str]]:
    table = _table(value, '{ log-softmax = "warning" }')
    words = (*SEVERITIES, OFF)
    for name, severity in table.items():
        if not isinstance(severity, str):
            raise Malformed(f"must set `{name}` to one of {', '.join(words)}")
        _known(severity, words)
    return {name: (name, severity) for name, severity in table.items()}


def _file_ignores(value: Any, root: str) -> dict[str, tuple[str, str, tuple[str, ...]]]:
    table = _table(value, '{ "tests/*" = ["log"] }')
    if len(table) > MOST_PATTERNS:
        raise Malformed(f"has more than {MOST_PATTERNS:,} patterns")
    _check_patterns(table)
    for pattern, names in table.items():
        if not _are_strings(names):
            raise Malformed(f'must set `{pattern}` to a list of strings, such as ["log"]')
    return {pattern: (root, pattern, tuple(names)) for pattern, names in table.items()}


def _assumptions(value: Any, _: str) -> dict[str, tuple[str, float, float]]:
    table = _table(value, "{ labels = [0, 9] }")
    return {name: (name, *_bounds(name, bounds)) for name, bounds in table.items()}


def _bounds(name: str, value: Any) -> tuple[float, float]:
    numbers = value if isinstance(value, list) else []
    if len(numbers) != 2 or any(isinstance(n, bool) or not isinstance(n, (int, float)) for n in numbers):
        raise Malformed(f"must give `{name}` a lower and an upper bound, such as {name} = [0, 1]")
    try:
        low, high = float(numbers[0]), float(numbers[1])
    except OverflowError:
        raise Malformed(f"gives `{name}` a bound that exceeds the float range; write inf") from None
    if math.isnan(low) or math.isnan(high) or low > high or low == math.inf or high == -math.inf:
        raise Malformed(f"gives `{name}` an empty range")
    return low, high


_LIST = {"type": "array", "items": {"type": "string"}}
_RULES = {"type": "array", "items": {"$ref": "#/definitions/rule"}, "uniqueItems": True}

KEYS: Mapping[str, Key] = {
    "extend": Key("Another configuration file that provides the settings missing here.", {"type": "string"}, _path),
    "select": Key("The rules and groups to apply (default: all).", {**_RULES, "minItems": 1}, _selection),
    "extend-select": Key("Rules and groups to apply in addition to `select`.", _RULES, _strings),
    "ignore": Key("Rules and groups not to apply.", _RULES, _strings),
    "per-file-ignores": Key(
        "Rules and groups not to apply, by file pattern in .gitignore syntax.",
        {"type": "object", "additionalProperties": _RULES},
        _file_ignores,
        adds=True,
    ),
    "exclude": Key(
        "Files and folders to skip: patterns in .gitignore syntax, relative to this file.", _LIST, _patterns
    ),
    "severity": Key(
        "The severity of a rule or group; off: its findings are not reported.",
        {
            "type": "object",
            "propertyNames": {"$ref": "#/definitions/rule"},
            "additionalProperties": {"enum": [*SEVERITIES, OFF]},
        },
        _severities,
        adds=True,
    ),
    "assume": Key(
        "The lower and upper bound of inputs, by name.",
        {
            "type": "object",
            "additionalProperties": {"type": "array", "items": {"type": "number"}, "minItems": 2, "maxItems": 2},
        },
        _assumptions,
        adds=True,
    ),
    "modes": Key(
        "The modes in which the program runs; findings in other modes are not reported.",
        {"type": "array", "items": {"enum": list(MODES)}, "minItems": 1, "uniqueItems": True},
        _words(MODES),
    ),
    "target": Key(
        "The API that fixes may use: TensorFlow 1, 2, or TensorFlow with Keras 3.",
        {"enum": [*TARGETS, 1, 2]},
        _target,
    ),
    "rules": Key("Folders with your own rules, relative to this file.", _LIST, _folders),
    "fail-on": Key(
        "The least severity that makes a run exit with status 1 (default: warning).",
        {"enum": list(SEVERITIES)},
        _word(SEVERITIES),
    ),
    "min-certainty": Key("The least certainty of reported findings.", {"enum": list(CERTAINTIES)}, _word(CERTAINTIES)),
    "unfixable": Key("Rules and groups whose findings are reported but not fixed.", _RULES, _strings),
    "unsafe-fixes": Key("Whether --fix and --diff include fixes that change training.", {"type": "boolean"}, _switch),
    "line-length": Key(
        "Maximum line length of fixed code (default: the setting of ruff or black, or the longest line of the file).",
        {"type": "integer", "minimum": SHORTEST, "maximum": LONGEST},
        _length,
    ),
    "output-format": Key(
        "The format of the report; --output-format overrides it.", {"enum": list(FORMATS)}, _word(tuple(FORMATS))
    ),
    "required-version": Key(
        'The versions of tfnanlint that may read this configuration, such as ">=0.1,<2".', {"type": "string"}, _version
    ),
}


def read_keys(table: Mapping[str, Any], path: str) -> dict[str, Any]:
    """The values of a configuration table by key, in the form they are kept in; `ConfigError` for a bad one."""
    root = os.path.dirname(os.path.abspath(path))
    where = shown(path)
    found: dict[str, Any] = {}
    for name, value in table.items():
        if name not in KEYS:
            raise ConfigError(f"{where}: unknown key `{name}`{suggestion(name, KEYS, ', '.join(KEYS))}")
        try:
            found[name] = KEYS[name].read(value, root)
        except Malformed as error:
            raise ConfigError(f"{where}: `{name}` {error}") from None
    return found


def schema(names: Iterable[str] = ()) -> dict[str, Any]:
    """The JSON schema of a tfnanlint.toml, and of `[tool.tfnanlint]`; with names of rules, editors complete them."""
    known = sorted(names)
    rule: dict[str, Any] = {"description": "The name of a rule or of a group of rules.", "type": "string"}
    if known:  # rules of one's own have other names
        rule = {"description": rule["description"], "anyOf": [{"enum": known}, {"type": "string"}]}
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "tfnanlint",
        "description": "The configuration of tfnanlint: a tfnanlint.toml, or [tool.tfnanlint] in a pyproject.toml.",
        "type": "object",
        "additionalProperties": False,
        "definitions": {"rule": rule},
        "properties": {name: {"description": key.about, **key.schema} for name, key in KEYS.items()},
    }
