"""One line about a failing run: the small inputs, and the values on the way to the op that fails.

`mask = [0, 0, 0, 0]: reduce_sum(mask) = 0, 0 / 0 = nan`. Of each array, the line shows the elements from which the
failing element was computed, as far as the ops on the way allow to trace them.
"""

from __future__ import annotations

from collections import deque
from typing import Any

from tfnanlint.flow import Node, reached
from tfnanlint.ops import OPS
from tfnanlint.ops.numeric import np
from tfnanlint.trial.arrays import fit
from tfnanlint.trial.evidence import is_assumed, name_of
from tfnanlint.trial.run import Run
from tfnanlint.trial.uses import is_element

OPERATORS = {"add": "+", "subtract": "-", "multiply": "*", "divide": "/", "pow": "**"}
"""Ops that are written as an operator between their operands."""
BY_EXAMPLE = frozenset("layer softmax log_softmax l2_normalize matmul matvec".split())
"""Ops that compute each example from that of their first operand."""
HANDING_ON = frozenset(
    "cast identity reshape convert_to_tensor getitem expand_dims squeeze phi loop asserted detached".split()
)
"""Ops that only pass a value on, and joins of branches and loops; the line shows the value where it is used."""
SAME_SHAPE = HANDING_ON & frozenset("phi loop asserted identity detached".split())
"""Those of them whose elements stand where they stood."""
SIZES = frozenset({"shape", "size"})
"""Ops that give the extent of a value: the line shows it where there is nothing else to show."""
MOST_STEPS = 4
"""The most values on the way that are shown."""
MOST_INPUTS = 2
"""The most inputs that are shown."""
MOST_ELEMENTS = 4
"""The most elements of an array that are shown."""
MOST_PICKED = 60
"""The most values on the way that are searched for the part from which the failing element was computed."""


def summary(run: Run, node: Node, kind: str, handed: Any = None) -> str:
    """The line for a node that fails in its value, or in the gradient that it returns."""
    place = _place_of(run, node) if kind == "value" else _place_in(run.values[node], handed)
    picked = _picked(run, node, place)
    steps, inputs = _path_to(run, node)
    steps = [one for one in steps if one in node.operands or not _is_long(picked.get(one, run.values.get(one)))]
    texts = [_step(run, one, picked) for one in steps]
    if kind == "value":
        texts.append(_step(run, node, picked))
    else:
        operands = ", ".join(_short(picked.get(o)) for o in node.operands[:2])
        texts.append(f"the gradient of {node.op}({operands}) is {_short(_worst(handed))}")
    given = ", ".join(f"{_name(run, one)} = {_short(picked.get(one, run.values.get(one)))}" for one in inputs)
    said = ", ".join(dict.fromkeys(texts))
    return f"{given}: {said}" if given else said


def _is_long(value: Any) -> bool:
    """Whether only the first elements of a value are shown; they matter only as operands of the failing op."""
    return isinstance(value, np.ndarray) and value.size > MOST_ELEMENTS


def _place_of(run: Run, node: Node) -> tuple[int, ...] | None:
    """The position of an element that fails, for an op of single elements: of operands that do not.

    An element that becomes NaN is preferred to one that becomes infinite.
    """
    value, row = run.values[node], OPS.get(node.op)
    if isinstance(value, np.ndarray) and value.ndim and row is not None and row.elementwise:
        operands = [v for v in map(run.values.get, node.operands) if isinstance(v, np.ndarray) and v.dtype.kind in "fc"]
        finite, told = np.isfinite(value), ~np.isnan(value)
        for operand in operands:
            finite |= ~np.isfinite(fit(operand, value.shape))
            told |= np.isnan(fit(operand, value.shape))
        for sound in (told, finite):
            if not sound.all():
                return tuple(int(i) for i in np.argwhere(~sound)[0])
    return _failing_place(value)


def _failing_place(value: Any) -> tuple[int, ...] | None:
    if not isinstance(value, np.ndarray) or not value.ndim:
        return None
    wrong = np.argwhere(~np.isfinite(value))
    return tuple(int(i) for i in wrong[0]) if len(wrong) else None


def _place_in(value: Any, handed: Any) -> tuple[int, ...] | None:
    """The position of the element whose gradient fails, if value and gradient have the same shape."""
    same = isinstance(value, np.ndarray) and np.shape(handed) == value.shape
    return _failing_place(handed) if same else None


def _worst(value: Any) -> Any:
    flat = np.ravel(np.asarray(value))
    wrong = flat[~np.isfinite(flat)]
    return wrong[0] if wrong.size else flat[:1]


def _picked(run: Run, node: Node, place: tuple[int, ...] | None) -> dict[Node, Any]:
    """The part of each value on the way from which the failing element was computed."""
    picked: dict[Node, Any] = {}
    queue: deque[tuple[Node, tuple[Any, ...] | None]] = deque([(node, place)])
    while queue and len(picked) < MOST_PICKED:
        at, where = queue.popleft()
        value: Any = run.values.get(at)
        if at in picked:
            continue
        picked[at] = value[where] if where is not None and _fits(where, value) else value
        row = OPS.get(at.op)
        for operand in at.operands:
            held = run.values.get(operand)
            inner: tuple[Any, ...] | None = None
            if where is not None and isinstance(held, np.ndarray) and held.ndim:
                if (row is not None and row.elementwise) or at.op in SAME_SHAPE:
                    inner = _beside(held, value, where)
                elif row is not None and "keepdims" in row.attrs and isinstance(at.attrs.get("axis"), int):
                    inner = _row_of(where, held.ndim, at.attrs["axis"], bool(at.attrs.get("keepdims")))
                elif at.op in BY_EXAMPLE and operand is at.operands[0] and at.attrs.get("axis") != 0:
                    inner = _example_of(where, held, value)
            queue.append((operand, inner if inner is None or _fits(inner, held) else None))
    return picked


def _example_of(where: tuple[Any, ...], operand: Any, value: Any) -> tuple[Any, ...] | None:
    """The position of the example in the operand of an op that treats each example by itself, as a layer does."""
    same = isinstance(value, np.ndarray) and value.ndim > 0 and operand.shape[0] == value.shape[0]
    return where[:1] if same and where else None


def _beside(operand: Any, value: Any, where: tuple[Any, ...]) -> tuple[Any, ...] | None:
    """The position in an operand that belongs to one in an elementwise result, after broadcasting."""
    if not _fits(where, value):
        return None
    if any(isinstance(i, slice) for i in where) or len(where) < value.ndim:
        whole = (*where, *[slice(None)] * (value.ndim - len(where)))[max(value.ndim - operand.ndim, 0) :]
        broadcast = all(n in (1, m) for n, m in zip(operand.shape[::-1], value.shape[::-1], strict=False))
        if not broadcast or len(whole) != operand.ndim:
            return None
        return tuple(0 if n == 1 and not isinstance(i, slice) else i for i, n in zip(whole, operand.shape, strict=True))
    if not operand.size:
        return None
    taken = fit(np.arange(operand.size).reshape(operand.shape), value.shape)[where]
    return tuple(int(i) for i in np.unravel_index(int(taken), operand.shape))


def _fits(where: tuple[Any, ...], value: Any) -> bool:
    """Whether an array has an element at this position."""
    if not isinstance(value, np.ndarray) or len(where) > value.ndim:
        return False
    return all(isinstance(i, slice) or i < n for i, n in zip(where, value.shape, strict=False))


def _row_of(where: tuple[int, ...], rank: int, axis: int, kept: bool) -> Any:
    """The position of the row that is reduced to an element."""
    axis %= rank
    places: list[Any] = list(where)
    if len(places) != (rank if kept else rank - 1):
        return None
    if kept:
        places[axis] = slice(None)
    else:
        places.insert(axis, slice(None))
    return tuple(places)


def _path_to(run: Run, node: Node) -> tuple[list[Node], list[Node]]:
    """The computed values nearest to a node, in order, and the inputs from which they are computed."""
    computed: list[Node] = []
    inputs: list[Node] = []
    sizes: list[Node] = []
    stack, met = list(reversed(node.operands)), {node}
    while stack:
        at = stack.pop(0)
        if at in met or at.op == "const":
            continue
        met.add(at)
        if at.op in SIZES:
            sizes.append(at)
        elif at.op in OPS and at.operands and not (at in run.vanished or is_assumed(at, run.facts) or is_element(at)):
            computed.append(at)
            stack += at.operands
        elif isinstance(run.values.get(at), np.ndarray):
            inputs.append(at)
    inputs = inputs or sizes
    onward = reached(inputs, lambda at: [user for user in at.users if user in met])
    steps = [at for at in computed if at.op not in HANDING_ON and (at in onward or not inputs)][:MOST_STEPS]
    return sorted(steps, key=lambda n: n.index), inputs[:MOST_INPUTS]


def _step(run: Run, node: Node, picked: dict[Node, Any]) -> str:
    value = _short(picked.get(node, run.values.get(node)))
    operands = [_operand(run, o, picked) for o in node.operands]
    if node.op in OPERATORS and len(operands) == 2:
        return f"{operands[0]} {OPERATORS[node.op]} {operands[1]} = {value}"
    row = OPS.get(node.op)
    count = len(row.operands) if row is not None and not row.operands[-1:][0].startswith("*") else 3
    return f"{node.op}({', '.join(operands[:count])}) = {value}"


def _operand(run: Run, node: Node, picked: dict[Node, Any]) -> str:
    value = picked.get(node, run.values.get(node))
    if node.op in ("input", "placeholder", "attribute") and isinstance(value, np.ndarray) and value.size > 1:
        return _name(run, node)
    return _short(value)


def _name(run: Run, node: Node) -> str:
    name = name_of(node, run.facts)
    if name:
        return name
    if node.op == "layer":
        return f"{node.attrs.get('kind', 'layer')}(...)"
    if node.op in SIZES and node.operands:
        return f"{node.op}({_name(run, node.operands[0])})"
    if called := node.attrs.get("called"):
        return f"{called}(...)"
    place = node.operands[1].constant if is_element(node) and len(node.operands) == 2 else None
    if isinstance(place, int):
        return f"{_name(run, node.operands[0])}[{place}]"
    return {"variable": "a weight", "gradient": "a gradient"}.get(node.op, "a value")


def _short(value: Any) -> str:
    """A number, or the first elements of an array."""
    if isinstance(value, np.ndarray) and value.ndim:
        flat = value.ravel()
        shown = ", ".join(_number(v) for v in flat[:MOST_ELEMENTS])
        return f"[{shown}, ...]" if flat.size > MOST_ELEMENTS else f"[{shown}]"
    return _number(value)


def _number(value: Any) -> str:
    if isinstance(value, (bool, np.bool_)):
        return "True" if value else "False"
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    if isinstance(value, (float, np.floating)) or (isinstance(value, np.ndarray) and value.dtype.kind in "fiub"):
        exact = float(value) + 0.0
        text = f"{exact:.3g}"
        if exact == float(text) or not float(text).is_integer():
            return text
        shorter = f"{exact:.5g}"
        return f"{exact:.8g}" if float(shorter).is_integer() else shorter
    return "..." if value is not None else "None"
