"""Texts that are put together: names of layers, attributes and keys, which a program looks things up by."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from tfnanlint.source import grammar, literals
from tfnanlint.source.values import Items, Value, constant_of

LONGEST = 200
"""Characters up to which a text is put together: names are shorter, and a line can double a text."""
_PLAIN = re.compile(r"[^{}%\\]*")
_FILLED = re.compile(r"\{(\w*)\}|%[sd]")
"""Where a value stands in a text that is filled in without any formatting."""


def parts_of(node: Any) -> list[Any]:
    """A formatted text as texts and expressions, in order; None for a part that is formatted further."""
    if isinstance(node, grammar.ConcatenatedString):
        return [*parts_of(node.left), *parts_of(node.right)]
    if isinstance(node, grammar.SimpleString):
        return [literals.LITERALS["SimpleString"](node.value)]
    found: list[Any] = []
    for part in node.parts:
        if isinstance(part, grammar.FormattedStringText):
            found.append(part.value if _PLAIN.fullmatch(part.value) and part.value.isprintable() else None)
        else:
            found.append(part.expression if part.conversion is None and part.format_spec is None else None)
    return found


def joined(parts: Sequence[Any]) -> str | None:
    """Texts and whole numbers one after the other, where all of them are known."""
    if not all(type(part) in (str, int) for part in parts):
        return None
    text = "".join(map(str, parts))
    return text if len(text) <= LONGEST else None


def made(kind: str, text: str, given: Any) -> str | None:
    """What an operator makes of a text: longer by another, or filled in."""
    if kind == "Add" and isinstance(given, str):
        return joined([text, given])
    if kind == "Modulo":
        values = [constant_of(v) for v in given.values] if isinstance(given, Items) else [given]
        return filled(text, values, {})
    return None


def filled(text: str, values: Sequence[Any], named: dict[str, Any]) -> str | None:
    """A text with values for its fields, which say nothing of how those are written."""
    pieces: list[Any] = []
    end = count = 0
    for field in _FILLED.finditer(text):
        key = field[1]
        pieces.append(text[end : field.start()])
        end = field.end()
        if key and not key.isdigit():
            pieces.append(named.get(key))
        else:
            place = int(key) if key else count
            pieces.append(values[place] if place < len(values) else None)
            count += 1
    pieces.append(text[end:])
    plain = all(_PLAIN.fullmatch(piece) for piece in pieces[::2])
    return joined(pieces) if plain and len(pieces) > 1 else None


def by_method(name: str, text: str, values: Sequence[Value], named: dict[str, Value]) -> str | None:
    """What a method makes of a text."""
    held = [constant_of(v) for v in values]
    if name == "format":
        return filled(text, held, {key: constant_of(v) for key, v in named.items()})
    if name in ("lower", "upper", "strip", "capitalize") and not held:
        return str(getattr(text, name)())
    return None
