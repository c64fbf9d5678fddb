"""Comments inside replaced code: they move to lines of their own above the statement."""

from __future__ import annotations

import io
import tokenize
from collections import Counter
from typing import Any

import libcst as cst

from tfnanlint.finding import Edit
from tfnanlint.fix.dialect import NoFix
from tfnanlint.fix.wrap import DIRECTIVE
from tfnanlint.source.source_file import SourceFile


def lost_comments(before: str, after: str) -> list[str]:
    """The comments of one text that are not in another, in order."""
    if before.count("#") <= after.count("#"):
        return []
    kept = Counter(_comments(after))
    lost = []
    for comment in _comments(before):
        kept[comment] -= 1
        if kept[comment] < 0:
            lost.append(comment)
    return lost


def comments_above(file: SourceFile, expr: Any, comments: list[str]) -> Edit:
    """The edit that puts comments above the statement that an expression is in; raises `NoFix`."""
    node = expr
    while node is not None and not isinstance(node, (cst.SimpleStatementLine, cst.BaseCompoundStatement)):
        node = file.layout.parents.get(node)
    if not isinstance(node, cst.SimpleStatementLine) or any(map(DIRECTIVE.match, comments)):
        raise NoFix("the fix would delete a comment")
    line, column, _, _ = file.layout.spans[node.body[0]]
    indent = file.lines[line - 1][: column - 1]
    if indent.strip():
        raise NoFix("the fix would delete a comment")
    text = "".join(f"{indent}{comment}{file.newline}" for comment in comments)
    return Edit(file.path, line, 1, line, 1, text)


def _comments(text: str) -> list[str]:
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(f"(\n{text}\n)").readline))
    except (tokenize.TokenError, SyntaxError) as error:
        raise NoFix("the fix would delete a comment") from error
    return [token.string for token in tokens if token.type == tokenize.COMMENT]
