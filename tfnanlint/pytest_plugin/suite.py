"""A test suite under the graph pass: each trace is linted after its test, and reported at the end.

With pytest-xdist the workers send their findings to the process that prints the summary.
"""

from __future__ import annotations

import pickle
from collections.abc import Generator, Sized
from typing import Any

import pytest

from tfnanlint.config.discovery import Configs
from tfnanlint.config.settings import Settings
from tfnanlint.errors import TfnanlintError
from tfnanlint.finding import Finding
from tfnanlint.graph.watching import Listener
from tfnanlint.report import Report, render
from tfnanlint.run.many import settings_for
from tfnanlint.run.plan import plan_of

OUTPUT = "tfnanlint"
COLLECTED = "collecting the tests"


class Suite:
    """The hooks of a run that lints."""

    def __init__(self, config: pytest.Config, fail: bool, prove: bool = False) -> None:
        self.config = config
        self.fail = fail
        self.prove = prove
        self.found: dict[Any, tuple[Finding, list[str]]] = {}
        """Each finding by where it stands, with the tests that traced it."""
        try:
            (settings,) = settings_for([Configs().of(str(config.rootpath))], Settings())
        except TfnanlintError as error:
            raise pytest.UsageError(f"tfnanlint: {error}") from None
        self._plan = plan_of(settings or Settings())
        self._listener = Listener()
        self._listener.start()

    def _take(self, where: str) -> list[Finding]:
        """What was traced since the last time comes to."""
        plan = self._plan
        found = self._listener.findings(rules=plan.rules, ranges=plan.assumptions.ranges, prove=self.prove)
        findings = plan.adjusted(found)
        for finding in findings:
            self._note(finding, [where])
        return findings

    def _note(self, finding: Finding, tests: list[str]) -> None:
        _, held = self.found.setdefault((*finding.position, finding.has_source or finding.node), (finding, []))
        held += [test for test in tests if test not in held]

    def pytest_collection_finish(self) -> None:
        self._take(COLLECTED)

    def _phase(self, item: pytest.Item) -> Generator[None, Any, None]:
        outcome = yield
        findings = self._take(item.nodeid)
        if findings and self.fail and outcome.excinfo is None:
            text = f"{count(findings)} in functions traced by this test\n\n{told(findings)}"
            outcome.force_exception(pytest.fail.Exception(text, pytrace=False))

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> Generator[None, Any, None]:
        yield from self._phase(item)

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, Any, None]:
        yield from self._phase(item)

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_teardown(self, item: pytest.Item) -> Generator[None, Any, None]:
        yield from self._phase(item)

    def pytest_sessionfinish(self) -> None:
        """Stop listening; a worker hands over what it found."""
        self._listener.stop()
        output = getattr(self.config, "workeroutput", None)
        if output is not None:
            output[OUTPUT] = pickle.dumps(list(self.found.values()))

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Take in what a worker found."""
        handed = getattr(node, "workeroutput", {}).get(OUTPUT)
        for finding, tests in pickle.loads(handed) if handed else ():
            self._note(finding, tests)

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """The section of the summary."""
        terminalreporter.section("tfnanlint")
        color = bool(terminalreporter.hasmarkup)
        for finding, (first, *others) in sorted(self.found.values(), key=lambda pair: pair[0].position):
            terminalreporter.write(told([finding], color))
            more = f" and {len(others)} more" if others else ""
            terminalreporter.write_line(f"   traced by {first}{more}\n")
        terminalreporter.write_line(f"{count(self.found)} in functions traced by the tests.")


def told(findings: list[Finding], color: bool = False) -> str:
    """Findings as the text report tells them."""
    return "".join(render("text", Report(findings, color=color)))


def count(findings: Sized) -> str:
    return f"{len(findings) or 'no'} problem{'' if len(findings) == 1 else 's'}"
