"""What the arms of an `if` store in objects, dictionaries and lists.

Each arm starts from the state before the `if`, and behind it a place holds what any of the arms left there.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeAlias

Holder: TypeAlias = dict[Any, Any] | list[Any]
"""The attributes of an object, the entries of a dictionary, or the elements of a list."""
MISSING: Any = object()
"""What a place holds that does not exist yet."""


@dataclass
class Change:
    """What an arm did to one place."""

    holder: Holder
    key: Any
    before: Any
    after: Any = MISSING


@dataclass
class Arm:
    """An arm that was lowered: whether it leaves the block, and what it changed."""

    leaves: bool
    changes: dict[Hashable, Change]


class Stores:
    """The places that are stored to, so that an arm can be taken back."""

    def __init__(self) -> None:
        self._journal: list[Change] = []
        self._depth = 0

    def put(self, holder: Holder, key: Any, value: Any) -> None:
        """Store a value in a place."""
        if self._depth:
            self._journal.append(Change(holder, key, _held(holder, key)))
        _put(holder, key, value)

    def arm(self, lower: Callable[[], bool]) -> Arm:
        """Lower an arm, and take back what it stores; `lower` says whether the arm leaves the block."""
        start = len(self._journal)
        self._depth += 1
        try:
            leaves = lower()
        finally:
            self._depth -= 1
        made, self._journal = self._journal[start:], self._journal[:start]
        changes: dict[Hashable, Change] = {}
        for one in made:
            changes.setdefault((id(one.holder), one.key), one).after = _held(one.holder, one.key)
        for one in reversed(made):
            _restore(one)
        return Arm(leaves, changes)

    def merge(self, arms: Sequence[Arm], join: Callable[[list[Any]], Any]) -> None:
        """Store in each place what the arms left there; one that leaves counts only where no other one can."""
        for at, change in {at: change for arm in arms for at, change in arm.changes.items()}.items():
            staying = [arm for arm in arms if not arm.leaves]
            if not staying or (change.before is MISSING and not any(at in arm.changes for arm in staying)):
                staying = [arm for arm in arms if at in arm.changes]
            held = [arm.changes[at].after if at in arm.changes else change.before for arm in staying]
            joined = join([value for value in held if value is not MISSING])
            if joined is not None:
                self.put(change.holder, change.key, joined)


def _held(holder: Holder, key: Any) -> Any:
    """What a place holds; a list may have become shorter."""
    try:
        return holder[key]
    except LookupError:
        return MISSING


def _put(holder: Holder, key: Any, value: Any) -> None:
    """Store a value in a place, if there still is one."""
    with suppress(IndexError):
        holder[key] = value


def _restore(change: Change) -> None:
    if change.before is not MISSING:
        _put(change.holder, change.key, change.before)
    elif isinstance(change.holder, dict):
        change.holder.pop(change.key, None)
