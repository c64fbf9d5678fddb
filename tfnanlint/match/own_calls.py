"""What a file makes of its own functions and objects: the hazards that none of its calls has, or that all drop."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tfnanlint.flow import Node, reached

if TYPE_CHECKING:
    from tfnanlint.flow import Flow
    from tfnanlint.match.captures import Match

CALLED = frozenset({"call", "__call__"})
"""Methods by which an object is called."""


def dropped_in(roots: Sequence[Node], flow: Flow) -> set[Node]:
    """Those values of which a caller drops all that becomes of them, such as the second of two results."""
    followed = [root for root in roots if root.users and getattr(root.origin, "calls", None)]
    ends = {*flow.kept, *flow.held, *flow.assigned.values(), *(one.node for one in flow.roots)} if followed else set()
    return {root for root in followed if _is_dropped(root, ends)}


def _is_dropped(root: Node, ends: set[Node]) -> bool:
    onward = reached([root], lambda node: node.users)
    shown = (node.op == "unknown" or node.origin.scope.kind == "module" for node in onward if not node.users)
    return ends.isdisjoint(onward) and not any(shown)


def open_to(matches: Sequence[Match], flow: Flow) -> list[Match]:
    """The matches without those in the `call` of a class that its own file calls, and that none of these calls has.

    Other methods and functions are not linted on their own where their file calls them.
    """
    own = [match for match in matches if _is_of_called_object(match, flow)]
    if not own:
        return list(matches)
    followed = {node.origin.expr for node in flow if node.origin is not None and node.origin.calls}
    there = {(match.rule, match.root.origin.expr) for match in matches if match.root.origin.calls}
    left_out = {
        match.root
        for match in own
        if (match.rule, match.root.origin.expr) not in there
        and followed.issuperset(node.origin.expr for node in match.matched if node.origin is not None)
    }
    return [match for match in matches if match.root not in left_out]


def _is_of_called_object(match: Match, flow: Flow) -> bool:
    """Whether a match stands in the `call` of a class on its own, and the file calls it as well."""
    origin = match.root.origin
    scope = getattr(origin, "scope", None)  # a traced graph has none
    if scope is None or origin.calls:
        return False
    function = scope.owner
    return getattr(function, "name", "") in CALLED and function.node in flow.called
