"""Descriptions of function arguments: `--input-spec "x:float32[None,4]"` and `--range x=0..255`.

An argument is a tensor, described by dtype and shape, or a Python value, given by a literal.
"""

from __future__ import annotations

import ast
import math
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NoReturn

from tfnanlint.errors import TfnanlintError
from tfnanlint.interval import Interval
from tfnanlint.ranges import Range

if TYPE_CHECKING:
    from tfnanlint.graph.samples import Sample

DTYPES = (
    "float16 bfloat16 float32 float64 complex64 complex128 bool string "
    "int4 int8 int16 int32 int64 uint4 uint8 uint16 uint32 uint64"
).split()
_SHORT = {"half": "float16", "float": "float32", "double": "float64", "int": "int32"}

_NAME = re.compile(r"\s*(?P<name>[^\W\d]\w*)\s*:")
_WORD = re.compile(r"\s*(\w*)")
_SIZE = re.compile(r"\s*(\d+|None|\?|)\s*")
_RANGE = re.compile(r"\s*(?:(?P<name>[^=\s]+)\s*=)?\s*(?P<low>.*?)\s*\.\.(?!\.)\s*(?P<high>.*?)\s*$")


LONGEST_SIZE = 18
"""The digits of a size: TensorFlow holds it in 64 bits."""


class SpecError(TfnanlintError):
    """An argument that is not described in a way that can be understood."""


@dataclass(frozen=True)
class TensorArgument:
    """A tensor: `shape` is None where even the number of dimensions is unknown, and holds None for an unknown size."""

    dtype: str
    shape: tuple[int | None, ...] | None
    name: str | None = None
    sample: Sample | None = field(default=None, compare=False)


@dataclass(frozen=True)
class ValueArgument:
    """A Python value, which the function is traced with."""

    value: Any
    name: str | None = None


@dataclass(frozen=True)
class StructureArgument:
    """A dictionary, a list or a tuple of arguments."""

    held: Any
    name: str | None = None


Argument = TensorArgument | ValueArgument | StructureArgument

_OPEN = re.compile(r"\s*(?:(?P<name>[^\W\d]\w*)\s*:)?\s*(?P<bracket>[{(\[])")
_KEY = re.compile(r"""\s*(?:'(?P<one>[^']*)'|"(?P<two>[^"]*)"|(?P<plain>[^\W\d]\w*))\s*:""")
_LEAF = re.compile(r"\s*[^\s,\[\](){}]+\s*(?:\[[^\]]*\])?")
_TYPED = re.compile(r"\b(?:b?float|complex|u?int|bool|string|half|double)")
"""A list without an element type in it is the shape of a tensor whose type was forgotten."""
_CLOSING = {"{": "}", "(": ")", "[": "]"}


def parse_spec(text: str) -> Argument:
    """The argument that a text describes: `float32[None,4]`, `ids:int32[]`, `training=True`; `SpecError`.

    Dictionaries, tuples and lists are written as in Python: `{'ids': int32[None,7], 'mask': bool[None,7]}`.
    """
    value = _literal(text)
    if value is not None:
        return value
    opened = _OPEN.match(text)
    if opened is not None and (opened["bracket"] != "[" or _TYPED.search(text)):
        held, place = _structure(text, opened.end() - 1)
        if text[place:].strip():
            _fail(text, place, "unexpected text after the closing bracket")
        return StructureArgument(held, opened["name"])
    named = _NAME.match(text)
    name, start = (named["name"], named.end()) if named else (None, 0)
    word = _WORD.match(text, start)
    assert word is not None
    dtype = _dtype(text, word[1], word.start(1))
    rest = text[word.end() :].strip()
    if not rest:
        return TensorArgument(dtype, None, name)
    place = word.end() + len(text[word.end() :]) - len(text[word.end() :].lstrip())
    if not rest.startswith("["):
        _fail(text, place, "expected a shape in brackets, such as [None,4]")
    return TensorArgument(dtype, _shape(text, place + 1), name)


def _structure(text: str, place: int) -> tuple[Any, int]:
    """What stands in brackets that open at a place, and where it ends."""
    bracket = text[place]
    place += 1
    pairs: dict[str, Any] = {}
    items: list[Any] = []
    while text[place:].lstrip()[:1] != _CLOSING[bracket]:
        key = None
        if bracket == "{":
            key = _KEY.match(text, place)
            if key is None:
                _fail(text, place, "expected a key and a colon, such as 'ids':")
            place = key.end()
        inner = len(text) - len(text[place:].lstrip())
        if text[inner : inner + 1] in _CLOSING:
            item, place = _structure(text, inner)
        else:
            leaf = _LEAF.match(text, place)
            if leaf is None:
                _fail(text, place, f"expected an argument or {_CLOSING[bracket]}")
            item, place = parse_spec(leaf[0].strip()), leaf.end()
        if key is None:
            items.append(item)
        else:
            pairs[key["one"] or key["two"] or key["plain"] or ""] = item
        rest = text[place:].lstrip()
        if rest[:1] == ",":
            place = len(text) - len(rest) + 1
        elif rest[:1] != _CLOSING[bracket]:
            _fail(text, place, f"expected a comma or {_CLOSING[bracket]}")
    place = text.index(_CLOSING[bracket], place) + 1
    return (pairs if bracket == "{" else tuple(items) if bracket == "(" else items), place


def _literal(text: str) -> ValueArgument | None:
    """A Python literal, with or without the name of its parameter."""
    name, _, after = text.rpartition("=")
    try:
        value = ast.literal_eval(after.strip())
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None
    if isinstance(value, (list, set, dict)) or not (name.strip().isidentifier() or not name):
        return None
    return ValueArgument(value, name.strip() or None)


def _dtype(text: str, word: str, place: int) -> str:
    dtype = _SHORT.get(word, word)
    if not word:
        _fail(text, place, "expected a dtype, such as float32")
    if dtype not in DTYPES:
        import difflib

        near = difflib.get_close_matches(word, DTYPES, n=1)
        hint = f"; did you mean {near[0]}?" if near else f"; dtypes are: {', '.join(DTYPES)}"
        _fail(text, place, f"{word} is not a dtype{hint}")
    return dtype


def _shape(text: str, place: int) -> tuple[int | None, ...]:
    """The sizes from a place behind the opening bracket to the closing one, behind which nothing may stand."""
    sizes: list[int | None] = []
    while True:
        size = _SIZE.match(text, place)
        assert size is not None
        ended = text[size.end() : size.end() + 1]
        if ended not in (",", "]"):
            wanted = "a size, None or ]" if not size[1] else "a comma or ]"
            _fail(text, size.end(), f"expected {wanted}")
        if len(size[1] or "") > LONGEST_SIZE:
            _fail(text, size.start(1), f"a size has at most {LONGEST_SIZE} digits")
        if size[1]:
            sizes.append(int(size[1]) if size[1].isdecimal() else None)
        elif ended == "," or sizes:
            _fail(text, size.end(), "expected a size or None")
        place = size.end() + 1
        if ended == "]":
            break
    if text[place:].strip():
        _fail(text, place, "unexpected text after the shape")
    return tuple(sizes)


def _fail(text: str, place: int, reason: str) -> NoReturn:
    raise SpecError(f"--input-spec: {text!r} is invalid at character {place + 1} ({_at(text, place)}): {reason}")


def _at(text: str, place: int) -> str:
    """What stands at a place of a text."""
    return f"at {text[place:]!r}" if text[place:].strip() else "its end"


def parse_range(text: str) -> tuple[str | None, Range]:
    """The input (None: every input) and the range in a text such as `x=0..255`, `-1..1` or `0..`; `SpecError`."""
    found = _RANGE.match(text)
    if found is None:
        raise SpecError(f"--range: {text!r} is invalid: expected two bounds, as in x=0..255, -1..1 or x=0..")
    low = _bound(text, found["low"], found.start("low"), -math.inf)
    high = _bound(text, found["high"], found.start("high"), math.inf)
    if low > high:
        raise SpecError(f"--range: {text!r} is empty: {low:g} is above {high:g}")
    return found["name"], told(low, high)


def _bound(text: str, word: str, place: int, missing: float) -> float:
    if not word:
        return missing
    try:
        value = float(word)
    except ValueError:
        value = math.nan
    if math.isnan(value):
        raise SpecError(f"--range: {text!r} is invalid at character {place + 1}: {word!r} is not a number")
    return value


def told(low: float, high: float) -> Range:
    """The range of an input of which the user says its bounds."""
    return Range(Interval(low, high), f"given as {Interval(low, high)}")
