"""What a run says: for people, in one line for each finding, and as JSON."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest
from samples import FOUND, ODD, PROBLEM, PROOF, real_findings, shown

from tfnanlint import lint_source
from tfnanlint.finding import Edit, Finding, Fix, Step
from tfnanlint.report import FORMATS, Report, render
from tfnanlint.report.summary import closing_lines, statistics
from tfnanlint.report.terminal import columns, printable
from tfnanlint.report.text import callee_width


def at(line: int, column: int, end_line: int, end_column: int, **more: object) -> Finding:
    place = {"line": line, "column": column, "end_line": end_line, "end_column": end_column}
    return replace(FOUND, trail=(), fix=None, **place, **more)


def test_a_finding_is_told_with_its_code_its_evidence_its_trail_and_its_repair() -> None:
    assert shown("text", FOUND) == (
        "loss.py:4:12: error (likely) sqrt-rule: the gradient of `sqrt` at 0 is infinite\n"
        "    4 |     norm = tf.sqrt(tf.reduce_sum(tf.square(h), axis=-1))\n"
        "      |            ^^^^^^^ its argument is in [0, inf): a sum of squares\n"
        "   trail:\n"
        "    3 | def f(h):\n"
        "      |       ^ a parameter\n"
        "    5 |     return norm\n"
        "      |            ^^^^ the result\n"
        "   fix (adds a guard): tf.sqrt(h + 1e-12)\n"
    )


def test_why_there_is_no_repair_is_told() -> None:
    text = shown("text", replace(FOUND, trail=(), fix=None, no_fix="`h` is bound again"))
    assert text.endswith("   no fix: `h` is bound again\n")


def test_two_findings_are_set_apart_by_one_empty_line() -> None:
    assert shown("text", FOUND, FOUND).split("\n\n")[1].startswith("loss.py:4:12")
    assert shown("text") == ""


@pytest.mark.parametrize(
    ("code", "width"),
    [
        ("tf.sqrt(x)", 7),
        ("K . log (x)", 7),
        ("sqrt(x) + 1", 11),
        ("tf.sum(x * m) / tf.sum(m)", 25),
        ("tf.pad(x, '(')", 6),
        ("tf.stack([", 8),
        ("x / tf.sum(x)", 13),
        ("-tf.log(x)", 10),
        ("é.f(x)", 3),
    ],
)
def test_what_is_called_is_underlined_else_the_whole_expression(code: str, width: int) -> None:
    assert callee_width(code) == width


def carets(text: str) -> tuple[str, str]:
    """The code above the carets of the first finding, and the line of the carets."""
    lines = text.splitlines()
    mark = next(i for i, line in enumerate(lines) if "^" in line)
    return lines[mark - 1], lines[mark]


@pytest.mark.parametrize(
    ("line", "column", "marked"),
    [
        ("\tx = f(y)", 6, "f"),
        ("s = 'é'; f(y)", 10, "f"),
        ("\x0cf(y)", 2, "f"),
        ("s = 'e\u0301'; f(y)", 11, "f"),
        ("s = '\u202e'; f(y)", 10, "f"),
    ],
    ids=["tab", "accent", "form feed", "combining", "right to left"],
)
def test_the_carets_stand_under_what_they_mark(line: str, column: int, marked: str) -> None:
    code, mark = carets(shown("text", at(1, column, 1, column + 4), code=line))
    width = mark.count("^")
    start = mark.index("^") + (1 if "\u0301" in line else 0)
    assert code[start : start + width] == marked


def test_what_a_terminal_would_obey_is_not_printed() -> None:
    assert printable("a\x1b[31m\x9b\x7f\tb\n") == "a [31m  \tb "
    assert printable("i\u202egnp.py \u2066\u200f") == "i\\u202egnp.py \\u2066\\u200f"
    assert printable("漢字 שלום é") == "漢字 שלום é"


def test_wide_characters_take_two_columns() -> None:
    _, mark = carets(shown("text", at(1, 11, 1, 15), code="s = '漢字'; f(y)"))
    assert mark.index("^") == len("    1 | s = '") + 4 + len("'; ")


def test_steps_within_the_finding_stand_under_its_own_lines() -> None:
    code = "x = tf.sqrt(\n    tf.square(y)\n)\n"
    steps = (Step("loss.py", 2, 5, "square: in [0, inf)"), Step("loss.py", 3, 1, "the end"))
    lines = shown("text", replace(at(1, 5, 3, 2), trail=steps), code=code).splitlines()
    assert lines[3:] == [
        "    2 |     tf.square(y)",
        "      |     ^^^^^^^^^ square: in [0, inf)",
        "    3 | )",
        "      | ^ the end",
    ]


def test_every_step_of_a_trail_says_more_than_the_name_of_an_op() -> None:
    code = (
        "import numpy as np\nimport tensorflow as tf\n\n\ndef f(q, k, mask, a, b):\n    s = tf.matmul(q, k)\n"
        "    s = tf.where(mask, s, -np.inf)\n    i = tf.reduce_sum(a * b)\n"
        "    return tf.nn.softmax(s), 2.0 * i / (tf.reduce_sum(a) + tf.reduce_sum(b))\n"
    )
    found = lint_source(code, "loss.py")
    notes = [step.note for one in found for step in one.trail]
    assert "where: the argument of `softmax`" in notes
    assert not [note for note in notes if note.isidentifier()]
    lines = shown("text", *found, code=code).splitlines()
    assert "      |         ^^^^^^^^ where: the argument of `softmax`" in lines


def test_a_repair_of_several_lines_is_shown_as_the_lines_it_changes() -> None:
    edits = (Edit("loss.py", 4, 1, 5, 1, ""), Edit("loss.py", 5, 12, 5, 16, "tf.norm(h)"))
    text = shown("text", replace(FOUND, trail=(), fix=Fix("guard", "tf.norm(h)", edits)))
    assert text.endswith(
        "   fix (adds a guard):\n"
        "    4 -     norm = tf.sqrt(tf.reduce_sum(tf.square(h), axis=-1))\n"
        "    5 -     return norm\n"
        "      +     return tf.norm(h)\n"
    )
    far = (Edit("loss.py", 1, 1, 1, 1, "import os\n"), Edit("loss.py", 5, 12, 5, 16, "h"))
    text = shown("text", replace(FOUND, trail=(), fix=Fix("guard", "h", far)))
    assert text.endswith(
        "   fix (adds a guard):\n      + import os\n  ...\n    5 -     return norm\n      +     return h\n"
    )
    gone = shown("text", replace(FOUND, fix=Fix("guard", "one(\n    two)", edits)), code="")
    assert gone.endswith("   fix (adds a guard): one( two)\n")


@pytest.mark.parametrize("width", [40, 60, 80, 100])
def test_no_line_is_wider_than_the_terminal(width: int) -> None:
    wide = "説明 = '漢字' * 9; " + "very_long_name(" * 9 + ")" * 9
    long = replace(FOUND, path="a.py", message="short", trail=(Step("a.py", 1, 40, "a note " * 12),))
    findings = [replace(long, line=1, end_line=1, column=60, end_column=80, fix=None)]
    lines = "".join(render("text", Report(findings, texts={"a.py": wide}, width=width))).splitlines()
    assert max(map(columns, lines)) <= max(width, 48)
    assert " ".join(line.partition("|")[2].strip() for line in lines if "note" in line).count("note") == 12
    unbounded = "".join(render("text", Report(findings, texts={"a.py": wide}))).splitlines()
    assert unbounded[2].endswith(FOUND.evidence)


def test_a_repair_that_takes_a_sign_in_front_is_shown_as_the_line_that_it_changes() -> None:
    text = (
        "import tensorflow as tf\n\n\ndef loss(scores, labels):\n    p = tf.sigmoid(scores)\n"
        "    return -(1.0 - labels) * tf.math.log(1.0 - p)\n"
    )
    (found,) = lint_source(text, "loss.py")
    lines = shown("text", found, code=text).splitlines()
    assert any(line.endswith(" -     return -(1.0 - labels) * tf.math.log(1.0 - p)") for line in lines)
    assert any(line.endswith(" +     return (1.0 - labels) * tf.nn.softplus(scores)") for line in lines)


def test_a_long_repair_goes_on_below_and_nothing_of_it_is_lost() -> None:
    after = "tf.norm(one + two, axis=-1) - tf.reduce_mean(three_letters_and_more(x)) + " + "q" * 90
    edits = (Edit("loss.py", 4, 12, 5, 16, after),)
    for width in (48, 60, 80):
        lines = shown("text", replace(FOUND, trail=(), fix=Fix("guard", f"\n{after}", edits)), width=width).splitlines()
        added = lines[lines.index(next(line for line in lines if line.startswith("      +"))) :]
        assert max(map(len, added)) <= width
        assert "".join("".join(added).split()) == "+norm=" + after.replace(" ", "")


def test_a_long_expression_is_shown_to_its_end_with_the_evidence_under_its_first_line() -> None:
    code = "x = tf.sqrt(\n    y\n)\n"
    lines = shown("text", at(1, 5, 3, 2), code=code).splitlines()
    assert lines[1:] == [
        "    1 | x = tf.sqrt(",
        "      |     ^^^^^^^ its argument is in [0, inf): a sum of squares",
        "    2 |     y",
        "    3 | )",
    ]


def test_a_very_long_expression_is_shown_by_its_start_and_end() -> None:
    code = "x = tf.sqrt(\n" + "    y +\n" * 50 + "    z)\n"
    lines = shown("text", at(1, 5, 52, 7), code=code).splitlines()
    assert len(lines) < 9
    assert lines[-1] == "   52 |     z)"


def test_of_a_line_without_end_only_the_part_around_the_finding_is_shown() -> None:
    code = "x = [" + "1, " * 100_000 + "tf.sqrt(y)]"
    column = code.index("tf") + 1
    text = shown("text", at(1, column, 1, column + 10), code=code)
    line, mark = carets(text)
    assert len(line) < 200
    assert line[mark.index("^") :].startswith("tf.sqrt(y)")


def test_a_step_in_another_file_names_it_and_a_file_that_is_gone_does_no_harm() -> None:
    text = shown("text", replace(FOUND, fix=None, trail=(Step("gone.py", 7, 1, "made here"),)))
    assert "   gone.py:\n    7 | made here\n" in text
    assert "its argument is in" in shown("text", replace(FOUND, path="gone.py", trail=()))


def test_nothing_in_the_code_can_command_the_terminal() -> None:
    assert "\x1b" not in shown("text", at(1, 1, 1, 5), code="f(x) # \x1b]0;owned\x07\n")


def test_colour_changes_nothing_but_colour() -> None:
    colored = shown("text", FOUND, color=True)
    assert colored != shown("text", FOUND)
    assert re.sub(r"\x1b\[[0-9;]*m", "", colored) == shown("text", FOUND)


def test_the_concise_report_is_one_line_a_finding() -> None:
    assert shown("concise", FOUND, replace(FOUND, fix=None)).splitlines() == [
        "loss.py:4:12: error (likely) sqrt-rule: the gradient of `sqrt` at 0 is infinite [fix: adds a guard]",
        "loss.py:4:12: error (likely) sqrt-rule: the gradient of `sqrt` at 0 is infinite",
    ]


def test_the_json_report_is_an_array_of_objects_with_exactly_the_documented_keys() -> None:
    (found,) = json.loads(shown("json", FOUND))
    assert (
        list(found)
        == (
            "rule code group severity certainty origin message evidence path cell line column "
            "end_line end_column node trail trial fix no_fix proof url"
        ).split()
    )
    assert found["trail"][0] == {"path": "loss.py", "line": 3, "column": 7, "note": "a parameter"}
    assert found["fix"] == {
        "kind": "guard",
        "message": "tf.sqrt(h + 1e-12)",
        "edits": [
            *[
                {
                    "path": "loss.py",
                    "line": 4,
                    "column": 12,
                    "end_line": 4,
                    "end_column": 57,
                    "text": "tf.sqrt(h + 1e-12)",
                }
            ]
        ],
        "safe": True,
    }
    assert (found["cell"], found["node"], found["proof"]) == (None, None, None)


def test_the_json_report_of_nothing_is_an_empty_array() -> None:
    assert json.loads(shown("json")) == []


def test_the_json_report_survives_odd_names_and_numbers_that_json_lacks() -> None:
    odd = replace(FOUND, path="\udcff.py", proof=PROOF)
    (found,) = json.loads(shown("json", odd).encode("ascii"))
    assert found["path"] == "\udcff.py"
    assert found["proof"]["inputs"] == {"x": ["nan", "-inf", 1.5]}


def test_every_format_renders_every_kind_of_finding() -> None:
    odd = [replace(FOUND, path="gone.py"), at(9, 1, 9, 2, severity="info"), *ODD]
    for name in FORMATS:
        assert shown(name, FOUND, *odd, *real_findings(), problems=[PROBLEM])


def test_the_summary_counts_problems_files_and_what_can_be_repaired() -> None:
    unsafe = replace(FOUND, path="b.py", fix=replace(FOUND.fix, kind="rework"))
    light = [replace(FOUND, severity=severity) for severity in ("info", "warning")]
    (line,) = closing_lines([*light, unsafe], [], 9, 0)
    assert line.startswith("Found 3 problems (1 error, 1 warning, 1 info) in 2 files (2 fixable with --fix, 1 more ")
    assert line.endswith("with --fix --unsafe-fixes); 9 files checked.")
    (line,) = closing_lines([*light, unsafe], [], 9, 0, unsafe={"b.py"})
    assert line.endswith("(3 fixable with --fix); 9 files checked.")
    assert list(closing_lines([], [], 1, 0)) == ["No problems found; 1 file checked."]


def test_a_summary_does_not_count_what_failed_as_checked() -> None:
    assert list(closing_lines([], [], 3, 1)) == ["No problems found; 2 files checked, 1 failed."]


def test_after_repairs_the_summary_tells_them_and_what_is_left() -> None:
    unsafe = replace(FOUND, fix=replace(FOUND.fix, kind="rework"))
    assert list(closing_lines([unsafe], [FOUND, FOUND], 2, 0, True)) == [
        "Fixed 2 problems in 1 file.",
        "1 problem (1 error) left in 1 file (1 fixable with --fix --unsafe-fixes); 2 files checked.",
    ]
    assert next(closing_lines([], [FOUND], 2, 0, True, written=False)) == "Would fix 1 problem in 1 file."


def test_statistics_put_the_busiest_rule_first() -> None:
    other = replace(FOUND, rule="a-rule", fix=None)
    assert [line.split() for line in statistics([other, FOUND, FOUND])] == [
        ["2", "sqrt-rule", "(2", "with", "a", "fix)"],
        ["1", "a-rule", "(0", "with", "a", "fix)"],
    ]
