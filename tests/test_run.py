"""One file and many: what a run finds, what goes wrong without stopping it, and repairs to a fixed point."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import fake_engine
import pytest

import tfnanlint
from tfnanlint.config.settings import Settings
from tfnanlint.errors import SourceError, TfnanlintError
from tfnanlint.finding import Edit, Finding, Fix
from tfnanlint.run import outcome, workers
from tfnanlint.run.many import check_bytes, check_files, lint_paths, lint_source
from tfnanlint.run.outcome import Outcome, Run
from tfnanlint.run.rounds import Repairs, fix_text
from tfnanlint.run.single import Raw
from tfnanlint.run.text import Linted
from tfnanlint.run.workers import Workers

IMPORT = "import tensorflow as tf\n"


@pytest.fixture(autouse=True)
def _engine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    monkeypatch.chdir(tmp_path)
    with fake_engine.installed():
        yield


def fixed(code: str, unsafe: bool = False) -> tuple[str, Outcome]:
    """The text after its repairs, and what came of it."""
    outcome = check_bytes(code.encode(), "a.py", Settings(fix=True, unsafe_fixes=unsafe))
    return (code if outcome.after is None else outcome.after.decode()), outcome


def rules_of(findings: list[Finding]) -> list[str]:
    return [found.rule for found in findings]


def test_the_public_functions_are_there_without_being_loaded() -> None:
    assert tfnanlint.lint_source is lint_source
    assert {"lint_paths", "Finding", "__version__"} <= set(dir(tfnanlint))
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        tfnanlint.nothing  # noqa: B018


def test_linting_a_text_hears_its_ignore_comments() -> None:
    assert rules_of(lint_source(IMPORT + "root(x)\n", "a.py")) == ["no-root"]
    assert lint_source(IMPORT + "root(x)  # tfnanlint: ignore[no-root]\n") == []
    assert rules_of(lint_source(IMPORT + "maybe(x)\n", pedantic=True)) == ["no-maybe"]
    assert lint_source(IMPORT + "maybe(x)  # tfnanlint: ignore[no-maybe]\n") == []


def test_linting_a_text_with_some_rules_calls_no_ignore_of_the_others_unused() -> None:
    rules = fake_engine.load_rules().select(["no-wide"])
    assert lint_source(IMPORT + "root(x)  # tfnanlint: ignore[no-root]\n", rules=rules) == []


def test_linting_a_text_that_is_not_python_raises() -> None:
    with pytest.raises(SourceError, match=r"a\.py:2:"):
        lint_source(IMPORT + "def f(:\n", "a.py")


def test_linting_paths_gives_the_findings_in_order_and_raises_what_went_wrong() -> None:
    Path("b.py").write_text(IMPORT + "root(x)\n")
    Path("a.py").write_text(IMPORT + "\nplain(x)\nroot(x)\n")
    findings = lint_paths(["."])
    assert [(found.path, found.line) for found in findings] == [("a.py", 3), ("a.py", 4), ("b.py", 2)]
    assert rules_of(lint_paths([Path("a.py")], select=["roots"])) == ["no-root"]
    Path("c.py").write_text(IMPORT + "def f(:\n")
    with pytest.raises(SourceError, match=r"c\.py:2:"):
        lint_paths(["."])
    errors: list[TfnanlintError] = []
    assert lint_paths(["gone.py", "."], on_error=errors.append) == findings
    assert [type(error) for error in errors] == [TfnanlintError, SourceError]


def test_repairs_go_on_until_nothing_changes() -> None:
    text, result = fixed(IMPORT + "y = root(root(root(x)))\n")
    assert text == IMPORT + "y = safe_root(safe_root(safe_root(x)))\n"
    assert len(result.fixed) == 3
    assert result.findings == result.problems == []
    assert fixed(text)[0] == text


def test_a_repair_that_would_leave_a_name_without_its_definition_is_not_made() -> None:
    text = IMPORT + "def f(x):\n    p = g(x)\n    return root(x) + p\n"
    dropping = Fix("after", "h(x)", (Edit("a.py", 3, 1, 4, 1, ""), Edit("a.py", 4, 12, 4, 19, "h(x)")))
    finding = Finding("no-root", "calls", "error", "certain", "source", "bad", "", "a.py", 4, 12, 4, 19, fix=dropping)
    repairs = Repairs(text, "a.py")
    assert not repairs.go_on([finding])
    assert repairs.text == text
    assert [problem.message for problem in repairs.problems] == [
        "internal error in rule no-root: the fix would break the code and was not applied"
    ]


def test_unsafe_repairs_are_made_only_when_asked_for() -> None:
    code = IMPORT + "y = wide(x) + root(x)\n"
    text, result = fixed(code)
    assert text == IMPORT + "y = wide(x) + safe_root(x)\n"
    assert rules_of(result.findings) == ["no-wide"]
    assert fixed(code, unsafe=True)[0] == IMPORT + "y = narrow(x) + safe_root(x)\n"


def test_a_repair_that_does_not_compile_is_left_out_and_the_others_are_made() -> None:
    text, result = fixed(IMPORT + "y = root(x)\nz = breaks(x)\nw = root(x)\n")
    assert text == IMPORT + "y = safe_root(x)\nz = breaks(x)\nw = safe_root(x)\n"
    assert rules_of(result.findings) == ["no-breaks"]
    assert [str(problem) for problem in result.problems] == [
        "a.py:3:5: internal error in rule no-breaks: the fix would break the code and was not applied"
    ]


def test_repairs_that_never_come_to_rest_are_not_made_and_the_others_are() -> None:
    code = IMPORT + "y = root(x)\nz = grows(x)\n"
    text, result = fixed(code)
    assert text == code.replace("root(x)", "safe_root(x)")
    assert rules_of(result.findings) == ["no-grows"]
    assert [str(problem) for problem in result.problems] == [
        "a.py: the fixes of no-grows undo each other or never end; none of them was applied"
    ]
    assert fixed(text)[0] == text


def test_repairs_that_bring_out_one_another_are_all_made() -> None:
    code = IMPORT + "".join(f"y = root({number})\n" for number in range(6))
    text = fix_text(code, "a.py", lambda now: Linted(lint_source(now, "a.py")[:1]))
    assert text == code.replace("root", "safe_root")


def test_no_round_of_repairs_begins_when_it_is_late(monkeypatch: pytest.MonkeyPatch) -> None:
    code = IMPORT + "y = root(root(root(x)))\n"
    monkeypatch.setattr(outcome, "REPAIRING", -1.0)
    text, result = fixed(code)
    assert text == code.replace("y = root", "y = safe_root")
    assert rules_of(result.findings) == ["no-root", "no-root"]
    said = "fixing stopped after 6 s, with the fixes made so far; run `--fix` again to continue"
    assert [str(problem) for problem in result.problems] == [f"a.py: {said}"]
    assert fixed(text)[0] == text.replace("(root(root", "(safe_root(root")


def test_repairs_stop_when_a_file_linted_again_for_them_has_had_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    run = Run(Workers({"a.py": Settings(fix=True), "b.py": Settings(fix=True)}))
    monkeypatch.setattr(run._verdicts, "reached_by", lambda path: {"b.py"} if path == "a.py" else set())
    run._take(slow := Raw("b.py"))
    assert not run._is_late("a.py")
    slow.seconds = 2 * outcome.REPAIRING
    run._take(slow)
    assert run._is_late("a.py")


def test_a_file_that_parses_without_being_a_whole_program_is_repaired_too() -> None:
    assert fixed(IMPORT + "y = root(x)\nreturn y\n")[0] == IMPORT + "y = safe_root(x)\nreturn y\n"


ODD_FILES = {
    "byte order mark and carriage returns": b"\xef\xbb\xbfimport tensorflow\r\ny = root(x)\r\n",
    "latin-1": b"# coding: latin-1\nimport tensorflow\ns = '\xe9'; y = root(x)\n",
    "form feed and tabs": b"\x0cimport tensorflow\nif 1:\n\ty = root(x)\x0c\n",
    "lone carriage returns": b"import tensorflow\ry = root(x)\r",
    "no last newline": b"import tensorflow\ny = root(x)",
}


@pytest.mark.parametrize("data", ODD_FILES.values(), ids=ODD_FILES.keys())
def test_outside_the_edit_a_repaired_file_is_the_same_byte_for_byte(data: bytes) -> None:
    outcome = check_bytes(data, "a.py", Settings(fix=True))
    assert outcome.problems == []
    assert outcome.after == data.replace(b"root(x)", b"safe_root(x)")


def test_an_encoding_that_does_not_give_the_same_bytes_back_is_not_repaired() -> None:
    data = b"# coding: utf-7\nimport tensorflow\ny = root(x) # +AGE-\n"
    outcome = check_bytes(data, "a.py", Settings(fix=True))
    assert outcome.after is None
    assert "decoding and encoding it" in str(outcome.problems[0])


def test_unused_ignores_are_removed_by_the_repairs_that_make_them_so() -> None:
    data = (IMPORT + "root(x)\nx = 1  # tfnanlint: ignore[no-root]\n").encode()
    outcome = check_bytes(data, "a.py", Settings(fix=True))
    assert outcome.after == (IMPORT + "safe_root(x)\nx = 1\n").encode()


def test_a_file_that_is_dismissed_at_a_look_still_has_its_ignores_checked() -> None:
    assert check_bytes(b"def f(:\n", "a.py", Settings()).problems == []
    assert rules_of(check_bytes(b"x = 1  # tfnanlint: ignore\n", "a.py", Settings()).findings) == ["unused-ignore"]


def test_only_the_reports_on_ignores_can_be_selected_and_they_know_every_rule() -> None:
    data = (IMPORT + "root(x)\nroot(x)  # tfnanlint: ignore\ny = 1  # tfnanlint: ignore\n").encode()
    outcome = check_bytes(data, "a.py", Settings(select=("unused-ignore",)))
    assert [(found.rule, found.line) for found in outcome.findings] == [("unused-ignore", 4)]
    assert check_bytes(data, "a.py", Settings(select=("roots",))).findings[0].rule == "no-root"


def test_a_rule_that_crashes_is_named_and_the_other_rules_go_on() -> None:
    outcome = check_bytes((IMPORT + "root(x)\ncrash(x)\n").encode(), "a.py", Settings())
    assert rules_of(outcome.findings) == ["no-root"]
    (problem,) = outcome.problems
    assert str(problem) == "a.py: internal error in rule no-crash: ZeroDivisionError: the rule divided by zero"
    assert "fake_engine.py" in problem.traceback


def test_a_crash_that_is_no_rules_fault_is_reported_once(monkeypatch: pytest.MonkeyPatch) -> None:
    def crash(*_: object, **__: object) -> None:
        raise ZeroDivisionError("in the engine")

    monkeypatch.setattr(sys.modules["tfnanlint.lint"], "lint_source", crash)
    outcome = check_bytes(IMPORT.encode(), "a.py", Settings())
    assert [str(problem) for problem in outcome.problems] == ["a.py: internal error: ZeroDivisionError: in the engine"]


def test_too_deep_nesting_is_an_error_of_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    def overflow(*_: object, **__: object) -> None:
        raise RecursionError

    monkeypatch.setattr(sys.modules["tfnanlint.lint"], "lint_source", overflow)
    outcome = check_bytes(IMPORT.encode(), "a.py", Settings())
    assert [str(problem) for problem in outcome.problems] == ["a.py:1:1: nested too deeply to analyse"]


def many(count: int) -> list[tuple[str, Settings]]:
    for number in range(count):
        Path(f"m{number}.py").write_text(IMPORT + "\n" * number + "root(x)\n")
    return [(f"m{number}.py", Settings()) for number in range(count)]


def test_workers_find_what_one_process_finds(monkeypatch: pytest.MonkeyPatch) -> None:
    tasks = many(40)
    alone = {outcome.path: outcome for outcome in check_files(tasks, jobs=1)}
    monkeypatch.setattr(workers, "PATIENCE", -1.0)
    together = {outcome.path: outcome for outcome in check_files(tasks, jobs=2)}
    assert together == alone
    assert len(alone) == 40


def test_no_worker_is_started_for_a_short_run(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: object) -> None:
        raise AssertionError

    monkeypatch.setattr(workers, "PATIENCE", 1e9)
    monkeypatch.setattr(workers.Workers, "_in_workers", never)
    assert len(list(check_files(many(3), jobs=2))) == 3


def test_a_file_that_kills_its_worker_is_named_and_the_others_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "PATIENCE", -1.0)
    tasks = many(6)
    Path("m3.py").write_text(IMPORT + "exit_process\n")
    outcomes = {outcome.path: outcome for outcome in check_files(tasks, jobs=2)}
    assert sorted(outcomes) == [path for path, _ in tasks]
    assert [path for path, outcome in outcomes.items() if outcome.problems] == ["m3.py"]
    assert "died" in str(outcomes["m3.py"].problems[0])
    assert all(rules_of(o.findings) == ["no-root"] for path, o in outcomes.items() if path != "m3.py")


def test_workers_are_gone_when_a_run_is_broken_off(monkeypatch: pytest.MonkeyPatch) -> None:
    import multiprocessing
    from multiprocessing.connection import wait

    monkeypatch.setattr(workers, "PATIENCE", -1.0)
    before = set(multiprocessing.active_children())
    children: set[multiprocessing.process.BaseProcess] = set()

    def break_off() -> None:
        children.update(set(multiprocessing.active_children()) - before)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        list(check_files(many(40), jobs=2, on_linted=break_off))
    assert children
    # `is_alive` may be wrong when another thread has reaped the process; its sentinel is not.
    assert all(wait([worker.sentinel], timeout=30) for worker in children)
