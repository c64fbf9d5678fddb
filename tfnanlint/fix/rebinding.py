"""Where a name is given another value between two places of a function, as its text alone tells.

The flow knows what a name holds in one run that it followed. It does not look into everything (a part of a formatted
text, a branch that a constant rules out, a `try` that ends halfway), and a repair has to be right in each run.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from functools import lru_cache
from operator import itemgetter
from typing import Any

import libcst as cst

from tfnanlint.fix.syntax import Position, is_within
from tfnanlint.source.bindings import targets
from tfnanlint.source.positions import Layout
from tfnanlint.source.source_file import SourceFile

_FUNCTIONS = (cst.FunctionDef, cst.Lambda, cst.ClassDef)
_LOOPS = (cst.For, cst.While, cst.CompFor)
_CATCHING = (cst.Try, cst.TryStar, cst.With)
"""Statements after which a program may continue although their block ended halfway."""
MOST_SITES = 30
"""Beyond so many bindings, all are assumed to reach the expression."""
EVERY = "*"
"""Stands for all names: `from m import *` may bind any."""

Site = tuple[Position, cst.CSTNode]
"""Where a name is bound, as syntax, and the place in the text behind which it holds the new value."""


def body_of(layout: Layout, node: Any) -> Any:
    """The function, class or module in whose body a part of a file stands."""
    at = layout.parents.get(node)
    while at is not None and not (isinstance(at, _FUNCTIONS) and _is_inside(layout, node, at)):
        at = layout.parents.get(at)
    return at


def _is_inside(layout: Layout, node: Any, function: Any) -> bool:
    """Whether a part of a function runs when the function is called, and not when it is defined."""
    return is_within(layout, node, function.body)


_BLANK = (cst.EmptyLine, cst.TrailingWhitespace, cst.SimpleWhitespace, cst.ParenthesizedWhitespace)
"""Blank lines, comments and spaces: they bind no name, and there are more of them than of anything else."""


@lru_cache(maxsize=4)
def _sites(file: SourceFile, body: Any) -> dict[str, list[Site]]:
    """The places that bind names in a function, in a class or, for None, in the module; those of inner ones aside."""
    found: dict[str, list[Site]] = {}
    spans = file.layout.spans
    stack: list[Any] = [file.tree if body is None else body.body]
    while stack:
        node = stack.pop()
        if type(node) in _BLANK:
            continue
        for name, end in _bound_by(node):
            found.setdefault(name, []).append((spans[end][2:], node))
        if isinstance(node, cst.FunctionDef):
            stack += [*node.decorators, node.params, *([node.returns] if node.returns is not None else [])]
        elif isinstance(node, cst.ClassDef):
            stack += [*node.decorators, *node.bases, *node.keywords]
        elif isinstance(node, cst.Lambda):
            stack.append(node.params)
        else:
            stack.extend(node.children)
    for sites in found.values():
        sites.sort(key=itemgetter(0))
    return found


def _bound_by(node: Any) -> Iterator[tuple[str, cst.CSTNode]]:
    """The names that a piece of syntax itself binds or unbinds, each with what is evaluated before that."""
    if isinstance(node, cst.Assign):
        yield from ((name, node.value) for one in node.targets for name in targets(one.target))
    elif isinstance(node, (cst.AugAssign, cst.AnnAssign)):
        if node.value is not None:
            yield from ((name, node.value) for name in targets(node.target))
    elif isinstance(node, cst.For):
        yield from ((name, node.iter) for name in targets(node.target))
    elif isinstance(node, cst.NamedExpr):
        yield from ((name, node) for name in targets(node.target))
    elif isinstance(node, cst.AsName):
        yield from ((name, node) for name in targets(node.name))
    elif isinstance(node, cst.ImportAlias) and node.asname is None:
        first: Any = node.name
        while isinstance(first, cst.Attribute):
            first = first.value
        yield first.value, node
    elif isinstance(node, cst.ImportFrom) and isinstance(node.names, cst.ImportStar):
        yield EVERY, node
    elif isinstance(node, (cst.FunctionDef, cst.ClassDef, cst.TypeAlias)):
        yield node.name.value, node
    elif isinstance(node, cst.Del):
        yield from ((name, node) for name in targets(node.target))
    elif isinstance(node, (cst.MatchAs, cst.MatchStar)) and node.name is not None:
        yield node.name.value, node
    elif isinstance(node, cst.MatchMapping) and node.rest is not None:
        yield node.rest.value, node


def sites_of(file: SourceFile, body: Any, name: str) -> list[cst.CSTNode]:
    """What binds a name in the body of a function or a class or, for None, in the module."""
    return [site for _, site in _sites(file, body).get(name, ())]


def bindings_between(file: SourceFile, name: str, early: Any, late: Any, at_start: bool = False) -> int:
    """How often a name may be bound between the evaluation of an expression and of a later one in the same body.

    With `at_start`, the statement of the early expression itself counts, too.
    """
    layout = file.layout
    sites = _sites(file, body_of(layout, late))
    named = [sites[one] for one in (name, EVERY) if one in sites]
    if not named:
        return 0
    line, column, end_line, end_column = layout.spans[early]
    start, end = (line, column) if at_start else (end_line, end_column), end_between(layout, early, late)
    found = 0
    for one in named:
        first, last = bisect_left(one, start, key=itemgetter(0)), bisect_left(one, end, key=itemgetter(0))
        if last - first > MOST_SITES:
            return last - first
        found += sum(_reaches(layout, node, early, late) for _, node in one[first:last])
    return found


def end_between(layout: Layout, early: Any, late: Any) -> Position:
    """Where what is run between two places ends: at the later one, or with the loop that comes back to it."""
    loop = _outermost_loop(layout, early, late)
    return layout.spans[late][:2] if loop is None else layout.spans[loop][2:]


def _outermost_loop(layout: Layout, early: Any, late: Any) -> Any:
    """The widest loop around an expression that an earlier one stands outside of."""
    found = None
    at = layout.parents.get(late)
    while at is not None and not isinstance(at, _FUNCTIONS):
        if _repeats(layout, at, late) and not is_within(layout, early, at):
            found = at
        at = layout.parents.get(at)
    return found


def _repeats(layout: Layout, loop: Any, node: Any) -> bool:
    """Whether a part of a statement or a comprehension is evaluated in each of its turns."""
    if isinstance(loop, cst.For):
        return is_within(layout, node, loop.body)
    return isinstance(loop, (cst.While, cst.BaseComp))


def _reaches(layout: Layout, site: Any, early: Any, late: Any) -> bool:
    """Whether control may come from a binding to an expression, as far as the blocks around them tell."""
    above_late = set(_above(layout, late))
    if any(
        isinstance(at, (*_LOOPS, cst.BaseComp)) and not is_within(layout, early, at)
        for at in _above(layout, site)
        if at in above_late
    ):
        return True  # in another turn
    leaves = caught = False
    inner = site
    for at in _above(layout, site):
        if at in above_late:
            return not (_excludes(layout, at, inner, late) or (leaves and not caught and not isinstance(at, _CATCHING)))
        caught = caught or isinstance(at, _CATCHING)
        if isinstance(at, cst.IndentedBlock):
            leaves = leaves or _leaves(at)
        inner = at
    return True


def _above(layout: Layout, node: Any) -> Iterator[Any]:
    at = layout.parents.get(node)
    while at is not None:
        yield at
        at = layout.parents.get(at)


def _leaves(block: cst.IndentedBlock) -> bool:
    """Whether a block ends the function that it is in."""
    last: Any = block.body[-1] if block.body else None
    small = last.body[-1] if isinstance(last, cst.SimpleStatementLine) and last.body else None
    return isinstance(small, (cst.Return, cst.Raise))


def _excludes(layout: Layout, split: Any, site: Any, late: Any) -> bool:
    """Whether a binding and an expression stand in two arms of a statement of which one is run."""
    if isinstance(split, cst.If):
        return site is split.body and split.orelse is not None and is_within(layout, late, split.orelse)
    return False
