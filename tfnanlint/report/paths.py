"""Paths for other programs: as URIs, and relative to the root of the repository that a build service checked out."""

from __future__ import annotations

import os
from functools import lru_cache
from pathlib import Path
from urllib.parse import quote


def uri(path: str) -> str:
    """A path as a URI: relative where the path is, else `file:`."""
    if os.path.isabs(path):
        return Path(path).as_uri()
    path = path.replace(os.sep, "/")
    try:
        return quote(os.fsencode(path))
    except UnicodeEncodeError:  # no name of a file
        return quote(path.encode("utf-8", "replace"))


ROOTS = ("GITHUB_WORKSPACE", "CI_PROJECT_DIR")
"""Environment variables in which build services name the folder that they checked the repository out to."""


def in_repository(path: str) -> str:
    """A path relative to the root of the repository that it is in, with forward slashes; as it is outside of one."""
    if not path.startswith("<") and _names_a_file(path):
        full = os.path.realpath(path)
        folder = os.path.dirname(full)
        root = next((named for named in _checked_out() if _holds(named, folder)), "") or _git_root(folder)
        if root:
            path = os.path.relpath(full, root)
    return path.replace(os.sep, "/")


def _names_a_file(path: str) -> bool:
    """Whether the operating system can have a file of this name."""
    try:
        return b"\0" not in os.fsencode(path)
    except UnicodeEncodeError:
        return False


def _checked_out() -> list[str]:
    """The folders that build services name."""
    return [os.path.realpath(named) for variable in ROOTS if (named := os.environ.get(variable))]


def _holds(root: str, folder: str) -> bool:
    return f"{folder}{os.sep}".startswith(root.rstrip(os.sep) + os.sep)


@lru_cache(maxsize=4096)
def _git_root(folder: str) -> str:
    """The root of the git repository that holds a folder; "" where there is none."""
    if os.path.exists(os.path.join(folder, ".git")):
        return folder
    parent = os.path.dirname(folder)
    return _git_root(parent) if parent != folder else ""
