"""Files that break tools, from bytes to bytes: repaired with everything else kept, or refused and left as they are."""

from __future__ import annotations

import os
import re
import stat
import subprocess
from pathlib import Path

import pytest

from tfnanlint import cli, lint_source
from tfnanlint.ops import OPS
from tfnanlint.run.single import LARGEST

CLEAN, FINDINGS, WRONG = 0, 1, 2
BEFORE = "import tensorflow as tf\n\n\ndef f(x):\n    p = tf.nn.softmax(x)\n    return p, tf.math.log(p)\n"
AFTER = BEFORE.replace("tf.math.log(p)", "tf.nn.log_softmax(x)")


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def fix(path: Path, *options: str) -> int:
    told = () if "--diff" in options else ("--output-format", "concise")
    return cli.main([*(options or ("--fix",)), "--isolated", *told, str(path)])


def written(data: bytes) -> Path:
    path = Path("program.py")
    path.write_bytes(data)
    return path


def as_is(text: str) -> bytes:
    return text.encode()


LATIN = "# -*- coding: latin-1 -*-\n# caf\xe9\n"
REPAIRED = {
    "a byte order mark and carriage returns": lambda text: b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode(),
    "carriage returns alone": lambda text: text.replace("\n", "\r").encode(),
    "mixed line ends": lambda text: text.replace("\n", "\r\n", 3).encode(),
    "latin-1 by a coding line": lambda text: (LATIN + text).encode("latin-1"),
    "tabs": lambda text: text.replace("    ", "\t").encode(),
    "a form feed at the very start": lambda text: b"\f" + text.encode(),
    "a form feed before an indented line": lambda text: text.replace("    return", "\f    return").encode(),
    "a form feed on a line of its own": lambda text: text.replace("\n\n\ndef", "\n\f\ndef").encode(),
    "separators that end no line": lambda text: ("s = '\x0b\x0c\x85\u2028'\n" + text).encode(),
    "no newline at its end": lambda text: text.rstrip("\n").encode(),
    "an import behind a semicolon": lambda text: ("import os; " + text).encode(),
    "90 nested blocks": lambda text: (
        text + "".join(" " * i + "if x:\n" for i in range(90)) + " " * 90 + "pass\n"
    ).encode(),
}


@pytest.mark.parametrize("kind", REPAIRED)
def test_a_strange_file_is_repaired_and_keeps_all_else(kind: str) -> None:
    path = written(REPAIRED[kind](BEFORE))
    assert fix(path) == CLEAN
    assert path.read_bytes() == REPAIRED[kind](AFTER)


@pytest.mark.parametrize("kind", REPAIRED)
def test_git_takes_the_patch_for_a_strange_file(kind: str, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    path = written(REPAIRED[kind](BEFORE))
    fix(path, "--diff")
    patch = capfdbinary.readouterr().out
    assert path.read_bytes() == REPAIRED[kind](BEFORE)
    subprocess.run(["git", "init", "-q"], check=True)
    subprocess.run(["git", "apply", "--whitespace=nowarn", "-"], input=patch, check=True)
    assert path.read_bytes() == REPAIRED[kind](AFTER)


def _matched(opening: str, closing: str) -> str:
    """A `match` statement whose second pattern stands in brackets."""
    return f"match x:\n    case [a]:\n        pass\n    case {opening}b{closing} if b:\n        pass\n"


REFUSED = {
    "10 MB of generated code": (
        lambda: as_is(BEFORE + "def g(x):\n    return tf.sqrt(x)\n\n" * 270_000),
        r"program\.py: skipped: \d+\.\d MB exceeds the .* limit. Add it to `exclude`",
    ),
    "2000 nested parentheses": (lambda: as_is(BEFORE + "y = " + "(" * 2000 + "1" + ")" * 2000), r":7:\d+: .*nested"),
    "3000 terms": (lambda: as_is(BEFORE + "y = " + " + ".join(["x"] * 3000)), r":1:1: nested too deeply"),
    "1500 signs": (lambda: as_is(BEFORE + "y = " + "-" * 1500 + "x"), r":1:1: nested too deeply"),
    "a pattern of 14 mappings": (lambda: as_is(BEFORE + _matched("{1: " * 14, "}" * 14)), r":1:1: nested too deeply"),
    "a pattern in 20 parentheses": (lambda: as_is(BEFORE + _matched("(" * 20, ")" * 20)), r":1:1: nested too deeply"),
    "a pattern behind a text of brackets": (
        lambda: as_is(f"{BEFORE}match x:  # ]]]]]]]]]]\n    case {{']]]]]]]]]]': {'[' * 40}a{']' * 40}}}: pass\n"),
        r":1:1: nested too deeply",
    ),
    "a pattern behind a carriage return": (
        lambda: as_is((BEFORE + _matched("[" * 40, "]" * 40)).replace("\n", "\r")),
        r":1:1: nested too deeply",
    ),
    "2,000 patterns of 6 mappings": (
        lambda: as_is(BEFORE + "match x:\n" + f"    case {'{1: ' * 6}a{'}' * 6}:\n        pass\n" * 2000),
        r":1:1: nested too deeply",
    ),
    "null bytes": (lambda: as_is(BEFORE + "\0"), r":7:1: .*null bytes"),
    "UTF-16": (lambda: BEFORE.encode("utf-16"), r":1:4: .*null bytes"),
    "Python 2": (lambda: as_is(BEFORE + "print 'x'\n"), r":7:1: not valid Python"),
    "latin-1 without a coding line": (lambda: as_is(BEFORE) + b"# \xe9\n", r":7:3: byte 0xe9 is not utf-8"),
    "an encoding that is none": (lambda: as_is("# coding: klingon\n" + BEFORE), r":1:1: .*klingon"),
}


@pytest.mark.parametrize(("make", "reason"), REFUSED.values(), ids=list(REFUSED))
def test_a_file_that_cannot_be_read_is_an_error_and_stays_as_it_is(
    make: object, reason: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert callable(make)
    data = make()
    path = written(data)
    assert fix(path) == WRONG
    lines = capfd.readouterr().err.splitlines()
    assert re.search(reason, lines[0])
    assert len([line for line in lines if "program.py" in line]) == 1
    assert path.read_bytes() == data


@pytest.mark.parametrize("data", [b"", b"\n", b"\xef\xbb\xbf", b"\f", b"# only a comment on tensorflow"])
def test_an_empty_file_is_clean(data: bytes) -> None:
    path = written(data)
    assert fix(path) == CLEAN
    assert path.read_bytes() == data


def test_a_large_file_that_is_none_of_our_business_is_no_error() -> None:
    assert fix(written(b"x = 1\n" * LARGEST)) == CLEAN


def test_the_files_beside_one_that_cannot_be_read_are_repaired() -> None:
    written(REFUSED["Python 2"][0]())
    other = Path("other.py")
    other.write_text(BEFORE)
    assert cli.main(["--fix", "--isolated", "."]) == WRONG
    assert other.read_text() == AFTER


def test_a_repair_keeps_the_mode_and_follows_a_link() -> None:
    target = Path("real.py")
    target.write_text(BEFORE)
    target.chmod(0o750)
    link = Path("link.py")
    link.symlink_to(target)
    assert fix(link) == CLEAN
    assert link.is_symlink()
    assert target.read_text() == AFTER
    assert stat.S_IMODE(target.stat().st_mode) == 0o750
    assert sorted(os.listdir()) == [".tfnanlint_cache", "link.py", "real.py"]


def test_a_read_only_file_is_an_error_and_stays_as_it_is(capfd: pytest.CaptureFixture[str]) -> None:
    path = written(BEFORE.encode())
    path.chmod(0o444)
    assert fix(path) == WRONG
    assert "read-only" in capfd.readouterr().err
    assert path.read_text() == BEFORE


def test_calls_that_no_function_takes_bring_nothing_down() -> None:
    """What is half typed in an editor: operands that are missing, and parameters that are none."""
    calls = [
        f"{op.spellings[0].names[0]}({given})" for op in OPS.values() if op.spellings for given in ("x", "p, make()")
    ]
    lines = [
        f"def f{n}(x):\n    p = tf.nn.softmax(x)\n    y = {call}\n    z = tf.math.log(y) / y"
        for n, call in enumerate(calls)
    ]
    assert lint_source("import tensorflow as tf\nimport keras\n" + "\n".join(lines), pedantic=True)


def test_brackets_beside_a_pattern_are_no_part_of_it() -> None:
    deep = "(" * 12 + "x" + ")" * 12
    text = BEFORE + f"match {deep}:\n    case [a, (b | c)] if {deep}: y = {deep}\n    case '((((((((((((': y = {deep}\n"
    path = written(as_is(text))
    assert fix(path) != WRONG


@pytest.mark.parametrize(
    "body",
    [
        "match tf.math.log(tf.nn.softmax((yield x))):\n        case [y, *_] if (yield y):\n            pass",
        "return tf.math.log(tf.reduce_sum(tf.exp((yield))))",
        "return x / tf.exp((yield))",
        "return lambda: x * tf.math.log((yield x))",
        "y = (yield) ** 0.5\n    return y",
        "r = x - y\n    return tf.where(r > 0.0, tf.sqrt((w := r)), x)",
        "return tf.norm(x, axis=(a := 1))",
    ],
)
def test_what_stands_in_parentheses_because_it_must_keeps_them(body: str, capfd: pytest.CaptureFixture[str]) -> None:
    path = written(as_is(f"import tensorflow as tf\n\n\ndef f_loss(x, y):\n    {body}\n"))
    assert fix(path, "--fix", "--unsafe-fixes", "--pedantic") != WRONG, capfd.readouterr().err
    once = path.read_text()
    compile(once, "program.py", "exec")
    assert fix(path, "--fix", "--unsafe-fixes", "--pedantic") != WRONG
    assert path.read_text() == once


@pytest.mark.parametrize(
    "text",
    [
        "import numpy as np\ndef f(x):\n    return tf.math.log(x - np.inf)\n",
        "def f(x=[1, []]):\n    return tf.math.log(tf.cond(x > 0, x))\n",
        "def f(x=[[1.0, 2.0], [3.0]]):\n    return tf.math.log(x)\n",
        "async def f(x):\n    return x / tf.norm([])\n",
    ],
)
def test_numbers_that_are_none_bring_nothing_down(text: str, capfd: pytest.CaptureFixture[str]) -> None:
    path = written(as_is("import tensorflow as tf\n" + text))
    assert cli.main(["--isolated", "--pedantic", str(path)]) != WRONG, capfd.readouterr().err
