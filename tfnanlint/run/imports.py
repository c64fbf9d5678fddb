"""Imports that fixes leave without a use, which are removed with them."""

from __future__ import annotations

import ast
import os
import re

from tfnanlint.contents import contents, files_below
from tfnanlint.run.edits import whole_lines
from tfnanlint.source.project import project_around

LARGEST = 1_000_000
"""Bytes of a file; a larger one is data."""

_WORD = re.compile(r"\w+")


def without_unused(old: str, new: str, path: str) -> str:
    """The fixed text without the names that it imports and does not mention any more, if the old text did.

    Imports of a package's `__init__.py` are for others, and so is what another file of the project takes from this one.
    An import in a block, with a comment, or of a submodule under its full name may be there for another reason. A name
    that stands in a string or a comment counts as mentioned.
    """
    if os.path.basename(path) == "__init__.py":
        return new
    lost = {word for word, count in _counts(new).items() if count == 1} & {w for w, n in _counts(old).items() if n > 1}
    lost = lost and lost - _taken_elsewhere(path, lost)
    if not lost:
        return new
    lines = whole_lines(new)
    for statement in reversed(ast.parse(new).body):
        if isinstance(statement, (ast.Import, ast.ImportFrom)) and not _has_more(statement, lines):
            unused = [alias for alias in statement.names if _bound(statement, alias) in lost]
            if len(unused) == len(statement.names):
                del lines[statement.lineno - 1 : statement.end_lineno]
            elif unused and statement.lineno == statement.end_lineno:
                left = ", ".join(_written(alias) for alias in statement.names if alias not in unused)
                line = lines[statement.lineno - 1].encode()
                kept = (
                    line[: statement.names[0].col_offset] + left.encode() + line[statement.names[-1].end_col_offset :]
                )
                lines[statement.lineno - 1] = kept.decode()
    return "".join(lines)


def _taken_elsewhere(path: str, names: set[str]) -> set[str]:
    """The names that another file of the project, which imports this one, mentions; all where it does not say."""
    home = os.path.dirname(os.path.abspath(path))
    module = os.path.splitext(os.path.basename(path))[0].encode()
    found: set[str] = set()
    try:
        files = list(files_below(project_around(home), (".py", ".ipynb"))) if os.path.isfile(path) else []
    except OverflowError:
        return names
    for file in files:
        try:
            data = b"" if os.path.abspath(path) == file else contents(file, LARGEST)
        except OSError:
            continue
        if re.search(rb"\bfrom\s+[\w.]*\b%s\s+import\s*\*" % re.escape(module), data):
            return names
        if re.search(rb"\b%s\b" % re.escape(module), data):
            found |= {name for name in names if re.search(rb"\b%s\b" % re.escape(name.encode()), data)}
    return found


def _counts(text: str) -> dict[str, int]:
    """How often each word stands in a text."""
    found: dict[str, int] = {}
    for word in _WORD.findall(text):
        found[word] = found.get(word, 0) + 1
    return found


def _bound(statement: ast.Import | ast.ImportFrom, alias: ast.alias) -> str:
    """The name that an import binds and that is written once; "" for a submodule, and for what Python itself reads."""
    if alias.asname is None and ("." in alias.name or getattr(statement, "module", "") == "__future__"):
        return ""
    return alias.asname or alias.name


def _written(alias: ast.alias) -> str:
    return alias.name if alias.asname is None else f"{alias.name} as {alias.asname}"


def _has_more(statement: ast.Import | ast.ImportFrom, lines: list[str]) -> bool:
    """Whether the lines of an import hold something else, such as a comment."""
    text = "".join(lines[statement.lineno - 1 : statement.end_lineno])
    return "#" in text or ";" in text or statement.col_offset > 0
