"""What a fix takes for granted: the functions, numbers and options that the file itself settles for every run.

The flow follows one call, in which a parameter or an attribute has one value. A fix stands in the code for all calls:
it may build on what is written there, and on names that are bound once, to such a thing.
"""

from __future__ import annotations

import builtins
import re
from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache
from typing import Any

import libcst as cst

from tfnanlint.finding import Edit
from tfnanlint.fix.departure import departures, same
from tfnanlint.fix.dialect import NoFix
from tfnanlint.fix.rebinding import EVERY, body_of, sites_of
from tfnanlint.fix.syntax import names_in, walk
from tfnanlint.fix.text import dotted, text_of
from tfnanlint.flow import Node, reached
from tfnanlint.match.captures import Match
from tfnanlint.match.unify import value_behind
from tfnanlint.ops import OPS
from tfnanlint.ruleset.pattern import Pattern
from tfnanlint.source.bindings import targets
from tfnanlint.source.source_file import SourceFile
from tfnanlint.source.values import Origin

_LITERALS = (cst.Integer, cst.Float, cst.SimpleString)
_IMPORTS = (cst.ImportAlias, cst.AsName, cst.ImportFrom)
_DEFINITIONS = (cst.FunctionDef, cst.ClassDef)
DEEPEST = 8
"""The most names that are followed one after the other."""
FILLING = frozenset("ones ones_like zeros zeros_like".split())
"""Functions that say by their names what they fill a tensor with."""
DYNAMIC_STORES = frozenset("setattr vars __dict__".split())
"""Names by which a program stores attributes without naming them."""
OBJECTS = frozenset({"self", "cls"})
"""The first parameters of methods."""


def forbid_unsettled(match: Match, edits: Sequence[Edit], in_words: bool) -> None:
    """Raises `NoFix` where edits drop something that another call or object may have otherwise.

    `in_words`: whether they write the repair of the rule file, and do not set an option or take one away.
    """
    for wanted, file, expression, is_option in _relied_on(match):
        line, column, end_line, end_column = file.layout.spans[expression]
        text = text_of(file, (line, column, end_line, end_column))
        covered = any(
            edit.path == file.path
            and (edit.line, edit.column) <= (line, column)
            and (end_line, end_column) <= (edit.end_line, edit.end_column)
            for edit in edits
        )
        dropped = not _is_kept(match.pattern, wanted) if in_words else covered
        given = rf"\w\s*=\s*{re.escape(text)}(?![\w.(\[])"
        if dropped and not (is_option and any(re.search(given, edit.text) for edit in edits)):
            raise NoFix(f"the fix would drop `{' '.join(text.split())}`, to which other calls may give another value")


def forbid_lost_names(match: Match) -> None:
    """Raises `NoFix` where a repair drops an op that the file fetches by its name, such as `sess.run("probs:0")`."""
    for (above, place), (value, _) in match.places.items():
        name = value.origin.keywords.get("name") if value in match.matched else None
        held = name.evaluated_value if isinstance(name, cst.SimpleString) else None
        if not isinstance(held, str) or not held or _is_kept(match.pattern, above.operands[place]):
            continue
        if re.search(rf"{re.escape(held)}:\d", "".join(value.origin.file.lines)):
            raise NoFix(f"the fix would drop the op that is fetched by the name `{held}`")


def _relied_on(match: Match) -> Iterator[tuple[Node, SourceFile, Any, bool]]:
    """What a match takes for granted although the file does not settle it: expressions, and whether each is an option.

    The first value is the node of the pattern that it is a part of.
    """
    found = {match.root: match.pattern.root}
    aside: set[Any] = {node.origin.expr for node in match.matched}
    for (above, place), (value, user) in match.places.items():
        wanted = above.operands[place]
        found.setdefault(value if value in match.matched else value_behind(value), wanted)
        expression = user.origin.expression_of(value)
        aside.add(expression)
        if wanted.op == "const" and expression is not None and not is_settled(expression, user.origin.file):
            yield above, user.origin.file, expression, False
    for node, wanted in found.items():
        origin: Origin = node.origin
        row = OPS.get(node.op)
        if node not in match.matched or row is None:  # a layer is what a repair takes over as a whole
            continue
        called = origin.expr.func if isinstance(origin.expr, cst.Call) else None
        if called is not None and origin.written and not is_settled_function(called, origin):
            yield wanted, origin.file, called, False
        for name, given in origin.keywords.items():
            if name in row.attrs and not is_settled(given, origin.file):
                yield wanted, origin.file, given, True
        if isinstance(origin.expr, cst.BaseExpression):
            for part in _own_parts(origin.expr, aside | {called, *origin.keywords.values()}):
                if not is_settled(part, origin.file):
                    yield wanted, origin.file, part, False


def _own_parts(expression: Any, aside: Collection[Any]) -> Iterator[Any]:
    """The names and attributes in an expression, besides those in some parts of it."""
    stack = [*expression.children]
    while stack:
        at = stack.pop()
        if at in aside:
            continue
        if isinstance(at, (cst.Name, cst.Attribute)):
            yield at
        elif isinstance(at, cst.Arg):
            stack.append(at.value)
        else:
            stack.extend(at.children)


def _is_kept(pattern: Pattern, wanted: Node) -> bool:
    """Whether a repair leaves what a node of its pattern stands for as it is written, or takes it over."""
    left = departures(pattern)
    changed = [(one.old, one.new) for one in left] if left is not None else [(pattern.root, pattern.repaired)]
    for old, new in changed:
        if wanted in reached([old], lambda at: at.operands):
            return isinstance(new, Node) and any(same(wanted, one) for one in reached([new], lambda at: at.operands))
    return True


def is_settled(expression: Any, file: SourceFile, left: int = DEEPEST) -> bool:
    """Whether an expression has the same value in every run, as far as the file tells."""
    if isinstance(expression, _LITERALS) or left == 0:
        return left > 0
    if isinstance(expression, cst.UnaryOperation):
        return is_settled(expression.expression, file, left)
    if isinstance(expression, cst.BinaryOperation):
        return is_settled(expression.left, file, left) and is_settled(expression.right, file, left)
    if isinstance(expression, (cst.Tuple, cst.List)):
        return all(is_settled(element.value, file, left) for element in expression.elements)
    if isinstance(expression, cst.Call):
        made = dotted(expression.func).rpartition(".")[2] in FILLING  # of any shape
        given = [] if made else [arg.value for arg in expression.args]
        return _is_of_a_library(expression.func, file, left) and all(is_settled(one, file, left) for one in given)
    return _is_settled_path(expression, file, left)


def is_settled_function(called: Any, origin: Origin) -> bool:
    """Whether what a call calls is the same function in every run."""
    if isinstance(called, cst.Call):
        return is_settled(called, origin.file)
    if _is_settled_path(called, origin.file, DEEPEST):
        return True
    # a method says by its name what it does, also of an object that is given
    if not isinstance(called, cst.Attribute) or called.attr.value != origin.spelling.rpartition(".")[2]:
        return False
    root = _root(called)
    return root is None or root.value not in OBJECTS


def _is_of_a_library(path: Any, file: SourceFile, left: int) -> bool:
    """Whether a call goes to what is imported, or to a function of Python."""
    root = _root(path)
    if root is None:
        return False
    return _is_imported(root, file, left) or (_bound_at(root, file) == [] and hasattr(builtins, root.value))


def _root(path: Any) -> cst.Name | None:
    """The name at the start of a dotted one; None where it starts with anything else."""
    while isinstance(path, cst.Attribute):
        path = path.value
    return path if isinstance(path, cst.Name) else None


def _is_settled_path(path: Any, file: SourceFile, left: int) -> bool:
    """Whether a name, or an attribute of what is imported or of an object, is bound once in the file."""
    if isinstance(path, cst.Attribute):
        root = _root(path)
        if root is not None and root is path.value and root.value in OBJECTS:
            return _is_settled_attribute(path.attr.value, file, left)
        return root is not None and _is_imported(root, file, left)
    return isinstance(path, cst.Name) and _is_settled_name(path, file, left)


def _is_settled_name(name: cst.Name, file: SourceFile, left: int) -> bool:
    found = _bound_at(name, file)
    if found is None:
        return False
    if not found:  # one of Python, or of a module of which all names are imported
        return hasattr(builtins, name.value) or bool(sites_of(file, None, EVERY))
    if all(isinstance(site, _IMPORTS) for site in found):
        return True
    if len(found) > 1:
        return False
    (site,) = found
    plain = isinstance(site, cst.Assign) and all(isinstance(one.target, cst.Name) for one in site.targets)
    return isinstance(site, _DEFINITIONS) or (plain and is_settled(site.value, file, left - 1))


def _is_imported(name: cst.Name, file: SourceFile, left: int) -> bool:
    """Whether a name stands for something imported, or for a part of it under another name."""
    found = _bound_at(name, file) or ()
    if found and all(isinstance(site, _IMPORTS) for site in found):
        return True
    site: Any = found[0] if len(found) == 1 else None
    renamed = isinstance(site, cst.Assign) and isinstance(site.value, (cst.Name, cst.Attribute))
    return renamed and left > 0 and _is_settled_path(site.value, file, left - 1)


def _bound_at(name: cst.Name, file: SourceFile) -> list[Any] | None:
    """Where the name that is read here is bound; empty if nowhere in the file, None if it is a parameter."""
    layout = file.layout
    inner: Any = name
    at: Any = layout.parents.get(name)
    innermost = True
    while at is not None:
        if isinstance(at, cst.BaseComp) and name.value in _bound_in(at):
            return None
        if isinstance(at, (cst.FunctionDef, cst.Lambda)) and inner is at.body:
            if name.value in _parameters(at):
                return None
            if found := sites_of(file, at, name.value):
                return found
            innermost = False
        elif (
            innermost
            and isinstance(at, cst.ClassDef)
            and inner is at.body
            and (found := sites_of(file, at, name.value))
        ):
            return found
        inner, at = at, layout.parents.get(at)
    return sites_of(file, None, name.value)


def _bound_in(comprehension: cst.BaseComp) -> Iterator[str]:
    """The names of the `for` parts of a comprehension."""
    part: cst.CompFor | None = comprehension.for_in
    while part is not None:
        yield from targets(part.target)
        part = part.inner_for_in


def _parameters(function: Any) -> frozenset[str]:
    return frozenset(node.name.value for node in walk(function.params) if isinstance(node, cst.Param))


def _is_settled_attribute(name: str, file: SourceFile, left: int) -> bool:
    """Whether all objects of the file have the same value under a name: one method stores it, once."""
    stored = _stored_in(file)
    values = stored.get(name, [])
    return len(values) == 1 and values[0] is not None and is_settled(values[0], file, left - 1)


@lru_cache(maxsize=4)
def _stored_in(file: SourceFile) -> dict[str, list[Any]]:
    """What the methods of a file store under each name in their object; None for what others may store as well."""
    found: dict[str, list[Any]] = {}
    if not DYNAMIC_STORES.isdisjoint(names_in(file.tree)):
        return found
    for node in walk(file.tree):
        if isinstance(node, (cst.Assign, cst.AnnAssign, cst.AugAssign)):
            held = [one.target for one in node.targets] if isinstance(node, cst.Assign) else [node.target]
            in_class = isinstance(body_of(file.layout, node), cst.ClassDef)
            plain = isinstance(node, cst.Assign)
            for target in held:
                if isinstance(target, cst.Attribute):
                    own = plain and isinstance(target.value, cst.Name) and target.value.value in OBJECTS
                    found.setdefault(target.attr.value, []).append(node.value if own else None)
                elif in_class and isinstance(target, cst.Name):  # for subclasses and constructors to replace
                    found.setdefault(target.value, []).append(None)
    return found
