"""What is known of a program beyond a file's text: ranges of inputs, TensorFlow's version, line length, precision."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from tfnanlint.ranges import Assumption, Range

_FAMILIES = {
    "1": ("tf", "keras", "K"),
    "2": ("tf", "tnp", "keras", "K"),
    "keras3": ("tf", "tnp", "keras", "ops"),
}
TARGETS = tuple(_FAMILIES)
"""Generations: TensorFlow 1 and `tf.compat.v1`; TensorFlow 2 with Keras 2, which has no `keras.ops`; TensorFlow with
Keras 3, whose backend module has no functions."""


class Assumptions(NamedTuple):
    """Bounds of inputs by name, as (name, least, greatest), and one of `TARGETS` (empty: as the program shows).

    `line_length` is how long the lines of repaired code may be (0: as the file's own lines show), `policy` the element
    type in which another file of the program lets layers compute (empty: their own).
    """

    bounds: tuple[tuple[str, float, float], ...] = ()
    target: str = ""
    line_length: int = 0
    policy: str = ""

    @property
    def ranges(self) -> dict[str, Range]:
        """What is assumed of inputs, by their names."""
        return {name: bounded(low, high) for name, low, high in self.bounds}

    def of(self, name: str) -> Assumption | None:
        """What is assumed of the input of a name."""
        from tfnanlint.ranges import Assumption

        for known, low, high in self.bounds:
            if known == name:
                return Assumption(bounded(low, high))
        return None

    def speaks_of(self, text: str) -> bool:
        """Whether a text may hold an input of which something is assumed."""
        return any(name in text for name, _, _ in self.bounds)

    def allows(self, spelled: str) -> bool:
        """Whether a repair may call a function, by its canonical name."""
        return not self.target or spelled.split(".", 1)[0] in _FAMILIES[self.target]


NO_ASSUMPTIONS = Assumptions()


def bounded(low: float, high: float) -> Range:
    """The range of an input of which its user says the bounds."""
    from tfnanlint.interval import Interval
    from tfnanlint.ranges import Range

    return Range(Interval(low, high), "assumed in the configuration")
