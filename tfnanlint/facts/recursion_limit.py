"""Limits for recursive queries along the flow, from a value to its operands or users, and so on.

A value that is used twice at every step has exponentially many paths to it. So each query visits a limited number of
values within a limited distance, and treats what lies beyond as unknown.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec, TypeVar

FARTHEST, MOST = 50, 1_000
"""How many steps away one question looks, and at how many values in all."""

P = ParamSpec("P")
T = TypeVar("T")


class _Walk(threading.local):
    """How far away the question is now, and how many values it has looked at."""

    distance = 0
    looks = 0


def bounded(otherwise: Callable[..., Any]) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Decorates a recursive query; beyond the limits, the query returns what `otherwise` gives."""

    def decorate(function: Callable[P, T]) -> Callable[P, T]:
        walk = _Walk()

        @wraps(function)
        def asked(*args: P.args, **kwargs: P.kwargs) -> T:
            if walk.distance == 0:
                walk.looks = 0
            if walk.distance >= FARTHEST or walk.looks >= MOST:
                answer: T = otherwise(*args)
                return answer
            walk.distance += 1
            walk.looks += 1
            try:
                return function(*args, **kwargs)
            finally:
                walk.distance -= 1

        return asked

    return decorate


def no(*_: Any) -> bool:
    """The answer that nothing is known."""
    return False
