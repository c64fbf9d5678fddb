"""Sources that would take a linter's time or memory without a bound: each is answered, and no answer is a crash."""

from __future__ import annotations

import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from tests.hostile_sources import BEYOND, FOUND, HAZARD, IGNORE, IMPORT, sources
from tfnanlint.cli import main
from tfnanlint.commands import FINDINGS, WRONG
from tfnanlint.finding import Edit, Finding, Fix
from tfnanlint.flow import Node
from tfnanlint.limits import TooLong, processor_time
from tfnanlint.lint import lint_source
from tfnanlint.run import rounds as rounds_module
from tfnanlint.run import single, verdict
from tfnanlint.run.rounds import MOST_APART, Repairs, fix_text
from tfnanlint.run.single import Linter
from tfnanlint.run.text import Linted
from tfnanlint.source import positions
from tfnanlint.source.syntax import module_of
from tfnanlint.source.truncation import MOST_WORDS, analyzed_text
from tfnanlint.suppress.meta import Scope
from tfnanlint.suppress.pragma import Pragma, silence
from tfnanlint.trial.plan import Step
from tfnanlint.trial.run import Run

SOURCES = sources()


@pytest.mark.parametrize("name", SOURCES)
def test_a_source_without_a_bound_is_answered(name: str, tmp_path: Path, monkeypatch: Any, capsys: Any) -> None:
    make, said = SOURCES[name]
    monkeypatch.chdir(tmp_path)
    Path(name).write_text(make())
    if said == FOUND:  # whether it ends is what is tested, and not how fast this machine is
        monkeypatch.setattr(single, "SECONDS", 100.0)
        monkeypatch.setattr(verdict, "COMMENTS", 100.0)
    status = main([name, "--no-cache", "--isolated", "--output-format", "concise"])
    captured = capsys.readouterr()
    assert "internal error" not in captured.err
    assert said in captured.out + captured.err
    if said == FOUND:
        assert status == FINDINGS, captured.err


def test_the_cheap_look_at_a_hostile_text_has_no_bound_and_needs_none(tmp_path: Path, capsys: Any) -> None:
    for name in ("held_open.py", "imports_open.py", "noqas.py"):
        make, said = SOURCES[name]
        (tmp_path / name).write_text(make())
        main([str(tmp_path / name), "--isolated", "--cache-dir", str(tmp_path / "kept"), "--output-format", "concise"])
        assert said in capsys.readouterr().out


def test_a_repair_is_not_compiled_to_learn_that_it_could_be() -> None:
    nested = "".join(f"{' ' * n}try:\n{' ' * n} f(n)\n{' ' * n}finally:\n" for n in range(1, 40))
    text = f"{IMPORT}def g(n):\n{nested}{' ' * 40}f(n)\n\n\nv = 1\n"
    repairs = Repairs(text, "a.py")
    assert repairs.go_on([_replaced(text.count("\n"), "v = 2")])
    assert repairs.text.endswith("\nv = 2\n")


def test_what_stands_within_reach_is_found_and_the_rest_is_named_by_its_line(
    tmp_path: Path, monkeypatch: Any, capsys: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    hazard = "y = tf.math.log(tf.nn.softmax(x))\n"
    Path("a.py").write_text(IMPORT + hazard + "v = 1\n" * MOST_WORDS + hazard)
    assert main(["a.py", "--no-cache", "--isolated", "--output-format", "concise"]) == WRONG
    captured = capsys.readouterr()
    assert [line.split(" ")[0] for line in captured.out.splitlines()] == ["a.py:2:5:"]
    line = int(captured.err.split(":")[1])
    assert captured.err.startswith(f"a.py:{line}:1: {BEYOND} (to line {line - 1}) were linted; split the file")
    assert MOST_WORDS / 3 - 10 < line < MOST_WORDS / 3


def test_a_file_that_is_one_long_statement_is_not_linted(tmp_path: Path, monkeypatch: Any, capsys: Any) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.py").write_text("tensorflow = [\n" + "1,\n" * MOST_WORDS + "]\n")
    assert main(["a.py", "--no-cache", "--isolated"]) == WRONG
    assert capsys.readouterr().err.startswith(
        "a.py:1:1: not linted: no statement ends in the first 60,000 words; split"
    )


def test_a_comment_is_not_called_unused_where_the_rest_of_the_file_was_not_analysed(
    tmp_path: Path, monkeypatch: Any, capsys: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    head, hazard = IMPORT + "# tfnanlint: ignore-file[log-softmax]\n", "y = tf.math.log(tf.nn.softmax(x))\n"
    Path("short.py").write_text(head)
    text = head + "v = 1\n" * MOST_WORDS + hazard
    Path("long.py").write_text(text)
    assert main(["long.py", "short.py", "--no-cache", "--isolated", "--output-format", "concise"]) == WRONG
    assert [line.split(":")[0] for line in capsys.readouterr().out.splitlines()] == ["short.py"]
    assert main(["long.py", "--no-cache", "--isolated", "--fix"]) == WRONG
    assert Path("long.py").read_text() == text


def test_a_text_is_cut_between_statements_only() -> None:
    filler = "v = 1\n" * (MOST_WORDS // 3 - 10)
    for inside in (
        '"""\ntext\nmore\n"""\n',
        "f(\nx,\ny,\n)\n",
        "if a:\n    b\nelse:\n    c\n",
        "@a\n@b\ndef f():\n    pass\n",
    ):
        text = filler + inside * 40
        analyzed = analyzed_text(text)
        assert analyzed.beyond is not None
        compile(analyzed.text, "a.py", "exec")
        assert text.startswith(analyzed.text)
        assert text.count("\n", 0, len(analyzed.text)) == analyzed.beyond - 1
    assert analyzed_text(filler) == (filler, None)
    assert analyzed_text("x = [\n" + "1,\n" * MOST_WORDS + "]\n") == ("", 1)


def test_the_first_findings_of_a_file_are_repaired_before_the_others(
    tmp_path: Path, monkeypatch: Any, capsys: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("tfnanlint.lint.MOST_REPAIRED", 20)
    Path("a.py").write_text(IMPORT + "y = tf.math.log(tf.nn.softmax(x))\n" * 25)
    main(["a.py", "--no-cache", "--isolated"])
    assert "(20 fixable" in capsys.readouterr().out
    main(["a.py", "--no-cache", "--isolated", "--fix", "--quiet"])
    assert "softmax(x))" not in Path("a.py").read_text().replace("log_softmax(x)", "")


@pytest.mark.parametrize("line", ["return.5", "return(lambda: x)"])
def test_what_libcst_does_not_parse_is_told(tmp_path: Path, monkeypatch: Any, capsys: Any, line: str) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.py").write_text(IMPORT + f"def f(x):\n    print(tf.math.log(tf.nn.softmax(x)))\n    {line}\n")
    assert main(["a.py", "--no-cache", "--isolated"]) == WRONG
    assert capsys.readouterr().err == (
        "a.py:1:1: libcst cannot parse this file; put a space behind each keyword such as `return`\n"
    )


@pytest.mark.parametrize(
    "line",
    [
        "n = len(range(10**30))",
        "n = tf.matmul(tf.zeros([300_000_000, 0]), tf.zeros([0, 4]))",
        "n = tf.keras.layers.Conv2D(4, 3, padding='same')(tf.zeros([10000, 10000, 1, 0]))",
        "n = tf.zeros([10**11, 0])",
        f"n = x{'[x' * 60}[0]{']' * 60}",
    ],
)
def test_sizes_and_depths_that_nobody_has_cost_little(tmp_path: Path, monkeypatch: Any, capsys: Any, line: str) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.py").write_text(IMPORT + f"{line}\nprint(tf.norm(n))\ny = tf.math.log(tf.nn.softmax(x))\n")
    main(["a.py", "--no-cache", "--isolated", "--output-format", "concise"])
    assert "a.py:4:5: error (likely) TFN118" in capsys.readouterr().out


def test_many_fixes_of_one_line_take_few_rounds(monkeypatch: Any) -> None:
    monkeypatch.setattr(rounds_module, "REPAIRING", 120.0)  # on the slowest machine, too
    rounds = 0

    def lint(text: str) -> Any:
        nonlocal rounds
        rounds += 1
        return Linted(lint_source(text, "a.py"))

    fixed = fix_text(f"{IMPORT}y = [{', '.join([HAZARD] * 40)}]\n", "a.py", lint)
    assert fixed.count("tf.nn.log_softmax(x)") == 40
    assert rounds <= MOST_APART + 3


def test_a_fix_that_breaks_the_code_is_found_by_halves(monkeypatch: Any) -> None:
    text = "\n".join(["v = 1"] * 256)
    fixes = [_replaced(n + 1, "v = (" if n == 77 else "v = 2") for n in range(256)]
    tests = 0

    def counted(*parts: Any) -> bool:
        nonlocal tests
        tests += 1
        return accepts(*parts)

    accepts = rounds_module._accepts
    monkeypatch.setattr(rounds_module, "_accepts", counted)
    repairs = Repairs(text, "a.py")
    assert repairs.go_on(fixes)
    assert len(repairs.fixed) == 255
    assert [problem.line for problem in repairs.problems] == [78]
    assert tests < 30


def _replaced(line: int, text: str) -> Finding:
    """A finding whose fix replaces the start of a line."""
    fix = Fix("after", text, (Edit("a.py", line, 1, line, 6, text),))
    return Finding("r", "g", "error", "certain", "source", "m", "e", "a.py", line, 1, line, 5, fix=fix)


@pytest.mark.parametrize("name", ["html", "sarif", "text"])
def test_a_report_does_not_repeat_a_long_line_for_each_of_its_findings(
    name: str, tmp_path: Path, monkeypatch: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    sizes = []
    for many in (40, 160):
        Path("a.py").write_text(f"{IMPORT}y = [{', '.join([HAZARD] * many)}]\n")
        main(["a.py", "--no-cache", "--isolated", "--output-format", name, "--output-file", "report", "--quiet"])
        sizes.append(Path("report").stat().st_size)
    assert sizes[1] < 5 * sizes[0]


def test_files_that_import_each_other_are_asked_once_each_for_what_their_comments_may_silence(
    tmp_path: Path, monkeypatch: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    names = [f"m{n}" for n in range(8)]
    for name in names:
        others = "".join(f"from {other} import f as {other}_f\n" for other in names if other != name)
        Path(f"{name}.py").write_text(f"{IMPORT}{others}{IGNORE}def f(x):\n    return {HAZARD}\n")
    asked = []
    lint = Linter.lint

    def counted(self: Linter, path: str, pedantic: bool = False) -> Any:
        if pedantic:
            asked.append(path)
        return lint(self, path, pedantic)

    monkeypatch.setattr(Linter, "lint", counted)
    main([".", "--no-cache", "--isolated", "--quiet", "--jobs", "1"])
    assert sorted(asked) == sorted(set(asked))
    assert len(asked) == len(names)


def test_what_takes_too_long_is_given_up_and_the_next_file_is_linted(
    tmp_path: Path, monkeypatch: Any, capsys: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("a.py", "b.py"):
        Path(name).write_text(IMPORT + "y = tf.math.log(tf.nn.softmax(x))\n")
    lint = Linter._lint

    def lint_or_hang(self: Linter, raw: Any, *rest: Any) -> None:
        if raw.path == "a.py":
            endless()
        lint(self, raw, *rest)

    monkeypatch.setattr(Linter, "_lint", lint_or_hang)
    monkeypatch.setattr("tfnanlint.run.single.SECONDS", 0.1)
    assert main([".", "--no-cache", "--isolated", "--output-format", "concise", "--jobs", "1"]) == WRONG
    captured = capsys.readouterr()
    assert captured.out.startswith("b.py:2:5: ")
    assert captured.err.startswith("a.py: not analysed: it takes more than 0.1 s; split it, or name it in `exclude`\n")


def test_the_bound_of_time_ends_with_what_it_is_for() -> None:
    with processor_time(0.01):
        pass
    assert sum(range(2_000_000))
    with pytest.raises(TooLong), processor_time(0.02):
        endless()


def test_a_bound_of_time_stands_still_within_another() -> None:
    def endless() -> None:
        while True:
            pass

    def bounded() -> None:
        with processor_time(0.5):
            pass
        endless()

    with processor_time(0.2):
        for seconds in (0.02, 0.4):
            with pytest.raises(TooLong), processor_time(seconds):
                endless()
    with pytest.raises(TooLong), processor_time(0.05):
        bounded()


def test_the_bound_of_time_is_told_wherever_it_is_reached_in_laying_out_a_file(monkeypatch: Any) -> None:
    """Not as an internal error about a node whose span is not known yet."""
    text = "def f(x, *, y=(1,)):\n    return [(x + y).z(a=1), {**y}, f'{x!r}']\n"
    written = 0
    add = positions._Recorder.add_token

    def stop(self: Any, value: str) -> None:
        nonlocal written
        written += 1
        if written == last:
            raise TooLong
        add(self, value)

    monkeypatch.setattr(positions._Recorder, "add_token", stop)
    tokens = 0
    for last in range(1, 200):
        written = 0
        try:
            positions.layout_of(module_of(text), text.splitlines(keepends=True))
        except TooLong:
            tokens = last
    assert tokens > 40


def endless() -> None:
    """Compute without an end."""
    while True:
        pass


def test_a_trial_makes_no_array_that_is_far_larger_than_what_it_is_made_of() -> None:
    many = "tf.gather(tf.ones([400, 400]) * x, tf.zeros([400, 400], tf.int32))"
    text = f"{IMPORT}\n\ndef f(x):\n    return 1.0 / tf.norm(tf.nn.relu({many}))\n"
    tracemalloc.start()
    lint_source(text, "many.py")
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 4 * 400**3 / 2  # bytes: what is gathered has 400 ** 3 numbers


def test_a_run_holds_no_more_large_arrays_than_fit() -> None:
    grown = "".join(f"    x = tf.transpose(tf.reshape(x, [-1] + [2] * {n % 20})) / tf.norm(x)\n" for n in range(100))
    tracemalloc.start()
    found = lint_source(f"{IMPORT}\n\ndef f(x, z):\n{grown}    return x + {HAZARD.replace('(x)', '(z)')}\n", "grown.py")
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert [one.rule for one in found] == ["divide-by-norm", "log-softmax"]
    assert most < 3.5e8  # bytes: without a bound they take 7e8


def test_a_trial_makes_no_array_of_long_texts() -> None:
    long = "a" * 100_000
    tracemalloc.start()
    lint_source(f"{IMPORT}y = tf.math.log(tf.nn.softmax(tf.where(x > 0, '{long}', x)))\n", "long.py")
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 100 * len(long)


def test_a_flow_of_many_parts_is_tried_no_further_than_its_budget_goes(monkeypatch: Any) -> None:
    computed = 0
    follow = Run._followed

    def counted(self: Run, node: Node, step: Step) -> Any:
        nonlocal computed
        computed += 1
        return follow(self, node, step)

    monkeypatch.setattr(Run, "_followed", counted)
    monkeypatch.setattr("tfnanlint.trial.verdict.MOST_COMPUTED", 100)
    functions = [f"def f{n}(x):\n    return {n}.0 / tf.norm(tf.nn.relu(x))\n" for n in range(100)]
    found = lint_source(f"{IMPORT}\n\n" + "\n\n".join(functions), "many.py")
    assert found
    assert computed < 1000  # of two flows, the sketch's and that of the whole syntax tree


def test_a_text_is_split_once_for_all_comments_that_do_nothing(monkeypatch: Any) -> None:
    split = 0

    def counted(text: str) -> list[str]:
        nonlocal split
        split += 1
        return text.split("\n")

    monkeypatch.setattr("tfnanlint.suppress.pragma.split_lines", counted)
    left = silence("x = 1\n" + "# tfnanlint: ignore\n" * 500, "a.py", [], Scope(frozenset(), frozenset()), list)
    assert len(left.findings) == 500
    assert split == 1


def test_a_comment_is_compared_with_what_stands_near_it_only(tmp_path: Path, monkeypatch: Any) -> None:
    asked = 0
    speaks_for = Pragma.speaks_for

    def counted(self: Pragma, finding: Finding) -> bool:
        nonlocal asked
        asked += 1
        return speaks_for(self, finding)

    monkeypatch.setattr(Pragma, "speaks_for", counted)
    monkeypatch.chdir(tmp_path)
    Path("a.py").write_text(f"{IMPORT}{IGNORE * 500}" + f"y = {HAZARD}  {IGNORE}" * 500)
    main(["a.py", "--no-cache", "--isolated", "--quiet"])
    assert asked < 20 * 1000
