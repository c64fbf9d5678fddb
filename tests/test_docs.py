"""The documentation held to its word: its examples run, its links lead somewhere, its lists are complete."""

from __future__ import annotations

import ast
import doctest
import json
import math
import re
import shlex
import shutil
import subprocess
import sys
import textwrap
from importlib import import_module
from pathlib import Path

import pytest

import tfnanlint
from tfnanlint import cli
from tfnanlint.commands import CLEAN, COMMANDS, FINDINGS, WRONG
from tfnanlint.report import FORMATS, Report, render
from tfnanlint.server.service import FIX_ALL, FIX_ALL_COMMAND, OPTIONS
from tfnanlint.vocabulary import CERTAINTIES, FIX_KINDS, SEVERITIES

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parent.parent
TOP = [ROOT / f"{name}.md" for name in ("README", "CONTRIBUTING", "CHANGELOG", "AGENTS")]
PAGES = [*TOP, *sorted((ROOT / "docs").glob("*.md"))]


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", page.read_text(), re.DOTALL | re.MULTILINE)


def test_the_examples_of_the_api_page_run_as_they_stand(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    page = ROOT / "docs" / "api.md"
    said: list[str] = []
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    names: dict[str, object] = {"__name__": "__main__"}
    for block in blocks(page, "python"):
        test = doctest.DocTestParser().get_doctest(block, names, page.name, str(page), 0)
        runner.run(test, out=said.append, clear_globs=False)
        names = test.globs
    assert runner.tries > 20
    assert runner.failures == 0, "".join(said)


def test_the_readme_opens_with_what_the_tool_prints(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    found = tfnanlint.lint_source((ROOT / "examples/wgan_gp.py").read_text(), "examples/wgan_gp.py")
    assert blocks(ROOT / "README.md", "")[0] == "".join(render("text", Report(found[:1])))


def test_the_readme_shows_the_proof_that_the_tool_prints_and_the_proof_prints_what_the_readme_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    pytest.importorskip("keras", reason="the proof runs TensorFlow")
    page = ROOT / "README.md"
    command, _, shown = blocks(page, "console")[0].partition("\n")
    cli.main(shlex.split(command)[2:])
    printed = capfd.readouterr().out
    inputs = re.compile(r"all -?\d+\.0")  # the weights are random, and with them which inputs are met first
    assert inputs.sub("", printed) == inputs.sub("", shown)
    proof = shown.partition("   proved: ")[2].splitlines(keepends=True)
    program = textwrap.dedent("".join(line for line in proof if line.startswith(" " * 7)))
    # The proof brings its weights by name, and Keras numbers the names of a process: it is made for a new one.
    said = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=300, check=True
    ).stdout
    loss, _, lost = said.partition(", shape=(), dtype=float32) ")
    assert math.isfinite(float(loss.removeprefix("tf.Tensor(")))  # 10.0, or less, as the random weights have it
    names = ast.literal_eval(lost)
    optimizer = [
        name for name in names if re.match(r"adam(_\d+)?/", name)
    ]  # numbered from the second Adam of a process
    assert (len(names) - len(optimizer), len(optimizer)) == (4, 8)
    assert "a loss that is still finite, then the variables that are NaN after one step: all of the" in page.read_text()


def commands(page: Path) -> set[tuple[str, ...]]:
    """The command lines of this tool that a page shows, in its blocks and within its sentences."""
    text = page.read_text()
    shown = [
        line
        for block in re.findall(r"^```\w*\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
        for line in block.split("\n")
    ]
    shown += re.findall(r"`([^`\n]+)`", re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE))
    found = (re.search(r"(?:^|[$;]|run: |&& |\] |- |: )\s*(?:\S*/bin/)?(tfnanlint [^|;>#)]*)", line) for line in shown)
    return {tuple(one[1].split()[1:]) for one in found if one}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_command_that_is_shown_is_one(page: Path) -> None:
    for given in commands(page):
        name = given[0] if given and given[0] in COMMANDS else "check"
        options = import_module(f"tfnanlint.commands.{name}").grammar()._option_string_actions
        for at, word in enumerate(given):
            if word.startswith("--"):
                option, _, value = word.partition("=")
                assert option in options, " ".join(given)
                value = value or (given[at + 1] if at + 1 < len(given) else "")
                choices = options[option].choices
                assert not choices or value in choices or value.isupper(), " ".join(given)


def test_the_commands_are_found() -> None:
    assert ("--fix", "model.py") in commands(ROOT / "README.md")
    assert sum(map(len, map(commands, PAGES))) > 40


def test_every_public_name_is_documented() -> None:
    text = (ROOT / "docs" / "api.md").read_text()
    assert [name for name in tfnanlint.__all__ if name not in text and not name.startswith("__")] == []


def test_the_page_for_assistants_names_every_field_kind_and_exit_status() -> None:
    text = (ROOT / "AGENTS.md").read_text()
    named = set(re.findall(r"`(\w+)`", text))
    finding = json.loads((ROOT / "docs/schema/findings-1.json").read_text())["$defs"]["finding"]["properties"]
    report = json.loads((ROOT / "docs/schema/report-1.json").read_text())["properties"]
    assert ({*finding, *report} | {*FIX_KINDS, *SEVERITIES, *CERTAINTIES}) - named == set()
    statuses = {int(status) for status in re.findall(r"^\| (\d) \|", text, re.MULTILINE)}
    assert statuses == {CLEAN, FINDINGS, WRONG}


def test_every_format_is_documented() -> None:
    text = (ROOT / "docs" / "formats.md").read_text()
    assert [name for name in FORMATS if f"| `{name}` |" not in text] == []


def test_the_settings_of_the_editor_page_are_those_of_the_server() -> None:
    text = (ROOT / "docs" / "editor.md").read_text()
    assert [option for option in OPTIONS if f"`{option}`" not in text] == []
    assert FIX_ALL in text
    assert FIX_ALL_COMMAND in text
    for block in blocks(ROOT / "docs" / "editor.md", "json"):
        json.loads(block)
    for block in blocks(ROOT / "docs" / "editor.md", "toml"):
        tomllib.loads(block)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_to_files_and_headings_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\((?!https?:)([^)\s]+)\)", page.read_text()):
        path, _, heading = target.partition("#")
        there = (page.parent / path) if path else page
        assert there.exists(), target
        if heading:
            headings = re.findall(r"^#+ (.*)$", there.read_text(), re.MULTILINE)
            slugs = [re.sub(r"[^\w\- ]", "", text).strip().lower().replace(" ", "-") for text in headings]
            assert heading in slugs, target
