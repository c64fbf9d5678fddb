"""A match turned into edits: the least that makes the repair of the code, in the code's own style.

Where anything stands in the way (a name that no longer holds the same value, an argument or comment
that would be lost, an op that this file has no name for) there is no fix, and the reason is told.
"""

from __future__ import annotations

import re
from typing import Any

import libcst as cst

from tfnanlint.facts import Facts
from tfnanlint.facts.absorption import GATHERING, SUMS, infinities_of
from tfnanlint.finding import Edit, Fix
from tfnanlint.fix import hoist
from tfnanlint.fix.comments import comments_above, lost_comments
from tfnanlint.fix.deactivate import activation_left_out, deactivated
from tfnanlint.fix.departure import Departure, departures, place_of
from tfnanlint.fix.dialect import NoFix
from tfnanlint.fix.printer import ATOM, UNARY, Printer, binding_of, text_of, with_edits
from tfnanlint.fix.reconfigure import is_own_call, reconfigured
from tfnanlint.fix.relocate import is_relocation, relocated
from tfnanlint.fix.sign import negated
from tfnanlint.fix.wrap import fitted, flat, is_too_long
from tfnanlint.flow import Flow, Node
from tfnanlint.match.captures import Match
from tfnanlint.source.values import Origin, SourceFile

_HANDING_OUT = GATHERING | SUMS | {"neg", "where"}
"""Ops behind which an infinity is still one."""
_COMPARISONS = frozenset("less less_equal greater greater_equal equal not_equal is_nan is_inf is_finite".split())
_POLES_AT_ZERO = frozenset("log log2 log10 rsqrt reciprocal".split())

__all__ = ["NoFix", "fix_of"]


def fix_of(match: Match, facts: Facts) -> Fix:
    """The fix of a match in the source code that its facts are about; raises `NoFix`."""
    repair, flow = match.pattern.repair, facts.flow
    if repair is None:
        raise NoFix("this has to be decided by hand")
    if match.other_dtype is not None and "complex" in match.other_dtype:
        raise NoFix(f"its repair is made for {' and '.join(match.rule.dtypes)}, and this is {match.other_dtype}")
    if repair.kind != "after" and _compares_otherwise(match, flow):
        raise NoFix("its value is compared, and what takes an infinity's place compares otherwise")
    if repair.kind != "after" and _is_meant(match, facts):
        raise NoFix("the infinity is handed out as it is, and nothing here shows that it is not meant")
    if _hides_an_overflow(match, facts):
        raise NoFix("the divisor is 0 by rounding, and the quotient is large: a 0 is no answer")
    if _feeds_a_pole(match):
        raise NoFix("a 0 in the place of the infinity is infinite again for what takes it")
    if is_relocation(match):
        edits, message = relocated(match)
        return Fix(repair.kind, message, tuple(edits))
    activated = activation_left_out(match)
    if activated is not None:
        edits, message = deactivated(activated, match, flow)
        return Fix(repair.kind, message, tuple(edits))
    if not is_own_call(match.root.origin):
        edits, message = reconfigured(match)
        return Fix(repair.kind, message, tuple(edits))
    try:
        found = _in_place(match, flow)
    except NoFix:
        found = None
    edits, message = found or _as_a_whole(match)
    if len(edits) == 0:
        raise NoFix("it is written that way already")
    return Fix(repair.kind, message, tuple(sorted(set(edits), key=lambda e: (e.line, e.column, e.text))))


def _compares_otherwise(match: Match, flow: Flow) -> bool:
    """Whether a value goes into comparisons alone, to which an infinity is as good as any number, or into one that
    would find a 0 where the infinity was.
    """
    root = match.root
    compared = [user.op in _COMPARISONS for user in root.users]
    if root not in flow.kept and compared and all(compared):
        return True
    repaired = match.pattern.repaired
    return any(compared) and isinstance(repaired, Node) and repaired.op == "divide_no_nan"


def _is_meant(match: Match, facts: Facts) -> bool:
    """Whether a bare op gives an infinity, and no gradient is taken, and code beyond this is all that uses it."""
    if len(match.matched) > 1 or facts.differentiated(match.root) is not None or not infinities_of(facts, match.root):
        return False
    stack = [match.root]
    while stack:
        node = stack.pop()
        if any(user.op not in _HANDING_OUT for user in node.users) or (not node.users and node not in facts.flow.kept):
            return False
        stack += node.users
    return True


def _feeds_a_pole(match: Match) -> bool:
    """Whether a repair puts 0 in the place of a quotient that goes into a logarithm, or under a fraction."""
    repaired = match.pattern.repaired
    if not isinstance(repaired, Node) or repaired.op != "divide_no_nan":
        return False
    root = match.root
    return any(
        user.op in _POLES_AT_ZERO or (user.op == "divide" and user.operands[1] is root and user.operands[0] is not root)
        for user in root.users
    )


def _hides_an_overflow(match: Match, facts: Facts) -> bool:
    """Whether a repair puts 0 in the place of a quotient whose divisor is too small for its type."""
    repaired = match.pattern.repaired
    if match.root.op != "divide" or not isinstance(repaired, Node) or repaired.op != "divide_no_nan":
        return False
    return facts.range(match.root.operands[1]).saturated


def _in_place(match: Match, flow: Flow) -> tuple[list[Edit], str] | None:
    """The edits of the operands alone in which a repair differs; None where it is another expression altogether."""
    wanted = departures(match.pattern)
    if not wanted or not isinstance(match.root.origin.expr, cst.BaseExpression):
        return None
    edits: list[Edit] = []
    inside: list[Edit] = []
    definitions: list[str] = []
    for departure in wanted:
        place = place_of(match, departure, flow)
        if place is None:
            return None
        origin, expr = place
        printer, edit = _replacement(match, origin, expr, departure)
        edits += [*printer.edits, edit]
        definitions += printer.definitions
        inside.append(edit)
    file: SourceFile = match.root.origin.file
    message = _message(with_edits(file, file.layout.spans[match.root.origin.expr], inside), definitions)
    if len(edits) == 1:
        edits = [_laid_out(file, edits[0], expr)]
    return edits, message


def _replacement(match: Match, origin: Origin, expr: Any, departure: Departure | None) -> tuple[Printer, Edit]:
    """The edit that puts what the repair has there in the place of an expression."""
    printer = Printer(match, origin, expr, departure)
    text, binds = printer.printed()
    file, span = origin.file, origin.file.layout.spans[expr]
    lost = lost_comments(text_of(file, span), text)
    if lost:
        printer.edits.append(comments_above(file, expr, lost))
    if isinstance(expr, cst.AugAssign):
        text = f"{text_of(file, file.layout.spans[expr.target])} = {text}"
    elif text.startswith("-") and binds == UNARY and (turned := negated(file, expr)) is not None:
        printer.edits.append(turned)
        text = text[1:]
    elif not _stands_safely(file, expr, binds):
        text = f"({text})"
    return printer, Edit(file.path, *span, fitted(file, span, text))


def _laid_out(file: SourceFile, edit: Edit, expr: Any) -> Edit:
    """An edit, or where it leaves a line that is too long, one of the widest expression around it on its lines."""
    broken = edit.line == edit.end_line and "\n" in edit.text
    if not broken and not is_too_long(file, edit):
        return edit
    best, parent = edit, file.layout.parents.get(expr)
    while parent is not None and not isinstance(parent, cst.BaseSmallStatement):
        span = file.layout.spans.get(parent)
        if span is None or (span[0], span[2]) != (edit.line, edit.end_line):
            break
        inside = span[:2] <= (edit.line, edit.column) and (edit.end_line, edit.end_column) <= span[2:]
        if isinstance(parent, cst.BaseExpression) and inside and "#" not in text_of(file, span):
            wide = Edit(file.path, *span, fitted(file, span, with_edits(file, span, [edit]), _place(file, parent)))
            best = best if is_too_long(file, wide) else wide
        parent = file.layout.parents.get(parent)
    return best


def _place(file: SourceFile, expr: Any) -> str:
    """Where an expression stands: alone behind an assignment or `return`, as an argument of a call, or elsewhere."""
    above = file.layout.parents.get(expr)
    if isinstance(above, (cst.Assign, cst.AnnAssign, cst.AugAssign, cst.Return)):
        return "alone"
    return "argument" if isinstance(above, cst.Arg) and above.keyword is None and not above.star else ""


def _as_one(file: SourceFile, edits: list[Edit]) -> Edit:
    """One edit that does what several do to a stretch of code."""
    if len(edits) == 1:
        return edits[0]
    first, last = min(edits, key=lambda e: (e.line, e.column)), max(edits, key=lambda e: (e.end_line, e.end_column))
    span = (first.line, first.column, last.end_line, last.end_column)
    return Edit(file.path, *span, with_edits(file, span, edits))


def _as_a_whole(match: Match) -> tuple[list[Edit], str]:
    """The edits that replace the matched expression by the repair."""
    origin: Origin = match.root.origin
    expr = origin.expr
    augmented = isinstance(expr, cst.AugAssign) and isinstance(expr.target, cst.Name)
    if not isinstance(expr, cst.BaseExpression) and not augmented:
        raise NoFix("it is not written as one expression")
    _same_activation(match, origin)
    printer, edit = _replacement(match, origin, expr, None)
    if text_of(origin.file, origin.file.layout.spans[expr]) == edit.text:
        return [], ""
    message = _message(edit.text, printer.definitions)
    others = [*printer.edits, *_unused(match, origin, printer, edit.text)]
    near = [e for e in others if e.line == e.end_line == edit.line and e.column < e.end_column]
    if not augmented:
        edit = _laid_out(origin.file, _as_one(origin.file, [*near, edit]), expr)
        others = [other for other in others if other not in near]
    return [*others, edit], message


def _message(text: str, definitions: list[str]) -> str:
    text = flat(text) or text
    return f"{text}, with {', '.join(definitions)}" if definitions else text


def _unused(match: Match, origin: Origin, printer: Printer, text: str) -> list[Edit]:
    """The edits that drop matched statements whose name nothing reads any more."""
    dropped = []
    for node in match.matched:
        where: Origin = node.origin
        statement = hoist.statement_of(where.file, where.expr)
        if (
            node is match.root
            or statement is None
            or statement in printer.replaced
            or hoist.is_within(where.file.layout, where.expr, origin.expr)
        ):
            continue
        name = hoist.assigned_name(statement, where.expr)
        if name is not None and re.search(rf"\b{name}\b", text):
            continue  # the repair takes what it holds
        if name is not None and hoist.read_only_within(origin.scope, name, [origin.expr]):
            edit = hoist.remove_statement(where.file, statement)
            if edit is not None and not any(_touch(edit, other) for other in printer.edits):
                dropped.append(edit)
    return dropped


def _touch(a: Edit, b: Edit) -> bool:
    return (a.line, a.column) <= (b.end_line, b.end_column) and (b.line, b.column) <= (a.end_line, a.end_column)


def _same_activation(match: Match, origin: Origin) -> None:
    """The matched code has to stand in one function, and be evaluated once."""
    for node in match.matched:
        where: Origin = node.origin
        if where.scope is not origin.scope or where.file is not origin.file:
            raise NoFix("its parts are in different functions")
        if where.loop != origin.loop:
            raise NoFix("evaluation would move into a loop")


def _stands_safely(file: SourceFile, expr: Any, binds: int) -> bool:
    """Whether text that binds so tightly can replace an expression without parentheses."""
    if binds == ATOM or getattr(expr, "lpar", False):
        return True
    parent = file.layout.parents.get(expr)
    if isinstance(parent, cst.Arg) and not parent.star:
        return True
    if isinstance(
        parent, (cst.BaseSmallStatement, cst.Element, cst.Index, cst.Annotation, cst.NamedExpr, cst.DictElement)
    ):
        return True
    if isinstance(parent, cst.BinaryOperation) and parent.left is expr and not isinstance(parent.operator, cst.Power):
        return binding_of(expr) <= binds or binds == UNARY
    operator = isinstance(parent, (cst.BinaryOperation, cst.UnaryOperation))
    return operator and binding_of(expr) <= binds and binds > UNARY
