"""The line length that a formatter's configuration sets, so that the formatter leaves fixed code unchanged.

Every run reads it for every folder, so the file is searched, not parsed.
"""

from __future__ import annotations

import os
import re
from functools import cache

from tfnanlint.contents import LARGEST_SETTING, contents

_TABLES = {
    "pyproject.toml": ("tool.ruff", "tool.black"),
    "ruff.toml": ("",),
    ".ruff.toml": ("",),
}
"""The tables in which formatters have their line length, by the file."""
_TABLE = re.compile(r"\s*\[([^\[\]]+)\]")
_LENGTH = re.compile(r"\s*line-length\s*=\s*(\d{1,9})\b")


def line_length_in(folder: str) -> int:
    """The line length that ruff or black is configured to in a folder or the nearest one above it; 0 if in none."""
    while not (length := _in_folder(folder)) and os.path.dirname(folder) != folder:
        folder = os.path.dirname(folder)
    return length


def forget() -> None:
    """Read the files again in the next run."""
    _in_folder.cache_clear()


@cache
def _in_folder(folder: str) -> int:
    for name, tables in _TABLES.items():
        length = _said_in(os.path.join(folder, name), tables)
        if length:
            return length
    return 0


def _said_in(path: str, tables: tuple[str, ...]) -> int:
    try:
        text = contents(path, LARGEST_SETTING).decode("utf-8")
    except (OSError, UnicodeDecodeError):
        return 0
    table = ""
    for line in text.splitlines() if "line-length" in text else ():
        if opened := _TABLE.match(line):
            table = opened[1].strip()
        elif table in tables and (said := _LENGTH.match(line)):
            return int(said[1])
    return 0
