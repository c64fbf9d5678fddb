"""Whole programs that died in training: found at the cause, and finite again once fixed.

Each file of tests/cases marks the lines of its hazards with `# HAZARD rule-name ...` and leaves what it computed in
`RESULT`; a line marked `# ADVICE` trains badly without a NaN. Its last lines give the trail of each finding, as in
`# TRAIL 9: 3 5 12`. Programs whose file name ends in `_tf1` run on the graph mode of TensorFlow 1. A folder of
tests/cases/modules is a program, `main.py`, with the module that it calls.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from program_process import outcome

from tfnanlint.finding import Finding
from tfnanlint.lint import lint_source
from tfnanlint.ruleset.cache import installed_rules
from tfnanlint.run.edits import apply_edits
from tfnanlint.source.project import Project

HERE = Path(__file__).parent / "cases"
CASES = [*sorted(HERE.glob("*.py")), *sorted(HERE.glob("modules/*/main.py"))]
RULES = installed_rules()

BY_HAND = frozenset(rule.name for rule in RULES if all(pattern.repair is None for pattern in rule.patterns))
"""The rules that leave the repair to a person: what they report stays, and the program with it."""

LEFT = {
    "relu_softmax_module": "softmax-of-relu",  # the ReLU is the default of a parameter of a helper
}
"""What is left to a person in a program, though the rule has a repair."""


def named(case: Path) -> str:
    return case.stem if case.parent == HERE else case.parent.name + "_module"


def files_of(case: Path) -> list[Path]:
    """The files of a program."""
    return [case] if case.parent == HERE else sorted(case.parent.glob("*.py"))


def hazards(case: Path) -> set[tuple[str, int, str]]:
    """(file, line, rule) of every mark."""
    found = set()
    for path in files_of(case):
        for number, line in enumerate(path.read_text().splitlines(), 1):
            mark = re.search(r"# (?:HAZARD|ADVICE) (.*)", line)
            if mark:
                found |= {(path.name, number, rule) for rule in mark[1].split()}
    return found


def by_hand(case: Path) -> set[str]:
    """The rules whose findings in a program are left to a person."""
    return {rule for _, _, rule in hazards(case)} & (BY_HAND | {LEFT.get(named(case), "")})


def findings(case: Path) -> list[Finding]:
    return lint_source(case.read_text(), str(case), rules=RULES, project=Project())


def short(path: str, line: int, case: Path) -> str:
    """A place as the trails write it: the line, with its file where it is another than the program's."""
    return str(line) if Path(path).name == case.name else f"{Path(path).name}:{line}"


def repaired(case: Path, folder: Path) -> Path:
    """A copy of a program with every repair applied, unsafe ones included, until nothing changes."""
    folder.mkdir(parents=True, exist_ok=True)
    for path in files_of(case):
        shutil.copy(path, folder)
    copy = folder / case.name
    for _ in range(10):
        fixable = [f for f in findings(copy) if f.fix is not None]
        if not fixable:
            return copy
        edits = fixable[0].fix.edits
        for path in {edit.path for edit in edits}:
            text = Path(path).read_text()
            Path(path).write_text(apply_edits(text, tuple(edit for edit in edits if edit.path == path)))
    raise AssertionError("the repairs never came to an end")


def is_legacy(case: Path) -> bool:
    """Whether a program is one of TensorFlow 1."""
    return case.stem.endswith("_tf1")


DEADLY = [case for case in CASES if any("# HAZARD" in path.read_text() for path in files_of(case))]
REPAIRABLE = [case for case in DEADLY if not by_hand(case)]


@pytest.mark.parametrize("case", CASES, ids=named)
def test_a_program_is_reported_at_its_cause_and_nowhere_else(case: Path) -> None:
    assert {(Path(f.path).name, f.line, f.rule) for f in findings(case)} == hazards(case)


@pytest.mark.parametrize("case", CASES, ids=named)
def test_the_trail_leads_to_the_cause_step_by_step(case: Path) -> None:
    found = {
        f"{short(f.path, f.line, case)}: {' '.join(short(step.path, step.line, case) for step in f.trail)}"
        for f in findings(case)
    }
    assert found == set(re.findall(r"^# TRAIL (.*)$", case.read_text(), re.MULTILINE))


@pytest.mark.parametrize("case", CASES, ids=named)
def test_a_fixed_program_keeps_only_what_a_person_has_to_decide(case: Path, tmp_path: Path) -> None:
    copy = repaired(case, tmp_path)
    assert {f.rule for f in findings(copy)} == by_hand(case)


@pytest.mark.parametrize("case", DEADLY, ids=named)
def test_a_program_dies_as_written(case: Path) -> None:
    assert outcome(case, is_legacy(case)) == "NOT FINITE"


@pytest.mark.parametrize("case", REPAIRABLE, ids=named)
def test_a_program_runs_finite_once_fixed(case: Path, tmp_path: Path) -> None:
    assert outcome(repaired(case, tmp_path), is_legacy(case)) == "FINITE"
