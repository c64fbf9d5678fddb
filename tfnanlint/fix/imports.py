"""Imports that a fix adds: TensorFlow, or a name beside those that the file imports from a module."""

from __future__ import annotations

import builtins

import libcst as cst

from tfnanlint.finding import Edit
from tfnanlint.fix.syntax import free_name
from tfnanlint.fix.text import dotted
from tfnanlint.fix.wrap import style_of
from tfnanlint.source.source_file import SourceFile
from tfnanlint.source.values import Scope


def import_tensorflow(file: SourceFile, scope: Scope) -> Edit | None:
    """The edit that adds `import tensorflow as tf` behind the first import of TensorFlow or of a part of it.

    Above it, if other statements share its line: they may use the name.
    None if the file does not import TensorFlow, which may be on purpose, or if `tf` is another name.
    """
    if free_name(scope, "tf", {}) != "tf":
        return None
    for statement in file.tree.body:
        if isinstance(statement, cst.SimpleStatementLine) and _imports_tensorflow(statement.body[0]):
            first, _, last, _ = file.layout.spans[statement.body[-1]]
            line = last + 1 if len(statement.body) == 1 else first
            return Edit(file.path, line, 1, line, 1, f"import tensorflow as tf{file.newline}")
    return None


def import_beside(file: SourceFile, scope: Scope, module: str, name: str) -> Edit | None:
    """The edit that adds a name to what a file imports from a module by name, where it is free and fits the line."""
    if free_name(scope, name, {}) != name or hasattr(builtins, name):
        return None
    for statement in file.tree.body:
        imported = statement.body[0] if isinstance(statement, cst.SimpleStatementLine) else None
        if not isinstance(imported, cst.ImportFrom) or isinstance(imported.names, cst.ImportStar):
            continue
        if imported.relative or imported.module is None or dotted(imported.module) != module:
            continue
        line, column, end_line, end_column = file.layout.spans[imported.names[-1]]
        before, after = file.lines[line - 1][: column - 1], file.lines[end_line - 1][end_column - 1 :].rstrip()
        alone = imported.lpar is not None and not before.strip() and after.strip() in ("", ",")
        text = f",{file.newline}{before}{name}" if alone else f", {name}"
        if alone or len(file.lines[end_line - 1].rstrip()) + len(text) <= style_of(file).limit:
            return Edit(file.path, end_line, end_column, end_line, end_column, text)
    return None


def _imports_tensorflow(statement: cst.BaseSmallStatement) -> bool:
    if isinstance(statement, cst.ImportFrom):
        return statement.module is not None and not statement.relative and _first(statement.module) == "tensorflow"
    return isinstance(statement, cst.Import) and any(_first(alias.name) == "tensorflow" for alias in statement.names)


def _first(node: cst.BaseExpression) -> str:
    while isinstance(node, cst.Attribute):
        node = node.value
    return node.value if isinstance(node, cst.Name) else ""
