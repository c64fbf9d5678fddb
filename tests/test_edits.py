"""Edits of a text, the choice of those that go together, and patches."""

from __future__ import annotations

import random
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tfnanlint.finding import Edit, Finding, Fix, Step
from tfnanlint.run.edits import Positions, apply_edits, choose_fixes, split_lines, unified_diff, unique_edits

PATH = "a.py"


def edit(line: int, column: int, end_line: int, end_column: int, text: str, path: str = PATH) -> Edit:
    return Edit(path, line, column, end_line, end_column, text)


def found(*edits: Edit, span: tuple[int, int, int, int] | None = None, trail: tuple[int, ...] = ()) -> Finding:
    first = edits[0]
    place = span or (first.line, first.column, first.end_line, first.end_column)
    steps = tuple(Step(PATH, line, 1, "") for line in trail)
    fix = Fix("after", first.text, edits)
    return Finding("r", "g", "error", "certain", "source", "m", "e", PATH, *place, trail=steps, fix=fix)


def test_an_edit_replaces_exactly_its_span() -> None:
    assert apply_edits("ab\ncd\n", [edit(2, 1, 2, 2, "X")]) == "ab\nXd\n"


def test_an_edit_may_span_lines_and_others_keep_their_places() -> None:
    text = "one\ntwo\nthree\n"
    assert apply_edits(text, [edit(3, 1, 3, 6, "3"), edit(1, 2, 2, 3, "-")]) == "o-o\n3\n"


def test_an_insertion_at_the_end_of_a_text_without_a_last_newline_is_possible() -> None:
    assert apply_edits("x", [edit(1, 2, 1, 2, "!")]) == "x!"


def test_an_insertion_at_the_start_of_a_replacement_comes_before_it() -> None:
    assert apply_edits("abc", [edit(1, 2, 1, 3, "B"), edit(1, 2, 1, 2, "+")]) == "a+Bc"


def test_lines_end_where_python_ends_them_and_nowhere_else() -> None:
    text = "a\fb\r\nc\x0bd\re\x85f\u2028g\nh"
    assert split_lines(text) == ["a\fb", "c\x0bd", "e\x85f\u2028g", "h"]
    assert apply_edits(text, [edit(3, 3, 3, 4, "F")]) == text.replace("f", "F")


@pytest.mark.parametrize(
    "edits",
    [
        [edit(1, 1, 1, 3, "x"), edit(1, 2, 1, 4, "y")],
        [edit(1, 1, 1, 4, "x"), edit(1, 2, 1, 2, "y")],
        [edit(3, 1, 3, 1, "x")],
        [edit(1, 9, 1, 9, "x")],
        [edit(1, 3, 1, 1, "x")],
    ],
    ids=["overlapping", "inside another", "beyond the last line", "beyond the end of a line", "backwards"],
)
def test_edits_that_make_no_sense_are_refused(edits: list[Edit]) -> None:
    with pytest.raises(ValueError, match=r"overlap|outside|before"):
        apply_edits("abcd\ne", edits)


@given(st.text(alphabet="ab\n\r\f\u2028é", max_size=40), st.data())
def test_positions_and_offsets_are_inverse_to_each_other(text: str, data: st.DataObject) -> None:
    positions = Positions(text)
    offset = data.draw(st.integers(0, len(text)))
    assert positions.offset(*positions.position(offset)) == offset


@given(st.text(alphabet="ab\n\r\f", min_size=1, max_size=40), st.data())
def test_disjoint_edits_do_the_same_as_slicing_from_the_back(text: str, data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.sets(st.integers(0, len(text)), max_size=8)))
    pairs = list(zip(cuts[::2], cuts[1::2], strict=False))
    positions = Positions(text)
    edits = [edit(*positions.position(a), *positions.position(b), f"<{i}>") for i, (a, b) in enumerate(pairs)]
    expected = text
    for number, (start, end) in reversed(list(enumerate(pairs))):
        expected = expected[:start] + f"<{number}>" + expected[end:]
    shuffled = random.Random(0).sample(edits, len(edits))
    assert apply_edits(text, shuffled) == expected


def test_the_outer_of_two_nested_repairs_is_chosen_first() -> None:
    outer, inner = found(edit(1, 1, 1, 9, "o")), found(edit(1, 3, 1, 5, "i"))
    assert choose_fixes("f(g(x))  ", PATH, [inner, outer]) == [outer]


def test_of_two_that_overlap_the_one_that_changes_less_is_chosen() -> None:
    outer, inner = found(edit(1, 1, 1, 9, "o")), found(edit(1, 3, 1, 5, "i"))
    assert outer.fix is not None
    outer = replace(outer, fix=replace(outer.fix, kind="guard"))
    assert choose_fixes("f(g(x))  ", PATH, [inner, outer]) == [inner]


def test_disjoint_repairs_are_chosen_together_whatever_their_order() -> None:
    one, two = found(edit(1, 1, 1, 2, "1")), found(edit(2, 1, 2, 2, "2"), span=(2, 1, 2, 2))
    assert choose_fixes("a\nb", PATH, [two, one]) == choose_fixes("a\nb", PATH, [one, two]) == [one, two]


def test_of_two_repairs_on_a_line_the_second_is_laid_out_on_what_the_first_has_made() -> None:
    one, two = found(edit(1, 1, 1, 2, "1")), found(edit(1, 3, 1, 4, "2"))
    assert choose_fixes("a b", PATH, [two, one]) == [one]


def test_a_repair_is_applied_with_all_its_edits_or_not_at_all() -> None:
    text = "a b\nc d\n"
    first = found(edit(2, 1, 2, 2, "1"), span=(1, 1, 1, 2))
    pair = found(edit(1, 1, 1, 2, "2"), edit(2, 1, 2, 2, "2"), span=(1, 2, 1, 3))
    assert choose_fixes(text, PATH, [pair, first]) == [first]


def test_a_repair_whose_own_edits_overlap_is_not_chosen() -> None:
    assert choose_fixes("f(g(x))  ", PATH, [found(edit(1, 1, 1, 9, "o"), edit(1, 3, 1, 5, "i"))]) == []


def test_an_import_that_two_repairs_share_is_inserted_once() -> None:
    text = "a = 1\nb = 2\n"
    line = edit(1, 1, 1, 1, "import m\n")
    one, two = found(edit(1, 5, 1, 6, "m.x"), line), found(edit(2, 5, 2, 6, "m.y"), line)
    chosen = choose_fixes(text, PATH, [one, two])
    assert chosen == [one, two]
    assert apply_edits(text, unique_edits(chosen)) == "import m\na = m.x\nb = m.y\n"


def test_two_different_insertions_at_one_place_wait_for_each_other() -> None:
    one, two = found(edit(1, 1, 1, 1, "import m\n")), found(edit(1, 1, 1, 1, "import n\n"))
    assert len(choose_fixes("x\n", PATH, [one, two])) == 1


def test_a_repair_worked_out_from_a_line_that_another_changes_has_its_turn_later() -> None:
    text = "p = soft(x)\ny = log(p)\n"
    source, user = found(edit(1, 5, 1, 12, "hard(x)")), found(edit(2, 5, 2, 11, "logsoft(x)"), trail=(1,))
    assert choose_fixes(text, PATH, [user, source]) == [source]
    assert choose_fixes(text, PATH, [user]) == [user]


def test_a_repair_of_another_file_or_outside_the_text_is_not_chosen() -> None:
    elsewhere = found(edit(1, 1, 1, 2, "x", path="b.py"))
    outside = found(edit(7, 1, 7, 2, "x"))
    assert choose_fixes("a\n", PATH, [elsewhere, outside]) == []


PATCHED = {
    "a change": (b"a\nb\nc\n", b"a\nB\nc\n"),
    "no newline before": (b"a\nb", b"a\nb\n"),
    "no newline after": (b"a\nb\n", b"a\nb"),
    "no newline at all": (b"a\nb", b"a\nc"),
    "carriage returns": (b"a\r\nb\r\nc\r\n", b"a\r\nB\r\nc\r\n"),
    "lone carriage returns": (b"a\rb\rc\r", b"a\rB\rc\r"),
    "latin-1": (b"# coding: latin-1\n'\xe9'\nx\n", b"# coding: latin-1\n'\xe9'\ny\n"),
    "byte order mark": (b"\xef\xbb\xbfx\n", b"\xef\xbb\xbfy\n"),
    "form feed": (b"\x0cx\ny\n", b"\x0cx\nz\n"),
    "far apart": (b"x\n" * 40, b"y\n" + b"x\n" * 38 + b"y\n"),
    "all removed": (b"x\n", b""),
}


@pytest.mark.parametrize(("before", "after"), PATCHED.values(), ids=PATCHED.keys())
@pytest.mark.parametrize("name", ["a.py", "sub folder/a file.py", 'quo"te\\.py', "ümlaut.py"])
def test_git_applies_the_patch_and_gets_the_same_bytes(tmp_path: Path, name: str, before: bytes, after: bytes) -> None:
    file = tmp_path / name
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(before)
    patch = unified_diff(name, before, after)
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    subprocess.run(["git", "apply", "--whitespace=nowarn", "-"], input=patch, cwd=tmp_path, check=True)
    assert file.read_bytes() == after


def test_equal_texts_have_no_patch() -> None:
    assert unified_diff(PATH, b"x", b"x") == b""
