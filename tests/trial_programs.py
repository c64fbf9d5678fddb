"""Programs for the tests of trials: a function as text, lowered, and tried without TensorFlow."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tfnanlint.facts import Facts
from tfnanlint.finding import Finding
from tfnanlint.flow import Flow, Node
from tfnanlint.lint import lint_source, parse
from tfnanlint.ops import OPS
from tfnanlint.source.lower import lower
from tfnanlint.trial import Failure, Trials
from tfnanlint.trial.edges import EDGES
from tfnanlint.trial.evidence import name_of, role_of
from tfnanlint.trial.part_trial import Part
from tfnanlint.trial.roles import Role
from tfnanlint.trial.run import Run
from tfnanlint.trial.situations import CALM, SITUATIONS, Situation

HEAD = "import numpy as np\nimport tensorflow as tf\n\n\n"
EVERY = {situation.name: situation for situation in (*SITUATIONS, *EDGES)}
"""The situations by name."""


@dataclass(frozen=True)
class Program:
    """A program that is lowered: its nodes by name and by op, its runs, and what fails in them."""

    text: str
    flow: Flow
    facts: Facts

    def named(self, name: str) -> Node:
        """The value from outside that the program calls so."""
        (node,) = [
            node
            for node in self.flow
            if node.op in ("input", "placeholder", "variable", "attribute", "unknown", "layer", "getitem")
            and name_of(node, self.facts) == name
        ]
        return node

    def last(self, op: str) -> Node:
        """The last node of an op."""
        return [node for node in self.flow if node.op == op][-1]

    def role(self, name: str) -> Role:
        return role_of(self.named(name), self.facts)

    def part(self) -> Part:
        """The whole program as one part."""
        return Part(self.facts, list(self.flow), candidates=(), held={})

    def run(self, situation: Situation = CALM) -> Run:
        """The whole program, run in a situation."""
        part = self.part()
        with np.errstate(all="ignore"):
            part._settle_domain()
            run = part.run(situation)
            run.complete()
        return run

    def shape(self, name: str) -> tuple[int, ...]:
        """The shape that an input is given."""
        return np.shape(self.run().values[self.named(name)])

    def failures(self) -> list[Failure]:
        """Everything that fails, in every situation."""
        tried = Trials(self.facts, [node for node in self.flow if node.op in OPS])
        return [failure for found in tried.failures.values() for failure in found]

    def failing(self, op: str = "", kinds: Collection[str] = ("value", "gradient")) -> set[str]:
        """The names of the situations in which an op fails, or anything."""
        return {f.situation.name for f in self.failures() if op in ("", f.node.op) and f.kind in kinds}


def program(text: str) -> Program:
    """A program, from the text below its imports."""
    flow = lower(parse(HEAD + text, "program.py"), None, frozenset())
    return Program(text, flow, Facts(flow))


def function(*lines: str, parameters: str = "x") -> str:
    """The text of a function `f`."""
    return f"def f({parameters}):\n" + "".join(f"    {line}\n" for line in lines)


def trained(*lines: str, parameters: str = "x") -> str:
    """The text of a function `f` whose result is differentiated with respect to its parameters."""
    return function(*lines, parameters=parameters) + (
        "\n\ndef train(*given):\n"
        "    with tf.GradientTape() as tape:\n"
        "        loss = f(*given)\n"
        "    return tape.gradient(loss, given)\n"
    )


def findings(text: str, pedantic: bool = False, **options: Any) -> list[Finding]:
    """What is reported in a program."""
    return lint_source(HEAD + text, "program.py", pedantic=pedantic, **options)


def situations(found: Sequence[Finding]) -> list[str]:
    """The situations of findings, those without a trial left out."""
    return [one.trial["situation"] for one in found if one.trial is not None]
