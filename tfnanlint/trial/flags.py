"""Flags: parameters that are True or False by default, by which a run goes one way or another; factors of 0.0, too."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from tfnanlint.flow import Node, reached
from tfnanlint.trial.partition import asked_by

if TYPE_CHECKING:
    from tfnanlint.facts import Facts

MOST_FLAGS = 3
"""The most flags that are switched on one by one."""
LOGICAL = frozenset({"logical_and", "logical_or", "logical_not"})
"""Ops that make a condition of others."""


def flags_of(nodes: Iterable[Node], facts: Facts) -> dict[str, bool]:
    """The defaults of the flags that decide which way a run of some nodes goes, by name."""
    asked = {condition for node in nodes for condition in asked_by(node, facts)}
    combined = reached(asked, lambda node: node.operands if node.op in LOGICAL else ())
    return {
        str(node.attrs["name"]): node.attrs["default"]
        for node in sorted(combined, key=lambda one: one.index)
        if node.op == "input" and isinstance(node.attrs.get("default"), bool)
    }


def switches(flags: Mapping[str, bool]) -> list[frozenset[str]]:
    """The flags to switch at a time: those that are true, each that is false, those that are false, and all.

    The list is empty if no flag is False: nobody switches a guard off by accident.
    """
    on = [name for name, default in flags.items() if default]
    off = [name for name, default in flags.items() if not default]
    if not off:
        return []
    sets = [frozenset(on), *(frozenset({name}) for name in off[:MOST_FLAGS]), frozenset(off), frozenset(flags)]
    return list(filter(None, dict.fromkeys(sets)))


def is_off_by_default(node: Node) -> bool:
    """Whether a factor is 0.0 by default, and the program asks whether it is."""
    default = node.attrs.get("default")
    if not isinstance(default, float) or default:
        return False
    tests = (user for user in node.users if user.op in ("equal", "not_equal"))
    return any(operand.constant == 0 for test in tests for operand in test.operands)
