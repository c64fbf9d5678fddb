"""A dataflow slice as an inline SVG: a row a value, edges from what it is computed from, and its range on one axis.

The axis holds all numbers: 0, 1 and the infinities have fixed places, and what lies between is bent so that an epsilon
of 1e-12 still stands apart from 0. Red is where the hazard's op is not finite, with the number at which that begins,
and what becomes of it; unknown ranges are hatched.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from html import escape

from tfnanlint.finding import Bounds, Value

TOP, LANE, LEFT = 26, 16, 14
CODE_LETTER, WORDS_LETTER = 8.0, 7.0
"""The widths of a letter of a value's code, and of what is known of it, in the widest font that a browser may take."""


@dataclass(frozen=True)
class Layout:
    """Where things stand: the height of a row, and the axis beside the words, or below them on a narrow screen."""

    name: str
    row: int
    width: int
    axis_width: int
    beside: bool

    @property
    def axis(self) -> float:
        """The middle of the axis."""
        return self.width - self.axis_width / 2 - 14

    def y(self, row: int) -> float:
        """The middle of what a row says."""
        return TOP + self.row * row + (17 if not self.beside else self.row / 2)

    def bar_y(self, row: int) -> float:
        """The middle of a row's range."""
        return self.y(row) if self.beside else self.y(row) + 29


HATCH = (
    '<svg class="patterns" width="0" height="0" aria-hidden="true"><defs>'
    '<pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">'
    '<path class="hatching" d="M0 0V6"/></pattern></defs></svg>'
)
"""What every picture of a page refers to; it stands outside of them, for a pattern that is hidden fills nothing."""
WIDE = Layout("wide", 34, 900, 240, True)
NARROW = Layout("narrow", 60, 360, 320, False)


def picture(values: Sequence[Value], code_of: Callable[[Value], str], layout: Layout = WIDE, fails: str = "") -> str:
    """The SVG of a slice; `code_of` gives the code of a value, or nothing, and `fails` what becomes of the hazard."""
    lanes = lanes_of(values)
    text_at = LEFT + LANE * (max(lanes, default=0) + 1) + 4
    height = TOP + layout.row * len(values) + 6
    described = "; ".join(f"{value.op} {value.range}".strip() for value in values)
    about = escape(f"dataflow: {described}")
    size = f'viewBox="0 0 {layout.width} {height}" width="{layout.width}" height="{height}"'
    parts = [f'<svg class="slice {layout.name}" {size} role="img" aria-label="{about}">']
    parts += _axis(layout, height)
    parts += _edges(values, lanes, layout)
    for row, value in enumerate(values):
        inherited = any(values[operand].reason == value.reason for operand in value.operands)
        words = " ".join(part for part in (value.range, "" if inherited else value.reason) if part)
        outcome = fails if value.role == "hazard" else ""
        parts += _row(row, value, words, lanes[row], text_at, layout, code_of(value), outcome)
    return "".join([*parts, "</svg>"])


def bent(value: float) -> float:
    """The place of a number on the axis: -1 and 1 for the infinities, half of that for -1 and 1, 0 for 0."""
    size = abs(value)
    if math.isinf(size):
        place = 1.0
    elif size <= 1:
        place = 0.5 * size**0.15
    else:
        exponent = math.log10(size)
        place = 0.5 + 0.44 * exponent / (exponent + 3)
    return math.copysign(place, value)


def lanes_of(values: Sequence[Value]) -> list[int]:
    """The column of each value's dot: it takes over that of a value nothing further down uses, or a new one."""
    last_use = {operand: row for row, value in enumerate(values) for operand in value.operands}
    held: dict[int, int] = {}
    lanes: list[int] = []
    for row, value in enumerate(values):
        free = sorted(lanes[operand] for operand in value.operands if last_use[operand] == row)
        for operand in value.operands:
            if last_use[operand] == row:
                held.pop(lanes[operand], None)
        lane = free[0] if free else next(n for n in range(len(values) + 1) if n not in held)
        if row in last_use:
            held[lane] = row
        lanes.append(lane)
    return lanes


def _x(lane: int) -> float:
    return LEFT + LANE * lane


def _edges(values: Sequence[Value], lanes: Sequence[int], layout: Layout) -> Iterator[str]:
    for row, value in enumerate(values):
        for operand in value.operands:
            x, y, x1, y1 = _x(lanes[operand]), layout.y(operand), _x(lanes[row]), layout.y(row)
            bend = y1 - layout.row * 0.75
            curve = f"L{x} {max(bend, y)} C{x} {y1 - 8} {x1} {bend + 4} {x1} {y1}" if x != x1 else f"L{x1} {y1}"
            cut = " cut" if value.cut and operand == row - 1 and len(value.operands) == 1 else ""
            yield f'<path class="edge{cut}" d="M{x} {y} {curve}"/>'
        if value.cut and not value.operands:
            yield f'<path class="edge cut" d="M{_x(lanes[row])} {layout.y(row) - layout.row * 0.45} V{layout.y(row)}"/>'


def _axis(layout: Layout, height: float) -> Iterator[str]:
    """The lines at -1, 0 and 1 behind the ranges, and the names of the places."""
    for value, name in ((-math.inf, "-∞"), (-1.0, "-1"), (0.0, "0"), (1.0, "1"), (math.inf, "∞")):
        x = _at(value, layout)
        zero = " zero" if value == 0 else ""
        yield f'<line class="grid{zero}" x1="{x:.1f}" x2="{x:.1f}" y1="{TOP - 6}" y2="{height - 6:.1f}"/>'
        yield f'<text class="tick" x="{x:.1f}" y="{TOP - 11}">{name}</text>'


def _at(value: float, layout: Layout) -> float:
    """Where a number stands on the axis."""
    return layout.axis + layout.axis_width / 2 * bent(value)


def _row(
    row: int, value: Value, words: str, lane: int, text_at: float, layout: Layout, code: str, fails: str
) -> Iterator[str]:
    y = layout.y(row)
    room = (layout.axis - layout.axis_width / 2 if layout.beside else layout.width) - text_at - 14
    place = f"{value.place[0]}:{value.place[1]}" if value.place is not None else ""
    about = [value.op, value.range or ("" if value.bounds else "range unknown"), fails, value.reason, place]
    yield f'<g class="value {value.role}"><title>{escape("; ".join(part for part in about if part))}</title>'
    yield f'<rect class="band" x="0" y="{TOP + layout.row * row}" width="{layout.width}" height="{layout.row}"/>'
    yield f'<circle cx="{_x(lane)}" cy="{y}" r="{6 if value.role == "hazard" else 4.5}"/>'
    yield f'<text class="op" x="{text_at}" y="{y + (1 if words else 4)}">{escape(value.op)}'
    if fails:
        yield f'<tspan class="fails" dx="8">→ {escape(fails)}</tspan>'
    if code and code != value.op:
        short = _short(
            code, int((room - 8 - 8 * bool(fails)) / CODE_LETTER) - len(value.op) - len(fails and f"→ {fails}")
        )
        yield f'<tspan class="code" dx="8">{escape(short)}</tspan>'
    yield "</text>"
    if words:
        yield f'<text class="range" x="{text_at}" y="{y + 13}">{escape(_short(words, int(room / WORDS_LETTER)))}</text>'
    yield from _interval(value, layout, layout.bar_y(row))
    yield "</g>"


def _short(text: str, room: int) -> str:
    return text if len(text) <= room else text[: max(room - 1, 0)] + "…"


def _interval(value: Value, layout: Layout, y: float) -> Iterator[str]:
    """A value's range on the axis, with where it does harm; hatched if it is unknown."""
    yield from (_bar("breaks", region, layout, y, 14) for region in value.breaks)
    if value.bounds is not None:
        yield _bar("bounds", value.bounds, layout, y, 6)
    else:
        yield _bar("unknown", (-math.inf, math.inf), layout, y, 6)
    marked = {end for region in value.breaks for end in region if math.isfinite(end)}
    yield from (f'<text class="mark" x="{_at(end, layout):.1f}" y="{y - 9}">{end:.3g}</text>' for end in sorted(marked))


def _bar(name: str, bounds: Bounds, layout: Layout, y: float, height: float) -> str:
    left, right = (_at(bound, layout) for bound in bounds)
    if right - left < 3:
        left, right = left - 1.5, right + 1.5
    place = f'x="{left:.1f}" y="{y - height / 2}" width="{right - left:.1f}" height="{height}"'
    return f'<rect class="{name}" {place} rx="2"/>'
