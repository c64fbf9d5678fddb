"""A dataflow slice as an inline SVG: a row a value, edges from what it is computed from, and its range on one axis.

The axis holds all numbers: 0, 1 and the infinities have fixed places, and what lies between is bent so that an epsilon
of 1e-12 still stands apart from 0. Red is where the hazard's op is not finite; dots are what ordinary data reaches.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from html import escape

from tfnanlint.finding import Bounds, Value

ROW, TOP, LANE = 34, 26, 16
LEFT, WIDTH = 14, 900
AXIS_WIDTH = 240
CODE_LETTER, WORDS_LETTER = 7.8, 6.9
"""The widths of a letter of a value's code, and of what is known of it."""


def picture(values: Sequence[Value], code_of: Callable[[Value], str]) -> str:
    """The SVG of a slice; `code_of` gives the code of a value, or nothing."""
    lanes = lanes_of(values)
    text_at = LEFT + LANE * (max(lanes, default=0) + 1) + 4
    axis = WIDTH - AXIS_WIDTH / 2 - 12
    height = TOP + ROW * len(values) + 6
    described = "; ".join(f"{value.op} {value.range}".strip() for value in values)
    about = escape(f"dataflow: {described}")
    size = f'viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}"'
    parts = [f'<svg class="slice" {size} role="img" aria-label="{about}">']
    parts += _axis(axis, height)
    parts += _edges(values, lanes)
    for row, value in enumerate(values):
        inherited = any(values[operand].reason == value.reason for operand in value.operands)
        words = " ".join(part for part in (value.range, "" if inherited else value.reason) if part)
        parts += _row(row, value, words, lanes[row], text_at, axis, code_of(value))
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


def _y(row: int) -> float:
    return TOP + ROW * row + ROW / 2


def _edges(values: Sequence[Value], lanes: Sequence[int]) -> Iterator[str]:
    for row, value in enumerate(values):
        for operand in value.operands:
            x, y, x1, y1 = _x(lanes[operand]), _y(operand), _x(lanes[row]), _y(row)
            bend = y1 - ROW * 0.75
            curve = f"L{x} {max(bend, y)} C{x} {y1 - 8} {x1} {bend + 4} {x1} {y1}" if x != x1 else f"L{x1} {y1}"
            cut = " cut" if value.cut and operand == row - 1 and len(value.operands) == 1 else ""
            yield f'<path class="edge{cut}" d="M{x} {y} {curve}"/>'
        if value.cut and not value.operands:
            yield f'<path class="edge cut" d="M{_x(lanes[row])} {_y(row) - ROW * 0.45} V{_y(row)}"/>'


def _axis(centre: float, height: float) -> Iterator[str]:
    """The lines at -1, 0 and 1 behind the ranges, and the names of the places."""
    half = AXIS_WIDTH / 2
    for value, name in ((-math.inf, "-∞"), (-1.0, "-1"), (0.0, "0"), (1.0, "1"), (math.inf, "∞")):
        x = centre + half * bent(value)
        zero = " zero" if value == 0 else ""
        yield f'<line class="grid{zero}" x1="{x:.1f}" x2="{x:.1f}" y1="{TOP - 6}" y2="{height - 6:.1f}"/>'
        yield f'<text class="tick" x="{x:.1f}" y="{TOP - 11}">{name}</text>'


def _row(row: int, value: Value, words: str, lane: int, text_at: float, axis: float, code: str) -> Iterator[str]:
    y = _y(row)
    room = axis - AXIS_WIDTH / 2 - text_at - 14
    place = f"{value.place[0]}:{value.place[1]}" if value.place is not None else ""
    about = [value.op, value.range or "nothing is known", value.reason, place]
    yield f'<g class="value {value.role}"><title>{escape("; ".join(part for part in about if part))}</title>'
    yield f'<rect class="band" x="0" y="{y - ROW / 2}" width="{WIDTH}" height="{ROW}"/>'
    yield f'<circle cx="{_x(lane)}" cy="{y}" r="{6 if value.role == "hazard" else 4.5}"/>'
    yield f'<text class="op" x="{text_at}" y="{y + (1 if words else 4)}">{escape(value.op)}'
    if code and code != value.op:
        yield f'<tspan class="code" dx="8">{escape(_short(code, int(room / CODE_LETTER) - len(value.op)))}</tspan>'
    yield "</text>"
    if words:
        yield f'<text class="range" x="{text_at}" y="{y + 13}">{escape(_short(words, int(room / WORDS_LETTER)))}</text>'
    yield from _interval(value, axis, y)
    yield "</g>"


def _short(text: str, room: int) -> str:
    return text if len(text) <= room else text[: max(room - 1, 0)] + "…"


def _interval(value: Value, axis: float, y: float) -> Iterator[str]:
    """A value's range on the axis, with where it does harm."""
    yield from (_bar("breaks", region, axis, y, 14) for region in value.breaks)
    if value.bounds is not None:
        yield _bar("bounds", value.bounds, axis, y, 6)
    for number in sorted({*value.seen}) if value.seen is not None else ():
        x = axis + AXIS_WIDTH / 2 * bent(number)
        harmful = " harmful" if any(lo <= number <= hi for lo, hi in value.breaks) else ""
        yield f'<circle class="seen{harmful}" cx="{x:.1f}" cy="{y}" r="3.5"/>'


def _bar(name: str, bounds: Bounds, axis: float, y: float, height: float) -> str:
    half = AXIS_WIDTH / 2
    left, right = (axis + half * bent(bound) for bound in bounds)
    if right - left < 3:
        left, right = left - 1.5, right + 1.5
    place = f'x="{left:.1f}" y="{y - height / 2}" width="{right - left:.1f}" height="{height}"'
    return f'<rect class="{name}" {place} rx="2"/>'
