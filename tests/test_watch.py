"""`watch()`: everything traced inside it is linted, whoever traces it and however it ends."""

from __future__ import annotations

import subprocess
import sys
import threading
from typing import Any

import pytest
from graph_programs import HEAD, program

import tfnanlint
from tfnanlint.graph.watching import Listener

note = Listener.note
TOP = HEAD.count("\n")

PROGRAM = (
    "def root(x):\n    return tf.sqrt(tf.reduce_sum(tf.square(x)))\n\n\n"
    "@tf.function\ndef entropy(x):\n    return tf.math.log(tf.nn.softmax(x))\n\n\n"
    "@tf.function\ndef length(x):\n    return root(x)\n\n\n"
    "@tf.function\ndef outer(x):\n    return inner(x * 0.0 + 2.0)\n\n\n"
    "@tf.function\ndef inner(x):\n    return 1.0 / tf.nn.relu(x)\n\n\n"
    "@tf.function\ndef fails(x):\n    raise ValueError('no')\n"
)


@pytest.fixture
def names() -> dict[str, Any]:
    """The program's functions, none of them traced yet."""
    return program(PROGRAM, "/programs/watched.py")[1]  # AutoGraph knows a text by one path


def lines(findings: list[Any]) -> list[int]:
    return [found.line - TOP for found in findings]


def ones() -> Any:
    import tensorflow as tf

    return tf.ones((2, 3))


def test_what_is_traced_inside_is_linted_and_what_runs_eagerly_is_left_alone(names: dict[str, Any]) -> None:
    names["entropy"](ones())
    with tfnanlint.watch() as findings:
        names["root"](ones())
        names["entropy"](ones())  # traced before
    assert findings == []
    with tfnanlint.watch() as findings:
        names["entropy"](ones()[0])
        names["entropy"](ones()[0] * 2.0)
        assert findings == []
    assert lines(findings) == [7]
    assert findings[0].origin == "graph"


def test_a_gradient_counts_where_a_tape_asks_for_it(names: dict[str, Any]) -> None:
    import tensorflow as tf

    with tfnanlint.watch() as findings:
        names["length"](ones())
    assert findings == []
    x = ones()[0]
    with tfnanlint.watch() as findings, tf.GradientTape() as tape:
        tape.watch(x)
        loss = names["length"](x)
    assert tape.gradient(loss, x) is not None
    assert lines(findings) == [2]


def test_an_inner_function_is_judged_by_what_it_is_given(names: dict[str, Any]) -> None:
    with tfnanlint.watch() as findings:
        names["outer"](ones())
    assert findings == []
    with tfnanlint.watch() as findings:
        names["inner"](ones()[0])
    assert lines(findings) == [22]


def test_watches_nest_and_each_has_what_was_traced_inside_it(names: dict[str, Any]) -> None:
    with tfnanlint.watch() as outer:
        names["entropy"](ones())
        with tfnanlint.watch() as inner:
            names["inner"](ones())
    assert (lines(outer), lines(inner)) == ([7, 22], [22])


def test_what_a_proof_traces_is_not_taken_for_the_program_s(
    names: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    noted: list[bytes] = []
    monkeypatch.setattr(Listener, "note", lambda self, concrete: (noted.append(concrete.name), note(self, concrete)))
    with tfnanlint.watch(), tfnanlint.watch(prove=5) as inner:
        names["entropy"](ones())
    assert [found.proved for found in inner] == [True]
    assert len(noted) == 2  # one trace, and two that watch
    assert all(b"entropy" in name for name in noted)


def test_an_exception_passes_and_what_was_traced_before_it_is_linted(names: dict[str, Any]) -> None:
    findings: list[Any] = []

    def run() -> None:
        nonlocal findings
        with tfnanlint.watch() as findings:
            names["entropy"](ones())
            names["fails"](ones())

    with pytest.raises(ValueError, match="no"):
        run()
    assert lines(findings) == [7]


def test_traces_of_other_threads_are_seen(names: dict[str, Any]) -> None:
    threads = [threading.Thread(target=names[name], args=(ones(),)) for name in ("entropy", "inner")]
    with tfnanlint.watch() as findings:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert lines(findings) == [7, 22]


def test_options_are_those_of_the_graph_pass(names: dict[str, Any]) -> None:
    with tfnanlint.watch(ranges={"x": (1.0, 2.0)}) as findings:
        names["inner"](ones())
    assert findings == []


def test_tensorflow_is_as_it_was_once_nobody_watches() -> None:
    from tensorflow.python.eager.polymorphic_function import tracing_compilation

    before = tracing_compilation._create_concrete_function
    with tfnanlint.watch(), tfnanlint.watch():
        assert tracing_compilation._create_concrete_function is not before
    assert tracing_compilation._create_concrete_function is before


def test_watching_starts_before_tensorflow_is_imported_and_does_not_import_it() -> None:
    code = (
        "import sys, tfnanlint\n"
        "with tfnanlint.watch() as unused:\n    pass\n"
        "assert 'tensorflow' not in sys.modules\n"
        "with tfnanlint.watch() as findings:\n"
        "    import tensorflow as tf\n"
        "    tf.function(lambda x: tf.math.log(tf.nn.softmax(x)))(tf.ones((2, 2)))\n"
        "print([found.rule for found in findings])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "['log-softmax']\n"
