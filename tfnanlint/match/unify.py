"""All ways in which a pattern is a part of a flow: which node each of its nodes is, and what its inputs are."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tfnanlint.flow import DYNAMIC, TRUTHS, Node, behind, is_layer
from tfnanlint.match.captures import ABSENT, Binding, Static
from tfnanlint.ops import OPS
from tfnanlint.ruleset.pattern import Pattern
from tfnanlint.source.libraries import LIBRARY

COMMUTATIVE = frozenset(
    {"add", "multiply", "maximum", "minimum", "squared_difference", "equal", "not_equal", "logical_and"}
)
TRANSPARENT = frozenset(name for name, row in OPS.items() if row.transparent)
DOWNSTREAM_LIMIT = 4000
"""How many ancestors of a node are looked at for "anything downstream of"."""
NEARBY = 100
"""The limit if one input of the pattern is bound already."""


def kind_of(node: Node) -> str:
    """The op of a node, as patterns name it: a network that the program is given stands for a layer."""
    return "layer" if is_layer(node) else node.op


def branch_of(join: Node) -> int | None:
    """At a join of a value with what an `if` without an `else` makes of it, the position of the latter; else None."""
    if len(join.operands) != 2 or any(user.op == "loop" for user in join.operands[0].users):
        return None
    one, other = join.operands
    if other in _ancestors(one, NEARBY):
        return 0
    return 1 if one in _ancestors(other, NEARBY) else None


def unify(pattern: Pattern, wanted: Node, node: Node, user: Node, binding: Binding) -> Iterator[Binding]:
    """All ways in which `wanted` of the pattern is `node` of the flow."""
    if wanted.op == "input":
        yield from _capture(wanted.attrs["name"], node, user, binding)
        return
    if wanted.op == "downstream":
        inner = wanted.operands[0]
        near = any(o.op == "input" and o.attrs["name"] in binding.captured for o in inner.operands)
        between = set(_ancestors(node, NEARBY)) if inner.op == "input" else set()
        for ancestor in _ancestors(node, NEARBY if near else DOWNSTREAM_LIMIT):
            if inner.op != "input" and inner.op not in (kind_of(ancestor), value_behind(ancestor).op):
                continue
            for found in unify(pattern, wanted.operands[0], ancestor, ancestor, binding.copy()):
                found.places[wanted, 0] = (ancestor, _user_in(between, ancestor))
                yield found
        return
    if wanted.op != kind_of(node):
        node = value_behind(node)
    if node.op == "phi" and wanted.op != "phi":
        place = branch_of(node)
        if place is not None:
            binding.branches += ((node, place),)
            yield from unify(pattern, wanted, node.operands[place], user, binding)
        return
    if wanted.op == "const":
        if node.op == "const" and _equal(wanted.constant, node.constant):
            yield binding
        return
    if wanted.op != kind_of(node) or not _attributes(pattern, wanted, node, binding):
        return
    binding.matched[node] = None
    if wanted in pattern.named:
        binding.captured.setdefault(pattern.named[wanted], (node, user))
    if OPS.get(node.op) is None or OPS[node.op].operands[-1:] == ("*xs",):
        given = node.operands[1:] if node.op != wanted.op else node.operands  # behind the network that is called
        if len(wanted.operands) == 1 and given:
            yield from _operands(pattern, wanted, (0,), given[:1], node, binding)
        elif not wanted.operands:
            yield binding
        return
    count = len(wanted.operands)
    if len(node.operands) < count:
        return
    if node.op in COMMUTATIVE and count == 2:
        yield from _operands(pattern, wanted, (0, 1), node.operands[:2], node, binding.copy())
        yield from _operands(pattern, wanted, (0, 1), node.operands[1::-1], node, binding.copy())
    else:
        yield from _operands(pattern, wanted, tuple(range(count)), node.operands[:count], node, binding)


def _operands(
    pattern: Pattern, above: Node, places: tuple[int, ...], given: tuple[Node, ...], user: Node, binding: Binding
) -> Iterator[Binding]:
    """All ways to match operands of the pattern with given ones; `downstream` operands are matched last."""
    if not places:
        yield binding
        return
    at = next((at for at, place in enumerate(places) if above.operands[place].op != "downstream"), 0)
    for found in unify(pattern, above.operands[places[at]], given[at], user, binding.copy()):
        found.places[above, places[at]] = (given[at], user)
        others = places[:at] + places[at + 1 :], given[:at] + given[at + 1 :]
        yield from _operands(pattern, above, *others, user, found)


def _capture(name: str, node: Node, user: Node, binding: Binding) -> Iterator[Binding]:
    held = binding.captured.get(name)
    if held is None:
        binding.captured[name] = (node, user)
        yield binding
    elif isinstance(held, tuple) and held[0].value == node.value:
        yield binding


def value_behind(node: Node) -> Node:
    """The value that transparent ops hand on."""
    return behind(node, TRANSPARENT)


def _ancestors(node: Node, limit: int) -> Iterator[Node]:
    """A node and its ancestors that get its gradient; of a truth value, all its ancestors."""
    seen: set[Node] = set()
    stack = [node]
    while stack and len(seen) < limit:
        at = stack.pop()
        if at not in seen and at.op != "gradient":
            seen.add(at)
            yield at
            row = OPS.get(at.op)
            stack.extend(
                o for place, o in enumerate(at.operands) if at.op in TRUTHS or row is None or not row.blocks(place)
            )


def _user_in(nodes: set[Node], node: Node) -> Node:
    """The one user of a node among some nodes; the node itself where there are several or none."""
    users = [one for one in dict.fromkeys(node.users) if one in nodes]
    return users[0] if len(users) == 1 else node


def _equal(wanted: Any, given: Any) -> bool:
    if isinstance(wanted, bool) or isinstance(given, bool):
        return wanted is given
    if isinstance(wanted, (int, float)) and isinstance(given, (int, float)):
        return wanted == given or (wanted != wanted and given != given)
    return type(wanted) is type(given) and wanted == given


def _attributes(pattern: Pattern, wanted: Node, node: Node, binding: Binding) -> bool:
    """Whether the static parameters fit: equal, captured, or left at their default by both."""
    given_by = pattern.statics.get(wanted, {})
    names = {*wanted.attrs, *node.attrs, *given_by} - {"name", LIBRARY}
    if wanted.op in ("layer", "variable"):  # in a template, one with weights stands for all of them
        return True
    for name in names:
        variable = given_by.get(name)
        given = node.attrs.get(name, ABSENT)
        if variable is not None:
            held = binding.captured.get(variable)
            if held is None:
                binding.captured[variable] = Static(given, node, name)
            elif not isinstance(held, Static) or not _same_static(held.value, given):
                return False
        elif name in wanted.attrs:
            if given is ABSENT or not _equal(wanted.attrs[name], given):
                return False
        elif given is not ABSENT:
            return False
    return True


def _same_static(a: Any, b: Any) -> bool:
    return a is b or (a is not DYNAMIC and b is not DYNAMIC and a == b)
