"""The folders of the package and of its rules: locations, rules by file name, and a stamp of their state.

None of this reads a file.
"""

from __future__ import annotations

import os
from collections.abc import Iterable

PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def rules_folder() -> str:
    """Where the rules that come with the package are: inside it, or beside it in a checkout."""
    inside = os.path.join(PACKAGE, "rules")
    return inside if os.path.isdir(inside) else os.path.join(os.path.dirname(PACKAGE), "rules")


def rule_paths(folder: str) -> list[str]:
    """The rule files of a folder: `GROUP/NAME.py`, or `NAME.py` for a folder that is itself a group."""
    inside = _listed(folder)
    every = inside + [path for group in inside if os.path.isdir(group) for path in _listed(group)]
    return [path for path in every if path.endswith(".py") and os.path.basename(path) != "__init__.py"]


def _listed(folder: str) -> list[str]:
    """The paths in a folder; none where it cannot be read."""
    try:
        return [os.path.join(folder, name) for name in os.listdir(folder)]
    except OSError:
        return []


def names_of_rules(folders: Iterable[str]) -> set[str]:
    """The names of the rules that come with the package and of those in some folders, and of their groups."""
    paths = [os.path.abspath(path) for folder in (rules_folder(), *folders) for path in rule_paths(folder)]
    names = {os.path.basename(path).removesuffix(".py") for path in paths}
    return names | {os.path.basename(os.path.dirname(path)) for path in paths}


def stamp(folder: str) -> str:
    """The names, sizes and times of modification of all Python files below a folder."""
    told = []
    for root, below, files in os.walk(folder):
        below[:] = sorted(name for name in below if name != "__pycache__")
        for name in sorted(files):
            if name.endswith(".py"):
                status = os.stat(os.path.join(root, name))
                told.append(f"{root}/{name} {status.st_size} {status.st_mtime_ns}")
    return "\n".join(told)
