"""The comments that silence findings, and what is said about those that silence nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

import pytest

from tfnanlint import lint_source
from tfnanlint.errors import SourceError
from tfnanlint.finding import Finding
from tfnanlint.report import Report, render
from tfnanlint.run.edits import apply_edits
from tfnanlint.suppress.meta import Scope
from tfnanlint.suppress.pragma import Silenced, find_pragmas, silence

NAMES = frozenset({"no-root", "no-wide"})
SCOPE = Scope(NAMES, NAMES)


def finding(line: int, end_line: int | None = None, rule: str = "no-root") -> Finding:
    return Finding(rule, "g", "error", "certain", "source", "m", "e", "a.py", line, 1, end_line or line, 5)


def heard(
    text: str,
    *findings: Finding,
    scope: Scope = SCOPE,
    pedantic: Callable[[], Iterable[Finding]] | None = None,
) -> Silenced:
    return silence(text, "a.py", findings, scope, pedantic)


def repaired(text: str, *findings: Finding) -> str:
    edits = [edit for found in heard(text, *findings).findings if found.fix for edit in found.fix.edits]
    return apply_edits(text, edits)


@pytest.mark.parametrize(
    "comment",
    [
        "# tfnanlint: ignore[no-root]",
        "# tfnanlint: ignore[no-wide, no-root]",
        "# tfnanlint: ignore",
        "#tfnanlint:ignore[no-root]",
        "# noqa: E501  # tfnanlint: ignore[no-root]",
        "# tfnanlint: ignore[no-root] since it is padded, see #12",
        "# tfnanlint: ignore[no-root]  # noqa",
    ],
)
def test_a_comment_silences_the_findings_of_its_line(comment: str) -> None:
    left = heard(f"x = 1\nroot(x)  {comment}\n", finding(1), finding(2))
    assert [found.line for found in left.findings if found.group != "meta"] == [1]
    assert [found.line for found in left.silenced] == [2]


def test_a_comment_silences_only_the_rules_it_names() -> None:
    left = heard("root(x)  # tfnanlint: ignore[no-root]\n", finding(1), finding(1, rule="no-wide"))
    assert [found.rule for found in left.findings] == ["no-wide"]


@pytest.mark.parametrize(
    ("place", "heard_on"),
    [((1, 7), {1, 7}), ((2, 5), {1, 2, 5, 7}), ((3, 3), {1, 2, 3, 5, 7}), ((6, 6), {1, 6, 7})],
)
def test_what_stands_in_a_longer_expression_is_silenced_where_that_opens_or_closes(
    place: tuple[int, int], heard_on: set[int]
) -> None:
    code = ["y = both(", "  mean(", "    root(x),", "    1", "  ),", "  root(z)", ")", "root(y)"]
    for line in range(1, 9):
        text = "\n".join([*code[: line - 1], code[line - 1] + "  # tfnanlint: ignore[no-root]", *code[line:]])
        assert (finding(*place) in heard(text, finding(*place)).silenced) is (line in heard_on), text


def test_a_statement_without_brackets_is_silenced_on_its_last_line() -> None:
    text = "y = root(x) + \\\n    root(z) - \\\n    1  # tfnanlint: ignore[no-root]\nroot(y)\n"
    assert [found.line for found in heard(text, finding(1), finding(2), finding(4)).findings] == [4]
    text = "def f(\n    x):\n    y = 1\n    root(x)  # tfnanlint: ignore[no-root]\n    return root(y)\n"
    assert [found.line for found in heard(text, finding(4), finding(5)).findings] == [5]


def test_a_comment_for_the_file_silences_it_everywhere() -> None:
    text = "root(x)\n\nroot(y)\n# tfnanlint: ignore-file[no-root]\n"
    left = heard(text, finding(1), finding(3), finding(3, rule="no-wide"))
    assert [found.rule for found in left.findings] == ["no-wide"]


def test_a_string_that_looks_like_a_comment_silences_nothing() -> None:
    assert heard('root("# tfnanlint: ignore")\n', finding(1)).findings == [finding(1)]


def test_other_words_after_the_mark_are_left_alone() -> None:
    assert find_pragmas("# tfnanlint: see the manual\n# tfnanlint:\n# tfnanlint: non-finite values go here\n") == []


def test_an_unknown_directive_above_a_statement_is_reported() -> None:
    left = heard("# tfnanlint: disable-next-line\nroot(x)\n", finding(2))
    assert [(found.rule, found.line) for found in left.findings] == [("bad-ignore", 1), ("no-root", 2)]


def test_lines_and_columns_are_right_behind_every_kind_of_line_end() -> None:
    text = "a = 1\rb = 'é'\r\n\x0cc = '''\r'''  # tfnanlint: ignore\n"
    (pragma,) = find_pragmas(text)
    assert (pragma.line, pragma.column) == (4, 6)


def test_a_text_that_is_not_python_is_an_error_with_its_place() -> None:
    with pytest.raises(SourceError) as caught:
        find_pragmas("x = (\n# tfnanlint: ignore\n", "a.py")
    assert caught.value.path == "a.py"


def test_an_ignore_that_silences_nothing_is_reported_where_it_stands() -> None:
    (found,) = heard("x = 1  # tfnanlint: ignore[no-root]\n").findings
    assert (found.rule, found.group, found.severity, found.certainty) == ("unused-ignore", "meta", "warning", "certain")
    assert (found.line, found.column, found.end_column) == (1, 8, 36)
    assert "no `no-root` is found on this line" in found.evidence


REMOVED = {
    "x = 1  # tfnanlint: ignore[no-root]\n": "x = 1\n",
    "x = 1  # tfnanlint: ignore\n": "x = 1\n",
    "x = 1  # tfnanlint: ignore[no-root] as #12 says\n": "x = 1\n",
    "x = 1  # tfnanlint: ignore[no-root]  # noqa\n": "x = 1  # noqa\n",
    "x = 1  # noqa  # tfnanlint: ignore[no-root]\n": "x = 1  # noqa\n",
    "def f():\n    return 1\n    # tfnanlint: ignore\n": "def f():\n    return 1\n    # tfnanlint: ignore\n",
    "# tfnanlint: ignore-file\r\nx = 1\r\n": "x = 1\r\n",
    "x = 1\n  # tfnanlint: ignore-file": "x = 1\n",
    "x = 1  # tfnanlint: ignore[no-root, no-wide] why\n": "x = 1\n",
    "x = 1  # tfnanlint: ignore[no-root, mine] why\n": "x = 1  # tfnanlint: ignore[mine] why\n",
}


@pytest.mark.parametrize(("text", "expected"), REMOVED.items())
def test_the_repair_removes_what_does_nothing_and_no_more(text: str, expected: str) -> None:
    assert repaired(text) == expected


def test_of_several_names_only_the_unused_ones_are_removed() -> None:
    text = "root(x)  # tfnanlint: ignore[no-wide, no-root]\n"
    assert repaired(text, finding(1)) == "root(x)  # tfnanlint: ignore[no-root]\n"


def test_an_ignore_of_a_rule_that_did_not_run_is_not_called_unused() -> None:
    scope = Scope(frozenset({"no-wide"}), NAMES)
    assert heard("x = 1  # tfnanlint: ignore[no-root]\n", scope=scope).findings == []
    assert heard("x = 1  # tfnanlint: ignore\n", scope=scope).findings == []


def test_an_ignore_that_a_pedantic_run_needs_is_not_called_unused() -> None:
    text = "maybe(x)  # tfnanlint: ignore[no-root]\n"
    assert heard(text, pedantic=lambda: [finding(1)]).findings == []
    assert len(heard(text, pedantic=list).findings) == 1


def test_the_pedantic_findings_are_not_asked_for_when_every_ignore_is_used() -> None:
    def never() -> list[Finding]:
        raise AssertionError

    assert heard("root(x)  # tfnanlint: ignore[no-root]\n", finding(1), pedantic=never).findings == []


def test_an_unknown_rule_is_reported_with_the_nearest_name_and_is_not_removed() -> None:
    (found,) = heard("x = 1  # tfnanlint: ignore[no-rot]\n").findings
    assert found.rule == "bad-ignore"
    assert "did you mean `no-root`?" in found.evidence
    assert found.fix is None


@pytest.mark.parametrize(
    "comment",
    [
        "# tfnanlint: ignore[no-root",
        "# tfnanlint: ignore[]",
        "# tfnanlint: ignroe[no-root]",
        "# tfnanlint: noqa",
        "# tfnanlint: disable-next-line",
        "# tfnanlint: disable-next-line=no-root",
        "# tfnanlint: ignore-next-line[no-root]",
        "# tfnanlint: suppress[no-root]",
        "# tfnanlint: silence",
        "# tfnanlint: disable no-root",
        "# noqa: no-root",
        "# noqa: E501, no-root",
    ],
)
def test_a_malformed_ignore_silences_nothing_and_is_reported(comment: str) -> None:
    left = heard(f"root(x)  {comment}\n", finding(1))
    assert [found.rule for found in left.findings] == ["no-root", "bad-ignore"]


def test_a_report_about_ignores_can_be_silenced_by_its_own_name_only() -> None:
    assert heard("x = 1  # tfnanlint: ignore[no-root, unused-ignore]\n").findings == []
    assert len(heard("x = 1  # tfnanlint: ignore\n").findings) == 1


def test_reports_about_ignores_can_be_left_out_of_a_run() -> None:
    scope = Scope(NAMES, NAMES, meta=frozenset({"bad-ignore"}))
    assert heard("x = 1  # tfnanlint: ignore[no-root]\n", scope=scope).findings == []


def test_a_text_that_has_tokens_and_is_no_python_is_an_error() -> None:
    with pytest.raises(SourceError, match="not valid Python"):
        find_pragmas("from a import (b,\nx = f(x)  # tfnanlint: off\n)\n")


BLOCK = "root(x)\n# tfnanlint: off[no-root]\nroot(x)\nroot(x)\n# tfnanlint: on[no-root]\nroot(x)\n"


def lines_left(text: str, *lines: int, rule: str = "no-root") -> list[int]:
    left = heard(text, *(finding(line, rule=rule) for line in lines))
    return [found.line for found in left.findings if found.group != "meta"]


def test_a_block_silences_what_is_found_between_its_comments() -> None:
    assert lines_left(BLOCK, 1, 3, 4, 6) == [1, 6]
    assert lines_left(BLOCK, 1, 3, 4, 6, rule="no-wide") == [1, 3, 4, 6]
    assert [found.rule for found in heard(BLOCK, finding(3)).findings] == []


@pytest.mark.parametrize(
    ("opening", "closing", "left"),
    [
        ("off", "on", [1, 6]),
        ("off[no-root]", "on", [1, 6]),
        ("off", "on[no-root]", [1, 6]),
        ("off[no-root, no-wide]", "on[no-root]", [1, 6]),
        ("off[no-root, no-wide]", "on[no-wide]", [1]),
        ("off[no-root]", "something else", [1]),
    ],
)
def test_a_block_ends_for_the_rules_that_are_turned_on_again(opening: str, closing: str, left: list[int]) -> None:
    text = BLOCK.replace("off[no-root]", opening).replace("on[no-root]", closing)
    assert lines_left(text, 1, 3, 4, 6) == left


def test_what_follows_the_end_of_every_block_is_reported_whatever_is_turned_on_later() -> None:
    text = "# tfnanlint: off[no-root]\nroot(x)\n# tfnanlint: on\nroot(x)\n# tfnanlint: on[no-root]\nroot(x)\n"
    assert lines_left(text, 2, 4, 6) == [4, 6]


def test_a_block_in_vain_is_reported_and_both_its_comments_go() -> None:
    (found,) = heard(BLOCK, finding(1), finding(6)).findings[1:-1]
    assert (found.rule, found.line, found.evidence) == ("unused-ignore", 2, "no `no-root` is found in this block")
    once = repaired(BLOCK)
    assert once == BLOCK.replace("# tfnanlint: off[no-root]\n", "")
    (dangling,) = heard(once).findings
    assert (dangling.line, dangling.evidence) == (4, "`no-root` is not off here")
    assert repaired(once) == "root(x)\n" * 4


def test_an_end_without_a_block_is_reported() -> None:
    assert [found.evidence for found in heard("# tfnanlint: on\n").findings] == ["no rule is off here"]
    text = "# tfnanlint: off[no-root]\nroot(x)\n# tfnanlint: on[no-root, no-wide]\n"
    (found,) = heard(text, finding(2)).findings
    assert found.evidence == "`no-wide` is not off here"
    assert repaired(text, finding(2)).endswith("# tfnanlint: on[no-root]\n")


def test_an_unknown_name_in_a_block_is_reported_once_at_each_comment() -> None:
    text = "# tfnanlint: off[no-rot]\nroot(x)\n# tfnanlint: on[no-rot]\n"
    assert [(found.rule, found.line) for found in heard(text, finding(2)).findings] == [
        ("bad-ignore", 1),
        ("no-root", 2),
        ("bad-ignore", 3),
    ]


# A comment above what it speaks for.


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("# tfnanlint: ignore[no-root]\nroot(x)\n", (2, 2)),
        ("# tfnanlint: ignore\n\n# Why this is so.\nroot(x)\n", (4, 4)),
        ("# tfnanlint: ignore[no-root]\ny = both(\n    1,\n    root(x),\n)\n", (4, 4)),
        ("# tfnanlint: ignore[no-root]\ny = 1 + \\\n    root(x)\n", (3, 3)),
        ("y = both(\n    1,\n    # tfnanlint: ignore[no-root]\n    root(x),\n)\n", (4, 4)),
        ("def f(x):\n    # tfnanlint: ignore[no-root]\n    return root(x)\n", (3, 3)),
    ],
)
def test_a_comment_alone_on_its_line_speaks_for_the_statement_below_and_stays(
    text: str, place: tuple[int, int]
) -> None:
    left = heard(text, finding(*place))
    assert (left.findings, len(left.silenced)) == ([], 1)


def test_a_comment_alone_on_its_line_does_not_speak_for_the_next_but_one_statement() -> None:
    left = heard("# tfnanlint: ignore[no-root]\nx = 1\nroot(x)\n", finding(3))
    assert [(found.rule, found.line) for found in left.findings] == [("unused-ignore", 1), ("no-root", 3)]


def test_a_comment_above_a_statement_is_reported_when_it_does_nothing_and_is_never_removed() -> None:
    text = "def f(x):\n    # tfnanlint: ignore[no-root]\n    return x\n"
    (found,) = heard(text).findings
    assert (found.rule, found.line, found.fix) == ("unused-ignore", 2, None)
    assert found.evidence == "no `no-root` is found in the statement below"
    assert repaired(text) == text


def test_a_comment_behind_the_end_of_a_string_is_none_above_the_next_line() -> None:
    text = "x = '''a\nb'''  # tfnanlint: ignore[no-root]\nroot(x)\n"
    assert [found.rule for found in heard(text, finding(3)).findings] == ["unused-ignore", "no-root"]


# Groups, codes, and what was meant.


WIDER = Scope(NAMES, NAMES, groups={"roots": {"no-root"}, "both": NAMES}, codes={"TFN901": ("no-root",)})


def coded(line: int) -> Finding:
    return replace(finding(line), group="roots", code="TFN901")


@pytest.mark.parametrize("name", ["roots", "TFN901", "no-root"])
@pytest.mark.parametrize("form", ["root(x)  # tfnanlint: ignore[{}]", "# tfnanlint: ignore-file[{}]\nroot(x)"])
def test_a_comment_may_name_a_group_or_a_code(name: str, form: str) -> None:
    text = form.format(name) + "\n"
    line = text.count("\n")
    assert heard(text, coded(line), scope=WIDER).findings == []
    assert [found.rule for found in heard(text, scope=WIDER).findings] == ["unused-ignore"]
    assert heard(text, scope=WIDER._replace(active=frozenset({"no-wide"}))).findings == []


@pytest.mark.parametrize(("opening", "closing"), [("roots", "no-root"), ("no-root", "roots"), ("TFN901", "roots")])
def test_a_block_ends_by_any_name_of_its_rule(opening: str, closing: str) -> None:
    text = f"# tfnanlint: off[{opening}]\nroot(x)\n# tfnanlint: on[{closing}]\nroot(x)\n"
    left = heard(text, coded(2), coded(4), scope=WIDER)
    assert [(found.rule, found.line) for found in left.findings] == [("no-root", 4)]


@pytest.mark.parametrize(
    ("comment", "told"),
    [
        ("# tfnanlint: ignore no-root", "rule names go in brackets: `ignore[no-root]`"),
        ("# tfnanlint: ignore: no-root, no-wide", "rule names go in brackets: `ignore[no-root, no-wide]`"),
        ("# tfnanlint: ignore TFN901 since it is padded", "rule names go in brackets: `ignore[TFN901]`"),
        ("# tfnanlint: ignore-file roots", "rule names go in brackets: `ignore-file[roots]`"),
        ("# tfnanlint ignore", "the colon is missing: `# tfnanlint: ignore`"),
        ("# tfnanlint ignore[no-root]", "the colon is missing: `# tfnanlint: ignore`"),
    ],
)
def test_a_comment_without_its_brackets_or_colon_silences_nothing_and_says_why(comment: str, told: str) -> None:
    left = heard(f"root(x)  {comment}\n", coded(1), scope=WIDER)
    assert [(found.rule, found.evidence) for found in left.findings][1:] == [("bad-ignore", told)]


@pytest.mark.parametrize(
    "comment",
    [
        "# TFNANLINT: IGNORE",
        "# tfnanlint: Ignore[no-root]",
        "# tfnanlint: ignore because x is padded",
        "#tfnanlint :ignore",
    ],
)
def test_letters_may_be_large_and_a_reason_may_follow(comment: str) -> None:
    assert heard(f"root(x)  {comment}\n", finding(1)).findings == []


@pytest.mark.parametrize("comment", ["# tfnanlint ignores it", "# see tfnanlint.org", "# the linter tfnanlint: on it"])
def test_a_sentence_about_the_linter_is_no_comment_for_it(comment: str) -> None:
    assert heard(f"x = 1  {comment}\n").findings == []


@pytest.mark.parametrize(
    "comment",
    [
        "# noqa: TFN901",
        "# noqa:tfn901",
        "# tfnanlint: ignore[tfn901]",
        "# noqa: E501, TFN901",
        "# NOQA: E501 TFN901",
        "# x  # noqa: TFN901",
    ],
)
def test_a_noqa_with_the_code_of_a_rule_silences_it_on_its_line(comment: str) -> None:
    left = heard(f"root(x)  {comment}\nroot(x)\n", coded(1), coded(2), scope=WIDER)
    assert [(found.rule, found.line) for found in left.findings] == [("no-root", 2)]


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("# noqa: TFN901\nroot(x)\n", (2, 2)),
        ("# noqa: E501, TFN901\ny = both(\n    1,\n    root(x),\n)\n", (4, 4)),
        ("y = both(\n    1,\n    # noqa: TFN901\n    root(x),\n)\n", (4, 4)),
    ],
)
def test_a_noqa_alone_on_its_line_speaks_for_the_statement_below_and_is_never_removed(
    text: str, place: tuple[int, int]
) -> None:
    left = heard(text, replace(finding(*place), code="TFN901"), scope=WIDER)
    assert (left.findings, len(left.silenced)) == ([], 1)
    (unused,) = heard(text, scope=WIDER).findings
    assert (unused.rule, unused.fix) == ("unused-ignore", None)


@pytest.mark.parametrize("header", ["def f(x):", "@tf.function\ndef f(x):", "if x:", "class A:"])
def test_a_comment_above_a_block_covers_its_header_only(header: str) -> None:
    text = f"# tfnanlint: ignore[no-root]\n{header}\n    root(x)\n"
    line = text.count("\n")
    left = heard(text, finding(2), finding(line))
    assert [found.line for found in left.findings] == [line]


def test_a_noqa_that_names_a_rule_is_told_the_code_of_it() -> None:
    comment = "# noqa: E501, no-root"
    (found,) = heard(f"root(x)  {comment}\n", scope=WIDER).findings
    assert (found.rule, found.evidence) == ("bad-ignore", "a `noqa` takes codes: `# noqa: TFN901`")


def test_names_without_commas_are_told_so() -> None:
    (found,) = heard("root(x)  # tfnanlint: ignore[no-root no-wide]\n").findings
    assert (found.rule, found.evidence) == (
        "bad-ignore",
        "no rule or group is named `no-root no-wide`; separate names with commas",
    )


@pytest.mark.parametrize("comment", ["# noqa", "# noqa: E501", "# noqa: unused-import", "# type: TFN901"])
def test_a_noqa_for_others_silences_nothing_here(comment: str) -> None:
    assert [found.rule for found in heard(f"root(x)  {comment}\n", coded(1), scope=WIDER).findings] == ["no-root"]


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("x = 1  # noqa: TFN901\n", "x = 1\n"),
        ("x = 1  # noqa: E501, TFN901\n", "x = 1  # noqa: E501\n"),
        ("x = 1  # noqa: TFN901,E501 why\n", "x = 1  # noqa: E501 why\n"),
        ("x = 1  # noqa: TFN901  # type: ignore\n", "x = 1  # type: ignore\n"),
    ],
)
def test_a_code_that_a_noqa_lists_in_vain_is_reported_and_removed(text: str, after: str) -> None:
    (found,) = heard(text, scope=WIDER).findings
    assert found.rule == "unused-ignore"
    assert apply_edits(text, found.fix.edits if found.fix else ()) == after


def test_a_code_that_no_rule_has_is_reported() -> None:
    (found,) = heard("x = 1  # noqa: TFN999\n", scope=WIDER).findings
    assert found.rule == "bad-ignore"


def test_the_message_about_a_comment_says_what_is_wrong_and_no_format_says_it_twice() -> None:
    text = "import tensorflow as tf\ny = x  # tfnanlint ignore\n"
    (found,) = lint_source(text, "a.py")
    reason = "the colon is missing: `# tfnanlint: ignore`"
    assert found.message == f"invalid ignore comment: {reason}"
    assert found.evidence == reason
    for name in ("text", "concise", "github", "gitlab", "rdjson", "markdown"):
        told = "".join(render(name, Report([found], texts={"a.py": text})))
        assert told.count("the colon is missing") == 1, name
