"""The import statements of a text, read without parsing it."""

from __future__ import annotations

import re
from functools import lru_cache

_FROM = re.compile(
    # Names in brackets end before another one opens, so that no text is read twice where none closes. Nor is a comment
    # that has no end.
    r"(?:^|[;:])[ \t\f]*from[ \t]+([.\w]+)[ \t]+import[ \t]*(?:\(([^()#]*(?:#[^\n]{0,400}\n[^()#]*)*)\)|([^\n;#]*))",
    re.MULTILINE,
)
_IMPORT = re.compile(r"(?:^|[;:])[ \t\f]*import[ \t]+([^\n;#]*)", re.MULTILINE)
_OPENS = re.compile(r"import[ \t]*\(")
_COMMENT = re.compile(r"#[^\n]*")


def aliases_of(text: str) -> dict[str, str]:
    """The dotted path of each imported name, from the text of the import statements."""
    found: dict[str, str] = {}
    lines = "\n".join(imports_apart(text)[0])
    for module, bracketed, plain in _FROM.findall(lines):
        for part in (_COMMENT.sub("", bracketed) or plain).replace("\\\n", " ").split(","):
            name, _, alias = part.strip().partition(" as ")
            if name:
                found[alias.strip() or name] = f"{module}{'' if module.endswith('.') else '.'}{name}"
    for names in _IMPORT.findall(lines):
        for part in names.split(","):
            name, _, alias = part.strip().partition(" as ")
            if name:
                found[alias.strip() or name.split(".")[0]] = name if alias else name.split(".")[0]
    return found


def without_imports(text: str) -> str:
    """A text without the statements that `aliases_of` reads."""
    lines, between = imports_apart(text)
    left = [_IMPORT.sub("", _FROM.sub("", line)) for line in lines]
    return "\n".join(part for pair in zip(between, [*left, ""], strict=True) for part in pair)


@lru_cache(maxsize=2)
def imports_apart(text: str) -> tuple[list[str], list[str]]:
    """The lines of a text with imports in them, brackets to their end, and what stands before, between and after.

    The patterns of the statements are slow, and most of a text has none.
    """
    if "\r" in text:  # a line may end in any of three ways
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    lines: list[str] = []
    between: list[str] = []
    start = end = done = closed = 0
    at = text.find("import")
    while at != -1:
        if at >= end:
            if end:
                lines.append(text[start:end])
                done = end + 1
            start = text.rfind("\n", 0, at) + 1
            between.append(text[done : max(start - 1, done)])
            end = _line_end(text, at)
        opened = _OPENS.match(text, at)
        if opened is not None:
            if 0 <= closed < opened.end():  # where no bracket closes, none is looked for again
                closed = text.find(")", opened.end())
            end = max(end, _line_end(text, closed))
        at = text.find("import", at + 1)
    if end:
        lines.append(text[start:end])
    between.append(text[end + 1 if end else 0 :])
    return lines, between


def _line_end(text: str, at: int) -> int:
    """The end of the line that contains the offset `at`; the end of the text if `at` is -1."""
    found = text.find("\n", at) if at != -1 else -1
    return found if found != -1 else len(text)
