"""Graph definitions without a bound, or with names that command: linted, or told in a line that they are not."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import pytest

from tests.hostile_graphs import BEYOND, FOUND, calls, chain, graphs
from tfnanlint.cli import main
from tfnanlint.commands import CLEAN, FINDINGS, WRONG
from tfnanlint.graph import lint_graph


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
