"""Which rules there are, by the names of their files: none is read."""

from __future__ import annotations

import os
from collections.abc import Iterable

from tfnanlint.stamp import rules_folder


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
