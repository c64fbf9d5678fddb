"""`tfnanlint graph`: lint traced functions, models and saved graphs."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, groupby

from tfnanlint.commands.adoption import add_baseline, leave_known
from tfnanlint.commands.options import add_configuration, add_rules, add_status, names, parser
from tfnanlint.commands.result import Result, add_output, finish, settle_output
from tfnanlint.config.discovery import Configs
from tfnanlint.config.settings import Settings
from tfnanlint.errors import TfnanlintError
from tfnanlint.finding import Finding
from tfnanlint.graph.batches import Batch, unused
from tfnanlint.graph.job import Event, Failed, Job, Linted, Proved, Proving, Reading, events, reported
from tfnanlint.graph.model import require_tensorflow
from tfnanlint.graph.specs import parse_range, parse_spec
from tfnanlint.run.many import settings_for
from tfnanlint.run.plan import plan_of
from tfnanlint.run.problem import Problem

TARGETS = """\
targets:
  pkg.module:function       a function, a tf.function, a layer or a method, traced
  pkg.module:model          a Keras model: its forward pass, and its training step if it is compiled
  pkg.module:make           a function that returns a model or a function
  path/file.py:name         any of them, in a file
  folder/ model.pb g.pbtxt  a SavedModel or a GraphDef, read as data
  model.keras model.h5      a Keras model from its file

input specs: float32[None,4], ids:int32[] (named), float32 (any shape), training=False (a Python value)"""


def run(arguments: Sequence[str]) -> int:
    """Lint the graphs of all targets; the exit status."""
    made = grammar()
    options = made.parse_args(arguments)
    if options.write_baseline and (options.baseline or options.changed_since is not None):
        made.error("--write-baseline writes all findings; leave out --baseline and --changed-since")
    if options.signature is not None and not any(os.path.isdir(target) for target in options.targets):
        made.error("--signature needs a SavedModel, and no target is a folder")
    configs = Configs(options.config, options.isolated)
    settle_output(options, configs)
    wanted = Settings(
        names(options.select),
        names(options.ignore),
        pedantic=options.pedantic,
        fail_on=options.fail_on or "",
        min_certainty=options.min_certainty or "",
    )
    (settings,) = settings_for([configs.of(os.getcwd())], wanted)
    specs = [parse_spec(text) for text in options.input_spec or ()]
    ranges = dict(parse_range(text) for text in options.range or ())
    require_tensorflow()
    batch = _sample(options.sample)
    result = Result(unit="graph")
    if settings is not None:
        result.usual = settings
        from tfnanlint.graph.lint import EVERY_INPUT

        named = {EVERY_INPUT if name is None else name: told for name, told in ranges.items()}
        proving = options.prove_seconds if options.prove else None
        job = Job(
            options.targets,
            specs,
            named,
            settings,
            options.allow_code,
            proving,
            compiled=options.jit_compile,
            batch=batch,
            signature=options.signature,
            imports=options.imports or (),
        )
        run = _Run(job, result)
        run.take(_events(job, options.target_seconds))
        run.close()
        leave_known(result, options)
    return finish(result, options, sys.stdout)


def _sample(text: str | None) -> Batch:
    """The sample of data that an option names; None without one."""
    if text is None:
        return None
    from tfnanlint.graph.batches import read_batch
    from tfnanlint.graph.quiet import quiet

    with quiet():
        return read_batch(text)


def _events(job: Job, reading: float | None) -> Iterator[Event]:
    """What a job comes to, its targets in their order; those that are files, from processes that are confined."""
    from tfnanlint.graph.targets import is_stored

    start = 0
    for confined, targets in groupby(job.targets, lambda target: is_stored(target) and not job.allow_code):
        part = replace(job, targets=tuple(targets), confined=confined)
        for event in _of_part(part, reading):
            yield replace(event, place=start + event.place) if isinstance(event, (Reading, Failed)) else event
        start += len(part.targets)


def _of_part(job: Job, reading: float | None) -> Iterator[Event]:
    """What a job comes to; where there is a limit to what it may take, from a process that can be ended."""
    if reading is None and job.proving is None and not job.confined:
        from tfnanlint.graph.quiet import quiet

        with quiet():
            yield from events(job)
    else:
        from tfnanlint.graph import child_process

        yield from child_process.events(job, reading)


class _Run:
    """What one run over all targets comes to."""

    def __init__(self, job: Job, result: Result) -> None:
        self.job = job
        self.result = result
        self.graphs: list[Linted] = []
        self.findings: list[list[Finding]] = []
        self.doing = ""
        self.reading = ""

    def take(self, events: Iterable[Event]) -> None:
        """Collect the events; on an interrupt, tell the user what was running."""
        try:
            for event in events:
                self._take(event)
        except KeyboardInterrupt:
            raise KeyboardInterrupt(self.doing) from None

    def _take(self, event: Event) -> None:
        if isinstance(event, Reading):
            self.reading = self.job.targets[event.place]
            self.doing = f"while importing, tracing or reading {self.reading}"
        elif isinstance(event, Linted):
            self.graphs.append(event)
            self.findings.append(list(event.findings))
            self.result.files += 1
            if event.beyond:
                self._complain(self.reading, event.beyond)
            if event.note and (note := f"{self.reading}: {event.note}.") not in self.result.notes:
                self.result.notes.append(note)
        elif isinstance(event, Proving):
            self.doing = f"while proving {event.finding.rule} at {event.finding.path}:{event.finding.line}"
        elif isinstance(event, Proved):
            self.findings[-1][event.number] = event.finding
            self._keep(event)
        else:
            self._note(self.job.targets[event.place], event.reason, event.traceback)

    def _keep(self, proved: Proved) -> None:
        """Write a proof; one that cannot be written ends neither the target nor the run."""
        from tfnanlint.graph.proofs import keep

        try:
            keep(proved.finding, proved.numbers)
        except TfnanlintError as error:
            self._complain(self.reading, str(error))

    def _note(self, target: str, reason: str, trace: str = "") -> None:
        """Note that a target, or an option, could not be made anything of."""
        self.result.files += 1
        self._complain(target, reason.removeprefix(f"{target}: "), trace)

    def _complain(self, target: str, reason: str, trace: str = "") -> None:
        self.result.failed += 1
        problem = Problem(target, 0, 0, reason, trace)
        if problem not in self.result.problems:
            self.result.problems.append(problem)

    def close(self) -> None:
        """Add the findings to the result, each one once, and report unused ranges."""
        from tfnanlint.graph.collected import heard, told_once
        from tfnanlint.graph.lint import EVERY_INPUT, no_input

        found = map(reported, self.graphs, self.findings)
        left = heard(told_once(chain.from_iterable(found)))
        plan = plan_of(self.job.settings)
        self.result.findings, self.result.silenced = map(plan.adjusted, (left.findings, left.silenced))
        if not self.result.problems:
            inputs = dict.fromkeys(name for graph in self.graphs for name in graph.inputs)
            variables = dict.fromkeys(name for graph in self.graphs for name in graph.variables)
            for name in self.job.ranges:
                if name.removesuffix(":0") not in {EVERY_INPUT, *inputs, *variables}:
                    self._note("--range", no_input(name, inputs, variables))
            names = list(unused(self.job.batch, inputs))
            if names and len(names) == len(self.job.batch):
                self._note("--sample", no_input(names[0], inputs, ()))
            elif names:
                verb = "are not inputs" if len(names) > 1 else "is not an input"
                self.result.notes.append(f"--sample: {', '.join(names)} {verb} of the graphs.")


def _seconds(text: str) -> float:
    """A time limit; NaN and infinity are refused."""
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 < value < 1e6:
        raise argparse.ArgumentTypeError(f"{text!r} is not a positive number of seconds")
    return value


def grammar() -> argparse.ArgumentParser:
    """The options of this subcommand."""
    made = parser("graph", "Find NaN and Inf in traced functions, models and saved graphs.", TARGETS, lints=True)
    made.usage = "tfnanlint graph TARGET ... [options]"
    made.add_argument("targets", nargs="+", metavar="TARGET", help="what to lint; see below")
    inputs = made.add_argument_group("inputs")
    inputs.add_argument(
        "--input-spec", action="append", metavar="SPEC", help="dtype and shape of an argument; repeat for each argument"
    )
    inputs.add_argument(
        "--range",
        action="append",
        metavar="X=LOW..HIGH",
        help="bounds of an input, e.g. x=0..1; without a name, of all inputs",
    )
    inputs.add_argument(
        "--sample",
        metavar="DATA",
        help="a batch of ordinary data: a .npz file with arrays by input name, or MODULE:NAME of a tf.data dataset",
    )
    inputs.add_argument("--signature", metavar="NAME", help="lint this signature of a SavedModel (default: all)")
    inputs.add_argument(
        "--jit-compile", action="store_true", help="lint the traced functions as if they had jit_compile=True"
    )
    inputs.add_argument(
        "--import",
        action="append",
        dest="imports",
        metavar="MODULE",
        help="import this module or .py file, which defines the custom layers and functions of a Keras model file",
    )
    inputs.add_argument(
        "--allow-code",
        action="store_true",
        help="run code from model files and, with --prove, saved graphs",
    )
    inputs.add_argument(
        "--target-seconds",
        type=_seconds,
        metavar="N",
        help="time limit to import, trace or read a target (default: by size for files, none for others)",
    )
    proving = made.add_argument_group("proof (runs the linted code)")
    proving.add_argument(
        "--prove",
        action="store_true",
        help="run the function, search for inputs that trigger each finding, keep them as .npz",
    )
    proving.add_argument(
        "--prove-seconds",
        type=_seconds,
        default=10.0,
        metavar="N",
        help="time limit of the search for each finding (default: 10)",
    )
    add_rules(made)
    add_output(made)
    add_baseline(made).add_argument(
        "--changed-since", metavar="REV", help="report only findings in files that differ from a git revision"
    )
    add_configuration(made)
    running = made.add_argument_group("running")
    add_status(running)
    made.set_defaults(diff=False)
    return made
