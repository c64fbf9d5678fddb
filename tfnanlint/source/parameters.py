"""What a program says of a function's parameter: its annotation, its default and its line in the docstring."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from tfnanlint.flow import DYNAMIC, WITHIN
from tfnanlint.source import grammar, literals
from tfnanlint.source.grammar import kind_of
from tfnanlint.source.values import Class, Function

LONGEST = 200
"""How much is kept of what a docstring says of one parameter."""
MOST_BELOW = 10 * LONGEST
"""The most characters below a parameter of a docstring that are searched for its description."""
_LINE = re.compile(
    r"^(?P<indent>[ \t]*)(?::param[ \t]+(?:[^:\n]*[ \t])?|[*-][ \t]+)?[*`]{0,2}(?P<name>\w+)[*`]{0,2}[ \t]*"
    r"(?:\([^)\n]*\))?[ \t]*:(?P<text>.*)$",
    re.MULTILINE,
)
"""A parameter in a docstring, as Google, NumPy, Sphinx and Keras have it."""

_NUMBER = r"(-?\d+(?:\.\d*)?|-?\.\d+)"
_STATED = re.compile(
    r"\b(?:in|within|between|from|ranges?|values)\b[^\[(.;]{0,20}?(?:[\[(]\s*)?"
    rf"{_NUMBER}\s*(?:,|and|to|-|\.\.)\s*{_NUMBER}\b"
)
"""The bounds of a parameter in its description, as in "in [0, 1]" and "values between 0 and 255"."""

Parameter = tuple[str, "grammar.Expression | None", grammar.Param]
"""A name, the default, and the parameter itself."""


def parameters_of(node: grammar.FunctionDef | grammar.Lambda) -> list[Parameter]:
    """All parameters but the starred ones."""
    params = node.params
    return [(p.name.value, p.default, p) for p in (*params.posonly_params, *params.params, *params.kwonly_params)]


def documented(function: Function) -> Mapping[str, str]:
    """The docstring line of each parameter; for `__init__` from the docstring of the class."""
    text = docstring(function.node.body) if isinstance(function.node, grammar.FunctionDef) else ""
    if function.name == "__init__" and isinstance(function.cls, Class):
        text = f"{function.cls.doc}\n{text}"
    return dict(_lines_of(text)) if ":" in text else {}


def docstring(body: grammar.Suite) -> str:
    """The text that a body begins with."""
    first = body.body[0] if body.body else None
    small = first.body[0] if isinstance(first, grammar.SimpleStatementLine) else first
    held = small.value if isinstance(small, grammar.Expr) else None
    text = literals.LITERALS["SimpleString"](held.value) if isinstance(held, grammar.SimpleString) else ""
    return text if isinstance(text, str) else ""


def told_of(parameter: Parameter, lines: Mapping[str, str]) -> dict[str, Any]:
    """The attributes of an input for a parameter: its name, and `annotation`, `default` and `doc` where it has them."""
    name, default, param = parameter
    attrs: dict[str, Any] = {"name": name}
    if (annotation := param.annotation) is not None and (written := _written(annotation.annotation)):
        attrs["annotation"] = written
    if default is not None and (held := literals.literal(default)) is not DYNAMIC:
        attrs["default"] = held
    if name in lines:
        attrs["doc"] = lines[name]
        if (bounds := stated_bounds(lines[name])) is not None:
            attrs[WITHIN] = bounds
    return attrs


def stated_bounds(text: str) -> tuple[float, float] | None:
    """The least and the greatest number that a description says a parameter has; None if it does not."""
    found = _STATED.search(text)
    if found is None or "shape" in found[0]:
        return None
    low, high = float(found[1]), float(found[2])
    return (low, high) if low < high else None


def _written(node: Any) -> str:
    """An annotation as text, in one form whatever it was read with; empty where it is more than names."""
    if isinstance(node, grammar.Name):
        return str(node.value)
    if isinstance(node, grammar.Attribute):
        owner = _written(node.value)
        return owner and f"{owner}.{node.attr.value}"
    if isinstance(node, grammar.SimpleString):
        return str(literals.LITERALS["SimpleString"](node.value))
    if isinstance(node, grammar.BinaryOperation) and kind_of(node.operator) == "BitOr":
        sides = _written(node.left), _written(node.right)
        return " | ".join(sides) if all(sides) else ""
    if isinstance(node, grammar.Subscript):
        owner = _written(node.value)
        inner = [_written(e.slice.value) if isinstance(e.slice, grammar.Index) else "" for e in node.slice]
        return f"{owner}[{', '.join(inner)}]" if owner and all(inner) else owner
    return ""


def _lines_of(text: str) -> list[tuple[str, str]]:
    """The parameters in a docstring with what is said of each, further lines of it included."""
    found = []
    for line in _LINE.finditer(text):
        indent = len(line["indent"].expandtabs())
        said = [line["text"]]
        start = line.end() + 1
        for more in text[start : start + MOST_BELOW].split("\n"):
            if len(more.expandtabs()) - len(more.expandtabs().lstrip()) <= indent or len(" ".join(said)) > LONGEST:
                break
            said.append(more)
        found.append((line["name"], " ".join(" ".join(said).split())[:LONGEST]))
    return [(name, said) for name, said in found if said]
