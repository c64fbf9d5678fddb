"""A notebook as JSON text: its code cells, and new sources written into the text in place.

Outside an edit the text stays the same, byte for byte. Dumping the notebook again would change its indentation, the
order of its keys and the spelling of its escapes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tfnanlint.errors import SourceError

_SPACE = re.compile(r"[ \t\r\n]*")
_PAIR = r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
_CHARACTER = re.compile(rf"{_PAIR}|\\u[0-9a-fA-F]{{4}}|\\.|[^\\]", re.DOTALL)
"""One character as JSON writes it inside a string."""

Span = tuple[int, int]


@dataclass(frozen=True)
class Cell:
    """A code cell: its number among all cells (from 1), its text, and where the strings that hold it stand."""

    number: int
    text: str
    strings: tuple[Span, ...]
    inside: Span | None = None
    """Between the brackets of the list of strings; None where the text is one string."""


@dataclass(frozen=True)
class Document:
    """A notebook's JSON text, its code cells in order, and the language of its kernel (empty: not said)."""

    path: str
    text: str
    cells: tuple[Cell, ...]
    language: str


def read_document(text: str, path: str) -> Document:
    """The document in a notebook's text, without its byte order mark; `SourceError` if the text is no notebook."""
    try:
        content = json.loads(text)
    except json.JSONDecodeError as error:
        raise SourceError(path, error.lineno, error.colno, f"not a notebook: invalid JSON: {error.msg}") from None
    except (RecursionError, MemoryError):
        raise SourceError(path, 1, 1, "not a notebook: its JSON is nested too deeply") from None
    except ValueError as error:
        raise SourceError(path, 1, 1, f"not a notebook: {error}") from None
    if not isinstance(content, dict):
        raise SourceError(path, 1, 1, "not a notebook: it is not a JSON object")
    if not isinstance(content.get("cells"), list):
        old = "; convert it with `jupyter nbconvert --to notebook --inplace`" if "worksheets" in content else ""
        raise SourceError(path, 1, 1, f"not a notebook of format 4: it has no list of cells{old}")
    return Document(path, text, tuple(_cells(content["cells"], text, path)), _language(content))


def _language(content: Mapping[str, Any]) -> str:
    """The language of the kernel, as the notebook names it."""
    metadata = _table(content.get("metadata"))
    for table, key in (("language_info", "name"), ("kernelspec", "language")):
        language = _table(metadata.get(table)).get(key)
        if isinstance(language, str) and language:
            return language.lower()
    return ""


def _table(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _cells(cells: Sequence[Any], text: str, path: str) -> Iterator[Cell]:
    places = _element_spans(text, _member(text, _skip(text, 0), "cells"))
    for number, (cell, (start, _)) in enumerate(zip(cells, places, strict=True), 1):
        if not isinstance(cell, dict) or not isinstance(cell.get("cell_type"), str):
            raise _no_cell(text, start, path, number, "has no type")
        if cell["cell_type"] != "code":
            continue
        source = cell.get("source")
        lines = [source] if isinstance(source, str) else source
        if not isinstance(lines, list) or not all(isinstance(line, str) for line in lines):
            raise _no_cell(text, start, path, number, "has a source that is neither a string nor a list of strings")
        at = _member(text, start, "source")
        if isinstance(source, str):
            yield Cell(number, source, ((at, _end(text, at)),))
        else:
            yield Cell(number, "".join(lines), tuple(_element_spans(text, at)), (at + 1, _end(text, at) - 1))


def _no_cell(text: str, offset: int, path: str, number: int, what: str) -> SourceError:
    line = text.count("\n", 0, offset) + 1
    column = offset - (text.rfind("\n", 0, offset) + 1) + 1
    return SourceError(path, line, column, f"not a notebook: cell {number} {what}")


# The text is known to be JSON from here on.

_scan = json.JSONDecoder().raw_decode


def _skip(text: str, offset: int) -> int:
    """The offset of what follows white space."""
    found = _SPACE.match(text, offset)
    assert found is not None
    return found.end()


def _end(text: str, offset: int) -> int:
    """Where the value that starts at an offset ends."""
    return _scan(text, offset)[1]


def _member(text: str, offset: int, name: str) -> int:
    """Where the value of a member of the object at an offset starts; of several the last, as JSON readers have it."""
    found = -1
    at = _skip(text, offset + 1)
    while text[at] != "}":
        key, end = _scan(text, at)
        at = _skip(text, _skip(text, end) + 1)
        if key == name:
            found = at
        at = _skip(text, _end(text, at))
        if text[at] == ",":
            at = _skip(text, at + 1)
    return found


def _element_spans(text: str, offset: int) -> Iterator[Span]:
    """The spans of the elements of the array at an offset."""
    at = _skip(text, offset + 1)
    while text[at] != "]":
        end = _end(text, at)
        yield at, end
        at = _skip(text, end)
        if text[at] == ",":
            at = _skip(text, at + 1)


# New sources.


def file_lines(document: Document) -> dict[int, list[int]]:
    """For each line of each code cell, by the cell's number, the line of the file that holds it."""
    found: dict[int, list[int]] = {}
    at = line = 0
    for cell in document.cells:
        found[cell.number] = lines = []
        for start, end in cell.strings:
            line += document.text.count("\n", at, start)
            at = start
            lines += [line + 1] * len(json.loads(document.text[start:end]).splitlines())
    return found


def with_sources(document: Document, sources: Mapping[int, str]) -> str:
    """The document's text with new sources for cells, by their number."""
    edits: list[tuple[int, int, str]] = []
    for cell in document.cells:
        if sources.get(cell.number, cell.text) != cell.text:
            edits += _cell_edits(document.text, cell, sources[cell.number])
    parts: list[str] = []
    done = 0
    for start, end, new in sorted(edits):
        parts += document.text[done:start], new
        done = end
    return "".join([*parts, document.text[done:]])


def _cell_edits(text: str, cell: Cell, source: str) -> Iterator[tuple[int, int, str]]:
    """The edits of the JSON text that give a cell another source."""
    from difflib import SequenceMatcher

    escape = text.isascii()
    old = [json.loads(text[start:end]) for start, end in cell.strings]
    new = [source] if cell.inside is None else re.findall(r"[^\n]*\n|[^\n]+", source)
    for tag, i, i_end, j, j_end in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "equal":
            continue
        shared = min(i_end - i, j_end - j)
        for place in range(shared):
            yield from _string_edits(text, cell.strings[i + place][0], old[i + place], new[j + place], escape)
        added = [json.dumps(line, ensure_ascii=escape) for line in new[j + shared : j_end]]
        if added:
            yield _insertion(text, cell, i + shared, added)
        elif i + shared < i_end:
            yield _deletion(cell, i + shared, i_end)


def _string_edits(text: str, offset: int, old: str, new: str, escape: bool) -> Iterator[tuple[int, int, str]]:
    """The edits of one JSON string, line by line, each as narrow as it can be."""
    from difflib import SequenceMatcher

    old_lines, new_lines = old.splitlines(keepends=True), new.splitlines(keepends=True)
    starts = [offset + 1]
    for _ in old:
        found = _CHARACTER.match(text, starts[-1])
        assert found is not None
        starts.append(found.end())
    at = 0
    for tag, i, i_end, j, j_end in SequenceMatcher(None, old_lines, new_lines, autojunk=False).get_opcodes():
        before, after = "".join(old_lines[i:i_end]), "".join(new_lines[j:j_end])
        if tag != "equal":
            head = _shared(before, after)
            tail = _shared(before[head:][::-1], after[head:][::-1])
            inner = json.dumps(after[head : len(after) - tail], ensure_ascii=escape)[1:-1]
            yield starts[at + head], starts[at + len(before) - tail], inner
        at += len(before)


def _shared(one: str, other: str) -> int:
    """How many characters two strings have in common at their start."""
    for place, (a, b) in enumerate(zip(one, other, strict=False)):
        if a != b:
            return place
    return min(len(one), len(other))


def _insertion(text: str, cell: Cell, place: int, added: Sequence[str]) -> tuple[int, int, str]:
    """The edit that puts strings into a cell's list, divided as the others are."""
    assert cell.inside is not None
    if not cell.strings:
        return *cell.inside, ", ".join(added)
    if len(cell.strings) > 1:
        comma = text[cell.strings[0][1] : cell.strings[1][0]]
    else:
        comma = "," + (text[cell.inside[0] : cell.strings[0][0]] or " ")
    if place < len(cell.strings):
        start = cell.strings[place][0]
        return start, start, "".join(line + comma for line in added)
    end = cell.strings[-1][1]
    return end, end, "".join(comma + line for line in added)


def _deletion(cell: Cell, i: int, i_end: int) -> tuple[int, int, str]:
    """The edit that takes strings out of a cell's list, with the commas that divided them."""
    assert cell.inside is not None
    if i_end < len(cell.strings):
        return cell.strings[i][0], cell.strings[i_end][0], ""
    return (cell.strings[i - 1][1] if i else cell.inside[0]), cell.strings[-1][1], ""
