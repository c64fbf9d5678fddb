"""Samples of data: what a batch, a `.npz` file or a `tf.data` dataset says about the inputs of a graph.

A sample gives an input its shape, its type, the ordinary numbers of a trial, and the bounds of all other numbers.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tfnanlint.graph.specs import TensorArgument
from tfnanlint.interval import Interval
from tfnanlint.ranges import Range

if TYPE_CHECKING:
    import numpy

    from tfnanlint.graph.lowered import Lowered

FEWEST = 8
"""A sample of fewer numbers says nothing about the others."""
KEPT = 64
"""Number of rows that a trial may use."""


@dataclass(frozen=True)
class Sample:
    """The data of one tensor; `shape` holds None for a size that differs between batches."""

    values: numpy.ndarray[Any, Any]
    shape: tuple[int | None, ...]

    @property
    def dtype(self) -> str:
        """The element type, as TensorFlow names it."""
        return "string" if self.values.dtype.kind in "SUO" else self.values.dtype.name

    @property
    def range(self) -> Range | None:
        """The bounds of such data; None if the sample does not tell any."""
        import numpy as np

        values = self.values
        if values.dtype.kind not in "iuf" or values.size < FEWEST:
            return None
        finite = values[np.isfinite(values)].astype(np.float64)
        if not finite.size or finite.min() == finite.max():
            return None  # a batch of zeros or ones stands for any numbers
        low, high = float(finite.min()), float(finite.max())
        least = _beyond(low, down=True)
        if low > 0 and (finite == np.floor(finite)).all():
            least = 0.0  # numbers that are counted, and class numbers, may be 0
        return Range(Interval(least, _beyond(high, down=False)), f"data whose sample lies between {low:g} and {high:g}")

    @property
    def tells(self) -> bool:
        """Whether the numbers are data, and no mere placeholders such as a batch of zeros."""
        return self.range is not None

    @property
    def ordinary(self) -> Any:
        """Some rows, for a trial; a missing number is 0 there, because only the program's own NaN is of interest."""
        import numpy as np

        rows = self.values[:KEPT] if self.values.ndim else self.values
        return np.where(np.isfinite(rows), rows, 0).astype(rows.dtype)

    def argument(self, name: str | None) -> TensorArgument:
        """The argument that such a tensor is."""
        return TensorArgument(self.dtype, self.shape, name, self)


def _beyond(end: float, down: bool) -> float:
    """A bound somewhat outside the least or greatest number of a sample: the next power of ten, or 0."""
    if end == 0:
        return 0.0
    outwards = (end < 0) == down
    power = math.log10(abs(end))
    return math.copysign(10.0 ** (math.ceil(power - 1e-9) if outwards else math.floor(power + 1e-9)), end)


def sample_of(value: Any, shape: Sequence[int | None] | None = None) -> Sample:
    """The sample that an array or an eager tensor is."""
    import numpy as np

    values = np.asarray(value)
    return Sample(values, tuple(values.shape if shape is None else shape))


def learn(lowered: Lowered, samples: Mapping[str, Any]) -> None:
    """Note what is known of a graph's inputs from samples or arrays; bounds that the user states stay."""
    for name, given in samples.items():
        sample = given if isinstance(given, Sample) else sample_of(given)
        node = lowered.inputs.get(name)
        if node is None or not sample.tells:
            continue
        held = lowered.assumptions.get(node)
        stated = held.range if held is not None else None
        lowered.assume(node, range=stated or sample.range, sample=sample.ordinary)
