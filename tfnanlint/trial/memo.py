"""What is computed once for the facts of a flow, and is forgotten with them."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, TypeVar
from weakref import WeakKeyDictionary

if TYPE_CHECKING:
    from tfnanlint.facts import Facts

T = TypeVar("T")


def once_per_facts(function: Callable[[Facts], T]) -> Callable[[Facts], T]:
    """A function of facts that is called once for each of them."""
    known: WeakKeyDictionary[Facts, T] = WeakKeyDictionary()

    @wraps(function)
    def once(facts: Facts) -> T:
        if facts not in known:
            known[facts] = function(facts)
        return known[facts]

    return once
