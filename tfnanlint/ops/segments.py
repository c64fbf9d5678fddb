"""Reductions of segments, whose elements a number for each row gathers."""

from __future__ import annotations

from functools import partial
from typing import Any

from tfnanlint.interval import FLOAT_TYPES, INF, Interval
from tfnanlint.ops.numeric import Kernels
from tfnanlint.ops.row import Attributes, Op, Transfer, row, spelled

kernels = Kernels("segments")

ZERO = Interval.point(0.0)
LOWEST = -FLOAT_TYPES["float64"].largest
"""What an empty segment has for its largest element, in the widest type; rounding brings it to narrower ones."""


def _total(x: Interval, *others: Interval, attrs: Attributes) -> Interval:
    """A sum of any number of elements, none included."""
    return Interval(0.0 if x.lo >= 0 else -INF, 0.0 if x.hi <= 0 else INF)


def _product(x: Interval, *others: Interval, attrs: Attributes) -> Interval:
    if x.lo >= 0 and x.hi <= 1:
        return Interval(0.0, 1.0)
    return Interval(0.0 if x.lo >= 0 else -INF, INF)


SEGMENTS: dict[str, Any] = {
    "operands": "x segment_ids",
    "blocked": ("segment_ids",),
    "elementwise": False,
}


def _segments(name: str, transfer: Transfer, sparse_transfer: Transfer, keras: bool = True) -> tuple[Op, Op]:
    """A reduction of sorted segments, and that of unsorted ones, which gives empty segments the neutral element."""
    camel = f"Segment{name.capitalize()}"
    unsorted = [
        spelled(f"tf.math.unsorted_segment_{name} tf.unsorted_segment_{name}", "x:data segment_ids num_segments name")
    ]
    if keras:
        unsorted.append(spelled(f"ops.segment_{name}", "x:data segment_ids num_segments sorted"))
    return (
        row(
            f"segment_{name}",
            spelled(f"tf.math.segment_{name} tf.segment_{name}", "x:data segment_ids name"),
            graph=f"{camel}V2 {camel}" if name != "mean" else camel,
            takes={"segment_ids": "ordered"},
            transfer=transfer,
            run=partial(kernels.segments, name),
            pull=partial(kernels.pull_segments, name),
            **SEGMENTS,
        ),
        row(
            f"unsorted_segment_{name}",
            *unsorted,
            graph=f"Unsorted{camel}" if name != "mean" else "",
            takes={"segment_ids": "index"},
            attrs={"num_segments": None, "sorted": False},
            transfer=sparse_transfer,
            run=partial(kernels.unsorted, name),
            pull=partial(kernels.pull_segments, name),
            **SEGMENTS,
        ),
    )


def _gathered(name: str, transfer: Transfer) -> Op:
    """A reduction of sorted segments of elements that are picked first; a segment that is left out is 0."""
    camel = "SparseSegment" + "".join(map(str.capitalize, name.split("_")))
    return row(
        f"sparse_segment_{name}",
        spelled(
            f"tf.sparse.segment_{name} tf.sparse_segment_{name}",
            "x:data indices segment_ids | name num_segments sparse_gradient",
        ),
        graph=f"{camel} {camel}WithNumSegments",
        operands="x indices segment_ids",
        takes={"indices": "rows", "segment_ids": "ordered"},
        blocked=("indices", "segment_ids"),
        attrs={"num_segments": None, "sparse_gradient": False},
        elementwise=False,
        transfer=transfer,
        run=partial(kernels.gathered, name),
        pull=partial(kernels.pull_gathered, name),
    )


def _with_zero(x: Interval, *others: Interval, attrs: Attributes) -> Interval:
    return x.hull(ZERO)


ROWS: tuple[Op, ...] = (
    _gathered("sum", _total),
    _gathered("mean", lambda x, *others, attrs: x.hull(ZERO)),
    _gathered("sqrt_n", _total),
    *_segments("sum", _total, _total),
    *_segments("mean", _with_zero, _with_zero, keras=False),
    *_segments("max", _with_zero, lambda x, *others, attrs: Interval(LOWEST, max(x.hi, LOWEST))),
    *_segments("min", _with_zero, lambda x, *others, attrs: Interval(min(x.lo, -LOWEST), -LOWEST)),
    *_segments(
        "prod",
        lambda x, *others, attrs: _product(x, attrs=attrs).hull(Interval.point(1.0)),
        lambda x, *others, attrs: _product(x, attrs=attrs).hull(Interval.point(1.0)),
    ),
    row(
        "unsorted_segment_sqrt_n",
        spelled("tf.math.unsorted_segment_sqrt_n tf.unsorted_segment_sqrt_n", "x:data segment_ids num_segments name"),
        takes={"segment_ids": "index"},
        attrs={"num_segments": None},
        transfer=_total,
        run=partial(kernels.unsorted, "sqrt_n"),
        pull=partial(kernels.pull_segments, "sqrt_n"),
        **SEGMENTS,
    ),
)
