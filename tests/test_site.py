"""The documentation site: every page is in its navigation, and every link leads to a page, a file or a heading."""

from __future__ import annotations

import importlib.util
import posixpath
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
import yaml

if sys.version_info >= (3, 11):
    import tomllib as toml
else:
    import tomli as toml

ROOT = Path(__file__).parent.parent
SETTINGS = yaml.safe_load((ROOT / "mkdocs.yml").read_text())


def hook() -> ModuleType:
    """The hook that the site is built with."""
    (path,) = SETTINGS["hooks"]
    spec = importlib.util.spec_from_file_location("site_hook", ROOT / path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def pages() -> dict[str, str]:
    """The pages of the site by their names, with their links adapted."""
    site = hook()
    folder = ROOT / SETTINGS["docs_dir"]
    sources = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*.md")}
    sources |= {name: ROOT / path for path, name in site.TOP.items()}
    return {name: site.linked(path.read_text(), name, SETTINGS["repo_url"]) for name, path in sources.items()}


PAGES = pages()


def named(navigation: object) -> Iterator[str]:
    """The pages in a part of the navigation."""
    if isinstance(navigation, str):
        yield navigation
    elif isinstance(navigation, dict):
        for part in navigation.values():
            yield from named(part)
    elif isinstance(navigation, list):
        for part in navigation:
            yield from named(part)


def test_every_page_is_in_the_navigation_once() -> None:
    assert sorted(named(SETTINGS["nav"])) == sorted(PAGES)


def links(text: str) -> list[tuple[str, str]]:
    """The addresses in a page without those that lead out of the repository, each with its heading."""
    prose = re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)
    found = re.findall(r"\]\(([^)#\s]*)(?:#([^)\s]*))?\)", prose)
    own = f"{SETTINGS['repo_url']}/blob/main/"
    return [one for one in found if not one[0].startswith("http") or one[0].startswith(own)]


def headings(text: str) -> list[str]:
    """The names that MkDocs gives the headings of a page."""
    prose = re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)
    titles = re.findall(r"^#+ (.*)$", prose, re.MULTILINE)
    return [re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", title).strip().lower()) for title in titles]


@pytest.mark.parametrize("name", PAGES)
def test_every_link_of_the_site_leads_somewhere(name: str) -> None:
    for target, heading in links(PAGES[name]):
        outside = target.partition("/blob/main/")[2]
        if outside:
            assert (ROOT / outside).exists(), target
            continue
        there = posixpath.normpath(posixpath.join(posixpath.dirname(name), target)) if target else name
        assert there in PAGES or (ROOT / SETTINGS["docs_dir"] / there).is_file(), target
        if heading:
            assert heading in headings(PAGES[there]), f"{target}#{heading}"


def test_links_between_folders_are_adapted_and_others_are_left() -> None:
    linked = hook().linked
    assert linked("[a](docs/api.md#x) ![b](docs/report.png)", "index.md", "R") == "[a](api.md#x) ![b](report.png)"
    assert linked("[a](../CONTRIBUTING.md) [b](../action.yml)", "workflows.md", "R") == (
        "[a](contributing.md) [b](R/blob/main/action.yml)"
    )
    assert linked("[a](README.md) [b](../../README.md#x)", "rules/coverage.md", "R") == (
        "[a](README.md) [b](../index.md#x)"
    )
    kept = "[a](https://example.org/a.md) [b](#here)"
    assert linked(kept, "index.md", "R") == kept


def test_the_packages_that_build_the_site_are_an_optional_dependency() -> None:
    extras = toml.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    assert {re.split(r"[<>=]", one)[0] for one in extras["docs"]} == {"mkdocs", f"mkdocs-{SETTINGS['theme']['name']}"}
