"""The result of a proof, in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple


class Told(NamedTuple):
    """The outcome in a word, what was seen or why nothing was, and code that shows it again."""

    status: str
    said: str
    code: str


def told(proof: Mapping[str, Any]) -> Told:
    """A finding's proof in words."""
    if proof["status"] != "proved":
        return Told(proof["status"], str(proof.get("reason", "")), "")
    inputs = ", ".join(f"{name} = {value}" for name, value in proof["inputs"].items()) or "any input"
    if "weights" in proof:
        inputs += f", with all weights {proof['weights']:g} times what they are"
    if proof.get("behind"):
        inputs += ", once the findings before it are fixed (they fail first, and the code below shows them)"
    said = f"the {proof['what']} is not finite at {inputs}, in {proof['mode']} mode"
    return Told("proved", said, proof.get("reproduction", proof["file"]))
