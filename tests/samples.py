"""Findings for the tests of what is said of them: made by hand, odd in every way, and found in real programs."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

from tfnanlint import lint_source
from tfnanlint.finding import Edit, Finding, Fix, Step
from tfnanlint.report import Report, render
from tfnanlint.run.problem import Problem

CODE = (
    "import tensorflow as tf\n\ndef f(h):\n    norm = tf.sqrt(tf.reduce_sum(tf.square(h), axis=-1))\n    return norm\n"
)
FOUND = Finding(
    *("sqrt-rule", "sqrt", "error", "likely", "source"),
    *("the gradient of `sqrt` at 0 is infinite", "its argument is in [0, inf): a sum of squares"),
    *("loss.py", 4, 12, 4, 57),
    trail=(Step("loss.py", 3, 7, "a parameter"), Step("loss.py", 5, 12, "the result")),
    fix=Fix("guard", "tf.sqrt(h + 1e-12)", (Edit("loss.py", 4, 12, 4, 57, "tf.sqrt(h + 1e-12)"),)),
)
PROOF = {
    "status": "proved",
    "mode": "graph",
    "what": "gradient",
    "inputs": {"x": [float("nan"), float("-inf"), 1.5]},
    "file": "proofs/a.npz",
    "reproduction": "import f\nprint(f(x))",
}
ODD = (
    replace(FOUND, path="a b/ü,%:.py", message="100% of\nlines: <b>&amp; \x1b[0m", trail=()),
    replace(FOUND, path="\udcff.py", proof=PROOF, cell=3),
    replace(FOUND, path="<graph>", node="model/Sqrt:0", origin="graph", fix=None, severity="warning"),
    replace(FOUND, path="/elsewhere/gone.py", severity="info", certainty="possible", end_line=6, end_column=1),
)
PROBLEM = Problem("broken, really.py", 7, 3, "invalid syntax: 100%\nof it")


def shown(name: str, *findings: Finding, code: str = CODE, **more: object) -> str:
    """A report in one format, on findings in `loss.py`."""
    return "".join(render(name, Report(findings, texts={"loss.py": code}, **more)))


@cache
def real_findings() -> tuple[Finding, ...]:
    """What is found in the programs of tests/cases and examples."""
    root = Path(__file__).parent.parent
    programs = sorted([*root.glob("tests/cases/*.py"), *root.glob("examples/*.py")])
    return tuple(found for path in programs for found in lint_source(path.read_text(), str(path.relative_to(root))))
