"""The identity of a finding from one version of a program to the next.

It is computed from the rule, the file, and the reported code without white space; equal ones are numbered in order.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Sequence

from tfnanlint.finding import Finding

LineOf = Callable[[str, int, "int | None"], "str | None"]
"""A line of a file, or of a notebook's cell, from 1; None where there is none."""


def fingerprints(findings: Sequence[Finding], line_of: LineOf, named: Callable[[str], str] = str) -> list[str]:
    """A fingerprint of 32 hexadecimal digits for each finding, no two alike.

    `named` is what a path is called in it, such as from the repository's root, whatever folder the run is started in.
    """
    seen: Counter[tuple[str, ...]] = Counter()
    found = []
    for finding in findings:
        path = named(finding.path).replace("\\", "/")
        key = (finding.rule, path, finding.node or "", code_of(finding, line_of))
        parts = (*key, str(seen[key]))
        seen[key] += 1
        found.append(hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:32])
    return found


def code_of(finding: Finding, line_of: LineOf) -> str:
    """The reported code without white space; the message if the file cannot be read."""
    lines = [line_of(finding.path, number, finding.cell) for number in range(finding.line, finding.end_line + 1)]
    text = [line for line in lines if line is not None]
    if len(text) < len(lines) or not text:
        return f"{finding.message}\0{finding.evidence}"
    text[-1] = text[-1][: finding.end_column - 1]
    text[0] = text[0][finding.column - 1 :]
    return " ".join(" ".join(text).split())
