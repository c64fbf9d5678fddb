"""Values followed through programs as people write them: a hazard is found through each form, its sound twin is silent.

Each file of tests/programs is one subject. A line ends in `# HAZARD rule-name ...` where findings are due; everywhere
else there are none. `# MISSED rule-name` marks a hazard that is not found yet, `# FALSE rule-name` a finding that is
not due: both are gaps, marked so that they do not grow unseen. `# POSSIBLE rule-name` marks what only `--pedantic`
reports. Nothing is run: that the hazards are real is what the
tests of the rules show.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tfnanlint.lint import lint_source
from tfnanlint.ruleset.cache import installed_rules

PROGRAMS = sorted((Path(__file__).parent / "programs").glob("*.py"))
RULES = installed_rules()


def marked(text: str, *words: str) -> set[tuple[int, str]]:
    """The lines and the rules of marks that begin with one of these words."""
    return {
        (number, rule)
        for number, line in enumerate(text.splitlines(), 1)
        for mark in re.finditer(rf"# (?:{'|'.join(words)})((?: [a-z0-9-]+)+)", line)
        for rule in mark[1].split()
    }


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.stem)
def test_a_program_is_reported_exactly_where_it_says(program: Path) -> None:
    text = program.read_text()
    found = {(f.line, f.rule) for f in lint_source(text, program.name, rules=RULES)}
    assert found == marked(text, "HAZARD", "FALSE")
    if possible := marked(text, "POSSIBLE"):
        assert possible <= {(f.line, f.rule) for f in lint_source(text, program.name, rules=RULES, pedantic=True)}
