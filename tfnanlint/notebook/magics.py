"""IPython syntax that is not Python: magics, shell lines, help. A Python expression masks each of them.

A mask reads every name in the text that it hides, so that no fix removes a variable that a magic uses. The mask is
found again in the fixed text and replaced by the original.
"""

from __future__ import annotations

import ast
import keyword
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from tfnanlint.source.syntax import NOT_PYTHON

_TOKEN = re.compile(
    r"""(?P<triple>\"\"\"|''') | "(?:\\.|[^"\\\r\n])*"? | '(?:\\.|[^'\\\r\n])*'? | \#[^\r\n]*
      | (?P<open>[(\[{]) | (?P<close>[)\]}]) | \\(?:\r\n?|\n) | (?P<end>\r\n?|\n) | [^"'\#()\[\]{}\\\r\n]+ | .""",
    re.VERBOSE | re.DOTALL,
)
_LINE = re.compile(r"[^\r\n]*")
_CONTINUED = re.compile(r"[^\r\n]*(?:(?<=\\)(?:\r\n?|\n)[^\r\n]*)*")
_LINE_END = re.compile(r"\r\n?|\n")
_COMMAND = re.compile(r"[!%?,;/]")
_ASSIGNED = re.compile(r"([^=#!<>]+=[ \t]*)([!%].*)", re.DOTALL)
_HELP = re.compile(r"%{0,2}[\w.*]+(?:\[[^\]]*\])*\?{1,2}\s*(?:;\s*)?(?:#.*)?")
_TIMED = re.compile(r"%(?:time|timeit|prun|memit)(?:[ \t]+-\w+(?:[ \t]+\d+)?)*[ \t]+(?=[^\s\-])")
"""Magics that run the Python statement behind them."""
MOST_HIDDEN = 5_000
"""Magics in a cell beyond which none of it is read: nobody writes so many, and each takes kilobytes to parse."""
_CELL = re.compile(r"(?:[ \t]*(?:#[^\r\n]*)?(?:\r\n?|\n))*[ \t]*%%(\w+)")
_TIMED_CELLS = frozenset({"time", "timeit", "prun", "memit", "capture"})
"""Cell magics that run the cell's Python in the notebook itself."""
_CLICK = "\u01c3"
"""A letter of the Khoisan languages: names may hold it, and none does."""
_PASTED = re.compile(r"\s*\n?[ \t]+\S|\s*(?:>>>|In \[\d+\]:)")
"""The start of a cell that was copied with its indentation or with prompts, which IPython takes away."""
_NAME = re.compile(r"(?<![\w.])[^\W\d]\w*")


@dataclass
class Masked:
    """A cell as Python, line for line: its own text, the text to read, and what each mask in that hides."""

    text: str
    python: str = ""
    hidden: dict[str, str] = field(default_factory=dict)
    trouble: Exception | None = None
    """Why the cell is not Python; it is hidden as a whole then."""

    def restored(self, python: str) -> str:
        """Another text for the cell, with what the masks hide; `ValueError` if a mask was lost or doubled."""
        if python == self.python:
            return self.text
        for mask, hidden in self.hidden.items():
            if python.count(mask) != 1 or hidden == self.text:
                raise ValueError("the fix would change a line that is not Python")
            before, after = python.split(mask)
            python = before + hidden + (_no_option(after) if mask.rstrip().endswith(";") else after)
        return python


def _no_option(code: str) -> str:
    """The code behind a magic, its first statement in parentheses if the magic would take that for an option."""
    line = _LINE.match(code)
    assert line is not None
    if not code.startswith("-"):
        return code
    statement = line[0].encode()[: ast.parse(line[0]).body[0].end_col_offset].decode()
    return f"({statement}){code[len(statement) :]}"


class Masks:
    """Makes masks that nothing in a notebook looks like."""

    def __init__(self, text: str) -> None:
        self.sign = _CLICK
        while self.sign in text:
            self.sign += _CLICK
        self._count = 0

    def of(self, text: str) -> Masked:
        """A cell's text as Python."""
        try:
            ast.parse(text)
        except NOT_PYTHON as error:
            trouble: Exception = error
        else:
            return Masked(text, text)
        magic = _CELL.match(text)
        if magic and magic[1] not in _TIMED_CELLS:
            return self.hidden(text)
        for timed in (True, False):
            masked = Masked(text)
            masked.python = "".join(self._pieces(masked, timed))
            if len(masked.hidden) > MOST_HIDDEN:
                return self.hidden(text)
            try:
                ast.parse(masked.python)
            except NOT_PYTHON as error:
                trouble = error
            else:
                return masked
        if text.lstrip().startswith("%") or _PASTED.match(text):  # in the language of the magic, or pasted
            return self.hidden(text)
        return self.hidden(text, trouble)

    def hidden(self, text: str, trouble: Exception | None = None) -> Masked:
        """A cell that is not read as Python."""
        masked = Masked(text, trouble=trouble)
        masked.python = self._hide(masked, text)
        return masked

    def _hide(self, masked: Masked, text: str, prefix: str | None = None) -> str:
        """A mask for a text: of as many lines, or for the opening of a line, of as many characters."""
        self._count += 1
        mask = f"{self.sign}{self._count}{self.sign}"
        if prefix is None:
            names = dict.fromkeys(name for name in _NAME.findall(text) if not keyword.iskeyword(name))
            mask += f"({','.join(names)})" + "".join(_LINE_END.findall(text))
        else:
            mask = f"{mask};".ljust(len(text))  # Python's semicolon: the statement behind it is one of its own
        masked.hidden[mask] = text
        return mask

    def _pieces(self, masked: Masked, timed: bool) -> Iterator[str]:
        """The text in pieces, those that are not Python masked."""
        text, at, depth, opens = masked.text, 0, 0, True
        while at < len(text):
            if opens and depth == 0:
                opens = False
                taken = self._command(masked, at, timed)
                if taken is not None:
                    piece, at = taken
                    yield piece
                    continue
            token = _TOKEN.match(text, at)
            assert token is not None
            end = token.end()
            if token["triple"]:
                closing = re.compile(rf"(?:\\.|[^\\])*?{token['triple']}", re.DOTALL).match(text, end)
                end = closing.end() if closing else len(text)
            elif token["open"]:
                depth += 1
            elif token["close"]:
                depth = max(depth - 1, 0)
            elif token["end"]:
                opens = True
            yield text[at:end]
            at = end

    def _command(self, masked: Masked, at: int, timed: bool) -> tuple[str, int] | None:
        """The mask of what is not Python in the logical line at an offset, and where that ends."""
        text = masked.text
        line = _LINE.match(text, at)
        assert line is not None
        code = line[0].lstrip()
        indent = line[0][: len(line[0]) - len(code)]
        if timed and (prefix := _TIMED.match(code)) and len(prefix[0]) >= 4 + len(str(self._count)):
            return indent + self._hide(masked, prefix[0], "") + code[prefix.end() :], line.end()
        assigned = _ASSIGNED.fullmatch(code)
        if not assigned and not _COMMAND.match(code) and not _HELP.fullmatch(code):
            return None
        start = at + len(indent) + (len(assigned[1]) if assigned else 0)
        whole = _CONTINUED.match(text, start)
        assert whole is not None
        return text[at:start] + self._hide(masked, whole[0]), whole.end()
