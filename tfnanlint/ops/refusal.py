"""How a column of the op table signals that it cannot compute its operands."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from tfnanlint.ops.work import WORK, affordable


def refusing(column: Callable[..., Any]) -> Callable[..., Any]:
    """A column that raises a ValueError, and nothing else, for operands and parameters that it does not work with."""

    def compute(*operands: Any, **attrs: Any) -> Any:
        try:
            found = column(*operands, **attrs)
        except ValueError:
            raise
        except Exception as error:  # what a program hands to an op can be anything
            raise ValueError(f"{type(error).__name__}: {error}") from error
        work = getattr(found, "size", 1)
        if not work:  # an empty tensor of any length is free, and what a layer or a product makes of it is not
            affordable(math.prod(max(size, 1) for size in found.shape))
        for one in operands:
            work += getattr(one, "size", 1)
        WORK.done += work
        return found

    return compute
