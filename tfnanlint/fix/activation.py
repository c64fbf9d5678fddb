"""Fixes of a layer's activation: the fix removes or replaces the layer's argument."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import libcst as cst

from tfnanlint.finding import Edit
from tfnanlint.fix.departure import departures
from tfnanlint.fix.dialect import NoFix
from tfnanlint.fix.text import dotted, text_of, with_edits
from tfnanlint.fix.wrap import flat
from tfnanlint.flow import Flow, Node
from tfnanlint.match.captures import Match
from tfnanlint.ops import OPS
from tfnanlint.source.layer_kinds import PARAMETERS
from tfnanlint.source.positions import Span

_ARGUMENTS = ("activation", "activation_fn")


@dataclass
class Activation:
    """An activation that a layer was given: its value, the op for it in the repair (None: none), and the argument."""

    value: Node
    wanted: str | None
    call: cst.Call
    place: int


def activation_of(match: Match) -> Activation | None:
    """The activation of a layer in which a repair departs from the program, if that is all it does."""
    found = departures(match.pattern)
    if found is None:
        old, new, value = match.pattern.root, match.pattern.repaired, match.root
    elif len(found) == 1 and found[0].path[-1] in match.places:
        old, new, value = found[0].old, found[0].new, match.places[found[0].path[-1]][0]
    else:
        return None
    if len(old.operands) != 1 or not isinstance(new, Node):
        return None
    exchanged = new.op != old.op and len(new.operands) == 1 and new.operands[0] is old.operands[0]
    made = _maker(value) if exchanged or new is old.operands[0] else None
    return Activation(value, new.op if exchanged else None, *made) if made is not None else None


def reactivated(activation: Activation, match: Match, flow: Flow) -> tuple[list[Edit], str]:
    """The edits that give the layer what the repair wants, and what becomes of its call; raises `NoFix`."""
    value, call = activation.value, activation.call
    alike = [n for n in flow if n.op == value.op and n.origin is not None and n.origin.expr is value.origin.expr]
    for node in alike if value is not match.root else ():
        if node in flow.kept or any(user.op != match.root.op for user in node.users):
            raise NoFix("the activation of this layer is used elsewhere, too")
    file, spans = value.origin.file, value.origin.file.layout.spans
    if activation.wanted is not None:
        given = call.args[activation.place].value
        held: Span = spans[given]
        edit = Edit(file.path, *held, _exchanged(given, value.op, activation.wanted))
    else:
        gone = _span_with_comma(call, activation.place, spans)
        if "#" in text_of(file, gone):
            raise NoFix("the fix would delete a comment")
        edit = Edit(file.path, *gone, "")
    text = with_edits(file, spans[call], [edit])
    return [edit], flat(text) or text


def _exchanged(given: cst.BaseExpression, old: str, new: str) -> str:
    """The argument for the new activation, written in the way of the old one; raises `NoFix`."""
    if isinstance(given, cst.SimpleString) and given.evaluated_value == old:
        return given.value.replace(old, new)
    home, _, name = dotted(given).rpartition(".")
    if home and name == old and _is_in(home.rpartition(".")[2], new):
        return f"{home}.{new}"
    raise NoFix(f"the activation is not written as `{old}`; change it to `{new}` by hand")


def _is_in(home: str, op: str) -> bool:
    """Whether a module, such as `nn`, has this activation under its plain name."""
    return home == "activations" or any(f"{home}.{op}" in name for s in OPS[op].spellings for name in s.names)


def _span_with_comma(call: cst.Call, place: int, spans: Any) -> Span:
    """The span of an argument with the comma between it and another one."""
    start, end = spans[call.args[place]][:2], spans[call.args[place]][2:]
    if place:
        start = spans[call.args[place - 1]][2:]
    elif len(call.args) > 1:
        end = spans[call.args[1]][:2]
    return (start[0], start[1], end[0], end[1])


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
