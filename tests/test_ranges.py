"""The ranges that the source pass computes, as lines of programs: `reveal(x)  # [0, 1]: reason`.

No TensorFlow is needed: what is checked against it is the op table and random programs.
"""

from __future__ import annotations

from pathlib import Path

import libcst as cst
import pytest

from tfnanlint.facts import Facts
from tfnanlint.lint import parse
from tfnanlint.source.lower import lower

FILES = sorted((Path(__file__).parent / "ranges").glob("*.py"))


def revealed(path: Path) -> dict[int, str]:
    """What the facts say at each `reveal`, by line."""
    file = parse(path.read_text(), path.name)
    flow = lower(file)
    facts = Facts(flow)
    found = {}
    for node in flow:
        call = node.origin.expr
        if (
            node.op == "unknown"
            and isinstance(call, cst.Call)
            and isinstance(call.func, cst.Name)
            and call.func.value == "reveal"
        ):
            held = facts.range(node.operands[0])
            outer = f"{held.outer}{', not 0' if held.nonzero and 0.0 in held.outer else ''}"
            found[file.layout.spans[call][0]] = f"{outer}: {held.reason}" if held.reason else outer
    return found


def stated(path: Path) -> dict[int, str]:
    return {
        n: line.split("  # ", 1)[1]
        for n, line in enumerate(path.read_text().splitlines(), 1)
        if "reveal(" in line and "  # " in line
    }


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_every_revealed_range_is_the_stated_one(path: Path) -> None:
    assert revealed(path) == stated(path)
