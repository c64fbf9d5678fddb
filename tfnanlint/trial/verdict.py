"""What a trial says: which op first makes something non-finite, in which situation, and whether anyone sees it.

A failure is an op that makes NaN or an infinity of finite operands, or a non-finite gradient of a finite one, in an
ordinary situation, when that reaches a result, a loss or a trained weight. What is masked, chosen away or absorbed on
the way ends by itself in the run.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from tfnanlint.flow import COMPARISONS, DYNAMIC, Node, Root
from tfnanlint.interval import Interval
from tfnanlint.ops import OPS
from tfnanlint.ops.numeric import compiled, np
from tfnanlint.ranges import Reach
from tfnanlint.trial import roles
from tfnanlint.trial.account import account
from tfnanlint.trial.limits import limits_of
from tfnanlint.trial.pairs import DIFFERENCES, pairs_of
from tfnanlint.trial.roles import Role, role_of
from tfnanlint.trial.run import REFUSALS, Run, Start, is_finite, reached
from tfnanlint.trial.shapes import DEFAULT_RANK, agrees, ranks_of, shape_of, shape_of_traced
from tfnanlint.trial.situations import CALM, EDGES, SITUATIONS, Situation, calm

if TYPE_CHECKING:
    from tfnanlint.facts import Facts

MOST_NODES = 3000
"""Of a larger part of a flow, what stands nearest to an op is tried, and not the whole."""
WINDOW = 240
"""So many nodes."""
MOST_WINDOWS = 20
"""For so many ops of a part."""
MOST_COMPUTED = 60_000
"""So many values are computed in the trials of one flow: those of small parts first."""
MOST_DRAWS = 3
"""Of so many random tensors one is tried that holds the least number."""
VAGUE = frozenset({roles.FEATURES, roles.STATE, roles.REWARD, roles.POSITIVE})
"""Roles of which single elements may be any number."""
POINTWISE = frozenset(
    "add subtract multiply divide neg square abs sqrt rsqrt log log1p exp expm1 pow reciprocal cast identity getitem"
    " sin cos expand_dims squeeze reshape transpose convert_to_tensor".split()
)
"""Ops that make one number of one number, and no special one of ordinary ones."""
DATA = frozenset(
    {
        roles.NOTHING,
        roles.FEATURES,
        roles.LOGITS,
        roles.ACTIVATED,
        roles.LOG_PROBABILITY,
        roles.OUTPUT,
        roles.PROBABILITY,
        roles.STATE,
        roles.REWARD,
        roles.POSITIVE,
        roles.IMAGE,
        roles.SIGNAL,
        roles.COUNT,
        roles.WEIGHT,
        roles.ZERO_WEIGHT,
        roles.DRAWN_WEIGHT,
        roles.TRANSFORMATION,
        roles.GRADIENT,
        roles.REAL_LABELS,
    }
)
"""Roles of real numbers, which may lie at any number that the program compares them with."""
BOUNDS = {
    roles.PROBABILITY: (0.0, 1.0),
    roles.COUNT: (0.0, np.inf),
    roles.POSITIVE: (0.0, np.inf),
    roles.LOG_PROBABILITY: (-np.inf, 0.0),
}
"""Where the numbers of a role lie, whatever they are compared with."""
PREDICTED = frozenset({roles.OUTPUT, roles.PROBABILITY, roles.LABELS, roles.REAL_LABELS})
WEIGHTS = frozenset({roles.WEIGHT, roles.ZERO_WEIGHT, roles.DRAWN_WEIGHT})
Made = dict[Node, tuple[str, Any]]
"""The inputs that have been made, each with the name of its role."""
NEAR = 2e-8
"""So near a point digits are lost already."""
DOMAINS = ("real", "positive", "large")
"""What inputs hold whose domain nobody states: the first of these with which a calm batch is finite."""
FREE = frozenset({roles.NOTHING, roles.FEATURES, roles.STATE, roles.REWARD, roles.POSITIVE, roles.OUTPUT})
"""Roles that leave open whether an input may be negative, where only its name tells the role."""
UNTRAINED = frozenset(
    {roles.LABELS, roles.REAL_LABELS, roles.MASK, roles.SETTING, roles.INDICES, roles.COUNT, roles.SIZE, roles.REWARD}
)
"""Inputs whose gradient nobody takes."""


@dataclass(frozen=True, eq=False)
class Failure:
    """An op that fails in a situation: in its value or in its gradient, and under which modes."""

    node: Node
    kind: str
    situation: Situation
    likely: bool
    approximate: bool
    run: Run = field(repr=False)
    compiled_only: bool = False
    root: Root | None = None
    handed: Any = field(default=None, repr=False)
    """The gradient that is not finite, of one that fails in its gradient."""

    @cached_property
    def account(self) -> str:
        """The run in a line: the small inputs, and the numbers along the way."""
        return account(self.run, self.node, self.kind, self.handed)


class Trials:
    """The failures of some parts of a flow, found when they are first asked for."""

    def __init__(
        self, facts: Facts, candidates: Iterable[Node], watched: Iterable[Node] = (), edges: bool = True
    ) -> None:
        """`candidates` are tried; of those `watched` the numbers are kept, to be asked whether they reach a region.

        Without `edges`, inputs of unknown roles stay calm: what fails at edges of these only is merely possible.
        """
        self.facts = facts
        situations = (*SITUATIONS, *EDGES) if edges else SITUATIONS
        left = MOST_COMPUTED
        self.failures: dict[Node, list[Failure]] = {}
        self._held: dict[Node, list[tuple[bool, Any]]] = {node: [] for node in watched}
        for nodes in sorted(_parts(facts, {*candidates, *self._held}), key=len):
            part = _Part(facts, nodes, self._held, situations, left)
            try:
                found = list(part.failures())
            except REFUSALS:  # nothing is known of a part that cannot be run
                continue
            left = part.left
            for failure in found:
                self.failures.setdefault(failure.node, []).append(failure)

    def reaches(self, node: Node, region: Interval) -> Reach:
        """Whether a watched value lies in a region, in an ordinary situation or at an edge of what is not known."""
        found = Reach.NO
        region = Interval(region.lo - NEAR, region.hi + NEAR)
        for likely, value in self._held.get(node, ()):
            if _inside(value, region):
                if likely:
                    return Reach.LIKELY
                found = Reach.UNKNOWN
        return found

    def of(self, nodes: Iterable[Node], kind: str = "", asked: Sequence[tuple[Node, Interval]] = ()) -> Failure | None:
        """The failure of some nodes that says most: a likely one before a possible one.

        Of `kind`, where it is said, and in a run in which each node that is `asked` of lies in its region.
        """
        found = [
            f
            for node in nodes
            for f in self.failures.get(node, ())
            if (not kind or f.kind == kind) and all(_inside(f.run.values.get(n), region) for n, region in asked)
        ]
        return min(found, key=lambda f: (not f.likely, f.compiled_only, f.approximate), default=None)


def _parts(facts: Facts, candidates: Iterable[Node]) -> Iterator[list[Node]]:
    """The parts of the flow that matter for some nodes: what they are made of, and what is made of them."""
    wanted = set(candidates)

    def needs(node: Node) -> tuple[Node, ...]:
        return (*node.operands, *_asked_by(node, facts))

    onward = reached(wanted, lambda node: node.users)
    every = reached(onward, needs)
    seen: set[Node] = set()
    for start in sorted(onward, key=lambda n: n.index):
        if start in seen:
            continue
        part = reached([start], lambda node: [n for n in (*needs(node), *node.users) if n in every and n.op != "const"])
        seen |= part
        constants = {o for node in part for o in needs(node) if o.op == "const"}
        whole = sorted(part | constants, key=lambda n: n.index)
        if len(whole) <= MOST_NODES:
            yield whole
        else:
            yield from _windows([node for node in whole if node in wanted])


def _asked_by(node: Node, facts: Facts) -> list[Node]:
    """What a run has to know besides a node's operands: lengths that are computed, and conditions."""
    flow = facts.flow
    found = [part for parts in flow.computed.get(node, {}).values() for part in parts]
    if node in flow.decided:
        found.append(flow.decided[node])
    return found + [condition for condition, _ in node.under]


def _windows(candidates: Sequence[Node]) -> Iterator[list[Node]]:
    """What stands nearest to each of some nodes of a large part, for as many of them as can be tried in time.

    The first of each op comes before the second of any: what there is a thousand times may be one thing each time.
    """
    met: Counter[str] = Counter()
    turns: list[tuple[int, int, Node]] = []
    for node in candidates:
        turns.append((met[node.op], node.index, node))
        met[node.op] += 1
    seen: set[Node] = set()
    count = 0
    for _, _, candidate in sorted(turns, key=itemgetter(0, 1)):
        if candidate in seen or count == MOST_WINDOWS:
            continue
        count += 1
        window = {candidate: None}
        waiting = [candidate]
        while waiting and len(window) < WINDOW:
            nearest, waiting = waiting, []
            for node in nearest:
                for other in (*node.operands, *sorted(node.users, key=seen.__contains__)):
                    if other not in window and len(window) < WINDOW:
                        window[other] = None
                        waiting.append(other)
        seen.update(window)
        yield sorted(window, key=lambda n: n.index)


class _Part:
    """A connected part of a flow, with the roles and ranks of its inputs."""

    def __init__(
        self,
        facts: Facts,
        nodes: list[Node],
        held: dict[Node, list[tuple[bool, Any]]],
        situations: Sequence[Situation] = SITUATIONS,
        left: int = MOST_COMPUTED,
    ) -> None:
        """`left` is how many values are still computed, in all situations together."""
        self.facts = facts
        self.situations = situations
        self.left = left
        self.nodes = nodes
        self.held = held
        self.inside = set(nodes)
        computed = [node for node in nodes if node.op != "const" or node.constant is DYNAMIC]
        self.places = {node: place for place, node in enumerate(computed)}
        self.ranks = ranks_of(nodes)
        self.loops = any(node.op == "loop" and len(node.operands) == 2 for node in nodes)
        self.limits = limits_of(nodes)
        self.pairs = pairs_of(nodes)
        self.roles: dict[Node, Role] = {}
        self.domain = DOMAINS[0]
        self.ordinary: Run | None = None
        self.made: Made = {}
        """The inputs of the ordinary run."""
        self._sources: dict[Node, set[Node]] = {}
        self._calm: dict[tuple[Node, tuple[int, ...]], Any] = {}
        flow = facts.flow
        self.roots = [root for root in facts.roots() if root.node in self.inside][:8]
        rooted = {root.node for root in self.roots}
        decisions = {condition for condition in flow.decided.values() if condition.op in COMPARISONS}
        self.observed = [
            node
            for node in nodes
            if node in flow.kept
            or node in flow.held
            or node in rooted
            or (not node.users and self._is_used_up(node))
            or any(user not in self.inside or user in decisions for user in node.users)
        ]

    def _is_used_up(self, node: Node) -> bool:
        """Whether a value that nothing is computed from is seen all the same.

        It is handed to someone, held by the module, or stands in a traced graph, which holds nothing that is not run;
        but what an op of the graph takes as a parameter is no end of it.
        """
        if node.op == "unknown":
            return bool(node.operands)
        scope = getattr(node.origin, "scope", None)
        if scope is not None:
            return bool(scope.kind == "module")
        traced = self.facts.flow.traced.get(node)
        return node.op != "const" and not (traced is not None and traced.used)

    # Running.

    def failures(self) -> Iterator[Failure]:
        with np.errstate(all="ignore"):
            try:
                self._settle_domain()
                yield from self._every()
            finally:
                self.ordinary = None  # it holds this part, too

    def _settle_domain(self) -> None:
        """Choose numbers for inputs without a stated domain such that an ordinary batch is finite."""
        fewest: tuple[int, str, Run, Made] | None = None
        for domain in DOMAINS:
            self.domain, self.made = domain, {}
            run = self.run(CALM)
            count = len(list(self._failing(run, CALM, False)))
            if fewest is None or count < fewest[0]:
                fewest = count, domain, run, self.made
            if count == 0:
                break
        assert fewest is not None
        _, self.domain, self.ordinary, self.made = fewest

    def _every(self) -> Iterator[Failure]:
        present: set[str] = set()
        for situation in self.situations:
            if self.left <= 0:
                return
            if not self._concerns(situation, present):
                continue
            for run, told in self._ways(situation):
                present = present or {role.name for role in self.roles.values()}
                for node in self.held.keys() & self.inside:
                    value = run.values.get(node)
                    if isinstance(value, np.ndarray) and value.dtype.kind in "fiub":
                        self.held[node].append((situation not in EDGES, value))
                yield from self._failing(run, told, situation in EDGES)

    def _ways(self, situation: Situation) -> Iterator[tuple[Run, Situation]]:
        """The runs of a situation: where an `if` asks for what is not known, one for each of its branches."""
        if situation.rare:
            yield from ((self.run(situation, rare), situation) for rare in self._random()[:MOST_DRAWS])
            return
        run = self.ordinary if situation is CALM else self.run(situation)
        assert run is not None
        yield run, situation
        if situation.steps == 1 and self.loops and len(self.nodes) <= WINDOW:
            turned = replace(situation, steps=2)  # what counts from 0 is another number in the second turn
            yield self.run(turned), turned
        if run.undecided and situation.steps == 1:
            other = replace(situation, sentence=f"{situation.sentence}, where an `if` does not hold", branch=False)
            yield self.run(other), other

    def _concerns(self, situation: Situation, present: set[str]) -> bool:
        """Whether a situation changes anything here, where inputs of some roles are present."""
        concerned = {*situation.changes, *situation.copies, *situation.equals}
        if present and concerned and not concerned & present and not (situation.paired and self.pairs):
            return False
        if situation.steps > 1:
            return self.loops
        if situation.side:
            return any((n, situation.side) in self.limits and role.name in DATA for n, role in self.roles.items())
        if situation.rare:
            return bool(self._random())
        return True

    def run(self, situation: Situation, rare: Node | None = None) -> Run:
        start = self._start(situation)
        made = dict(self.made) if start is not None else self.made

        def leaf(node: Node, like: Any) -> Any:
            role = self.role(node)
            value = self._value(node, role, like, situation, made)
            if isinstance(value, np.ndarray):
                made[node] = role.name, value
                if like is not None and like.dtype.kind == "f" and not np.isfinite(like).all():
                    value = np.full_like(value, np.nan)
            return value

        run = Run(self.facts, self.nodes, leaf, situation.branch, situation.steps, rare, start)
        self.left -= len(run.touched)
        return run

    def _random(self) -> list[Node]:
        return [node for node in self.nodes if node.op in OPS and OPS[node.op].random]

    def _start(self, situation: Situation) -> Start | None:
        """The ordinary run, and what is other than there in a situation."""
        if self.ordinary is None:
            return None
        concerned = {*situation.changes, *situation.copies, *situation.equals}
        differing = {
            node
            for node, role in self.roles.items()
            if role.name in concerned
            or role.name == roles.ASSUMED
            or (situation.side and (node, situation.side) in self.limits)
            or (situation.paired and node in self.pairs)
        }
        if not situation.branch:
            differing |= {node for node in self.nodes if node.op in ("phi", "absent")}
        if situation.rare:
            differing |= set(self._random())
        return Start(self.ordinary, differing, lambda node: self.dependents.get(node, ()))

    @cached_property
    def dependents(self) -> dict[Node, list[Node]]:
        """By node, those for which a run has to know it."""
        found: dict[Node, list[Node]] = {}
        for node in self.nodes:
            asked = _asked_by(node, self.facts)
            if node.op == "phi":
                asked += [condition for operand in node.operands for condition, _ in operand.under]
            for one in {*node.operands, *asked}:
                found.setdefault(one, []).append(node)
        return found

    def role(self, node: Node) -> Role:
        if node not in self.roles:
            self.roles[node] = role_of(node, self.facts)
        return self.roles[node]

    def _value(self, node: Node, role: Role, like: Any, situation: Situation, made: Made) -> Any:
        assumed = self.facts.assumptions.get(node)
        if assumed is not None and assumed.witness is not None:
            return self._typed(node, role, np.asarray(assumed.witness))
        traced = self.facts.flow.traced.get(node)
        known = traced.shape if traced is not None else None
        if known is not None and (like is None or not agrees(like.shape, known)):
            shape = shape_of_traced(known)
        else:
            shape = like.shape if like is not None else self._shape(node, role)
        key = node, shape
        if key not in self._calm:
            self._calm[key] = calm(role, shape, node.attrs, seed=self.places[node])
        value = self._calm[key]
        if role.name == roles.SETTING:
            return value
        value = np.asarray(value)
        free = role.name in (roles.NOTHING, roles.STATE) or (role.name in FREE and "name" in role.evidence)
        if free:
            value = _within_domain(value, self.domain)
        if role.name == roles.ASSUMED:
            value = self._assumed(node, value)
        change = situation.changes.get(role.name)
        if change is not None:
            value = np.asarray(change(value))
        limits = self.limits.get((node, situation.side)) if role.name in DATA else None
        if limits is not None:
            value = np.clip(_beside(limits, situation.side, value), *BOUNDS.get(role.name, (-np.inf, np.inf)))
        if role.name in situation.equals:
            value = self._equal(node, value)
        for source in situation.copies.get(role.name, ()):
            value = next(
                (
                    held
                    for other, (kind, held) in made.items()
                    if kind == source and other.index < node.index and held.shape == value.shape
                ),
                value,
            )
        first = self.pairs.get(node)
        if first in made and situation.paired and situation.paired == self._pairing(role.name, made[first][0]):
            value = made[first][1] if made[first][1].shape == value.shape else value
        if free and self.domain != DOMAINS[0]:  # the program takes it for no negative number
            value = np.maximum(np.abs(value), 0.0 if self.domain == "positive" else 1.0)
        return self._typed(node, role, value)

    def _pairing(self, role: str, other: str) -> str:
        """What two inputs are to each other whose difference is taken: a prediction and its label, or data."""
        both = {role, other}
        if both & WEIGHTS and both <= DATA:
            return "prediction"  # what is trained comes to be what it is compared with
        if not both <= DATA | {roles.LABELS}:
            return ""
        return "prediction" if both & PREDICTED else "data"

    def _equal(self, node: Node, value: Any) -> Any:
        """What the program computes and takes the difference to, as it is on an ordinary batch."""
        assert self.ordinary is not None
        for user in node.users:
            if user.op in DIFFERENCES and len(user.operands) == 2:
                other = user.operands[1 if user.operands[0] is node else 0]
                held = self.ordinary.values.get(other)
                if other.op != "const" and isinstance(held, np.ndarray) and held.shape == value.shape:
                    return held.astype(value.dtype)
        return value

    def _assumed(self, node: Node, value: Any) -> Any:
        """Numbers that an input is assumed to reach: the ends of its range, as far as they are finite."""
        held = self.facts.range(node).outer
        ends = [end for end in (held.lo, held.hi) if math.isfinite(end)]
        return np.resize(np.asarray(ends), value.shape) if ends else value

    def _shape(self, node: Node, role: Role) -> tuple[int, ...]:
        if role.name == roles.SETTING:
            return ()
        rank = self.ranks.get(node, 0)
        if role.name in (roles.INDICES, roles.COUNT):
            return shape_of(max(rank, 1), node.attrs)
        return shape_of(max(rank, DEFAULT_RANK), node.attrs)

    def _typed(self, node: Node, role: Role, value: Any) -> Any:
        dtype = self.facts.dtype(node)
        if dtype == "bool" or (role.name == roles.MASK and role.evidence == "it selects"):
            return value > 0.5
        if value.dtype.kind == "f":
            return value.astype(dtype if dtype in ("float16", "float64") else "float32")
        return value

    # Judging.

    def _failing(self, run: Run, situation: Situation, edge: bool) -> Iterator[Failure]:
        held = self.ordinary.values if self.ordinary is not None else {}
        changed = [node for node in run.touched if run.values[node] is not held.get(node, run)]
        broken = {node for node in changed if _broken(run.values[node])}
        if self.ordinary is not None:
            broken |= self.ordinarily_broken.difference(changed)
            if not changed and run is not self.ordinary:
                return
        for node in broken:
            if self._makes(node, run) and self._taken(node, run) and self._seen(node, broken, run):
                likely = not edge and not self._by_chance(node, situation) and not self._is_coincidence(node, situation)
                yield Failure(node, "value", situation, likely, node in run.approximate, run)
        for root in self.roots:
            touched = run is self.ordinary or not self._made_of(root).isdisjoint(changed)
            if root.node not in broken and touched:
                yield from self._gradients(run, situation, edge, root, broken)

    def _made_of(self, root: Root) -> set[Node]:
        """What is computed for a root."""
        if root.node not in self._sources:
            self._sources[root.node] = reached([root.node], lambda at: at.operands)
        return self._sources[root.node]

    @cached_property
    def ordinarily_broken(self) -> set[Node]:
        """The nodes that are not finite on an ordinary batch."""
        assert self.ordinary is not None
        return {node for node in self.nodes if _broken(self.ordinary.values[node])}

    def _makes(self, node: Node, run: Run) -> bool:
        """Whether a node makes NaN of what is none, or an infinity of finite numbers."""
        if node.op in ("const", "unknown", "input", "placeholder"):
            return False
        value = run.values[node]
        operands = [v for v in (run.values.get(o) for o in node.operands) if isinstance(v, np.ndarray)]
        floats = [v for v in operands if v.dtype.kind in "fc"]
        if all(np.isfinite(v).all() for v in floats):
            return True
        row = OPS.get(node.op)
        if row is not None and row.elementwise and isinstance(value, np.ndarray):
            try:  # element by element: others may not be finite already
                finite = np.logical_and.reduce(np.broadcast_arrays(*(np.isfinite(v) for v in floats)))
                real = np.logical_and.reduce(np.broadcast_arrays(*(~np.isnan(v) for v in floats)))
                return bool((~np.isfinite(value) & finite).any() or (np.isnan(value) & real).any())
            except ValueError:
                pass
        return _has_nan(value) and not any(np.isnan(v).any() for v in floats)

    def _taken(self, node: Node, run: Run) -> bool:
        """Whether the program comes by a node: no condition that it stands under is known to be the other way."""
        return not any(run.denies(condition, holds) for condition, holds in node.under)

    def _seen(self, node: Node, broken: set[Node], run: Run) -> bool:
        """Whether what a node makes reaches a result through values that are not finite either."""
        onward = reached([node], lambda at: [user for user in at.users if user in broken and _takes(user, at, run)])
        return any(one in onward for one in self.observed)

    def _gradients(
        self, run: Run, situation: Situation, edge: bool, root: Root, broken: set[Node]
    ) -> Iterator[Failure]:
        found = list(self._of_root(run, situation, root, broken, compiled_only=False))
        if not found:
            with compiled():
                found = list(self._of_root(run, situation, root, broken, compiled_only=True))
        for one in found:
            yield replace(one, likely=not edge and not self._by_chance(one.node, situation))

    def _by_chance(self, node: Node, situation: Situation) -> bool:
        """Whether a failure takes single numbers of an input to be special, and nothing says that they ever are.

        A row of zeros is ordinary, also for the op that reduces it, and so are zeros behind a ReLU; that an element of
        what a parameter `x` holds is exactly 0, where the program divides by that element, is not.
        """
        if situation.rare:
            return not any(one.op in OPS and OPS[one.op].random for one in self._elements(node))
        if not situation.exact or situation.name == CALM.name or node.op not in POINTWISE:
            return False
        ends = [
            one for one in self._elements(node) if one is not node and one.op not in POINTWISE and one.op != "const"
        ]
        return bool(ends) and all(one in self.roles and self._by_name_only(one) for one in ends)

    def _is_coincidence(self, node: Node, situation: Situation) -> bool:
        """Whether a value fails because two inputs are equal, whose difference the program takes to be other than 0."""
        if situation.paired != "data":
            return False
        return not self.pairs.keys().isdisjoint(reached([node], lambda at: at.operands))

    def _elements(self, node: Node) -> set[Node]:
        """What single numbers of a value are made of."""
        return reached([node], lambda at: at.operands if at.op in POINTWISE else ())

    def _by_name_only(self, node: Node) -> bool:
        role = self.roles[node]
        return role.name == roles.SETTING or (role.name in VAGUE and "name" in role.evidence)

    def _of_root(
        self, run: Run, situation: Situation, root: Root, broken: set[Node], compiled_only: bool
    ) -> Iterator[Failure]:
        back, breaking = run.backward([root.node])
        if not breaking:
            return
        wrong = {node for node, grad in back.items() if not is_finite(grad)}
        for node, (operand, handed) in breaking.items():
            if node.op in ("unknown", "layer"):
                continue
            if self.facts.differentiated(node) is None or not self._taken(node, run):
                continue
            if self._trains([operand], wrong, root):
                # What is infinite forward and masked there comes back as 0 times infinity: the cause is where it began.
                spoiled = [o for o in node.operands if o in broken]
                for cause in [node, *(n for n in reached(spoiled, _operands_in(broken)) if self._makes(n, run))]:
                    fitted = cause in run.approximate
                    yield Failure(cause, "gradient", situation, True, fitted, run, compiled_only, root, handed)

    def _trains(self, start: Sequence[Node], wrong: set[Node], root: Root) -> bool:
        """Whether a gradient that is not finite reaches what is trained, or what is differentiated with respect to."""
        spoiled = reached(start, lambda at: [o for o in at.operands if o in wrong])
        sources = {source.value for source in root.sources}
        for node in spoiled:
            if node.value in sources or node.op in ("variable", "layer", "gradient"):
                return True
            outside = node.op in ("input", "placeholder") or (node.op == "unknown" and not node.operands)
            if outside and self.role(node).name not in UNTRAINED and not self._has_weights(root):
                return True
        return False

    def _has_weights(self, root: Root) -> bool:
        """Whether what is differentiated has weights of its own, so that its inputs are data."""
        if root.how.startswith("returned"):
            return False
        return any(node.op in ("variable", "layer") for node in self._made_of(root))


def _operands_in(wanted: set[Node]) -> Callable[[Node], list[Node]]:
    return lambda node: [operand for operand in node.operands if operand in wanted]


def _takes(user: Node, node: Node, run: Run) -> bool:
    """Whether a choice takes what is not finite of a value: what it chooses besides may not be finite on purpose."""
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


def _inside(value: Any, region: Interval) -> bool:
    """Whether some element of a value lies in a region."""
    if isinstance(value, (int, float)):
        return value in region
    if not isinstance(value, np.ndarray) or value.dtype.kind not in "fiub":
        return False
    return bool((np.isfinite(value) & (value >= region.lo) & (value <= region.hi)).any())


def _broken(value: Any) -> bool:
    if isinstance(value, (tuple, list)):
        return any(map(_broken, value))
    return isinstance(value, np.ndarray) and value.dtype.kind in "fc" and not bool(np.isfinite(value).all())


def _has_nan(value: Any) -> bool:
    if isinstance(value, (tuple, list)):
        return any(map(_has_nan, value))
    return isinstance(value, np.ndarray) and value.dtype.kind in "fc" and bool(np.isnan(value).any())


def _beside(limits: Sequence[float], side: str, value: Any) -> Any:
    """Numbers at, below or above those with which the program compares an input."""
    points = np.asarray(limits, float)
    if side == "below":
        points = points - 1.0 - np.abs(points)
    elif side == "above":
        points = points + 1.0 + np.abs(points)
    return np.resize(points, np.shape(value))


def _within_domain(value: Any, domain: str) -> Any:
    if domain == "positive":
        return 0.1 + 0.8 / (1.0 + np.exp(-value))
    if domain == "large":
        return 1.2 + np.abs(value)
    return value
