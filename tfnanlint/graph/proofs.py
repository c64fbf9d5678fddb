"""The proof of a finding: the inputs in a file, a script that reproduces the hazard, and the JSON object."""

from __future__ import annotations

import io
import os
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tfnanlint.errors import TfnanlintError
from tfnanlint.explain.finding import SEVERITY_OF_DOUBT, severity_where_reached
from tfnanlint.finding import Finding
from tfnanlint.graph.lint import AS_OUTPUT
from tfnanlint.graph.probe import roots_of
from tfnanlint.graph.prove import Attempt, Prover

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
    path = _path(finding)
    inputs = {
        argument.name: _brief(value)
        for argument, value in zip(got.arguments, got.values, strict=True)
        if argument.variable is None
    }
    by_output = all(root.how == AS_OUTPUT for root in roots_of(match, prover.lowered))
    proof |= {"what": got.what, "inputs": inputs, "file": path}
    if got.weights != 1.0:
        proof["weights"] = got.weights
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


def _path(finding: Finding) -> str:
    """The file in which the inputs and variables of a proof are kept."""
    place = str(finding.line) if finding.has_source else finding.node or ""
    stem = os.path.splitext(os.path.basename(finding.path.rstrip("/\\")))[0]
    name = re.sub(r"[^\w.-]+", "-", f"{finding.rule}-{stem}-{place}")
    return os.path.join(FOLDER, f"{name}.npz")


def _numbers(got: Attempt) -> bytes:
    """The inputs and variables of a proof as the contents of a file."""
    import numpy as np

    held = io.BytesIO()
    np.savez(held, **dict(zip(_keys(got), got.values, strict=True)))
    return held.getvalue()


def keep(finding: Finding, numbers: bytes) -> None:
    """Write what is to be kept of a finding's proof, where there is any."""
    if not numbers:
        return
    path = _path(finding)
    files = {path: numbers}
    if not os.path.isdir(FOLDER):  # who wants to share proofs removes it once
        files[os.path.join(FOLDER, ".gitignore")] = b"*\n"
    if finding.proof is not None and "script" in finding.proof:
        files[finding.proof["script"]] = _script(finding, finding.proof["reproduction"]).encode()
    try:
        os.makedirs(FOLDER, exist_ok=True)
        for path, data in files.items():
            with open(path, "wb") as file:
                file.write(data)
    except OSError as error:
        raise TfnanlintError(f"{path}: cannot write the proof: {(error.strerror or str(error)).lower()}") from None


def _script_path(path: str) -> str:
    """The script that belongs to a file of inputs."""
    return f"{os.path.splitext(path)[0]}.py"


def _script(finding: Finding, reproduction: str) -> str:
    """The lines that reproduce a hazard as a script, one statement a line."""
    head = f"""\
# {finding.rule} at {finding.path}:{finding.line}: {finding.message}
# Run it where tfnanlint ran: python {_script_path(_path(finding)).replace(os.sep, "/")}
import os, sys
sys.path.insert(0, os.getcwd())
"""
    lines = [
        part for line in reproduction.splitlines() for part in (line.split("; ") if line[:5] != "with " else [line])
    ]
    return head + "\n".join(lines) + "\n"


def _names(got: Attempt, of_variables: bool) -> list[str]:
    return [argument.name for argument in got.arguments if (argument.variable is not None) == of_variables]


def _keys(got: Attempt) -> list[str]:
    """The names of values in the file; variables that share a name go by their places among the function's."""
    inputs, variables = _names(got, False), _names(got, True)
    if len({*inputs, *variables}) < len(got.arguments):
        variables = [str(place) for place in range(len(variables))]
    return [*inputs, *variables]


def _reproduction(call: Call, got: Attempt, path: str, by_output: bool) -> str:
    """A few lines of Python that compute what is not finite."""
    inputs, variables = _names(got, False), _names(got, True)
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
        if _keys(got) == [*inputs, *variables]:
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
