"""Layout of new code in the style of the file: on one line if it fits, otherwise broken at brackets.

Indentation, the place of closing brackets and, without a configured value, the line length are read from the file.
"""

from __future__ import annotations

import io
import re
import tokenize
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING

from tfnanlint.fix.text import indent_of

if TYPE_CHECKING:
    from tfnanlint.finding import Edit
    from tfnanlint.source.positions import Span
    from tfnanlint.source.source_file import SourceFile

ENOUGH = 30
"""So many lines of code tell how long lines may be; fewer do not."""
LIMITS = (79, 80, 88, 99, 100, 119, 120)
"""The line lengths that projects agree on."""
OUTLIERS = 0.01
"""The share of lines that may be longer than a limit that is otherwise respected."""
LONGEST_TEXT = 1_000
"""Longer expressions and lines keep their layout: they are generated, and computing a new layout takes too long."""
_OPEN, _CLOSE = "([{", ")]}"


@dataclass(frozen=True)
class Style:
    """How a file breaks lines: line length, indentation in brackets, and where closing brackets go."""

    limit: int
    step: str
    dangling: bool
    newline: str = "\n"


@lru_cache(maxsize=2)
def style_of(file: SourceFile) -> Style:
    """The style of a file, as its lines show it."""
    code = [line.rstrip() for line in file.lines if line.strip() and not line.lstrip().startswith("#")]
    longer = sorted((len(line) for line in code if " " in line.strip()), reverse=True)
    most = longer[min(int(len(longer) * OUTLIERS), len(longer) - 1)] if longer else 0
    limit = next((limit for limit in LIMITS if most <= limit), most)
    if file.assumptions.line_length:
        limit = file.assumptions.line_length
    elif len(code) < ENOUGH:
        limit = max(LIMITS[-1], most)
    steps = Counter(
        inner.removeprefix(outer)
        for line, following in pairwise(code)
        if line.endswith(tuple(_OPEN)) and (inner := indent_of(following)) > (outer := indent_of(line))
    )
    broken = steps.total()
    closed = sum(line.lstrip().startswith(tuple(_CLOSE)) for line in code)
    step = steps.most_common(1)[0][0] if steps else "    "
    return Style(limit, step, closed * 2 >= broken, file.newline)


def fitted(file: SourceFile, span: Span, text: str, place: str = "") -> str:
    """The text for a span of a file, laid out to the file's style; what holds a comment keeps its own layout.

    In the place "alone", all that its statement assigns or returns, it is rather put in parentheses than broken at
    those of an index; an "argument" on a line of its own is broken between its terms.
    """
    if len(text) > LONGEST_TEXT:
        return text
    line, column, end_line, end_column = span
    style = style_of(file)
    before = file.lines[line - 1][: column - 1] if line <= len(file.lines) else ""
    after = file.lines[end_line - 1][end_column - 1 :] if end_line <= len(file.lines) else ""
    room = len(_COMMENT.split(after.rstrip())[0])
    whole = flat(text)
    if _is_held_together(line, end_line, after):
        return whole or text
    if whole is None or ("\n" not in text and "\r" not in text and _fits(style, len(before) + len(text) + room)):
        return text
    indent = indent_of(before)
    here = (len(before), room, indent, style)
    lines = None
    if place == "alone" and whole.endswith("]") and not whole.startswith("["):
        lines = _in_parentheses(whole, *here)
    elif place == "argument" and before == indent and after.strip()[:1] in ("", ","):
        lines = _in_terms(whole, len(indent), room, indent, style)
    lines = lines or _laid(whole, *here) or (_in_parentheses(whole, *here) if place == "alone" else None)
    return style.newline.join(lines or _laid(whole, *here, at_indices=True) or [whole])


def one_a_line(file: SourceFile, span: Span, parts: Sequence[str]) -> str | None:
    """Arguments for a span that fills a line, each on its own line; None if one is too long."""
    line, column, _, end_column = span
    style = style_of(file)
    indent = file.lines[line - 1][: column - 1]
    behind = len(_COMMENT.split(file.lines[line - 1][end_column - 1 :].rstrip())[0])
    closing = "," if style.dangling and not behind else ""
    lines: list[str] = []
    for place, part in enumerate(parts):
        text = flat(part)
        last = place == len(parts) - 1
        laid = _part(text, behind if last else 1, indent, style) if text is not None else None
        if laid is None:
            return None
        laid[-1] += closing if last else ","
        lines += [indent + laid[0], *laid[1:]]
    return style.newline.join(lines).removeprefix(indent)


def aligned_terms(file: SourceFile, span: Span, text: str) -> str | None:
    """The terms of a sum for a span of a line, each below the first one; None if one is too long, or it is no sum."""
    line, column, _, end_column = span
    whole = flat(text)
    behind = len(_COMMENT.split(file.lines[line - 1][end_column - 1 :].rstrip())[0])
    lines = _in_terms(whole, column - 1, behind, " " * (column - 1), style_of(file)) if whole is not None else None
    return style_of(file).newline.join(lines) if lines is not None else None


def _part(text: str, after: int, indent: str, style: Style, at_indices: bool = False) -> list[str] | None:
    """The lines of one of several parts between brackets: on one line, else a term each, else broken at brackets."""
    laid = _laid(text, len(indent), after, indent, style, at_indices)
    if laid is None or len(laid) > 1:
        laid = _in_terms(text, len(indent), after, indent, style) or laid
    return laid


_COMMENT = re.compile(r"(?<!\s)\s+#")
"""The start of a comment. It is searched once in each gap, because a line may be a megabyte of spaces."""
DIRECTIVE = re.compile(r"#\s*(noqa|type:|pylint|pyright|mypy|ruff|flake8|fmt|isort|yapf|pragma|nosec|tfnanlint|@)")
"""Comments that mean something where they stand."""


def _is_held_together(line: int, end_line: int, after: str) -> bool:
    """Whether the line ends with a directive for a tool (`# noqa`), so that it must not be broken."""
    return line == end_line and "\n" not in after.rstrip() and DIRECTIVE.search(after) is not None


def _in_terms(text: str, before: int, after: int, indent: str, style: Style) -> list[str] | None:
    """The lines of a sum, a term each, or of a product, a factor each; None where one does not fit."""
    first, *rest = _terms(text)
    if not rest and style.dangling:
        first, *rest = _terms(text, ("*", "/", "@"))
    fits = all(_fits(style, before + len(term) + after) for term in (first, *rest))
    return [first, *(indent + term for term in rest)] if rest and fits else None


def _in_parentheses(text: str, before: int, after: int, indent: str, style: Style) -> list[str] | None:
    """The lines of an expression between parentheses of its own; None where it does not fit there."""
    inner = indent + style.step
    width = len(inner) + len(text) + (0 if style.dangling else 1 + after)
    if text.startswith("(") or not _fits(style, width) or not _fits(style, before + 1):
        return None
    return ["(", inner + text, f"{indent})"] if style.dangling else ["(", f"{inner}{text})"]


def is_too_long(file: SourceFile, edit: Edit) -> bool:
    """Whether an edit leaves a line that is too long for the file, or a line that opens two brackets."""
    style = style_of(file)
    before = file.lines[edit.line - 1][: edit.column - 1]
    after = file.lines[edit.end_line - 1][edit.end_column - 1 :].rstrip()
    if _is_held_together(edit.line, edit.end_line, after):
        return False
    lines = re.split(r"\r\n|\r|\n", before + edit.text + _COMMENT.split(after)[0])
    crowded = len(lines) > 1 and before.rstrip().endswith(tuple(_OPEN)) and lines[0].endswith(tuple(_OPEN))
    return crowded or not all(_fits(style, len(line)) for line in lines)


def flat(text: str) -> str | None:
    """An expression on one line, without trailing commas; None where that would lose something."""
    try:
        tokens = [t for t in _tokens(text) if t.type not in (tokenize.NL, tokenize.NEWLINE)]
    except (tokenize.TokenError, SyntaxError):
        return None
    parts: list[str] = []
    for place, token in enumerate(tokens):
        if token.type == tokenize.COMMENT or "\n" in token.string or "\\" in token.line.rstrip()[-1:]:
            return None
        last = tokens[place - 1] if place else None
        if last is None:
            parts.append(token.string)
        elif last.end[0] == token.start[0]:
            parts.append(" " * (token.start[1] - last.end[1]) + token.string)
        elif token.string in _CLOSE and last.string == "," and _is_idle(tokens, place):
            parts[-1] = token.string
        else:
            tight = last.string in _OPEN or token.string in (*_CLOSE, ".")
            parts.append(("" if tight else " ") + token.string)
    return "".join(parts).strip()


def _tokens(text: str) -> list[tokenize.TokenInfo]:
    """The tokens of an expression, between brackets of its own so that its lines are not lines of code."""
    return list(tokenize.generate_tokens(io.StringIO(f"(\n{text}\n)").readline))[2:-3]


def _is_idle(tokens: Sequence[tokenize.TokenInfo], place: int) -> bool:
    """Whether the comma before the closing bracket has no meaning: it does not make a tuple of one element."""
    depth = commas = 0
    for at in range(place - 1, -1, -1):
        text = tokens[at].string if tokens[at].type == tokenize.OP else ""
        commas += text == "," and depth == 0
        depth += (text in _CLOSE and text != "") - (text in _OPEN and text != "")
        if depth < 0:
            before = tokens[at - 1] if at else None
            called = before is not None and (before.type == tokenize.NAME or before.string in (")", "]"))
            return commas > 1 or (text == "(" and called) or (text != "(" and not called)
    return False


def _fits(style: Style, width: int) -> bool:
    return width <= style.limit


def _laid(text: str, before: int, after: int, indent: str, style: Style, at_indices: bool = False) -> list[str] | None:
    """The lines for a one-line text, given its start column and the length of what follows; None if they do not fit."""
    if _fits(style, before + len(text) + after):
        return [text]
    for start, end in reversed(list(_brackets(text))):
        if not at_indices and text[start] == "[" and text[:start].rstrip()[-1:] not in ("", *_OPEN, *"+-*/%@=,:<>&|^~"):
            continue
        head, body, tail = text[: start + 1], text[start + 1 : end], text[end:]
        inner = indent + style.step
        closing = len(indent) + len(tail) + after if style.dangling else 0
        if not body or not _fits(style, before + len(head)) or not _fits(style, closing):
            continue
        room = 0 if style.dangling else len(tail) + after
        lines: list[str] | None = [inner + body]
        if not _fits(style, len(inner) + len(body) + room):
            lines = _laid_parts(body, room, inner, style, at_indices, head.endswith("("))
        if lines is None:
            continue
        if style.dangling:
            return [head, *lines, indent + tail]
        return [head, *lines[:-1], lines[-1] + tail]
    return None


def _laid_parts(body: str, room: int, inner: str, style: Style, at_indices: bool, in_call: bool) -> list[str] | None:
    """The lines for what stands in brackets, each of its parts from a new line on; None if one does not fit."""
    clauses = _clauses(body)
    parts = clauses or list(_split(body))
    lines: list[str] = []
    for place, part in enumerate(parts):
        last = place == len(parts) - 1
        laid = _part(part, room if last else 1, inner, style, at_indices)
        if laid is None:
            return None
        comma = not clauses and (not last or (style.dangling and len(parts) > 1 and in_call))
        lines += [inner + laid[0], *laid[1:]]
        lines[-1] += "," if comma else ""
    return lines


def _brackets(text: str) -> Iterator[tuple[int, int]]:
    """The offsets of the outermost brackets of a one-line text."""
    depth, start = 0, 0
    for token in _tokens(text):
        if token.type == tokenize.OP and token.string in _OPEN:
            if depth == 0:
                start = token.start[1]
            depth += 1
        elif token.type == tokenize.OP and token.string in _CLOSE:
            depth -= 1
            if depth == 0:
                yield start, token.start[1]


def _terms(text: str, signs: tuple[str, ...] = ("+", "-")) -> list[str]:
    """The terms of the sum that a one-line text is, each with the sign before it; with other signs, of a product."""
    depth, starts, before = 0, [0], ""
    for token in _tokens(text):
        if token.type == tokenize.OP:
            depth += (token.string in _OPEN) - (token.string in _CLOSE)
        if token.type == tokenize.NAME and token.string in ("if", "lambda", "and", "or", "not", "in", "is", "for"):
            return [text]
        if depth == 0 and token.type == tokenize.OP and token.string in ("=", ":=", "<", ">", "<=", ">=", "==", "!="):
            return [text]
        binary = before not in ("", "(", "*", "/", "**", "@", "%", "//", "+", "-")
        if depth == 0 and token.string in signs and binary:
            starts.append(token.start[1])
        before = token.string
    return [text[a:b].rstrip() for a, b in zip(starts, [*starts[1:], len(text)], strict=True)]


def _clauses(text: str) -> list[str]:
    """The parts of a comprehension, of which a `for` starts each but the first; none where it is no comprehension."""
    depth, starts = 0, [0]
    for token in _tokens(text):
        depth += token.type == tokenize.OP and (token.string in _OPEN) - (token.string in _CLOSE)
        if depth == 0 and token.type == tokenize.NAME and token.string in ("for", "async", "lambda"):
            if token.string != "for":
                return []
            starts.append(token.start[1])
    ends = [*starts[1:], len(text)]
    return [text[a:b].strip() for a, b in zip(starts, ends, strict=True)] if len(starts) > 1 else []


def _split(text: str) -> Iterator[str]:
    """The parts of a one-line text between its outermost commas."""
    depth, start = 0, 0
    for token in _tokens(text):
        if token.type != tokenize.OP:
            continue
        depth += (token.string in _OPEN) - (token.string in _CLOSE)
        if depth == 0 and token.string == ",":
            yield text[start : token.start[1]].strip()
            start = token.end[1]
    if text[start:].strip():
        yield text[start:].strip()
