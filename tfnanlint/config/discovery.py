"""The configuration of a folder: `[tool.tfnanlint]` in the nearest pyproject.toml, or a tfnanlint.toml.

A file may extend another one; the nearer file overrides it.
"""

from __future__ import annotations

import os

from tfnanlint.config.settings import Config

FILES = ("tfnanlint.toml", "pyproject.toml")


class Configs:
    """Finds the configuration that holds for a folder: the nearest one above it, or one fixed for the whole run."""

    def __init__(self, fixed: str | None = None, isolated: bool = False) -> None:
        self._known: dict[str, Config] = {}
        self._fixed = Config() if isolated else None
        if fixed and not isolated:
            from tfnanlint.config.reading import read_config

            self._fixed = read_config(fixed)

    def of(self, folder: str) -> Config:
        """The configuration for the files in a folder, given by its absolute path."""
        if self._fixed is not None:
            return self._fixed
        found = self._known.get(folder)
        if found is None:
            parent = os.path.dirname(folder)
            found = _in_folder(folder) or (self.of(parent) if parent != folder else Config())
            self._known[folder] = found
        return found


def _in_folder(folder: str) -> Config | None:
    """The configuration in one folder; a pyproject.toml that does not speak of this tool is passed by."""
    for name in FILES:
        path = os.path.join(folder, name)
        try:
            with open(path, "rb") as file:
                speaks = name != "pyproject.toml" or b"tfnanlint" in file.read()
        except OSError:
            continue
        if not speaks:
            continue
        from tfnanlint.config.reading import has_table, read_config

        if name != "pyproject.toml" or has_table(path):
            return read_config(path)
    return None
