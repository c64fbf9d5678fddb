"""The repair that a finding offers: the first that holds in a run of the user's program, the simplest first."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Literal, NamedTuple

from tfnanlint.facts import Facts
from tfnanlint.facts.kinds import knows
from tfnanlint.facts.recursion_limit import bounded, no
from tfnanlint.finding import Fix
from tfnanlint.fix.apply_to_flow import Spot, apply_to_flow
from tfnanlint.fix.departure import nodes_of_repair
from tfnanlint.fix.file_epsilons import Floor, floor_for, floors_of
from tfnanlint.fix.repair import NoFix, fix_of
from tfnanlint.flow import Node, behind
from tfnanlint.interval import FLOAT_TYPES
from tfnanlint.match.captures import Match
from tfnanlint.ruleset.pattern import Pattern
from tfnanlint.trial.arrays import REFUSALS
from tfnanlint.trial.budget import Budget, Spent
from tfnanlint.trial.flow_patch import Untried, patched
from tfnanlint.trial.limits import CARRYING

if TYPE_CHECKING:
    from tfnanlint.source.source_file import SourceFile
    from tfnanlint.trial.retrial import Objection

LEAST_RETRIED, MOST_RETRIED, RETRIED = 4_000, 80_000, 60
"""How many values the trials of the repairs of one file compute: at least, at most, and for each node of its flow."""
FLOORS = ("1e-12", "1e-7", "1e-6", "1e-30", "1e-37", "1e-4")
"""Alternative lower bounds, tried if the rule's own fails."""
COARSER = 10.0
"""How much smaller than the rule's bound the file's own may be."""
LARGEST_FLOOR = 1e-3
"""Numbers up to this one only keep a value away from 0."""
OF_WHOLE = frozenset("add subtract multiply maximum minimum".split())
"""Ops that make whole numbers of whole numbers."""
ROOTS = frozenset({"sqrt", "rsqrt", "pow"})
"""Ops of which a bound of the result differs from that of the operand."""
CEILINGS = ("70.0", "60.0", "40.0", "20.0")
"""Alternative upper bounds of an exponent."""


class Offer(NamedTuple):
    """The fix of a finding, or the reason why it has none. `held`: whether a fix passed its run; None without a run."""

    fix: Fix | None
    reason: str | None
    held: bool | None


class Choice:
    """Chooses the fixes of one file's findings; what is computed to try them is limited."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self._floors: Mapping[SourceFile, Sequence[Floor]] | None = None
        self.budget = Budget(min(LEAST_RETRIED + RETRIED * len(facts.flow.nodes), MOST_RETRIED))

    def fix_of(self, match: Match) -> Offer:
        """The fix of a finding, or why there is none."""
        best: Fix | None = None
        held: bool | None = None
        reason = ""
        objected = False
        refused: list[Match] = []
        for one in self._in_words_of_the_file((match, *match.alternatives)):
            try:
                fix, spots = fix_of(one, self.facts)
            except NoFix as problem:
                reason = reason or str(problem)
                continue
            answer = self._tried(one, fix, spots)
            if one.names and answer is not True:
                continue  # the number of the file does not do here
            if answer is not None and answer is not True:
                reason = reason if objected else _sentence(answer)
                objected = True
                refused += [one] if answer.by_its_number else []
            elif best is None or (fix.kind == best.kind and _additions(fix) < _additions(best)):
                best, held = fix, answer
            if best is not None and _additions(best) == 1:
                break
        for one in refused if best is None else ():
            for other in _with_other_numbers(one):
                fix, spots = fix_of(other, self.facts)
                answer = self._tried(other, fix, spots)
                if answer is True:
                    return Offer(fix, None, True)
                if answer is not None and not answer.by_its_number:  # that is why, and no further number will do
                    reason = _sentence(answer)
                    break
        if best is None:
            return Offer(None, reason, False if objected else None)
        return Offer(best, None, held)

    def _in_words_of_the_file(self, matches: Iterable[Match]) -> Iterator[Match]:
        """Each match, preceded by one whose repair takes its bound from the code around it."""
        for match in map(self._above_rounding, matches):
            bounds = [bound for bound, ladder in _bounds(match.pattern) if ladder is FLOORS]
            floor = self._floor(match) if len(set(bounds)) == 1 else None
            least = float(match.numbers.get(bounds[0], 0.0)) if floor is not None else 0.0
            if floor is not None and COARSER * float(floor.digits) >= least:
                yield replace(match, numbers={bounds[0]: floor.digits}, names={floor.digits: floor})
            yield match

    def _above_rounding(self, match: Match) -> Match:
        """A match whose floors are above what is 0: `1 - p` is either 0 or at least 6e-8, and a count at least 1."""
        numbers = dict(match.numbers)
        for node, bound in _bounded(match.pattern):
            floored = node.operands[0]
            named = node.op == "maximum" and floored.op == "input"
            held = match.captured.get(floored.attrs["name"]) if named else None
            value = behind(held[0], CARRYING) if isinstance(held, tuple) else None
            if value is not None and 0 < bound < 1 and _is_whole(value, self.facts):
                numbers[bound] = "1.0"
                continue
            if value is None or value.op != "subtract":
                continue
            whole = value.operands[0].constant
            kind = FLOAT_TYPES.get(self.facts.dtype(value) or "", FLOAT_TYPES["float32"])
            least = whole * 2.0**-kind.digits if isinstance(whole, (int, float)) else 0.0
            if 0 < bound < least:
                numbers[bound] = f"1e{math.ceil(math.log10(least))}"
        return replace(match, numbers=numbers) if numbers != match.numbers else match

    def _floor(self, match: Match) -> Floor | None:
        """The number that keeps values away from 0 in the code around a match."""
        if self._floors is None:
            self._floors = floors_of(self.facts.flow)
        floors = self._floors.get(match.root.origin.file, ())
        if _has_root(match):
            floors = [floor for floor in floors if floor.kind == "root"]
        return floor_for(match.root, floors)

    def _tried(self, match: Match, fix: Fix, spots: list[Spot]) -> Objection | Literal[True] | None:
        """What a run says against a fix, or True where it held; None where it cannot be tried."""
        if match.failure is None or match.failure.part is None or not spots:
            return None
        if self.budget.is_spent:
            return None
        from tfnanlint.trial.retrial import FAR, Retrial

        try:
            match.failure.part.repeated(self.budget)  # while the flow is as it was
            with patched(self.facts, match.root) as patch:
                apply_to_flow(match, spots, patch)
                answer = Retrial(match.failure, match.matched, patch, fix.kind, self.budget).objection()
        except (Untried, Spent, *REFUSALS):
            return None
        if answer is not None and answer.what == FAR and _is_of_a_count(match):
            return None  # that nothing is counted on an ordinary batch says nothing about the bound: counts are whole
        return answer or True


@bounded(no)
def _is_whole(value: Node, facts: Facts) -> bool:
    """Whether a program computes a value from counts and whole numbers alone, such as the steps since a warm-up."""
    value = behind(value, CARRYING)
    if value.op == "const":
        return isinstance(value.constant, (int, float)) and float(value.constant).is_integer()
    return knows(facts, value, "count") or (
        value.op in OF_WHOLE and all(_is_whole(one, facts) for one in value.operands)
    )


def _has_root(match: Match) -> bool:
    """Whether a repair takes a root or a power of what it bounds: the bound of the root is another number."""
    return any(node.op in ROOTS for node in nodes_of_repair(match.pattern))


def _is_of_a_count(match: Match) -> bool:
    """Whether a rule's repair is for a number of elements."""
    return any("count" in condition.kinds for condition in match.pattern.preconditions.values())


def _additions(fix: Fix) -> int:
    """In how many places a fix writes something; deletions do not count."""
    return sum(edit.text != "" for edit in fix.edits)


def _with_other_numbers(match: Match) -> Iterator[Match]:
    """A match whose repair keeps a value above or below other numbers, the nearest first."""
    for bound, ladder in dict(_bounds(match.pattern)).items():
        for text in sorted(ladder, key=lambda text: abs(math.log(float(text) / bound))):
            if float(text) != bound:
                yield replace(match, numbers={bound: text})


def _bounds(pattern: Pattern) -> Iterator[tuple[float, tuple[str, ...]]]:
    """The numbers that a repair bounds values by, each with those that may take its place."""
    for node, bound in _bounded(pattern):
        if node.op == "maximum" and 0.0 < bound <= LARGEST_FLOOR:
            yield bound, FLOORS
        elif node.op == "minimum" and bound > float(CEILINGS[0]):
            yield bound, CEILINGS


def _bounded(pattern: Pattern) -> Iterator[tuple[Node, float]]:
    """The nodes of a repair that bound a value by a number."""
    for node in nodes_of_repair(pattern):
        bound = node.operands[-1].constant if node.op in ("maximum", "minimum") else None
        if isinstance(bound, float):
            yield node, bound


def _sentence(objection: Objection) -> str:
    """Why a fix is not offered, and what to do instead."""
    from tfnanlint.trial.retrial import CANCELS, CHANGES, FAILS, FAR, FROZEN, HUGE, RANGE, STEEP

    where = _line(objection.node)
    when = f"in this situation: {objection.situation.sentence}"
    if objection.what == FAILS:
        what = "the gradient of " if objection.kind == "gradient" else ""
        rest = f"{what}`{objection.node.op}`{where} is not finite"
        return f"with the rule's fix {rest} {when}; change the formula so that the value and its gradient stay finite"
    if objection.what == CHANGES and objection.kind == "gradient":
        rest = f"the rule's fix changes a gradient that was finite {when}"
        return f"{rest}; compute the value from the logits, or in log space"
    if objection.what == CHANGES:
        return f"the rule's fix changes a result that was finite {when}; choose a bound that suits your numbers"
    if objection.what == CANCELS:
        rest = f"numbers beyond the range of the type cancel out {when}"
        return f"a bound gives another result, because {rest}; subtract the largest exponent first"
    if objection.what == FROZEN:
        rest = "no gradient passes, so training does not bring the value back"
        way_out = "compute in log space, or bound the value smoothly, as `tanh` does"
        return f"beyond the bound of the rule's fix {rest}; {way_out}"
    if objection.what == STEEP:
        return f"the rule's fix leaves a gradient above 1e6 {when}; add a term that keeps the divisor at ordinary size"
    if objection.what == HUGE:
        return f"the rule's fix leaves a result{where} above 1e9 {when}; decide what it should be in that case"
    if objection.what == FAR:
        return "on an ordinary batch the value is far beyond the bound of the rule's fix; check where it comes from"
    if objection.what == RANGE:
        return f"with the rule's fix a share{where} exceeds 1 {when}; decide what the result should be in that case"
    rest = "the rule's fix would change the shape or the dtype of the value"
    return f"{rest}; adapt it to the shapes and dtypes of your code"


def _line(node: Node) -> str:
    """Where a node is written."""
    origin = node.origin
    span = origin.file.layout.spans.get(origin.expr) if hasattr(origin, "file") else None
    return f" on line {span[0]}" if span is not None else ""
