"""The benchmark of bugs that repositories fixed: what its references are, and how it scores them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from hashlib import sha1
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parent.parent / "benchmarks" / "bugs.py"
BUGS = json.loads(SCRIPT.with_name("bugs.json").read_text(encoding="utf-8"))
AUTHOR = {f"GIT_{who}_{what}": "tester" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
LOSS = "import tensorflow as tf\n\n\ndef loss(labels, logits):\n    return -tf.reduce_sum(labels * {}(logits))\n"
BEFORE = LOSS.format("tf.math.log(tf.nn.softmax)").replace("softmax)(logits)", "softmax(logits))")
AFTER = LOSS.format("tf.nn.log_softmax")


@pytest.mark.quick
def test_each_reference_names_two_commits_and_lines_and_the_half_is_that_of_its_repository() -> None:
    places = {(bug["commit"], bug["path"], *bug["before"]) for bug in BUGS}
    assert len(places) == len(BUGS)
    for bug in BUGS:
        assert {len(bug["commit"]), len(bug["parent"])} == {40}, bug
        assert bug["commit"] != bug["parent"], bug
        assert bug["path"].endswith(".py"), bug
        assert min(bug["before"] + bug["after"]) > 0, bug
        even = int(sha1(bug["repository"].encode()).hexdigest(), 16) % 2 == 0
        assert bug["half"] == ("open" if even else "aside"), bug


def script(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, str(SCRIPT), *arguments], capture_output=True, text=True, check=False)


@pytest.mark.quick
def test_it_names_the_repositories_of_a_half() -> None:
    for half in ("open", "aside"):
        named = script("--needed", "--half", half).stdout.split()
        assert set(named) == {bug["repository"] for bug in BUGS if bug["half"] == half}


@pytest.mark.parametrize("tree", [(), ("--tree",)])
def test_a_bug_is_found_before_its_fix_and_not_flagged_after_it(tmp_path: Path, tree: tuple[str, ...]) -> None:
    home = tmp_path / "someone+something"
    path = home / "losses" / "loss.py"
    path.parent.mkdir(parents=True)

    def git(*arguments: str) -> str:
        run = subprocess.run(
            ["git", *arguments], cwd=home, env=os.environ | AUTHOR, capture_output=True, text=True, check=True
        )
        return run.stdout.strip()

    git("init", "-q")
    commits = []
    for text in (BEFORE, AFTER):
        path.write_text(text)
        git("add", ".")
        git("commit", "-q", "-m", "a loss")
        commits.append(git("rev-parse", "HEAD"))
    known = {
        "repository": "someone/something",
        "commit": commits[1],
        "parent": commits[0],
        "path": "losses/loss.py",
        "after": [5],
        "failed": "log of a softmax",
        "half": "open",
    }
    elsewhere = {**known, "repository": "someone/else"}
    bugs = tmp_path / "bugs.json"

    def scored(entries: list[dict[str, object]]) -> subprocess.CompletedProcess[str]:
        bugs.write_text(json.dumps(entries))
        return script(str(tmp_path), "--bugs", str(bugs), "--half", "open", "--list", *tree)

    done = scored([{**known, "before": [5]}, {**known, "before": [1]}])
    assert "1 of    2 bugs found,    0 repairs flagged" in done.stdout, done.stderr
    assert "missed   someone/something losses/loss.py:1: log of a softmax" in done.stdout
    assert done.returncode == 0
    done = scored([{**elsewhere, "before": [5]}])
    assert "someone/else: no clone of it" in done.stderr
    assert done.returncode == 1
