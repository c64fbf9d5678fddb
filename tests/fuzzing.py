"""Random programs, notebooks and configurations, and what has to hold whatever they are.

Programs are real files with random damage; most damage is small, so that most of them still are programs. The command
line runs on them in this process. It must end with a documented status and no internal error; what it repairs must
compile, keep everything outside its edits, and be at rest.
"""

from __future__ import annotations

import ast
import contextlib
import io
import json
import keyword
import os
import re
import tempfile
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from tfnanlint import cli

HERE = Path(__file__).parent
OWN = ("programs", "cases", "ranges", "gradients")
PIECES = (
    *("tf.math.log(", "tf.nn.softmax(x)", "tf.sqrt(", "tf.norm(x)", " / ", "1e-12", "-1e38", "float('inf')", "0"),
    *("with tf.GradientTape() as tape:\n", "tape.gradient(y, x)", "tf.where(c, a, b)", "K.epsilon()", "model.compile("),
    *(
        "# tfnanlint: ignore",
        "# tfnanlint: off[log]",
        "# tfnanlint: on",
        "# tfnanlint: ignore[",
        "# -*- coding: latin-1 -*-",
    ),
    *(
        "lambda x: ",
        "async ",
        "await ",
        "yield ",
        "return ",
        "global x\n",
        "def f(x, *a, **k):\n",
        "class C(C):\n",
        "@f\n",
    ),
    *(
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        ":",
        ",",
        ";",
        "\\\n",
        "\n",
        "\t",
        "    ",
        "\f",
        "\r",
        "\r\n",
        "\x00",
        "\ufeff",
        "\u2028",
    ),
    *(
        '"""',
        "'",
        '"',
        "f'{",
        "b'",
        "é",
        "😀",
        "\U0001d535",
        "\u01c31\u01c3",
        "%time ",
        "!ls",
        "?x",
        "%%bash\n",
        "x = !ls\n",
        "*",
        "**",
        ":=",
        "...",
    ),
)
KEYS = (
    *(
        "select",
        "ignore",
        "extend",
        "extend-select",
        "exclude",
        "per-file-ignores",
        "severity",
        "assume",
        "modes",
        "target",
    ),
    *("rules", "slect", "tool", "", "a.b"),
)
WORDS = (
    *(
        "log",
        "norm",
        "log-softmax",
        "meta",
        "unused-ignore",
        "error",
        "info",
        "eager",
        "graph",
        "xla",
        "x",
        "y",
        "logits",
    ),
    *("*.py", "!a.py", "[", "**", "a.py", ".", "..", "/", "tfnanlint.toml", "2", "keras3", ""),
)
OPTIONS = (
    *((), ("--fix",), ("--fix", "--unsafe-fixes"), ("--diff",), ("--add-ignores",), ("--write-baseline", "known.json")),
    *(("--pedantic",), ("--output-format", "json"), ("--output-format", "sarif"), ("--output-format", "html")),
    *(("--output-format", "github"), ("--output-format", "gitlab"), ("--output-format", "junit"), ("--statistics",)),
    *(("--select", "log"), ("--ignore", "log-softmax"), ("--select", "meta"), ("--output-format", "concise", "--fix")),
)


def real_files(folders: Sequence[str] = ()) -> list[str]:
    """The texts that are damaged: this project's test programs and rules, and files below other folders."""
    own = [path for name in OWN for path in (HERE / name).rglob("*.py")]
    own += sorted((HERE.parent / "rules").rglob("*.py"))
    others = [path for folder in folders for path in sorted(Path(folder).rglob("*.py")) if path.stat().st_size < 30_000]
    texts = [path.read_text(encoding="utf-8", errors="replace") for path in (*own, *others)]
    return [text for text in texts if "tensorflow" in text or "keras" in text]


EXPRESSIONS = (
    *("tf.math.log(tf.nn.softmax(x))", "tf.sqrt(tf.reduce_sum(tf.square(x), -1))", "tf.norm(x, axis=-1)", "x / f(x)"),
    *("tf.math.log(1 - tf.sigmoid(x))", "tf.math.log(1 + tf.exp(x))", "tf.where(x > 0, tf.math.log(x), 0.0)", "f(x)"),
    *(
        "lambda x: tf.sqrt(x)",
        "1.0",
        "0",
        "-1e38",
        "None",
        "float('inf')",
        "x",
        "(x)",
        "[x, x]",
        "x[0]",
        "*x",
        "self.x",
    ),
)
"""What a word of a program may be replaced by and leave it one."""


@st.composite
def programs(draw: st.DrawFn, texts: Sequence[str]) -> str:
    """A real text with a few random changes; in three of four the text is likely to stay Python."""
    text = draw(st.sampled_from(texts))
    most = draw(st.sampled_from((2, 2, 2, 6)))
    for _ in range(draw(st.integers(0, 4))):
        lines = text.splitlines(keepends=True) or [""]
        at = draw(st.integers(0, len(lines) - 1))
        change = draw(st.integers(0, most))
        indent = lines[at][: len(lines[at]) - len(lines[at].lstrip())]
        if change == 0:
            names = re.findall(r"[A-Za-z_]\w*", text) or ["x"]
            old, new = draw(st.sampled_from(names)), draw(st.sampled_from(names))
            lines = re.sub(rf"\b{old}\b", new, text).splitlines(keepends=True)
        elif change == 1:
            words = re.split(r"\b([\w.]+)\b", lines[at])
            place = draw(st.integers(0, len(words) - 1)) | 1
            if place < len(words) and not keyword.iskeyword(words[place]):
                words[place] = draw(st.sampled_from(EXPRESSIONS))
            lines[at] = "".join(words)
        elif change == 2:
            comment = draw(st.sampled_from(("", "  # tfnanlint: ignore[log]", "  # tfnanlint: off", "  # é")))
            lines.insert(at, f"{indent}x = {draw(st.sampled_from(EXPRESSIONS))}{comment}\n")
        elif change == 3:
            other = draw(st.sampled_from(texts)).splitlines(keepends=True)
            start = draw(st.integers(0, max(len(other) - 1, 0)))
            lines[at:at] = other[start : start + draw(st.integers(1, 12))]
        elif change == 4:
            lines[at] = draw(st.sampled_from(("", " ", "    ", "\t"))) + lines[at].lstrip()
        elif change == 5:
            place = draw(st.integers(0, len(lines[at])))
            lines[at] = lines[at][:place] + draw(st.sampled_from(PIECES)) + lines[at][place:]
        else:
            del lines[at]
        text = "".join(lines)
    return text


def file_bytes(texts: Sequence[str]) -> st.SearchStrategy[bytes]:
    """A program as bytes, in some encoding and with some line end."""
    return st.builds(
        lambda text, ending, encoding, bom: bom + text.replace("\n", ending).encode(encoding, "replace"),
        programs(texts),
        st.sampled_from(("\n", "\n", "\n", "\r\n", "\r")),
        st.sampled_from((*["utf-8"] * 18, "latin-1", "utf-16")),
        st.sampled_from((b"", b"", b"\xef\xbb\xbf")),
    )


@st.composite
def notebooks(draw: st.DrawFn, texts: Sequence[str]) -> bytes:
    """A notebook of damaged programs, a few with magics, and perhaps a damaged notebook."""
    cells: list[Any] = []
    for _ in range(draw(st.integers(0, 5))):
        text = draw(programs(texts))
        lines = text.splitlines(keepends=True)
        start = draw(st.integers(0, max(len(lines) - 1, 0)))
        part = lines[start : start + draw(st.integers(1, 40))] if draw(st.booleans()) else lines
        for _ in range(draw(st.integers(0, 2))):
            magic = draw(
                st.sampled_from(
                    ("%time x = 1\n", "!ls {x}\n", "x?\n", "%%time\n", "%matplotlib inline\n", "y = !a \\\n b\n")
                )
            )
            part.insert(draw(st.integers(0, len(part))), magic)
        source: Any = part if draw(st.booleans()) else "".join(part)
        kind = draw(st.sampled_from(("code", "code", "code", "markdown", "raw")))
        cells.append({"cell_type": kind, "metadata": {}, "outputs": [{"text": [text[:40]]}], "source": source})
    first = {"cell_type": "code", "source": ["import tensorflow as tf\n", "import keras"], "metadata": {}}
    content: Any = {"cells": [first, *cells], "metadata": draw(json_values), "nbformat": 4}
    if draw(st.integers(0, 5)) == 0:
        content[draw(st.sampled_from(("cells", "metadata", "x")))] = draw(json_values)
    data = json.dumps(content, indent=draw(st.sampled_from((None, 1, 4))), ensure_ascii=draw(st.booleans())).encode(
        "utf-8", "surrogatepass"
    )
    if draw(st.integers(0, 5)) == 0:
        at = draw(st.integers(0, len(data)))
        data = data[:at] + draw(st.binary(max_size=6)) + data[at + draw(st.integers(0, 3)) :]
    return data


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from(("python", "R", "code", "x")),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(("kernelspec", "language_info", "language", "name", "cell_type", "source")), inner
        )
    ),
    max_leaves=6,
)

toml_values = st.recursive(
    st.sampled_from(("1", "2", "0.5", "inf", "nan", "true", "[]", "{}", "1979-05-27", "'''x'''"))
    | st.sampled_from(WORDS).map(json.dumps),
    lambda inner: (
        st.lists(inner, max_size=3).map(lambda items: f"[{', '.join(items)}]")
        | st.dictionaries(st.sampled_from(WORDS).map(json.dumps), inner, max_size=3).map(
            lambda table: "{" + ", ".join(f"{key} = {value}" for key, value in table.items()) + "}"
        )
    ),
    max_leaves=5,
)


@st.composite
def configurations(draw: st.DrawFn) -> str:
    """A configuration file: often right, often not."""
    right = {
        "select": '["log", "norm"]',
        "ignore": '["log-softmax"]',
        "exclude": '["b.py"]',
        "severity": '{log = "info"}',
        "assume": "{x = [0, 1], logits = [-inf, 0]}",
        "modes": '["xla"]',
        "target": "2",
        "per-file-ignores": '{"*.py" = ["norm"]}',
    }
    lines = []
    for key in draw(st.lists(st.sampled_from(KEYS), max_size=4, unique=True)):
        value = right[key] if key in right and draw(st.integers(0, 2)) else draw(toml_values)
        lines.append(f"{key or json.dumps(key)} = {value}\n")
    return "".join(lines)


@dataclass
class Case:
    """One run: the files of a folder by name, and the arguments."""

    files: dict[str, bytes] = field(default_factory=dict)
    arguments: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"Case({self.files!r}, {self.arguments!r})"


def cases(texts: Sequence[str]) -> st.SearchStrategy[Case]:
    """Random runs over a program, a notebook or both, configured or not."""
    files = st.fixed_dictionaries(
        {},
        optional={
            "a.py": file_bytes(texts),
            "b.py": file_bytes(texts),
            "c.ipynb": notebooks(texts),
            "tfnanlint.toml": st.just(b"") | st.just(b"") | configurations().map(str.encode),
        },
    )
    return st.builds(Case, files, st.sampled_from(OPTIONS))


def check(case: Case) -> str:
    """Run a case, and how it ended, in a word or two; `AssertionError` where something does not hold that has to."""
    with tempfile.TemporaryDirectory() as folder, _inside(folder), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, data in case.files.items():
            Path(name).write_bytes(data)
        status, err = _run(case.arguments)
        end = {0: "clean", 1: "with findings", 2: "with errors"}.get(status)
        assert end is not None, f"status {status}: {err}"
        assert "internal error" not in err, err
        if "--fix" in case.arguments or "--add-ignores" in case.arguments:
            after = {name: Path(name).read_bytes() for name in case.files}
            for name, data in case.files.items():
                _compare(name, data, after[name])
            _run(case.arguments)
            again = {name: Path(name).read_bytes() for name in case.files}
            assert again == after, f"a second run changes {[name for name in after if after[name] != again[name]]}"
            end = f"changed, {end}" if after != case.files else end
        elif "--write-baseline" in case.arguments and status == 0 and Path("known.json").exists():
            status, err = _run(("--baseline", "known.json"))
            assert status == 0, f"a baseline does not hold all that is found: {err}"
        else:
            assert {name: Path(name).read_bytes() for name in case.files} == case.files, "a file was changed"
    return end


@contextlib.contextmanager
def _inside(folder: str) -> Iterator[None]:
    """With a folder as the working directory."""
    here = os.getcwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(here)


def _run(arguments: Sequence[str]) -> tuple[int, str]:
    """The exit status of a run, and what it says on standard error."""
    out, err = io.TextIOWrapper(io.BytesIO(), encoding="utf-8"), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            status = cli.main([".", "--jobs", "1", *arguments])
        except SystemExit as ended:
            status = int(ended.code or 0)
    return status, err.getvalue()


def _compare(name: str, before: bytes, after: bytes) -> None:
    """See that a file is as good after a run as it was before."""
    if before == after:
        return
    if name.endswith(".ipynb"):
        old, new = json.loads(before.decode("utf-8-sig")), json.loads(after.decode("utf-8-sig"))
        for one, other in zip(old["cells"], new["cells"], strict=True):
            one.pop("source", None), other.pop("source", None)
        assert json.dumps(old) == json.dumps(new), "something else than the sources of a notebook has changed"
    else:
        assert _is_python(after) or not _is_python(before), f"{name} is no Python any more"


def _is_python(data: bytes) -> bool:
    try:
        ast.parse(data)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def written(case: Case, folder: str) -> Iterator[str]:
    """Write the files of a case to a folder, for a look at them."""
    os.makedirs(folder, exist_ok=True)
    for name, data in case.files.items():
        path = os.path.join(folder, name)
        Path(path).write_bytes(data)
        yield path
