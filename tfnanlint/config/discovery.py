"""The configuration of a folder: `[tool.tfnanlint]` in the nearest pyproject.toml, or a tfnanlint.toml.

A file may extend another one; the nearer file overrides it. Rules of installed packages apply beside those of the
configuration.
"""

from __future__ import annotations

import os

from tfnanlint.config.installed import installed_folders
from tfnanlint.config.settings import Config
from tfnanlint.contents import contents

FILES = ("tfnanlint.toml", "pyproject.toml")


class Configs:
    """Finds the configuration that holds for a folder: the nearest one above it, or one fixed for the whole run."""

    def __init__(self, fixed: str | None = None, isolated: bool = False) -> None:
        self._known: dict[str, Config] = {}
        self._fixed = Config() if isolated else None
        self._installed = () if isolated else installed_folders()
        if fixed and not isolated:
            from tfnanlint.config.reading import read_config

            self._fixed = self._with_installed(read_config(fixed))

    def of(self, folder: str) -> Config:
        """The configuration for the files in a folder, given by its absolute path."""
        if self._fixed is not None:
            return self._fixed
        below: list[str] = []
        while (found := self._known.get(folder)) is None:
            below.append(folder)
            own = _in_folder(folder) or (None if os.path.dirname(folder) != folder else Config())
            if own is not None:
                found = self._with_installed(own)
                break
            folder = os.path.dirname(folder)
        self._known.update(dict.fromkeys(below, found))
        return found

    def _with_installed(self, config: Config) -> Config:
        """A configuration with the rules of installed packages; one may be developed in a folder that it names."""
        if not self._installed:
            return config
        own = set(map(os.path.realpath, config.rules))
        added = tuple(folder for folder in self._installed if os.path.realpath(folder) not in own)
        return config._replace(rules=(*config.rules, *added), installed=added)


def _in_folder(folder: str) -> Config | None:
    """The configuration in one folder; a pyproject.toml that does not speak of this tool is passed by."""
    for name in FILES:
        path = os.path.join(folder, name)
        try:
            data = contents(path)
            speaks = name != "pyproject.toml" or b"tfnanlint" in data.replace(b"\0", b"")  # in UTF-16, too
        except OSError:
            continue
        if not speaks:
            continue
        from tfnanlint.config.reading import has_table, read_config

        if name != "pyproject.toml" or has_table(path):
            return read_config(path)
    return None
