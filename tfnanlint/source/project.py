"""The files around a file: a helper imported from a sibling module is followed like a local one.

Modules are found on disk beside the importing file, or below the root of its package; they are read and
parsed at most once a process. What cannot be found, read or parsed is unknown, never an error.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from pathlib import Path as FilePath
from typing import TYPE_CHECKING

from tfnanlint.source.names import ROOT_PACKAGES, canonical_path

if TYPE_CHECKING:
    from tfnanlint.source.values import SourceFile

PARSED_FILES = 256
"""How many parsed files are kept; the least recently used goes first."""
LARGEST_FILE = 400_000
"""Bytes beyond which an imported file is not followed: generated code, tables."""

_PACKAGES = re.compile(rb"tensorflow|keras")
_IMPORT = re.compile(
    rb"(?:^|[\r;:])[ \t\f]*(?:from[ \t]+([.\w]+)[ \t]+import[ \t]+\(?([^)#\r\n]*)|import[ \t]+([\w.]+))", re.MULTILINE
)


class Project:
    """Finds and keeps the modules that files import from each other.

    `overlay` gives texts that stand for the files at those paths: what a fix would leave there.
    """

    def __init__(self, overlay: dict[str, str] | None = None) -> None:
        self._overlay = {FilePath(path).resolve(): text.encode() for path, text in (overlay or {}).items()}
        self._parsed: OrderedDict[FilePath, SourceFile | None] = OrderedDict()
        self._bytes: dict[FilePath, bytes | None] = {}
        self._roots: dict[FilePath, FilePath] = {}

    def find(self, dotted: str, importer: str) -> tuple[FilePath, str] | None:
        """The file of the longest module prefix of a dotted path, and what follows it; None where there is none."""
        if _is_library(dotted):
            return None
        folder = FilePath(importer).parent
        if dotted.startswith("."):
            rest = dotted.lstrip(".")
            for _ in range(len(dotted) - len(rest) - 1):
                folder = folder.parent
            return self._below(folder, rest)
        return self._below(folder, dotted) or self._below(self._root(folder), dotted)

    def _below(self, folder: FilePath, dotted: str) -> tuple[FilePath, str] | None:
        pieces = dotted.split(".")
        for length in range(len(pieces), 0, -1):
            candidate = folder.joinpath(*pieces[:length]).with_suffix(".py")
            if self.content(candidate) is not None:
                return candidate, ".".join(pieces[length:])
        return None

    def _root(self, folder: FilePath) -> FilePath:
        """The folder that holds the outermost package around `folder`."""
        if folder not in self._roots:
            at = folder
            while (at / "__init__.py").is_file() and at.parent != at:
                at = at.parent
            self._roots[folder] = at
        return self._roots[folder]

    def content(self, path: FilePath) -> bytes | None:
        """The bytes of a file that exists, speaks of TensorFlow or Keras and is no giant; else None."""
        if path not in self._bytes:
            data = self._overlay.get(path.resolve()) if self._overlay else None
            try:
                if data is None and path.is_file() and path.stat().st_size <= LARGEST_FILE:
                    data = path.read_bytes()
            except OSError:
                data = None
            self._bytes[path] = data if data is not None and _PACKAGES.search(data) else None
        return self._bytes[path]

    def parsed(self, path: FilePath, importer: SourceFile) -> SourceFile | None:
        """The parsed file, or None where it is no Python."""
        import libcst as cst

        from tfnanlint.source.values import SourceFile

        if path in self._parsed:
            self._parsed.move_to_end(path)
            return self._parsed[path]
        found: SourceFile | None = None
        data = self.content(path)
        if data is not None:
            try:
                text = data.decode("utf-8-sig")
                found = SourceFile(_shown(path, importer), text, cst.parse_module(text), str(path))
            except (UnicodeDecodeError, cst.ParserSyntaxError, RecursionError):
                found = None
        self._parsed[path] = found
        while len(self._parsed) > PARSED_FILES:
            self._parsed.popitem(last=False)
        return found

    def imported(self, data: bytes, importer: str) -> list[bytes]:
        """The contents of the modules that a file imports functions or modules from."""
        found: dict[FilePath, bytes] = {}
        for match in _IMPORT.finditer(data):
            module = (match[1] or match[3]).decode()
            names = [
                name.split(b" as ")[0].strip().decode("utf-8", "replace") for name in (match[2] or b"").split(b",")
            ]
            joint = "" if module.endswith(".") else "."
            for dotted in [module + joint + name for name in names if name] or [module]:
                place = self.find(dotted, importer)
                if place is not None:
                    content = self.content(place[0])
                    if content is not None:
                        found[place[0]] = content
        return list(found.values())


def _is_library(dotted: str) -> bool:
    """Whether a path belongs to TensorFlow or Keras, whose functions are rows of the op table."""
    return canonical_path(dotted).split(".")[0] in ("tf", "keras", "K", "ops", *ROOT_PACKAGES)


def _shown(path: FilePath, importer: SourceFile) -> str:
    """How an imported file is named in reports: relative where its importer is."""
    if FilePath(importer.path).is_absolute():
        return str(path)
    try:
        return path.relative_to(FilePath.cwd()).as_posix() if path.is_absolute() else path.as_posix()
    except ValueError:
        return str(path)
