"""How much of a text is analyzed: statements up to a number of words.

Time and memory grow with the syntax tree, which takes at least fifty times the memory of the text. So words are counted
before parsing. Nobody writes that many into one file, but generators do, and so does an attacker who wants the linter
to hang.
"""

from __future__ import annotations

import ast
import re
from typing import NamedTuple

from tfnanlint.source.syntax import NOT_PYTHON

MOST_WORDS = 60_000
"""Names, numbers, texts, operators, comments and empty lines of a file that are analysed.

About six thousand lines of dense code have so many.
"""
_ATTEMPTS = 8
"""How many ends of statements are tried, from the last one on: others may stand within a text or between brackets."""

_WORD = re.compile(
    # The closing quotes are optional, so that no text is read twice: a string that does not end takes its line.
    r"\"\"\"[^\\\"]*(?:(?:\\.|\"(?!\"\"))[^\\\"]*)*(?:\"\"\")?|'''[^\\']*(?:(?:\\.|'(?!''))[^\\']*)*(?:''')?"
    r"|\"[^\"\\\n]*(?:\\.[^\"\\\n]*)*\"?|'[^'\\\n]*(?:\\.[^'\\\n]*)*'?|#[^\n]*|\w+|[^\w\s]|\n(?=[ \t]*\n)",
    re.DOTALL,
)
_CONTINUES = re.compile(r"(?:else|elif|except|finally|case)\b|[^\w@]")
"""What begins a line that belongs to the statement before it."""


class AnalyzedText(NamedTuple):
    """The text that is analysed, and the line behind it where that is not all."""

    text: str
    beyond: int | None


def analyzed_text(text: str) -> AnalyzedText:
    """The statements of a text that are analysed, from the first on."""
    if len(text) <= MOST_WORDS:  # a word is a character at least
        return AnalyzedText(text, None)
    end, words = None, 0
    for word in _WORD.finditer(text):
        words += 1
        if word[0][0] in "\"'":  # of an f-string, each field is one more: Python's parser takes the longest for these
            words += word[0].count("{")
        if words > MOST_WORDS:
            end = word.start()
            break
    if end is None:
        return AnalyzedText(text, None)
    at = end
    for _ in range(_ATTEMPTS):
        at = _statement_before(text, at)
        if at == 0:
            break
        try:
            ast.parse(text[:at])
        except NOT_PYTHON:
            continue
        break
    else:
        at = 0
    return AnalyzedText(text[:at], text.count("\n", 0, at) + 1)


def _statement_before(text: str, end: int) -> int:
    """The start of the last line before a place that looks like the start of a statement; 0 if there is none."""
    at = text.rfind("\n", 0, end) + 1
    while at > 0 and _CONTINUES.match(text, at):
        at = text.rfind("\n", 0, at - 1) + 1
    return at
