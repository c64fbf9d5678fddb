"""The findings as one JSON array; each object has the attributes of a `Finding` as its keys."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from typing import Any

from tfnanlint.report import Report


def render(report: Report) -> Iterator[str]:
    """One array, an object a finding."""
    for number, finding in enumerate(report.findings):
        yield "[\n" if number == 0 else ",\n"
        text = json.dumps(plain(finding.as_json()), indent=2, allow_nan=False)
        yield "\n".join("  " + line for line in text.splitlines())
    yield "\n]\n" if report.findings else "[]\n"


def plain(value: Any) -> Any:
    """The value with NaN and infinities as strings, because JSON lacks them."""
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return value
