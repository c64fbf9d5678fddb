"""JUnit's XML, which build services show as test results: a suite for each file, a failed case for each finding."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import groupby
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from tfnanlint.finding import Finding
from tfnanlint.report import Report
from tfnanlint.report.text import plain_lines
from tfnanlint.run.problem import Problem

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def render(report: Report) -> Iterator[str]:
    """One document; a run without findings has one passed case, for an empty report looks like a broken one."""
    root = Element("testsuites", name="tfnanlint")
    for path, findings in groupby(report.findings, key=lambda found: found.path):
        suite = SubElement(root, "testsuite", name=_xml(path))
        for found in findings:
            _case(suite, report, found)
    if report.problems:
        suite = SubElement(root, "testsuite", name="tfnanlint")
        for problem in report.problems:
            _error(suite, problem)
    if not len(root):
        SubElement(
            SubElement(root, "testsuite", name="tfnanlint"), "testcase", name="no problems", classname="tfnanlint"
        )
    for suite in [*root, root]:
        _count(suite, list(suite.iter("testcase")))
    indent(root)
    yield '<?xml version="1.0" encoding="utf-8"?>\n'
    yield tostring(root, encoding="unicode") + "\n"


def _case(suite: Element, report: Report, found: Finding) -> None:
    cell = "" if found.cell is None else f"cell {found.cell}:"
    line = report.file_line(found.path, found.line, found.cell)
    case = SubElement(suite, "testcase", name=f"{found.rule} at {cell}{found.line}:{found.column}")
    case.attrib |= {
        "classname": _class(found.path),
        "file": _xml(found.path),
        "line": str(line),
    }
    failure = SubElement(case, "failure", type=found.severity, message=_xml(found.message))
    failure.text = _xml("\n".join(plain_lines(report, found)))


def _error(suite: Element, problem: Problem) -> None:
    case = SubElement(suite, "testcase", name=_xml(problem.path), classname=_class(problem.path))
    case.attrib |= {"file": _xml(problem.path)} | ({"line": str(problem.line)} if problem.line else {})
    SubElement(case, "error", type="not linted", message=_xml(problem.message)).text = _xml(str(problem))


def _count(suite: Element, cases: Iterable[Element]) -> None:
    cases = list(cases)
    failures = sum(1 for case in cases if case.find("failure") is not None)
    errors = sum(1 for case in cases if case.find("error") is not None)
    suite.attrib |= {"tests": str(len(cases)), "failures": str(failures), "errors": str(errors)}


def _class(path: str) -> str:
    """A path as the dotted name by which test results are grouped."""
    return _xml(re.sub(r"\.py\w?$", "", path.replace("\\", "/").strip("/")).replace("/", "."))


def _xml(text: str) -> str:
    """The text without the characters that XML cannot hold, however they are written."""
    return _NOT_XML.sub("\ufffd", text)
