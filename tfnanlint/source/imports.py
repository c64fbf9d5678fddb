"""The import statements of a text, read without parsing it."""

from __future__ import annotations

import re

_FROM = re.compile(r"(?:^|[;:])[ \t\f]*from[ \t]+([.\w]+)[ \t]+import[ \t]*(?:\(([^)]*)\)|([^\n;#]*))", re.MULTILINE)
_IMPORT = re.compile(r"(?:^|[;:])[ \t\f]*import[ \t]+([^\n;#]*)", re.MULTILINE)
_COMMENT = re.compile(r"#[^\n]*")


def aliases_of(text: str) -> dict[str, str]:
    """What each imported name stands for, as far as the text of the import statements tells."""
    found: dict[str, str] = {}
    for module, bracketed, plain in _FROM.findall(text):
        for part in (_COMMENT.sub("", bracketed) or plain).replace("\\\n", " ").split(","):
            name, _, alias = part.strip().partition(" as ")
            if name:
                found[alias.strip() or name] = f"{module}{'' if module.endswith('.') else '.'}{name}"
    for names in _IMPORT.findall(text):
        for part in names.split(","):
            name, _, alias = part.strip().partition(" as ")
            if name:
                found[alias.strip() or name.split(".")[0]] = name if alias else name.split(".")[0]
    return found


def without_imports(text: str) -> str:
    """A text without the statements that `aliases_of` reads."""
    return _IMPORT.sub("", _FROM.sub("", text))
