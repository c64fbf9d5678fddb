"""Graph definitions without a bound, or with names that command: linted, or told in a line that they are not."""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
import warnings
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.hostile_graphs import BEYOND, FOUND, calls, chain, graph, graphs, named, operation
from tfnanlint.cli import main
from tfnanlint.commands import CLEAN, FINDINGS, WRONG
from tfnanlint.errors import TfnanlintError
from tfnanlint.finding import Finding
from tfnanlint.graph import child_process, job, lint_graph
from tfnanlint.graph.positions import lines_of
from tfnanlint.graph.proofs import keep
from tfnanlint.graph.quiet import quiet


@pytest.mark.parametrize("name", graphs())
def test_a_graph_without_a_bound_is_answered(name: str, tmp_path: Path, monkeypatch: Any, capsys: Any) -> None:
    monkeypatch.chdir(tmp_path)
    make, said = graphs()[name]
    Path(name).write_bytes(make().SerializeToString())
    status = main(["graph", name, "--isolated", "--output-format", "text"])
    captured = capsys.readouterr()
    told = [line for line in (captured.out + captured.err).splitlines() if said in line]
    assert told, captured
    assert not any(line.lstrip().startswith("::") for line in (captured.out + captured.err).splitlines())
    if name == "command.pb":
        assert r"\u003a:stop-commands::tok" in captured.out
    if said.startswith(BEYOND):
        assert status == WRONG
        assert captured.err.splitlines() == told
        assert ("log-softmax" in captured.out) == (name == "doubled.pb")  # what was found within the limits is told
    else:
        assert status == (FINDINGS if said == FOUND else CLEAN)


def test_who_calls_the_linter_is_warned_of_what_it_did_not_lint(tmp_path: Path) -> None:
    deep = calls(100, 1)
    (tmp_path / "a.pb").write_bytes(deep.SerializeToString())
    for target in (deep, tmp_path / "a.pb"):
        with pytest.warns(RuntimeWarning, match="more than 64 calls deep"):
            assert lint_graph(target) == []
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(lint_graph(calls(40, 1))) == 1


def test_what_is_tried_as_a_whole_is_not_told_of(tmp_path: Path, monkeypatch: Any, capsys: Any) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.pb").write_bytes(chain(400).SerializeToString())
    assert main(["graph", "a.pb", "--isolated", "--output-format", "concise"]) == FINDINGS
    captured = capsys.readouterr()
    assert captured.out.startswith("a.pb: node l399: ")
    assert "tried without" not in captured.err


PROVE = ("--prove", "--prove-seconds", "90", "--isolated", "--output-format", "json", "--quiet")
"""Time enough on a machine that is busy."""


@pytest.fixture
def within(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """What is proved, is proved in this process, which takes less time."""

    def events_here(given: job.Job, reading: float | None) -> Iterator[job.Event]:
        with quiet():
            yield from job.events(given)

    monkeypatch.setattr(child_process, "events", events_here)
    monkeypatch.chdir(tmp_path)


def write(path: str, made: Any) -> str:
    """A GraphDef in a file."""
    Path(path).parent.mkdir(exist_ok=True, parents=True)
    Path(path).write_bytes(made.SerializeToString())
    return path


def write_saved(folder: str, made: Any, file: str = "", line: int = 1) -> str:
    """A GraphDef as a SavedModel whose debug info says that a line of a file made every operation."""
    from tensorflow.core.framework.graph_debug_info_pb2 import GraphDebugInfo
    from tensorflow.core.protobuf.saved_model_pb2 import SavedModel

    saved = SavedModel()
    saved.meta_graphs.add().graph_def.CopyFrom(made)
    write(f"{folder}/saved_model.pb", saved)
    if file:
        recorded = GraphDebugInfo(files=[file])
        for node in made.node:
            recorded.traces[f"{node.name}@"].file_line_cols.add(file_index=0, line=line, func="f")
        write(f"{folder}/debug/saved_model_debug_info.pb", recorded)
    return folder


def proved(capsys: Any, *targets: str, status: int = FINDINGS) -> list[dict[str, Any]]:
    """The findings of a run that proves all of them."""
    assert main(["graph", *targets, *PROVE]) == status
    found: list[dict[str, Any]] = json.loads(capsys.readouterr().out)
    assert [one["proof"]["status"] for one in found] == ["proved"] * len(found)
    return found


def test_graphs_that_read_alike_have_proofs_of_their_own(within: None, capsys: Any) -> None:
    targets = [write_saved("a/model", named("x")), write_saved("b/model", named("x"))]
    targets += [write("same.pb", named("x")), write("c/same.pb", named("x")), write("sa me.pb", named("x"))]
    files = [one["proof"]["file"] for one in proved(capsys, *targets)]
    assert len(set(files)) == len(os.listdir("tfnanlint-proofs")) // 2 == len(targets)  # with .gitignore and scripts
    assert [re.sub(r"-[0-9a-f]{8}\.npz$", "", os.path.basename(file)) for file in files] == [
        *["log-softmax-model-l"] * 2,
        "log-softmax-same-l",
        "log-softmax-sa-me-l",
        "log-softmax-same-l",
    ]
    assert [one["proof"]["file"] for one in proved(capsys, *targets)] == files


@pytest.mark.parametrize("name", ["file", "0", "x.npy", "x" * 70_000], ids=lambda name: name[:9])
def test_an_input_of_any_name_is_kept_and_shown_again(name: str, within: None, capsys: Any) -> None:
    (found,) = proved(capsys, write("a.pb", named(name)))
    assert list(found["proof"]["inputs"]) == [name]
    command = [sys.executable, found["proof"]["script"]]
    if name == "file":
        assert "inf" in subprocess.run(command, capture_output=True, text=True, check=True).stdout
    with np.load(found["proof"]["file"]) as given:
        (key,) = given.files
        assert not np.isfinite(np.log(np.exp(given[key]) / np.exp(given[key]).sum())).all()
    assert f"for name in [{key!r}]" in found["proof"]["reproduction"]


def test_a_long_name_of_an_operation_is_cut(within: None, capsys: Any) -> None:
    made = graph()
    for number in range(2):
        operation(made.node, f"s{number}", "Softmax", ["x"])
        operation(made.node, "n" * 3_000 + str(number), "Log", [f"s{number}"])
    files = {os.path.basename(one["proof"]["file"]) for one in proved(capsys, write("a.pb", made))}
    assert len(files) == 2
    assert max(map(len, files)) < 143


@pytest.mark.parametrize("breaks", ["\n", "\r", "\x0c", "\u2028"], ids=ascii)
def test_the_head_of_a_script_is_one_comment_whatever_the_model_names(breaks: str, within: None, capsys: Any) -> None:
    harm = "import os; os.mkdir('owned')"
    (found,) = proved(capsys, write_saved("m", named("x"), f"x{breaks}{harm}{breaks}# coding: unicode_escape .py", 2))
    script = Path(found["proof"]["script"]).read_text(encoding="utf-8")
    first, about, *_ = script.split("\n")
    assert first == "# -*- coding: utf-8 -*-"
    assert about.startswith(f"# log-softmax at x{breaks.encode('unicode_escape').decode()}{harm}")
    assert not any(line.startswith("import os;") for line in script.splitlines())


def test_a_script_has_a_statement_a_line_whatever_texts_hold(within: None, capsys: Any) -> None:
    (found,) = proved(capsys, write("a; b.pb", named("x")))
    script = ast.parse(Path(found["proof"]["script"]).read_text(encoding="utf-8"))
    assert len({statement.lineno for statement in script.body}) == len(script.body)
    assert "a; b.pb" in {node.value for node in ast.walk(script) if isinstance(node, ast.Constant)}


def test_a_proof_is_not_written_through_a_link(within: None, capsys: Any, tmp_path: Path) -> None:
    (found,) = proved(capsys, write("a.pb", named("x")))
    outside = tmp_path / "outside"
    outside.mkdir()
    for name in (found["proof"]["file"], found["proof"]["script"]):
        os.unlink(name)
        os.symlink(outside / "new", name)
    assert proved(capsys, "a.pb") == [found]
    assert os.listdir(outside) == []
    assert not any(os.path.islink(found["proof"][name]) for name in ("file", "script"))


def test_a_folder_of_proofs_that_is_a_link_is_told_and_all_is_reported(
    within: None, capsys: Any, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    os.symlink(outside, "tfnanlint-proofs")
    targets = [write(name, named("x")) for name in ("a.pb", "b.pb")]
    assert main(["graph", *targets, *PROVE]) == WRONG
    captured = capsys.readouterr()
    assert [found["path"] for found in json.loads(captured.out)] == targets
    said = captured.err.splitlines()
    assert [line.partition(": ")[0] for line in said] == targets
    assert all(line.endswith("not written: tfnanlint-proofs is a symbolic link; remove the link") for line in said)
    assert os.listdir(outside) == []


@pytest.mark.parametrize("file", ["../a.npz", "/a.npz", ".gitignore", "a.py", "tfnanlint-proofs/x/../../a.npz"])
def test_nothing_but_a_proof_is_written_and_that_to_its_folder(file: str, within: None) -> None:
    proof = {"status": "proved", "file": file, "script": "owned.py", "reproduction": "print(1)"}
    found = Finding("log-softmax", "probability", "error", "certain", "graph", "", "", "a.py", 1, 1, 1, 2, proof=proof)
    with suppress(TfnanlintError):
        keep(found, b"numbers")
    assert set(os.listdir()) <= {"tfnanlint-proofs"}
    assert all(not Path(name).is_dir() for name in Path().glob("tfnanlint-proofs/*"))
    assert {path.name for path in Path().glob("tfnanlint-proofs/*")} <= {".gitignore", "a.npz", "a.py"}


def test_a_line_that_is_not_there_is_a_line_without_text(within: None, capsys: Any) -> None:
    Path("short.py").write_text("x = 1\n")
    long = "n" * 5_000 + ".py"
    places = [("short.py", 2), ("short.py", -5), ("short.py", 2**31 - 1), ("absent.py", 2), ("a\0b.py", 2), (long, 2)]
    targets = [write_saved(f"m{n}", named("x"), file, line) for n, (file, line) in enumerate(places)]
    assert main(["graph", *targets, *PROVE[3:]]) == FINDINGS
    captured = capsys.readouterr()
    assert captured.err == ""
    said = {(found["path"], found["line"]) for found in json.loads(captured.out)}
    assert said == {place for place in places if "\0" not in place[0]} | {(os.path.join("m4", "saved_model.pb"), 1)}


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes in the file system")
def test_what_is_no_regular_file_has_no_lines(within: None) -> None:
    os.mkfifo("pipe.py")
    os.mkdir("folder.py")
    Path("damaged.py").write_bytes(b"\xff\xfe")
    Path("text.py").write_bytes(b"a\r\nb\x0c\n\xc3\xa9")
    assert [lines_of(name) for name in ("pipe.py", "folder.py", "damaged.py", "absent.py")] == [[]] * 4
    assert lines_of("text.py") == ["a\n", "b\x0c\n", "\u00e9"]
