"""The command line as its users meet it: options, streams, exit statuses."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import fake_engine
import pytest
from installed import COMMAND, tfnanlint

from tfnanlint import __version__, cli
from tfnanlint.commands import COMMANDS

IMPORT = "import tensorflow as tf\n"
CLEAN, FINDINGS, WRONG = 0, 1, 2


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every test runs in an empty folder of its own, with the stand-in for rules and engine."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(Path(cli.__file__).parents[1]))
    for name in ("NO_COLOR", "FORCE_COLOR", "TFNANLINT_TRACEBACK"):
        monkeypatch.delenv(name, raising=False)


class Shell:
    """Runs the command line in this process."""

    def __init__(self, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
        self._captured = capfdbinary
        self.status, self.out, self.err = 0, "", ""

    def __call__(self, *arguments: str) -> int:
        try:
            self.status = cli.main(arguments)
        except SystemExit as ended:
            self.status = int(ended.code or 0)
        sys.stdout.flush()
        sys.stderr.flush()
        self.bytes, err = self._captured.readouterr()
        self.out, self.err = self.bytes.decode("utf-8", "replace"), err.decode()
        return self.status


@pytest.fixture
def run(capfdbinary: pytest.CaptureFixture[bytes]) -> Iterator[Shell]:
    with fake_engine.installed():
        yield Shell(capfdbinary)


def write(name: str, code: str) -> Path:
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(code, encoding="utf-8")
    return path


def test_a_clean_file_is_status_0_and_says_how_much_was_checked(run: Shell) -> None:
    write("a.py", "x = 1\n")
    assert run("a.py") == CLEAN
    assert run.out == "No problems found; 1 file checked.\n"
    assert run.err == ""


def test_a_finding_is_status_1_and_is_told_on_standard_output(run: Shell) -> None:
    write("a.py", IMPORT + "y = root(x)\n")
    for arguments in (["check", "a.py"], ["a.py"], [], ["check"]):
        assert run(*arguments) == FINDINGS
        assert run.out.startswith(
            "a.py:2:5: error (certain) no-root: the call is bad\n    2 | y = root(x)\n      |     ^^^^ it is called\n"
        )
        assert run.out.endswith("\n\nFound 1 problem (1 error) in 1 file (1 fixable with --fix); 1 file checked.\n")


def test_a_syntax_error_is_status_2_with_its_position_and_the_other_files_are_checked(run: Shell) -> None:
    write("a.py", IMPORT + "def f(:\n")
    write("b.py", IMPORT + "root(x)\n")
    assert run(".") == WRONG
    assert re.match(r"a\.py:2:\d+: ", run.err)
    assert run.out.startswith("b.py:2:1: error (certain) no-root")
    assert "1 file checked, 1 failed" in run.out


def test_a_path_that_does_not_exist_is_status_2_and_the_others_are_checked(run: Shell) -> None:
    write("a.py", IMPORT + "root(x)\n")
    assert run("gone.py", "a.py") == WRONG
    assert run.err == "gone.py: no such file or folder\n"
    assert "a.py:2:1" in run.out


def test_a_rule_that_crashes_is_status_2_and_named_with_the_file(run: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    write("a.py", IMPORT + "crash(x)\nroot(x)\n")
    assert run("a.py") == WRONG
    assert run.err.startswith("a.py: internal error in rule no-crash: ZeroDivisionError: the rule divided by zero\n")
    assert "no-root" in run.out
    monkeypatch.setenv("TFNANLINT_TRACEBACK", "1")
    run("a.py")
    assert "Traceback (most recent call last)" in run.err


def test_an_empty_folder_is_no_error_but_does_not_claim_to_have_looked(run: Shell) -> None:
    assert run(".") == CLEAN
    assert run.out == "No Python files or notebooks found (or all are excluded).\n0 files checked.\n"


def test_an_option_or_a_command_that_does_not_exist_is_answered_with_the_nearest(run: Shell) -> None:
    assert run("--fixx") == WRONG
    assert run.err == "tfnanlint: unknown option `--fixx`; did you mean `--fix`?\n"
    assert run("config", "--shema=x") == WRONG
    assert "unknown option `--shema`; did you mean `--schema`?" in run.err
    assert run("rules") == WRONG
    assert run.err == "rules: no such file or folder; did you mean `rule`?\n"
    assert run("--no-cache", "rule") == WRONG
    assert run.err == "rule: no such file or folder; the command `rule` comes first: `tfnanlint rule ...`\n"
    assert run.out == "0 files checked.\n"


@pytest.mark.parametrize(
    "arguments",
    [
        ["--no-such-option"],
        ["--unsafe-fixes"],
        ["--diff", "--output-format", "json"],
        ["--diff", "--output-file", "report.json"],
        ["--jobs", "0"],
        ["--jobs", "many"],
        ["--output-format", "xml"],
        ["-", "a.py"],
        ["--stdin-filename", "a.py"],
        ["--config", "a.toml", "--isolated"],
        ["--config", "gone.toml"],
        ["--select", "no-rot"],
        ["--ignore", "meta,rots"],
        ["rule", "no-rot"],
    ],
    ids=" ".join,
)
def test_bad_arguments_are_status_2_with_a_message_and_no_traceback(run: Shell, arguments: list[str]) -> None:
    assert run(*arguments) == WRONG
    assert run.err
    assert "Traceback" not in run.err
    assert run.out == ""


def test_version_and_help_are_status_0(run: Shell) -> None:
    assert (run("--version"), run.out) == (CLEAN, f"tfnanlint {__version__}\n")
    assert (run("rule", "--version"), run.out) == (CLEAN, f"tfnanlint {__version__}\n")
    assert run("-h") == CLEAN
    for command in COMMANDS:
        assert f"tfnanlint {command}" in run.out


def test_the_help_of_a_command_names_its_own_statuses(run: Shell) -> None:
    for command, lints in (("check", True), ("rule", False), ("config", False), ("clean", False)):
        run(command, "--help")
        assert ("1 findings" in run.out) is lints
        assert "2 the run failed" in run.out


def test_select_and_ignore_take_rules_and_groups_in_lists_and_repeated(run: Shell) -> None:
    write("a.py", IMPORT + "root(x)\nwide(x)\nplain(x)\n")

    def found(*arguments: str) -> list[str]:
        run("--output-format", "json", *arguments)
        return [finding["rule"] for finding in json.loads(run.out)]

    assert found() == ["no-root", "no-wide", "no-plain"]
    assert found("--select", "roots,no-wide") == ["no-root", "no-wide"]
    assert found("--select", "roots", "--select", "no-plain") == ["no-root", "no-plain"]
    assert found("--ignore", "roots", "--ignore", "no-wide") == ["no-plain"]
    assert found("--select", "roots,no-wide", "--ignore", "roots") == ["no-wide"]


def test_what_is_merely_possible_is_reported_only_to_the_pedantic(run: Shell) -> None:
    write("a.py", IMPORT + "maybe(x)\n")
    assert run("a.py") == CLEAN
    assert run("--pedantic", "a.py") == FINDINGS


def test_the_nearest_configuration_holds_for_each_file(run: Shell) -> None:
    write("pyproject.toml", '[tool.tfnanlint]\nselect = ["roots"]\nexclude = ["gen"]\n')
    write("inner/tfnanlint.toml", 'ignore = ["roots"]\n')
    for folder in (".", "inner", "gen"):
        write(f"{folder}/a.py", IMPORT + "root(x)\nwide(x)\n")
    run("--output-format", "concise")
    assert [line.split(":")[:2] for line in run.out.splitlines()] == [["a.py", "2"], ["inner/a.py", "3"]]
    run("--output-format", "concise", "--isolated")
    assert len(run.out.splitlines()) == 6
    write("other.toml", 'select = ["no-wide"]\n')
    run("--output-format", "concise", "--config", "other.toml", "a.py")
    assert run.out.startswith("a.py:3:1: error (certain) no-wide")


def test_a_configuration_that_cannot_be_used_is_status_2(run: Shell) -> None:
    write("tfnanlint.toml", 'selct = ["roots"]\n')
    write("a.py", "x = 1\n")
    assert run("a.py") == WRONG
    assert "unknown key `selct`; did you mean `select`?" in run.err


def test_fix_repairs_the_file_and_a_second_run_changes_nothing(run: Shell) -> None:
    path = write("a.py", IMPORT + "y = root(root(x))\n")
    assert run("--fix", "a.py") == CLEAN
    assert path.read_text() == IMPORT + "y = safe_root(safe_root(x))\n"
    assert run.out == "Fixed 2 problems in 1 file.\nNo problems left; 1 file checked.\n"
    assert run("--fix", "a.py") == CLEAN
    assert run.out == "No problems found; 1 file checked.\n"


def test_fix_reports_what_is_left_at_its_new_place(run: Shell) -> None:
    write("a.py", IMPORT + "z = root(x) + plain(x)\nwide(x)\n")
    assert run("--fix", "a.py") == FINDINGS
    assert "a.py:2:20: error (certain) no-plain" in run.out
    assert "    2 | z = safe_root(x) + plain(x)\n" in run.out
    assert "2 problems (2 errors) left in 1 file (1 fixable with --fix --unsafe-fixes)" in run.out
    assert run("--fix", "--unsafe-fixes", "a.py") == FINDINGS
    assert Path("a.py").read_text() == IMPORT + "z = safe_root(x) + plain(x)\nnarrow(x)\n"


def test_a_read_only_file_is_status_2_and_keeps_its_findings(run: Shell) -> None:
    path = write("a.py", IMPORT + "root(x)\n")
    path.chmod(0o444)
    assert run("--fix", "a.py") == WRONG
    assert run.err == "a.py: not fixed: the file is read-only\n"
    assert "a.py:2:1: error (certain) no-root" in run.out
    assert "Fixed" not in run.out
    assert path.read_text() == IMPORT + "root(x)\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o444


def test_diff_prints_a_patch_that_git_applies_and_writes_nothing(run: Shell) -> None:
    path = write("sub/a.py", IMPORT + "y = root(x)\nwide(x)")
    before = path.read_bytes()
    assert run("--diff") == FINDINGS
    assert path.read_bytes() == before
    assert run.out.startswith("--- a/sub/a.py\n+++ b/sub/a.py\n")
    assert run.err.startswith("Would fix 1 problem in 1 file.\n1 problem (1 error) would be left in 1 file")
    patch = run.bytes
    subprocess.run(["git", "init", "-q"], check=True)
    subprocess.run(["git", "apply", "-"], input=patch, check=True)
    assert path.read_text() == IMPORT + "y = safe_root(x)\nwide(x)"
    assert run("--diff", "--unsafe-fixes", "--fix") == FINDINGS
    assert "+narrow(x)\n" in run.out
    assert path.read_text() == IMPORT + "y = safe_root(x)\nwide(x)"


def test_a_diff_of_nothing_is_status_0(run: Shell) -> None:
    write("a.py", "x = 1\n")
    assert (run("--diff"), run.out) == (CLEAN, "")


def feed(monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    reading, writing = os.pipe()
    os.write(writing, data)
    os.close(writing)
    monkeypatch.setattr(sys, "stdin", os.fdopen(reading, encoding="ascii"))


def test_standard_input_is_linted_under_its_name(run: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    write("sub/tfnanlint.toml", 'ignore = ["roots"]\n')
    code = (IMPORT + "s = 'é'; root(x)\n").encode()
    feed(monkeypatch, code)
    assert run("-") == FINDINGS
    assert "<stdin>:2:10: error (certain) no-root" in run.out
    assert "    2 | s = 'é'; root(x)\n" in run.out
    feed(monkeypatch, code)
    assert run("-", "--stdin-filename", "sub/a.py") == CLEAN
    feed(monkeypatch, IMPORT.encode() + b"def f(:\n")
    assert run("-", "--stdin-filename", "b.py") == WRONG
    assert run.err.startswith("b.py:2:")


def test_with_fix_the_repaired_standard_input_goes_to_standard_output_and_the_report_does_not(
    run: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    feed(monkeypatch, b"\xef\xbb\xbfimport tensorflow\r\nroot(x)\r\nwide(x)\r\n")
    assert run("-", "--fix") == FINDINGS
    assert run.bytes == b"\xef\xbb\xbfimport tensorflow\r\nsafe_root(x)\r\nwide(x)\r\n"
    assert "<stdin>:3:1: error (certain) no-wide" in run.err
    for unchanged in (b"x = 1", b"import tensorflow\ndef f(:\n", b"\xff\0"):
        feed(monkeypatch, unchanged)
        run("-", "--fix")
        assert run.bytes == unchanged
    feed(monkeypatch, b"import tensorflow\nroot(x)\n")
    assert run("-", "--diff", "--stdin-filename", "a.py") == FINDINGS
    assert run.out.startswith("--- a/a.py\n+++ b/a.py\n")


def test_an_excluded_name_leaves_standard_input_alone_when_that_is_enforced(
    run: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    write("tfnanlint.toml", 'exclude = ["gen.py"]\n')
    feed(monkeypatch, b"import tensorflow\nroot(x)\n")
    assert run("-", "--fix", "--force-exclude", "--stdin-filename", "gen.py") == CLEAN
    assert run.bytes == b"import tensorflow\nroot(x)\n"


def test_json_is_alone_on_standard_output_sorted_by_path_and_position(run: Shell) -> None:
    write("b.py", IMPORT + "root(x)\n")
    write("a.py", IMPORT + "\nwide(root(x))\nroot(x)\n")
    assert run("--output-format", "json") == FINDINGS
    places = [(found["path"], found["line"], found["column"]) for found in json.loads(run.out)]
    assert places == [("a.py", 3, 1), ("a.py", 3, 6), ("a.py", 4, 1), ("b.py", 2, 1)]
    assert "Found 4 problems (" in run.err


def test_paths_outside_the_working_directory_are_absolute(
    run: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write("elsewhere.py", IMPORT + "root(x)\n")
    (tmp_path / "inside").mkdir()
    monkeypatch.chdir("inside")
    run("--output-format", "json", "../elsewhere.py")
    assert json.loads(run.out)[0]["path"] == str(tmp_path / "elsewhere.py")


def test_a_report_can_go_to_a_file(run: Shell) -> None:
    write("a.py", IMPORT + "root(x)\n")
    assert run("--output-format", "json", "--output-file", "report.json") == FINDINGS
    assert json.loads(Path("report.json").read_text())[0]["rule"] == "no-root"
    assert run.out == ""
    assert run("--output-file", "no/such/folder.txt") == WRONG
    assert "no/such/folder.txt: cannot write the file: no such file or directory" in run.err


def test_what_users_of_other_linters_say_is_understood(run: Shell) -> None:
    write("a.py", IMPORT + "root(x)\n")
    assert run("lint", "a.py") == FINDINGS
    assert run("fix", "a.py") == CLEAN
    assert Path("a.py").read_text() == IMPORT + "safe_root(x)\n"
    assert run("rule", "NO-ROTO") == WRONG
    assert "did you mean `no-root`?" in run.err


def test_a_report_does_not_replace_code(run: Shell) -> None:
    write("a.py", IMPORT + "root(x)\n")
    assert run("--output-file", "a.py", "a.py") == WRONG
    assert "a.py: not written: a report would replace code; choose another ending" in run.err
    assert Path("a.py").read_text() == IMPORT + "root(x)\n"


def test_exit_zero_hides_findings_but_not_what_went_wrong(run: Shell) -> None:
    write("a.py", IMPORT + "root(x)\n")
    assert run("--exit-zero") == CLEAN
    assert "no-root" in run.out
    assert run("--exit-zero", "gone.py") == WRONG


def test_quiet_prints_findings_and_nothing_else(run: Shell) -> None:
    write("a.py", IMPORT + "root(x)\n")
    run("--quiet", "--output-format", "concise")
    assert run.out == "a.py:2:1: error (certain) no-root: the call is bad [fix: adds a guard]\n"
    assert run.err == ""
    assert (run("--quiet", "--fix"), run.out, run.err) == (CLEAN, "", "")


def test_statistics_count_the_findings_of_each_rule(run: Shell) -> None:
    write("a.py", IMPORT + "root(x)\nroot(x)\nplain(x)\n")
    run("--statistics")
    assert "    2  no-root   (2 with a fix)\n    1  no-plain  (0 with a fix)\n" in run.out


def test_show_files_lists_what_would_be_linted_and_lints_nothing(run: Shell) -> None:
    write("b/a.py", IMPORT + "root(x)\n")
    write("a.pyi", "")
    assert (run("--show-files"), run.out, run.err) == (CLEAN, "a.pyi\nb/a.py\n", "")
    assert run("--show-files", "--exclude", "b", ".", "gone") == WRONG
    assert (run.out, run.err) == ("a.pyi\n", "gone: no such file or folder\n")


def test_colour_is_for_terminals_and_those_who_ask(run: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    write("a.py", IMPORT + "root(x)\n")
    run("--color", "always")
    assert "\x1b[" in run.out
    for arguments in (["--color", "auto"], ["--color", "never"]):
        run(*arguments)
        assert "\x1b[" not in run.out
    monkeypatch.setattr(type(sys.stdout), "isatty", lambda _: True, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    run("--quiet")
    assert "\x1b[" in run.out
    for name, value in (("NO_COLOR", "1"), ("TERM", "dumb")):
        with monkeypatch.context() as context:
            context.setenv(name, value)
            run("--quiet")
            assert "\x1b[" not in run.out


def test_colour_can_be_asked_for_by_the_environment_and_no_color_wins(
    run: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    write("a.py", IMPORT + "root(x)\n")
    monkeypatch.setenv("FORCE_COLOR", "1")
    run("a.py")
    assert "\x1b[" in run.out
    run("a.py", "--color", "never")
    assert "\x1b[" not in run.out
    run("a.py", "--output-file", "report.txt")
    assert "\x1b[" not in Path("report.txt").read_text()
    monkeypatch.setenv("NO_COLOR", "1")
    run("a.py")
    assert "\x1b[" not in run.out


def test_unused_ignores_are_reported_and_removed(run: Shell) -> None:
    path = write("a.py", IMPORT + "root(x)  # tfnanlint: ignore[no-root]\ny = 1  # tfnanlint: ignore[no-root]\n")
    assert run("a.py") == FINDINGS
    assert run.out.startswith("a.py:3:8: warning (certain) TFN001 unused-ignore: ")
    assert run("--ignore", "unused-ignore", "a.py") == CLEAN
    assert run("--fix", "a.py") == CLEAN
    assert path.read_text() == IMPORT + "root(x)  # tfnanlint: ignore[no-root]\ny = 1\n"


def test_rules_are_listed_by_group_and_explained_by_name(run: Shell) -> None:
    assert run("rule") == CLEAN
    assert "roots:\n          no-root        the call is bad\n" in run.out
    assert "meta:\n" in run.out
    assert run("rule", "no-root") == CLEAN
    assert run.out.startswith("# no-root\n\nThe call is bad.\n\nNobody should call it.\n")
    assert run.out.endswith("## Reported\n\n```python\nx\n```\n")
    assert run("rule", "roots") == CLEAN
    assert run.out == "roots:\n  no-root  the call is bad\n"
    assert run("rule", "unused-ignore") == CLEAN
    assert run.out.startswith("# unused-ignore (TFN001)\n")
    assert run("rule", "no-rot") == WRONG
    assert run.err == "tfnanlint: no rule or group is named `no-rot`; did you mean `no-root`?\n"


def test_rules_are_searched_by_words_and_told_as_json(run: Shell) -> None:
    assert run("rule", "--search", "ROOT") == CLEAN
    assert run.out == "roots:\n  no-root  the call is bad\n"
    assert run("rule", "--search", "root", "--search", "moonshine") == CLEAN
    assert run.err == "no rule contains `root` and `moonshine`\n"
    assert run.out == ""
    assert run("rule", "no-root", "--output-format", "json") == CLEAN
    (told,) = json.loads(run.out)
    assert (told["rule"], told["group"], told["severity"]) == ("no-root", "roots", "error")
    assert told["modes"] == ["eager", "graph"]


def test_own_rules_are_found_through_the_configuration(run: Shell) -> None:
    write("lint_rules/own-rule.py", "")
    write("tfnanlint.toml", 'rules = ["lint_rules"]\n')
    run("rule")
    assert "own-rule" in run.out
    run("rule", "--isolated")
    assert "own-rule" not in run.out
    assert run("--select", "own-rule", ".") == CLEAN
    assert run("--select", "own-rule", "--isolated", ".") == WRONG


def test_an_interrupt_is_status_130_without_a_traceback(run: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(sys.modules["tfnanlint.lint"], "lint_source", interrupted)
    path = write("a.py", IMPORT + "root(x)\n")
    handler = signal.getsignal(signal.SIGINT)
    try:
        assert run("--fix", "a.py") == 130
    finally:
        signal.signal(signal.SIGINT, handler)
    assert run.err == "tfnanlint: interrupted\n"
    assert path.read_text() == IMPORT + "root(x)\n"


def test_the_program_runs_as_a_module_with_the_real_rules() -> None:
    write("a.py", "x = 1\n")
    done = tfnanlint("a.py")
    assert (done.returncode, done.stdout, done.stderr) == (CLEAN, "No problems found; 1 file checked.\n", "")
    write("b.py", "import tensorflow as tf\nx = tf.math.log(\n")
    done = tfnanlint("b.py")
    assert done.returncode == WRONG
    assert done.stderr.startswith("b.py:2:")
    names = tfnanlint("rule").stdout
    assert names.count("\n") > 5


def test_a_reader_that_goes_away_is_no_crash() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-m", "tfnanlint", "rule"]
    done = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, text=True, check=False)
    os.close(writing)
    assert (done.returncode, done.stderr) == (141, "")


OWN_RULE = '''"""the log of a softmax is -inf for a class that has no chance."""
import tensorflow as tf


def before(x=(200.0, 0.0)):
    return tf.math.log(tf.nn.softmax(x))


def after(x):
    return tf.nn.log_softmax(x)
'''


def test_a_project_with_a_rule_of_its_own_is_linted_and_repaired_by_the_real_program() -> None:
    write("lint_rules/own/no-chance.py", OWN_RULE)
    write("pyproject.toml", '[tool.tfnanlint]\nrules = ["lint_rules"]\nselect = ["own"]\nexclude = ["lint_rules"]\n')
    lines = "import tensorflow as tf\n\ndef f(y):\n    return tf.math.log(tf.nn.softmax(y + 1.0))  # why\n"
    path = write("pkg/model.py", lines)
    done = tfnanlint()
    assert done.returncode == FINDINGS
    told = "pkg/model.py:4:12: error (likely) no-chance: the log of a softmax is -inf for a class that has no chance\n"
    assert done.stdout.startswith(told)
    assert "   fix (equivalent): tf.nn.log_softmax(y + 1.0)\n" in done.stdout
    assert tfnanlint("--output-format", "json", "--exit-zero").returncode == CLEAN
    patch = tfnanlint("--diff").stdout
    taken = "-    return tf.math.log(tf.nn.softmax(y + 1.0))  # why\n+    return tf.nn.log_softmax(y + 1.0)  # why\n"
    assert taken in patch
    assert tfnanlint("--fix").returncode == CLEAN
    assert path.read_text().endswith("    return tf.nn.log_softmax(y + 1.0)  # why\n")
    assert tfnanlint().returncode == CLEAN


def test_a_rule_file_that_breaks_the_form_is_status_2_and_named() -> None:
    write("lint_rules/own/odd.py", "x = 1\n")
    write("tfnanlint.toml", 'rules = ["lint_rules"]\n')
    write("a.py", "x = 1\n")
    done = tfnanlint("a.py")
    assert done.returncode == WRONG
    assert "lint_rules/own/odd.py" in done.stderr
    assert "Traceback" not in done.stderr


ATTEMPTS = 30
"""How often Control-C is pressed before the program counts as deaf to it."""


def opened_for_writing(pipe: str, reader: subprocess.Popen[str]) -> int:
    """The other end of a pipe, once the reader has opened its own and waits."""
    while True:
        try:
            return os.open(pipe, os.O_WRONLY | os.O_NONBLOCK)
        except OSError:
            with contextlib.suppress(subprocess.TimeoutExpired):
                reader.wait(timeout=0.05)
                pytest.fail(f"the program ended early: {reader.stderr and reader.stderr.read()}")


HELD = """
import os, sys

def wait(event, arguments):
    if event == "open" and str(arguments[0]).endswith("held.py"):
        os.read(os.open(PIPE, os.O_RDONLY), 1)

sys.addaudithook(wait)
"""
"""Holds the program where it opens `held.py`, until something comes through the pipe."""


@pytest.fixture
def deaf() -> Iterator[None]:
    """Tests in the background of a script: Control-C is ignored, as it is then in every program they start."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("deaf", "interruptible")
def test_a_program_hears_control_c_where_the_tests_run_in_the_background() -> None:
    code = "import signal; print(signal.getsignal(signal.SIGINT) is signal.default_int_handler)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "True\n"


@pytest.mark.usefixtures("interruptible")
@pytest.mark.parametrize("options", [(), ("--fix",), ("--add-ignores",)], ids=" ".join)
@pytest.mark.parametrize(
    ("kind", "status", "said"),
    [(signal.SIGINT, 130, "tfnanlint: interrupted\n"), (signal.SIGTERM, 128 + signal.SIGTERM, "")],
    ids=["an interrupt", "a request to end"],
)
def test_the_real_program_ends_without_a_traceback_or_a_half_written_file(
    options: tuple[str, ...], kind: int, status: int, said: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    aside = tmp_path_factory.mktemp("aside")
    pipe = str(aside / "pipe")
    os.mkfifo(pipe)
    (aside / "sitecustomize.py").write_text(f"PIPE = {pipe!r}\n{HELD}")
    text = IMPORT + "y = tf.math.log(tf.nn.softmax(x))\n"
    write("a.py", text)
    write("held.py", text)
    paths = os.pathsep.join(filter(None, (str(aside), os.environ.get("PYTHONPATH"))))
    command = [*COMMAND, "a.py", "held.py", "--jobs", "1", "--no-cache", *options]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": paths}
    ) as running:
        writing = opened_for_writing(pipe, running)
        try:
            # One that comes between the program's open and its read is seen only after the next.
            for _ in range(ATTEMPTS):
                running.send_signal(kind)
                with contextlib.suppress(subprocess.TimeoutExpired):
                    running.wait(timeout=2)
                    break
        finally:
            os.close(writing)
            if running.poll() is None:
                running.kill()
        _, errors = running.communicate()
    assert running.returncode == status
    assert errors == said
    assert Path("a.py").read_text() == text
    assert sorted(os.listdir()) == ["a.py", "held.py"]


BUSY = """
import os
from tfnanlint.run.workers import Workers, as_completed, _ProcessPool

if {starting}:
    os.register_at_fork(after_in_child=lambda: os.read({pipe}, 1))
with Workers({}, 2) as workers:
    workers._pool = _ProcessPool(1, {})
    waiting = workers._pool.executor.submit(os.read, {pipe}, 1)
    print("ready", flush=True)
    next(as_completed([waiting]))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows ends a process without asking it")
@pytest.mark.parametrize(
    ("kind", "starting", "status"),
    [
        (signal.SIGTERM, False, 128 + signal.SIGTERM),
        (signal.SIGTERM, True, 128 + signal.SIGTERM),
        (signal.SIGKILL, False, -signal.SIGKILL),
    ],
    ids=["asked to end", "asked to end at once", "killed"],
)
def test_the_end_of_a_run_ends_the_workers_too(kind: int, starting: bool, status: int) -> None:
    """Also a worker that has just been forked, in whose hooks Python drops what a signal's handler raises."""
    reading, writing = os.pipe()
    code = BUSY.replace("{pipe}", str(reading)).replace("{starting}", str(starting))
    command = [sys.executable, "-c", code]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, pass_fds=[reading, writing]) as running:
        try:
            assert running.stdout is not None
            assert running.stdout.readline() == "ready\n"
            running.send_signal(kind)
            running.communicate(timeout=60)  # it returns when nobody holds the pipe any more
        finally:
            os.close(writing)
            os.close(reading)
            running.kill()
    assert running.returncode == status


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="a full device exists on Linux only")
def test_a_run_fails_that_nobody_can_hear_of() -> None:
    write("a.py", IMPORT + "y = tf.math.log(tf.nn.softmax(x))\n")
    with open("/dev/full", "w") as full:
        assert subprocess.run([*COMMAND, "a.py"], stdout=full, stderr=full, check=False).returncode == WRONG


def test_a_working_directory_that_is_gone_is_told(tmp_path: Path) -> None:
    code = "import os, sys, tfnanlint.cli; os.rmdir(os.getcwd()); sys.exit(tfnanlint.cli.main(['a.py', '--no-cache']))"
    (tmp_path / "gone").mkdir()
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path / "gone", capture_output=True, text=True, check=False
    )
    assert done.returncode == WRONG
    assert done.stderr == "tfnanlint: the working directory does not exist any more: change to one that does\n"


def test_numpy_gets_one_thread_unless_the_user_says_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    first, *others = cli.SINGLE_THREADED
    monkeypatch.setenv(first, "3")
    for name in others:
        monkeypatch.delenv(name, raising=False)
    write("a.py", IMPORT)
    assert cli.main(["a.py", "--no-cache"]) == 0
    assert [os.environ[name] for name in cli.SINGLE_THREADED] == ["3", *("1" for _ in others)]


def test_a_closed_standard_input_is_told(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    assert cli.main(["check", "-"]) == WRONG
    assert capsys.readouterr().err == "tfnanlint: `-` is standard input, which is closed; name a file instead\n"


@pytest.mark.usefixtures("interruptible")
@pytest.mark.tensorflow
def test_control_c_ends_a_graph_run_and_what_it_has_started() -> None:
    os.mkfifo("pipe")
    write("slow.py", "open('pipe').read()\ndef f(x):\n    return x\n")
    command = [*COMMAND, "graph", "slow.py:f", "--input-spec", "float32[2]"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
        writing = opened_for_writing("pipe", running)
        try:
            running.send_signal(signal.SIGINT)
            _, errors = running.communicate(timeout=60)
            assert running.returncode == 130
            assert errors == "tfnanlint: interrupted while importing, tracing or reading slow.py:f\n"
            with pytest.raises(BrokenPipeError):
                os.write(writing, b"nobody reads it any more")
        finally:
            os.close(writing)
            if running.poll() is None:
                running.kill()
