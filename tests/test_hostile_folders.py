"""Folders whose files never end, whose patterns take for ever to match, or whose depth has no end."""

from __future__ import annotations

import os
import re
import sys
from html import unescape
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from tfnanlint.cli import main
from tfnanlint.commands import CLEAN, FINDINGS, WRONG
from tfnanlint.contents import contents
from tfnanlint.report.terminal import printable_line

PROGRAM = "import tensorflow as tf\n\n\ndef loss(x):\n    return tf.math.log(tf.nn.softmax(x))\n"


def endless(place: Path, kind: str) -> None:
    """Put something without an end in the place of a file."""
    if kind == "device":
        place.symlink_to("/dev/zero")
    elif hasattr(os, "mkfifo"):
        os.mkfifo(place)
    else:
        pytest.skip("there are no pipes in the file system")


@pytest.mark.parametrize("name", "helper.py pyproject.toml tfnanlint.toml ruff.toml .gitignore cached".split())
@pytest.mark.parametrize("kind", ["pipe", "device"])
def test_a_pipe_or_a_device_in_the_place_of_a_file_is_passed_over(
    name: str, kind: str, tmp_path: Path, monkeypatch: Any, capsys: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.py").write_text(f"from helper import g\n{PROGRAM}")
    if name == "cached":
        assert main(["--cache-dir", "cache", "a.py"]) == FINDINGS
        places = list(Path("cache").glob("*.json"))
    else:
        places = [Path(name)]
    for place in places:
        place.unlink(missing_ok=True)
        endless(place, kind)
    assert main(["--cache-dir", "cache", "."]) == FINDINGS
    assert "log-softmax" in capsys.readouterr().out


@pytest.mark.parametrize("kind", ["pipe", "device"])
@pytest.mark.parametrize("options", [["b.py"], ["a.py", "--baseline", "b.py"], ["a.py", "--config", "b.py"]])
def test_a_pipe_or_a_device_that_is_named_is_told_in_one_line(
    options: list[str], kind: str, tmp_path: Path, monkeypatch: Any, capsys: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.py").write_text(PROGRAM)
    endless(Path("b.py"), kind)
    assert main([*options, "--no-cache", "--quiet"]) == WRONG
    assert "cannot read the file: not a regular file" in capsys.readouterr().err


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux opens a pipe for both ends at once")
def test_a_queue_that_looks_like_a_file_is_no_file(tmp_path: Path, monkeypatch: Any) -> None:
    """The kernel's log is one: a read of it that does not wait has nothing to give, rather than an end."""
    queue = tmp_path / "tfnanlint.toml"
    os.mkfifo(queue)
    writer = os.open(queue, os.O_RDWR)
    monkeypatch.setattr("tfnanlint.contents.stat.S_ISREG", lambda mode: True)
    try:
        with pytest.raises(OSError, match="not a regular file"):
            contents(queue)
    finally:
        os.close(writer)


@pytest.mark.skipif(not os.access("/proc/kmsg", os.R_OK), reason="the kernel's log cannot be read here")
@pytest.mark.parametrize("name", ["pyproject.toml", "tfnanlint.toml", "ruff.toml", ".gitignore", "helper.py"])
def test_a_link_to_the_kernels_log_is_passed_over(name: str, tmp_path: Path, monkeypatch: Any, capsys: Any) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.py").write_text(f"from helper import g\n{PROGRAM}")
    Path(name).symlink_to("/proc/kmsg")
    assert main([".", "--no-cache"]) == FINDINGS
    assert "log-softmax" in capsys.readouterr().out


def test_a_report_does_not_wait_for_a_reader(tmp_path: Path, monkeypatch: Any, capsys: Any) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.py").write_text(PROGRAM)
    endless(Path("report.txt"), "pipe")
    assert main(["a.py", "--no-cache", "--output-file", "report.txt"]) == WRONG
    assert "report.txt: cannot write the file" in capsys.readouterr().err


def test_patterns_that_take_for_ever_to_match_are_not_matched(tmp_path: Path, monkeypatch: Any, capsys: Any) -> None:
    monkeypatch.chdir(tmp_path)
    file = Path("a" * 120 + ".py")
    file.write_text(PROGRAM)
    slow = ("*a" * 40 + "*b", "**/a*/" * 20 + "b", "*a*a*a/*a*a*a")
    Path(".gitignore").write_text("\n".join((*slow, "skipped*")) + "\n" + "".join(f"x{n}*y\n" for n in range(5000)))
    Path("skipped.py").write_text(file.read_text())
    assert main([".", "--no-cache", "--output-format", "concise"]) == FINDINGS
    assert [line.partition(":")[0] for line in capsys.readouterr().out.splitlines()] == [str(file)]
    for pattern in slow:
        for table in (f'exclude = ["{pattern}"]', f'per-file-ignores = {{"{pattern}" = ["log-softmax"]}}'):
            Path("tfnanlint.toml").write_text(table)
            assert main([".", "--no-cache"]) == WRONG
            assert "pattern: too many wildcards" in capsys.readouterr().err
    for pattern in ("**/build/**/gen/**", "*_pb2*.py", "a/*/b/*/c/*.py", "/**/x"):
        Path("tfnanlint.toml").write_text(f'exclude = ["{pattern}"]')
        assert main([".", "--no-cache"]) == FINDINGS


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("tfnanlint.toml", f"[tool{'.a' * 20_000}]", "nested too deeply"),
        ("tfnanlint.toml", "#" * 2_000_000, "larger than 1 MB"),
        ("tfnanlint.toml", 'extend = "\\u0000"', "`extend` must be the path of a TOML file"),
        ("tfnanlint.toml", 'ignore = ["\\u001b[31mred"]', "no rule or group is named"),
        (
            "tfnanlint.toml",
            f"per-file-ignores = {{{', '.join(f'x{n} = []' for n in range(2001))}}}",
            "2,000 patterns",
        ),
        ("ruff.toml", f"line-length = {'9' * 5000}", "log-softmax"),
    ],
)
def test_a_configuration_without_a_bound_is_told_in_one_line(
    name: str, text: str, said: str, tmp_path: Path, monkeypatch: Any, capsys: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.py").write_text(PROGRAM)
    Path(name).write_text(text)
    assert main([".", "--no-cache", "--output-format", "concise"]) in (WRONG, FINDINGS)
    captured = capsys.readouterr()
    assert said in captured.out + captured.err
    assert len(captured.err.splitlines()) == 1
    assert captured.err.rstrip("\n").isprintable()


@pytest.mark.parametrize("name", [".gitignore", "ruff.toml", "pyproject.toml"])
def test_a_vast_file_of_another_tools_settings_is_passed_over(
    name: str, tmp_path: Path, monkeypatch: Any, capsys: Any
) -> None:
    """It is not split into lines, each of which takes far more memory than its text."""
    monkeypatch.chdir(tmp_path)
    Path("a.py").write_text(PROGRAM)
    Path(name).write_text("[tool.black]\nline-length = 20\n*.py\n" + "# x\n" * 500_000)
    assert main([".", "--no-cache", "--output-format", "concise"]) == FINDINGS
    assert capsys.readouterr().out.startswith("a.py:5:12: ")


@pytest.mark.parametrize("encoding", ["idna", "punycode"])
def test_a_codec_that_cannot_hold_a_file_does_not_keep_the_others_from_being_fixed(
    encoding: str, tmp_path: Path, monkeypatch: Any, capsys: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.py").write_text(f"# coding: {encoding}\n{PROGRAM}")
    Path("b.py").write_text(PROGRAM)
    assert main([".", "--no-cache", "--fix", "--quiet"]) == WRONG
    assert "tf.nn.log_softmax(x)" in Path("b.py").read_text()
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_a_link_to_itself_is_passed_over(tmp_path: Path, monkeypatch: Any, capsys: Any) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.py").write_text(PROGRAM)
    for name, target in (("self.py", "self.py"), ("b.py", "c.py"), ("c.py", "b.py"), ("d.py", "a.py/x.py")):
        Path(name).symlink_to(target)
    assert main([".", "--no-cache", "--output-format", "concise"]) == FINDINGS
    captured = capsys.readouterr()
    assert [line.partition(":")[0] for line in captured.out.splitlines()] == ["a.py"]


@pytest.mark.parametrize("text", ["x=" + "-" * 100_000 + "1", "x=" + "a.b+" * 20_000 + "1"])
def test_a_rule_that_is_nested_too_deeply_is_told_in_one_line(
    text: str, tmp_path: Path, monkeypatch: Any, capsys: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.py").write_text(PROGRAM)
    Path("rules").mkdir()
    Path("rules/my-rule.py").write_text(text)
    Path("tfnanlint.toml").write_text('rules = ["rules"]')
    assert main(["a.py", "--no-cache"]) == WRONG
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_a_baseline_of_vast_counts_is_none(tmp_path: Path, monkeypatch: Any, capsys: Any) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.py").write_text(PROGRAM)
    entry = f'{{"path": "a.py", "rule": "a", "code": "b", "count": {"9" * 4000}}}'
    Path("known.json").write_text(f'{{"version": 1, "findings": [{entry}]}}')
    assert main(["a.py", "--no-cache", "--baseline", "known.json"]) == WRONG
    assert "not a baseline file" in capsys.readouterr().err


def test_nothing_in_a_files_name_is_obeyed(tmp_path: Path, monkeypatch: Any, capsys: Any) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("a\n::stop-commands::x.py", "\x1b[31mred\u202e.py", "![x](evil.example)@everyone.py"):
        Path(name).write_text("import tensorflow as tf\n(")
    assert main([".", "--show-files"]) == CLEAN
    shown = capsys.readouterr().out.splitlines()
    assert shown == [" [31mred\\u202e.py", "![x](evil.example)@everyone.py", "a ::stop-commands::x.py"]
    assert main([".", "--no-cache", "--quiet"]) == WRONG
    complaints = capsys.readouterr().err.splitlines()
    assert len(complaints) == 3
    assert all(line.isprintable() and not line.startswith("::") for line in complaints)
    assert main([".", "--no-cache", "--output-format", "markdown"]) == WRONG
    listed = [line for line in capsys.readouterr().out.splitlines() if line.startswith("- ")]
    assert len(listed) == 3
    assert all(line.startswith("- `") and line.isprintable() for line in listed)
    assert sum("![x](evil.example)@everyone.py:" in line.split("`")[1] for line in listed) == 1


COMMANDS = ("::error file=app.py,line=1::leaked ", "::stop-commands::tok.py", " ::add-mask::e.py", "##vso[x]y.py")


def test_no_line_of_a_log_begins_with_a_command(tmp_path: Path, monkeypatch: Any, capsys: Any) -> None:
    """Build services take commands from the log: at the beginning of a line, and some anywhere in it."""
    monkeypatch.chdir(tmp_path)
    folder, good, broken, other = COMMANDS
    Path(folder).mkdir()
    for place in (Path(folder, "a.py"), Path(good), Path(other)):
        place.write_text(PROGRAM.replace("x))", "x))  # ##vso[task.complete result=Succeeded;]"))
    Path(broken).write_text("import tensorflow as tf\n(")
    said = []
    for options in (["--show-files"], [], ["--output-format", "concise"], ["--color", "always"], ["--statistics"]):
        main([".", *options, "--no-cache", "--isolated"])
        captured = capsys.readouterr()
        said += (captured.out + captured.err).splitlines()
    plain = [re.sub(r"\x1b\[[\d;]*m", "", line).lstrip() for line in said]
    assert [line for line in plain if line.startswith("::") or "##vso[" in line] == []
    assert f"./{folder}/a.py" in plain
    assert f"./{good}" in plain
    assert any(line.startswith(f"./{good}:5:12: error") for line in plain)
    assert any(line.startswith(f"./{broken}:") for line in plain)


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("::stop-commands::tok", r"\u003a:stop-commands::tok"),
        ("  \u00a0\t::add-mask::e", "  \u00a0\t\\u003a:add-mask::e"),
        ("\x1b[1m  \x1b[0m::x", "\x1b[1m  \x1b[0m\\u003a:x"),
        ("x[::2]", "x[::2]"),
        (":x", ":x"),
    ],
)
def test_a_line_that_begins_with_a_command_is_spelled_out(line: str, shown: str) -> None:
    assert printable_line(line) == shown


def test_nothing_in_code_turns_the_order_of_a_page(tmp_path: Path, monkeypatch: Any, capsys: Any) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a\u202e.py").write_text(PROGRAM.replace("x))", "x))  # \u202e\u2066\x1b[31m\x07"), encoding="utf-8")
    assert main([".", "--no-cache", "--isolated", "--output-format", "html"]) == FINDINGS
    page = capsys.readouterr().out
    assert all(c == "\n" or c.isprintable() for c in page)
    assert r"a\u202e.py" in page
    assert r"# \u202e\u2066 [31m" in page


def test_a_page_that_goes_to_a_log_holds_no_command(tmp_path: Path, monkeypatch: Any, capsys: Any) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a\n ::error::x").mkdir()
    Path("a\n ::error::x/b\n::stop-commands::c.py").write_text(PROGRAM.replace("x))", "x))  # ##vso[task.complete]"))
    Path("broken\n::add-mask::e.py").write_text("import tensorflow as tf\n(")
    assert main([".", "--no-cache", "--isolated", "--output-format", "html"]) == WRONG
    page = capsys.readouterr().out
    assert [line for line in page.splitlines() if line.lstrip().startswith("::") or "##vso[" in line] == []
    assert "b\n::stop-commands::c.py" in (shown := unescape(page))
    assert "##vso[task.complete]" in shown


def test_the_parts_of_a_page_that_hold_no_text_need_no_entities() -> None:
    """In a style or a script an entity would be no character."""
    for name in ("report.css", "report.js"):
        part = files("tfnanlint.report").joinpath("assets", name).read_text(encoding="utf-8")
        assert re.search(r"^\s*::|##\w*\[", part, re.MULTILINE) is None


def test_folders_within_folders_without_an_end_are_left_out(tmp_path: Path, monkeypatch: Any, capsys: Any) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.py").write_text(PROGRAM)
    deep = Path(*["d"] * 700)
    deep.mkdir(parents=True)
    (deep / "b.py").write_text(Path("a.py").read_text())
    assert main([".", "--no-cache", "--output-format", "concise"]) == WRONG
    captured = capsys.readouterr()
    assert captured.out.startswith("a.py:5:")
    assert "has folders nested more than 100 deep" in captured.err
    assert main([str(deep / "b.py"), "--no-cache"]) == FINDINGS


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="every name of a file is text there")
def test_a_name_that_is_no_text_hides_nothing(tmp_path: Path, monkeypatch: Any, capsys: Any) -> None:
    monkeypatch.chdir(tmp_path)
    Path(os.fsdecode(b"\xff.py")).write_text(f"{PROGRAM}\nprint(loss)\n")
    Path("main.py").write_text(f"{PROGRAM}\nif __name__ == '__main__':\n    print(loss)\n")
    assert main([".", "--isolated", "--no-cache", "--output-format", "concise"]) == FINDINGS
    assert capsys.readouterr().out.count("log-softmax") == 2
