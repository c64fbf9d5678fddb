"""An old program held to the rules from today on: baselines, comparisons with a revision, comments that are written."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook
from shell import Shell

from tfnanlint.errors import SourceError
from tfnanlint.finding import Finding
from tfnanlint.suppress.ignores import with_ignores

IMPORT = "import tensorflow as tf\n"
LOG = "y = tf.math.log(tf.nn.softmax(x))\n"
SIGMOID = "z = tf.math.log(1.0 - tf.sigmoid(x))\n"


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shell:
    monkeypatch.chdir(tmp_path)
    for name in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{name}_NAME", "a")
        monkeypatch.setenv(f"GIT_{name}_EMAIL", "a@example.org")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", "/dev/null")
    return Shell(capsys, "--isolated")


def write(name: str, text: str) -> Path:
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


# Baselines.


def test_what_a_baseline_holds_is_not_reported_wherever_it_moves_to(run: Shell) -> None:
    write("a.py", IMPORT + LOG)
    assert run("--write-baseline", "known.json") == 0
    assert "Wrote 1 finding to known.json." in run.out
    assert run("--baseline", "known.json") == 0
    write("a.py", "# moved\n\n" + IMPORT + "\nif True:\n    " + LOG)
    assert run("--baseline", "known.json") == 0
    write("a.py", IMPORT + LOG + SIGMOID)
    assert run.places("--baseline", "known.json") == [("a.py", 3)]


def test_of_equal_findings_as_many_are_known_as_there_were(run: Shell) -> None:
    write("a.py", IMPORT + LOG + LOG)
    run("--write-baseline", "known.json")
    write("a.py", IMPORT + LOG + LOG + LOG)
    assert run.places("--baseline", "known.json") == [("a.py", 4)]


def test_a_baseline_is_by_file_relative_to_itself_and_the_same_every_time(run: Shell) -> None:
    write("src/a.py", IMPORT + LOG + SIGMOID)
    write("src/b.py", IMPORT + LOG)
    run("--write-baseline", "ci/known.json")
    assert run.err == "tfnanlint: ci/known.json: cannot write the file: no such file or directory\n"
    Path("ci").mkdir()
    run("--write-baseline", "ci/known.json")
    once = Path("ci/known.json").read_bytes()
    entries = json.loads(once)["findings"]
    assert [entry["path"] for entry in entries] == ["../src/a.py", "../src/a.py", "../src/b.py"]
    assert entries[2]["code"] == "tf.math.log(tf.nn.softmax(x))"
    run("--write-baseline", "ci/known.json", "--jobs", "1")
    assert Path("ci/known.json").read_bytes() == once


def test_writing_a_baseline_for_a_part_keeps_the_rest(run: Shell) -> None:
    write("a.py", IMPORT + LOG)
    write("b.py", IMPORT + LOG)
    write("gone.py", IMPORT + LOG)
    run("--write-baseline", "known.json")
    Path("gone.py").unlink()
    write("a.py", IMPORT + SIGMOID)
    run("a.py", "--write-baseline", "known.json")
    assert [entry["path"] for entry in json.loads(Path("known.json").read_text())["findings"]] == ["a.py", "b.py"]
    assert run("--baseline", "known.json") == 0


def test_writing_a_baseline_for_some_rules_keeps_the_entries_of_the_others(run: Shell) -> None:
    write("a.py", IMPORT + LOG + SIGMOID)
    run("--write-baseline", "known.json")
    assert run.out.endswith("Wrote 2 findings to known.json.\n1 file checked.\n")
    write("a.py", IMPORT + SIGMOID)
    run("--write-baseline", "known.json", "--select", "log-one-minus-sigmoid")
    assert "Wrote 2 findings to known.json, including 1 that this run left out.\n" in run.out
    assert [entry["rule"] for entry in json.loads(Path("known.json").read_text())["findings"]] == [
        "log-one-minus-sigmoid",
        "log-softmax",
    ]
    run("--write-baseline", "known.json")
    assert len(json.loads(Path("known.json").read_text())["findings"]) == 1


def test_what_is_gone_from_the_program_is_told(run: Shell) -> None:
    write("a.py", IMPORT + LOG + SIGMOID)
    write("b.py", IMPORT + LOG)
    run("--write-baseline", "known.json")
    write("a.py", IMPORT)
    assert run("a.py", "--baseline", "known.json") == 0
    assert "2 findings in the baseline no longer exist; --write-baseline removes them." in run.out
    run("a.py", "--baseline", "known.json", "--select", "norm")
    assert "no longer exist" not in run.out


def test_writing_a_baseline_of_certain_findings_keeps_the_others(run: Shell) -> None:
    write("a.py", IMPORT + LOG + "\n\ndef grow(x: tf.Tensor) -> tf.Tensor:\n    return tf.math.log(tf.nn.relu(x))\n")
    run("--write-baseline", "known.json")
    once = json.loads(Path("known.json").read_text())
    assert len(once["findings"]) == 2
    run("--write-baseline", "known.json", "--min-certainty", "certain")
    assert "that this run left out" in run.out
    assert json.loads(Path("known.json").read_text()) == once
    run("--baseline", "known.json", "--min-certainty", "certain")
    assert "no longer exist" not in run.out


@pytest.mark.parametrize(
    "content",
    ["", "[]", "{}", '{"version": 1}', '{"version": 1, "findings": [3]}', '{"version": 1, "findings": [{"path": "a"}]}',
     '{"version": 1, "findings": [{"path": 1, "rule": "a", "code": "b"}]}', "[" * 100_000,
     '{"version": 1, "findings": [{"path": "a", "rule": "a", "code": "b", "count": "c"}]}'],
)  # fmt: skip
def test_what_is_no_baseline_is_told_so(content: str, run: Shell) -> None:
    write("known.json", content)
    assert run("--baseline", "known.json") == 2
    assert run.err == "tfnanlint: known.json: not a baseline file; create one with --write-baseline\n"


def test_a_baseline_of_a_later_version_or_none_at_all_is_an_error(run: Shell) -> None:
    write("known.json", '{"version": 2, "findings": []}')
    assert run("--baseline", "known.json") == 2
    assert "a baseline of version 2; write it again with --write-baseline" in run.err
    assert run("--baseline", "gone.json") == 2
    assert "gone.json: cannot read the file: no such file or directory" in run.err


def test_a_baseline_holds_notebooks_too(run: Shell) -> None:
    nbformat.write(new_notebook(cells=[new_code_cell(IMPORT), new_code_cell(LOG)]), "a.ipynb")
    assert run("--write-baseline", "known.json") == 0
    cells = [new_code_cell(IMPORT), new_code_cell("a = 1"), new_code_cell("\n" + LOG), new_code_cell(SIGMOID)]
    nbformat.write(new_notebook(cells=cells), "a.ipynb")
    assert run.places("--baseline", "known.json") == [("a.ipynb", 1)]


@pytest.mark.parametrize("other", ["--fix", "--diff", "--add-ignores", "--baseline=known.json", "--changed-since=HEAD"])
def test_options_that_do_not_go_together_are_an_error(other: str, run: Shell) -> None:
    assert run("--write-baseline", "known.json", other) == 2
    assert not Path("known.json").exists()


# Since a revision.


def git(*arguments: str) -> None:
    subprocess.run(["git", *arguments], check=True, capture_output=True)


def commit(message: str = "m") -> None:
    git("add", "-A")
    git("commit", "-q", "-m", message)


def test_only_what_is_new_since_a_revision_is_reported(run: Shell) -> None:
    git("init", "-q", "-b", "main")
    write("a.py", IMPORT + LOG)
    write("b.py", IMPORT + LOG)
    write("sub/c.py", IMPORT + LOG + "# of its own\n")
    commit()
    assert run("--changed-since", "HEAD") == 0
    assert "0 files checked" in run.out
    write("a.py", "# moved\n" + IMPORT + LOG + SIGMOID)
    write("new one.py", IMPORT + LOG)
    git("mv", "sub/c.py", "sub/d.py")
    assert run.places("--changed-since", "HEAD") == [("a.py", 4), ("new one.py", 2)]
    commit()
    assert run("--changed-since", "HEAD") == 0
    assert run.places("--changed-since", "HEAD~1") == [("a.py", 4), ("new one.py", 2)]
    assert run.places("sub", "--changed-since", "HEAD~1") == []


def test_a_part_of_a_repository_may_be_reached_through_a_link(run: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    write("real/src/a.py", IMPORT + LOG)
    write("real/b.py", IMPORT + LOG)
    git("-C", "real", "init", "-q")
    git("-C", "real", "add", "-A")
    git("-C", "real", "commit", "-q", "-m", "m")
    Path("link").symlink_to("real")
    for path in ("real/src/a.py", "real/b.py"):
        write(path, IMPORT + LOG + SIGMOID)
    monkeypatch.chdir("link/src")
    assert run.places("--changed-since", "HEAD") == [("a.py", 3)]
    assert [Path(path).name for path, _ in run.places("..", "--changed-since", "HEAD")] == ["b.py", "a.py"]


def test_a_hazard_that_a_change_elsewhere_brings_about_is_new(run: Shell) -> None:
    git("init", "-q")
    write("a.py", IMPORT + "p = tf.nn.softmax(x) + 1e-3\ny = tf.math.log(p)\n")
    commit()
    write("a.py", IMPORT + "p = tf.nn.softmax(x)\ny = tf.math.log(p)\n")
    assert run.places("--changed-since", "HEAD") == [("a.py", 3)]


def test_what_the_other_branch_has_done_meanwhile_is_not_counted(run: Shell) -> None:
    git("init", "-q", "-b", "main")
    write("a.py", IMPORT + LOG)
    commit()
    git("checkout", "-q", "-b", "mine")
    write("b.py", IMPORT + SIGMOID)
    commit()
    git("checkout", "-q", "main")
    write("a.py", IMPORT)
    commit()
    git("checkout", "-q", "mine")
    assert run.places("--changed-since", "main") == [("b.py", 2)]


def test_a_revision_that_is_not_there_is_an_error(run: Shell) -> None:
    assert run("--changed-since", "HEAD") == 2
    assert "tfnanlint: --changed-since HEAD: not a git repository" in run.err
    git("init", "-q")
    assert run("--changed-since", "nowhere") == 2
    assert "--changed-since: no git revision `nowhere` (in a shallow clone, fetch it first)" in run.err
    assert run("--changed-since", "--output=x") == 2


def test_a_notebook_is_compared_with_what_it_was(run: Shell) -> None:
    git("init", "-q")
    nbformat.write(new_notebook(cells=[new_code_cell(IMPORT), new_code_cell(LOG)]), "a.ipynb")
    commit()
    cells = [new_code_cell(IMPORT), new_code_cell(SIGMOID), new_code_cell("\n" + LOG)]
    nbformat.write(new_notebook(cells=cells), "a.ipynb")
    run("--changed-since", "HEAD", "--output-format", "concise", "--quiet")
    assert [line.split(" ")[:2] for line in run.out.splitlines()] == [["a.ipynb:cell", "2:1:5:"]]


# Comments.


def finding(line: int, end_line: int, rule: str = "no-root") -> Finding:
    return Finding(rule, "g", "error", "certain", "source", "m", "e", "a.py", line, 1, end_line, 2)


@pytest.mark.parametrize(
    ("text", "place", "after"),
    [
        ("root(x)\n", (1, 1), "root(x)  # tfnanlint: ignore[no-root]\n"),
        ("root(x)", (1, 1), "root(x)  # tfnanlint: ignore[no-root]"),
        ("root(x)  # why\n", (1, 1), "root(x)  # why  # tfnanlint: ignore[no-root]\n"),
        ("root(x)   \r\ny\r\n", (1, 1), "root(x)  # tfnanlint: ignore[no-root]   \r\ny\r\n"),
        ("root(\n  x)\n", (1, 2), "root(  # tfnanlint: ignore[no-root]\n  x)\n"),
        ("root('''\n''')\n", (1, 2), "root('''\n''')  # tfnanlint: ignore[no-root]\n"),
        ("a = \\\n  root(x)\n", (2, 2), "a = \\\n  root(x)  # tfnanlint: ignore[no-root]\n"),
        ("x = 1  # tfnanlint: ignore[a]  # b\n", (1, 1), "x = 1  # tfnanlint: ignore[a, no-root]  # b\n"),
        (
            "if a:\n    b = root(x) + \\\n        1\n",
            (2, 2),
            "if a:\n    b = root(x) + \\\n        1  # tfnanlint: ignore[no-root]\n",
        ),
        (
            "b = '''{}\n{}''' % root(x) + \\\n    1",
            (2, 2),
            "b = '''{}\n{}''' % root(x) + \\\n    1  # tfnanlint: ignore[no-root]",
        ),
    ],
)
def test_a_comment_goes_where_a_line_ends(text: str, place: tuple[int, int], after: str) -> None:
    assert with_ignores(text, "a.py", [finding(*place)]) == after


def test_a_comment_that_makes_its_line_too_long_goes_above_it() -> None:
    text = "def f(x):\r\n    return root(x, 1, 2, 3, 4, 5)\r\n"
    after = "def f(x):\r\n    # tfnanlint: ignore[no-root]\r\n    return root(x, 1, 2, 3, 4, 5)\r\n"
    assert with_ignores(text, "a.py", [finding(2, 2, "no-root")], 60) == after
    inside = "y = QQQ\nQQQ % root(x, 1, 2, 3, 4, 5)\n".replace("Q", "'")  # above it is a string
    beside = inside.rstrip() + "  # tfnanlint: ignore[no-root]\n"
    assert with_ignores(inside, "a.py", [finding(2, 2, "no-root")], 60) == beside


def test_comments_above_long_lines_leave_nothing(run: Shell) -> None:
    long = "y = tf.math.log(tf.nn.softmax(the_logits_of_the_teacher_network + the_logits_of_the_student_network))\n"
    path = write("a.py", IMPORT + long + "if x:\n    " + long + f"f(\n    1,\n    {long[4:-1]},\n)\n")
    assert run("--add-ignores") == 0
    assert "Wrote ignore comments for 3 problems in 1 file." in run.out
    assert max(map(len, path.read_text().splitlines())) <= 120
    assert run(".") == 0
    once = path.read_text()
    run("--fix")
    assert path.read_text() == once


def test_a_name_that_is_added_to_a_comment_counts(run: Shell) -> None:
    path = write("a.py", IMPORT + LOG.rstrip() + "  # tfnanlint: ignore[norm-at-zero]\n")
    run("--add-ignores")
    assert "Wrote ignore comments for 1 problem in 1 file." in run.out
    assert "ignore[norm-at-zero, log-softmax]" in path.read_text()


def test_rules_of_one_line_share_a_comment() -> None:
    assert with_ignores("a\n", "a.py", [finding(1, 1, "b"), finding(1, 1, "a"), finding(1, 1, "b")]) == (
        "a  # tfnanlint: ignore[a, b]\n"
    )


def test_a_text_that_is_no_python_gets_no_comments() -> None:
    with pytest.raises(SourceError):
        with_ignores("a = (\n", "a.py", [finding(1, 1)])


def test_after_writing_comments_nothing_is_left_and_all_of_them_are_used(run: Shell) -> None:
    code = "def f(x):\n    return tf.math.log(\n        tf.nn.softmax(x)\n    ) + \\\n"
    code += "        tf.math.log(tf.nn.softmax(x)) * \\\n        2\n"
    path = write("a.py", IMPORT + LOG + code + SIGMOID.replace("\n", "  # the old way\n"))
    nbformat.write(
        new_notebook(cells=[new_code_cell(IMPORT), new_code_cell(f"%time {LOG}!ls\n{SIGMOID.rstrip()}")]), "b.ipynb"
    )
    assert run("--add-ignores") == 0
    assert "Wrote ignore comments for 6 problems in 2 files." in run.out
    assert run(".") == 0
    assert path.read_text().count("# tfnanlint: ") == 4
    source = nbformat.read("b.ipynb", 4).cells[1].source
    assert source == (
        f"%time {LOG.rstrip()}  # tfnanlint: ignore[log-softmax]\n!ls\n"
        f"{SIGMOID.rstrip()}  # tfnanlint: ignore[log-one-minus-sigmoid]"
    )
    once = path.read_text()
    run("--add-ignores")
    assert path.read_text() == once


def test_comments_are_not_written_for_what_is_known(run: Shell) -> None:
    write("a.py", IMPORT + LOG)
    run("--write-baseline", "known.json")
    path = write("a.py", IMPORT + LOG + SIGMOID)
    assert run("--add-ignores", "--baseline", "known.json") == 0
    assert path.read_text() == IMPORT + LOG + SIGMOID.rstrip() + "  # tfnanlint: ignore[log-one-minus-sigmoid]\n"
    assert run("--baseline", "known.json") == 0


def test_standard_input_is_compared_with_the_file_whose_name_it_has(
    run: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    write("a.py", IMPORT + LOG)
    write("given.py", IMPORT + LOG + SIGMOID)
    git("init", "-q")
    commit()

    def places(*arguments: str) -> list[tuple[str, int]]:
        with Path("given.py").open() as given:
            monkeypatch.setattr("sys.stdin", given)
            return run.places("-", "--changed-since", "HEAD", *arguments)

    assert places() == [("<stdin>", 2), ("<stdin>", 3)]
    assert places("--stdin-filename", "a.py") == [("a.py", 3)]
    write("a.py", IMPORT)
    assert places("--stdin-filename", "a.py") == [("a.py", 3)]
    assert places("--stdin-filename", "new.py") == [("new.py", 2), ("new.py", 3)]


# Repairs.


def test_what_is_known_is_not_repaired_either(run: Shell) -> None:
    write("a.py", IMPORT + LOG)
    run("--write-baseline", "known.json")
    path = write("a.py", IMPORT + SIGMOID + LOG)
    assert run("--fix", "--baseline", "known.json") == 0
    assert "Fixed 1 problem in 1 file." in run.out
    assert path.read_text() == IMPORT + "z = -tf.nn.softplus(x)\n" + LOG
    git("init", "-q")
    commit()
    write("a.py", IMPORT + SIGMOID + LOG)
    assert run("--diff", "--changed-since", "HEAD") == 1
    assert "-z = tf.math.log" in run.out
    assert "-y = " not in run.out


def test_an_old_hazard_in_a_helper_is_known_through_whichever_file_it_is_found(run: Shell) -> None:
    git("init", "-q")
    write("helper.py", IMPORT + "def log_of(p):\n    return tf.math.log(p)\n")
    write("model.py", IMPORT + "from helper import log_of\n\ny = log_of(tf.nn.softmax(x))\n")
    assert [path for path, _ in run.places()] == ["helper.py"]
    commit()
    for name in ("helper.py", "model.py"):
        write(name, "# moved\n" + Path(name).read_text())
    assert run.places("--changed-since", "HEAD") == []
