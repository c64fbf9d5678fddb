"""Which names a piece of code binds, as the patterns of a `match`, loops and comprehensions ask."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from tfnanlint.source import grammar
from tfnanlint.source.grammar import kind_of
from tfnanlint.source.inheritance import syntax_in
from tfnanlint.source.source_file import SourceFile

_BLOCKS = frozenset("If For While With Try TryStar Else Finally ExceptHandler ExceptStarHandler MatchCase".split())
"""What assigns in a block of its own, for its own scope."""
_APART = frozenset("FunctionDef ClassDef Lambda".split())
"""What has a scope of its own."""


def captures(pattern: Any) -> Iterator[tuple[Any, bool]]:
    """The names in a pattern that a `match` binds, as syntax, and whether each is bound to the subject as a whole."""
    stack = [(pattern, True)]
    while stack:
        at, whole = stack.pop()
        if isinstance(at, grammar.MatchAs):
            if at.name is not None:
                yield at.name, whole
            if at.pattern is not None:
                stack.append((at.pattern, whole))
        elif isinstance(at, grammar.MatchStar):
            if at.name is not None:
                yield at.name, False
        elif isinstance(at, grammar.MatchOr):
            stack += [(one.pattern, whole) for one in reversed(at.patterns)]
        elif isinstance(at, (grammar.MatchList, grammar.MatchTuple)):
            stack += [(_element(one), False) for one in reversed(at.patterns)]
        elif isinstance(at, grammar.MatchMapping):
            if at.rest is not None:
                yield at.rest, False
            stack += [(one.pattern, False) for one in reversed(at.elements)]
        elif isinstance(at, grammar.MatchClass):
            stack += [(one.pattern, False) for one in reversed(at.kwds)]
            stack += [(one.value, False) for one in reversed(at.patterns)]


def _element(one: Any) -> Any:
    return one if isinstance(one, grammar.MatchStar) else one.value


def by_expressions(file: SourceFile, node: Any) -> list[str]:
    """The names that `:=` binds in a piece of syntax, in order, its functions left out."""
    return list(_by_expressions(node)) if file.names_in_expressions else []


def _by_expressions(node: Any) -> dict[str, None]:
    found: dict[str, None] = {}
    stack = [node]
    while stack:
        at = stack.pop()
        if isinstance(at, grammar.NamedExpr) and isinstance(at.target, grammar.Name):
            found[at.target.value] = None
        if kind_of(at) not in _APART:
            stack.extend(reversed(syntax_in(at)))
    return found


def by_block(file: SourceFile, body: grammar.Suite) -> list[str]:
    """The names that a block assigns, in order, its nested functions left out."""
    found: dict[str, None] = {}
    _note_assigned(body.body, found)
    if file.names_in_expressions:
        found.update(_by_expressions(body.body))
    return list(found)


def _note_assigned(statements: Iterable[Any], found: dict[str, None]) -> None:
    for statement in statements:
        if isinstance(statement, grammar.SimpleStatementLine):
            _note_assigned(statement.body, found)
        elif isinstance(statement, grammar.Assign):
            for target in statement.targets:
                found.update(dict.fromkeys(targets(target.target)))
        elif isinstance(statement, (grammar.AugAssign, grammar.AnnAssign)):
            found.update(dict.fromkeys(targets(statement.target)))
        elif isinstance(statement, grammar.Match):
            _note_assigned(statement.cases, found)
        elif kind_of(statement) in _BLOCKS:
            _note_head(statement, found)
            _note_assigned(statement.body.body, found)
            for part in ("orelse", "finalbody"):
                inner = getattr(statement, part, None)
                if inner is not None:
                    _note_assigned([inner], found)
            _note_assigned(getattr(statement, "handlers", ()), found)


def _note_head(statement: Any, found: dict[str, None]) -> None:
    """The names that the first line of a block binds."""
    if isinstance(statement, grammar.For):
        found.update(dict.fromkeys(targets(statement.target)))
    elif isinstance(statement, grammar.With):
        for item in statement.items:
            if item.asname is not None:
                found.update(dict.fromkeys(targets(item.asname.name)))
    elif isinstance(statement, grammar.MatchCase):
        for name, _ in captures(statement.pattern):
            found[name.value] = None
    elif isinstance(statement, (grammar.ExceptHandler, grammar.ExceptStarHandler)) and statement.name is not None:
        found.update(dict.fromkeys(targets(statement.name.name)))


def targets(node: Any) -> Iterator[str]:
    """The names that a target binds: one name, or several in brackets."""
    if isinstance(node, grammar.Name):
        yield node.value
    elif isinstance(node, (grammar.Tuple, grammar.List)):
        for element in node.elements:
            yield from targets(element.value)
