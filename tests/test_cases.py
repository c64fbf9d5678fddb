"""Whole programs that died in training: found at the cause, and finite again once fixed.

Each file of tests/cases marks the lines of its hazards with `# HAZARD rule-name ...` and leaves what it computed in
`RESULT`; a line marked `# ADVICE` trains badly without a NaN. Programs whose file name ends in `_tf1` run on the graph
mode of TensorFlow 1.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tfnanlint.edits import apply_edits
from tfnanlint.lint import lint_source
from tfnanlint.template import load_rules

CASES = sorted((Path(__file__).parent / "cases").glob("*.py"))
RULES = load_rules()

RUNNER = """
import sys, types, warnings
warnings.simplefilter("ignore")
text = open(sys.argv[1]).read()
if sys.argv[2] == "1":
    import tensorflow.compat.v1 as v1
    v1.disable_v2_behavior()
    sys.modules["tensorflow"] = v1
names = {"__name__": "case"}
exec(compile(text, sys.argv[1], "exec"), names)
import numpy
flat = []
def collect(value):
    if isinstance(value, (list, tuple)):
        for inner in value:
            collect(inner)
    else:
        flat.append(numpy.all(numpy.isfinite(numpy.asarray(value))))
collect(names["RESULT"])
print("FINITE" if all(flat) else "NOT FINITE")
"""


BY_HAND = frozenset(rule.name for rule in RULES if all(pattern.repair is None for pattern in rule.patterns))
"""The rules that leave the repair to a person: what they report stays, and the program with it."""


def hazards(text: str) -> set[tuple[int, str]]:
    """(line, rule) of every mark."""
    found = set()
    for number, line in enumerate(text.splitlines(), 1):
        mark = re.search(r"# (?:HAZARD|ADVICE) (.*)", line)
        if mark:
            found |= {(number, rule) for rule in mark[1].split()}
    return found


DEADLY = [case for case in CASES if "# HAZARD" in case.read_text()]
REPAIRABLE = [case for case in DEADLY if not any(rule in BY_HAND for _, rule in hazards(case.read_text()))]


def fixed(text: str, path: str) -> str:
    """The text with every repair applied, unsafe ones included, until nothing changes."""
    for _ in range(10):
        findings = [f for f in lint_source(text, path, rules=RULES) if f.fix is not None]
        if not findings:
            return text
        text = apply_edits(text, findings[0].fix.edits)
    raise AssertionError("the repairs never came to an end")


def outcome(path: Path) -> str:
    """What a program leaves when it is run: FINITE, NOT FINITE, or its error."""
    legacy = "1" if path.stem.endswith("_tf1") else "0"
    done = subprocess.run(
        [sys.executable, "-c", RUNNER, str(path), legacy], capture_output=True, text=True, check=False
    )
    return done.stdout.strip() or done.stderr[-2000:]


@pytest.mark.parametrize("case", CASES, ids=lambda p: p.stem)
def test_a_program_is_reported_at_its_cause_and_nowhere_else(case: Path) -> None:
    text = case.read_text()
    assert {(f.line, f.rule) for f in lint_source(text, case.name, rules=RULES)} == hazards(text)


@pytest.mark.parametrize("case", CASES, ids=lambda p: p.stem)
def test_a_fixed_program_keeps_only_what_a_person_has_to_decide_and_a_second_fix_changes_nothing(case: Path) -> None:
    repaired = fixed(case.read_text(), case.name)
    left = {f.rule for f in lint_source(repaired, case.name, rules=RULES)}
    assert left == {rule for _, rule in hazards(case.read_text()) if rule in BY_HAND}
    assert fixed(repaired, case.name) == repaired


@pytest.mark.parametrize("case", DEADLY, ids=lambda p: p.stem)
def test_a_program_dies_as_written(case: Path) -> None:
    assert outcome(case) == "NOT FINITE"


@pytest.mark.parametrize("case", REPAIRABLE, ids=lambda p: p.stem)
def test_a_program_runs_finite_once_fixed(case: Path, tmp_path: Path) -> None:
    repaired = tmp_path / case.name
    repaired.write_text(fixed(case.read_text(), case.name))
    assert outcome(repaired) == "FINITE"
