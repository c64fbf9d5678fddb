"""Numbers for the inputs of a part of a flow: what each is, how large, and what a situation makes of it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tfnanlint.facts.kinds import LINEAR_LAYERS
from tfnanlint.flow import DYNAMIC, Node
from tfnanlint.ops.numeric import np
from tfnanlint.trial import roles
from tfnanlint.trial.evidence import is_given, role_of
from tfnanlint.trial.limits import limits_of, number_of
from tfnanlint.trial.pairs import DIFFERENCES, crossed_in, pairs_of
from tfnanlint.trial.roles import Role
from tfnanlint.trial.shapes import (
    CHANNELS,
    DEFAULT_RANK,
    agrees,
    lengths_of,
    ranks_of,
    shape_of,
    shape_of_traced,
    squares_of,
)
from tfnanlint.trial.situations import STARTING, UNTRAINED, Situation, calm, start_of

if TYPE_CHECKING:
    from tfnanlint.facts import Facts
    from tfnanlint.trial.run import Run

DATA = frozenset(
    {
        roles.NOTHING,
        roles.FEATURES,
        roles.LOGITS,
        roles.ACTIVATED,
        roles.LOG_PROBABILITY,
        roles.DRAWN_LOG_PROBABILITY,
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
    }
)
"""Roles of real numbers, which may lie at any number that the program compares them with."""
COMPARED = DATA | {roles.LABELS, roles.INDICES}
"""Roles that lie at the numbers that the program compares them with: labels that are to be left out, too."""
BOUNDS = {
    roles.PROBABILITY: (0.0, 1.0),
    roles.COUNT: (0.0, np.inf),
    roles.POSITIVE: (0.0, np.inf),
    roles.INDICES: (0.0, np.inf),
    roles.LOG_PROBABILITY: (-np.inf, 0.0),
    roles.DRAWN_LOG_PROBABILITY: (-np.inf, 0.0),
}
"""Where the numbers of a role lie, whatever they are compared with."""
PREDICTED = frozenset({roles.OUTPUT, roles.PROBABILITY, roles.LABELS})
"""Roles that stand on a side of a loss: what is predicted, and what it should be."""
WEIGHTS = frozenset({roles.WEIGHT, roles.ZERO_WEIGHT, roles.DRAWN_WEIGHT})
"""Roles of what is trained, whatever it starts at."""
ASIDE = 1.25
"""How far beside a number others lie at least: at none that is special itself."""
DOMAINS = ("real", "positive", "unit", "large")
"""What inputs hold whose domain nobody states: the first of these with which a calm batch is finite."""
UNIT = (0.1, 0.9)
"""Where the numbers of the domain "unit" lie, of an outlier, too: a logarithm of `1 - x` takes no other."""
FREE = frozenset({roles.NOTHING, roles.FEATURES, roles.STATE, roles.REWARD, roles.POSITIVE, roles.OUTPUT, roles.LOGITS})
"""Roles that leave open whether an input may be negative, where only its name tells the role."""
UNSEEN = FREE | {roles.IMAGE, roles.SIGNAL}
"""Roles whose numbers a trial makes up where a function gives them that nobody knows."""
COUNTED, LATE = "count", 1e5
"""A kind of value that goes on and on, and where a long training comes to."""
Made = dict[Node, tuple[str, Any]]
"""The inputs that have been made, each with the name of its role."""


class Inputs:
    """The inputs of a part of a flow, with their roles, their shapes and what the program compares them with."""

    def __init__(self, facts: Facts, nodes: Sequence[Node]) -> None:
        self.facts = facts
        self.roles: dict[Node, Role] = {}
        self.domain = DOMAINS[0]
        """What inputs hold whose domain nobody states."""
        self.limits = limits_of(nodes, self._number)
        self.pairs = pairs_of(nodes)
        self.crossed = crossed_in(nodes)
        self.others = ""
        """Where the numbers lie instead of which nothing is known: one of `DOMAINS`, or nowhere else."""
        self.states: dict[Node, Any] = {}
        """What the program keeps from one step to the next, as a first step leaves it."""
        self.ordinary: Run | None = None
        """The run on an ordinary batch, once it is made."""
        self._ranks, self._lengths, self._squares = ranks_of(nodes), lengths_of(nodes), squares_of(nodes)
        computed = [node for node in nodes if node.op != "const" or node.constant is DYNAMIC]
        self._places = {node: place for place, node in enumerate(computed)}
        self._calm: dict[tuple[Node, str, tuple[int, ...]], Any] = {}

    def role(self, node: Node) -> Role:
        """What an input is."""
        if node not in self.roles:
            role = role_of(node, self.facts)
            if role.name == roles.LABELS and role.by_letter and self.domain != DOMAINS[0]:
                role = replace(role, name=roles.FEATURES)  # no class is in such a domain
            self.roles[node] = role
        return self.roles[node]

    def assume(self, domain: str) -> None:
        """Choose numbers from a domain for the inputs whose domain is not stated."""
        self.domain = domain
        for node in [node for node, role in self.roles.items() if role.by_letter]:
            del self.roles[node]
            self.role(node)

    def _number(self, node: Node) -> float | None:
        """The number that a node is, where it is a constant or a setting."""
        if node.op in ("input", "attribute") and self.role(node).name == roles.SETTING:
            value = calm(self.role(node), (), node.attrs, seed=0)
            return float(value) if isinstance(value, (int, float)) else None
        return number_of(node)

    def is_told(self, node: Node) -> bool:
        """Whether the program tells what numbers an input holds, and not only its name or nothing at all."""
        role = self.role(node)
        if node.op == "layer" and not node.operands:  # a model of which nothing is known
            return False
        return role.name not in (roles.NOTHING, roles.STATE) and not (role.name in FREE and role.by_name)

    def is_unknown(self, node: Node) -> bool:
        """Whether the numbers of an input are made up: nothing is known of it, or a function makes it that is not."""
        role = self.role(node).name
        return role == roles.NOTHING or ((node.op == "unknown" or is_given(node)) and role in UNSEEN)

    def value(self, node: Node, like: Any, situation: Situation, made: Made) -> Any:
        """Numbers for an input in a situation, of the shape of `like` where that is given."""
        role = self.role(node)
        assumed = self.facts.assumptions.get(node)
        if assumed is not None and assumed.witness is not None:
            return self._typed(node, role, np.asarray(assumed.witness))
        free = not self.is_told(node) and node not in self.states
        value = self._usual(node, self._shape_like(node, like), free)
        if role.name == roles.SETTING:
            return value
        value = self._changed(node, value, situation, free)
        value = self._beside_limits(node, value, situation)
        if role.name in situation.equals:
            value = self._equal(node, value)
        value = self._copied(node, value, situation, made)
        if free and self.domain != DOMAINS[0]:  # the program takes it for no negative number
            value = np.maximum(np.abs(value), 1.0 if self.domain == "large" else 0.0)
        return self._typed(node, role, value)

    def _shape_like(self, node: Node, like: Any) -> tuple[int, ...]:
        traced = self.facts.flow.traced.get(node)
        known = traced.shape if traced is not None else None
        if known is not None and (like is None or not agrees(like.shape, known)):
            return shape_of_traced(known)
        return like.shape if like is not None else self._shape(node, self.role(node))

    def _usual(self, node: Node, shape: tuple[int, ...], free: bool) -> Any:
        """What an input holds on an ordinary batch: in a domain, where nothing states its numbers."""
        role = self.role(node)
        key = node, role.name, shape
        if key not in self._calm:
            self._calm[key] = calm(role, shape, node.attrs, seed=self._places.get(node, node.index))
        value = self._calm[key]
        if role.name == roles.SETTING:
            return value
        value = np.resize(self.states[node], shape) if node in self.states else np.asarray(value)
        if free:
            value = np.asarray(_within_domain(value, self.domain))
        if self.others and self.is_unknown(node):
            value = np.asarray(_within_domain(value, self.others))
            value = np.sort(value, axis=0) if value.ndim else value  # a list of bounds, of sizes, of steps rises
        return self._assumed(node, value) if role.name == roles.ASSUMED else value

    def _changed(self, node: Node, value: Any, situation: Situation, free: bool) -> Any:
        """What a situation makes of the numbers of an input by its role."""
        role = self.role(node)
        change = situation.changes.get(role.name)
        if change is None or (situation.name == UNTRAINED.name and self._starts_at_random(node)):
            return value
        value = np.asarray(change(value))
        if role.name == roles.STATE and situation.name in STARTING:
            value = value + start_of(node.attrs)
        if situation.opposed and node in self.pairs:
            value = -value
        if free and self.domain == "unit":
            value = np.clip(value, *((0.0, 1.0) if situation.exact else UNIT))
        return value

    def _starts_at_random(self, node: Node) -> bool:
        """Whether a layer's kernel starts at random numbers: source names another initializer, a trace names none."""
        linear = node.attrs.get("kind") in LINEAR_LAYERS
        return linear and "kernel_initializer" not in node.attrs and node not in self.facts.flow.traced

    def _beside_limits(self, node: Node, value: Any, situation: Situation) -> Any:
        """Numbers at or beside those that the program compares an input with, if the situation is about them."""
        role = self.role(node)
        limits = self.limits.get((node, situation.side)) if role.name in COMPARED else None
        if limits is None:
            return value
        lo, hi = BOUNDS.get(role.name, (-np.inf, np.inf))
        if role.name == roles.INDICES:  # what stands for none may be less than 0, as -1
            lo = min(lo, *limits)
        beside = np.clip(_beside(limits, situation.side, value), lo, hi)
        return beside if value.dtype.kind == "f" else beside.astype(value.dtype)

    def _copied(self, node: Node, value: Any, situation: Situation, made: Made) -> Any:
        """The numbers of an earlier input, if the situation says that the two are equal."""
        role = self.role(node)
        for source in situation.copies.get(role.name, ()):
            earlier = (held for other, (kind, held) in made.items() if kind == source and other.index < node.index)
            value = next((held for held in earlier if held.shape == value.shape), value)
        first = self.pairs.get(node)
        if first in made and situation.paired and situation.paired == self._pairing(role.name, made[first][0]):
            value = _alike(made[first][1], value, crossed=node in self.crossed)
        return value

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
        if math.isinf(held.hi) and ends and COUNTED in self.facts.assumptions[node].kinds:
            ends.append(LATE)
        return np.resize(np.asarray(ends), value.shape) if ends else value

    def _shape(self, node: Node, role: Role) -> tuple[int, ...]:
        if role.name == roles.SETTING:
            return ()
        rank = self._ranks.get(node, 0)
        if role.name in (roles.INDICES, roles.LENGTHS, roles.COUNT, roles.SIZE):
            return shape_of(max(rank, 1), node.attrs)
        shape = shape_of(max(rank, DEFAULT_RANK), node.attrs)
        stated = node.attrs.get("shape")
        if node in self._squares and len(shape) > 1 and stated is None:
            return (*shape[:-2], shape[-1], shape[-1])
        if node in self._squares and isinstance(stated, tuple) and len(stated) == 2 and not isinstance(stated[0], int):
            return CHANNELS, shape[1]
        return (*shape[:-1], max(shape[-1], self._lengths[node])) if shape and node in self._lengths else shape

    def _typed(self, node: Node, role: Role, value: Any) -> Any:
        dtype = self.facts.dtype(node)
        if dtype == "bool" or (role.name == roles.MASK and role.evidence == roles.SELECTS):
            return value > 0.5
        if value.dtype.kind == "f":
            return value.astype(dtype if dtype in ("float16", "float64") else "float32")
        return value


def _beside(limits: Sequence[float], side: str, value: Any) -> Any:
    """Numbers at, below or above those with which the program compares an input."""
    points = np.asarray(limits, float)
    if side == "below":
        points = points - ASIDE - np.abs(points)
    elif side == "above":
        points = points + ASIDE + np.abs(points)
    return np.resize(points, np.shape(value))


def _alike(first: Any, value: Any, crossed: bool) -> Any:
    """The numbers of another input in the shape of a value; with `crossed`, its rows are the other's columns."""
    if not crossed or first.ndim != value.ndim or first.ndim < 2:
        return first if first.shape == value.shape else value
    turned = np.swapaxes(first, -1, -2)
    if turned.shape[1:] == value.shape[1:]:
        return np.resize(turned, value.shape)
    fits = all(a >= b for a, b in zip(turned.shape, value.shape, strict=True))
    return turned[tuple(slice(size) for size in value.shape)] if fits else value


def _within_domain(value: Any, domain: str) -> Any:
    """Ordinary numbers of either sign, moved into a domain in their order."""
    share = 1.0 / (1.0 + np.exp(-value))
    if domain == "positive":
        return 0.2 + 4.0 * share
    if domain == "unit":
        return UNIT[0] + (UNIT[1] - UNIT[0]) * share
    if domain == "large":
        return 1.2 + np.abs(value)
    return value
