"""The budget of work for the trials of one flow."""

from __future__ import annotations

from tfnanlint.ops.work import VALUE, WORK

MOST_COMPUTED = 60_000
"""The most values that the trials of one flow compute; small parts of the flow come first."""
MOST_SOLVING = 12_000
"""The most values beyond it that are computed to solve shapes, to try parts again with these, and to switch flags."""
RUN = 3
"""The overhead of a run, in values: it is started from another one, and judged."""


class Spent(Exception):
    """The budget is spent."""


class Budget:
    """What may still be computed: a number of small values, or fewer large ones."""

    def __init__(self, values: float = MOST_COMPUTED, solving: float = MOST_SOLVING) -> None:
        self._end = WORK.done + values * VALUE
        self._spare = solving * VALUE

    @property
    def is_spent(self) -> bool:
        return WORK.done >= self._end

    def extended(self, work: float) -> bool:
        """Allow for as much more work, in elements, if the solving of shapes has that much left."""
        if work > self._spare:
            return False
        self._spare -= work
        self._end += work
        return True

    def for_solving(self) -> Budget:
        """A budget of what the solving of shapes has left."""
        return Budget(self._spare / VALUE)

    def spend(self, values: int = 1) -> None:
        """Account for some values; raises `Spent` at the end."""
        if WORK.done >= self._end:
            raise Spent
        WORK.done += values * VALUE
