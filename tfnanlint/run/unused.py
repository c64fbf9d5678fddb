"""Code of an application that nothing uses: what fails there harms no run, so it is merely possible.

Every file of the project is searched for the name of a function or class at the top of a module, and of a method of a
class without bases. Settings and texts count, too: `loss: dice` in a YAML file is a use. A package for others exports
its functions, so that nothing in it is unused. A folder without a script that runs is a collection of functions, all of
them meant to be used.
"""

from __future__ import annotations

import ast
import os
import re
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import cached_property

from tfnanlint.contents import contents, files_below
from tfnanlint.finding import Finding
from tfnanlint.source.project import names_in, project_around, up_to_root

PACKAGING = frozenset("setup.py setup.cfg PKG-INFO meta.yaml".split())
"""Files beside a package that is built for others."""
BUILT = re.compile(rb"^\[(?:project|build-system|tool\.poetry|tool\.flit)", re.MULTILINE)
"""What a `pyproject.toml` of such a package holds."""
DISTRIBUTED = (".dist-info", ".egg-info")
"""The endings of folders beside an installed package."""
TEXTS = tuple(".py .pyi .ipynb .yaml .yml .json .gin .cfg .ini .toml .sh .txt .md .rst".split())
"""The endings of files that may name a function."""
LARGEST = 1_000_000
"""Bytes of a text; a larger one is data."""
MOST_BYTES = 50_000_000
"""The most bytes of all texts of a project: of a larger one, everything counts as used."""
RUN = re.compile(rb"__name__\s*==\s*[\"']__main__[\"']")
"""What a script that runs has at its end."""
COMMENTED = re.compile(rb"^[ \t]*#.*$", re.MULTILINE)
"""A line that is a comment: a call that was taken out so is no use."""
BY_TEXT = re.compile(rb"(?<![.\w])(?:globals\(\)\s*[\[.]|eval\(|__import__\()|\bimport_module\(")
"""What a program does that finds functions or modules by text, without naming them."""

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


class Unused:
    """The functions and classes of a run's files that no file of their project names."""

    def __init__(self, files: Iterable[str], read: Callable[[str], str]) -> None:
        """`read` gives the text of one of the files, as it is linted."""
        self._files = [os.path.abspath(file) for file in files]
        self._read = read
        self._definitions: dict[str, tuple[str, list[Definition]]] = {}
        self._named: dict[str, int] = {}

    def without(self, path: str, text: str | None, findings: list[Finding], pedantic: bool) -> list[Finding]:
        """The findings in the text of a file, or in one that replaces it, without those in unused code.

        With `pedantic`, those are possible.
        """
        if not findings or path.endswith(".ipynb") or not self._is_application:
            return findings
        text = self._read(path) if text is None else text
        left: list[Finding] = []
        for found in findings:
            name = self._unused_around(path, text, found.line) if found.certainty != "possible" else ""
            if not name:
                left.append(found)
            elif pedantic:
                reason = f"no file of the project uses `{name}`"
                evidence = f"{found.evidence}; {reason}" if found.evidence else reason
                left.append(replace(found, certainty="possible", severity="info", evidence=evidence))
        return left

    def _unused_around(self, path: str, text: str, line: int) -> str:
        """The name of the unused definition that a line is in; "" if there is none."""
        held = self._definitions.get(path)
        if held is None or held[0] != text:
            held = self._definitions[path] = text, [] if self._is_asked(path) else list(_definitions(text))
        for one in held[1]:
            end = one.end_lineno or one.lineno
            if one.lineno <= line <= end:
                definition = "\n".join(text.splitlines()[one.lineno - 1 : end]).encode()
                if not self._is_used(one.name, definition):
                    return one.name
        return ""

    def _is_used(self, name: str, definition: bytes) -> bool:
        """Whether the project names a function outside of its own definition."""
        word = re.compile(rb"\b" + re.escape(name.encode()) + rb"\b")
        if name not in self._named:
            self._named[name] = sum(len(word.findall(text)) for text in self._texts)
        return self._named[name] > len(word.findall(COMMENTED.sub(b"", definition)))

    def _is_asked(self, path: str) -> bool:
        """Whether the project asks a module for what it holds under a name that is computed."""
        stem = re.escape(os.fsencode(os.path.splitext(os.path.basename(path))[0]))
        asking = re.compile(rb"\b(?:getattr|vars)\(\s*(?:\w+\.)*" + stem + rb"\s*[,)]|\b" + stem + rb"\.__dict__")
        return any(map(asking.search, self._texts))

    @cached_property
    def _is_application(self) -> bool:
        """Whether the files are those of a program that is run, and of no package."""
        if len(self._files) < 2:
            return False
        if any(map(_is_packaged, up_to_root(self._root))):
            return False
        texts = self._texts
        return bool(texts) and any(map(RUN.search, texts)) and not any(map(BY_TEXT.search, texts))

    @cached_property
    def _root(self) -> str:
        """The top folder of the project: the one that is marked as such, or the highest that looks like it."""
        return project_around(os.path.commonpath([os.path.dirname(file) for file in self._files]))

    @cached_property
    def _texts(self) -> list[bytes]:
        """All texts of the project; none if there are too many, or if one must not be read."""
        found: list[bytes] = []
        left = MOST_BYTES
        try:
            files = list(files_below(self._root, TEXTS))
        except OverflowError:
            return []
        for file in files:
            try:
                data = contents(file, LARGEST)
                found.append(COMMENTED.sub(b"", data) if file.endswith(".py") else data)
            except PermissionError:
                return []
            except OSError:  # large, no regular file, or a link to nothing
                continue
            left -= len(found[-1])
            if left < 0:
                return []
        return found


def _definitions(text: str) -> Iterator[Definition]:
    """The functions and classes of a module that run only where they are named.

    A decorator may register what it decorates, and a method of a class with bases may be what these call.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            body = ast.parse(text).body
    except (SyntaxError, ValueError, RecursionError):
        return
    for one in body:
        if isinstance(one, Definition) and not one.decorator_list:
            yield one
            if isinstance(one, ast.ClassDef) and all(getattr(base, "id", "") == "object" for base in one.bases):
                yield from (method for method in one.body if isinstance(method, Definition) and _is_called(method))


def _is_called(method: Definition) -> bool:
    """Whether only calls run a method: Python runs `__init__` itself, and a property is no call."""
    plain = all(getattr(decorator, "id", "") in ("staticmethod", "classmethod") for decorator in method.decorator_list)
    return plain and not (method.name.startswith("__") and method.name.endswith("__"))


def _is_packaged(folder: str) -> bool:
    """Whether a folder holds the description of a package for others."""
    names = names_in(folder)
    if not PACKAGING.isdisjoint(names) or any(name.endswith(DISTRIBUTED) for name in names):
        return True
    if "pyproject.toml" not in names:
        return False
    try:
        return BUILT.search(contents(os.path.join(folder, "pyproject.toml"), LARGEST)) is not None
    except OSError:
        return True
