"""Readable names for operands that a fix assigns to a variable."""

from __future__ import annotations

from typing import Any

import libcst as cst

TAKING_LOGITS = frozenset({"sigmoid", "softmax", "log_sigmoid", "log_softmax", "softplus"})
_OPERATORS: dict[type, str] = {
    cst.Add: "total",
    cst.Subtract: "difference",
    cst.Multiply: "product",
    cst.MatrixMultiply: "product",
    cst.Divide: "ratio",
}
_CALLS = {
    "sum": "total",
    "add": "total",
    "add_n": "total",
    "mean": "mean",
    "max": "largest",
    "min": "smallest",
    "prod": "product",
    "matmul": "product",
    "multiply": "product",
    "einsum": "product",
    "tensordot": "product",
    "subtract": "difference",
    "squared_difference": "squares",
    "square": "squares",
    "divide": "ratio",
    "abs": "magnitude",
    "norm": "length",
    "exp": "exponential",
    "log": "logarithm",
    "variance": "variance",
    "uniform": "noise",
    "normal": "noise",
}
_HANDING_ON = frozenset(
    "cast reshape convert_to_tensor identity squeeze expand_dims transpose gather stop_gradient".split()
)
OTHERWISE = "argument"
_ARGUMENTS = {"exp": "exponent"}
"""What the argument of an op is called, unless a function that computes it tells more."""


def telling_name(expression: Any, user: str) -> str:
    """A name for what an expression gives to an op."""
    if user in TAKING_LOGITS:
        return "logits"
    otherwise = _ARGUMENTS.get(user, OTHERWISE)
    if isinstance(expression, cst.BinaryOperation) and otherwise == OTHERWISE:
        return _OPERATORS.get(type(expression.operator), OTHERWISE)
    if not isinstance(expression, cst.Call):
        return otherwise
    called = expression.func
    name = called.attr.value if isinstance(called, cst.Attribute) else getattr(called, "value", "")
    name = name.removeprefix("reduce_") if isinstance(name, str) else ""
    if name in _HANDING_ON and expression.args and not expression.args[0].star:
        return telling_name(expression.args[0].value, user)
    return _CALLS.get(name, otherwise)
