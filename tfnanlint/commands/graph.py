"""`tfnanlint graph`: lint traced functions, models and saved graphs."""

from __future__ import annotations

import argparse
import importlib.util
import os
import sys
import traceback
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from tfnanlint.commands.options import add_configuration, add_rules, names, parser
from tfnanlint.commands.result import Result, add_output, finish
from tfnanlint.config.nearest import Configs, Settings
from tfnanlint.errors import TfnanlintError
from tfnanlint.graph.specs import parse_range, parse_spec
from tfnanlint.ranges import Range
from tfnanlint.run.many import settings_for
from tfnanlint.run.rounds import Problem
from tfnanlint.run.single import Plan, plan_of

if TYPE_CHECKING:
    from tfnanlint.finding import Finding
    from tfnanlint.graph.specs import Argument
    from tfnanlint.graph.tracing import Subject

TARGETS = """\
targets:
  pkg.module:function       a function, a tf.function, a layer or a method, traced
  pkg.module:model          a Keras model: forward, and its training step when it is compiled
  path/file.py:name         either, in a file
  folder/ model.pb g.pbtxt  a SavedModel or a GraphDef, read as data
  model.keras model.h5      a Keras model from its file

input specs: float32[None,4], ids:int32[] (named), float32 (of any shape), training=False (a Python value)"""


def run(arguments: Sequence[str]) -> int:
    """Lint the graphs of all targets; the exit status."""
    options = grammar().parse_args(arguments)
    configs = Configs(options.config, options.isolated)
    wanted = Settings(names(options.select), names(options.ignore), pedantic=options.pedantic)
    (settings,) = settings_for([configs.of(os.getcwd())], wanted)
    specs = [parse_spec(text) for text in options.input_spec or ()]
    ranges = dict(parse_range(text) for text in options.range or ())
    if importlib.util.find_spec("tensorflow") is None:
        raise TfnanlintError("the graph pass needs TensorFlow: pip install 'tfnanlint[graph]'")
    from tfnanlint.graph.quiet import quiet

    result = Result(unit="graph")
    if settings is not None:
        with quiet():
            run = _Run(plan_of(settings), ranges, options, result)
            for target in options.targets:
                run.target(target, specs)
            run.close()
    return finish(result, options, "none", sys.stdout)


class _Run:
    """One run over all targets."""

    def __init__(
        self, plan: Plan, ranges: Mapping[str | None, Range], options: argparse.Namespace, result: Result
    ) -> None:
        from tfnanlint.graph.lint import EVERY_INPUT

        self.plan = plan
        self.ranges = {EVERY_INPUT if name is None else name: told for name, told in ranges.items()}
        self.options = options
        self.result = result
        self.findings: list[Finding] = []
        self.inputs: dict[str, None] = {}
        self.variables: dict[str, None] = {}

    def target(self, target: str, specs: Sequence[Argument]) -> None:
        """Lint the graphs of one target; what is wrong with it is noted, and the others go on."""
        from tfnanlint.graph.targets import subjects

        try:
            for subject in subjects(target, specs, self.options.allow_code, self.options.prove):
                self.findings += self._lint(subject)
                self.result.files += 1
        except TfnanlintError as error:
            self._note(target, str(error))
        except (Exception, RecursionError) as error:
            self._note(target, f"internal error: {type(error).__name__}: {error}", traceback.format_exc())

    def _note(self, target: str, reason: str, trace: str = "") -> None:
        self.result.failed += 1
        self.result.files += 1
        self.result.problems.append(Problem(target, 0, 0, reason.removeprefix(f"{target}: "), trace))

    def _lint(self, subject: Subject) -> Iterable[Finding]:
        from tfnanlint.graph.api import heard, placed
        from tfnanlint.graph.lint import examined

        lowered = subject.lowered()
        self.inputs.update(dict.fromkeys(lowered.inputs))
        self.variables.update(dict.fromkeys(lowered.variables))
        found = examined(
            lowered,
            rules=self.plan.rules,
            ranges={**self.plan.given.ranges, **self.ranges},
            differentiate=subject.differentiate,
            pedantic=self.options.pedantic,
            saved=subject.saved(lowered),
        )
        findings = placed((finding for finding, _ in found), subject.path)
        if not self.options.prove:
            return findings
        from tfnanlint.graph.proofs import with_proof

        silenced = heard(findings).silenced
        matches = [match for _, match in found]
        seconds = self.options.prove_seconds
        return [
            finding if finding in silenced else with_proof(finding, match, subject, lowered, seconds, matches)
            for finding, match in zip(findings, matches, strict=True)
        ]

    def close(self) -> None:
        """Take what was found into the result, each thing once, and complain of ranges that were given in vain."""
        from tfnanlint.graph.api import heard, told_once
        from tfnanlint.graph.lint import EVERY_INPUT, no_input

        left = heard(told_once(self.findings))
        self.result.findings, self.result.silenced = map(self.plan.weighed, (left.findings, left.silenced))
        if not self.result.problems:
            for name in self.ranges:
                if name.removesuffix(":0") not in {EVERY_INPUT, *self.inputs, *self.variables}:
                    self._note("--range", no_input(name, self.inputs, self.variables))


def _seconds(text: str) -> float:
    """A time limit; NaN and infinity are none."""
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 < value < 1e6:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds above 0")
    return value


def grammar() -> argparse.ArgumentParser:
    """The options of this subcommand."""
    made = parser("graph", "Find where traced functions, models and saved graphs produce NaN or Inf.", TARGETS)
    made.usage = "tfnanlint graph TARGET ... [options]"
    made.add_argument("targets", nargs="+", metavar="TARGET", help="what to lint; see below")
    inputs = made.add_argument_group("inputs")
    inputs.add_argument(
        "--input-spec", action="append", metavar="SPEC", help="the type and shape of an argument; once an argument"
    )
    inputs.add_argument(
        "--range", action="append", metavar="X=LOW..HIGH", help="what an input holds; without a name, every input"
    )
    inputs.add_argument(
        "--allow-code",
        action="store_true",
        help="run code from model files; with --prove, saved graphs too",
    )
    proving = made.add_argument_group("proof (this runs what is linted)")
    proving.add_argument(
        "--prove", action="store_true", help="search inputs on which TensorFlow shows each finding; keep them as .npz"
    )
    proving.add_argument(
        "--prove-seconds", type=_seconds, default=10.0, metavar="N", help="how long to search, for each finding (10)"
    )
    add_rules(made)
    add_output(made)
    add_configuration(made)
    running = made.add_argument_group("running")
    running.add_argument("--exit-zero", action="store_true", help="exit with 0 even if there are findings")
    made.set_defaults(diff=False)
    return made
