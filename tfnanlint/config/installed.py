"""Rule folders of installed packages, which name them as entry points of the group `tfnanlint.rules`.

An entry point `acme = "acme_nan.rules"` names a package whose files are rules. The linter looks up its folder and never
imports the package: like a folder in the configuration, it is text to read. Reading the few files `entry_points.txt`
takes less than a millisecond; importing `importlib.metadata` takes more.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator

from tfnanlint.errors import ConfigError

GROUP = "tfnanlint.rules"
"""The group of entry points."""
_WAY_OUT = "; reinstall or remove the package, or use --isolated"


def installed_folders(path: Iterable[str] | None = None) -> tuple[str, ...]:
    """The rule folders of all packages in a module search path (default: that of this Python), without duplicates."""
    found: dict[str, str] = {}
    for place in sys.path if path is None else path:
        if os.path.isabs(place):  # '' is the working directory, where the linted project is
            for file in _entry_points(place):
                for name, value in _entries(file):
                    found.setdefault(name, _folder(file, name, value))
    return tuple(dict.fromkeys(found.values()))


def _entry_points(place: str) -> Iterator[str]:
    """The files in a folder of installed packages that mention the group."""
    try:
        names = sorted(os.listdir(place))
    except OSError:  # a zip file, or a folder that is gone
        return
    for name in names:
        if name.endswith((".dist-info", ".egg-info")):
            file = os.path.join(place, name, "entry_points.txt")
            try:
                with open(file, "rb") as opened:
                    mentions = f"[{GROUP}]".encode() in opened.read()
            except OSError:
                continue
            if mentions:
                yield file


def _entries(file: str) -> list[tuple[str, str]]:
    """The names and values of the group in a file `entry_points.txt`."""
    from configparser import ConfigParser, Error

    parser = ConfigParser(delimiters=("=",), interpolation=None, strict=False)
    try:
        parser.read(file, encoding="utf-8")
        return parser.items(GROUP)
    except (Error, UnicodeDecodeError):
        raise ConfigError(f"{file}: not a valid list of entry points{_WAY_OUT}") from None


def _folder(file: str, name: str, value: str) -> str:
    """The folder of the package that an entry point names, without importing it."""
    from importlib.machinery import PathFinder
    from importlib.util import find_spec

    package = value.strip()
    top, *inner = package.split(".")
    where: list[str] = []
    if all(part.isidentifier() for part in (top, *inner)):
        # Next to its metadata, or wherever an editable installation has it.
        spec = PathFinder.find_spec(top, [os.path.dirname(os.path.dirname(file))]) or find_spec(top)
        where = list(spec.submodule_search_locations or ()) if spec else []
    for folder in (os.path.join(place, *inner) for place in where):
        if os.path.isdir(folder):
            return folder
    raise ConfigError(
        f"{file}: the entry point `{name}` names `{package}`, which is not an installed package{_WAY_OUT}"
    )
