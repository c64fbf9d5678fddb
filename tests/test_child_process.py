"""A run in another process: whatever the program under the linter does there, each target and finding is answered."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from tfnanlint.cli import main
from tfnanlint.commands import FINDINGS, WRONG
from tfnanlint.config.settings import Settings
from tfnanlint.finding import Finding
from tfnanlint.graph import child_process
from tfnanlint.graph.job import Event, Failed, Job, Linted, Proved, Proving, Reading

FIRST, SECOND = (
    Finding("norm-at-zero", "norm", "error", "likely", "graph", "a message", "", "program.py", line, 1, line, 9)
    for line in (3, 7)
)
DONE = {"status": "proved"}
JOB = Job(("one", "two"), (), {}, Settings(), proving=1.0)


def shown(finding: Finding) -> Finding:
    from dataclasses import replace

    return replace(finding, proof=DONE)


class Scripted:
    """A process that hands on what its script says, and stops where that ends."""

    scripts: Sequence[Sequence[Event | None]] = ()
    given: Sequence[tuple[int, list[Finding]]] = ()

    def __init__(self, job: Job, first: int, settled: Sequence[Finding], reading: float | None = None) -> None:
        type(self).given = (*self.given, (first, list(settled)))
        script, *type(self).scripts = self.scripts
        self.events: Iterator[Event | None] = iter(script)
        self.limits: list[float | None] = []

    def next(self, seconds: float | None) -> Event | None:
        self.limits.append(seconds)
        for event in self.events:
            return event
        raise child_process._Stopped("crashed the process (SIGSEGV)")

    def close(self) -> None:
        pass


def scripted(monkeypatch: pytest.MonkeyPatch, *scripts: Sequence[Event | None]) -> type[Scripted]:
    made = type("Process", (Scripted,), {"scripts": scripts, "given": ()})
    monkeypatch.setattr(child_process, "_Process", made)
    return made


READ = (Reading(0), Linted((FIRST, SECOND), ("x",), ()))
AFTER = (Reading(0), Reading(1), Linted((), (), ()), Reading(1), None)


def test_a_crash_while_one_finding_is_searched_leaves_the_others_their_proofs(monkeypatch: Any) -> None:
    again = (*READ, Proving(0, FIRST), Proved(0, FIRST), Proving(1, SECOND), Proved(1, shown(SECOND)))
    made = scripted(monkeypatch, (*READ, Proving(0, FIRST)), (*again, *AFTER))
    found = list(child_process.events(JOB))
    crashed = {"status": "not reached", "reason": "running it crashed the process (SIGSEGV)"}
    assert [event.finding.proof for event in found if isinstance(event, Proved)] == [crashed, DONE]
    assert [type(event) for event in found[:4]] == [Reading, Linted, Proving, Proved]
    assert sum(isinstance(event, Linted) for event in found) == 2
    (_, nothing), (first, settled) = made.given
    assert (nothing, first, [finding.proof for finding in settled]) == ([], 0, [crashed])


def test_what_is_settled_in_one_target_is_not_taken_for_the_next_one(monkeypatch: Any) -> None:
    searched = (*READ, Proving(0, FIRST), Proved(0, shown(FIRST)), Reading(0), Reading(1), Linted((SECOND,), (), ()))
    again = (Reading(1), Linted((SECOND,), (), ()), Proving(0, SECOND), Proved(0, SECOND), Reading(1), None)
    made = scripted(monkeypatch, (*searched, Proving(0, SECOND)), again)
    found = [event.finding.proof for event in child_process.events(JOB) if isinstance(event, Proved)]
    assert [proof and proof["status"] for proof in found] == ["proved", "not reached"]
    assert [(first, len(settled)) for first, settled in made.given] == [(0, 0), (1, 1)]


def test_a_target_that_ends_the_process_is_one_failure_and_the_next_one_is_linted(monkeypatch: Any) -> None:
    made = scripted(monkeypatch, (Reading(0),), AFTER[1:])
    found = list(child_process.events(JOB))
    assert found[:2] == [Reading(0), Failed(0, "importing, tracing or reading it crashed the process (SIGSEGV)")]
    assert [first for first, _ in made.given] == [0, 1]
    assert found[-1] == Reading(1)


def test_a_search_has_its_own_limit_and_reading_another(monkeypatch: Any) -> None:
    limits: list[float | None] = []
    made = scripted(monkeypatch, (*READ, Proving(0, FIRST), Proved(0, FIRST), *AFTER))
    monkeypatch.setattr(made, "next", lambda self, seconds: limits.append(seconds) or next(self.events))
    list(child_process.events(JOB, reading=9.0))
    assert limits[:5] == [9.0, 9.0, 9.0, JOB.proving + child_process.GRACE, 9.0]


def test_a_module_that_hangs_is_left_when_its_time_is_over(tmp_path: Path, monkeypatch: Any, capsys: Any) -> None:
    monkeypatch.chdir(tmp_path)
    Path("hangs.py").write_text("import threading\n\nthreading.Event().wait()\n")
    assert main(["graph", "hangs.py:f", "--target-seconds", "0.5", "--quiet"]) == WRONG
    reason = "importing, tracing or reading it did not finish within 0.5 s"
    assert capsys.readouterr() == ("", f"hangs.py:f: {reason}\n")


def test_modules_that_leave_or_crash_are_told_in_one_line_each(tmp_path: Path, monkeypatch: Any, capsys: Any) -> None:
    monkeypatch.chdir(tmp_path)
    Path("leaves.py").write_text("import os\n\nprint('on its way')\nos._exit(5)\n")
    Path("aborts.py").write_text("import os\n\nos.abort()\n")
    targets = ("leaves.py:f", "aborts.py:f", "nothing.py:f")
    assert main(["graph", *targets, "--target-seconds", "500", "--quiet"]) == WRONG
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.splitlines() == [
        "aborts.py:f: importing, tracing or reading it crashed the process (SIGABRT)",
        "leaves.py:f: importing, tracing or reading it ended the process with status 5",
        "nothing.py:f: file not found: nothing.py",
    ]


CRASHES = """\
import os
import tensorflow as tf


def crash(x):
    first = tf.math.log(tf.nn.softmax(x))
    return first, tf.math.log(tf.nn.softmax(tf.numpy_function(lambda v: os.abort(), [x], tf.float32)))
"""


def test_a_crash_of_what_is_run_is_told_of_its_finding(tmp_path: Path, monkeypatch: Any, capsys: Any) -> None:
    monkeypatch.chdir(tmp_path)
    Path("crashes.py").write_text(CRASHES)
    target = ("crashes.py:crash", "--input-spec", "float32[2,3]", "--select", "log-softmax", "--prove")
    assert main(["graph", *target, "--output-format", "json", "--quiet"]) == FINDINGS
    found = json.loads(capsys.readouterr().out)
    told = {"status": "not reached", "reason": "running it crashed the process (SIGABRT)"}
    assert [(f["line"], f["proof"]) for f in found] == [(6, told), (7, told)]


def test_one_who_interrupts_is_told_what_was_going_on(tmp_path: Path, monkeypatch: Any, capsys: Any) -> None:
    def interrupted(job: Job, reading: float | None) -> Iterator[Event]:
        yield Reading(0)
        raise KeyboardInterrupt

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(child_process, "events", interrupted)
    monkeypatch.setattr("signal.signal", lambda *given: None)
    assert main(["graph", "slow.py:f", "--target-seconds", "2"]) == 130
    assert capsys.readouterr().err == "tfnanlint: interrupted while importing, tracing or reading slow.py:f\n"


@pytest.mark.skipif(not hasattr(signal, "SIGXCPU"), reason="the platform limits no processor time")
def test_the_limit_of_processor_time_is_told_as_what_it_is() -> None:
    code = "import resource\nresource.setrlimit(resource.RLIMIT_CPU, (1, 2))\nwhile True: pass"
    status = subprocess.run([sys.executable, "-c", code], check=False, timeout=120).returncode
    told = child_process._ended(status)
    assert told == "exceeded its limit of processor time; --target-seconds sets another limit"
