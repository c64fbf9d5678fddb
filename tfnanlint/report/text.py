"""The report for people: each finding with its code, the evidence under it, how it got there, and the repair."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import replace

from tfnanlint.finding import Finding, Step
from tfnanlint.report import Report

BOLD, RED, YELLOW, BLUE, GREEN, DIM = "1", "1;31", "1;33", "1;34", "32", "2"
_SEVERITY_COLORS = {"error": RED, "warning": YELLOW, "info": BLUE}

_GUTTER = 5
_TAB = 4
_WIDTH = 160
_ALL_LINES = 5
_CALLEE = re.compile(r"[^\W\d]\w*(?:\s*\.\s*[^\W\d]\w*)*(?=\s*\()")
_NAME = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*")


def render(report: Report) -> Iterator[str]:
    """All findings, with an empty line between two."""
    for number, finding in enumerate(report.findings):
        yield "\n" if number else ""
        yield "".join(line + "\n" for line in _Text(report, finding).lines())


def plain_lines(report: Report, finding: Finding) -> Iterator[str]:
    """One finding as it is told in a text without colour."""
    return _Text(replace(report, color=False, width=None), finding).lines()


def header(finding: Finding, color: bool) -> str:
    """Where, which rule, and what it says."""
    cell = "" if finding.cell is None else f"cell {finding.cell}:"
    place = f"{printable(finding.path)}:{cell}{finding.line}:{finding.column}"
    if not finding.has_source:
        place = f"{printable(finding.path)}: node {printable(finding.node or '')}:"
    rule = paint(finding.rule, _SEVERITY_COLORS.get(finding.severity, BOLD), color)
    return f"{paint(place, BOLD, color)} {rule}: {printable(finding.message)}"


def paint(text: str, code: str, color: bool) -> str:
    """The text in a colour of the terminal."""
    return f"\x1b[{code}m{text}\x1b[0m" if color and text else text


def printable(text: str) -> str:
    """The text without characters that a terminal would obey."""
    return "".join(c if c == "\t" or unicodedata.category(c) != "Cc" else " " for c in text)


def callee_width(code: str) -> int:
    """How much of an expression names what it calls: `tf.sqrt` of `tf.sqrt(x)`; all of it where nothing is called."""
    found = _CALLEE.match(code)
    return found.end() if found else len(code)


class _Text:
    """One finding as lines of text."""

    def __init__(self, report: Report, finding: Finding) -> None:
        self._report, self._finding, self._color = report, finding, report.color

    def lines(self) -> Iterator[str]:
        finding = self._finding
        yield header(finding, self._color)
        yield from self._code()
        yield from self._trail()
        if finding.fix:
            label = f"fix ({finding.fix.kind}): "
            first, *more = finding.fix.message.splitlines() or [""]
            yield f"   {paint(label, GREEN, self._color)}{printable(first)}"
            yield from (f"   {' ' * _TAB}{printable(line)}" for line in more)
        elif finding.no_fix:
            yield f"   {paint('no fix: ', DIM, self._color)}{printable(finding.no_fix)}"

    def _code(self) -> Iterator[str]:
        """The lines of the finding; the first with the evidence under what is called."""
        finding = self._finding
        first = self._report.line(finding.path, finding.line, finding.cell) if finding.has_source else None
        evidence = printable(" ".join(finding.evidence.split()))
        if first is None:
            if evidence:
                yield f"   {evidence}"
            return
        end = finding.end_column - 1 if finding.end_line == finding.line else len(first.rstrip())
        start = finding.column - 1
        width = callee_width(first[start:end])
        color = _SEVERITY_COLORS.get(finding.severity, BOLD)
        yield from self._marked(first, finding.line, start, width, evidence, color)
        rest = range(finding.line + 1, finding.end_line + 1)
        skipped = len(rest) - _ALL_LINES
        for number in rest:
            if skipped > 0 and number == finding.line + 3:
                yield f"{'...':>{_GUTTER}} {paint('|', DIM, self._color)}"
            if skipped <= 0 or number < finding.line + 3 or number == finding.end_line:
                yield self._row(number, _window(self._report.line(finding.path, number, finding.cell) or "", 0)[0])

    def _trail(self) -> Iterator[str]:
        """The steps from cause to symptom, each with its line of code."""
        finding = self._finding
        if not finding.trail:
            return
        yield "   trail:"
        path, line = finding.path, 0
        for step in finding.trail:
            if step.path != path:
                path, line = step.path, 0
                yield f"   {printable(path)}:"
            yield from self._step(step, step.line != line)
            line = step.line

    def _step(self, step: Step, with_code: bool) -> Iterator[str]:
        code = self._report.line(step.path, step.line, step.cell)
        note = printable(" ".join(step.note.split()))
        if code is None:
            yield f"{step.line:>{_GUTTER}} {paint('|', DIM, self._color)} {note}"
            return
        start = step.column - 1
        found = _CALLEE.match(code, start) or _NAME.match(code, start)
        width = found.end() - start if found else 1
        rows = list(self._marked(code, step.line, start, width, note, BLUE))
        yield from rows if with_code else rows[1:]

    def _marked(self, code: str, number: int, start: int, width: int, note: str, color: str) -> Iterator[str]:
        """A line of code, and under it a mark with a note."""
        shown, start = _window(code, start)
        width = min(width, max(len(shown) - start, 1))
        indent = _columns(shown[:start])
        mark = "^" * max(_columns(shown[start : start + width]), 1)
        yield self._row(number, shown)
        bar = paint("|", DIM, self._color)
        yield f"{'':>{_GUTTER}} {bar} {' ' * indent}{paint(f'{mark} {note}'.rstrip(), color, self._color)}"

    def _row(self, number: int, code: str) -> str:
        label = paint(f"{number:>{_GUTTER}} |", DIM, self._color)
        return f"{label} {printable(code.expandtabs(_TAB)).rstrip()}".rstrip()


def _window(code: str, start: int) -> tuple[str, int]:
    """As much of a very long line as fits around a position, and that position in it."""
    if len(code) <= _WIDTH:
        return code, start
    left = max(min(start - _WIDTH // 3, len(code) - _WIDTH), 0)
    shown = ("..." if left else "") + code[left : left + _WIDTH] + ("..." if left + _WIDTH < len(code) else "")
    return shown, start - left + (3 if left else 0)


def _columns(text: str) -> int:
    """How many columns of a terminal a text takes."""
    text = text.expandtabs(_TAB)
    if text.isascii():
        return len(text)
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else not unicodedata.combining(c) for c in text)
