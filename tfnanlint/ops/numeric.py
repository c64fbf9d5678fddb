"""NumPy for the `run` and `pull` columns of the op table, loaded when the first op runs.

The table is built in every run of the linter, and most runs try nothing: importing NumPy there would double the time
that a clean file takes. A column is therefore a function that names NumPy when it is called: `lambda x: np.log(x)`.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from importlib import import_module
from typing import Any

from tfnanlint.ops.work import VALUE, WORK

Array = Any
"""A NumPy array; the name keeps signatures readable without importing NumPy."""


class _Lazy:
    """NumPy, imported at the first attribute that anyone asks for."""

    def __getattr__(self, name: str) -> Any:
        import numpy

        value = getattr(numpy, name)
        setattr(self, name, value)
        return value


np: Any = _Lazy()


class Kernels:
    """The functions of a module in `ops.kernels`, which is imported when the first of them is called.

    `kernels.both("where")` is the pair of columns whose functions are `where` and `pull_where`.
    """

    def __init__(self, module: str) -> None:
        self._module = f"tfnanlint.ops.kernels.{module}"

    def __getattr__(self, name: str) -> Callable[..., Any]:
        resolved: Callable[..., Any] | None = None

        def kernel(*operands: Any, **attrs: Any) -> Any:
            nonlocal resolved
            if resolved is None:
                resolved = getattr(import_module(self._module), name)
            return resolved(*operands, **attrs)

        return kernel

    def both(self, name: str) -> dict[str, Any]:
        return {"run": getattr(self, name), "pull": getattr(self, f"pull_{name}")}


def moving(run: Callable[..., Any]) -> dict[str, Any]:
    """The columns of an op that only moves elements of its first operand, or leaves 0: where to says `run` itself."""
    pull_moved = Kernels("moves").pull_moved

    def pull(grad: Any, result: Any, *operands: Any, **attrs: Any) -> Any:
        return pull_moved(run, grad, *operands, **attrs)

    return {"run": run, "pull": pull}


class Modes(threading.local):
    """Where modes differ."""

    differing = 0
    """How many gradients so far, in this thread, XLA would have computed otherwise."""


MODES = Modes()
_compiled: ContextVar[bool] = ContextVar("compiled", default=False)


@contextmanager
def compiled() -> Iterator[None]:
    """Meanwhile gradients are XLA's, which multiplies where the kernels of eager and graph mode look for a 0 first."""
    token = _compiled.set(True)
    try:
        yield
    finally:
        _compiled.reset(token)


class Tape:
    """Runs ops of the table by name and remembers them, so that a composite op hands its gradient back through them.

    `tape.sqrt(x)` runs the row `sqrt`. Operands may be arrays, numbers or results of the same tape.
    """

    def __init__(self) -> None:
        self.steps: list[tuple[Any, dict[str, Any], tuple[Any, ...], Step]] = []

    def __getattr__(self, name: str) -> Callable[..., Step]:
        from tfnanlint.ops.registry import OPS

        op = OPS[name]

        def call(*operands: Any, **attrs: Any) -> Step:
            filled = {**op.attrs, **attrs}
            values = [value_of(operand) for operand in operands]
            assert op.run is not None
            WORK.done += VALUE / 2
            found = op.run(*values, **filled)
            step = Step(_as_type_of(found, values) if op.same_dtype else found)
            self.steps.append((op, filled, operands, step))
            return step

        return call

    def pull(self, grad: Array, result: Step, inputs: Sequence[Step]) -> tuple[Array, ...]:
        """The gradients of the inputs, given that of the result."""
        back: dict[int, Array] = {id(result): grad}
        for op, attrs, operands, step in reversed(self.steps):
            incoming = back.pop(id(step), None) if step is not result or id(step) in back else None
            if incoming is None:
                continue
            WORK.done += VALUE
            values = [value_of(operand) for operand in operands]
            for operand, handed in zip(operands, pulled(op, incoming, step.value, values, attrs), strict=False):
                if isinstance(operand, Step) and handed is not None:
                    held = back.get(id(operand))
                    back[id(operand)] = handed if held is None else held + handed
        return tuple(back.get(id(one), np.zeros_like(one.value)) for one in inputs)


class Step:
    """A value on a tape."""

    __slots__ = ("value",)

    def __init__(self, value: Array) -> None:
        self.value = value


def value_of(operand: Any) -> Array:
    """The array of an operand that may stand on a tape."""
    return operand.value if isinstance(operand, Step) else operand


def _as_type_of(result: Array, values: Sequence[Any]) -> Array:
    """A floating result in the widest floating type of its tensor operands; of Python numbers, a Python number."""
    if not any(hasattr(value, "dtype") for value in values):
        return result.item() if np.ndim(result) == 0 and hasattr(result, "item") else result
    kinds = [value.dtype for value in values if hasattr(value, "dtype") and value.dtype.kind in "fc"]
    if isinstance(result, tuple) or not kinds or not hasattr(result, "dtype") or result.dtype.kind != "f":
        return result
    widest = max(kinds, key=lambda kind: kind.itemsize)
    return result if widest.kind == "c" or result.dtype == widest else result.astype(widest)


def pulled(op: Any, grad: Array, result: Array, values: Sequence[Array], attrs: dict[str, Any]) -> tuple[Any, ...]:
    """An op's gradients for its operands, each summed to its operand's shape; None where none passes.

    `keeps_zero`: in eager and graph mode the kernel hands an incoming 0 on as 0, also at a singular point.
    """
    if op.pull is None:
        return (None,) * len(values)
    found = op.pull(grad, result, *values, **attrs)
    found = found if isinstance(found, tuple) else (found,)
    if not op.elementwise:
        return tuple(found)
    still = None
    if op.keeps_zero and not _compiled.get():
        still = np.equal(grad, 0)
        MODES.differing += bool(still.any())
    handed: list[Any] = []
    for one, value in zip(found, values, strict=False):
        if one is None:
            handed.append(None)
            continue
        if still is not None:
            one = np.where(still, np.zeros_like(one), one)
        handed.append(_as_type_of(unbroadcast(one, np.shape(value)), [value]))
    return tuple(handed)


def is_compiled() -> bool:
    """Whether values and gradients are to be XLA's, where these are others."""
    MODES.differing += 1
    return _compiled.get()


def gated(grad: Array, passes: Array) -> Array:
    """A gradient where it passes, else 0: eager and graph mode multiply, so that inf becomes NaN; XLA selects."""
    if _compiled.get():
        return np.where(passes, grad, 0)
    MODES.differing += not np.isfinite(grad).all()
    return grad * passes


def unbroadcast(grad: Array, shape: tuple[int, ...]) -> Array:
    """A gradient summed over the axes along which its operand of `shape` was repeated."""
    extra = np.ndim(grad) - len(shape)
    if extra > 0:
        grad = grad.sum(axis=tuple(range(extra)))
    repeated = tuple(place for place, size in enumerate(shape) if size == 1 and np.shape(grad)[place] != 1)
    return grad.sum(axis=repeated, keepdims=True) if repeated else grad


def composed(define: Callable[..., Any]) -> dict[str, Any]:
    """The `run` and `pull` columns of an op that TensorFlow computes from others.

    `define(tape, *operands, **attrs)` says how: `composed(lambda t, x, axis, keepdims: t.sqrt(t.reduce_sum(...)))`.
    The result may be a tuple of the tape's results; then `pull` is given a tuple of gradients (None for an unused one).
    """

    def steps(operands: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple(Step(operand) if hasattr(operand, "dtype") else operand for operand in operands)

    def run(*operands: Any, **attrs: Any) -> Any:
        found = define(Tape(), *steps(operands), **attrs)
        return tuple(map(value_of, found)) if isinstance(found, tuple) else value_of(found)

    def pull(grad: Any, result: Any, *operands: Any, **attrs: Any) -> tuple[Any, ...]:
        tape, given = Tape(), steps(operands)
        found = define(tape, *given, **attrs)
        results = found if isinstance(found, tuple) else (found,)
        grads = grad if isinstance(found, tuple) else (grad,)
        tensors = [one for one in given if isinstance(one, Step)]
        sums: dict[int, Any] = {}
        for one, incoming in zip(results, grads, strict=False):
            if incoming is None or not isinstance(one, Step):
                continue
            for tensor, handed in zip(tensors, tape.pull(incoming, one, tensors), strict=True):
                held = sums.get(id(tensor))
                sums[id(tensor)] = handed if held is None else held + handed
        return tuple(sums.get(id(one)) if isinstance(one, Step) else None for one in given)

    return {"run": run, "pull": pull}
