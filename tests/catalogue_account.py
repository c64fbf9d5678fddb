"""The account of the catalogue: which rule reports each measured pattern, in which pass, or why none does.

`tests/catalogue/*.py` hold the patterns as small functions, each with its number and name and the line that goes wrong
marked `# hazard`. They are read as text: the source pass lints that text, the graph pass what TensorFlow traces of it
for tensors like the witness. A function whose name ends in `loss` is differentiated. Run as a program, this writes
`docs/rules/coverage.md`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from rule_harness import graph_findings_in
from rule_programs import WRITTEN, Program, rules

from tfnanlint.finding import Finding
from tfnanlint.lint import lint_source
from tfnanlint.template import Rule

FOLDER = Path(__file__).parent / "catalogue"
DOCUMENT = Path(__file__).parent.parent / "docs" / "rules" / "coverage.md"
MARK = "# hazard"
NOBODY = Rule("catalogue", "", FOLDER, "")
SIZE = 143
"""How many patterns the catalogue has."""
GOAL = 125
"""How many of them are reported at least."""


@dataclass(eq=False)
class Entry:
    """One function of the catalogue.

    `only` is "source" where the trace of a program does not show the pattern, and "pedantic" where nothing is known of
    the operand without looking at data; `why` says why no rule reports it.
    """

    number: int
    pattern: str
    function: str
    text: str
    witness: dict[str, Any] = field(default_factory=dict)
    only: str = ""
    why: str = ""

    @property
    def hazards(self) -> set[int]:
        """The marked lines."""
        return {place for place, line in enumerate(self.text.splitlines(), 1) if MARK in line}

    @cached_property
    def in_source(self) -> list[Finding]:
        """What the source pass reports."""
        return lint_source(self.text, f"{self.function}.py", rules=rules(), pedantic=self.only == "pedantic")

    @cached_property
    def in_graph(self) -> list[Finding]:
        """What the graph pass reports."""
        program = Program(NOBODY, self.function, WRITTEN, self.text, self.witness, {}, {})
        differentiated = self.function.endswith("loss")
        return graph_findings_in(program, differentiated, pedantic=self.only == "pedantic")

    @property
    def seen_in_graph(self) -> bool:
        """Whether a trace shows the pattern at all."""
        return self.only != "source"

    def reporting(self, findings: Iterable[Finding]) -> tuple[str, ...]:
        """The rules that report the marked lines; none, unless each of them is reported."""
        held = [f for f in findings if f.line in self.hazards]
        if {f.line for f in held} != self.hazards:
            return ()
        return tuple(sorted({f.rule for f in held}))


def entries() -> list[Entry]:
    """Every function of the catalogue, by number."""
    found = [entry for path in sorted(FOLDER.glob("*.py")) for entry in _entries_of(path.read_text(encoding="utf-8"))]
    return sorted(found, key=lambda entry: entry.number)


def _entries_of(text: str) -> list[Entry]:
    tree, lines = ast.parse(text), text.splitlines()
    imports = "\n".join(ast.unparse(n) for n in tree.body if isinstance(n, (ast.Import, ast.ImportFrom, ast.Assign)))
    found = []
    for node in tree.body:
        if not isinstance(node, ast.FunctionDef):
            continue
        mark, *others = node.decorator_list
        assert isinstance(mark, ast.Call)
        number, name = (ast.literal_eval(argument) for argument in mark.args)
        given = {k.arg: ast.literal_eval(k.value) for k in mark.keywords}
        start = others[0].lineno if others else node.lineno
        body = "\n".join(lines[start - 1 : node.end_lineno])
        settings = {k: given.pop(k) for k in ("only", "why") if k in given}
        found.append(Entry(number, name, node.name, f"{imports}\n\n\n{body}\n", given, **settings))
    return found
