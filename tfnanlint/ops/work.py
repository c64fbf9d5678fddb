"""Meters the work of the op table, and limits the size of a tensor: a program can ask for any amount of either."""

from __future__ import annotations

import threading

MOST_MADE = 1 << 21
"""The most elements of a tensor that an op computes."""


VALUE = 2_000
"""The overhead of computing a value or its gradient, in elements."""


class Work(threading.local):
    """The work done so far in this thread."""

    done = 0.0
    """In elements; slow ops count each of theirs several times."""

    def begin(self) -> None:
        """Start to count: what one program may ask for does not depend on those that were linted before it."""
        self.done = 0.0


WORK = Work()


def affordable(count: float, each: float = 1.0) -> None:
    """Account for elements that cost `each` as much as ordinary ones; raises ValueError if there are too many.

    And if their number is negative, as sizes that a program computes may make it.
    """
    if not 0 <= count <= MOST_MADE:
        raise ValueError(f"a tensor of {count:.3g} elements cannot be tried")
    WORK.done += count * each
