"""The proof of a finding: the inputs in a file, a script that reproduces the hazard, and the JSON object."""

from __future__ import annotations

import ast
import hashlib
import io
import os
import re
import zipfile
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tfnanlint.errors import TfnanlintError
from tfnanlint.explain.finding import SEVERITY_OF_DOUBT, severity_where_reached
from tfnanlint.finding import Finding
from tfnanlint.graph.lint import AS_OUTPUT
from tfnanlint.graph.probe import roots_of
from tfnanlint.graph.prove import Attempt, Prover
from tfnanlint.run.files import write_anew

if TYPE_CHECKING:
    from tfnanlint.graph.tracing import Call
    from tfnanlint.match.captures import Match

FOLDER = "tfnanlint-proofs"
_IN_ORDER = "[v for handle, _ in held.graph.captures for v in held.variables if v.handle is handle]"
_CALLS = {
    "graph": "tf.function(lambda *x: {})",
    "eager": "lambda *x: {}",
    "xla": "tf.function(lambda *x: {}, jit_compile=True)",
}
LINES = 5
"""A reproduction has no more."""
SHOWN = 8
"""Inputs of so many elements are told in the report; larger ones are in the file only."""
_READABLE = 120
"""The bytes of a file's name that say what it is about: file systems take 143 or more in all."""
_FILE = re.compile(r"[\w.-]+\.npz")
_KEY = re.compile(r"(?![\d]+$)[\w./:>-]{1,200}(?<!\.npy)")
"""Names that stand in the file as they are; a number is a place, and NumPy takes the ending off."""


def with_proof(
    finding: Finding, match: Match, prover: Prover, call: Call | None, seconds: float
) -> tuple[Finding, bytes]:
    """The finding with the result of its proof; a proved one is certain, a refuted one at most possible.

    Beside it stands what is to be kept of the proof, in a file. `call` is how Python calls what the graph was made of.
    """
    got = prover.attempt(match, seconds, calm=is_candidate(finding))
    proof: dict[str, Any] = {"status": got.status}
    if got.reason:
        proof["reason"] = got.reason
    if got.mode:
        proof["mode"] = got.mode
    if got.refuted and finding.certainty == "likely":
        proof["reason"] = f"{got.reason}: certainty is at most possible"
        return replace(finding, certainty="possible", severity=SEVERITY_OF_DOUBT, proof=proof), b""
    if got.status != "proved":
        return replace(finding, proof=proof), b""
    path = _path(finding, prover.subject.name)
    inputs = {
        argument.name: _brief(value)
        for argument, value in zip(got.arguments, got.values, strict=True)
        if argument.variable is None
    }
    by_output = all(root.how == AS_OUTPUT for root in roots_of(match, prover.lowered))
    proof |= {"what": got.what, "inputs": inputs, "file": path}
    if got.weights != 1.0:
        proof["weights"] = got.weights
    if got.behind:
        proof["behind"] = True
    if call is not None:
        proof["reproduction"] = _reproduction(call, got, path, by_output)
        proof["script"] = _script_path(path)
    return replace(finding, certainty="certain", severity=severity_where_reached(match), proof=proof), _numbers(got)


def is_candidate(finding: Finding) -> bool:
    """Whether a finding is reported only if it is proved."""
    return finding.certainty == "possible"


def _brief(value: Any) -> Any:
    """A small array in full, a large one by its type, its shape, and what all its elements are."""
    if value.size <= SHOWN:
        return value.tolist()
    same = f", all {value.flat[0]}" if (value == value.flat[0]).all() else ""
    return f"{value.dtype}{list(value.shape)}{same}"


def _path(finding: Finding, subject: str) -> str:
    """The file in which the inputs and variables of a proof are kept.

    Its name is cut where it is long, and ends in a digest of the graph and of the place: other graphs and places may
    have names that read the same.
    """
    place = str(finding.line) if finding.has_source else finding.node or ""
    name = re.sub(r"[^\w.-]+", "-", f"{finding.rule}-{_stem(finding.path)}-{place}")
    whole = repr((subject, finding.rule, finding.position, finding.node))
    digest = hashlib.sha256(whole.encode()).hexdigest()[:8]
    return os.path.join(FOLDER, f"{name.encode()[:_READABLE].decode(errors='ignore')}-{digest}.npz")


def _stem(path: str) -> str:
    """What a file is called: its name without the ending, of a SavedModel that of its folder."""
    name = os.path.basename(path.rstrip("/\\"))
    if name.startswith("saved_model.pb"):
        return os.path.basename(os.path.dirname(os.path.abspath(path)))
    return os.path.splitext(name)[0]


def _numbers(got: Attempt) -> bytes:
    """The inputs and variables of a proof as the contents of a file; `np.savez` has parameters of its own."""
    import numpy as np

    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as archive:
        for key, value in zip(_keys(got), got.values, strict=True):
            with archive.open(f"{key}.npy", "w", force_zip64=True) as file:
                np.lib.format.write_array(file, np.asanyarray(value))
    return held.getvalue()


def keep(finding: Finding, numbers: bytes) -> None:
    """Write what is to be kept of a finding's proof, where there is any; `TfnanlintError` where it cannot be written.

    The finding may come from a process that reads an unknown file: nothing is written outside the folder of proofs.
    """
    if not numbers or finding.proof is None:
        return
    name = os.path.basename(finding.proof["file"])
    if not _FILE.fullmatch(name):
        raise TfnanlintError(f"{name!r} is not the name of a proof")
    path = os.path.join(FOLDER, name)
    files = {path: numbers}
    if not os.path.isdir(FOLDER):  # who wants to share proofs removes it once
        files[os.path.join(FOLDER, ".gitignore")] = b"*\n"
    if "script" in finding.proof:
        files[_script_path(path)] = _script(finding, path, finding.proof["reproduction"]).encode()
    for path, data in files.items():
        write_anew(path, data)


def _script_path(path: str) -> str:
    """The script that belongs to a file of inputs."""
    return f"{os.path.splitext(path)[0]}.py"


def _script(finding: Finding, path: str, reproduction: str) -> str:
    """The lines that reproduce a hazard as a script, one statement a line.

    The first line says how it is encoded, so that no name in the next one does.
    """
    about = f"{finding.rule} at {finding.path}:{finding.line}: {finding.message}"
    head = f"""\
# -*- coding: utf-8 -*-
# {_on_one_line(about)}
# Run it where tfnanlint ran: python {_script_path(path).replace(os.sep, "/")}
import os, sys
sys.path.insert(0, os.getcwd())
"""
    return head + "".join(f"{statement}\n" for line in reproduction.split("\n") for statement in _statements(line))


def _on_one_line(text: str) -> str:
    """The text of a comment, with escapes for what ends a line or is not seen: names in a model may hold anything."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def _statements(line: str) -> list[str]:
    """The statements of a line, whatever the texts in it hold."""
    try:
        body = ast.parse(line).body
    except SyntaxError:  # it imports a file whose name is none in Python
        return [line]
    return [ast.get_source_segment(line, statement) or "" for statement in body]


def _names(got: Attempt, of_variables: bool) -> list[str]:
    return [argument.name for argument in got.arguments if (argument.variable is not None) == of_variables]


def _keys(got: Attempt) -> list[str]:
    """The names of values in the file.

    Where names are shared, or odd, variables go by their places among the function's, and inputs with odd names too.
    """
    inputs, variables = _names(got, False), _names(got, True)
    if not all(map(_KEY.fullmatch, inputs)):
        inputs = [f"input{place}" for place in range(len(inputs))]
    if len({*inputs, *variables}) < len(got.arguments) or not all(map(_KEY.fullmatch, variables)):
        variables = [str(place) for place in range(len(variables))]
    return [*inputs, *variables]


def _reproduction(call: Call, got: Attempt, path: str, by_output: bool) -> str:
    """A few lines of Python that compute what is not finite."""
    variables, keys = _names(got, True), _keys(got)
    inputs = keys[: len(keys) - len(variables)]
    called, made = call.called, ""
    if "(" in called:  # an instance is made once, not in every trace
        called, made = "function", f"function = {called}; "
    lines = [
        f"import numpy as np, tensorflow as tf; {call.brought}",
        f"given = np.load({path!r}); x = [tf.constant(given[name]) for name in {inputs!r}]",
        f"{made}call = {_CALLS[got.mode].format(f'{called}({call.words})')}",
    ]
    if variables:
        held = "tf.function(call).get_concrete_function(*x)"
        if keys == [*inputs, *variables]:
            lines[2] += f"; variables = {held}.variables"
            lines.append("[v.assign(given[v.name]) for v in variables if v.name in given]")
        else:
            lines[2] += f"; held = {held}; variables = {_IN_ORDER}"
            lines.append("[v.assign(given[str(place)]) for place, v in enumerate(variables)]")
    if got.what == "gradient" and by_output:
        lines.append("with tf.GradientTape() as tape: tape.watch(x); y = call(*x)")
        sources = "[*x, *variables]" if variables else "x"
        lines.append(f"print(y, tape.gradient(y, {sources}))")
    elif got.what == "gradient" and variables:
        lines.append("print(call(*x), [v.name for v in variables if not np.isfinite(v).all()])")
    else:
        lines.append("print(call(*x))")
    if len(lines) > LINES:
        lines[2:4] = ["; ".join(lines[2:4])]
    return "\n".join(lines)
