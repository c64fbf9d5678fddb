"""Edits of a text: apply them, select compatible ones, show them as a patch.

Positions are those of `tfnanlint.finding`: lines and characters count from 1, ends are exclusive. A line ends where
Python's own reader ends it: at a line feed, a carriage return, or both. `str.splitlines` also splits at form feeds and
other separators, which would shift every later position.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, pairwise, takewhile

from tfnanlint.finding import Edit, Finding, Place
from tfnanlint.vocabulary import FIX_KINDS

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_LINE_END = re.compile(r"\r\n|\r|\n")
_QUOTED_IN_PATCH = re.compile(r'[\x00-\x1f"\\\x7f]')


def split_lines(text: str) -> list[str]:
    """The lines of a source text, without their ends."""
    return _LINE_END.split(text)


def whole_lines(text: str) -> list[str]:
    """The lines of a source text, with their ends."""
    return _LINE.findall(text)


class Positions:
    """Turns lines and columns of one text into offsets, and back."""

    def __init__(self, text: str) -> None:
        self._starts = [0, *(end.end() for end in _LINE_END.finditer(text))]
        self._length = len(text)

    def offset(self, line: int, column: int) -> int:
        """The offset of a position; one that lies outside the text raises `ValueError`."""
        if not 1 <= line <= len(self._starts):
            raise ValueError(f"line {line} is outside a text of {len(self._starts)} lines")
        end = self._starts[line] if line < len(self._starts) else self._length
        offset = self._starts[line - 1] + column - 1
        if not self._starts[line - 1] <= offset <= end:
            raise ValueError(f"column {column} is outside line {line}")
        return offset

    def position(self, offset: int) -> tuple[int, int]:
        """The line and column of an offset."""
        line = bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1

    def span(self, edit: Edit) -> tuple[int, int]:
        """The offsets between which an edit replaces the text."""
        start, end = self.offset(edit.line, edit.column), self.offset(edit.end_line, edit.end_column)
        if end < start:
            raise ValueError(f"the edit at {edit.line}:{edit.column} ends before it starts")
        return start, end


def apply_edits(text: str, edits: Sequence[Edit]) -> str:
    """The text after all edits; `ValueError` if two overlap or one lies outside the text."""
    positions = Positions(text)
    parts: list[str] = []
    done = 0
    for (start, end), _, new in sorted((positions.span(edit), i, edit.text) for i, edit in enumerate(edits)):
        if start < done:
            raise ValueError(f"edits overlap at {':'.join(map(str, positions.position(start)))}")
        parts += text[done:start], new
        done = end
    return "".join([*parts, text[done:]])


def differences(before: Sequence[str], after: Sequence[str]) -> Iterator[tuple[int, int, int, int]]:
    """The stretches in which two lists of lines differ: start and end in the one, start and end in the other."""
    from difflib import SequenceMatcher

    top = next((i for i, (a, b) in enumerate(zip(before, after, strict=False)) if a != b), min(len(before), len(after)))
    most = min(len(before), len(after)) - top
    bottom = next((i for i in range(most) if before[-1 - i] != after[-1 - i]), most)
    old, new = before[top : len(before) - bottom], after[top : len(after) - bottom]
    for tag, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag != "equal":
            yield top + a, top + b, top + c, top + d


def line_edits(path: str, before: str, after: str) -> list[Edit]:
    """The edits, of whole lines, that make one text of another."""
    old, new = _LINE.findall(before), _LINE.findall(after)
    positions = Positions(before)
    starts = [0, *accumulate(map(len, old))]
    return [
        Edit(path, *positions.position(starts[a]), *positions.position(starts[b]), "".join(new[c:d]))
        for a, b, c, d in differences(old, new)
    ]


def choose_fixes(text: str, path: str, findings: Iterable[Finding], closely: bool = False) -> list[Finding]:
    """Those findings whose fixes can be applied together, all edits of a fix or none.

    Where two overlap, the one that changes less of what is computed wins, then the outer, then the first; so does a fix
    over another on a line that it changes, or with a cause or a step of its trail there, because that one was worked
    out on the old line, and over one that takes apart what was computed for both: the last of these may drop it. What
    is passed over has its turn later. Applied `closely`, they may share a line.
    """
    positions = Positions(text)
    chosen: list[Finding] = []
    spans: list[tuple[int, int]] = []
    insertions: dict[int, Edit] = {}
    changed: set[int] = set()
    relied_on: set[int] = set()
    shared: set[Place] = set()
    order = sorted(findings, key=lambda f: (_freedom(f), f.line, f.column, -f.end_line, -f.end_column, f.rule))
    for finding in order:
        edits = unique_edits([finding])
        if not edits or any(edit.path != path for edit in edits):
            continue
        try:
            wanted = [(edit, *positions.span(edit)) for edit in edits]
        except ValueError:
            continue
        fresh = [entry for entry in wanted if insertions.get(entry[1]) != entry[0]]
        own = sorted((start, end) for _, start, end in fresh)
        if any(_touch(one, other) for one, other in pairwise(own)):
            continue
        if any(_is_taken((start, end), spans) for _, start, end in fresh):
            continue
        lines = {line for edit, *_ in fresh for line in _lines_of(edit)}
        trail = ({step.line for step in finding.trail if step.path == path} | _causes(finding, path)) - lines
        matched = {value.place for value in finding.slice if value.role == "matched" and value.place is not None}
        if matched & shared or (not closely and (lines & changed or trail & changed or lines & relied_on)):
            continue
        chosen.append(finding)
        shared |= matched
        changed |= lines
        relied_on |= trail
        for edit, start, end in fresh:
            insort(spans, (start, end))
            if start == end:
                insertions[start] = edit
    return chosen


def _causes(finding: Finding, path: str) -> set[int]:
    """The lines of a file on which what leads to a hazard is computed."""
    before = takewhile(lambda value: value.role != "hazard", finding.slice)
    return {value.place[1] for value in before if value.place is not None and value.place[0] == path}


def _freedom(finding: Finding) -> int:
    """How much the fix of a finding may change of what is computed."""
    return FIX_KINDS.index(finding.fix.kind) if finding.fix is not None else 0


def unique_edits(findings: Iterable[Finding]) -> list[Edit]:
    """The edits of all fixes; one that several share, such as a new import, stands once."""
    return list(dict.fromkeys(edit for finding in findings if finding.fix for edit in finding.fix.edits))


def _is_taken(span: tuple[int, int], taken: list[tuple[int, int]]) -> bool:
    """Whether a span overlaps one of a sorted list that do not overlap each other: only its neighbours can."""
    place = bisect_left(taken, span)
    return any(_touch(span, other) for other in taken[max(place - 1, 0) : place + 1])


def _touch(one: tuple[int, int], other: tuple[int, int]) -> bool:
    """Whether two spans overlap: an insertion at the edge of a replacement does not, one at that of another does."""
    return one == other or (one[0] < other[1] and other[0] < one[1])


def _lines_of(edit: Edit) -> range:
    """The lines whose code an edit changes; an insertion of whole lines changes none."""
    if (edit.line, edit.column) == (edit.end_line, edit.end_column) and edit.column == 1:
        return range(0)
    return range(edit.line, edit.end_line + 1)


def unified_diff(path: str, before: bytes, after: bytes) -> bytes:
    """A patch from `before` to `after` that `git apply` and `patch -p1` take; empty if they are equal.

    It works on bytes, because a patch for a Latin-1 file must hold Latin-1.
    """
    import difflib
    import os

    if before == after:
        return b""
    name = os.fsencode(path.replace(os.sep, "/").lstrip("/"))
    lines = difflib.diff_bytes(
        difflib.unified_diff,
        _patch_lines(before),
        _patch_lines(after),
        _patch_name(b"a/" + name),
        _patch_name(b"b/" + name),
    )
    return b"".join(line if line.endswith(b"\n") else line + b"\n\\ No newline at end of file\n" for line in lines)


def _patch_lines(data: bytes) -> list[bytes]:
    """The lines as git sees them: only a line feed ends one."""
    return re.findall(rb"[^\n]*\n|[^\n]+", data)


def _patch_name(name: bytes) -> bytes:
    """A file name as git writes it: quoted where it must be, closed by a tab where it has spaces."""
    text = name.decode("utf-8", "surrogateescape")
    if _QUOTED_IN_PATCH.search(text):
        quoted = _QUOTED_IN_PATCH.sub(lambda found: f"\\{ord(found[0]):03o}", text)
        return f'"{quoted}"'.encode("utf-8", "surrogateescape")
    return name + b"\t" if b" " in name else name
