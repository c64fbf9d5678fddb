"""Numbers for the inputs of a part of a flow: by role and shape, changed by the situation."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tfnanlint.flow import DYNAMIC, WITHIN, Node, reached
from tfnanlint.interval import NARROW_INTEGERS
from tfnanlint.ops.numeric import np
from tfnanlint.trial import roles
from tfnanlint.trial.changes import first_zero, real, row_zero, rows_apart
from tfnanlint.trial.column_evidence import is_given
from tfnanlint.trial.domains import DOMAINS, SMALL, UNIT, drawn_within, within
from tfnanlint.trial.evidence import is_fed, is_of_one_class, is_prior, is_sampled, name_of, role_of
from tfnanlint.trial.flags import is_off_by_default
from tfnanlint.trial.input_limits import COUNT_KIND, InputLimits, ends_of
from tfnanlint.trial.input_shapes import InputShapes
from tfnanlint.trial.limits import limits_of, number_of
from tfnanlint.trial.metrics import is_tally
from tfnanlint.trial.ordinary import calm, start_of, starts_at_a_number
from tfnanlint.trial.padding import padded_in, tokens_in
from tfnanlint.trial.pairs import compared_with, crossed_in, pairs_of, subtracted_in
from tfnanlint.trial.python_numbers import tables_of_numpy
from tfnanlint.trial.roles import Role
from tfnanlint.trial.shapes import classes_of
from tfnanlint.trial.situations import CALM, STARTING, Situation
from tfnanlint.trial.uses import is_cast_to_bool, is_of_pairs
from tfnanlint.trial.variables import (
    hidden_in,
    is_filled,
    is_kernel,
    is_of_linear_map,
    is_table,
    patches_in,
    starts_at_zero,
)

if TYPE_CHECKING:
    from tfnanlint.facts import Facts
    from tfnanlint.trial.run import Run

RECORDED = frozenset({roles.IMAGE, roles.SIGNAL})
"""Roles of what a device records, also as integers of which the largest stands for 1."""
BYTE = 255.0
"""The largest number of a pixel that is stored as a byte."""
PADDED = frozenset({roles.NOTHING, roles.POSITIVE, roles.INDICES, roles.BOX, roles.COUNT})
"""Roles of data that is padded with 0 only where the program masks it."""
PREDICTED = frozenset({roles.OUTPUT, roles.PROBABILITY, roles.CLASS_PROBABILITIES, roles.LABELS, roles.RECORD})
"""Roles on the two sides of a loss: the prediction and its label."""
WEIGHTS = frozenset({roles.WEIGHT, roles.ZERO_WEIGHT, roles.DRAWN_WEIGHT})
"""Roles of trained weights, whatever they start at."""
TRAINED_BY = 10.0
"""How far training moves a weight that is no part of a linear map: learning rates and gradients are small."""
FREE = frozenset(
    {
        roles.NOTHING,
        roles.FEATURES,
        roles.EMBEDDING,
        roles.STATE,
        roles.REWARD,
        roles.POSITIVE,
        roles.OUTPUT,
        roles.LOGITS,
        roles.WEIGHT,
    }
)
"""Roles that leave the domain of an input open if the name is the only evidence."""
UNSEEN = FREE | {roles.IMAGE, roles.SIGNAL}
"""Roles whose numbers are made up if an unknown function returns them."""
LATE = 1e5
"""A count of steps late in training."""
Made = dict[Node, tuple[str, Any]]
"""The numbers of inputs so far, each with the name of its role."""


class Inputs:
    """The inputs of a part of a flow, with their roles and shapes and the numbers that they are compared with."""

    def __init__(self, facts: Facts, nodes: Sequence[Node], shapes: Mapping[Node, tuple[int, ...]]) -> None:
        """`shapes`: what a search found, by input."""
        self.facts = facts
        self.roles: dict[Node, Role] = {}
        self._undisturbed: dict[tuple[Node, tuple[int, ...], str, str], Any] = {}
        """The numbers of inputs that a situation leaves as they are, by shape and domains."""
        self.domain = DOMAINS[0]
        """The domain of inputs without a stated one."""
        self._classes = classes_of(nodes)
        self.limits = InputLimits(facts, limits_of(nodes, self._number))
        self.padded = padded_in(nodes, lambda node: self.role(node).name)
        """The values of which the program masks what it computes, by the key of `padding`."""
        self.tokens = tokens_in(nodes)
        """The inputs of ids of which 0 is padding."""
        self.pairs = pairs_of(nodes)
        self.crossed = crossed_in(nodes)
        self.subtracted = subtracted_in(nodes)
        self.others = ""
        """The domain of made-up numbers instead, one of `DOMAINS`; "" for no other one."""
        self.states: dict[Node, Any] = {}
        """The states after the first step."""
        self.ordinary: Run | None = None
        """The run on an ordinary batch, once there is one."""
        self.blank = patches_in(nodes)
        """Convolutions of images, and these images."""
        self.hidden = hidden_in([node for node in nodes if node.op == "variable"], set(nodes))
        """The weights of hidden layers."""
        self.tables = tables_of_numpy(nodes)
        """The arrays that the program fills from its own numbers, which are the same in all situations."""
        self.shapes = InputShapes(facts, nodes, shapes)
        computed = [node for node in nodes if node.op != "const" or node.constant is DYNAMIC]
        self._places = {node: place for place, node in enumerate(computed)}
        self._calm: dict[tuple[Node, str, tuple[int, ...]], Any] = {}

    def role(self, node: Node) -> Role:
        """The role of an input."""
        if node not in self.roles:
            role = role_of(node, self.facts)
            if role.name == roles.LABELS and role.by_letter and self.domain != DOMAINS[0]:
                role = replace(role, name=roles.FEATURES)  # class labels would not be in such a domain
            self.roles[node] = role
        return self.roles[node]

    def may_have(self, node: Node, shape: tuple[int, ...]) -> bool:
        """Whether a search may choose a shape for an input."""
        return self.shapes.may_have(node, self.role(node), shape)

    def assume(self, domain: str) -> None:
        """Set the domain of inputs without a stated one."""
        self.domain = domain
        for node in [node for node, role in self.roles.items() if role.by_letter]:
            del self.roles[node]
            self.role(node)

    def _number(self, node: Node) -> float | None:
        """The value of a node that is a constant or a setting."""
        if node.op in ("input", "attribute") and self.role(node).name == roles.SETTING:
            value = calm(self.role(node), (), self._told_of(node), seed=0)
            return float(value) if isinstance(value, (int, float)) else None
        return number_of(node)

    def is_told(self, node: Node) -> bool:
        """Whether there is evidence for the numbers of an input besides its name."""
        role = self.role(node)
        if is_sampled(node, self.facts):
            return True
        if node.op == "layer" and not node.operands:  # an unknown model
            return False
        return role.name not in (roles.NOTHING, roles.STATE) and not (role.name in FREE and role.by_name)

    def is_unknown(self, node: Node) -> bool:
        """Whether the numbers of an input are made up: its role or the function that computes it is unknown."""
        role = self.role(node).name
        return role == roles.NOTHING or ((node.op == "unknown" or is_given(node)) and role in UNSEEN)

    def forget(self) -> None:
        """Drop what only further runs would need."""
        self.ordinary = None
        self._calm.clear()
        self._undisturbed.clear()

    def value(self, node: Node, like: Any, situation: Situation, made: Made) -> Any:
        """Numbers for an input in a situation, in the shape of `like` if that is given."""
        role = self.role(node)
        shape = self.shapes.of(node, role, like)
        if node in self.states or self.disturbs(situation, node):
            return self._in_situation(node, role, shape, situation, made)
        key = node, shape, self.domain, self.others
        value = self._undisturbed.get(key)
        if value is None:
            value = self._undisturbed[key] = self._in_situation(node, role, shape, CALM, made)
        return value

    def disturbs(self, situation: Situation, node: Node) -> bool:
        """Whether the numbers of an input are others in a situation."""
        if node.index in situation.spared or node in self.tables:
            return False
        role = self.role(node).name
        return (
            (role in situation.changes and not self._is_spared_as_fed(node, situation))
            or role in situation.copies
            or role in situation.equals
            or bool(self.limits.at(node, role, situation))
            or (situation.paired != "" and node in self.pairs)
            or self._is_padded(node, situation)
            or self.is_flipped(node, situation)
            or (situation.blanks_patches and node in self.blank)
        )

    def _is_spared_as_fed(self, node: Node, situation: Situation) -> bool:
        """Whether a situation is about what the program computes, and an input is data that is fed."""
        return self.role(node).name in situation.spares_fed_data_of and is_fed(node, self.facts)

    def _is_padded(self, node: Node, situation: Situation) -> bool:
        """Whether an input is 0 where the program masks what it computes of it."""
        if node not in self.padded.get(situation.padded_by or situation.side, ()) or self.role(node).name not in PADDED:
            return False
        return not is_prior(node, self.facts)

    def is_flipped(self, node: Node, situation: Situation) -> bool:
        """Whether an input is a flag that differs from its default in a situation."""
        return node.op == "input" and node.attrs.get("name") in situation.flags and "default" in node.attrs

    def _in_situation(self, node: Node, role: Role, shape: tuple[int, ...], situation: Situation, made: Made) -> Any:
        assumed = self.facts.assumptions.get(node)
        if assumed is not None and assumed.witness is not None:
            return self._typed(node, role, np.asarray(assumed.witness))
        free = not self.is_told(node) and node not in self.states and not self._is_never_negative(node)
        value = self._usual(node, shape, free)
        if role.name == roles.SETTING:
            return not value if isinstance(value, bool) and self.is_flipped(node, situation) else value
        value = self._at_full_scale(node, self._changed(node, value, situation, free))
        value = self.limits.beside(node, role.name, value, situation)
        if role.name in situation.equals:
            value = self._equal(node, value)
        value = self._copied(node, value, situation, made)
        if node in self.tokens and not np.any(value):  # no batch is nothing but padding
            value = first_zero(self._usual(node, shape, free))
        if free and self.domain == "small":
            value = np.clip(value, -SMALL, SMALL).astype(value.dtype)
        elif free and self.domain == "negative":
            value = -np.abs(value)
        elif free and self.domain != DOMAINS[0]:  # the program does not expect negative numbers
            value = np.maximum(np.abs(value), 1.0 if self.domain == "large" else 0.0)
        if is_sampled(node, self.facts) and value.dtype.kind in "iuf":
            value = np.clip(value, *ends_of(node, self.facts)).astype(value.dtype)
        if WITHIN in node.attrs and value.dtype.kind == "f":
            ends = node.attrs[WITHIN]
            value = drawn_within(value, *ends) if node.op == "unknown" else np.clip(value, *ends)
        return self._typed(node, role, value)

    def _is_never_negative(self, node: Node) -> bool:
        """Whether the name of an input keeps it out of the domain of negative numbers."""
        return self.domain == "negative" and self.role(node).name == roles.POSITIVE

    def _usual(self, node: Node, shape: tuple[int, ...], free: bool) -> Any:
        """The numbers of an input on an ordinary batch; a `free` one is moved into the domain."""
        role = self.role(node)
        key = node, role.name, shape
        if key not in self._calm:
            self._calm[key] = self._sampled(node, shape) if is_sampled(node, self.facts) else self._made_up(node, shape)
        value = self._calm[key]
        if role.name == roles.SETTING:
            return value
        value = np.resize(self.states[node], shape) if node in self.states else np.asarray(value)
        if free:
            value = np.asarray(within(value, self.domain))
        if self.others and self.is_unknown(node):
            value = np.asarray(within(value, self.others))
            value = np.sort(value, axis=0) if value.ndim else value  # lists of bounds, sizes or steps are ascending
        return self._assumed(node, value) if role.name == roles.ASSUMED else value

    def _made_up(self, node: Node, shape: tuple[int, ...]) -> Any:
        """Ordinary numbers of an input's role."""
        role, seed = self.role(node), self._places.get(node, node.index)
        ordered = role.evidence == roles.ORDERED
        if role.name == roles.INDICES:  # two inputs that index, such as a pair of items, do not name the same
            former = [o for one, o in self.roles.items() if o.name == role.name and one.index < node.index]
            seed = 0 if ordered else len(former)
            ordered = ordered or any(one.evidence == roles.ORDERED for one in former)
        value = calm(role, shape, self._told_of(node), seed, ordered)
        in_bytes = self.facts.dtype(node) in NARROW_INTEGERS or role.evidence == roles.OF_BYTES
        if role.name in RECORDED and in_bytes and np.size(value) > 1:
            value.flat[0], value.flat[-1] = 0.0, 1.0  # of so few numbers each occurs
        if role.name == roles.NOTHING and not self.limits.of(node, "below") and np.size(value) > 1:
            codes = self.limits.of(node, "at")  # what the program asks for by `==` occurs
            for place, code in enumerate(codes):
                value.flat[place :: len(codes) + 1] = code
        return value

    def _told_of(self, node: Node) -> Mapping[str, Any]:
        """The attributes of an input as the program states them, with its name and the number of its classes."""
        told = node.attrs if "name" in node.attrs else {**node.attrs, "name": name_of(node, self.facts)}
        if is_off_by_default(node):  # where the program asks for it, it is another number
            told = {name: value for name, value in told.items() if name != "default"}
        return {**told, "classes": self._classes[node]} if node in self._classes else told

    def _sampled(self, node: Node, shape: tuple[int, ...]) -> Any:
        """The sample of an input, cut or repeated to a shape."""
        value = np.asarray(self.facts.assumptions[node].sample)
        if value.ndim != len(shape) or 0 in value.shape:
            return np.resize(value, shape)
        for axis, size in enumerate(shape):
            value = np.take(value, np.arange(size), axis=axis, mode="wrap")
        return value

    def _changed(self, node: Node, value: Any, situation: Situation, free: bool) -> Any:
        """The numbers of an input after the change of a situation for its role."""
        role = self.role(node)
        change = None if self._is_spared_as_fed(node, situation) else situation.changes.get(role.name)
        if self._is_padded(node, situation):
            return first_zero(value)
        if situation.blanks_patches and node in self.blank:
            return first_zero(value)
        if change is None or (situation.of_metrics and not is_tally(node, self.facts)):
            return value
        if situation.zeroes_outputs and not self._may_start_at_zero(node, role):
            return value
        if roles.LOGITS in situation.changes and node in self.hidden:  # the scores are large, and no more than that
            return value
        if change is real and is_cast_to_bool(node):
            return value
        if role.name == roles.INDICES and is_of_pairs(node):  # no pair is one of a thing with itself
            return value
        made = node.op == "variable" or (node.op == "placeholder" and "initializer" in node.attrs)
        if role.name == roles.STATE and made and not starts_at_a_number(node.attrs):
            return value
        if role.name == roles.STATE and is_filled(node, self.facts):
            return value
        if change is row_zero and isinstance(node.attrs.get("initializer"), tuple):  # numbers that the program lists
            return value
        starts = situation.zeroes_outputs and role.name == roles.ZERO_WEIGHT
        if "constraint" in node.attrs and not starts:  # the optimizer keeps the weight where the program wants it
            return value
        usual = value
        if value.ndim == 1 and is_kernel(node):  # the kernel of a single unit
            value = np.asarray(change(value[:, None]))[:, 0]
        else:
            value = np.asarray(change(value))
        if role.name in WEIGHTS and value.ndim > 1 and is_table(node):
            value = rows_apart(value)
        traced = node in self.facts.flow.traced  # what it holds now need not be what training started from
        if node.op == "variable" and not traced and not is_of_linear_map(node):
            value = np.clip(value, usual - TRAINED_BY, usual + TRAINED_BY)
        if role.name == roles.STATE and situation.name in STARTING:
            value = value + start_of(node.attrs)
        if situation.opposed and node in self.pairs:
            value = -value
        if role.name == roles.LABELS and value.ndim > 1 and is_of_one_class(node, self.facts):
            of_one = value.any(-1, keepdims=True) & ((value == 1).sum(-1, keepdims=True) < 2)
            value = np.where(of_one, value, value.argmax(-1)[..., None] == np.arange(value.shape[-1]))
        if free and self.domain == "unit":
            value = np.clip(value, *((0.0, 1.0) if situation.needs_exact_values else UNIT))
        return value

    def _at_full_scale(self, node: Node, value: Any) -> Any:
        """Numbers of an image or a signal in the unit of its integer type, whose largest number stands for 1."""
        if self.role(node).evidence == roles.OF_BYTES and value.dtype.kind == "f":
            return np.clip(np.rint(value * BYTE), 0.0, BYTE)
        held = NARROW_INTEGERS.get(self.facts.dtype(node) or "")
        if held is None or self.role(node).name not in RECORDED or value.dtype.kind != "f":
            return value
        return np.clip(np.rint(value * held.hi), held.lo, held.hi).astype(self.facts.dtype(node))

    def _may_start_at_zero(self, node: Node, role: Role) -> bool:
        """Whether a weight or kernel starts at 0: code names the initializer of a layer, and a trace never shows it."""
        return role.name == roles.ZERO_WEIGHT or starts_at_zero(node) or node in self.facts.flow.traced

    def _copied(self, node: Node, value: Any, situation: Situation, made: Made) -> Any:
        """The numbers of an earlier input, in situations where the two are equal."""
        role = self.role(node)
        if role.name == roles.LABELS and is_of_one_class(node, self.facts):
            return value
        for source in situation.copies.get(role.name, ()):
            earlier = (held for other, (kind, held) in made.items() if kind == source and other.index < node.index)
            value = next((held for held in earlier if held.shape == value.shape), value)
        first = self.pairs.get(node)
        pairing = self._pairing(role.name, made[first][0]) if first in made and not _are_of_layers(first, node) else ""
        if first is not None and situation.paired and situation.paired == pairing:
            value = _alike(made[first][1], value, crossed=node in self.crossed)
        return value

    def _pairing(self, role: str, other: str) -> str:
        """The kind of a pair of inputs whose difference is taken: "prediction" and label, or "data"."""
        both = {role, other}
        if both & WEIGHTS and both <= roles.DATA:
            return "prediction"  # training brings a weight to what it is compared with
        if not both <= roles.DATA | {roles.LABELS, roles.RECORD}:
            return ""
        return "prediction" if both & PREDICTED else "data"

    def _equal(self, node: Node, value: Any) -> Any:
        """The ordinary value of what the program compares an input with."""
        assert self.ordinary is not None
        if roles.is_hot(name_of(node, self.facts)):
            return value
        for other in compared_with(node):
            held = self.ordinary.values.get(other)
            if other.op == "const" or not isinstance(held, np.ndarray):
                continue
            if held.ndim == value.ndim + 1 and held.size:  # one for all examples equals that of the first
                held = held[0]
            if held.shape == value.shape:
                return held.astype(value.dtype)
        return value

    def _assumed(self, node: Node, value: Any) -> Any:
        """Numbers for an input with an assumed range: its finite ends."""
        held = self.facts.range(node).outer
        ends = [end for end in (held.lo, held.hi) if math.isfinite(end)]
        if math.isinf(held.hi) and ends and COUNT_KIND in self.facts.assumptions[node].kinds:
            ends.append(LATE)
        return np.resize(np.asarray(ends), value.shape) if ends else value

    def _typed(self, node: Node, role: Role, value: Any) -> Any:
        dtype = self.facts.dtype(node)
        if dtype == "bool" or (role.name in roles.MASKS and role.evidence == roles.SELECTS):
            return value > 0.5
        if value.dtype.kind == "f":
            return value.astype(dtype if dtype in ("float16", "float64") else "float32")
        return value


def _are_of_layers(first: Node, second: Node) -> bool:
    """Whether two values come through different layers: then they are never equal. One layer may get equal inputs."""
    if first.op != "layer" or second.op != "layer":
        return False
    through = [
        {getattr(at.origin, "expr", None) for at in reached([node], lambda at: at.operands) if at.op == "layer"}
        for node in (first, second)
    ]
    return through[0] != through[1]


def _alike(first: Any, value: Any, crossed: bool) -> Any:
    """The numbers of another input in the shape of a value; with `crossed`, rows become columns.

    Where there are more columns than rows, the others stay as they are.
    """
    if not crossed or first.ndim != value.ndim or first.ndim < 2:
        return first if first.shape == value.shape else value
    turned = np.swapaxes(first, -1, -2)
    if turned.shape[1:] == value.shape[1:]:
        return np.resize(turned, value.shape)
    if any(a < b for a, b in zip(turned.shape[:-1], value.shape[:-1], strict=True)):
        return value
    common = tuple(slice(size) for size in (*value.shape[:-1], min(turned.shape[-1], value.shape[-1])))
    found = np.array(value)
    found[common] = turned[common]
    return found
