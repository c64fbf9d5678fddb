"""What identifies a finding while the program around it changes."""

from __future__ import annotations

from dataclasses import replace

from tfnanlint import lint_source
from tfnanlint.suppress.fingerprint import fingerprints

CODE = "import tensorflow as tf\n\n\ndef f(x):\n    return tf.math.log(tf.nn.softmax(x, axis=-1))\n"


def of(code: str, **changed: object) -> list[str]:
    lines = code.splitlines()
    findings = [replace(found, **changed) for found in lint_source(code, "a.py")]
    return fingerprints(findings, lambda _, number, cell: lines[number - 1] if number <= len(lines) else None)


def test_a_fingerprint_survives_lines_above_indentation_and_line_breaks() -> None:
    (before,) = of(CODE)
    assert of("# a licence\n\n" + CODE) == [before]
    assert of(CODE.replace("    return", "    if x is not None:\n        return")) == [before]
    assert of(CODE.replace("x, axis", "x,   axis")) == [before]
    assert len(before) == 32


def test_other_code_another_rule_and_another_file_have_other_fingerprints() -> None:
    every = [*of(CODE), *of(CODE.replace("axis=-1", "axis=0")), *of(CODE, rule="other"), *of(CODE, path="b.py")]
    assert len(set(every)) == 4


def test_equal_findings_are_told_apart_and_a_further_one_changes_neither() -> None:
    again = "\n\ndef {}(x):\n    return tf.math.log(tf.nn.softmax(x, axis=-1))\n"
    two, three = of(CODE + again.format("g")), of(CODE + again.format("g") + again.format("h"))
    assert len(set(three)) == 3
    assert three[:2] == two


def test_a_file_that_cannot_be_read_is_told_apart_by_what_is_said() -> None:
    found = lint_source(CODE, "a.py")
    other = [replace(found[0], evidence="something else")]
    assert fingerprints(found, lambda *_: None) != fingerprints(other, lambda *_: None)


def test_a_windows_path_has_the_fingerprint_of_the_same_file_elsewhere() -> None:
    assert of(CODE, path="src\\a.py") == of(CODE, path="src/a.py")
