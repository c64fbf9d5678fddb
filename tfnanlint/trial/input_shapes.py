"""Shapes of the inputs of a part of a flow: by what the program states, by their uses, by their roles, or as solved."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tfnanlint.flow import Node
from tfnanlint.trial import roles
from tfnanlint.trial.boxes import COLUMNS
from tfnanlint.trial.evidence import name_of
from tfnanlint.trial.roles import Role
from tfnanlint.trial.shapes import (
    CHANNELS,
    DEFAULT_RANK,
    LARGEST,
    agrees,
    deciding,
    lengths_of,
    ranks_compared,
    ranks_of,
    shape_of,
    shape_of_traced,
    squares_of,
    vectors_of,
    width_of,
    windows_of,
)
from tfnanlint.vocabulary import words_of

if TYPE_CHECKING:
    from tfnanlint.facts import Facts

QUATERNION = 4
"""The elements of a rotation that is given by a quaternion."""


class InputShapes:
    """The shapes of the inputs of one part."""

    def __init__(self, facts: Facts, nodes: Sequence[Node], solved: Mapping[Node, tuple[int, ...]]) -> None:
        """`solved`: what a search found, by input."""
        self._facts, self._solved = facts, solved
        self._usual: dict[tuple[Node, str], tuple[int, ...]] = {}
        self._ranks, self._squares = ranks_of(nodes, facts.flow.computed), squares_of(nodes)
        self._compared = ranks_compared(nodes, self._ranks)
        self._lengths = lengths_of(nodes, self._ranks)
        self._windows, self._vectors = windows_of(nodes), vectors_of(nodes)
        self._deciding = deciding(nodes)

    def of(self, node: Node, role: Role, like: Any) -> tuple[int, ...]:
        """The shape of an input with a role; that of `like`, if given, is what the program computes it in."""
        traced = self._facts.flow.traced.get(node)
        known = traced.shape if traced is not None else None
        if known is not None and (like is None or not agrees(like.shape, known)):
            return shape_of_traced(known)
        found = self._solved.get(node)
        if found is not None:
            return found if like is None or node.op != "layer" or not found else (*like.shape[:-1], found[-1])
        if like is not None and node.op == "unknown" and like.ndim:  # it need not have as many columns as what it takes
            return (*like.shape[:-1], max(like.shape[-1], self._lengths.get(node, 0)))
        if like is not None:
            return tuple(like.shape)
        usual = self._usual.get((node, role.name))
        if usual is None:
            usual = self._usual[node, role.name] = self._by_role(node, role)
        return usual

    def may_have(self, node: Node, role: Role, shape: tuple[int, ...]) -> bool:
        """Whether a search may choose a shape for an input: nothing states another one."""
        if node in self._facts.flow.traced or role.name == roles.SETTING or math.prod(shape) > LARGEST:
            return False
        if node.op == "layer" and (not shape or width_of(node) is not None):
            return False
        stated = node.attrs.get("shape")
        if not isinstance(stated, (tuple, list)):
            return True
        usual = shape_of(len(stated), node.attrs)
        kept = (a == b or not isinstance(size, int) for a, b, size in zip(shape, usual, stated, strict=False))
        return len(shape) == len(stated) and all(kept)

    def _by_role(self, node: Node, role: Role) -> tuple[int, ...]:
        if role.name == roles.SETTING:
            return ()
        rank = self._ranks.get(node, 0)
        if role.name == roles.LABELS or role.name in roles.MASKS:
            rank = max(rank, self._compared.get(node, 0))
        if node in self._deciding and not rank:
            return shape_of(0, node.attrs)
        if role.name == roles.COUNT and not rank and not roles.is_several(name_of(node, self._facts)):
            return shape_of(0, node.attrs)
        if role.name in (roles.INDICES, roles.LENGTHS, roles.COUNT, roles.SIZE):
            return shape_of(max(rank, 1), node.attrs)
        least = 1 if node in self._vectors else DEFAULT_RANK
        shape = shape_of(max(rank, least), node.attrs)
        stated = node.attrs.get("shape")
        if node in self._windows and stated is None:
            inner = slice(len(shape) > 2, -1)
            return *shape[: inner.start], *(max(size, self._windows[node]) for size in shape[inner]), shape[-1]
        if role.name == roles.BOX and stated is None:
            return (*shape[:-1], max(shape[-1], COLUMNS))
        if role.name == roles.ROTATION and stated is None:
            return self._of_rotation(node, shape, rank)
        if node in self._squares and len(shape) > 1 and stated is None:
            return (*shape[:-2], shape[-1], shape[-1])
        if node in self._squares and isinstance(stated, tuple) and len(stated) == 2 and not isinstance(stated[0], int):
            return CHANNELS, shape[1]
        return (*shape[:-1], max(shape[-1], self._lengths[node])) if shape and node in self._lengths else shape

    def _of_rotation(self, node: Node, shape: tuple[int, ...], rank: int) -> tuple[int, ...]:
        """A shape with the axes of a rotation: those of a quaternion, of a matrix, or of a vector of angles."""
        words = words_of(name_of(node, self._facts))
        if not roles.QUATERNIONS.isdisjoint(words):
            return *shape[:-1], QUATERNION
        if rank > 1 or node in self._squares or not roles.OF_ROTATIONS.isdisjoint(words):
            return *shape[:-2], 3, 3
        return *shape[:-1], 3
