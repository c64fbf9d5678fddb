"""The pages of the rules say what the rule files say and what TensorFlow computes, and the documentation is current."""

from __future__ import annotations

import math
import re

import pytest
from rule_measures import ROOT, outcome, pages

from tfnanlint.report.rule_page import measured
from tfnanlint.testing.outcomes import runner
from tfnanlint.testing.programs import Program, befores, rules

_NUMBER = re.compile(r"-?(?:\d+\.?\d*(?:e[+-]?\d+)?|inf|nan)")


def test_every_generated_page_and_table_is_what_the_generator_writes() -> None:
    stale = [
        str(path.relative_to(ROOT)) for path, text in pages().items() if not path.exists() or path.read_text() != text
    ]
    assert not stale, "run `python tests/rule_measures.py` with the names of the changed rules"


def test_no_page_stays_behind_when_its_rule_is_gone() -> None:
    names = {path.name for path in (ROOT / "docs" / "rules").glob("*.md")}
    assert names - {"README.md", "coverage.md"} == {f"{rule.name}.md" for rule in rules()}


@pytest.mark.parametrize("program", befores(), ids=lambda p: f"{p.rule.name}.{p.name}")
def test_the_measured_outcome_is_what_tensorflow_computes(program: Program) -> None:
    case = measured(program.rule)[program.name]
    got = outcome(runner(program).run(case["mode"], case["dtype"]))
    for key in ("value", "gradient"):
        assert alike(str(case[key]), str(got[key])), f"{key}: measured {case[key]}, now {got[key]}"


def test_smoothing_the_overlap_of_two_empty_masks_leaves_a_gradient_that_can_be_trained_with() -> None:
    (rule,) = (rule for rule in rules() if rule.name == "divide-by-overlap")
    gradients = [case["repaired"]["gradient"] for case in measured(rule).values()]
    assert gradients
    assert all(abs(float(number)) <= 1 for text in gradients for number in _NUMBER.findall(text))


def alike(one: str, other: str) -> bool:
    """Whether two outcomes agree but for the rounding of another machine, and what a failed factor left unwritten.

    A Cholesky factor that fails is NaN in its lower triangle; above it stands whatever the memory held.
    """
    if _NUMBER.sub("#", one) != _NUMBER.sub("#", other):
        return False
    ours, theirs = ([float(n) for n in _NUMBER.findall(text)] for text in (one, other))
    pairs = list(zip(ours, theirs, strict=True))
    size = math.isqrt(len(pairs))
    if one.startswith("[[") and size * size == len(pairs) and any(map(math.isnan, ours)):
        pairs = [pair for at, pair in enumerate(pairs) if at % size <= at // size]
    return all((math.isnan(a) and math.isnan(b)) or math.isclose(a, b, rel_tol=0.05, abs_tol=1e-6) for a, b in pairs)
