"""What is known of each value of a flow: its range and why, its type, and whether it is differentiated."""

from __future__ import annotations

from tfnanlint.facts.facts import TRAINABLE_OPS, Facts
from tfnanlint.ranges import Assumption, Range, Reach

__all__ = ["TRAINABLE_OPS", "Assumption", "Facts", "Range", "Reach"]
