"""Calls that only demonstrate a function: on numbers that a script draws or lists for it, as at the end of a module.

Such numbers lack what real data has, such as a blank image or a count of 0. A function that is called on nothing else
is therefore lowered on its own, too, as if nothing called it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from tfnanlint.flow import Node
from tfnanlint.ops import OPS
from tfnanlint.source.libraries import LIBRARY, TABLE

if TYPE_CHECKING:
    from tfnanlint.source.lower import Lowering
    from tfnanlint.source.values import Scope

DRAWN, GIVEN, NEUTRAL = "drawn", "given", "neutral"
"""What numbers are made of: the script's own draws and examples, something from outside of it, or neither."""
OPTIMIZER = "optimizer"
"""Marks an object that is an optimizer of Keras or TensorFlow."""
WEIGHTS = frozenset({"variable", "layer"})
"""Values that belong to a model, whatever it is applied to."""


DRAWING = frozenset(
    "choice permutation permuted poisson binomial multinomial dirichlet beta gamma exponential lognormal laplace "
    "geometric standard_t chisquare".split()
)
"""What else draws numbers in NumPy, beside the ops that are random."""
READING = frozenset("load loadtxt genfromtxt fromfile memmap".split())
"""What reads numbers in NumPy."""


def is_staged(caller: Scope, arguments: Iterable[Node]) -> bool:
    """Whether a call makes what a script runs by itself: its top level calls it, and passes constants at most."""
    return caller.staged and all(node.op == "const" for node in arguments)


def is_demonstration(low: Lowering, arguments: Iterable[Node]) -> bool:
    """Whether the arguments of a call are computed from the script's own numbers, and from nothing that it is given."""
    made_of = {_made_of(node, low.made_of) for node in arguments}
    return DRAWN in made_of and GIVEN not in made_of


def _made_of(node: Node, known: dict[Node, str]) -> str:
    """What a value is made of; `known` has the answers for the values that were asked about before."""
    waiting, met = [node], {node}
    while waiting:
        at = waiting[-1]
        further = [one for one in at.operands if one not in known and one not in met]
        if further and at not in known:
            waiting += further
            met.update(further)
            continue
        if at not in known:
            known[at] = _verdict(at, {known.get(one, NEUTRAL) for one in at.operands})
        waiting.pop()
    return known[node]


def _verdict(node: Node, parts: set[str]) -> str:
    row = OPS.get(node.op)
    if (row is not None and row.random) or (node.attrs.get("called") in DRAWING and LIBRARY in node.attrs):
        return DRAWN if _is_staged(node) else NEUTRAL
    if node.op == "const" and isinstance(node.attrs["value"], (tuple, list)):
        # a module's own lists are tables, those under `if __name__ == "__main__":` are examples
        return DRAWN if node.under and _is_staged(node) else NEUTRAL
    for verdict in (GIVEN, DRAWN):
        if verdict in parts:
            return verdict
    if node.op == "const" or node.op in WEIGHTS or OPTIMIZER in node.attrs:
        return NEUTRAL
    of_numpy = TABLE in node.attrs or (LIBRARY in node.attrs and node.attrs.get("called") not in READING)
    return NEUTRAL if node.operands and (row is not None or of_numpy) else GIVEN


def _is_staged(node: Node) -> bool:
    return node.origin is not None and node.origin.scope.staged
