"""The vocabulary of rule files: preconditions, and helpers for patterns.

Rule files import it from here. The linter reads rule files as text; only the tests import and run them. So these are
real objects: annotations without effect when the function is called, and helpers that return their argument.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tfnanlint.interval import INF, Interval


@dataclass(frozen=True)
class Precondition:
    """What a captured value must be: a conjunction of words.

    `regions` are sets of values it must reach, `possible` ones that nothing known keeps it out of,
    `differentiated` that its gradient is taken, `literal` that it is a constant, `dtypes` the element types
    it may have, `kinds` what else it has to be (`facts/kinds.py`), `apart`
    that it is computed from nothing else that the pattern matches, `missing` that it is NaN in the trial that failed.
    """

    regions: tuple[Interval, ...] = ()
    inside: Interval | None = None
    differentiated: bool = False
    literal: bool = False
    dtypes: tuple[str, ...] = ()
    possible: tuple[Interval, ...] = ()
    kinds: tuple[str, ...] = ()
    apart: bool = False
    missing: bool = False

    def __and__(self, other: Precondition) -> Precondition:
        return Precondition(
            self.regions + other.regions,
            self.inside or other.inside,
            self.differentiated or other.differentiated,
            self.literal or other.literal,
            self.dtypes + other.dtypes,
            self.possible + other.possible,
            self.kinds + other.kinds,
            self.apart or other.apart,
            self.missing or other.missing,
        )


def reaches(value: float) -> Precondition:
    """There is evidence that the operand takes this value."""
    return Precondition(regions=(Interval.point(float(value)),))


def below(value: float) -> Precondition:
    """There is evidence that the operand takes this value or smaller ones."""
    return Precondition(regions=(Interval(-INF, float(value)),))


def above(value: float) -> Precondition:
    """There is evidence that the operand takes this value or larger ones."""
    return Precondition(regions=(Interval(float(value), INF),))


def unbounded(value: float) -> Precondition:
    """Nothing that is known keeps the operand below this value."""
    return Precondition(possible=(Interval(float(value), INF),))


def sinking(value: float) -> Precondition:
    """Nothing that is known keeps the operand above this value."""
    return Precondition(possible=(Interval(-INF, float(value)),))


def within(lo: float, hi: float) -> Precondition:
    """The operand is known to stay between two values."""
    return Precondition(inside=Interval(float(lo), float(hi)))


differentiated = Precondition(differentiated=True)
literal = Precondition(literal=True)
apart = Precondition(apart=True)
missing = Precondition(missing=True)
"""The operand is an input of which the program checks that elements are missing (NaN), and they are."""
logits = Precondition(kinds=("logits",))
"""The operand is what a layer with weights gives before any activation: numbers of either sign."""
compiled = Precondition(kinds=("compiled",))
"""The operand is computed with in a function that XLA compiles, whatever the program is run by."""
count = Precondition(kinds=("count",))
"""The operand is a number of elements: 0, or 1 at least."""
data = Precondition(kinds=("data",))
"""The operand depends on what the program is given, not on shapes and constants alone."""
cancelling = Precondition(kinds=("cancelling",))
"""The operand is a difference of sums: 0 in exact arithmetic is slightly less than 0 as it is rounded."""
deficient = Precondition(kinds=("deficient",))
"""Nothing shows that the operand, a matrix, has full rank."""
numbers = Precondition(kinds=("numbers",))
"""The operand is not a direct result of a sigmoid or a softmax, behind which Keras's losses find the logits again."""
selection = Precondition(kinds=("selection",))
"""The operand is what a mask selects, or computed of it element by element: perhaps of nothing."""
single = Precondition(kinds=("single",))
"""The operand's last axis holds one element."""
single_use = Precondition(kinds=("single_use",))
"""The operand is subtracted from a number once, or compiled by XLA: a graph keeps a difference it uses elsewhere."""
told = Precondition(kinds=("told",))
"""The program tells something of the operand: its range, or what it comes from."""
zero_there = Precondition(kinds=("zero_there",))
"""The operand is 0 wherever what it is divided by is, as a part of a total; or something else is taken there."""
float16 = Precondition(dtypes=("float16",))
bfloat16 = Precondition(dtypes=("bfloat16",))
float32 = Precondition(dtypes=("float32",))
float64 = Precondition(dtypes=("float64",))

WORDS: dict[str, Any] = {
    "reaches": reaches,
    "below": below,
    "above": above,
    "sinking": sinking,
    "unbounded": unbounded,
    "within": within,
    "differentiated": differentiated,
    "literal": literal,
    "apart": apart,
    "missing": missing,
    "compiled": compiled,
    "count": count,
    "data": data,
    "cancelling": cancelling,
    "deficient": deficient,
    "logits": logits,
    "numbers": numbers,
    "selection": selection,
    "single": single,
    "single_use": single_use,
    "told": told,
    "zero_there": zero_there,
    "float16": float16,
    "bfloat16": bfloat16,
    "float32": float32,
    "float64": float64,
}


def downstream(value: Any) -> Any:
    """In a template: anything computed from `value`. When run: `value` itself."""
    return value


def nonlinear(value: Any) -> Any:
    """In a template: anything computed from `value`. When run: its square, whose gradient depends on it."""
    return value * value
