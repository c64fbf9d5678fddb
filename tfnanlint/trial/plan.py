"""How to compute each node of a part of a flow: what all runs of the part share."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from tfnanlint.flow import DYNAMIC, Node, reached
from tfnanlint.ops import OPS, Op
from tfnanlint.trial.arrays import as_array
from tfnanlint.trial.by_use import LOGARITHMS
from tfnanlint.trial.column_evidence import is_scale
from tfnanlint.trial.evidence import is_assumed
from tfnanlint.trial.nodes import SPECIAL
from tfnanlint.trial.rounding import cancelling, cosines
from tfnanlint.trial.shapes import LARGEST_INNER
from tfnanlint.trial.zero_checks import checked_in

if TYPE_CHECKING:
    from tfnanlint.facts import Facts
    from tfnanlint.trial.situations import Situation

LEAVES = frozenset("input placeholder variable attribute downstream".split())
"""Kinds of nodes that get their values from outside the flow, even if they have operands."""
DRAWING = "random_"
"""How the names of ops begin that draw random numbers."""
LOGICAL = frozenset(
    "logical_and logical_or logical_not logical_xor where equal not_equal cast reduce_any reduce_all".split()
)
"""Elementwise ops and reductions that take a boolean mask as it is; the others take it as numbers."""
SIZED = frozenset({"square", "abs"})
"""Ops through which a logarithm is that of the size of a number."""
FLOATS = {"float16": "e", "float32": "f", "float64": "d"}
"""The floating-point types that NumPy has as well, with its letters for them."""


@dataclass(frozen=True, eq=False, slots=True)
class Step:
    """How to compute a node."""

    row: Op | None
    special: Callable[..., Any] | None
    """Computes what is not an op of the table."""
    attrs: dict[str, Any]
    """Its static parameters as its row takes them, with defaults for unknown ones."""
    lengths: dict[str, tuple[Node, ...]]
    """Parameters that the program computes, with the nodes that compute them."""
    fixed: bool
    """Whether it is a known constant."""
    constant: Any
    outside: bool
    """Whether its value comes from outside the flow."""
    assumed: bool
    """Whether the user states its numbers, although the program computes it."""
    unsettled: bool
    """Whether one of its static parameters is unknown, such as the shape of a `reshape`."""
    numeric: bool
    """Whether it takes boolean operands as numbers."""
    dtype: str | None
    shape: Sequence[int | None] | None
    """Its shape in a traced graph."""


class Plan:
    """The nodes of a part in the order of computation, each with its step."""

    def __init__(self, facts: Facts, nodes: Sequence[Node]) -> None:
        self.facts = facts
        self.nodes = nodes
        self.inside = set(nodes)
        self.shapes: dict[Node, tuple[int, ...]] = {}
        """Shapes of inputs that a search found."""
        self.replaced: Collection[Node] = ()
        """Nodes that ordinary numbers break; what is not finite of their results is made up."""
        self._steps: dict[Node, Step] = {}

    def changed(self, nodes: Sequence[Node], anew: Collection[Node]) -> Plan:
        """The plan of the same nodes and others, in this order, some of which are planned anew."""
        plan = Plan(self.facts, nodes)
        plan.shapes = self.shapes
        plan.replaced = self.replaced
        plan._steps = {node: step for node, step in self._steps.items() if node not in anew}
        return plan

    @cached_property
    def places(self) -> dict[Node, int]:
        """The place of each node in the order of computation."""
        return {node: place for place, node in enumerate(self.nodes)}

    @cached_property
    def loops(self) -> set[Node]:
        """The values that loops carry from one iteration to the next."""
        return {node for node in self.nodes if node.op == "loop" and len(node.operands) == 2}

    @cached_property
    def products(self) -> set[Node]:
        """Products over an axis of a size that the program leaves open, of which it takes the logarithm.

        A determinant is the product of as many factors as the matrix has rows.
        """
        found = (node for node in self.nodes if node.op == "reduce_prod" or (node.op == "det" and _is_open(node)))
        return {node for node in found if node not in self.facts.flow.traced and _is_logged(node)}

    @cached_property
    def cancelling(self) -> set[Node]:
        """Differences that rounding can make slightly less than 0."""
        return cancelling(self.nodes) & self.inside

    @cached_property
    def cosines(self) -> dict[Node, bool]:
        """Cosines of which rounding decides whether their angle is finite, each with whether it is clipped."""
        return {node: clipped for node, clipped in cosines(self.nodes).items() if node in self.inside}

    @cached_property
    def checked(self) -> dict[tuple[Node, ...], Node | None]:
        """Groups of values that the program expects to be 0 together, each with what it checks (None: one number)."""
        return checked_in(self.nodes, self.facts)

    def vanishing(self, situation: Situation) -> dict[Node, Node | None]:
        """The values that are 0 in a situation because the program checks for that, each with what it checks."""
        if not situation.checks_zero:
            return {}
        groups = self.checked.items()
        return {node: checked for group, checked in groups for node in group if node.index not in situation.spared}

    @cached_property
    def around(self) -> tuple[set[Node], set[Node], list[Node]]:
        """The nodes that depend on the loops; those that an iteration passes on; those that are both, in order."""
        decided = self.facts.flow.decided
        inside = reached(self.loops, lambda node: [user for user in node.users if user in self.inside])
        carried = [loop.operands[1] for loop in self.loops]
        carried += [decided[loop] for loop in self.loops if loop in decided]
        ends = reached(carried, lambda node: [o for o in (*node.operands, *_conditions(node)) if o in inside])
        return inside, ends, [node for node in self.nodes if node in inside and node in ends]

    @cached_property
    def _draws(self) -> dict[Node, int]:
        """The random draws of the part, numbered: no two of them give the same numbers."""
        return {node: place for place, node in enumerate(at for at in self.nodes if at.op.startswith(DRAWING))}

    def _drawing(self, node: Node) -> dict[str, int]:
        return {"draw": self._draws[node]} if node in self._draws else {}

    def step(self, node: Node) -> Step:
        """How to compute a node."""
        found = self._steps.get(node)
        if found is None:
            found = self._steps[node] = self._step(node)
        return found

    def _step(self, node: Node) -> Step:
        flow, row = self.facts.flow, OPS.get(node.op)
        traced = flow.traced.get(node)
        fixed = node.op == "const" and node.constant is not DYNAMIC
        cut = any(operand not in self.inside for operand in node.operands)
        alone = node.op in LEAVES or not node.operands
        return Step(
            row,
            SPECIAL.get(node.op),
            {} if row is None else {**_stated(node, row, reduced=traced is None), **self._drawing(node)},
            dict(flow.computed.get(node, {})),
            fixed,
            as_array(node.constant) if fixed else None,
            cut or (alone and row is None),
            is_assumed(node, self.facts) or is_scale(node),
            any(value is DYNAMIC and name not in flow.computed.get(node, ()) for name, value in node.attrs.items()),
            row is not None and row.transfer is not None and row.elementwise and row.name not in LOGICAL,
            self.facts.dtype(node),
            None if traced is None else traced.shape,
        )


def _is_logged(product: Node) -> bool:
    """Whether a program takes the logarithm of a product, or of its size or its square, as of a determinant."""
    return any(
        user.op in LOGARITHMS for one in product.users for user in (one, *(one.users if one.op in SIZED else ()))
    )


def _is_open(determinant: Node) -> bool:
    """Whether the program computes the size of a matrix: that of an identity in it, or of a weight."""
    made_of = reached(determinant.operands, lambda at: at.operands)
    return any(
        (at.op == "eye" and at.operands and at.operands[0].op != "const")
        or (at.op == "variable" and isinstance(shape := at.attrs.get("shape"), tuple) and None in shape)
        for at in made_of
    )


def _conditions(node: Node) -> Iterator[Node]:
    """The conditions under which a node is computed, such as that a loop goes on."""
    return (condition for condition, _ in node.under)


def _stated(node: Node, row: Op, reduced: bool) -> dict[str, Any]:
    """A node's static parameters as its row takes them, with defaults for unknown ones.

    With `reduced`, images are resized to no more rows and columns than a trial gives an image from outside.
    """
    attrs = dict(row.attrs)
    for name, value in node.attrs.items():
        if name in attrs and value is not DYNAMIC:
            attrs[name] = value
        elif name == "axis" and value is DYNAMIC:
            attrs[name] = -1
    size = attrs.get("size") if reduced else None
    if isinstance(size, (tuple, list)) and all(isinstance(one, int) for one in size):
        attrs["size"] = tuple(min(one, LARGEST_INNER) for one in size)
    return attrs
