"""Sums of products: matrices, tensors, and whatever an einsum equation says."""

from __future__ import annotations

import math
import string
from typing import Any

import numpy as np

from tfnanlint.ops.kernels.shapes import Array, axis_of, whole_number, whole_numbers
from tfnanlint.ops.numeric import unbroadcast
from tfnanlint.ops.work import affordable

SUMMED, SUMMING = 1 / 64, 8.0
"""The elements that a multiplication within a sum counts for the limit of size, and the cost of each of these."""


def matmul(x: Array, y: Array, transpose_a: Any, transpose_b: Any, adjoint_a: Any, adjoint_b: Any) -> Array:
    """Where batches do not broadcast, the product is that of `dot`: all axes of one with all of the other."""
    left, right = turned(x, transpose_a or adjoint_a), turned(y, transpose_b or adjoint_b)
    if _is_dot(left, right):
        affordable(left.size / left.shape[-1] * right.size / right.shape[-2] if right.size else 0)
        return np.dot(left, right)
    if np.ndim(left) > 1 and np.ndim(right) > 1:
        batch = np.broadcast_shapes(left.shape[:-2], right.shape[:-2])
        affordable(math.prod(batch) * left.shape[-2] * right.shape[-1])
    affordable(max(left.size * (right.shape[-1] if right.ndim > 1 else 1), right.size) * SUMMED, SUMMING)
    return np.matmul(left, right)


def _is_dot(left: Array, right: Array) -> bool:
    if np.ndim(left) < 2 or np.ndim(right) < 3:
        return False
    try:
        np.broadcast_shapes(np.shape(left)[:-2], np.shape(right)[:-2])
    except ValueError:
        return True
    return False


def turned(x: Array, transposed: Any) -> Array:
    """A matrix, its last two axes exchanged where asked, and conjugate then."""
    return np.conj(np.swapaxes(x, -1, -2)) if transposed else np.asarray(x)


def pull_matmul(
    grad: Array, result: Array, x: Array, y: Array, transpose_a: Any, transpose_b: Any, adjoint_a: Any, adjoint_b: Any
) -> tuple[Array, Array]:
    flips = transpose_a or adjoint_a, transpose_b or adjoint_b
    left, right = turned(x, flips[0]), turned(y, flips[1])
    if _is_dot(left, right):
        equation = _contraction(left.ndim, right.ndim, [left.ndim - 1], [right.ndim - 2])
        back = pull_einsum(grad, result, left, right, equation=equation)
    else:
        first = left[None] if left.ndim == 1 else left
        second = right[..., None] if right.ndim == 1 else right
        shape = (*np.broadcast_shapes(first.shape[:-2], second.shape[:-2]), first.shape[-2], second.shape[-1])
        incoming = np.reshape(grad, shape)
        back = (
            unbroadcast(incoming @ turned(second, True), first.shape).reshape(left.shape),
            unbroadcast(turned(first, True) @ incoming, second.shape).reshape(right.shape),
        )
    return turned(back[0], flips[0]), turned(back[1], flips[1])


def matvec(x: Array, y: Array, transpose_a: Any, adjoint_a: Any) -> Array:
    return (turned(x, transpose_a or adjoint_a) @ np.asarray(y)[..., None])[..., 0]


def pull_matvec(
    grad: Array, result: Array, x: Array, y: Array, transpose_a: Any, adjoint_a: Any
) -> tuple[Array, Array]:
    first, second = pull_matmul(
        grad[..., None], result[..., None], x, np.asarray(y)[..., None], transpose_a, False, adjoint_a, False
    )
    return first, second[..., 0]


def tensordot(x: Array, y: Array, axes: Any) -> Array:
    return einsum(x, y, equation=_tensordot_equation(x, y, axes))


def pull_tensordot(grad: Array, result: Array, x: Array, y: Array, axes: Any) -> tuple[Array, ...]:
    return pull_einsum(grad, result, x, y, equation=_tensordot_equation(x, y, axes))


def _tensordot_equation(x: Array, y: Array, axes: Any) -> str:
    left, right = np.ndim(x), np.ndim(y)
    if isinstance(axes, (tuple, list)) or np.ndim(axes):
        first, second = (whole_numbers(part) for part in axes)
    else:
        count = min(whole_number(axes), left + 1)
        first, second = tuple(range(left - count, left)), tuple(range(count))
    return _contraction(left, right, first, second)


def batch_dot(x: Array, y: Array, axes: Any) -> Array:
    """The first axis is that of the batch; a result of one number per example has an axis for it."""
    found = einsum(x, y, equation=_batch_equation(x, y, axes))
    return found[:, None] if found.ndim == 1 else found


def pull_batch_dot(grad: Array, result: Array, x: Array, y: Array, axes: Any) -> tuple[Array, ...]:
    equation = _batch_equation(x, y, axes)
    flat = np.reshape(grad, np.shape(grad)[: len(equation.rpartition(">")[2])])
    return pull_einsum(flat, flat, x, y, equation=equation)


def _batch_equation(x: Array, y: Array, axes: Any) -> str:
    left, right = np.ndim(x), np.ndim(y)
    if axes is None:
        axes = left - 1, right - 1 if right == 2 else right - 2
    first, second = axes if isinstance(axes, (tuple, list)) else (axes, axes)
    return _contraction(left, right, [first], [second], batch=True)


def _contraction(left: int, right: int, first: Any, second: Any, batch: bool = False) -> str:
    """The equation that sums over pairs of axes; a batch axis in front is shared."""
    labels = iter(string.ascii_letters)
    subscripts = [next(labels) for _ in range(left)], [next(labels) for _ in range(right)]
    if batch:
        subscripts[1][0] = subscripts[0][0]
    for one, other in zip(first, second, strict=True):
        subscripts[1][axis_of(other, right)] = subscripts[0][axis_of(one, left)]
    summed = {subscripts[0][axis_of(one, left)] for one in first}
    rest = [label for label in subscripts[0] if label not in summed]
    rest += [label for label in subscripts[1] if label not in summed and label not in rest]
    return f"{''.join(subscripts[0])},{''.join(subscripts[1])}->{''.join(rest)}"


def einsum(*xs: Array, equation: Any) -> Array:
    inputs, output = _subscripts(equation, xs)
    sizes = {label: n for own, x in zip(inputs, xs, strict=True) for label, n in zip(own, np.shape(x), strict=True)}
    affordable(math.prod(sizes[label] for label in output))
    if len(xs) < 3:
        affordable(math.prod(sizes.values()) * SUMMED, SUMMING)
    return np.einsum(f"{','.join(inputs)}->{output}", *xs, optimize=len(xs) > 2)


def pull_einsum(grad: Array, result: Array, *xs: Array, equation: Any) -> tuple[Array, ...]:
    """Each operand changes places with the result; labels that only it has take ones, repeated ones a diagonal."""
    inputs, output = _subscripts(equation, xs)
    return tuple(_pull_operand(place, grad, xs, inputs, output) for place in range(len(xs)))


def _pull_operand(place: int, grad: Array, xs: tuple[Array, ...], inputs: list[str], output: str) -> Array:
    x, own = np.asarray(xs[place]), inputs[place]
    labels = "".join(dict.fromkeys(own))
    sizes = dict(zip(own, x.shape, strict=True))
    rest = [(one, np.conj(held)) for at, (one, held) in enumerate(zip(inputs, xs, strict=True)) if at != place]
    missing = "".join(label for label in labels if not any(label in one for one in (output, *(s for s, _ in rest))))
    rest.append((missing, np.ones([sizes[label] for label in missing], grad.dtype)))
    terms = ",".join([output, *(one for one, _ in rest)])
    back = np.einsum(f"{terms}->{labels}", grad, *(held for _, held in rest), optimize=len(rest) > 1)
    back = unbroadcast(back, tuple(sizes[label] for label in labels))
    if labels == own:
        return back
    whole = np.zeros(x.shape, back.dtype)
    np.einsum(f"{own}->{labels}", whole)[...] = back
    return whole


def _agree(inputs: list[str], xs: tuple[Array, ...], dots: str) -> None:
    """A label has one length wherever it stands; those of an ellipsis broadcast."""
    lengths: dict[str, int] = {}
    for one, x in zip(inputs, xs, strict=True):
        for label, length in zip(one, np.shape(x), strict=True):
            if label not in dots and lengths.setdefault(label, length) != length:
                raise ValueError(f"axes of lengths {lengths[label]} and {length} share a label")


def _subscripts(equation: Any, xs: tuple[Array, ...]) -> tuple[list[str], str]:
    """The labels of the operands and of the result; an ellipsis is written out, so is a result that is not given."""
    left, arrow, output = str(equation).replace(" ", "").partition("->")
    inputs = left.split(",")
    if len(inputs) != len(xs):
        raise ValueError(f"{equation!r} is not an einsum equation of {len(xs)} operands")
    free = [label for label in string.ascii_letters if label not in left + output]
    hidden = [np.ndim(x) - len(one.replace("...", "")) for one, x in zip(inputs, xs, strict=True)]
    wide = max((count for count, one in zip(hidden, inputs, strict=True) if "..." in one), default=0)
    dots = "".join(free[:wide])
    if not arrow:
        named = left.replace("...", "")
        output = "..." * ("..." in left) + "".join(
            sorted(label for label in {*named} - {","} if named.count(label) == 1)
        )
    written = [one.replace("...", dots[wide - count :]) for one, count in zip(inputs, hidden, strict=True)]
    for one, x in zip(written, xs, strict=True):
        if len(one) != np.ndim(x):
            raise ValueError(f"{equation!r} does not fit a tensor of rank {np.ndim(x)}")
    _agree(written, xs, dots)
    return written, output.replace("...", dots)
