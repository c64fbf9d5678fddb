"""Notebooks as their users have them: cells that build on each other, magics, outputs that must not change."""

from __future__ import annotations

import ast
import io
import json
import sys
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from shell import Shell

from tfnanlint.notebook import read_notebook
from tfnanlint.notebook.magics import Masks

IMPORT = "import tensorflow as tf\n"
HAZARD = "q = tf.math.log(tf.nn.softmax(x))"
REPAIRED = "q = tf.nn.log_softmax(x)"
PYTHON = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shell:
    monkeypatch.chdir(tmp_path)
    return Shell(capsys, "--isolated")


def notebook(*cells: str, name: str = "a.ipynb", metadata: dict[str, object] = PYTHON) -> Path:
    """A notebook of code cells, in the words of Jupyter's own library."""
    made = new_notebook(cells=[new_code_cell(cell) for cell in cells], metadata=metadata)
    nbformat.write(made, name)
    return Path(name)


def sources(path: Path) -> list[str]:
    return [cell.source for cell in nbformat.read(path, 4).cells]


def found_in(run: Shell, path: str = "a.ipynb") -> list[tuple[str, int, int]]:
    run(path, "--output-format", "json", "--quiet")
    return [(found["rule"], found["cell"], found["line"]) for found in json.loads(run.out)]


def test_names_flow_from_cell_to_cell_and_places_are_told_in_the_cell(run: Shell) -> None:
    notebook(IMPORT + "x = load()", "p = tf.nn.softmax(x)", "\nq = tf.math.log(p)")
    assert run("a.ipynb") == 1
    assert "a.ipynb:cell 3:2:5: error (likely) TFN118 log-softmax" in run.out
    run("a.ipynb", "--output-format", "json")
    (found,) = json.loads(run.out)
    assert (found["cell"], found["line"], found["column"], found["end_line"]) == (3, 2, 5, 2)
    assert [(step["cell"], step["line"]) for step in found["trail"]] == [(2, 1)]
    assert [(edit["cell"], edit["line"]) for edit in found["fix"]["edits"]] == [(3, 2)]


def test_the_code_under_a_finding_is_that_of_its_cell(run: Shell) -> None:
    notebook(IMPORT, "# nothing\n" + HAZARD)
    run("a.ipynb")
    assert f"    2 | {HAZARD}\n" in run.out


def test_cells_are_counted_with_those_of_text(run: Shell) -> None:
    cells = [new_markdown_cell("# A title"), new_code_cell(IMPORT + HAZARD)]
    nbformat.write(new_notebook(cells=cells), "a.ipynb")
    assert found_in(run) == [("log-softmax", 2, 2)]


@pytest.mark.parametrize(
    "line",
    [
        "%matplotlib inline",
        "!pip install -q tensorflow",
        "!!ls",
        "tf.nn.softmax?",
        "?tf.nn",
        "tf??",
        "files = !ls *.py",
        "env = %env",
        "%cd /data/{x}",
        "!echo one \\\n  two",
        "/print x",
        "if x:\n    !ls\nelse:\n    %pwd",
        "%time y = 3",
        "%timeit -n 10 -r 3 x + 1",
        "%time",
        "text = '''\n!not a command\n'''\n!ls",
        "total = (1\n  % 3)\n!ls",
    ],
)
def test_a_cell_with_magics_is_linted_and_the_magic_survives_the_repair(line: str, run: Shell) -> None:
    notebook(IMPORT, f"x = load()\n{line}\n{HAZARD}", "b = x")
    assert run("a.ipynb", "--fix") == 0
    assert sources(Path("a.ipynb")) == [IMPORT, f"x = load()\n{line}\n{REPAIRED}", "b = x"]


@pytest.mark.parametrize(
    "magic", ["%%bash\nls -l", "%%html\n<b>", "%%writefile a.py\ndef f(:", "%sql\nselect * from t"]
)
def test_a_cell_in_another_language_is_left_alone(magic: str, run: Shell) -> None:
    notebook(IMPORT, magic, HAZARD)
    assert run("a.ipynb", "--fix") == 0
    assert run.err == ""
    assert sources(Path("a.ipynb")) == [IMPORT, magic, REPAIRED]


@pytest.mark.parametrize("pasted", ["    y = 1\n    z = 2", ">>> y = 1\n>>> z = 2", "In [3]: y = 1", "\n\n  y = 1"])
def test_a_cell_that_was_pasted_with_indentation_or_prompts_is_no_error(pasted: str, run: Shell) -> None:
    notebook(IMPORT, pasted, HAZARD)
    assert run("a.ipynb", "--fix") == 0
    assert run.err == ""
    assert sources(Path("a.ipynb")) == [IMPORT, pasted, REPAIRED]


@pytest.mark.parametrize("magic", ["%%time", "%%capture out", "# why\n%%timeit -n 3"])
def test_a_cell_magic_that_runs_the_cell_here_is_looked_behind(magic: str, run: Shell) -> None:
    notebook(IMPORT, f"{magic}\n{HAZARD}")
    assert run("a.ipynb", "--fix") == 0
    assert sources(Path("a.ipynb"))[1] == f"{magic}\n{REPAIRED}"


def test_the_statement_behind_a_timing_magic_is_repaired_where_it_stands(run: Shell) -> None:
    notebook(IMPORT, f"%time {HAZARD}\n%timeit -n 10 tf.math.log(1 - tf.sigmoid(x))  # é")
    run("a.ipynb", "--output-format", "json")
    assert [(found["line"], found["column"]) for found in json.loads(run.out)] == [(1, 11), (2, 15)]
    run("a.ipynb", "--fix")
    assert sources(Path("a.ipynb"))[1] == f"%time {REPAIRED}\n%timeit -n 10 (-tf.nn.softplus(x))  # é"


def test_a_variable_that_a_shell_line_reads_is_not_dropped(run: Shell) -> None:
    body = "def f(x):\n    p = tf.nn.softmax(x)\n    {}\n    return tf.math.log(p)"
    notebook(IMPORT, body.format("!echo {p}"))
    notebook(IMPORT, body.format("!echo {x}"), name="b.ipynb")
    run("--fix")
    assert "p = tf.nn.softmax(x)" in sources(Path("a.ipynb"))[1]
    assert "p = tf.nn.softmax(x)" not in sources(Path("b.ipynb"))[1]


def test_a_cell_that_is_no_python_does_not_stop_the_others(run: Shell) -> None:
    notebook(IMPORT, "def f(:\n    pass", HAZARD, "x = (")
    assert run("a.ipynb", "--fix") == 2
    assert "a.ipynb:cell 2:1:7: not valid Python" in run.err
    assert "a.ipynb:cell 4:1:5: not valid Python" in run.err
    assert sources(Path("a.ipynb")) == [IMPORT, "def f(:\n    pass", REPAIRED, "x = ("]


def test_code_that_only_a_notebook_may_hold_is_fine(run: Shell) -> None:
    notebook("from __future__ import annotations", IMPORT, "from __future__ import division\nawait f()\n" + HAZARD)
    assert run("a.ipynb", "--fix") == 0
    assert sources(Path("a.ipynb"))[2].endswith(REPAIRED)


def test_ignore_comments_work_in_cells(run: Shell) -> None:
    notebook(IMPORT, HAZARD + "  # tfnanlint: ignore[log-softmax]", "y = 1  # tfnanlint: ignore[log-softmax]")
    assert found_in(run) == [("unused-ignore", 3, 1)]
    assert run("a.ipynb", "--fix") == 0
    assert sources(Path("a.ipynb"))[1:] == [HAZARD + "  # tfnanlint: ignore[log-softmax]", "y = 1"]
    notebook("# tfnanlint: ignore-file", IMPORT, HAZARD)
    assert run("a.ipynb") == 0


OTHER = (
    '{"cells": [{"cell_type": "code", "source": ["import tensorflow as tf\\n", "y = tf.math.log(tf.nn.softmax(x))"]}], '
)


@pytest.mark.parametrize(
    "metadata", ['"metadata": {"kernelspec": {"language": "R"}}}', '"metadata": {"language_info": {"name": "julia"}}}']
)
def test_a_notebook_of_another_language_is_passed_over(metadata: str, run: Shell) -> None:
    Path("a.ipynb").write_text(OTHER + metadata)
    assert run("a.ipynb") == 0
    assert run.err == ""


@pytest.mark.parametrize("metadata", ['"metadata": {}}', '"metadata": {"kernelspec": 3}}', '"nbformat": 4}'])
def test_a_notebook_that_names_no_language_is_python(metadata: str, run: Shell) -> None:
    Path("a.ipynb").write_text(OTHER + metadata)
    assert run("a.ipynb") == 1


def outside(text: str, old: str, new: str) -> str:
    assert text.count(old) == 1
    return text.replace(old, new)


@pytest.mark.parametrize("indent", [None, 1, "\t"])
@pytest.mark.parametrize("ascii_only", [False, True])
@pytest.mark.parametrize("as_list", [False, True])
def test_nothing_but_the_edit_changes(indent: int | str | None, ascii_only: bool, as_list: bool, run: Shell) -> None:
    source = [IMPORT, "s = 'é\\u00e9 \\\\ \U0001f600'\n", f"{HAZARD}  # ünï \U0001f600 <b>\n", "s"]
    cell = {"source": source if as_list else "".join(source), "cell_type": "code", "odd": [1.50, 1e5, None]}
    output = {"cell_type": "code", "outputs": [{"text": "tf.math.log(tf.nn.softmax(x)) é"}], "source": []}
    content = {"nbformat": 4, "cells": [cell, output], "metadata": {"z": {"source": "é"}, "a": {}}}
    text = (
        json.dumps(content, indent=indent, ensure_ascii=ascii_only)
        .replace("<b>", "\\u003cb\\u003e")
        .replace("/", "\\/")
    )
    for ending in ("\n", "\r\n"):
        before = b"\xef\xbb\xbf" + text.replace("\n", ending).encode()
        Path("a.ipynb").write_bytes(before)
        assert run("a.ipynb", "--fix") == 0
        after = before.replace(b"q = tf.math.log(tf.nn.softmax(x))", REPAIRED.encode(), 1)
        assert Path("a.ipynb").read_bytes() == after


def test_lines_are_added_and_dropped_in_the_style_of_the_list(run: Shell) -> None:
    code = "import tensorflow.keras.backend as K\ndef f(m, x):\n    p = K.softmax(m(x))\n    return K.log(p)"
    path = notebook(code, "y = 1")
    before = path.read_text()
    assert run("a.ipynb", "--fix") == 0
    assert ast.parse(sources(path)[0])
    assert "log_softmax" in sources(path)[0]
    after = path.read_text()
    assert nbformat.reads(after, 4)
    opening, closing = '   "source": [\n', "\n   ]\n"
    assert (before.split(opening)[0], before.split(closing)[1:]) == (after.split(opening)[0], after.split(closing)[1:])
    assert all(line.startswith('    "') for line in after.split(opening)[1].split(closing)[0].splitlines())


def test_a_patch_of_a_notebook_is_one_of_its_json(run: Shell) -> None:
    notebook(IMPORT, HAZARD)
    assert run("a.ipynb", "--diff") == 1
    assert f'-    "{HAZARD}"' in run.out
    assert f'+    "{REPAIRED}"' in run.out


def test_a_second_repair_changes_nothing(run: Shell) -> None:
    path = notebook(IMPORT, f"!ls\n{HAZARD}", "def g(p):\n    return tf.sqrt(tf.reduce_sum(tf.square(p)))")
    run("a.ipynb", "--fix", "--unsafe-fixes")
    once = path.read_bytes()
    run("a.ipynb", "--fix", "--unsafe-fixes")
    assert path.read_bytes() == once


def test_folders_are_searched_for_notebooks_but_not_for_their_checkpoints(run: Shell) -> None:
    notebook(IMPORT, HAZARD)
    Path(".ipynb_checkpoints").mkdir()
    notebook(IMPORT, HAZARD, name=".ipynb_checkpoints/a-checkpoint.ipynb")
    assert run("--show-files") == 0
    assert run.out == "a.ipynb\n"


def test_a_notebook_may_come_through_standard_input(run: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    text = notebook(IMPORT, HAZARD).read_bytes()
    Path("a.ipynb").unlink()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text)))
    assert run("-", "--stdin-filename", "a.ipynb") == 1
    assert f"    1 | {HAZARD}\n" in run.out


@pytest.mark.parametrize(
    ("content", "what"),
    [
        ("tensorflow", "a.ipynb:1:1: not a notebook: invalid JSON: Expecting value"),
        ('{"cells": [], "a": tensorflow', "a.ipynb:1:20: not a notebook: invalid JSON"),
        ('["tensorflow"]', "not a notebook: it is not a JSON object"),
        ('{"tensorflow": 1}', "no list of cells"),
        ('{"worksheets": [], "x": "tensorflow"}', "jupyter nbconvert"),
        ('{"cells": {"a": "tensorflow"}}', "no list of cells"),
        ('{"cells": ["tensorflow"]}', "a.ipynb:1:12: not a notebook: cell 1 has no type"),
        (
            '{"cells": [\n {"cell_type": "code", "source": 3}], "x": "tensorflow"}',
            "a.ipynb:2:2: not a notebook: cell 1",
        ),
        ('{"cells": [{"cell_type": "code", "source": ["tensorflow", 3]}]}', "cell 1 has a source"),
        ('{"cells": [{"cell_type": "code"}], "x": "tensorflow"}', "cell 1 has a source"),
        ('{"x": "tensorflow", "cells": ' + "[" * 100_000 + "]" * 100_000 + "}", "nested too deeply"),
        ('{"x": "tensorflow", "cells": ' + "9" * 5000 + "}", "not a notebook"),
        (b'{"x": "tensorflow \xff"}', "is not UTF-8"),
        (b'{"x": "tensorflow \x00"}', "null bytes"),
        ('{"cells": [{"cell_type": "code", "source": "import tensorflow\\ny = \'\\ud800\'"}]}', "a.ipynb:cell 1:1:1"),
        ('{"cells": [{"cell_type": "code", "source": "import tensorflow\\u0000"}]}', "a.ipynb:cell 1:1:1"),
        (
            '{"cells": [{"cell_type": "code", "source": "tensorflow' + "(" * 3000 + ")" * 3000 + '"}]}',
            "a.ipynb:cell 1:1:",
        ),
    ],
)
def test_what_is_no_notebook_is_told_so(content: str | bytes, what: str, run: Shell) -> None:
    data = content if isinstance(content, bytes) else content.encode()
    Path("a.ipynb").write_bytes(data)
    assert run("a.ipynb", "--fix") == 2
    assert what in run.err
    assert "Traceback" not in run.err
    assert Path("a.ipynb").read_bytes() == data


def test_a_mask_looks_like_nothing_in_the_notebook() -> None:
    text = "\u01c31\u01c3 = 1\n!ls"
    masked = Masks(text).of(text)
    ast.parse(masked.python)
    assert masked.restored(masked.python + "x") == text + "x"


def test_a_cell_is_as_long_when_it_is_masked() -> None:
    text = "!a \\\n  b\r\n%time x\n%%bash?\nfor i in y:\n\t!ls {i}\n"
    masked = Masks(text).of(text)
    assert len(masked.python.splitlines()) == len(text.splitlines())
    assert masked.restored(masked.python + "z = 1") == text + "z = 1"


def test_a_number_that_python_does_not_read_is_told_without_advice_about_python(run: Shell) -> None:
    notebook("import tensorflow as tf\nx = " + "1" * 5_000)
    assert run("a.ipynb") == 2
    assert "a.ipynb:cell 1:2:1: not valid Python: a number has too many digits to be read" in run.err


def test_a_cell_of_thousands_of_magics_is_masked_as_a_whole() -> None:
    text = "x = 1\n" + "!ls\n" * 6_000
    masked = Masks(text).of(text)
    assert len(masked.hidden) == 1
    assert masked.restored(masked.python) == text


def test_a_repair_that_reaches_out_of_its_cell_is_refused() -> None:
    made = new_notebook(cells=[new_code_cell("a = 1"), new_code_cell("b = 1")])
    book = read_notebook(nbformat.writes(made).encode(), "a.ipynb")
    assert book is not None
    opening = book.text.splitlines()[2]
    with pytest.raises(Exception, match="spans two cells"):
        book.encode(book.text.replace(opening + "\n", ""))


def test_output_with_a_stream_stays(run: Shell) -> None:
    cell = new_code_cell(
        f"{IMPORT}x = load()\n{HAZARD}", outputs=[new_output("stream", text="tf.math.log\n")], execution_count=7
    )
    nbformat.write(new_notebook(cells=[cell]), "a.ipynb")
    before = nbformat.read("a.ipynb", 4)
    run("a.ipynb", "--fix")
    after = nbformat.read("a.ipynb", 4)
    assert after.cells[0].outputs == before.cells[0].outputs
    assert after.cells[0].execution_count == 7
    assert REPAIRED in after.cells[0].source
