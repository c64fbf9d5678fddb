"""Numbers that Python itself computes with: it raises an error where TensorFlow and NumPy give NaN or an infinity."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from tfnanlint.flow import Node, reached
from tfnanlint.ops import OPS
from tfnanlint.source.libraries import LIBRARY
from tfnanlint.trial.evidence import role_of
from tfnanlint.trial.roles import COUNT, SETTING, SIZE
from tfnanlint.trial.uses import is_element

if TYPE_CHECKING:
    from tfnanlint.facts import Facts

SIZES = frozenset("shape size rank".split())
"""Ops whose result depends on the shape of their operand alone."""
ARITHMETIC = frozenset("add subtract multiply divide floordiv floormod neg pow getitem maximum minimum".split())
"""Operators of Python, and functions of numbers."""
COUNTING_OPS = frozenset({"count_nonzero"})
"""Ops over all axes of which NumPy gives a number of Python."""
CARRIED = frozenset("phi loop range".split())
"""Nodes that choose between numbers."""
OUTSIDE = frozenset("input placeholder attribute unknown".split())
"""Values from outside the flow."""
QUOTIENTS = frozenset("divide floordiv floormod".split())
"""Divisions that Python has operators for."""
POWERS = frozenset({"rsqrt", "reciprocal"})
"""Powers with a negative exponent."""
COUNTS = frozenset({SETTING, COUNT, SIZE})
"""Roles of numbers that are Python's own, unless TensorFlow computes them."""
NUMERIC = frozenset("time perf_counter monotonic process_time len int float round".split())
"""Functions without a row that give a number of Python."""
PYTHON = NUMERIC | {"min", "max", "sum"}
"""Functions of Python that take numbers."""
FILLED = tuple("ones zeros full eye identity tri arange linspace".split())
"""Functions of NumPy that make an array of numbers that the program states."""
ARRANGED = frozenset("reshape astype copy transpose diag tril triu fill_diagonal diag_indices".split())
"""Functions and methods that give the same numbers at other places, or in another type."""
_OF_NUMPY: WeakKeyDictionary[Facts, dict[Node, bool]] = WeakKeyDictionary()
"""Whether NumPy or Python alone computes a value; the answer is the same for all connected values."""
TENSORS = frozenset("layer variable placeholder gradient".split())
"""Nodes that only TensorFlow makes."""


def raises_in_python(node: Node, facts: Facts) -> bool:
    """Whether a node divides Python's own numbers: settings, sizes and counts. By 0, that raises an error."""
    if node.op not in QUOTIENTS | POWERS or getattr(node.origin, "spelling", None) != "":
        return False
    return all(is_python_number(operand, facts) for operand in node.operands)


def is_python_number(node: Node, facts: Facts) -> bool:
    """Whether Python computes a value from numbers, settings and attributes such as `x.shape`.

    Python also adds what a loop adds to a number, such as the elements of a list, unless an op computes that.
    """
    stack, met = [node], {node}
    added = any(
        at.op == "loop" and isinstance(at.operands[0].constant, (int, float)) for at in _computed_by_python(node)
    )
    while stack:
        at = stack.pop()
        if at.op in COUNTING_OPS and LIBRARY in at.attrs and at.attrs.get("axis") is None:
            continue
        if at.op in SIZES:
            if not at.operands or at in at.operands[0].users:  # what is told of a value does not use it
                return False
        elif at.op == "const":
            if not isinstance(at.constant, (int, float)):
                return False
        elif at.op in OUTSIDE or is_element(at):
            if not added and at.attrs.get("called") not in NUMERIC and role_of(at, facts).name not in COUNTS:
                return False
        elif at.op == "range" and at.attrs.get(LIBRARY) == "numpy":
            return False  # an array, of which 0 is divided into an infinity
        elif (at.op in ARITHMETIC or at.op in CARRIED) and not getattr(at.origin, "spelling", ""):
            further = [one for one in at.operands if one not in met]
            stack += further
            met.update(further)
        else:
            return False
    return True


def _computed_by_python(node: Node) -> set[Node]:
    """A value and those that operators of Python compute it from."""
    return reached([node], lambda at: at.operands if at.op in ARITHMETIC or at.op in CARRIED else ())


def tables_of_numpy(nodes: Iterable[Node]) -> set[Node]:
    """The arrays that a program fills with NumPy from its own numbers alone, as a mask of a diagonal: they are no data.

    The nodes come in the order in which they are computed.
    """
    filled: dict[Node, bool] = {}  # what is made of the program's numbers: whether an array of them is
    for node in nodes:
        called = node.attrs.get("called")
        known = called is None or called in FILLED or called in ARRANGED
        if node.op == "const" or (node.operands and known and all(one in filled for one in node.operands)):
            filled[node] = called in FILLED or any(filled[one] for one in node.operands)
    return {node for node, is_array in filled.items() if is_array and node.op == "unknown"}


def is_taken_by_tensorflow(node: Node) -> bool:
    """Whether a function of TensorFlow, a layer or a gradient gets what becomes of a value that NumPy computes."""
    return any(
        at.op in TENSORS or (at.op in OPS and LIBRARY not in at.attrs and getattr(at.origin, "spelling", "tf"))
        for at in reached([node], lambda at: at.users)
    )


def is_of_numpy(node: Node, facts: Facts) -> bool:
    """Whether NumPy or Python computes a value, and TensorFlow nothing that is connected with it."""
    known = _OF_NUMPY.setdefault(facts, {})
    if node not in known:
        connected = reached([node], lambda at: [*at.operands, *at.users])
        known.update(dict.fromkeys(connected, _is_of_numpy(connected, facts)))
    return known[node]


def _is_of_numpy(connected: set[Node], facts: Facts) -> bool:
    if any(at.op in TENSORS or at in facts.flow.traced for at in connected):
        return False
    ops = [at for at in connected if at.op in OPS and at.op not in SIZES]
    if any(LIBRARY not in at.attrs and getattr(at.origin, "spelling", "tf") for at in ops):
        return False
    return any(LIBRARY in at.attrs or at.attrs.get("called") in PYTHON for at in connected)


def is_counter(node: Node) -> bool:
    """Whether a program counts in Python how often it gets somewhere: 0 and 1, added up around a loop."""
    made_of = reached([node], lambda at: at.operands)
    if not any(at.op in CARRIED and at.operands for at in made_of):
        return False
    return all(at.op in CARRIED or at.op == "add" or isinstance(at.constant, (int, float)) for at in made_of)
