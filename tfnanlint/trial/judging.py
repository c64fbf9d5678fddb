"""Which ops of a run fail, in their value or in the gradient that they hand back, where something observed shows it."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import reduce
from typing import TYPE_CHECKING, Any

from tfnanlint.flow import Node, Root, reached
from tfnanlint.ops import OPS
from tfnanlint.ops.numeric import np
from tfnanlint.source.libraries import LIBRARY
from tfnanlint.trial import roles
from tfnanlint.trial.arrays import has_nan, is_broken, is_finite
from tfnanlint.trial.chance import (
    SUMMED,
    breaking_operands,
    is_before_update,
    is_by_chance,
    is_coincidence,
    is_held_back,
    is_mask_in_logs,
    is_of_drawn,
    is_of_sizes,
)
from tfnanlint.trial.evidence import is_prior
from tfnanlint.trial.failure import Failure
from tfnanlint.trial.inputs import Inputs
from tfnanlint.trial.limits import CLIPPING
from tfnanlint.trial.metrics import UNTRAINED, counts_decisions, is_guarded_beside, measures
from tfnanlint.trial.python_numbers import is_of_numpy, raises_in_python
from tfnanlint.trial.run import Run
from tfnanlint.trial.situations import CALM, Situation

if TYPE_CHECKING:
    from tfnanlint.facts import Facts

Breaking = Mapping[Node, tuple[Node, Any]]
"""Nodes that make a non-finite gradient of a finite one, with the operand that gets it, and that gradient."""

CAPPING = frozenset({"clip", "maximum", "minimum", *CLIPPING})
"""Ops that give a bound where their operand lies beyond it."""
PREPARED = frozenset({roles.IMAGE, roles.SIGNAL, roles.LABELS})
"""Roles of data that is scaled before any training."""
CHOOSING = frozenset("argmax argmin top_k argsort sort".split())
"""Ops that choose, or put in order, by comparing numbers."""


class Judge:
    """Judges the runs of one part of a flow."""

    def __init__(self, facts: Facts, inputs: Inputs, observed: Collection[Node] = ()) -> None:
        self.facts = facts
        self.inputs = inputs
        self.observed = observed
        """The nodes whose values somebody gets to see."""
        self.rooted = {root.node for root in facts.roots()}
        self._sources: dict[Node, set[Node]] = {}
        self._spoiled: tuple[Run, Collection[Node], set[Node]] | None = None
        self._makers: tuple[tuple[Run, int], set[Node]] | None = None

    def made_of(self, node: Node) -> set[Node]:
        """A node and all that it is computed from."""
        if node not in self._sources:
            self._sources[node] = reached([node], lambda at: at.operands)
        return self._sources[node]

    def is_seen_to_fail(self, node: Node, broken: Collection[Node], run: Run) -> bool:
        """Whether a non-finite value begins at this node and reaches a result."""
        return self.run_of_failure(node, broken, run) is not None

    def run_of_failure(self, node: Node, broken: Collection[Node], run: Run) -> Run | None:
        """The run in which a node is seen to fail: this one, or an earlier iteration of a loop in it."""
        if self.makes(node, run) and self._taken(node, run):
            if any(map(_is_infinite, map(run.values.get, node.operands))):  # the infinity may be meant, and goes on
                if node.op in SUMMED and any(self.makes(at, run) for at in self.made_of(node) - {node} if at in broken):
                    return None  # it is not meant: what makes it is the cause
                broken = self._with_nan(broken, run)
            if self._seen(node, broken, run):
                return run
        earlier = run.earlier
        if earlier is None or not is_broken(earlier.values.get(node)):
            return None
        if not self.makes(node, earlier) or not self._taken(node, earlier):
            return None
        onward = self._spread(node, {one for one, value in earlier.values.items() if is_broken(value)}, earlier)
        handed = [loop for loop in run.plan.loops if loop in broken and loop.operands[1] in onward]
        return earlier if any(self._seen(loop, broken, run) for loop in handed) else None

    def _with_nan(self, broken: Collection[Node], run: Run) -> set[Node]:
        """The nodes that hold NaN in a run."""
        if self._spoiled is None or self._spoiled[0] is not run or self._spoiled[1] is not broken:
            self._spoiled = run, broken, {one for one in broken if has_nan(run.values[one])}
        return self._spoiled[2]

    def is_chance(self, node: Node, situation: Situation, gradient: bool = False) -> bool:
        """Whether only chance explains the failure of a node."""
        if is_by_chance(node, situation, self.inputs) or is_of_sizes(node, self.inputs):
            return True
        if is_of_drawn(node, self.inputs):
            return True
        if raises_in_python(node, self.facts) or is_of_numpy(node, self.facts):
            return True
        if self._is_of_preparation(node, situation):
            return True
        if is_before_update(node, situation, self.inputs):
            return True
        if situation.name != CALM.name and is_held_back(node, self.inputs):
            return True
        return not gradient and is_coincidence(node, situation, self.inputs)

    def _is_of_preparation(self, node: Node, situation: Situation) -> bool:
        """Whether NumPy scales data that is constant, such as a black image, before any training."""
        computed = [node, *breaking_operands(node)]
        if all(one.attrs.get(LIBRARY) != "numpy" for one in computed) or situation.name == CALM.name:
            return False
        behind = self._inputs_of(computed[1:])
        changed = {self.inputs.roles[at].name for at in behind if self.inputs.disturbs(situation, at)}
        return situation.needs_exact_values and bool(changed) and changed <= PREPARED

    def is_unfounded(self, node: Node, situation: Situation) -> bool:
        """Whether only names explain a failure that no loss shows, beside numbers that are made up.

        In published code such a failure was hardly ever a hazard (docs/measurements.md). A mask is known by its name,
        and the bounds that a program sets are numbers that it gets.
        """
        if node in self.facts.flow.traced or situation.smallest_draw or situation.name == CALM.name:
            return False
        if is_guarded_beside(node, self.facts):
            return False
        if situation.checks_zero:
            return False
        onward = reached([node], lambda at: at.users)
        if any(root.node in onward and not root.implied for root in self.facts.roots()):
            return False
        deciding = set().union(*map(self.made_of, breaking_operands(node)))
        if any(at.op in CAPPING for at in deciding):
            return False
        behind = self._inputs_of(breaking_operands(node))
        changed = [self.inputs.roles[at] for at in behind if self.inputs.disturbs(situation, at)]
        if any(role.evidence and (not role.by_name or role.name in roles.MASKS) for role in changed):
            return False
        told = {self.inputs.roles[at].name for at in behind}
        return roles.NOTHING in told and roles.ASSUMED not in told

    def _inputs_of(self, nodes: Sequence[Node]) -> list[Node]:
        """The inputs that some nodes are made of; an element of a list or a batch is one of its own."""
        made_of = reached(nodes, lambda at: () if at in self.inputs.roles else at.operands)
        return [at for at in made_of if at in self.inputs.roles]

    def is_of_metric(self, node: Node, broken: Collection[Node], run: Run) -> bool:
        """Whether only metrics show the failure of a node: a NaN there is read, and harms no training.

        Where the same metric is guarded elsewhere, its author minds.
        """
        flow = self.facts.flow
        if is_guarded_beside(node, self.facts):
            return False
        # A metric is one number, or one for each example; `acc` may also be an acceleration.
        measured = flow.shown.union(at for at in flow.measured if np.ndim(run.values.get(at)) <= 1)
        reading = reached([node], lambda at: self._broken_users(at, broken, run) if at not in measured else ())
        ends = reading & {*self.observed, *measured}
        onward = self._spread(node, broken, run)
        if not ends or not self.rooted.isdisjoint(onward):  # a loss of metrics is a loss
            return False
        if not onward.isdisjoint(flow.assigned.values()):  # once there, it stays in the sum of all further batches
            return False
        return measures(node, flow) or all(
            end in measured or measures(end, flow) or counts_decisions(end, self.facts) for end in ends
        )

    def makes(self, node: Node, run: Run) -> bool:
        """Whether a node makes what is not finite of numbers, or does not mask NaN that it is to mask."""
        return (node.op == "multiply" and self._masks_missing(node, run)) or self._breaks(node, run)

    def _breaks(self, node: Node, run: Run) -> bool:
        """Whether a node turns numbers into NaN, or finite numbers into an infinity."""
        if node.op in ("const", "unknown", "input", "placeholder"):
            return False
        if any(isinstance(told, float) and math.isinf(told) for told in node.attrs.values()):  # as `pad` fills with it
            return False
        value = run.values[node]
        operands = [run.values.get(operand) for operand in node.operands]
        floats = [v for v in operands if isinstance(v, np.ndarray) and v.dtype.kind in "fc"]
        floats += [np.asarray(v) for v in operands if isinstance(v, float)]
        if all(np.isfinite(v).all() for v in floats):
            return True
        row = OPS.get(node.op)
        if row is not None and row.elementwise and isinstance(value, np.ndarray):
            try:  # element by element: others may be non-finite before
                finite = reduce(np.logical_and, map(np.isfinite, floats))
                missing = reduce(np.logical_or, map(np.isnan, floats))
                return bool((~np.isfinite(value) & finite).any() or (np.isnan(value) & ~missing).any())
            except ValueError:
                pass
        return has_nan(value) and not any(np.isnan(v).any() for v in floats)

    def _masks_missing(self, node: Node, run: Run) -> bool:
        """Whether a product takes NaN times 0, where an input is missing: the mask is meant to remove it."""
        made_of = self.made_of(node) - {node}
        if not any(has_nan(run.values[one]) for one in made_of & run.outside):
            return False
        if not made_of.isdisjoint(self._made_broken(run)):
            return False  # it is no missing number: what makes it is the cause
        one, other = (run.values[operand] for operand in node.operands)
        try:
            return bool(((np.isnan(one) & (other == 0)) | (np.isnan(other) & (one == 0))).any())
        except (TypeError, ValueError):
            return False

    def _made_broken(self, run: Run) -> set[Node]:
        """The nodes that turn numbers into NaN, or finite numbers into an infinity, in a run."""
        key = run, len(run.touched)  # of which some may still be to come
        if self._makers is None or self._makers[0] != key:
            broken = [one for one, value in run.values.items() if one not in run.outside and is_broken(value)]
            self._makers = key, {one for one in broken if self._breaks(one, run)}
        return self._makers[1]

    def _taken(self, node: Node, run: Run) -> bool:
        """Whether the program reaches a node: no condition around it is known to be the opposite."""
        return not any(run.denies(condition, holds) for condition, holds in node.under)

    def _seen(self, node: Node, broken: Collection[Node], run: Run) -> bool:
        """Whether the failure of a node reaches a result through non-finite values."""
        onward = self._spread(node, broken, run)
        if is_mask_in_logs(node, self.inputs) and not any(
            one is not node and has_nan(run.values[one]) and self.makes(one, run) for one in onward
        ):
            return False
        return any(one in onward for one in self.observed) or any(
            has_nan(run.values[one]) and any(map(_chooses, one.users)) for one in onward
        )

    def _spread(self, node: Node, broken: Collection[Node], run: Run) -> set[Node]:
        """The non-finite nodes to which the failure of a node leads."""
        return reached([node], lambda at: self._broken_users(at, broken, run))

    def _broken_users(self, node: Node, broken: Collection[Node], run: Run) -> list[Node]:
        return [user for user in node.users if user in broken and _takes(user, node, run)]

    def of_root(
        self,
        run: Run,
        situation: Situation,
        root: Root,
        broken: Collection[Node],
        compiled_only: bool,
        gradients: tuple[Mapping[Node, Any], Breaking] | None = None,
    ) -> Iterator[Failure]:
        """The failures in the gradient of a root that reach something trained."""
        back, breaking = run.backward([root.node]) if gradients is None else gradients
        if not breaking:
            return
        wrong = {node for node, grad in back.items() if not is_finite(grad)}
        for node, (operand, handed) in breaking.items():
            if node.op in ("unknown", "layer"):
                continue
            if self.facts.differentiated(node) is None or not self._taken(node, run):
                continue
            if self._trains([operand], wrong, root):
                # An infinity that is masked in the forward pass returns as 0 * inf: its cause is the op where it began.
                spoiled = [o for o in node.operands if o in broken]
                for cause in [node, *(n for n in reached(spoiled, _operands_in(broken)) if self.makes(n, run))]:
                    fitted = cause in run.approximate
                    yield Failure(cause, "gradient", situation, True, fitted, run, compiled_only, root, handed)

    def _trains(self, start: Sequence[Node], wrong: set[Node], root: Root) -> bool:
        """Whether a non-finite gradient reaches a trained value, or a source of the gradient; not behind data."""
        back = _operands_in(wrong)
        reaching = reached(start, lambda node: () if node in self.inputs.roles and self._is_data(node) else back(node))
        return any(self.is_trained(node, root) for node in reaching)

    def is_trained(self, node: Node, root: Root) -> bool:
        """Whether a gradient of a root is used at a node: the node is a source, or made of something trained."""
        if any(source.value == node.value for source in root.sources) or node.op in ("layer", "gradient"):
            return True
        if node.op == "variable":
            return self.inputs.role(node).name != roles.STATE
        outside = node.op in ("input", "placeholder") or (node.op == "unknown" and not node.operands)
        return outside and not self._is_data(node) and not self._has_weights(root)

    def _is_data(self, given: Node) -> bool:
        """Whether an input of the program is data, and not trained."""
        return self.inputs.role(given).name in UNTRAINED or is_prior(given, self.facts)

    def _has_weights(self, root: Root) -> bool:
        """Whether the differentiated value has weights of its own, so that its inputs are data.

        What is made of a gradient is differentiated once more to train the network that it is a gradient of.
        """
        return not root.inner and any(node.op in ("variable", "layer", "gradient") for node in self.made_of(root.node))


def _chooses(node: Node) -> bool:
    """Whether an op draws or chooses by what it is given: an infinity decides, and NaN makes the choice meaningless."""
    row = OPS.get(node.op)
    return node.op in CHOOSING or (row is not None and row.random and "logits" in row.operands)


def _is_infinite(value: Any) -> bool:
    """Whether a number of Python, or an element of an array, is not finite."""
    return is_broken(value) or (isinstance(value, float) and not math.isfinite(value))


def _operands_in(wanted: Collection[Node]) -> Callable[[Node], list[Node]]:
    return lambda node: [operand for operand in node.operands if operand in wanted]


def _takes(user: Node, node: Node, run: Run) -> bool:
    """Whether a `where` selects non-finite elements of this operand; those of the other operand may be intended."""
    if user.op != "where" or len(user.operands) != 3 or node is user.operands[0]:
        return True
    condition, value = (run.values.get(one) for one in (user.operands[0], node))
    if not isinstance(condition, np.ndarray) or not isinstance(value, np.ndarray):
        return True
    chosen = condition.astype(bool) if node is user.operands[1] else ~condition.astype(bool)
    try:
        return bool((chosen & ~np.isfinite(value)).any())
    except ValueError:
        return True


def broken_in(run: Run) -> set[Node]:
    """The nodes of a complete run that are not finite."""
    return {node for node, value in run.values.items() if is_broken(value)}
