"""What was rejected as a rule stays harmless on TensorFlow, and the linter stays silent about it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tfnanlint.finding import Finding
from tfnanlint.ruleset.cache import installed_rules
from tfnanlint.ruleset.rule import Rule
from tfnanlint.testing.outcomes import findings_in, graph_findings_in, runner
from tfnanlint.testing.programs import WRITTEN, Program, defaults_of, tensors_of
from tfnanlint.vocabulary import MODES

DOCUMENT = Path(__file__).parent.parent / "rules" / "REJECTED.md"
HEADER = "import tensorflow as tf\n\n\n"
MODES_OF = {rule.name: rule.modes for rule in installed_rules()}
SHARED = Rule("rejected", "", DOCUMENT, "")


def sections() -> list[tuple[str, str]]:
    """(heading, what stands below it) of every rejected shape."""
    parts = re.split(r"^## (.*)$", DOCUMENT.read_text(encoding="utf-8"), flags=re.M)[1:]
    return list(zip(parts[::2], parts[1::2], strict=True))


def programs() -> list[Any]:
    found = []
    for _, below in sections():
        for block in re.findall(r"```python\n(.*?)```", below, flags=re.S):
            name = re.search(r"def (\w+)\(", block)[1]
            witness = defaults_of(block, name)
            text = HEADER + re.sub(r"def \w+\(.*\):", f"def {name}({', '.join(witness)}):", block, count=1)
            assert tensors_of(text, name, witness) == list(witness), "every parameter is a tensor"
            found.append(pytest.param(Program(SHARED, name, WRITTEN, text, witness, {}, {}), id=name))
    return found


def comment(program: Program) -> str:
    return " ".join(re.findall(r"^# (.*)$", program.text, flags=re.M))


@pytest.mark.parametrize("program", programs())
def test_it_is_finite(program: Program) -> None:
    said = comment(program)
    for mode in [m for m in MODES if m in said] or MODES:
        got = runner(program).run(mode, "float32")
        assert got.finite_value if "no gradient" in said else got.finite, f"{mode}: {got}"


def modes_of(finding: Finding) -> set[str]:
    """The modes in which a finding says that something goes wrong."""
    return {"xla"} if finding.message.endswith("when compiled by XLA") else set(MODES_OF[finding.rule])


@pytest.mark.parametrize("program", programs())
def test_neither_pass_reports_it(program: Program) -> None:
    said = comment(program)
    modes = {m for m in MODES if m in said} or set(MODES)
    differentiated = "no gradient" not in said
    for found in (findings_in(program, differentiated), graph_findings_in(program, differentiated)):
        # What goes wrong in another mode only is reported for that one.
        about = [f for f in found if "reported" not in said and modes & modes_of(f)]
        assert about == []
        assert found or "reported" not in said


def test_every_rejected_shape_has_its_evidence() -> None:
    for heading, below in sections():
        assert "```python" in below, heading
        assert len(below.split("```")[0].strip()) > 20, f"{heading}: why it is harmless"
