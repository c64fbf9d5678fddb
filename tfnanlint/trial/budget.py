"""The budget of work for the trials of one flow."""

from __future__ import annotations

from tfnanlint.ops.work import WORK

MOST_COMPUTED = 80_000
"""The most values that the trials of one flow compute; small parts of the flow come first."""
VALUE = 2_000
"""The overhead of computing a value, in elements."""


class Spent(Exception):
    """The budget is spent."""


class Budget:
    """What may still be computed: a number of small values, or fewer large ones."""

    def __init__(self, values: float = MOST_COMPUTED) -> None:
        self._end = WORK.done + values * VALUE

    @property
    def is_spent(self) -> bool:
        return WORK.done >= self._end

    def spend(self) -> None:
        """Account for one value; raises `Spent` at the end."""
        if WORK.done >= self._end:
            raise Spent
        WORK.done += VALUE
