"""The files around a file: a helper imported from the same project is followed like a local one.

The location of a module follows from the folders alone: beside the importing file, below the root of its package, then
in each folder above up to the root of the project, and in `src` there. A module that cannot be found, read or parsed is
unknown, never an error. A process reads and parses each file at most once while it stays in the cache.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache, partial
from itertools import takewhile
from typing import TYPE_CHECKING, Any, TypeVar

from tfnanlint.contents import contents, files_below, lies_below
from tfnanlint.source.imports import aliases_of
from tfnanlint.source.packages import ROOT_PACKAGES, mentions_package
from tfnanlint.source.sized_cache import SizedCache

if TYPE_CHECKING:
    import ast

    import libcst as cst

    from tfnanlint.source.sketch import Sketch
    from tfnanlint.source.source_file import SourceFile

PARSED_BYTES = 500_000
"""How much source is kept parsed (a syntax tree takes fifty times its text and more); what was used last stays."""
SKETCHED_BYTES = 1_500_000
"""The same for sketches, which take fifteen times their text."""
REMEMBERED_BYTES = 15_000_000
"""The same for what was found out about modules and their definitions."""
READ_BYTES = 6_000_000
"""How much text is kept."""
MOST_BYTES = 20_000_000
"""The most bytes of a project's Python files: who calls a function of a larger one is not asked."""
LOOKUPS = 50_000
"""How many answers and folders are kept before all are forgotten."""
LARGEST_FILE = 400_000
"""Bytes beyond which an imported file is not followed: generated code, tables."""
LARGEST_OTHER = 32_000
"""The same for a file that does not mention TensorFlow: it may define constants, or re-export names."""

PASSED_ON = 2
"""How many modules that do not mention TensorFlow are followed on the way to one that does."""

ROOT_MARKS = frozenset((".git", ".hg", "pyproject.toml", "tfnanlint.toml", "setup.py", "setup.cfg"))
"""Files and folders that mark the root of a project."""

UNMARKED = 2
"""How many folders above a package are searched if nothing marks the root of its project."""

PROJECT = re.compile(r"(?i)(readme|licen[cs]e|requirements)\b.*|.*\.py")
"""Files of which the top folder of a project has one."""

T = TypeVar("T")
Place = tuple[str, str]
"""The path of a module's file, and what follows the module in a dotted path."""


class Trace:
    """What the findings of one file depend on outside it: files, by digest, where imports lead, what calls functions.

    What was remembered on the way has a trace of its own, which many share: those are added up when somebody asks.
    """

    def __init__(self) -> None:
        self._files: dict[str, str] = {}
        self._imports: dict[tuple[str, str], str | None] = {}
        self._callers: dict[tuple[str, ...], tuple[str, ...]] = {}
        self._inner: dict[int, Trace] = {}

    @property
    def files(self) -> dict[str, str]:
        self._add_up()
        return self._files

    @files.setter
    def files(self, files: dict[str, str]) -> None:
        self._files = files

    @property
    def imports(self) -> dict[tuple[str, str], str | None]:
        self._add_up()
        return self._imports

    @property
    def callers(self) -> dict[tuple[str, ...], tuple[str, ...]]:
        """By a module's path and the names of a function in it, the files that were found to call it."""
        self._add_up()
        return self._callers

    @property
    def size(self) -> int:
        """How many things it holds itself."""
        return len(self._files) + len(self._imports) + len(self._callers) + len(self._inner)

    def consult(self, path: str, digest: str) -> None:
        self._files[path] = digest

    def resolve(self, dotted: tuple[str, str], place: str | None) -> None:
        self._imports[dotted] = place

    def ask(self, function: tuple[str, ...], callers: tuple[str, ...]) -> None:
        self._callers[function] = callers

    def include(self, other: Trace) -> None:
        self._inner[id(other)] = other

    def __getstate__(self) -> dict[str, object]:
        """The state for another process, in which the inner traces would be of no use: they are added up first."""
        self._add_up()
        return self.__dict__

    def _add_up(self) -> None:
        todo = list(self._inner.values())
        seen = set(self._inner)
        self._inner.clear()
        while todo:
            trace = todo.pop()
            self._files.update(trace._files)
            self._imports.update(trace._imports)
            self._callers.update(trace._callers)
            todo += [inner for key, inner in trace._inner.items() if key not in seen]
            seen.update(trace._inner)


class Project:
    """Finds and keeps the modules that files import from each other.

    `overlay` gives texts that stand for the files at those paths: what a fix would leave there. `shown` says how
    a path is named in reports.
    """

    def __init__(
        self, overlay: Mapping[str, str | bytes] | None = None, shown: Callable[[str], str] | None = None
    ) -> None:
        self._overlay: dict[str, bytes] = {}
        self._shown = shown or _relative
        self._parsed: SizedCache[str, SourceFile | None] = SizedCache(PARSED_BYTES)
        self._sketched: SizedCache[str, SourceFile | None] = SizedCache(SKETCHED_BYTES)
        self._bytes: SizedCache[str, tuple[bytes | None, str]] = SizedCache(READ_BYTES)
        self._folders: dict[str, frozenset[str]] = {}
        self._searched: dict[str, tuple[str, ...]] = {}
        self._found: dict[tuple[str, str], Place | None] = {}
        self._memo: SizedCache[tuple[str, object], tuple[Any, Trace]] = SizedCache(REMEMBERED_BYTES)
        self._around: tuple[str, list[tuple[str, bytes]]] = "", []
        self.trace = Trace()
        self.revise(overlay or {})

    def revise(self, overlay: Mapping[str, str | bytes]) -> None:
        """Replace the texts of the overlay."""
        new = {
            os.path.abspath(path): text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")
            for path, text in overlay.items()
        }
        for path in {*self._overlay, *new}:
            if self._overlay.get(path) != new.get(path):
                self._forget(path)
        self._overlay = new

    def _forget(self, path: str) -> None:
        for kept in (self._bytes, self._parsed, self._sketched):
            kept.drop(path)
        self._memo.clear()
        self._around = "", []

    def begin(self) -> Trace:
        """Start the trace of another file."""
        self.trace = Trace()
        return self.trace

    def release(self) -> None:
        """Forget the names that repairs have reserved: they do not bind the next lint."""
        for parsed in self._parsed.values():
            if parsed is not None and parsed.promised:
                parsed.promised.clear()

    def remembered(self, key: tuple[str, object], make: Callable[[], T], size: int = 0) -> T:
        """The result of `make` for a key, computed once; `size` is its cost in the cache. Its trace always counts."""
        held = self._memo.get(key)
        if held is None:
            with self.untraced():
                held = make(), self.trace
            self._memo.put(key, held, size + 500 + 100 * held[1].size)
        value: T = held[0]
        self.trace.include(held[1])
        return value

    @contextmanager
    def untraced(self) -> Iterator[None]:
        """Look at files without making the findings depend on them."""
        outer, self.trace = self.trace, Trace()
        try:
            yield
        finally:
            self.trace = outer

    # Where modules are.

    @property
    def folders(self) -> frozenset[str]:
        """Where modules have been looked for."""
        return frozenset(self._folders)

    def find(self, dotted: str, importer: str) -> Place | None:
        """The file of the longest module prefix of a dotted path, and what follows it; None where there is none."""
        if not dotted.startswith(".") and _is_foreign(dotted):
            return None
        key = (_folder_of(importer if os.path.isabs(importer) else os.path.abspath(importer)), dotted)
        if key not in self._found:
            if len(self._found) > LOOKUPS or len(self._folders) > LOOKUPS:
                self._found.clear()
                self._folders.clear()
                self._searched.clear()
            self._found[key] = self._search(*key)
        place = self._found[key]
        self.trace.resolve(key, place[0] if place is not None else None)
        return place

    def _search(self, folder: str, dotted: str) -> Place | None:
        rest = dotted.lstrip(".")
        if rest == dotted:
            return next((place for root in self._roots(folder) if (place := self._below(root, dotted))), None)
        for _ in range(len(dotted) - len(rest) - 1):
            folder = os.path.dirname(folder)
        return self._below(folder, rest)

    def _below(self, folder: str, dotted: str) -> Place | None:
        """The file of a module in a folder or a package below it."""
        pieces = dotted.split(".")
        found: Place | None = None
        for at, piece in enumerate(pieces):
            names = self._names(folder)
            rest = ".".join(pieces[at + 1 :])
            inner = os.path.join(folder, piece)
            if piece in names and "__init__.py" in self._names(inner):
                found = os.path.join(inner, "__init__.py"), rest
            elif f"{piece}.py" in names:
                return os.path.join(folder, f"{piece}.py"), rest
            elif piece not in names:
                break
            folder = inner
        return found

    def _names(self, folder: str) -> frozenset[str]:
        """The Python files and the folders in a folder, and the marks of a project's root."""
        if folder not in self._folders:
            try:
                with os.scandir(folder) as entries:
                    self._folders[folder] = frozenset(
                        entry.name
                        for entry in entries
                        if entry.name in ROOT_MARKS
                        or ((entry.name.endswith(".py") or entry.is_dir()) and _stays_inside(entry, folder))
                    )
            except OSError:
                self._folders[folder] = frozenset()
        return self._folders[folder]

    def _roots(self, folder: str) -> tuple[str, ...]:
        """Where the modules are that a file in a folder imports by their full names, the nearest first."""
        if folder not in self._searched:
            package = folder
            while "__init__.py" in self._names(package) and os.path.dirname(package) != package:
                package = os.path.dirname(package)
            above = list(up_to(package, lambda at: not ROOT_MARKS.isdisjoint(self._names(at))))
            if ROOT_MARKS.isdisjoint(self._names(above[-1])):
                above = above[: 1 + UNMARKED]
            every = [folder, *(root for at in above for root in (at, os.path.join(at, "src")))]
            self._searched[folder] = tuple(dict.fromkeys(root for root in every if self._names(root)))
        return self._searched[folder]

    def leads_to_tensorflow(self, data: bytes, importer: str, hops: int = PASSED_ON) -> bool:
        """Whether a file imports, from its project, a module that mentions TensorFlow or Keras or passes it on."""
        for dotted in dict.fromkeys(aliases_of(data.decode("latin-1")).values()):
            place = self.find(dotted.removesuffix(".*"), importer)
            content = self.content(place[0]) if place is not None else None
            if place is None or content is None:
                continue
            if mentions_package(content):
                return True
            if hops and self.remembered(
                (place[0], hops), partial(self.leads_to_tensorflow, content, place[0], hops - 1)
            ):
                return True
        return False

    # What is in them.

    def content(self, path: str) -> bytes | None:
        """The bytes of a file that is worth following, else None."""
        if path not in self._bytes:
            data = self._overlay.get(path)
            if data is None:
                data = _read(path)
            found = digest(data) if data is not None else ""
            if data is not None and len(data) > LARGEST_OTHER and not mentions_package(data):
                data = None
            self._bytes.put(path, (data, found), len(data or b"") + 500)
        content, found = self._bytes[path]
        self.trace.consult(path, found)
        return content

    def texts_around(self, path: str) -> Sequence[tuple[str, bytes]]:
        """The Python files of the project that a file belongs to, with their texts; none of a very large project."""
        root = project_around(os.path.dirname(path))
        if self._around[0] != root:
            self._around = root, self._texts_below(root)
        return self._around[1]

    def _texts_below(self, root: str) -> list[tuple[str, bytes]]:
        found: list[tuple[str, bytes]] = []
        left = MOST_BYTES
        try:
            files = list(files_below(root, (".py",)))
        except OverflowError:
            return []
        for file in files:
            try:
                text = self._overlay.get(file) or contents(file, LARGEST_FILE)
            except OSError:  # large, no regular file, or a link to nothing
                continue
            found.append((file, text))
            left -= len(text)
            if left < 0:
                return []
        return found

    def parsed(self, path: str) -> SourceFile | None:
        """The parsed file, or None if it is not valid Python."""
        import libcst as cst

        data = self.content(path)
        if data is None:
            return None
        if path not in self._parsed:
            try:
                self.parse(path, data.decode("utf-8-sig"))
            except (UnicodeDecodeError, cst.ParserSyntaxError, RecursionError):
                self._parsed.put(path, None, 0)
        return self._parsed[path]

    def parse(self, path: str, text: str) -> cst.Module:
        """The syntax tree of the text of a file, which is kept for those that import it."""
        from tfnanlint.source.source_file import SourceFile
        from tfnanlint.source.syntax import module_of

        held = self._parsed.get(path)
        if held is None or held.text != text:
            held = SourceFile(self._shown(path), text, module_of(text), path)
            self._parsed.put(path, held, len(text))
        tree: cst.Module = held.tree
        return tree

    def sketched(self, path: str) -> SourceFile | None:
        """A sketch of the file, or None if it is not valid Python."""
        import ast

        from tfnanlint.source.syntax import NOT_PYTHON

        data = self.content(path)
        if data is None:
            return None
        if path not in self._sketched:
            try:
                text = data.decode("utf-8-sig")
                self.sketch(path, text, ast.parse(text))
            except NOT_PYTHON:  # which a text in another encoding is as well
                self._sketched.put(path, None, 0)
        return self._sketched[path]

    def sketch(self, path: str, text: str, tree: ast.Module) -> Sketch:
        """A sketch of the text of a file, which is kept for those that import it."""
        from tfnanlint.source.source_file import SourceFile

        held = self._sketched.get(path)
        if held is None or held.text != text:
            held = SourceFile.sketched(self._shown(path), text, tree, path)
            self._sketched.put(path, held, len(text))
        sketch: Sketch = held.tree
        return sketch


def digest(data: bytes) -> str:
    """A content's fingerprint."""
    try:
        from _blake2 import blake2b  # all of hashlib that is needed; the rest of it loads OpenSSL
    except ImportError:
        from hashlib import blake2b
    return blake2b(data, digest_size=16).hexdigest()


def _read(path: str) -> bytes | None:
    try:
        if os.stat(path).st_size > LARGEST_FILE:
            return None
        return contents(path)
    except OSError:
        return None


@lru_cache(maxsize=256)
def _folder_of(path: str) -> str:
    """The folder of a file by its absolute path."""
    return os.path.dirname(os.path.normpath(path))


def _is_foreign(dotted: str) -> bool:
    """Whether a path belongs to TensorFlow or Keras, whose functions are rows of the op table, or to Python."""
    first = dotted.partition(".")[0]
    return first in ROOT_PACKAGES or first in sys.stdlib_module_names


def _stays_inside(entry: os.DirEntry[str], folder: str) -> bool:
    """Whether an entry of a folder is part of the project around that: no link leads out of it."""
    if not entry.is_symlink():
        return True
    return lies_below(os.path.realpath(entry.path), os.path.realpath(project_around(folder)))


def up_to(folder: str, is_last: Callable[[str], bool]) -> Iterator[str]:
    """A folder and those above it, up to the first one for which `is_last` holds."""
    while True:
        yield folder
        parent = os.path.dirname(folder)
        if is_last(folder) or parent == folder:
            return
        folder = parent


def up_to_root(folder: str) -> list[str]:
    """A folder and those around it, up to the one that is marked as the root of a project."""
    return list(up_to(folder, lambda at: not ROOT_MARKS.isdisjoint(names_in(at))))


def project_around(folder: str) -> str:
    """The top folder of the project around a folder: the one marked as such, or the highest that looks like it."""
    folders = up_to_root(folder)
    if not ROOT_MARKS.isdisjoint(names_in(folders[-1])):
        return folders[-1]
    above = takewhile(lambda at: any(map(PROJECT.fullmatch, names_in(at))), folders[1 : 1 + UNMARKED])
    return [folders[0], *above][-1]


def names_in(folder: str) -> list[str]:
    """The names of what lies in a folder; none where it cannot be read."""
    try:
        return os.listdir(folder)
    except OSError:
        return []


def _relative(path: str) -> str:
    """A path as it is seen from the working directory, where it lies below it."""
    here = os.path.join(os.getcwd(), "")
    return path.removeprefix(here)
