"""Rules against a flow: at which nodes their patterns fit, and which match covers which other one."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from tfnanlint.facts import Facts, Reach
from tfnanlint.flow import Flow, Node, reached
from tfnanlint.interval import Interval
from tfnanlint.match.captures import Binding, Match
from tfnanlint.match.own_calls import dropped_in, open_to
from tfnanlint.match.preconditions import CASTING, judge, literal_in
from tfnanlint.match.unify import COMMUTATIVE, TRANSPARENT, branch_of, kind_of, unify, value_behind
from tfnanlint.ops import OPS
from tfnanlint.ranges import weakest
from tfnanlint.ruleset.pattern import Pattern
from tfnanlint.ruleset.rule import Rule
from tfnanlint.source.generation import is_never_compiled
from tfnanlint.source.libraries import LIBRARY

if TYPE_CHECKING:
    from tfnanlint.trial import Trials
    from tfnanlint.trial.failure import Failure
    from tfnanlint.trial.verdict import EarlierTrials

OF_PROBABILITIES = frozenset({"log", "log2", "log10", "log1p", "xlogy", "xlog1py"})
"""Ops whose operands a classifier drives to 0."""


class Matcher:
    """The rules' patterns, indexed by the op at their root, each with what it takes of the operands' ops."""

    def __init__(
        self,
        rules: Iterable[Rule],
        repairing: bool = True,
        modes: Sequence[str] = (),
        keeping: bool = False,
        known: EarlierTrials | None = None,
    ) -> None:
        """Without `repairing`, only the shapes are indexed: they match the same code but have no repair.

        `modes` are those in which the program runs, none for all: what fails in other modes only is not a match.
        With `keeping`, repairs can be tried until `forget` is called. `known` is what a first reading of the same
        program showed.
        """
        self._known = known
        self.modes = frozenset(modes)
        self._keeping = keeping
        self._trials: list[Trials] = []
        self._latest: Trials | None = None
        self.by_root: dict[str, list[tuple[Rule, Pattern, Wants]]] = {}
        self._fitting: dict[tuple[str, Given], list[tuple[Rule, Pattern]]] = {}
        self.partly = 0
        """Of the latest flow, how many operations that may fail were tried without all that they are computed from.

        None of the trials showed that they do fail.
        """
        for rule in rules:
            for pattern in rule.patterns if repairing else rule.shapes:
                self.by_root.setdefault(pattern.root.op, []).append((rule, pattern, _wants(pattern)))

    def matches(self, flow: Flow, facts: Facts, pedantic: bool = False, unshown: bool = False) -> list[Match]:
        """All matches, each hazard once: a match within a larger one is left out.

        With `unshown`, behind them those that ranges do not exclude, though no trial shows them: a search may.
        """
        fitting = self.fitting(flow, facts, pedantic, unshown)
        found = list(_outermost([match for match in fitting if not _lacks_trial(match)], facts))
        if unshown:
            spoken_for = {node for match in found for node in match.matched}
            others = _outermost([match for match in fitting if _lacks_trial(match)], facts)
            found += [match for match in others if match.root not in spoken_for]
        return found

    def fitting(
        self,
        flow: Flow,
        facts: Facts,
        pedantic: bool = False,
        unshown: bool = False,
        approximate: bool = False,
        among: Collection[Any] | None = None,
    ) -> list[Match]:
        """All matches that a trial bears out, those within larger ones too; with `unshown`, the others behind them.

        With `approximate`, also what fails in an ordinary situation with numbers or shapes that are made up. With
        `among`, only matches whose root is written as one of these expressions.
        """
        present = {kind_of(node) for node in flow}

        @cache
        def behind_op(op: str) -> set[Node]:
            return reached([node for node in flow if kind_of(node) == op], lambda node: node.users)

        fitting = [
            match
            for node in flow
            if node.op in self.by_root and node not in flow.updates
            for rule, pattern in self._candidates(node)
            if pattern.ops <= present and all(node in behind_op(op) for op in pattern.distant)
            if (match := match_at(rule, pattern, node, facts)) is not None and (pedantic or _may_be_evident(match))
            if _is_of_tensors(match) and (among is None or (node.origin is not None and node.origin.expr in among))
        ]
        dropped = dropped_in([match.root for match in fitting if not _shows(match)], flow)
        fitting = open_to([match for match in fitting if _shows(match) or match.root not in dropped], flow)
        found: dict[tuple[Node, str], Match] = {}
        self._latest = None
        tried = list(self._tried(fitting, facts, pedantic or unshown))
        partly = self._latest.partly if self._latest is not None else ()
        self.partly = len({match.root for match in tried if match.root in partly and _lacks_trial(match)})
        for match in sorted(tried, key=_lacks_trial):
            if _lacks_trial(match) and not unshown:
                break
            if _lacks_trial(match) and match.pattern.takes_infinity:
                continue  # ranges hardly ever exclude an infinity, and a search for one has no end
            evident = match.reach.evident or (approximate and match.failure is not None)
            if not (evident or pedantic) or (self.modes and self.modes.isdisjoint(match.modes)):
                continue
            held = found.setdefault((match.root, match.rule.name), match)
            if held is match:
                continue
            if held.pattern.repair is None and match.pattern.repair is not None:
                found[match.root, match.rule.name] = match
            elif match.pattern.repair is not None:
                held.alternatives.append(match)
        return list(found.values())

    def _tried(self, matches: Sequence[Match], facts: Facts, edges: bool) -> Iterator[Match]:
        """The matches that may fail, each with its trial and how likely that is; what no number shows needs no trial.

        Without `edges`, what is merely possible is left out as far as that saves time.
        """
        shown = [match for match in matches if _shows(match)]
        asking = {node for match in matches if not _shows(match) for node, _ in _regions(match)}
        trials: Trials | None = None
        unreachable: frozenset[int] = frozenset()
        if shown or asking:
            from tfnanlint.trial import Trials
            from tfnanlint.trial.python_numbers import raises_in_python

            matches = [match for match in matches if not raises_in_python(match.root, facts)]
            candidates = {node for match in matches if _shows(match) for node in _failing(match)}
            known = self._known if self._known is not None and self._known.is_of(facts.flow) else None
            unreachable = known.unreachable if known is not None else frozenset()
            if not edges:
                matches = [match for match in matches if match.root.index not in unreachable]
            trials = Trials(facts, candidates, asking, edges, self._keeping, known)
            self._trials += [trials] if self._keeping else []
        for match in matches:
            if trials is not None and _shows(match):
                _judge_by_run(match, trials)
            elif match.reach is not Reach.CERTAIN:
                match.reach = _judged_by_range(match, trials, facts)
                if match.reach is Reach.NO:
                    continue
            # No call in the project fails, or a setting may choose what goes with it.
            if match.root.index in unreachable or match.root in facts.flow.alternatives:
                match.reach = Reach.UNKNOWN
            yield match
        self._latest = trials

    def known(self, flow: Flow, matches: Iterable[Match]) -> EarlierTrials | None:
        """What the trials of these matches show for a second reading of the program; None where there were none."""
        if self._latest is None:
            return None
        return self._latest.known(flow, (node for match in matches for node in match.matched))

    def forget(self) -> None:
        """Let go of what was kept for trying repairs."""
        for trials in self._trials:
            trials.forget()
        self._trials.clear()

    def _candidates(self, node: Node) -> list[tuple[Rule, Pattern]]:
        """The patterns that the ops of a node and of its operands leave: few, and the same at most nodes."""
        given = tuple([_given_ops(operand) for operand in node.operands[:2]])
        found = self._fitting.get((node.op, given))
        if found is None:
            found = [(r, p) for r, p, wants in self.by_root[node.op] if not wants or _may_fit(wants, given, node.op)]
            self._fitting[node.op, given] = found
        return found


def _is_of_tensors(match: Match) -> bool:
    """Whether TensorFlow computes what matches, or gets what becomes of it, such as a table that NumPy computes."""
    libraries = {node.attrs[LIBRARY] for node in match.matched if LIBRARY in node.attrs}
    if not libraries:
        return True
    from tfnanlint.trial.python_numbers import is_taken_by_tensorflow

    return libraries == {"numpy"} and is_taken_by_tensorflow(match.root)


def _judge_by_run(match: Match, trials: Trials) -> None:
    """Give a match the failure that a run shows, if any, and set how likely it is."""
    asked = list(_regions(match))
    if match.pattern.missing:
        failure = trials.of_missing(_failing(match), _missing(match))
    else:
        kinds = ("gradient", "") if match.pattern.differentiated else ("",)
        told = (trials.of(match.matched, kind, asked, match.branches) for kind in kinds)
        failure = next(filter(None, told), None)
    compiled = match.rule.modes == ("xla",) and match.pattern.differentiated
    if failure is not None and compiled and not failure.compiled_only:
        failure = None  # a gradient that fails eagerly, too, is for another rule
    likely = failure is not None and failure.likely
    if failure is not None and failure.situation.is_extreme and not _tells_of_extremes(match, failure):
        likely = False
    if failure is not None and failure.compiled_only and not match.compiled and _is_never_compiled(match.root):
        likely = False
    match.failure, match.compiled_only = failure, failure is not None and failure.compiled_only
    if match.reach is not Reach.CERTAIN or failure is None:
        match.reach = Reach.LIKELY if likely else Reach.UNKNOWN


def _tells_of_extremes(match: Match, failure: Failure) -> bool:
    """Whether extreme scores are a reason to report a match: training reaches them, or the program is easy to mend.

    A classifier's training has no end: the probabilities in its logarithms go to 0. What a bare exponential or quotient
    takes, such as a log variance, is held by the loss: in published code it hardly ever got there (docs/trials.md).
    A larger pattern, as of a softmax by hand, names the mistake itself. A gradient that is NaN always counts: the
    finite value hides it.
    """
    if match.pattern.fix_kind == "after" or not match.pattern.is_bare or failure.kind == "gradient":
        return True
    node = failure.node
    return any(one.op in OF_PROBABILITIES for one in (node, *node.users))


def _is_never_compiled(node: Node) -> bool:
    """Whether the file that computes a node can only run where XLA compiles nothing."""
    file = getattr(node.origin, "file", None)
    return file is not None and is_never_compiled(file.text)


def _judged_by_range(match: Match, trials: Trials | None, facts: Facts) -> Reach:
    """How likely it is that the operands of a match take the values that its rule is about."""
    answers = [
        trials.reaches(node, region) if trials is not None and _on_every_arm(node, region, facts) else Reach.UNKNOWN
        for node, region in _regions(match)
    ]
    hint = match.rule.severity == "info" or _is_switched_off(match.root)
    return weakest([Reach.UNKNOWN if hint else Reach.LIKELY, *answers])


def _lacks_trial(match: Match) -> bool:
    """Whether a run would show the failure of a match, but no run does."""
    return match.failure is None and _shows(match)


def _may_be_evident(match: Match) -> bool:
    """Whether a trial may show that a match is more than possible."""
    return match.reach is Reach.CERTAIN or match.rule.severity != "info" or _shows(match)


def _regions(match: Match) -> Iterator[tuple[Node, Interval]]:
    """What a rule asks of its operands: values, and where they have to lie."""
    for name, condition in match.pattern.preconditions.items():
        captured = match.captured.get(name)
        if isinstance(captured, tuple):
            for region in condition.regions:
                yield captured[0], region


def _is_switched_off(node: Node) -> bool:
    """Whether a flag decides that a node is computed, and its default is that it is not."""
    flags = [(condition.attrs.get("default"), holds) for condition, holds in node.under]
    return any(isinstance(default, bool) and default is not holds for default, holds in flags)


def _on_every_arm(node: Node, region: Interval, facts: Facts) -> bool:
    """Whether ranges allow a region on every branch that a value joins, since it is not known which one is taken."""
    joined = reached([node], lambda at: at.operands if at.op == "phi" or at.op in TRANSPARENT else ())
    arms = (arm for at in joined if at.op == "phi" for arm in at.operands)
    return all(facts.range(arm).reach(region) is not Reach.NO for arm in arms)


def _missing(match: Match) -> list[Node]:
    """The values that a rule says are missing."""
    named = (name for name, condition in match.pattern.preconditions.items() if condition.missing)
    return [held[0] for name in named if isinstance(held := match.captured.get(name), tuple)]


def _failing(match: Match) -> Collection[Node]:
    """The nodes that may fail if a match is right: those of the pattern, or those computed from a missing value."""
    if not match.pattern.missing:
        return match.matched
    onward = reached(_missing(match), lambda node: node.users)
    failing = reached([match.root], lambda node: [one for one in node.operands if one in onward])
    return sorted(failing, key=lambda node: node.index)  # the same one is told in each run


def _shows(match: Match) -> bool:
    """Whether a run can show what the rule says; it shows neither what only Grappler causes nor lost digits."""
    rule = match.rule
    seen = rule.modes == ("xla",) or ("eager" in rule.modes and rule.severity == "error")
    unasked = "float16" in rule.dtypes and not match.pattern.asks_for_values  # a type alone is no evidence
    return seen and (match.pattern.breaks or match.pattern.missing or unasked)


Wants = tuple[str | None, ...]
"""The ops of the first operands that a pattern takes; None for one that may be any."""
Given = tuple[tuple[str, ...], ...]
"""For each of a node's first operands: its op, that of the value it passes on, and that of the branch it joins."""


def _wants(pattern: Pattern) -> Wants:
    """What a pattern wants of its root's first two operands; () where it says nothing of them."""
    root = pattern.root
    row = OPS.get(root.op)
    if row is None or row.operands[-1:] == ("*xs",):
        return ()
    literal = {name for name, condition in pattern.preconditions.items() if condition.literal}
    found = tuple(_wanted(operand, literal) for operand in root.operands[:2])
    return found if any(found) else ()


def _wanted(operand: Node, literal: set[str]) -> str | None:
    """The op that a pattern's operand has to be; None where it may be any."""
    if operand.op == "input":
        return "const" if operand.attrs["name"] in literal else None
    return None if operand.op == "downstream" else operand.op


def _given_op(operand: Node) -> str:
    """The op of what an operand hands on; a number that is cast is a number."""
    return "const" if operand.op in CASTING and literal_in(operand) is not None else kind_of(value_behind(operand))


def _given_ops(operand: Node) -> tuple[str, ...]:
    """The op of an operand, that of what it hands on, and that of the branch that this joins."""
    handed = value_behind(operand)
    place = branch_of(handed) if handed.op == "phi" else None
    branch = () if place is None else (value_behind(handed.operands[place]).op,)
    return operand.op, _given_op(operand), *branch


def _may_fit(wants: Wants, given: Given, op: str) -> bool:
    """Whether a node's operands are what a pattern wants of them."""
    if len(given) < len(wants):
        return False
    if all(want is None or want in ops for want, ops in zip(wants, given, strict=False)):
        return True
    return (
        op in COMMUTATIVE
        and len(wants) == 2
        and all(want is None or want in ops for want, ops in zip(wants, given[::-1], strict=False))
    )


def _outermost(matches: list[Match], facts: Facts) -> Iterator[Match]:
    """The matches that no other match covers; one that holds on every branch covers those of a single branch."""
    everywhere = {match.root for match in matches if not match.branches}
    matches = [match for match in matches if not match.branches or match.root not in everywhere]
    holding: dict[Node, list[Match]] = {}
    for match in matches:
        for node in match.matched:
            holding.setdefault(node, []).append(match)
    for match in matches:
        over = [m for m in holding[match.root] if _size(m) > _size(match) and _covers(m, match, facts)]
        for larger in over:
            if larger.root is match.root and match.pattern.repair is not None and larger.rule.repairs:
                larger.alternatives.append(match)
        if over:
            continue
        within = [m for node in match.matched if node is not match.root for m in holding[node] if m.root is node]
        beside = [m for m in within if not (_size(m) < _size(match) and _covers(match, m, facts))]
        if any(not _covers(match, m, facts) and set(m.rule.modes) > set(match.rule.modes) for m in beside):
            continue  # what is wrong in more modes inside it goes first
        if match.other_dtype is not None and any(m.other_dtype is None and m.failure is not None for m in beside):
            continue  # so does a rule for this very type: its numbers are those that the type holds
        match.inner = [m for m in beside if m.pattern.fix_kind == "after" and m.failure is not None]
        yield match


def _size(match: Match) -> tuple[int, int]:
    """How large a match is: the size of its pattern, then the number of matched nodes, casts of numbers included."""
    return match.pattern.size, len(match.matched)


def _covers(larger: Match, smaller: Match, facts: Facts) -> bool:
    """Whether a larger match covers a smaller one: nothing outside it uses the smaller one's value."""
    root = smaller.root
    if root is larger.root:
        return True
    if smaller.differentiated is None:
        return root in larger.matched
    if any(r.node is root for r in facts.flow.roots):
        return False
    return all(user in larger.matched or facts.differentiated(user) is None for user in root.users)


def match_at(rule: Rule, pattern: Pattern, node: Node, facts: Facts) -> Match | None:
    """The pattern at one node, or None."""
    for binding in unify(pattern, pattern.root, node, node, Binding()):
        match = judge(rule, pattern, node, binding, facts)
        if match is not None:
            return match
    return None
