"""The report for people: each finding with its code, the evidence under it, how it got there, and the repair."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby

from tfnanlint.finding import Finding, Fix, Step
from tfnanlint.report import Report
from tfnanlint.report.changes import changes
from tfnanlint.report.proof import told
from tfnanlint.report.terminal import (
    BOLD,
    CYAN,
    DIM,
    GREEN,
    RED,
    REMOVED,
    YELLOW,
    balanced,
    columns,
    expanded,
    folded,
    paint,
    printable,
    printable_line,
    printable_path,
    window,
    wrapped,
)

_SEVERITY_COLORS = {"error": RED, "warning": YELLOW, "info": CYAN}

_GUTTER = 5
_ROOM = 160
"""How many columns of a line of code are shown where there is no terminal."""
_LEAST_ROOM = 40
_INDENT = 4
_ALL_LINES = 5
_CHANGED_LINES = 12
_CALLEE = re.compile(r"[^\W\d]\w*(?:\s*\.\s*[^\W\d]\w*)*(?=\s*\()")
_BRACKET_OR_STRING = re.compile(r"""[][(){}]|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'""")
_NAME = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*")


def render(report: Report) -> Iterator[str]:
    """All findings, with an empty line between two."""
    for number, finding in enumerate(report.findings):
        yield "\n" if number else ""
        yield "".join(line + "\n" for line in _Text(report, finding, report.color, report.width).lines())


def plain_lines(report: Report, finding: Finding) -> Iterator[str]:
    """One finding as it is told in a text without colour."""
    return _Text(report, finding).lines()


def header(finding: Finding, color: bool) -> str:
    """Where, which rule, and what it says."""
    return f"{_place(finding, color)} {printable(finding.message)}"


def _place(finding: Finding, color: bool) -> str:
    """Where, how grave, how certain, and which rule."""
    cell = "" if finding.cell is None else f"cell {finding.cell}:"
    place = f"{printable_path(finding.path)}:{cell}{finding.line}:{finding.column}"
    if not finding.has_source:
        place = f"{printable_path(finding.path)}: node {printable(finding.node or '')}"
    tone = _SEVERITY_COLORS.get(finding.severity, BOLD)
    code = f"{finding.code} " if finding.code else ""
    rule = f"{paint(finding.severity, tone, color)} ({finding.certainty}) {code}{paint(finding.rule, tone, color)}"
    return f"{paint(f'{place}:', BOLD, color)} {rule}:"


def callee_width(code: str) -> int:
    """The width of the callee in an expression: `tf.sqrt` of `tf.sqrt(x)`; the whole expression if it is not a call."""
    found = _CALLEE.match(code)
    return found.end() if found and not _goes_on(code, found.end()) else len(code)


def _goes_on(code: str, opening: int) -> bool:
    """Whether more follows the call whose arguments begin here, as in `f(x) / g(x)`; it may end on a later line."""
    depth = 0
    for found in _BRACKET_OR_STRING.finditer(code, opening):
        depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(found.group(), 0)
        if depth == 0:
            return bool(code[found.end() :].strip())
    return False


class _Text:
    """One finding as lines of text."""

    def __init__(self, report: Report, finding: Finding, color: bool = False, width: int | None = None) -> None:
        self._report, self._finding, self._color, self._width = report, finding, color, width
        self._room = max((width or _ROOM + _GUTTER + 3) - _GUTTER - 3, _LEAST_ROOM)
        self._bar = paint("|", DIM, self._color)

    def lines(self) -> Iterator[str]:
        yield from map(printable_line, self._lines())

    def _lines(self) -> Iterator[str]:
        yield from self._header()
        inside, outside = self._steps()
        yield from self._code(inside)
        yield from self._run()
        yield from self._trail(outside)
        yield from self._proof()
        yield from self._repair()

    def _header(self) -> Iterator[str]:
        """The line that opens a finding; its message goes on below it where the terminal ends."""
        place, message = _place(self._finding, self._color), printable(self._finding.message)
        used = columns(_place(self._finding, False)) + 1
        width = self._width
        if not width or used + columns(message) <= width:
            yield f"{place} {message}"
            return
        first = next(wrapped(message, max(width - used, 1)))
        if used + columns(first) > width:
            first = ""
        yield f"{place} {first}".rstrip()
        rest = message.removeprefix(first)
        yield from (f"{' ' * _INDENT}{line}" for line in wrapped(rest, width - _INDENT))

    def _run(self) -> Iterator[str]:
        """The run that failed: the situation, the small inputs, and the numbers on the way."""
        trial = self._finding.trial
        if trial is not None:
            yield f"   {paint('run: ', DIM, self._color)}{printable(trial['description'])}"
            for line in wrapped(printable(trial["run"]), self._room):
                yield f"   {' ' * _INDENT}{line}"

    def _proof(self) -> Iterator[str]:
        """What came of trying to show it on TensorFlow, and how to see it."""
        if self._finding.proof:
            status, said, code = told(self._finding.proof)
            yield f"   {paint(f'{status}: ', RED if code else DIM, self._color)}{printable(said)}"
            yield from (f"   {' ' * _INDENT}{printable(line)}" for line in code.splitlines())

    def _steps(self) -> tuple[list[Step], list[Step]]:
        """The steps that stand in the finding's own further lines, where those are all shown, and the others."""
        found = self._finding
        own = range(found.line + 1, found.end_line + 1) if found.end_line - found.line <= _ALL_LINES else range(0)
        inside = [step for step in found.trail if self._is_here(step) and step.line in own]
        outside = [step for step in found.trail if step not in inside]
        return inside, outside

    def _is_here(self, step: Step) -> bool:
        return (step.path, step.cell) == (self._finding.path, self._finding.cell)

    def _code(self, steps: Sequence[Step]) -> Iterator[str]:
        """The lines of the finding; the first with the evidence under what is called, others with their steps."""
        finding = self._finding
        first = self._report.line(finding.path, finding.line, finding.cell) if finding.has_source else None
        if first is None:
            yield from (f"   {line}" for line in wrapped(printable(finding.beside), self._room))
            return
        end = finding.end_column - 1 if finding.end_line == finding.line else len(first.rstrip())
        start = finding.column - 1
        color = _SEVERITY_COLORS.get(finding.severity, BOLD)
        yield from self._marked(first, finding.line, start, callee_width(first[start:end]), finding.beside, color)
        rest = range(finding.line + 1, finding.end_line + 1)
        skipped = len(rest) - _ALL_LINES
        for number in rest:
            here = [step for step in steps if step.line == number]
            if here:
                yield from self._at_line(here)
            elif skipped > 0 and number == finding.line + 3:
                yield f"{'...':>{_GUTTER}} {self._bar}"
            elif skipped <= 0 or number < finding.line + 3 or number == finding.end_line:
                code = self._report.line(finding.path, number, finding.cell) or ""
                yield self._row(number, window(expanded(code, 0)[0], 0, 0, self._room)[0])

    def _trail(self, steps: Sequence[Step]) -> Iterator[str]:
        """The steps from cause to symptom, those of a line under it, and the name of a file where it changes."""
        if steps:
            yield "   trail:"
        part = self._finding.path, self._finding.cell
        for (path, cell, _), group in groupby(steps, key=lambda step: (step.path, step.cell, step.line)):
            if (path, cell) != part:
                part = path, cell
                yield f"   {printable_path(path)}{'' if cell is None else f' cell {cell}'}:"
            yield from self._at_line(list(group))

    def _at_line(self, steps: Sequence[Step]) -> Iterator[str]:
        """A line of code, and under it the notes on its parts."""
        code = self._report.line(steps[0].path, steps[0].line, steps[0].cell)
        for number, step in enumerate(steps):
            if code is None:
                yield f"{step.line:>{_GUTTER}} {self._bar} {printable(step.note)}"
                continue
            start = step.column - 1
            found = _CALLEE.match(code, start) or _NAME.match(code, start)
            rows = self._marked(code, step.line, start, found.end() - start if found else 1, step.note, CYAN)
            if number:
                next(rows)
            yield from rows

    def _marked(self, code: str, number: int, start: int, width: int, note: str, color: str) -> Iterator[str]:
        """A line of code, and under it a mark with a note: beside the mark, or below it where the terminal ends."""
        end = expanded(code, start + width)[1]
        code, start = expanded(code, start)
        marked = code[start:end]
        shown, start = window(code, start, end, self._room)
        yield self._row(number, shown)
        indent = columns(shown[:start])
        mark = "^" * max(min(columns(marked), columns(shown) - indent), 1)
        note = " ".join(printable(note).split())
        if not self._width or indent + len(mark) + 1 + columns(note) <= self._room:
            yield self._under(indent, f"{mark} {note}".rstrip(), color)
            return
        yield self._under(indent, mark, color)
        lines = balanced(note, self._room - _INDENT)
        indent = min(indent, max(self._room - max(map(columns, lines), default=0), 0))
        yield from (self._under(indent, line, color) for line in lines)

    def _under(self, indent: int, text: str, color: str) -> str:
        return f"{'':>{_GUTTER}} {self._bar} {' ' * indent}{paint(text, color, self._color)}"

    def _row(self, number: int, code: str) -> str:
        label = paint(f"{number:>{_GUTTER}} |", DIM, self._color)
        return f"{label} {printable(code).rstrip()}".rstrip()

    def _repair(self) -> Iterator[str]:
        """The repair: one expression, or the lines it changes where there are several; or why there is none."""
        fix = self._finding.fix
        if fix is None:
            if self._finding.no_fix:
                yield f"   {paint('no fix: ', DIM, self._color)}{printable(self._finding.no_fix)}"
            return
        label = paint(f"fix ({self._report.fix_words(self._finding)}):", GREEN if fix.safe else YELLOW, self._color)
        changed = list(self._changed(fix)) if _spans_lines(fix) or self._elsewhere(fix) else []
        if changed:
            yield f"   {label}"
            yield from changed
        else:
            yield f"   {label} {' '.join(printable(line).strip() for line in fix.message.splitlines())}"
        if fix.note:
            yield f"   {paint('note: ', DIM, self._color)}{printable(fix.note)}"
        for other in self._report.rivals(self._finding):
            where = "" if other.line == self._finding.line else f" in line {other.line}"
            yield f"   apply either this fix or that of {other.rule}{where}: both change the same code"

    def _elsewhere(self, fix: Fix) -> bool:
        """Whether a repair changes anything beyond the expression of the finding, such as a sign in front of it."""
        found = self._finding
        start, end = (found.line, found.column), (found.end_line, found.end_column)
        return found.has_source and not all(
            (edit.path, edit.cell) == (found.path, found.cell)
            and start <= (edit.line, edit.column)
            and (edit.end_line, edit.end_column) <= end
            for edit in fix.edits
        )

    def _changed(self, fix: Fix) -> Iterator[str]:
        """The lines that a repair takes out and puts in."""
        for (path, cell), lines in changes(self._report, fix).items():
            if not self._is_here(Step(path, 0, 0, "", cell)):
                yield f"   {printable_path(path)}{'' if cell is None else f' cell {cell}'}:"
            for line in lines[:_CHANGED_LINES]:
                if not line.sign:
                    yield f"{'...':>{_GUTTER}}"
                    continue
                color = GREEN if line.sign == "+" else REMOVED
                number, sign = f"{line.number if line.sign == '-' else '':>{_GUTTER}}", line.sign
                for piece in folded(expanded(line.text, 0)[0], self._room):
                    text = paint(f"{sign} {piece}".rstrip(), color, self._color)
                    yield f"{paint(number, DIM, self._color)} {text}"
                    number, sign = " " * _GUTTER, " "
            if len(lines) > _CHANGED_LINES:
                yield f"{'...':>{_GUTTER}} and {len(lines) - _CHANGED_LINES} more lines"


def _spans_lines(fix: Fix) -> bool:
    """Whether a repair changes more than one line."""
    lines = {(edit.path, edit.cell, line) for edit in fix.edits for line in (edit.line, edit.end_line)}
    return len(lines) > 1 or "\n" in fix.message or any("\n" in edit.text.rstrip("\n") for edit in fix.edits)
