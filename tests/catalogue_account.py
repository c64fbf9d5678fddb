"""The account of the catalogue: which rule reports each measured pattern, in which pass, or why none does.

`tests/catalogue/*.py` hold the patterns as small functions, each with its number and name and the line that goes wrong
marked `# hazard`. They are read as text: the source pass lints that text, the graph pass what TensorFlow traces of it
for tensors like the witness. A function whose name ends in `loss` is differentiated. Run as a program, this writes
`docs/rules/coverage.md`.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from beliefs import BELIEFS  # noqa: E402

from tfnanlint.finding import Finding  # noqa: E402
from tfnanlint.lint import lint_source  # noqa: E402
from tfnanlint.ruleset.rule import Rule  # noqa: E402
from tfnanlint.testing.outcomes import graph_findings_in  # noqa: E402
from tfnanlint.testing.programs import WRITTEN, Program, literal_of, rules  # noqa: E402

FOLDER = Path(__file__).parent / "catalogue"
DOCUMENT = ROOT / "docs" / "rules" / "coverage.md"
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
        given = {k.arg: literal_of(k.value) for k in mark.keywords}
        start = others[0].lineno if others else node.lineno
        body = "\n".join(lines[start - 1 : node.end_lineno])
        settings = {k: given.pop(k) for k in ("only", "why") if k in given}
        found.append(Entry(number, name, node.name, f"{imports}\n\n\n{body}\n", given, **settings))
    return found


def complete(entry: Entry) -> bool:
    """Whether every pass that can see an entry reports it."""
    if entry.why:
        return False
    return bool(entry.reporting(entry.in_source)) and (not entry.seen_in_graph or bool(entry.reporting(entry.in_graph)))


def reported(found: list[Entry]) -> set[int]:
    """The patterns of which some function is reported, and every other one that is not says why."""
    whole = {entry.number for entry in found if complete(entry)}
    return whole - {entry.number for entry in found if not entry.why and not complete(entry)}


def _cell(rules: Iterable[str], pedantic: bool) -> str:
    names = ", ".join(f"[{name}]({name}.md)" for name in rules)
    return f"{names} (`--pedantic`)" if names and pedantic else names or "no"


def table(found: list[Entry]) -> str:
    """The account as a document."""
    lines = [
        "# Coverage of the catalogue",
        "",
        f"The catalogue has {SIZE} measured patterns, each with the code shapes in which people write it.",
        f"The linter reports {len(reported(found))} of them, in both passes where both can see them.",
        "`tests/catalogue/` holds the shapes. `python tests/catalogue_account.py` writes this table from the findings.",
        "",
        "| # | pattern | shape | source | trace |",
        "|---|---|---|---|---|",
    ]
    for entry in found:
        pedantic = entry.only == "pedantic"
        head = f"| {entry.number} | {entry.pattern} | {entry.function.replace('_', ' ').removesuffix(' loss')} "
        if entry.why:
            lines.append(f"{head}| not reported: {entry.why} | |")
            continue
        source = _cell(entry.reporting(entry.in_source), pedantic)
        graph = _cell(entry.reporting(entry.in_graph), pedantic) if entry.seen_in_graph else "a trace does not show it"
        lines.append(f"{head}| {source} | {graph} |")
    return "\n".join([*lines, *_beliefs()]) + "\n"


def _beliefs() -> list[str]:
    """The beliefs that proved false, and what holds the linter to the truth."""
    lines = [
        "",
        "## Beliefs that proved false",
        "",
        f"{len(BELIEFS)} beliefs about NaN did not hold on TensorFlow.",
        "A program in [REJECTED.md](../../rules/REJECTED.md) or a `quiet_` function of a rule shows what must not be",
        "reported, and a `before` function what must be.",
        "",
        "| # | belief | not reported | reported |",
        "|---|---|---|---|",
    ]
    for belief in BELIEFS:
        quiet, told = [], []
        for name in belief.held_by:
            rule, _, function = name.partition(".")
            link = f"[{rule}]({rule}.md)" if function else name.replace("_", " ")
            (told if function.startswith("before") else quiet).append(link)
        lines.append(f"| {belief.number} | {belief.believed} | {', '.join(quiet)} | {', '.join(told)} |")
    return lines


if __name__ == "__main__":
    DOCUMENT.write_text(table(entries()), encoding="utf-8")
