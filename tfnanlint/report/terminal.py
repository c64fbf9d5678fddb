"""Text for a terminal or the log of a build service: colors, columns, tabs, long lines, nothing that is obeyed."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

BOLD, RED, YELLOW, CYAN, GREEN, REMOVED, DIM = "1", "1;31", "1;33", "1;36", "32", "31", "2"

TAB = 4
ELLIPSIS = "..."


def paint(text: str, code: str, color: bool) -> str:
    """The text in a colour of the terminal."""
    return f"\x1b[{code}m{text}\x1b[0m" if color and text else text


def visible(text: str) -> str:
    """Lines without characters that a terminal would obey; those that turn the order of others are spelled out."""
    return text.translate(_OBEYED)


def printable(text: str) -> str:
    """The text on one line, without characters that a terminal would obey, as in `visible`.

    What a build service obeys anywhere in a line, such as `##vso[`, is spelled out at its beginning.
    """
    text = visible(text).replace("\n", " ")
    return _WITHIN.sub(r"#\\u0023", text) if "##" in text else text


def printable_path(path: str) -> str:
    """A path, or the name of a target, as it may stand at the beginning of a line."""
    path = printable(path)
    return f"./{path}" if path.lstrip().startswith("::") else path


def printable_line(line: str) -> str:
    """A line that is printable, with colours or without, as one that no build service takes for a command.

    GitHub obeys what begins with `::` behind blanks: that is spelled out.
    """
    return _COMMAND.sub(r"\1\\u003a:", line) if "::" in line else line


_WITHIN = re.compile(r"##(?=\w*\[)")
_COMMAND = re.compile(r"^((?:\s|\x1b\[[\d;]*m)*)::")
_TURNING = (0x61C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A))
"""The controls of bidirectional text: behind one of them a name reads as another name."""
_OBEYED = {number: " " for number in (*range(0x20), *range(0x7F, 0xA0)) if chr(number) not in "\t\n"}
_OBEYED |= {number: f"\\u{number:04x}" for number in _TURNING}


def printable_lines(text: str) -> str:
    """Lines without anything that a terminal or a build service would obey."""
    return "\n".join(printable_line(printable(line)) for line in text.split("\n"))


def columns(text: str) -> int:
    """How many columns of a terminal a text without tabs takes."""
    if text.isascii():
        return len(text)
    return sum(_width(c) for c in text)


def _width(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def expanded(code: str, start: int) -> tuple[str, int]:
    """A line as it is printed, its tabs as spaces, and where a position of it comes to lie."""
    return printable(code).expandtabs(TAB), len(printable(code[:start]).expandtabs(TAB))


def window(code: str, start: int, end: int, room: int) -> tuple[str, int]:
    """As much of a line as fits into so many columns around a stretch of it, and where that starts then."""
    if columns(code) <= room:
        return code, start
    room -= 2 * len(ELLIPSIS) + 1
    left = right = used = 0
    if columns(code[:end]) > room:  # from its beginning the line does not reach far enough
        left = right = start
        while right < end and used < room:
            used += _width(code[right])
            right += 1
        while left > 0 and used < room * 2 // 3:
            left -= 1
            used += _width(code[left])
    while right < len(code) and used < room:
        used += _width(code[right])
        right += 1
    before, after = ELLIPSIS if left else "", ELLIPSIS if right < len(code) else ""
    return before + code[left:right] + after, start - left + len(before)


def wrapped(text: str, room: int) -> Iterator[str]:
    """The text in lines of so many columns, broken at spaces; a word that is longer has a line to itself."""
    line = ""
    for word in text.split():
        if line and columns(f"{line} {word}") > room:
            yield line
            line = word
        else:
            line = f"{line} {word}" if line else word
    if line:
        yield line


def balanced(text: str, room: int) -> list[str]:
    """The text in as few lines of so many columns as it takes, none of them much shorter than the others."""
    lines = list(wrapped(text, room))
    while room > 1 and len(narrower := list(wrapped(text, room - 1))) == len(lines) > 1:
        lines, room = narrower, room - 1
    return lines


def folded(code: str, room: int) -> Iterator[str]:
    """A line of code in pieces of so many columns, broken behind a space or a bracket; the later ones are indented."""
    indent = len(code) - len(code.lstrip())
    while columns(code) > room:
        end = used = 0
        while used + _width(code[end]) <= room:
            used += _width(code[end])
            end += 1
        start = len(code) - len(code.lstrip())
        cut = max(code.rfind(" ", start, end + 1), code.rfind("(", start, end) + 1)
        cut = cut if cut > start else end
        yield code[:cut].rstrip()
        code = " " * min(indent + TAB, room // 3) + code[cut:].lstrip()
    yield code
