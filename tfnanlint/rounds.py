"""The fix loop of one text: lint, apply the repairs that go together, see that it compiles, until nothing changes.

Nothing is better than something wrong: a repair that breaks the text is left out, and a text on which the repairs do
not come to rest is given back as it was.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from tfnanlint.edits import apply_edits, choose_fixes, split_lines, unique_edits
from tfnanlint.errors import SourceError
from tfnanlint.finding import Finding

MAX_ROUNDS = 100


@dataclass(frozen=True)
class Problem:
    """What went wrong with one file: a position (0 for none), a sentence, and the traceback of an internal error.

    In a notebook `line` counts from the first of its `cell`.
    """

    path: str
    line: int
    column: int
    message: str
    traceback: str = ""
    cell: int | None = None

    def __str__(self) -> str:
        cell = "" if self.cell is None else f"cell {self.cell}:"
        place = f":{cell}{self.line}:{self.column}" if self.line else ""
        return f"{self.path}{place}: {self.message}"


@dataclass
class Linted:
    """The outcome of linting one text."""

    findings: list[Finding] = field(default_factory=list)
    silenced: list[Finding] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


@dataclass
class Fixed(Linted):
    """The text after all repairs, what is left in it, and what was repaired on the way."""

    text: str = ""
    fixed: list[Finding] = field(default_factory=list)


def fix_text(text: str, path: str, lint: Callable[[str], Linted], unsafe: bool = False) -> Fixed:
    """Repair a text until nothing changes; `SourceError` if it is not Python to begin with."""
    first = now = lint(text)
    start, seen = text, {text}
    fixed: list[Finding] = []
    refused: set[tuple[str, str, str]] = set()
    problems: list[Problem] = []
    for _ in range(MAX_ROUNDS):
        wanted = [found for found in now.findings if found.fix and (found.fix.safe or unsafe)]
        if refused:
            wanted = [found for found in wanted if _key(found, text) not in refused]
        chosen = choose_fixes(text, path, wanted)
        if not chosen:
            return Fixed(now.findings, now.silenced, now.problems + problems, text, fixed)
        good = _those_that_compile(text, path, chosen)
        for found in chosen:
            if found not in good:
                refused.add(_key(found, text))
                problems.append(_problem(found, "its repair does not compile and was not applied"))
        fixed += good
        text = apply_edits(text, unique_edits(good))
        if not good:
            continue
        if text in seen:
            break
        seen.add(text)
        try:
            now = lint(text)
        except SourceError as error:
            what = f"the repaired file cannot be read ({error.reason}); nothing was changed"
            problems.append(_problem(good[0], what))
            return Fixed(first.findings, first.silenced, first.problems + problems, start)
    rules = ", ".join(sorted({found.rule for found in chosen}))
    what = f"internal error: the repairs of {rules} do not come to rest; nothing was changed"
    problems.append(Problem(path, 0, 0, what))
    return Fixed(first.findings, first.silenced, first.problems + problems, start)


def _key(found: Finding, text: str) -> tuple[str, str, str]:
    """What stays the same of a finding when lines above it move."""
    line = split_lines(text)[found.line - 1 : found.line]
    return found.rule, "".join(line).strip(), found.fix.message if found.fix else ""


def _problem(found: Finding, what: str) -> Problem:
    return Problem(found.path, found.line, found.column, f"internal error in rule {found.rule}: {what}")


def _those_that_compile(text: str, path: str, chosen: Sequence[Finding]) -> list[Finding]:
    """All chosen findings if the text compiles with their repairs, else those whose repairs do one after the other."""
    compiles = _compiler(text, path)
    if compiles(apply_edits(text, unique_edits(chosen))):
        return list(chosen)
    good: list[Finding] = []
    for found in chosen:
        if compiles(apply_edits(text, unique_edits([*good, found]))):
            good.append(found)
    return good


def _compiler(original: str, path: str) -> Callable[[str], bool]:
    """A test that a text compiles as far as the original does: some files parse and yet are no whole program."""
    flags = 0 if _compiles(original, path, 0) else ast.PyCF_ONLY_AST
    return lambda text: _compiles(text, path, flags)


def _compiles(text: str, path: str, flags: int) -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            compile(text, path, "exec", flags, dont_inherit=True)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return False
    return True
