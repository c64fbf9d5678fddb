"""Repairs that take the activation from the layer that applies it: what a repair leaves out may be an argument."""

from __future__ import annotations

from typing import Any

import libcst as cst

from tfnanlint.finding import Edit
from tfnanlint.fix.departure import Departure, departures
from tfnanlint.fix.dialect import NoFix
from tfnanlint.fix.printer import text_of, with_edits
from tfnanlint.fix.wrap import flat
from tfnanlint.flow import Flow, Node
from tfnanlint.match.captures import Match
from tfnanlint.source.layers import PARAMETERS
from tfnanlint.source.positions import Span

_ARGUMENTS = ("activation", "activation_fn")


def activation_left_out(match: Match) -> Node | None:
    """The value, of a layer that was given an activation, which the repair would have without it."""
    found = departures(match.pattern)
    if found is None or len(found) != 1 or not _drops_an_op(found[0]):
        return None
    held = match.places.get(found[0].path[-1])
    return held[0] if held is not None and _maker(held[0]) is not None else None


def deactivated(activated: Node, match: Match, flow: Flow) -> tuple[list[Edit], str]:
    """The edits that take the activation from the layer, and what is left of its call; raises `NoFix`."""
    made = _maker(activated)
    assert made is not None
    call, place = made
    for node in flow:
        if node.op == activated.op and node.origin is not None and node.origin.expr is activated.origin.expr:
            others = [user for user in node.users if user.op != match.root.op]
            if others or node in flow.kept:
                raise NoFix("the activation of this layer is of use elsewhere")
    file, spans = activated.origin.file, activated.origin.file.layout.spans
    argument = spans[call.args[place]]
    start, end = argument[:2], argument[2:]
    if place:
        start = spans[call.args[place - 1]][2:]
    elif len(call.args) > 1:
        end = spans[call.args[1]][:2]
    gone: Span = (start[0], start[1], end[0], end[1])
    if "#" in text_of(file, gone):
        raise NoFix("a comment would be lost")
    edit = Edit(file.path, *gone, "")
    text = with_edits(file, spans[call], [edit])
    return [edit], flat(text) or text


def _drops_an_op(departure: Departure) -> bool:
    """Whether a repair has the operand of an op in the place of its result."""
    return len(departure.old.operands) == 1 and departure.new is departure.old.operands[0]


def _maker(activated: Node) -> tuple[cst.Call, int] | None:
    """The call that makes the layer, and the number of the argument that is its activation."""
    below = activated.operands[0] if activated.operands else None
    call: Any = activated.origin.expr
    if below is None or below.op != "layer" or not isinstance(call, cst.Call):
        return None
    if isinstance(call.func, cst.Call):
        call = call.func
    for place, arg in enumerate(call.args):
        if arg.keyword is not None and arg.keyword.value in _ARGUMENTS:
            return call, place
    order = PARAMETERS.get(below.attrs.get("kind", ""), "").split()
    place = order.index("activation") if "activation" in order else len(call.args)
    last = place < len(call.args) and all(arg.keyword is None and not arg.star for arg in call.args[: place + 1])
    after = call.args[place + 1] if place + 1 < len(call.args) else None
    return (call, place) if last and (after is None or after.keyword is not None) else None
