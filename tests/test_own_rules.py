"""Rules of one's own: what a folder of them is given by the linter, and what is refused when it is read."""

from __future__ import annotations

from pathlib import Path

from tfnanlint.finding import Finding
from tfnanlint.lint import lint_source
from tfnanlint.ruleset.rule import load_rules

HEAD = '"""`erf` is not to be used here\n\nOwn.\n"""\n\nimport tensorflow as tf\n\ncode = "TFNX101"\n\n\n'
BEFORE = "def before(x=(1.0,)):\n    return tf.math.log(tf.math.erf(x))\n"
AFTER = "\n\ndef guard(x):\n    return tf.math.log(tf.maximum(tf.math.erf(x), 1e-9))\n"
PROGRAM = "import tensorflow as tf\n\n\ndef f(x):\n    return tf.math.log(tf.math.erf(x))\n"


def written(folder: Path, text: str) -> Path:
    """A folder with one rule file."""
    path = folder / "own" / "no-erf.py"
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    return path


def found(folder: Path) -> list[Finding]:
    """What the rule finds in the program, among all others."""
    return [one for one in lint_source(PROGRAM, "a.py", rules=load_rules([folder])) if one.rule == "no-erf"]


def test_a_rule_without_a_repair_is_not_given_that_of_the_rule_that_it_displaces(tmp_path: Path) -> None:
    assert any(found.fix for found in lint_source(PROGRAM, "a.py"))
    written(tmp_path, HEAD + BEFORE)
    (own,) = found(tmp_path)
    assert own.fix is None
    written(tmp_path, HEAD + BEFORE + AFTER)
    (repaired,) = found(tmp_path)
    assert repaired.fix is not None
