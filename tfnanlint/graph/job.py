"""A run over several targets as a series of events: targets read, findings, results of proofs.

Events are plain data, so that a run can happen in another process.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tfnanlint.config.settings import Settings
from tfnanlint.errors import TfnanlintError
from tfnanlint.finding import Finding
from tfnanlint.graph.specs import Argument
from tfnanlint.run.plan import Plan, plan_of

if TYPE_CHECKING:
    from tfnanlint.graph.batches import Batch
    from tfnanlint.graph.lint import Bounds
    from tfnanlint.graph.tracing import Subject
    from tfnanlint.ruleset.rule import Rules


@dataclass(frozen=True)
class Job:
    """What to lint, and how; `proving` is how many seconds to search for each finding, None: not at all.

    The targets of a `confined` job are files whose contents nobody vouches for. `rules` stand in the place of those
    that the settings select, and `differentiate` is as in `lint_concrete`. A `batch` is a sample of the data, and
    a `signature` what to lint of a SavedModel; the modules in `imports` are the user's own code.
    """

    targets: Sequence[str]
    arguments: Sequence[Argument]
    ranges: Mapping[str, Bounds]
    settings: Settings
    allow_code: bool = False
    proving: float | None = None
    confined: bool = False
    compiled: bool = False
    rules: Rules | None = None
    differentiate: bool | Sequence[str] | None = None
    batch: Batch = None
    signature: str | None = None
    imports: Sequence[str] = ()


@dataclass(frozen=True)
class Reading:
    """The next graph of a target, the one at this place of the job's, is imported, traced or read."""

    place: int


@dataclass(frozen=True)
class Linted:
    """The findings in a graph, and the names of its inputs and variables; candidates are findings if proved alone.

    `beyond` says what was not linted, and `note` what trials could not show, where there is something to say.
    """

    findings: Sequence[Finding]
    inputs: Sequence[str]
    variables: Sequence[str]
    candidates: frozenset[int] = frozenset()
    beyond: str = ""
    note: str = ""


@dataclass(frozen=True)
class Proving:
    """The search for inputs that show a finding, the one of this number in its graph, begins."""

    number: int
    finding: Finding


@dataclass(frozen=True)
class Proved:
    """What has come of it: the finding with its proof, and what is to be kept of that in a file."""

    number: int
    finding: Finding
    numbers: bytes = b""


@dataclass(frozen=True)
class Failed:
    """Nothing more comes of a target, for this reason; of an internal error, with its traceback."""

    place: int
    reason: str
    traceback: str = ""


Event = Reading | Linted | Proving | Proved | Failed


def reported(graph: Linted, findings: Sequence[Finding]) -> Iterator[Finding]:
    """The findings in a graph, those candidates left out that were not proved."""
    for number, finding in enumerate(findings):
        if number not in graph.candidates or finding.proved:
            yield finding


def events(
    job: Job, first: int = 0, settled: Sequence[Finding] = (), before: Callable[[str], None] | None = None
) -> Iterator[Event]:
    """Do what a job says, from its `first` target on, whose first findings have been proved or not: `settled`.

    Each target is given to `before` before it is read.
    """
    plan = plan_of(job.settings)
    done = list(settled)
    for place in range(first, len(job.targets)):
        try:
            if before is not None:
                before(job.targets[place])
            yield from _of_target(job, plan, place, done)
        except TfnanlintError as error:
            yield Failed(place, str(error))
        except MemoryError:
            yield Failed(place, "exceeds the memory limit for reading it")
        except Exception as error:
            yield Failed(place, f"internal error: {type(error).__name__}: {error}", traceback.format_exc())
        done.clear()


def _of_target(job: Job, plan: Plan, place: int, done: list[Finding]) -> Iterator[Event]:
    from tfnanlint.graph.targets import subjects

    to_run = job.proving is not None
    target, given = job.targets[place], job.arguments
    found = subjects(target, given, job.allow_code, to_run, job.batch, job.signature, job.imports)
    proved: set[tuple[str, int, int, int, str]] = set()
    while True:
        yield Reading(place)
        subject = next(found, None)
        if subject is None:
            return
        for event in _of_subject(job, plan, subject, done, proved):
            if isinstance(event, Proved) and event.finding.has_source and event.finding.proved:
                proved.add(event.finding.position)
            yield event


def _of_subject(
    job: Job, plan: Plan, subject: Subject, done: list[Finding], proved: Container[tuple[str, int, int, int, str]]
) -> Iterator[Event]:
    """What comes of one graph; what was `proved` in another of its target is proved once."""
    from tfnanlint.graph.collected import heard, placed
    from tfnanlint.graph.lint import examined

    if job.compiled:
        subject = replace(subject, compiled=True)
    lowered = subject.lowered()
    pedantic = job.settings.pedantic
    found = examined(
        lowered,
        rules=job.rules or plan.rules,
        ranges={**plan.assumptions.ranges, **job.ranges},
        differentiate=subject.differentiate if job.differentiate is None else job.differentiate,
        pedantic=pedantic or job.proving is not None,
        saved=subject.saved(lowered),
        samples=subject.samples,
        unshown=job.proving is not None,
    )
    if job.proving is not None and not pedantic:
        from tfnanlint.graph.proving import worth_proving

        found = worth_proving(found, lowered)
    findings = placed((finding for finding, _ in found), subject.path)
    candidates = [number for number, found in enumerate(findings) if found.certainty == "possible"]
    given = tuple(lowered.inputs), tuple(lowered.variables)
    left = frozenset(() if pedantic else candidates)
    yield Linted(findings, *given, left, lowered.not_linted, lowered.note)
    if job.proving is None:
        return
    from tfnanlint.graph.proofs import with_proof
    from tfnanlint.graph.prove import Prover

    silenced = heard(findings).silenced
    matches = [match for _, match in found]
    prover = Prover(subject, lowered, matches)
    for number, (finding, match) in enumerate(zip(findings, matches, strict=True)):
        if finding in silenced or finding.position in proved:
            continue
        yield Proving(number, finding)
        known, numbers = done.pop(0) if done else None, b""
        if known is None or known.position != finding.position:
            known, numbers = with_proof(finding, match, prover, subject.call, job.proving)
        yield Proved(number, known, numbers)
