"""Whether a version satisfies the versions that a configuration requires."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping

_COMPARE: Mapping[str, Callable[[tuple[int, ...], tuple[int, ...]], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    ">=": operator.ge,
    "<=": operator.le,
    ">": operator.gt,
    "<": operator.lt,
}
_CLAUSE = re.compile(r"\s*(==|!=|>=|<=|>|<|)\s*(\d+(?:\.\d+)*)\s*")
_RELEASE = re.compile(r"\d+(?:\.\d+)*")


def satisfies(version: str, wanted: str) -> bool:
    """Whether a version satisfies every clause of e.g. `>=0.1,<2`; a clause without a sign is an exact version.

    Compares releases without pre-release markers. Raises `ValueError` for an invalid list.
    """
    held = _release(version)
    clauses = [_CLAUSE.fullmatch(clause) for clause in wanted.split(",")]
    if not all(clauses):
        raise ValueError(wanted)
    return all(_COMPARE[clause[1] or "=="](held, _release(clause[2])) for clause in clauses if clause)


def _release(version: str) -> tuple[int, ...]:
    """The numbers of a version, without zeros at their end: 1 is 1.0."""
    found = _RELEASE.match(version)
    numbers = [int(number) for number in found[0].split(".")] if found else []
    while numbers and numbers[-1] == 0:
        numbers.pop()
    return tuple(numbers)
