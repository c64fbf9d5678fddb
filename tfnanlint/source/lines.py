"""Lines as Python counts them."""

from __future__ import annotations

import re


def python_lines(text: str) -> list[str]:
    """Lines with their ends: a form feed or a Unicode separator ends none."""
    return re.findall(r"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+", text)
