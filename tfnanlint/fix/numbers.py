"""The numbers of a repair as the program's element type can hold them."""

from __future__ import annotations

import math

from tfnanlint.interval import FLOAT_TYPES, shortest
from tfnanlint.match.captures import Match

_NARROW = ("float16", "bfloat16")


def written(match: Match, text: str) -> str:
    """A number of a repair as the operands' type holds it: an epsilon stays above 0, a neighbor of 1 beside 1."""
    text = match.numbers.get(float(text), text)
    dtype = match.other_dtype or ""
    kind = FLOAT_TYPES.get(dtype)
    value = float(text)
    if dtype.startswith(("int", "uint")):
        return str(math.ceil(value))  # the next whole number: no integer lies between
    if kind is None or kind.name not in _NARROW or value == 0:
        return text
    if value < kind.least:
        return f"1e{math.ceil(math.log10(kind.least))}"
    held = kind.round(value)
    if held == value or held not in (1.0, 2.0):
        return text
    return shortest(held * (1.0 - 2.0**-kind.digits if value < held else 1.0 + 2.0 ** (1 - kind.digits)), kind)
