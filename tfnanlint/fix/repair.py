"""From a match to the smallest set of edits that makes the repair, in the style of the code.

If anything prevents it (a name with a new value, an argument or comment that would be lost, an op that this file cannot
name), there is no fix, and the report gives the reason.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import libcst as cst

from tfnanlint.facts import Facts
from tfnanlint.finding import Edit, Fix
from tfnanlint.fix import hoist
from tfnanlint.fix.activation import activation_of, reactivated
from tfnanlint.fix.apply_to_flow import Spot
from tfnanlint.fix.changes import forbid_rebound
from tfnanlint.fix.comments import comments_above, lost_comments
from tfnanlint.fix.definition import at_definition
from tfnanlint.fix.departure import Departure, departures, place_of
from tfnanlint.fix.dialect import NoFix
from tfnanlint.fix.discarded import assigned_back
from tfnanlint.fix.integers import forbid_ops_of_numbers, of_whole_numbers
from tfnanlint.fix.printer import Printer
from tfnanlint.fix.reconfigure import is_own_call, note_on_metrics, reconfigured
from tfnanlint.fix.relocate import is_relocation, relocated
from tfnanlint.fix.settled import forbid_lost_names, forbid_unsettled
from tfnanlint.fix.shared_code import forbid_a_dead_check, forbid_for_one_caller, forbid_for_other_types
from tfnanlint.fix.sign import negated
from tfnanlint.fix.substitute import (
    STOPPED,
    forbid_a_difference_of_infinities,
    forbid_a_wrong_answer,
    meant,
    stops_gradient,
)
from tfnanlint.fix.text import ATOM, LOWEST, UNARY, apart, binding_of, indent_of, text_of, with_edits
from tfnanlint.fix.wrap import LONGEST_TEXT, aligned_terms, fitted, flat, is_too_long, one_a_line
from tfnanlint.flow import Flow
from tfnanlint.match.captures import Match
from tfnanlint.source.libraries import LIBRARY
from tfnanlint.source.positions import Span
from tfnanlint.source.source_file import SourceFile
from tfnanlint.source.values import Origin

__all__ = ["NoFix", "fix_of"]

MOST_AROUND = 8
"""The most enclosing expressions that are tried for a new layout where an edit makes a line too long."""


LONGEST_INSTEAD = 100
"""The longest code, in characters, that a reason against a fix shows."""
Made = tuple[Fix, list[Spot]]
"""A fix, and what it changes in the flow; an empty list if that is unknown."""


def fix_of(match: Match, facts: Facts) -> Made:
    """The fix of a match in the source code that its facts are about; raises `NoFix`."""
    fix, spots = _fix_of(match, facts)
    forbid_unsettled(match, fix.edits, in_words=bool(spots))
    if spots:
        forbid_lost_names(match)
    fix = replace(fix, edits=apart(match.root.origin.file, fix.edits))
    if fix.kind != "after" and (infinity := meant(match, facts)):
        text = " ".join(fix.message.split())
        instead = f". If not: `{text}`" if len(text) <= LONGEST_INSTEAD else "; if not, bound its argument"
        raise NoFix(f"the function returns this value directly, and {infinity} may be intended{instead}")
    if fix.kind == "guard" and stops_gradient(match):
        return replace(fix, note=STOPPED), spots
    return replace(fix, note=note_on_metrics(match, fix.message)), spots


def _fix_of(match: Match, facts: Facts) -> Made:
    repair, flow = match.pattern.repair, facts.flow
    if match.pattern.of_statement:
        return assigned_back(match), []
    if repair is None:
        options = f"`tfnanlint rule {match.rule.name}` lists the options"
        raise NoFix(f"no single change is right for every program; {options}")
    if any(LIBRARY in node.attrs for node in match.matched):
        raise NoFix("this is NumPy code; fixes are for TensorFlow only")
    if match.branches:
        raise NoFix("an `if` computes part of the expression; the fix would be wrong when its condition is false")
    if match.other_dtype is not None and "complex" in match.other_dtype:
        raise NoFix(f"the fix is for {' and '.join(match.rule.dtypes)}, and this is {match.other_dtype}")
    forbid_rebound(match)
    if repair.kind != "after":
        forbid_a_wrong_answer(match, facts)
    counts = any("count" in condition.kinds for condition in match.pattern.preconditions.values())
    if (repair.kind == "rework" and match.failure is None) or (repair.kind == "guard" and counts):
        forbid_for_one_caller(match, facts)
    if repair.kind == "after":
        forbid_a_difference_of_infinities(match)
    if repair.kind == "guard":
        forbid_for_other_types(match, facts)
        forbid_a_dead_check(match)
    match = of_whole_numbers(match)
    forbid_ops_of_numbers(match, facts)
    if is_relocation(match):
        edits, message = relocated(match)
        return Fix(repair.kind, message, tuple(edits)), []
    activation = activation_of(match)
    if activation is not None:
        edits, message = reactivated(activation, match, flow)
        return Fix(repair.kind, message, tuple(edits)), []
    if not is_own_call(match.root.origin):
        edits, message = reconfigured(match)
        return Fix(repair.kind, message, tuple(edits)), []
    try:
        found = _in_place(match, flow)
    except NoFix:
        found = None
    edits, message, spots = found or (*_as_a_whole(match), [Spot()])
    if len(edits) == 0:
        raise NoFix("the code already has the fixed form")
    return Fix(repair.kind, message, tuple(sorted(set(edits), key=lambda e: (e.line, e.column, e.text)))), spots


def _in_place(match: Match, flow: Flow) -> tuple[list[Edit], str, list[Spot]] | None:
    """The edits of the operands alone in which a repair differs; None where it is another expression altogether."""
    wanted = departures(match.pattern)
    if not wanted or not isinstance(match.root.origin.expr, cst.BaseExpression):
        return None
    edits: list[Edit] = []
    inside: list[Edit] = []
    definitions: list[str] = []
    printers: list[Printer] = []
    spots: list[Spot] = []
    for departure in wanted:
        place = place_of(match, departure, flow)
        if place is None:
            return None
        defined = at_definition(match, departure, flow)
        origin, expr = place if defined is None else (defined.origin, defined.origin.expr)
        spots.append(Spot(departure, defined))
        printer, edit = _replacement(match, origin, expr, departure)
        edits += [*printer.edits, edit]
        printers.append(printer)
        definitions += printer.operands.definitions
        inside.append(edit)
    file: SourceFile = match.root.origin.file
    span = file.layout.spans[match.root.origin.expr]
    whole = with_edits(file, span, inside)
    if len(inside) == 1:
        laid = _laid_out(file, inside[0], expr)
        if not any(_touch(laid, other) for other in edits if other is not inside[0]):
            edits = [laid if edit is inside[0] else edit for edit in edits]
    left = whole if all(_lies_in(edit, span) for edit in inside) else text_of(file, span)
    unused = _unused(match, match.root.origin, printers, left, edits)
    return [*edits, *unused], _message(whole, definitions), spots


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
    elif _is_factor(file, expr) and re.fullmatch(r"-[\d.e+-]+", text):
        pass  # a number keeps its sign: `mask * -1e9`
    elif text.startswith("-") and binds == UNARY and (turned := negated(file, expr)) is not None:
        printer.edits.append(turned)
        text = text[1:]
    elif not _stands_safely(file, expr, binds):
        text = f"({text})"
    elif binds == ATOM:
        span = _with_parentheses(file, expr, span)
    return printer, Edit(file.path, *span, fitted(file, span, text))


def _with_parentheses(file: SourceFile, expr: Any, span: Span) -> Span:
    """The span of an expression with the pair of parentheses that held its lines together and is of no more use."""
    if len(getattr(expr, "lpar", ())) != 1 or isinstance(file.layout.parents.get(expr), cst.Attribute):
        return span
    line, column, end_line, end_column = span
    while line > 1 and not file.lines[line - 1][: column - 1].strip():
        line -= 1
        column = len(file.lines[line - 1].rstrip()) + 1
    while end_line < len(file.lines) and not file.lines[end_line - 1][end_column - 1 :].strip():
        end_line += 1
        end_column = len(indent_of(file.lines[end_line - 1])) + 1
    before, after = file.lines[line - 1][: column - 1], file.lines[end_line - 1][end_column - 1 :]
    if before.endswith("(") and after.startswith(")"):
        return line, column - 1, end_line, end_column + 1
    return span


def _is_factor(file: SourceFile, expr: Any) -> bool:
    """Whether an expression is the right factor of a product or the divisor of a quotient."""
    above = file.layout.parents.get(expr)
    return (
        isinstance(above, cst.BinaryOperation)
        and above.right is expr
        and isinstance(above.operator, (cst.Multiply, cst.Divide))
    )


def _laid_out(file: SourceFile, edit: Edit, expr: Any) -> Edit:
    """An edit, or where it leaves a line that is too long, one of the widest expression around it on its lines."""
    broken = edit.line == edit.end_line and "\n" in edit.text
    if len(file.lines[edit.line - 1]) > LONGEST_TEXT or not (broken or is_too_long(file, edit)):
        return edit
    around: list[tuple[Any, Span]] = []
    parent = file.layout.parents.get(expr)
    while parent is not None and not isinstance(parent, cst.BaseSmallStatement):
        span = file.layout.spans.get(parent)
        if span is None or (span[0], span[2]) != (edit.line, edit.end_line):
            break
        inside = span[:2] <= (edit.line, edit.column) and (edit.end_line, edit.end_column) <= span[2:]
        if isinstance(parent, cst.BaseExpression) and inside and "#" not in text_of(file, span):
            around.append((parent, span))
        parent = file.layout.parents.get(parent)
    listed = _one_a_line(file, edit, expr) or _aligned(file, edit, expr)
    if listed is not None:
        return listed
    for parent, place in reversed(around[-MOST_AROUND:]):
        text = fitted(file, place, with_edits(file, place, [edit]), _place(file, parent))
        line, column, end_line, end_column = place
        wide = Edit(file.path, line, column, end_line, end_column, text)
        if not is_too_long(file, wide):
            return wide
    return edit


def _one_a_line(file: SourceFile, edit: Edit, expr: Any) -> Edit | None:
    """An edit of one of several arguments on a line, with each of them on a line of its own."""
    parents, spans = file.layout.parents, file.layout.spans
    arg = parents.get(expr) if not isinstance(expr, cst.Arg) else expr
    while arg is not None and not isinstance(arg, cst.BaseSmallStatement):
        call = parents.get(arg)
        held = [spans[other] for other in getattr(call, "args", ()) if spans[other][0] == edit.line]
        start, end = (held[0][1], held[-1][3]) if held and isinstance(arg, cst.Arg) else (0, 0)
        alone = len(held) > 1 and not file.lines[edit.line - 1][: start - 1].strip()
        if alone and all(span[2] == edit.line for span in held) and start <= edit.column <= edit.end_column <= end:
            parts = [with_edits(file, span, [edit]) if span == spans[arg] else text_of(file, span) for span in held]
            whole = (edit.line, start, edit.line, end)
            text = one_a_line(file, whole, parts)
            return Edit(file.path, *whole, text) if text is not None else None
        arg = call
    return None


def _aligned(file: SourceFile, edit: Edit, expr: Any) -> Edit | None:
    """An edit of an argument that the next one is aligned with, with a term on each line, aligned as well."""
    parents, spans = file.layout.parents, file.layout.spans
    arg = parents.get(expr)
    while arg is not None and not isinstance(arg, cst.BaseSmallStatement):
        line, column, end_line, _ = span = spans[arg] if isinstance(arg, cst.Arg) else (0, 0, 0, 0)
        following = file.lines[line] if 0 < line < len(file.lines) else ""
        if line == end_line == edit.line and column > 1 and following.find(following.strip()) == column - 1:
            inside = span[:2] <= (edit.line, edit.column) and (edit.end_line, edit.end_column) <= span[2:]
            text = aligned_terms(file, span, with_edits(file, span, [edit])) if inside else None
            return Edit(file.path, *span, text) if text is not None else None
        arg = parents.get(arg)
    return None


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
        raise NoFix("the code to change is not a single expression")
    _same_activation(match, origin)
    printer, edit = _replacement(match, origin, expr, None)
    if text_of(origin.file, origin.file.layout.spans[expr]) == edit.text:
        return [], ""
    message = _message(edit.text, printer.operands.definitions)
    others = [*printer.edits, *_unused(match, origin, [printer], edit.text, printer.edits)]
    near = [e for e in others if e.line == e.end_line == edit.line and e.column < e.end_column]
    if not augmented:
        edit = _laid_out(origin.file, _as_one(origin.file, [*near, edit]), expr)
        others = [other for other in others if other not in near]
    return [*others, edit], message


def _message(text: str, definitions: list[str]) -> str:
    text = flat(text) or text
    return f"{text}, with {', '.join(definitions)}" if definitions else text


def _unused(match: Match, origin: Origin, printers: Sequence[Printer], text: str, edits: Sequence[Edit]) -> list[Edit]:
    """The edits that remove matched statements whose name nothing reads after the fix."""
    dropped = []
    file = origin.file
    text = " ".join([text, *(edit.text for edit in edits)])
    replaced = {statement for printer in printers for statement in printer.operands.replaced}
    gone = {name for printer in printers for name in printer.operands.gone}
    for statement, name in hoist.dispensable(match.matched, origin).items():  # what stands last comes first
        if statement in replaced:
            if name in gone and _reads(text, name):
                raise NoFix(f"`{name}` is still used")
            continue
        edit = hoist.remove_statement(file, statement)
        free = edit is not None and not any(_touch(edit, other) for other in edits)
        if edit is not None and free and not _reads(text, name):
            dropped.append(edit)
        else:
            text += text_of(file, file.layout.spans[statement.body[0]])
    return dropped


def _reads(text: str, name: str) -> bool:
    """Whether code contains a name as a variable, and not only as an attribute."""
    return re.search(rf"(?<![\w.]){name}\b", text) is not None


def _lies_in(edit: Edit, span: Span) -> bool:
    line, column, end_line, end_column = span
    return (line, column) <= (edit.line, edit.column) and (edit.end_line, edit.end_column) <= (end_line, end_column)


def _touch(a: Edit, b: Edit) -> bool:
    return (a.line, a.column) <= (b.end_line, b.end_column) and (b.line, b.column) <= (a.end_line, a.end_column)


def _same_activation(match: Match, origin: Origin) -> None:
    """The matched code has to stand in one function, and be evaluated once."""
    for node in match.matched:
        where: Origin = node.origin
        if where.scope is not origin.scope or where.file is not origin.file:
            raise NoFix("the code to change spans several functions")
        if where.loop != origin.loop:
            raise NoFix("the fix would move a computation into a loop")


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
    if isinstance(parent, cst.BinaryOperation) and not isinstance(parent.operator, cst.Power):
        around = binding_of(parent)
        if parent.left is expr:
            return binding_of(expr) <= binds or (around != LOWEST and around <= binds)
        return binds != UNARY and (binding_of(expr) <= binds or LOWEST != around < binds)
    operator = isinstance(parent, (cst.BinaryOperation, cst.UnaryOperation))
    return operator and binding_of(expr) <= binds and binds > UNARY
