"""The budget of work for the trials of one flow."""

from __future__ import annotations

from tfnanlint.ops.work import VALUE, WORK

MOST_COMPUTED = 60_000
"""The most values that the trials of one flow compute; small parts of the flow come first."""
RUN = 3
"""The overhead of a run, in values: it is started from another one, and judged."""


class Spent(Exception):
    """The budget is spent."""


class Budget:
    """What may still be computed: a number of small values, or fewer large ones."""

    def __init__(self, values: float = MOST_COMPUTED) -> None:
        self._end = WORK.done + values * VALUE

    @property
    def is_spent(self) -> bool:
        return WORK.done >= self._end

    def spend(self, values: int = 1) -> None:
        """Account for some values; raises `Spent` at the end."""
        if WORK.done >= self._end:
            raise Spent
        WORK.done += values * VALUE
