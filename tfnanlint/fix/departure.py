"""The operands in which a repair differs from the matched code, so that everything around them stays as it is.

`sqrt(maximum(s, 1e-12))` for `sqrt(s)` changes only the argument of the root, wherever the program computes it. The
call of the root, its keywords and its layout stay.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import libcst as cst

from tfnanlint.fix import hoist, syntax
from tfnanlint.flow import COMPARISONS, DYNAMIC, Flow, Node, ancestors
from tfnanlint.match.captures import Match
from tfnanlint.ops import OPS
from tfnanlint.ruleset.pattern import Pattern
from tfnanlint.source.values import Function, Origin

Path = tuple[tuple[Node, int], ...]
"""Pattern nodes from the root down, each with the number of the operand that leads on."""


@dataclass
class Departure:
    """What a repair has in the place of an operand: the pattern's node there, and the repair's."""

    path: Path
    old: Node
    new: Node


def departures(pattern: Pattern) -> list[Departure] | None:
    """The operands of a pattern that its repair has other values for; None where it replaces the whole."""
    found = list(_compare((), pattern.root, pattern.repaired)) if isinstance(pattern.repaired, Node) else []
    return found if found and all(d.path for d in found) else None


def nodes_of_repair(pattern: Pattern) -> Iterator[Node]:
    """The nodes of what a repair computes, from its result on; none where it is no expression."""
    return ancestors(pattern.repaired) if isinstance(pattern.repaired, Node) else iter(())


def departures_between(old: Node, new: Node) -> list[Departure]:
    """The operands below a node of a pattern that the repair has other values for."""
    return [found for found in _compare((), old, new) if found.path]


def _compare(path: Path, old: Node, new: Node) -> Iterator[Departure]:
    if same(old, new):
        return
    alike = old.op == new.op not in ("input", "const", "unknown") and _same_attributes(old, new)
    if not alike or len(old.operands) != len(new.operands):
        yield Departure(path, old, new)
        return
    for place, (inner, other) in enumerate(zip(old.operands, new.operands, strict=True)):
        yield from _compare((*path, (old, place)), inner, other)


def same(a: Node, b: Node) -> bool:
    """Whether two nodes of a rule file are the same value."""
    if a is b:
        return True
    if a.op != b.op or a.op in ("input", "unknown") or len(a.operands) != len(b.operands):
        return False
    return _same_attributes(a, b) and all(same(x, y) for x, y in zip(a.operands, b.operands, strict=True))


def _same_attributes(a: Node, b: Node) -> bool:
    return a.attrs.keys() == b.attrs.keys() and all(_same_attribute(a, b, key) for key in a.attrs)


def _same_attribute(a: Node, b: Node, key: str) -> bool:
    one, other = a.attrs[key], b.attrs[key]
    if one is DYNAMIC or other is DYNAMIC:
        return one is other and _variable(a, key) is not None and _variable(a, key) == _variable(b, key)
    return type(one) is type(other) and bool(one == other)


def _variable(node: Node, key: str) -> str | None:
    """The name of the variable that gives a static parameter."""
    given = node.origin.keywords.get(key)
    return given.value if isinstance(given, cst.Name) else None


def place_of(match: Match, departure: Departure, flow: Flow) -> tuple[Origin, cst.BaseExpression] | None:
    """Where the program writes the operand that differs, if it is there for this match alone."""
    above: Node | None = None
    found: tuple[Origin, cst.BaseExpression] | None = None
    for key in departure.path:
        if key not in match.places:
            return None
        value, user = match.places[key]
        if key[0].op == "downstream":
            if key == departure.path[-1]:  # the value itself is what differs, where its user takes it
                if not _leads_only_to(user, match.root, flow) or not _together(user, match.root):
                    return None
                expression = _sole_expression(user, value)
                return None if expression is None else (user.origin, expression)
            if above is None or not _leads_only_to(value, above, flow) or not _together(value, match.root):
                return None
            above = value
            continue
        while above is not None and above is not user:  # a value that is handed on, such as by a cast
            if not _serves_only(above, flow) or not above.operands:
                return None
            above = above.operands[0]
        if above is not None and not _serves_only(above, flow) and not _is_length(above, departure, flow):
            return None
        expression = _sole_expression(user, value)
        if expression is None:
            return None
        inner = key != departure.path[-1] and key[0].operands[key[1]].op != "downstream"
        if inner and not _is_private(value, user, expression) and not _is_length(value, departure, flow):
            return None
        above, found = value, (user.origin, expression)
    return found


SHAPE_ONLY = frozenset({"zeros_like", "ones_like", "shape", "size"})
"""Ops that take nothing of a value but its shape and its type."""


def is_handed_out(node: Node, flow: Flow) -> bool:
    """Whether code outside the flow may use a value, or the value itself is differentiated."""
    return node in flow.kept or any(root.node is node for root in flow.roots)


ASKING = COMPARISONS | {"is_nan", "is_inf", "is_finite"}
"""Ops that ask what a value is."""
TELLING = ASKING | {"sign", "argmax"}
"""Ops whose result differs between 0 and a small number."""


def allows_for_a_bound(value: Node, flow: Flow) -> bool:
    """Whether no known use of a value tells a small number from 0."""
    return not is_handed_out(value, flow) and all(user.op in OPS and user.op not in TELLING for user in value.users)


def is_set_once(where: Origin) -> bool:
    """Whether its function assigns to a name only once, and this expression."""
    statement = syntax.statement_of(where.file, where.expr)
    name = syntax.assigned_name(statement, where.expr) if statement is not None else None
    held = where.scope.history.get(name, ()) if name is not None else ()
    return isinstance(where.scope.owner, Function) and where.scope.kind == "function" and len(held) == 1


def _is_length(value: Node, departure: Departure, flow: Flow) -> bool:
    """Whether a value is a root with a name, a repair bounds what is under it, and the root itself may be bounded."""
    keeps = value.op == "sqrt" and departure.new.op == "maximum" and departure.new.operands[0] is departure.old
    return keeps and is_set_once(value.origin) and allows_for_a_bound(value, flow)


def _leads_only_to(value: Node, end: Node, flow: Flow) -> bool:
    """Whether a value is used only for computing `end`, uses of its shape aside."""
    stack, met = [value], {end}
    while stack:
        at = stack.pop()
        if at in met:
            continue
        met.add(at)
        if not at.users or is_handed_out(at, flow):
            return False
        stack += [user for user in at.users if user.op not in SHAPE_ONLY]
    return True


def _together(value: Node, root: Node) -> bool:
    """Whether two values are computed in the same call of a function, and equally often."""
    here, there = value.origin, root.origin
    return here.file is there.file and here.scope is there.scope and here.loop == there.loop


def _serves_only(node: Node, flow: Flow) -> bool:
    """Whether a value has one user and is not handed out."""
    users = [user for user in node.users if user.op not in SHAPE_ONLY]
    return len(users) == 1 and not is_handed_out(node, flow)


def _sole_expression(user: Node, value: Node) -> cst.BaseExpression | None:
    """The expression of an operand, if the call takes it once and nothing else but constants beside its operands."""
    origin: Any = user.origin
    given = [expression for node, expression in origin.arguments if node is value]
    others = [node for node, _ in origin.arguments if node not in user.operands and node.op != "const"]
    return given[0] if len(given) == 1 and not others and origin.written else None


def _is_private(value: Node, user: Node, expression: cst.BaseExpression) -> bool:
    """Whether an operand is written inside the expression of its user, or in a statement that is there for it alone."""
    where: Origin = value.origin
    here: Origin = user.origin
    if where.file is not here.file or where.scope is not here.scope:
        return False
    if syntax.is_within(where.file.layout, where.expr, expression):
        return True
    statement = syntax.statement_of(where.file, where.expr)
    name = syntax.assigned_name(statement, where.expr) if statement is not None else None
    return (
        name is not None
        and isinstance(expression, cst.Name)
        and expression.value == name
        and hoist.read_only_within(here.scope, name, [here.expr], here.file, statement)
    )
