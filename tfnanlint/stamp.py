"""Where the package and its rules lie, and what tells one state of such a folder from another without reading it."""

from __future__ import annotations

import os

PACKAGE = os.path.dirname(os.path.abspath(__file__))


def rules_folder() -> str:
    """Where the rules that come with the package are: inside it, or beside it in a checkout."""
    inside = os.path.join(PACKAGE, "rules")
    return inside if os.path.isdir(inside) else os.path.join(os.path.dirname(PACKAGE), "rules")


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
