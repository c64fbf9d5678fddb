"""Paths as other programs take them: as URIs, and from the root of the repository that a build service checked out."""

from __future__ import annotations

import os
from pathlib import Path
from urllib.parse import quote


def uri(path: str) -> str:
    """A path as a URI: relative to the working directory where it is, else `file:`."""
    if os.path.isabs(path):
        return Path(path).as_uri()
    path = path.replace(os.sep, "/")
    try:
        return quote(os.fsencode(path))
    except UnicodeEncodeError:  # no name of a file
        return quote(path.encode("utf-8", "replace"))


def in_repository(path: str, variable: str) -> str:
    """A path relative to the folder that a build service names in an environment variable, with forward slashes."""
    root = os.environ.get(variable)
    if root and not path.startswith("<"):
        full, root = os.path.realpath(path), os.path.realpath(root)
        if full.startswith(root.rstrip(os.sep) + os.sep):
            path = os.path.relpath(full, root)
    return path.replace(os.sep, "/")
