"""Fixes that span statements: naming an operand of an earlier statement, or removing that statement.

`p = softmax(dense(h))`, later `log(p)`: the fixed log needs `dense(h)`, which must not run twice. The fix gives it a
name where it is computed. If nothing else reads `p`, the fix removes the statement that defined it.
"""

from __future__ import annotations

import builtins
import sys
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any

import libcst as cst

from tfnanlint.finding import Edit
from tfnanlint.fix.text import dotted
from tfnanlint.fix.wrap import style_of
from tfnanlint.flow import Node
from tfnanlint.source.positions import Layout, Span
from tfnanlint.source.values import Function, Origin, Scope, SourceFile

_CONDITIONAL = (
    cst.Lambda,
    cst.ListComp,
    cst.SetComp,
    cst.DictComp,
    cst.GeneratorExp,
    cst.IfExp,
    cst.BooleanOperation,
    cst.NamedExpr,
)
"""Expressions whose parts are evaluated elsewhere, or perhaps not at all."""


def statement_of(file: SourceFile, expr: Any) -> cst.SimpleStatementLine | None:
    """The statement that an expression is unconditionally part of, alone on its line; else None."""
    parents = file.layout.parents
    node = expr
    while node is not None and not isinstance(node, cst.SimpleStatementLine):
        if isinstance(node, _CONDITIONAL) and node is not expr:
            return None
        if isinstance(node, (cst.BaseCompoundStatement, cst.BaseSuite)):
            return None
        node = parents.get(node)
    if node is None or len(node.body) != 1:
        return None
    line, column, _, _ = file.layout.spans[node.body[0]]
    return node if not file.lines[line - 1][: column - 1].strip() else None


def assigned_name(statement: cst.SimpleStatementLine, expr: Any) -> str | None:
    """The name, where the whole statement is `name = expr`."""
    assign = statement.body[0]
    if isinstance(assign, cst.Assign) and assign.value is expr and len(assign.targets) == 1:
        target = assign.targets[0].target
        return target.value if isinstance(target, cst.Name) else None
    return None


def is_within(layout: Layout, node: Any, outer: Any) -> bool:
    """Whether a syntax node is another one or a part of it."""
    while node is not None:
        if node is outer:
            return True
        node = layout.parents.get(node)
    return False


def walk(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """A syntax node and all its parts."""
    stack = [node]
    while stack:
        at = stack.pop()
        yield at
        stack.extend(at.children)


Position = tuple[int, int]
_END: Position = (sys.maxsize, 0)


@lru_cache(maxsize=2)
def _names_in(scope: cst.CSTNode) -> frozenset[str]:
    """The names in a function, a class or a block."""
    return frozenset(node.value for node in walk(scope) if isinstance(node, cst.Name))


def variables(file: SourceFile, node: cst.CSTNode) -> Iterator[cst.Name]:
    """The names in a part of a file that stand for variables."""
    return (n for n in walk(node) if isinstance(n, cst.Name) and not is_attribute_name(file, n))


@lru_cache(maxsize=2)
def _places_in(file: SourceFile, body: cst.CSTNode) -> dict[str, list[Position]]:
    """Where the variables in a body stand, in order, by name: each repair in a function asks for some of them."""
    found: dict[str, list[Position]] = {}
    for node in variables(file, body):
        found.setdefault(node.value, []).append(file.layout.spans[node][:2])
    for places in found.values():
        places.sort()
    return found


@lru_cache(maxsize=2)
def _names_of_inner_functions(block: cst.CSTNode) -> frozenset[str]:
    inner = (n for n in walk(block) if isinstance(n, (cst.FunctionDef, cst.Lambda, cst.ClassDef)))
    return frozenset(name for scope in inner for name in _names_in(scope))


class _Others:
    """Where a name stands in a function, other than in some expressions."""

    def __init__(self, file: SourceFile, body: cst.CSTNode, name: str, allowed: Iterable[cst.CSTNode]) -> None:
        self._places = _places_in(file, body).get(name, [])
        excused = {file.layout.spans[n][:2] for one in allowed for n in variables(file, one) if n.value == name}
        self._excused = [one for one in excused if self._before(one) < self._before((one[0], one[1] + 1))]

    def _before(self, end: Position) -> int:
        return bisect_left(self._places, end)

    def count(self, start: Position = (0, 0), end: Position = _END) -> int:
        """In how many places between two positions the name stands."""
        return self._before(end) - self._before(start) - sum(start <= one < end for one in self._excused)


DYNAMIC_NAMES = frozenset("eval exec globals locals vars".split())
"""Python's functions that read or bind names without naming them in the code."""
_READING = DYNAMIC_NAMES | frozenset("dir query currentframe _getframe".split())
"""What reads the names of the function that calls it."""


def read_only_within(scope: Scope, name: str, allowed: list[Any], file: SourceFile, statement: Any) -> bool:
    """Whether what a statement assigns to a local name is read nowhere but inside the allowed expressions."""
    if not isinstance(scope.owner, Function) or scope.kind != "function":
        return False  # a module's names may be read by anyone
    if name in declared_in(scope.owner.node, cst.Global, cst.Nonlocal) or _reads_any_name(scope.owner.node):
        return False
    others = _Others(file, scope.owner.node.body, name, allowed)
    if len(scope.history.get(name, ())) == 1:
        return others.count() == 1  # the target itself
    behind = file.layout.spans[statement.body[0]][2:]
    if _is_whole(scope.owner, name, file, statement) and not others.count(behind):
        return True
    until = statement_of(file, allowed[0])
    parents, spans = file.layout.parents, file.layout.spans
    if (
        until is None
        or until is statement
        or parents.get(until) is not parents.get(statement)
        or not _binds(until, name)
    ):
        return False
    start, end = spans[statement.body[0]], spans[until.body[0]]
    return others.count(start[:2], end[2:]) <= 1 + isinstance(until.body[0], cst.Assign)


@lru_cache(maxsize=8)
def declared_in(node: cst.CSTNode, *kinds: type[cst.Global | cst.Nonlocal]) -> frozenset[str]:
    """The names that functions in a part of a file declare to be those of a scope around them."""
    return frozenset(item.name.value for found in walk(node) if isinstance(found, kinds) for item in found.names)


@lru_cache(maxsize=2)
def _reads_any_name(function: cst.CSTNode) -> bool:
    """Whether a function calls what may read all names in it."""
    called: Iterator[Any] = (node.func for node in walk(function) if isinstance(node, cst.Call))
    return any(getattr(one.attr if isinstance(one, cst.Attribute) else one, "value", "") in _READING for one in called)


def _is_whole(function: Function, name: str, file: SourceFile, statement: Any) -> bool:
    """Whether a statement of a function's own block gives a value to a name that no inner function reads."""
    block: cst.CSTNode = function.node.body
    if file.layout.parents.get(statement) is not block:
        return False
    return name not in _names_of_inner_functions(block)


def dispensable(matched: Iterable[Node], origin: Origin) -> dict[cst.SimpleStatementLine, str]:
    """The statements of a function that assign a matched value to a name that only the matched code reads."""
    found: dict[cst.SimpleStatementLine, str] = {}
    left = sorted((node for node in matched if node.origin.file is origin.file), key=lambda node: -node.index)
    allowed = [origin.expr]
    for node in left:
        expr = node.origin.expr
        statement = statement_of(origin.file, expr)
        if statement is None or statement in found or is_within(origin.file.layout, expr, origin.expr):
            continue
        name = assigned_name(statement, expr)
        if name is not None and read_only_within(origin.scope, name, allowed, origin.file, statement):
            found[statement] = name
            allowed.append(expr)
    return found


def _binds(statement: cst.SimpleStatementLine, name: str) -> bool:
    """Whether a statement does nothing but give a name a new value."""
    body = statement.body[0]
    if isinstance(body, cst.Assign):
        return len(body.targets) == 1 and getattr(body.targets[0].target, "value", None) == name
    return isinstance(body, cst.AugAssign) and getattr(body.target, "value", None) == name


_DEAR = (
    cst.Call,
    cst.Await,
    cst.Yield,
    cst.NamedExpr,
    cst.Lambda,
    cst.BaseComp,
)


def is_cheap(expression: cst.CSTNode) -> bool:
    """Whether an expression can be written twice: it calls nothing and makes nothing."""
    return not any(isinstance(node, _DEAR) for node in walk(expression))


def is_attribute_name(file: SourceFile, node: cst.Name) -> bool:
    """Whether a name is that of an attribute or of a keyword, and so no variable."""
    parent = file.layout.parents.get(node)
    return (isinstance(parent, cst.Attribute) and parent.attr is node) or (
        isinstance(parent, cst.Arg) and parent.keyword is node
    )


def new_name(scope: Scope, wanted: str, file: SourceFile, operand: cst.BaseExpression) -> str:
    """A name that nothing in reach of the scope uses yet, nor the repair of another operand in its function."""
    function = scope.owner.node if isinstance(scope.owner, Function) else None
    own = file.promised.setdefault(function, {})
    for name, holder in own.items():
        if holder is operand:
            return name
    found = _free_name(scope, wanted, own)
    own[found] = operand
    return found


def _free_name(scope: Scope, wanted: str, promised: Mapping[str, Any]) -> str:
    texts: frozenset[str] = frozenset()
    if isinstance(scope.owner, Function):
        texts = _names_in(scope.owner.node)
    candidate, number = wanted, 1
    while (
        candidate in promised or candidate in texts or scope.lookup(candidate) is not None or candidate in scope.history
    ):
        number += 1
        candidate = f"{wanted}_{number}"
    return candidate


def import_tensorflow(file: SourceFile, scope: Scope) -> Edit | None:
    """The edit that adds `import tensorflow as tf` behind the first import of TensorFlow or of a part of it.

    None if the file does not import TensorFlow, which may be on purpose, or if `tf` is another name.
    """
    if _free_name(scope, "tf", {}) != "tf":
        return None
    for statement in file.tree.body:
        if isinstance(statement, cst.SimpleStatementLine) and _imports_tensorflow(statement.body[0]):
            _, _, line, _ = file.layout.spans[statement.body[-1]]
            return Edit(file.path, line + 1, 1, line + 1, 1, f"import tensorflow as tf{file.newline}")
    return None


def import_beside(file: SourceFile, scope: Scope, module: str, name: str) -> Edit | None:
    """The edit that adds a name to what a file imports from a module by name, where it is free and fits the line."""
    if _free_name(scope, name, {}) != name or hasattr(builtins, name):
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


def remove_statement(file: SourceFile, statement: cst.SimpleStatementLine) -> Edit | None:
    """The edit that removes a statement with its lines, or None where a comment or the block's life depends on it."""
    block = file.layout.parents.get(statement)
    if len(getattr(block, "body", ())) < 2 or statement.trailing_whitespace.comment is not None:
        return None
    line, _, end_line, _ = file.layout.spans[statement.body[0]]
    above = file.lines[line - 2].strip() if line > 1 else ""
    while (not above or above.endswith(":")) and end_line < len(file.lines) and not file.lines[end_line].strip():
        end_line += 1  # no two empty lines, and none that opens a block
    if end_line >= len(file.lines):
        return None
    return Edit(file.path, line, 1, end_line + 1, 1, "")


def name_operand(
    file: SourceFile, where: Origin, operand: cst.BaseExpression, text: str, name: str, replace_statement: bool
) -> list[Edit] | None:
    """The edits that assign `operand`, inside the expression at `where`, to a new name.

    With `replace_statement` the whole statement becomes the assignment, because nothing else reads its target.
    """
    statement = statement_of(file, where.expr)
    if statement is None:
        return None
    line, column, end_line, end_column = file.layout.spans[statement.body[0]]
    if replace_statement:
        return [Edit(file.path, line, column, end_line, end_column, f"{name} = {_one_piece(operand, text)}")]
    indent = file.lines[line - 1][: column - 1]
    span = file.layout.spans[operand]
    first = Edit(file.path, line, column, line, column, f"{name} = {_one_piece(operand, text)}{file.newline}{indent}")
    return [first, Edit(file.path, *_with_line_breaks(file, span), name)]


def _with_line_breaks(file: SourceFile, span: Span) -> Span:
    """The span of an only argument, with the line breaks between it and its parentheses: a name fits on one line."""
    line, column, end_line, end_column = span
    if line > 1 and not file.lines[line - 1][: column - 1].strip() and file.lines[line - 2].rstrip().endswith("("):
        after = file.lines[end_line - 1][end_column - 1 :]
        if after.startswith(")"):
            return line - 1, len(file.lines[line - 2].rstrip()) + 1, end_line, end_column
        if not after.strip() and end_line < len(file.lines) and (rest := file.lines[end_line]).lstrip().startswith(")"):
            return line - 1, len(file.lines[line - 2].rstrip()) + 1, end_line + 1, len(rest) - len(rest.lstrip()) + 1
    return span


def _one_piece(operand: cst.BaseExpression, text: str) -> str:
    """The text of an operand as a statement's right side: broken lines need brackets of their own."""
    bracketed = isinstance(operand, (cst.Call, cst.Subscript, cst.List, cst.Dict))
    return text if "\n" not in text or bracketed else f"({text})"
