"""The documentation held to its word: its examples run, its links lead somewhere, its lists are complete."""

from __future__ import annotations

import doctest
import json
import re
import sys
from pathlib import Path

import pytest

import tfnanlint
from tfnanlint.report import FORMATS, Report, render
from tfnanlint.server.service import FIX_ALL, FIX_ALL_COMMAND, OPTIONS

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").glob("*.md"))]


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


def test_every_public_name_is_documented() -> None:
    text = (ROOT / "docs" / "api.md").read_text()
    assert [name for name in tfnanlint.__all__ if name not in text and not name.startswith("__")] == []


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
