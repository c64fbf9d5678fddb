"""Domains of numbers: where those of inputs lie about which the program says nothing."""

from __future__ import annotations

from typing import Any

from tfnanlint.ops.numeric import np

DOMAINS = ("real", "positive", "unit", "small", "large", "negative")
"""The domains for inputs without a stated one: the first in which a calm batch is finite applies."""
NARROW = frozenset({"small"})
"""Domains that are tried only where an op is not defined on the numbers of the others, such as an arcsine."""
UNIT = (0.1, 0.9)
"""The range of the domain "unit", also for an outlier: the logarithm of `1 - x` takes no other numbers."""
SMALL = 0.1
"""The bound of the domain "small", of either sign: a vector of a few such elements is shorter than 1."""


def within(value: Any, domain: str) -> Any:
    """Numbers of either sign, mapped into a domain; their order stays."""
    share = 1.0 / (1.0 + np.exp(-value))
    if domain in ("positive", "negative"):
        return (0.2 + 4.0 * share) * (1.0 if domain == "positive" else -1.0)
    if domain == "unit":
        return UNIT[0] + (UNIT[1] - UNIT[0]) * share
    if domain == "small":
        return SMALL * (2.0 * share - 1.0)
    if domain == "large":
        return 1.2 + np.abs(value)
    return value


def drawn_within(value: Any, lo: float, hi: float) -> Any:
    """Numbers of either sign, moved into the support of a distribution, whose ends are not drawn."""
    return lo + (np.abs(value) if np.isinf(hi) else (hi - lo) * within(value, "unit"))
