"""A connected part of a flow, run in every situation that concerns it: which ops fail, and whether it is observed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from itertools import chain, islice
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from tfnanlint.facts.eager_mode import eagerly
from tfnanlint.facts.kinds import knows
from tfnanlint.flow import COMPARISONS, Flow, Node, Root, behind, reached
from tfnanlint.ops import OPS
from tfnanlint.ops.numeric import MODES, compiled, np
from tfnanlint.ops.work import WORK
from tfnanlint.trial import roles
from tfnanlint.trial.arrays import REFUSALS, has_nan, is_broken, is_finite, ones_like
from tfnanlint.trial.budget import Budget, Spent
from tfnanlint.trial.chance import breaking_operands, is_made_up, is_outside_domain, is_spread_of_one
from tfnanlint.trial.domains import DOMAINS, NARROW
from tfnanlint.trial.edges import EDGES, SCALED
from tfnanlint.trial.failure import Failure
from tfnanlint.trial.flags import flags_of, switches
from tfnanlint.trial.hidden_failures import Hidden, hidden_in, without_gradient
from tfnanlint.trial.inputs import Made
from tfnanlint.trial.judging import Judge
from tfnanlint.trial.limits import HANDING_ON
from tfnanlint.trial.part_runs import PartRuns
from tfnanlint.trial.partition import WINDOW
from tfnanlint.trial.plan import Plan
from tfnanlint.trial.run import Run
from tfnanlint.trial.shape_search import MOST_SEARCHED, solve
from tfnanlint.trial.situations import CALM, FIRST_STEP, SITUATIONS, Situation

if TYPE_CHECKING:
    from tfnanlint.facts import Facts

MOST_ROOTS = 8
"""The most values of a part whose gradients are computed."""
INCOMING = 1e6
"""An upper estimate for ordinary gradients that come from a loss."""
SHOWING = frozenset("info debug warning error scalar image histogram add_scalar add_image add_histogram write".split())
"""Functions that write a value to a log or a summary; an infinity there is no failure of the program."""
MOST_HIDDEN = 6
"""The most runs of a part for what another failure hides: they repeat its situations."""


class Part(PartRuns):
    """A connected part of a flow with its inputs, and the failures in its runs."""

    def __init__(
        self,
        facts: Facts,
        nodes: list[Node],
        candidates: Iterable[Node],
        held: dict[Node, list[tuple[Situation, bool, Any]]],
        situations: Sequence[Situation] = SITUATIONS,
        budget: Budget | None = None,
        keeping: bool = False,
        shapes: Mapping[int, tuple[int, ...]] | None = None,
    ) -> None:
        """Failures of `candidates` are of interest; values of the keys of `held` are collected there.

        `budget` limits the work of all situations together. With `keeping`, repairs are tried in the part until it is
        told to `forget`. `shapes` are those of inputs that were solved before, by the numbers of their nodes; None if
        they are to be solved here.
        """
        super().__init__(facts, nodes, candidates, held, budget)
        self.situations = situations
        self.plan.shapes.update({node: shapes[node.index] for node in nodes if node.index in shapes} if shapes else {})
        self._solves = shapes is None
        self.solved: dict[int, tuple[int, ...]] = {}
        """The shapes of inputs with which fewer operands are fitted, by the numbers of their nodes."""
        self.found: list[Failure] = []
        """The failures, if repairs are to be tried; `settled` is the ordinary run of that trial."""
        self.settled: Run | None = None
        self._keeping = keeping
        self._repeated: list[tuple[Situation, Run]] = []
        self._handed: dict[tuple[Run, Node], Mapping[Node, Any]] = {}
        self._sometimes: set[Node] = set()
        """Nodes that fail on ordinary batches from some domains, and not from others."""
        self._misfits: set[Node] = set()
        """Nodes that fail on an ordinary batch by chance, and where shapes were fitted: other batches show no more."""
        self._confirmed: set[tuple[Node, str]] = set()
        """Nodes that fail, in value or gradient, whatever numbers are made up for unknown inputs."""
        self._on_arm: dict[int, set[Node]] = {}
        """The ops that ordinary numbers break, by the branch of an `if`: that branch is taken with other numbers."""
        self._hidden: list[Hidden] = []
        """What could not be judged in some runs, because something before it failed."""
        flow = facts.flow
        self.judge = Judge(facts, self.inputs)
        inside = (root for root in facts.roots() if root.node in self.inside)
        leading = (root for root in inside if not self.judge.made_of(root.node).isdisjoint(self.candidates))
        self.roots = list(islice(leading, MOST_ROOTS))
        rooted = {root.node for root in self.roots}
        decisions = {condition for condition in flow.decided.values() if condition.op in COMPARISONS}
        self.judge.observed = {
            node
            for node in nodes
            if node in flow.kept
            or node in flow.held
            or node in rooted
            or (not node.users and self._is_used_up(node))
            or any(user not in self.inside or user in decisions for user in node.users)
        }

    def _is_used_up(self, node: Node) -> bool:
        """Whether a value without users is observed all the same.

        It is, if it is passed to an unknown function, held by the module, or stands in a traced graph, where everything
        runs. In a graph, a parameter of an op does not count as its result.
        """
        if node.op == "unknown":
            return bool(node.operands) and node.attrs.get("called") not in SHOWING
        scope = getattr(node.origin, "scope", None)
        if scope is not None:
            return bool(scope.kind == "module")
        traced = self.facts.flow.traced.get(node)
        return node.op != "const" and not (traced is not None and traced.used)

    # Running.

    def failures(self) -> Iterator[Failure]:
        """The failures in each situation that concerns the part. Raises `Spent`, and what cannot be run."""
        found: list[Failure] = []
        ended: Exception | None = None
        with np.errstate(all="ignore"):
            try:
                situations, before = self.situations, WORK.done
                found = self._solved(found)
                self._go_on(found, situations, WORK.done - before)
            except (Spent, *REFUSALS) as problem:  # what was found before holds
                ended = problem
        found = [replace(one, likely=one.likely and not self._is_forced(one)) for one in found]
        if self._keeping and found:
            self.found, self.settled = found, self.ordinary
        self.ordinary = None  # it refers to this part as well
        self.inputs.forget()
        yield from found
        if ended is not None:
            raise ended

    def _solved(self, found: list[Failure]) -> list[Failure]:
        """Add the failures to `found`; if they depend on shapes that do not match, solve those and try again."""
        before = WORK.done
        self._try(found)
        if not self._solves:
            return found
        fitted = {one.node for one in found if one.likely and one.approximate and one.node in self.candidates}
        needed = WORK.done - before
        asked = fitted or self._hidden_by_shapes(found)
        shapes, ordinary = dict(self.plan.shapes), self.ordinary
        if not asked or not self._solve_shapes(asked) or not self.budget.extended(needed):
            return found
        all_situations = self.situations
        if fitted:
            failed = {CALM.name, *(one.situation.name for one in found)}
            self.situations = [one for one in all_situations if one.name in failed or one.takes_equal_shapes]
        again: list[Failure] = []
        self._try(again)
        if fitted and not any(one.likely for one in again):  # operands that were fitted hid what else fails
            failed.remove(CALM.name)
            self.situations = [one for one in all_situations if one.name not in failed and not one.takes_equal_shapes]
            self._try(again)
        calm = (one.node for one in again if one.situation is CALM and one.node in self.candidates)
        if not fitted and not all(map(self._divides_by_count, calm)):
            self.plan.shapes.clear()  # ordinary data has other properties besides, such as a positive determinant
            self.plan.shapes.update(shapes)
            self.ordinary = ordinary
            return found
        self.solved = {node.index: shape for node, shape in self.plan.shapes.items()}
        return again

    def _divides_by_count(self, node: Node) -> bool:
        """Whether a node divides by a number of elements, which is 0 whatever properties the data has."""
        return node.op == "divide" and knows(self.facts, node.operands[1], "count")

    def _hidden_by_shapes(self, found: list[Failure]) -> set[Node]:
        """The candidates of which no failure is shown, and whose operands had to be fitted on an ordinary batch."""
        if self.ordinary is None or any(one.likely and one.node in self.candidates for one in found):
            return set()
        return {node for node in self.candidates if node in self.ordinary.approximate}

    def _go_on(self, found: list[Failure], situations: Sequence[Situation], work: float) -> None:
        """Add the failures behind those that an ordinary batch shows already.

        There the numbers of the trial are not those of the program: the results are made up instead.
        """
        first = {one.node for one in found if one.kind == "value" and one.situation.name == CALM.name}
        if not first or not self.budget.extended(work):
            return
        known = {one.node for one in found}
        self.plan.replaced, self.situations = first, situations
        further: list[Failure] = []
        try:
            self._try(further)
        finally:
            found += [one for one in further if one.node not in known]

    def _is_forced(self, failure: Failure) -> bool:
        """Whether it may fail only because operands were fitted: then the program has other shapes.

        That does not matter in a situation of any shape, nor where what decides is not fitted, as the divisor of a
        division. In a traced graph the shapes are known, and operands are fitted where large sizes are cut.
        """
        if not failure.approximate or failure.situation.of_any_shape or self.facts.flow.traced:
            return False
        decisive = breaking_operands(failure.node) if failure.kind == "value" else (failure.node,)
        return not failure.run.approximate.isdisjoint(decisive)

    def _try(self, found: list[Failure]) -> None:
        """Run the part in every situation, and add its failures to `found`."""
        self.inputs.states.clear()
        self.inputs.roles.clear()
        self._confirmed.clear()
        self._misfits.clear()
        self._on_arm.clear()
        self._hidden.clear()
        self.ordinary = self.inputs.ordinary = None
        self.__dict__.pop("ordinarily_broken", None)
        self._settle_domain()
        if self._keeps_states():
            self.ordinary = self.inputs.ordinary = None
            self._settle_domain()
        # what is found before an exception stays
        for one in chain(self._every(), self._behind(found), self._switched()):
            found += [one]

    def _solve_shapes(self, failing: Iterable[Node]) -> bool:
        """Look for shapes of the inputs with which no operand behind some values has to be fitted."""
        changed, before = False, WORK.done
        own = self.budget.for_solving()
        for node in sorted(failing, key=lambda one: one.index):
            behind = sorted(reached([node], self.needs), key=lambda one: one.index)
            if len(behind) > MOST_SEARCHED:
                continue
            plan = Plan(self.facts, behind)
            plan.shapes = self.plan.shapes

            def ordinary(plan: Plan = plan) -> Run:
                made: Made = {}
                return Run(plan, lambda at, like: self.inputs.value(at, like, CALM, made), budget=own)

            try:
                changed |= solve(ordinary, plan.shapes, self.inputs.may_have)
            except Spent:
                break
        return self.budget.extended(WORK.done - before) and changed

    def _settle_domain(self) -> None:
        """Choose the domain in which an ordinary batch is finite."""
        fewest: tuple[int, str, Run, Made] | None = None
        failed: dict[str, set[Node]] = {}
        outside = False
        for domain in DOMAINS:
            if domain in NARROW and not outside:  # an overflow, or a division by 0, is no matter of a domain
                continue
            self.inputs.assume(domain)
            self.made = {}
            run = self.run(CALM)
            found = [one.node for one in self._failing(run, CALM, False)]
            outside = outside or any(has_nan(run.values[node]) for node in found)
            failed[domain] = set(found)
            count = len(found)
            if fewest is None or count < fewest[0]:
                fewest = count, domain, run, self.made
            if count == 0:
                break
        assert fewest is not None
        _, chosen, self.ordinary, self.made = fewest
        self.inputs.assume(chosen)
        self._sometimes = failed[self.inputs.domain] - failed[DOMAINS[0]].intersection(*failed.values())
        self.inputs.ordinary = self.ordinary

    def _keeps_states(self) -> bool:
        """Run the first step; whether there is state, which from now on has the values after that step."""
        assigned = self.facts.flow.assigned
        states = [node for node, role in self.inputs.roles.items() if role.name == roles.STATE and node in assigned]
        if states:
            run = self.run(FIRST_STEP)
            run.complete()
            for node in states:
                value = run.values.get(assigned[node])
                if isinstance(value, np.ndarray) and value.size and is_finite(value):
                    self.inputs.states[node] = value
        return bool(self.inputs.states)

    def _every(self) -> Iterator[Failure]:
        present: set[str] = set()
        for situation in self.situations:
            if not self.concerns(situation, present):
                continue
            for run, variant in self.runs(situation):
                present = present or {role.name for role in self.inputs.roles.values()}
                for node in self.held.keys() & self.inside:
                    value = run.values.get(node)
                    if isinstance(value, np.ndarray) and value.dtype.kind in "fiub":
                        told = situation not in EDGES and self._is_told(node, run)
                        told = told and (bool(situation.side) or not self._is_shifted(node, run))
                        self.held[node].append((situation, told, value))
                if situation is CALM or self._is_endangered(run):
                    run.complete()
                    found = list(self._held_up(run, variant, situation in EDGES))
                    if situation is CALM:
                        self._on_arm[variant.arm] = {
                            one.node for one in found if _is_chosen_otherwise(one, self.facts.flow)
                        }
                    unlike = self._on_arm.get(variant.arm, ()) if variant.arm else ()
                    yield from (one for one in found if one.node not in unlike or one.kind != "value")
                    if situation not in EDGES and not situation.smallest_draw:
                        self._note_hidden(run, variant)

    def _is_told(self, node: Node, run: Run) -> bool:
        """Whether the range of a value is that of the program's data: what had to be fitted shows nothing about it.

        An op that only moves numbers moves the same ones in any shape.
        """
        if node in run.approximate:
            behind_it = reached([node], attrgetter("operands"))
            if any(at.op not in HANDING_ON for at in run.fitted & behind_it):
                return False
        return all(map(self.inputs.is_told, reached([node], _handed_on) & run.outside))

    def _is_shifted(self, node: Node, run: Run) -> bool:
        """Whether a value is a difference of whole numbers, or one from or of an unknown number.

        A program that takes 1 from a label counts from 1, and one that takes the least label from it counts from there.
        """
        made = behind(node, HANDING_ON)
        unknown = (self.inputs.is_unknown(one) for one in made.operands if one in run.outside)
        return made.op == "subtract" and (run.values[node].dtype.kind in "iu" or any(unknown))

    def _note_hidden(self, run: Run, situation: Situation) -> None:
        broken = {node for node in run.changed if is_broken(run.values[node])}
        if not broken:
            return
        roots = [(root.node, self.judge.made_of(root.node)) for root in self.roots if root.node in broken]
        trained = [node for node in self.candidates if roots and self.facts.differentiated(node) is not None]
        makes = self.judge.makes
        hidden = hidden_in(run, situation, self.candidates, broken, makes)
        flat = without_gradient(run, situation, trained, broken, makes, roots)
        self._hidden += [one for one in (hidden, flat) if one is not None]

    def _behind(self, found: Sequence[Failure]) -> Iterator[Failure]:
        """The failures of ops that another failure hid wherever they would have failed.

        The other one is kept from failing, or made up, as far as the work beyond the budget allows.
        """
        failed = {one.node for one in found if one.likely}
        replaced = self.plan.replaced
        with self._beyond_budget():
            for hidden in sorted(self._hidden, key=lambda one: one.kind == "gradient")[:MOST_HIDDEN]:
                if failed.issuperset(hidden.nodes):
                    continue
                situation = replace(hidden.situation, spared=hidden.situation.spared | hidden.spared)
                self.plan.replaced = {*replaced, *hidden.replaced}
                run = self.run(situation)
                if self._is_endangered(run):
                    run.complete()
                    every = self._held_up(run, situation, edge=False)
                    further = [one for one in every if one.kind == hidden.kind and one.node not in failed]
                    failed |= {one.node for one in further if one.likely}
                    yield from further

    @contextmanager
    def _beyond_budget(self) -> Iterator[None]:
        """Spend work beyond the budget, and end where that is spent, too; values that are made up are put back."""
        before, whole, replaced = WORK.done, self.budget, self.plan.replaced
        self.budget = whole.for_solving()
        try:
            yield
        except Spent:
            pass
        finally:
            self.plan.replaced, self.budget = replaced, whole
            whole.extended(WORK.done - before)

    def _is_endangered(self, run: Run) -> bool:
        """Whether a candidate may fail in a run, as far as it is computed: most do not, and the run ends here.

        Its gradient may fail if the op returns a non-finite gradient for an incoming one of ordinary size.
        """
        assert self.ordinary is not None
        held = self.ordinary.values
        if any(is_broken(run.values[node]) for node in run.changed):
            return True
        return any(
            not is_finite(run.pulled(node, incoming))
            for node in self.candidates
            if (incoming := ones_like(run.values[node], INCOMING)) is not None
            and any(run.values.get(one) is not held.get(one) for one in (node, *node.operands))
            and self.facts.differentiated(node) is not None
        )

    def _held_up(self, run: Run, situation: Situation, edge: bool) -> Iterator[Failure]:
        """The failures of a run. One is likely only if it occurs with other made-up numbers as well."""
        found = list(self._failing(run, situation, edge))
        unknown = {node for node in self.inputs.roles if self.inputs.is_unknown(node)}
        asked = {
            one
            for one in found
            if one.likely
            and (one.node, one.kind) not in self._confirmed
            and not situation.smallest_draw
            and not unknown.isdisjoint(reached([one.node], lambda at: at.operands))
        }
        shown = {(one.node, one.kind) for one in asked}
        for others in ("unit", "large") if asked else ():
            self.inputs.others = others
            other = self.run(situation)
            other.complete()
            shown &= {(one.node, one.kind) for one in self._failing(other, situation, edge) if one.likely}
        self.inputs.others = ""
        self._confirmed |= shown
        for one in found:
            yield replace(one, likely=False) if one in asked and (one.node, one.kind) not in shown else one

    def _switched(self) -> Iterator[Failure]:
        """The failures where flags differ from their defaults, as far as the work beyond the budget allows.

        What fails if nothing but true flags are switched off does not count: they may be guards.
        """
        flags = flags_of(self.nodes, self.facts) if len(self.nodes) <= WINDOW else {}
        present = {role.name for role in self.inputs.roles.values()}
        with self._beyond_budget():
            for situation in self.situations if switches(flags) else ():
                if situation in EDGES or situation.smallest_draw or situation.steps > 1:
                    continue
                unguarded: set[tuple[Node, str]] = set()
                for switched in switches(flags) if self.concerns(situation, present) else ():
                    said = " and ".join(f"{name}={not flags[name]}" for name in sorted(switched))
                    variant = replace(situation, sentence=f"{situation.sentence}, with {said}", flags=switched)
                    run = self.run(variant)
                    if self._is_endangered(run):
                        run.complete()
                        found = list(self._held_up(run, variant, edge=False))
                        if all(flags[name] for name in switched):
                            unguarded.update((one.node, one.kind) for one in found)
                        yield from (one for one in found if (one.node, one.kind) not in unguarded)

    def repeated(self, budget: Budget) -> Sequence[tuple[Situation, Run]]:
        """The complete runs of the part in all situations that concern it, once it was tried. Raises `Spent`."""
        if not self._repeated and self.settled is not None:
            self.budget = budget
            self.ordinary = self.inputs.ordinary = self.settled
            found: list[tuple[Situation, Run]] = []
            present = {role.name for role in self.inputs.roles.values()}
            tried = [one for one in self.situations if one not in SITUATIONS]
            try:
                with np.errstate(all="ignore"):
                    for situation in (*SITUATIONS, SCALED, *tried):
                        for run, variant in self.runs(situation) if self.concerns(situation, present) else ():
                            run.complete()
                            found.append((variant, run))
                    for variant in {one.situation.key: one.situation for one in self.found}.values():
                        if variant.flags or variant.spared:
                            run = self.run(variant)
                            run.complete()
                            found.append((variant, run))
            finally:
                self.ordinary = self.inputs.ordinary = None
            self._repeated = found
        return self._repeated

    def handed(self, run: Run, root: Root) -> Mapping[Node, Any]:
        """The gradients of a root in one of these runs, by node."""
        if (run, root.node) not in self._handed:
            self._handed[run, root.node] = run.backward([root.node])[0]
        return self._handed[run, root.node]

    def forget(self) -> None:
        """Let go of the runs, which refer to this part as well."""
        self.found, self.settled, self._repeated, self._handed = [], None, [], {}

    # Judging.

    def _failing(self, run: Run, situation: Situation, edge: bool) -> Iterator[Failure]:
        changed = run.changed
        broken = {node for node in changed if is_broken(run.values[node])}
        if self.ordinary is not None:
            broken |= self.ordinarily_broken.difference(changed)
            if not changed and run is not self.ordinary:
                return
        for node in sorted(broken, key=lambda one: one.index):
            if (seen := self.judge.run_of_failure(node, broken, run)) is not None:
                # a domain tells where the numbers of an input lie, and not how far two inputs are apart
                chance = node in self._sometimes and not situation.single and is_made_up(node, self.inputs)
                outside = self._is_outside_domain(node, situation, run)
                chance = chance or outside or is_spread_of_one(node, run.values)
                likely = not edge and not chance and not self.judge.is_chance(node, situation)
                likely = likely and (situation.of_metrics or not self.judge.is_of_metric(node, broken, seen))
                likely = likely and not self.judge.is_unfounded(node, situation)
                misfit = situation is CALM and node in run.approximate
                misfit = misfit or (outside and situation.name == CALM.name and self.ordinary is not None)
                if misfit and not likely:
                    self._misfits.add(node)
                likely = likely and node not in self._misfits
                yield Failure(node, "value", situation, likely, node in run.approximate, seen, part=self)
        for root in self.roots:
            touched = run is self.ordinary or not self.judge.made_of(root.node).isdisjoint(changed)
            if touched and (root.node not in broken or self._is_meant(root.node, broken, run)):
                yield from self._gradients(run, situation, edge, root, broken)

    def _is_meant(self, node: Node, broken: set[Node], run: Run) -> bool:
        """Whether a value is infinite because the program is given or states an infinity, and for no other reason."""
        made_of = self.judge.made_of(node)
        return not has_nan(run.values[node]) and not any(self.judge.makes(one, run) for one in broken & made_of)

    @cached_property
    def ordinarily_broken(self) -> set[Node]:
        """The nodes that are not finite on an ordinary batch."""
        assert self.ordinary is not None
        return {node for node in self.nodes if is_broken(self.ordinary.values[node])}

    def _gradients(
        self, run: Run, situation: Situation, edge: bool, root: Root, broken: set[Node]
    ) -> Iterator[Failure]:
        before = MODES.differing
        found = list(self.judge.of_root(run, situation, root, broken, compiled_only=False))
        if not found and MODES.differing != before:
            with compiled():
                found = list(self.judge.of_root(run, situation, root, broken, compiled_only=True))
            found = [one for one in found if not eagerly(self.facts, one.node)]
        for one in found:
            likely = not edge and not self.judge.is_chance(one.node, situation, gradient=True)
            likely = likely and not self._is_outside_domain(one.node, situation, run)
            yield replace(one, likely=likely, part=self)

    def _is_outside_domain(self, node: Node, situation: Situation, run: Run) -> bool:
        """Whether an op is NaN because the numbers that a trial makes up lie where the program's data cannot."""
        value = run.values.get(node)
        return value is not None and has_nan(value) and is_outside_domain(node, situation, self.inputs)


def _is_chosen_otherwise(failure: Failure, flow: Flow) -> bool:
    """Whether a setting explains why an op has no value for its numbers, such as the logarithm of a negative one.

    The op is computed under a condition, and its operand comes from one of several functions: the setting chooses both.
    """
    node = failure.node
    row = OPS.get(node.op)
    unary = row is not None and row.elementwise and len(row.operands) == 1
    if not unary or failure.kind != "value" or not node.under or not has_nan(failure.run.values[node]):
        return False
    made_of = reached([node], lambda at: at.operands)
    return any(at.op == "phi" and at not in flow.decided and at not in flow.turned for at in made_of)


def _handed_on(node: Node) -> tuple[Node, ...]:
    """The operands whose numbers make up a value."""
    return node.operands if node.op in HANDING_ON else ()
