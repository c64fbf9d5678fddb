"""Rules of one's own: what a folder of them is given by the linter, and what is refused when it is read."""

from __future__ import annotations

from pathlib import Path

import pytest

from tfnanlint.errors import RuleError
from tfnanlint.finding import Finding
from tfnanlint.lint import lint_source
from tfnanlint.ruleset.rule import load_rules, read_rule

HEAD = '"""`softmax` is not to be used here\n\nOwn.\n"""\n\nimport tensorflow as tf\n\ncode = "TFNX101"\n\n\n'
BEFORE = "def before(x=(1.0,)):\n    return tf.math.log(tf.nn.softmax(x))\n"
AFTER = "\n\ndef guard(x):\n    return tf.math.log(tf.maximum(tf.nn.softmax(x), 1e-9))\n"
PROGRAM = "import tensorflow as tf\n\n\ndef f(x):\n    return tf.math.log(tf.nn.softmax(x))\n"


def written(folder: Path, text: str) -> Path:
    """A folder with one rule file."""
    path = folder / "own" / "no-softmax.py"
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    return path


def found(folder: Path) -> list[Finding]:
    """What the rule finds in the program, among all others."""
    return [one for one in lint_source(PROGRAM, "a.py", rules=load_rules([folder])) if one.rule == "no-softmax"]


def test_a_rule_without_a_repair_is_not_given_that_of_the_rule_that_it_displaces(tmp_path: Path) -> None:
    assert any(found.fix for found in lint_source(PROGRAM, "a.py"))
    written(tmp_path, HEAD + BEFORE)
    (own,) = found(tmp_path)
    assert own.fix is None
    written(tmp_path, HEAD + BEFORE + AFTER)
    (repaired,) = found(tmp_path)
    assert repaired.fix is not None


LOOP = "def before(x=(0.0,)):\n    for _ in range(3):\n        x = tf.nn.softmax(x)\n    return tf.math.log(x)\n"
LISTED = "def before(x=(0.0,)):\n    return tf.math.log(sum([tf.nn.softmax(x) for _ in range(3)]))\n"
NO_LOOPS = "before: a rule function has no loops; write the expression out"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (HEAD + LOOP, f":12: {NO_LOOPS}"),
        (HEAD + LISTED, f":12: {NO_LOOPS}"),
        (
            HEAD + BEFORE + "\n\ndef after(y):\n    return tf.math.log(y)\n",
            ":15: after: no `before` has `y`; a repair takes",
        ),
        (HEAD + "def before(\n", ":11:11: not valid Python: '(' was never closed"),
    ],
    ids=["a loop", "a comprehension", "a repair of another name", "a bracket"],
)
def test_a_rule_file_that_cannot_do_what_it_says_is_refused_at_its_line(tmp_path: Path, text: str, said: str) -> None:
    path = written(tmp_path, text)
    with pytest.raises(RuleError) as caught:
        read_rule(path)
    assert str(caught.value).startswith(f"{path}{said}")


def test_a_repair_takes_what_its_before_assigns_or_what_any_before_is_given(tmp_path: Path) -> None:
    named = "def before_plain(x=(1.0,)):\n    inner = tf.nn.softmax(x)\n    return tf.math.log(inner)\n"
    other = "\n\ndef before(y=(1.0,)):\n    return tf.math.log(tf.nn.softmaxc(y))\n"
    repairs = "\n\ndef guard_plain(inner):\n    return tf.math.log(inner + 1e-9)\n\n\ndef guard(y):\n    return y\n"
    assert read_rule(written(tmp_path, HEAD + named + other + repairs)).repairs
