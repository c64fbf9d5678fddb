"""The fixes of one text in rounds: compatible fixes are applied together, if Python accepts the text.

A fix that breaks the text is left out. Each round must leave fewer findings to fix, or fewer lines that no fix has
changed. If several rounds in a row do not, the text is fixed again without the rules that took part in them.
"""

from __future__ import annotations

import ast
import symtable
import time
import warnings
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from tfnanlint.errors import SourceError
from tfnanlint.finding import Finding
from tfnanlint.limits import REPAIRING
from tfnanlint.run.edits import apply_edits, choose_fixes, split_lines, unique_edits
from tfnanlint.run.imports import without_unused
from tfnanlint.run.names import bound, undefined
from tfnanlint.run.problem import Problem

if TYPE_CHECKING:
    from tfnanlint.run.text import Linted

MOST_APART = 4
"""Rounds in which two fixes do not share a line; more are needed only by lines that nobody writes."""
PATIENCE = 3
"""Rounds that may come no nearer to an end: one repair may bring out what another has to do in the same line."""


class Repairs:
    """One text under repair: what it was, what it is now, what was repaired on the way and what went wrong."""

    def __init__(self, text: str, path: str, unsafe: bool = False) -> None:
        self.before = self.text = text
        self.fixed: list[Finding] = []
        self.problems: list[Problem] = []
        self._path, self._unsafe = path, unsafe
        self._refused: set[tuple[str, str, str]] = set()
        self._restless: set[str] = set()
        self._lines = Counter(split_lines(text))
        self._least: tuple[int, int] | None = None
        self._since: set[str] = set()
        self._idle = 0
        self._rounds = 0
        self._given_up = False

    def go_on(
        self, findings: Sequence[Finding], source_of: Mapping[Finding, str] | None = None, is_late: bool = False
    ) -> bool:
        """Apply what can be applied of the repairs of these findings; whether the text has changed.

        Findings through different files know nothing of each other's repairs: each file's have their own round. When
        it is late, only a first round is made.
        """
        if self._given_up:
            return False
        is_late &= self.text != self.before
        sources = source_of or {}
        wanted = [found for found in findings if found.fix and (found.fix.safe or self._unsafe)]
        wanted = [found for found in wanted if found.rule not in self._restless]
        if not is_late and self._is_restless(len(wanted)):
            return True
        for source in sorted({sources.get(found, self._path) for found in wanted}, key=lambda s: (s != self._path, s)):
            while True:
                own = [found for found in wanted if sources.get(found, self._path) == source]
                own = [found for found in own if not self._refused or _key(found, self.text) not in self._refused]
                chosen = choose_fixes(self.text, self._path, own, closely=self._rounds >= MOST_APART)
                if not chosen:
                    break
                good = _accepted(self.text, self._path, chosen)
                kept = set(good)
                for found in chosen:
                    if found not in kept:
                        self._refused.add(_key(found, self.text))
                        self.problems.append(_problem(found, "the fix would break the code and was not applied"))
                if good:
                    return self._stop() if is_late else self._apply(good)
        return False

    def _is_restless(self, left: int) -> bool:
        """Whether the last rounds have come no nearer to an end; the text is what it was at first then."""
        if self._comes_nearer(left):
            self._since, self._idle = set(), 0
            return False
        self._idle += bool(self._since)
        if self._idle < PATIENCE:
            return False
        self._restless |= self._since
        what = f"the fixes of {', '.join(sorted(self._since))} undo each other or never end; none of them was applied"
        self.problems.append(Problem(self._path, 0, 0, what))
        self.text, self.fixed, self._refused = self.before, [], set()
        self._least, self._since, self._idle = None, set(), 0
        return True

    def _comes_nearer(self, left: int) -> bool:
        """Whether there is less to repair than ever, or less left of the first text.

        Repairs that bring out one another, from call to call, each change a line that none has changed before.
        """
        standing = (self._lines & Counter(split_lines(self.text))).total()
        least = self._least
        self._least = (left, standing) if least is None else (min(left, least[0]), min(standing, least[1]))
        return self._least != least

    def _stop(self) -> bool:
        """Leave the text as it is now, and say so."""
        what = f"fixing stopped after {REPAIRING:g} s, with the fixes made so far; run `--fix` again to continue"
        self.problems.append(Problem(self._path, 0, 0, what))
        self._given_up = True
        return False

    def _apply(self, good: Sequence[Finding]) -> bool:
        """Take the next text."""
        self._rounds += 1
        self.text = without_unused(self.text, apply_edits(self.text, unique_edits(good)), self._path)
        self._since |= {found.rule for found in good}
        self.fixed += good
        return True

    def unreadable(self, reason: str) -> None:
        """The fixed text is not valid Python: restore the original."""
        what = f"the fixed file does not parse ({reason}); nothing was changed"
        self._give_up(_problem(self.fixed[-1], what))

    def _give_up(self, problem: Problem) -> None:
        self.problems.append(problem)
        self.text, self.fixed, self._given_up = self.before, [], True


def fix_text(text: str, path: str, lint: Callable[[str], Linted], unsafe: bool = False) -> str:
    """A text by itself after its repairs; `SourceError` if it is not Python to begin with."""
    repairs = Repairs(text, path, unsafe)
    start = time.thread_time()
    linted = lint(text)
    while repairs.go_on(linted.findings, is_late=time.thread_time() - start > REPAIRING):
        try:
            linted = lint(repairs.text)
        except SourceError as error:
            repairs.unreadable(error.reason)
    return repairs.text


def _key(found: Finding, text: str) -> tuple[str, str, str]:
    """What stays the same of a finding when lines above it move."""
    line = split_lines(text)[found.line - 1 : found.line]
    return found.rule, "".join(line).strip(), found.fix.message if found.fix else ""


def _problem(found: Finding, what: str) -> Problem:
    return Problem(found.path, found.line, found.column, f"internal error in rule {found.rule}: {what}")


def _accepted(text: str, path: str, chosen: Sequence[Finding]) -> list[Finding]:
    """All chosen findings if Python accepts the text with their repairs, else those that it accepts one by one.

    Where a few of many break the text, halves find them: each costs a number of tests that grows as a logarithm.
    """
    accepts = _test_like(text, path)
    good: list[Finding] = []
    halves = [list(chosen)]
    while halves:
        next_ones = halves.pop()
        if accepts(apply_edits(text, unique_edits([*good, *next_ones]))):
            good += next_ones
        elif len(next_ones) > 1:
            middle = len(next_ones) // 2
            halves += [next_ones[middle:], next_ones[:middle]]
    return good


def _test_like(original: str, path: str) -> Callable[[str], bool]:
    """A test that Python accepts a text as far as the original, and that no name in it has lost its definition.

    Some files parse, and their names do not hold, as a `nonlocal` of a name that is nowhere.
    """
    if not _accepts(symtable.symtable, original, path):
        return lambda text: _accepts(ast.parse, text, path)
    lost = bound(original, path) - undefined(original, path)
    return lambda text: _accepts(symtable.symtable, text, path) and not undefined(text, path) & lost


def _accepts(reader: Callable[[str, str, str], object], text: str, path: str) -> bool:
    """Whether Python's parser, or its symbol table, accepts a text.

    The compiler is not asked: it copies a `finally` block for each way out, so that nested ones take exponential time.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            reader(text, path, "exec")
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return False
    return True
